//! A beam of 1 x 0.1 x 0.1 m clamped at one end: a load on its tip, its own weight, its lowest notes.

use super::rig::{Rig, Vector, judged, nodal_loads, pins, points_of, statics};
use super::specimen::{METHODS, block, cells_name, material, shaken};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::scene::{Body, Load, LoadKind, Method, Region};
use phyxel::shape::Geometry;
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const COARSE: [usize; 3] = [40, 4, 4];
const FINE: [usize; 3] = [80, 8, 8];
const GRAVITY: f64 = 9.81;

/// One of the two static cases.
struct Bending {
    case: &'static str,
    /// Converged quadratic elements [m].
    reference: f64,
    /// What linear tetrahedra give on the coarse mesh [m].
    mesh_exact: f64,
    own_weight: bool,
}

const TIP: Bending =
    Bending { case: "cantilever-tip", reference: 4.0042e-4, mesh_exact: 3.570016e-4, own_weight: false };
const WEIGHT: Bending =
    Bending { case: "cantilever-gravity", reference: 1.4737e-3, mesh_exact: 1.311587e-3, own_weight: true };

/// 10 N across the end.
pub fn tip(options: &Options) -> Vec<Row> {
    TIP.rows(options)
}

/// Its own weight.
pub fn weight(options: &Options) -> Vec<Row> {
    WEIGHT.rows(options)
}

impl Bending {
    fn rows(&self, options: &Options) -> Vec<Row> {
        let mut rows = vec![self.mesh_exact(options)];
        for (cells, edge, mls) in [(COARSE, 0.06, 0.07), (FINE, 0.03, 0.03)] {
            for method in METHODS {
                let tolerance = match method {
                    Method::Edge => Some(edge),
                    Method::Mls => Some(mls),
                    _ => None,
                };
                rows.push(self.row(beam(method, cells), cells_name(method, cells), tolerance, options));
            }
        }
        rows.push(self.row(jittered(true), "81x9x9 phyxels jittered".into(), Some(0.03), options));
        rows.push(self.row(jittered(false), "jittered, without consistency".into(), None, options));
        rows
    }

    fn mesh_exact(&self, options: &Options) -> Row {
        let started = Instant::now();
        let value = self.deflection(beam(Method::Tet, COARSE), options);
        let row = Row::of(self.case, "tet", "40x4x4 cells, against linear tets by another program", started);
        judged(row.quantity("deflection of the end's corners [m]", value, self.mesh_exact), 1e-6, options)
    }

    fn row(&self, body: Body, setting: String, tolerance: Option<f64>, options: &Options) -> Row {
        let (started, method) = (Instant::now(), body.method.name());
        let value = self.deflection(body, options);
        let row = Row::of(self.case, method, setting, started).quantity(
            "deflection of the end's corners [m]",
            value,
            self.reference,
        );
        match tolerance {
            Some(tolerance) => judged(row, tolerance, options),
            None => row.shown(),
        }
    }

    fn deflection(&self, mut body: Body, options: &Options) -> f64 {
        if !self.own_weight {
            body.loads = vec![end_load(&body.geometry, [0.0, -10.0, 0.0])];
        }
        let mut scene = statics(body, options);
        if self.own_weight {
            scene.gravity = [0.0, -GRAVITY, 0.0];
        }
        let mut rig = Rig::build(&scene, options);
        rig.settle(1);
        -rig.mean_displacement(end_corner)[1]
    }
}

/// The corners of the free end, which all sink alike; the mesh-exact values hold there.
fn end_corner(p: Vector) -> bool {
    p[0] > 1.0 - 1e-9 && p[1].abs() > 0.05 - 1e-9 && p[2].abs() > 0.05 - 1e-9
}

/// A force on the end face, as a traction on tetrahedra and by the share of the face on phyxels.
fn end_load(geometry: &Geometry, force: Vector) -> Load {
    let region = Region::Box { min: [1.0, -0.05, -0.05], max: [1.0, 0.05, 0.05] };
    let kind = match geometry {
        Geometry::Points(_) => LoadKind::TotalForce(force),
        _ => LoadKind::Traction(force.map(|f| f / 0.01)),
    };
    Load { region, kind }
}

/// The clamped beam.
pub fn beam(method: Method, cells: [usize; 3]) -> Body {
    let geometry = block(method, cells, [0.0, -0.05, -0.05], [1.0, 0.05, 0.05], CubeSplit::Five);
    clamped(method, geometry, 0.3)
}

fn clamped(method: Method, geometry: Geometry, poisson_ratio: f64) -> Body {
    let pins = pins(points_of(&geometry), |p| (p[0] < 1e-9).then_some(([true; 3], [0.0; 3])));
    let mut body = Body::new("beam", geometry, method, material(LawKind::Linear, 1e9, poisson_ratio));
    body.pins = pins;
    body
}

fn jittered(consistency: bool) -> Body {
    let geometry = block(Method::Mls, FINE, [0.0, -0.05, -0.05], [1.0, 0.05, 0.05], CubeSplit::Five);
    let mut body = clamped(Method::Mls, shaken(geometry, 0.2 * 0.0125, 7), 0.3);
    body.mls.consistency = consistency;
    body
}

/// The lowest bending and axial note.
pub fn frequency(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for (nu, bending, axial) in [(0.3, 16.10, 250.7), (0.0, 16.05, 250.0)] {
        for method in METHODS {
            for (quantity, reference, axis) in [("bending [Hz]", bending, 1), ("axial [Hz]", axial, 0)] {
                let started = Instant::now();
                let value = note(method, nu, axis, options);
                let setting = format!("{}, nu = {nu}", cells_name(method, COARSE));
                let row = Row::of("cantilever-frequency", method.name(), setting, started);
                let row = row.quantity(quantity, value, reference);
                rows.push(if method == Method::Tet { row.shown() } else { judged(row, 0.04, options) });
            }
        }
    }
    rows
}

/// The lowest note whose motion is mainly along `axis`, by inverse iteration: each static solve under the forces `M x`
/// turns `x` towards the mode [Hz].
fn note(method: Method, poisson_ratio: f64, axis: usize, options: &Options) -> f64 {
    let geometry = block(method, COARSE, [0.0, -0.05, -0.05], [1.0, 0.05, 0.05], CubeSplit::Five);
    let mut body = clamped(method, geometry, poisson_ratio);
    body.pins = pins(points_of(&body.geometry), |p| symmetry(p, axis));
    let masses = Rig::build(&statics(body.clone(), options), options).masses();
    let shape = |p: &Vector| std::array::from_fn(|a| if a == axis { p[0] * p[0] } else { 0.0 });
    let mut x: Vec<Vector> = points_of(&body.geometry).iter().map(shape).collect();
    let mut squared = f64::NAN;
    for _ in 0..5 {
        let scale = 1e4 / dot(&masses, &x, &x).sqrt();
        let forces: Vec<Vector> = x.iter().zip(&masses).map(|(x, m)| x.map(|c| c * m * scale)).collect();
        body.loads = nodal_loads(&forces);
        let mut rig = Rig::build(&statics(body.clone(), options), options);
        rig.settle(1);
        let next = rig.displacements();
        squared = scale * dot(&masses, &next, &x) / dot(&masses, &next, &next);
        x = next;
    }
    squared.sqrt() / std::f64::consts::TAU
}

/// The clamp, and the planes of symmetry that leave a mode alone and keep its neighbours out.
fn symmetry(p: Vector, axis: usize) -> Option<([bool; 3], Vector)> {
    let middle = |a: usize| p[a].abs() < 1e-9;
    let held = if p[0] < 1e-9 { [true; 3] } else { [false, axis == 0 && middle(1), middle(2)] };
    held.contains(&true).then_some((held, [0.0; 3]))
}

fn dot(masses: &[f64], a: &[Vector], b: &[Vector]) -> f64 {
    (0..a.len()).map(|i| masses[i] * (0..3).map(|k| a[i][k] * b[i][k]).sum::<f64>()).sum()
}
