//! A ball pressed on a rigid plane.
//!
//! Cells are fine where the ball touches and grow away from it: a half-ball of graded shells below the plane `y = 0`,
//! turned inside out by an inversion that maps the plane on the ball and the outermost shell on its equator. Inversions
//! keep angles, so cells keep their shapes.

use super::ball::{self, Extent};
use super::ground::WAYS;
use crate::Row;
use crate::elasticity::{pins, points_of};
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::material::LawKind;
use phyxel::math::Real;
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, LinearSolver, Method, Motion, Scene, SolverSettings};
use phyxel::shape::Geometry;
use phyxel::{Material, Simulation};
use std::time::Instant;

/// Ways of the plane towards the equator [m], and the forces [N] and radii [m] of the contact there.
const CASES: [(f64, f64, f64); 2] = [(0.005, 537.7, 0.0716), (0.01, 1547.9, 0.1018)];
/// The plane has come to rest by then, and so has the ball [s].
const REST: [f64; 2] = [0.15, 0.3];

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        let started = Instant::now();
        let values = press::<R>(method, integrator);
        let name = if integrator == Integrator::Xpbd { "xpbd" } else { "quasi-static" };
        let setting = format!("6 cells across, {name}");
        let about = About { method: method.name(), setting: &setting, quantity: "", started };
        let tolerance = if method == Method::Mls { 0.10 } else { 0.08 };
        let force = |k: usize| Expected::relative(CASES[k].1, tolerance);
        // Nodes are on the plane or not: the radius is known to half a cell only.
        let radius = |k: usize| Expected { scale: Some(CASES[k].2), ..Expected::relative(CASES[k].2, f64::INFINITY) };
        let expected = [
            ("force at .005 [N]", force(0)),
            ("contact radius at .005 [m]", radius(0)),
            ("force at .01 [N]", force(1)),
            ("contact radius at .01 [m]", radius(1)),
        ];
        rows.extend(bench.rows(&about, values, expected));
    }
    rows
}

/// Force on the equator and radius of the contact, at both ways.
fn press<R: Real>(method: Method, integrator: Integrator) -> Result<[f64; 4], Failure> {
    // Phyxels see across planes of symmetry, so theirs is always the whole.
    let quarter = integrator == Integrator::Xpbd && method != Method::Mls;
    let extent = if quarter { Extent::Quarter } else { Extent::Whole };
    let mut simulation = Simulation::<R>::build(&scene(method, integrator, extent)?)?;
    let share = if extent == Extent::Quarter { 4.0 } else { 1.0 };
    let mut values = [0.0; 4];
    for (k, time) in REST.into_iter().enumerate() {
        simulation.advance_to(time)?;
        let held: Vec<usize> = (0..simulation.model().node_count())
            .filter(|&n| (simulation.model().rest[n].0[1].to_f64() - 1.0).abs() < 1e-5)
            .collect();
        let forces = simulation.forces();
        values[2 * k] = share * held.iter().map(|&n| forces[n].0[1].to_f64()).sum::<f64>();
        values[2 * k + 1] = contact_radius(&simulation, CASES[k].0);
    }
    Ok(values)
}

fn scene(method: Method, integrator: Integrator, extent: Extent) -> Result<Scene, Failure> {
    let dynamic = integrator == Integrator::Xpbd;
    let material = Material {
        law: LawKind::Linear,
        young_modulus: 1e6,
        poisson_ratio: 0.3,
        density: 1000.0,
        // The slowest mode swings with some 12 Hz and must die within a tenth of a second.
        rayleigh_mass: if dynamic { 120.0 } else { 0.0 },
        ..Material::default()
    };
    let geometry = match method {
        Method::Mls => Geometry::Points(ball::phyxels(extent)),
        _ => Geometry::Tets(ball::tets(extent)?),
    };
    let held = pins(points_of(&geometry), |p| held(p, extent));
    let mut body = Body::new("ball", geometry, method, material);
    body.pins = held;
    let plane = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    let up = |k: usize| [0.0, CASES[k].0, 0.0];
    let keys = vec![(0.0, [0.0; 3]), (0.05, up(0)), (REST[0], up(0)), (REST[0] + 0.05, up(1))];
    let motion = Motion { keys, ..Motion::default() };
    let colliders = vec![Collider { friction: 0.0, motion, ..Collider::new(plane) }];
    let solver = if dynamic {
        let (step, iterations) = if method == Method::Mls { (1e-3, 5) } else { (5e-4, 6) };
        SolverSettings { integrator, step, substeps: 1, iterations, ..SolverSettings::default() }
    } else {
        let linear = if method == Method::Mls { LinearSolver::Cg } else { LinearSolver::Cholesky };
        let (integrator, step) = (Integrator::QuasiStatic, REST[0]);
        SolverSettings {
            integrator,
            step,
            linear,
            tolerance: 1e-8,
            newton_tolerance: 1e-7,
            ..SolverSettings::default()
        }
    };
    Ok(Scene { gravity: [0.0; 3], bodies: vec![body], colliders, solver, ..Scene::default() })
}

/// The equator stays in its plane and where it is: a quarter by its planes of symmetry, the whole by its middle and by one
/// point on its rim that does not turn.
fn held(p: [f64; 3], extent: Extent) -> Option<([bool; 3], [f64; 3])> {
    let (zero, equator) = (p.map(|c| c.abs() < 1e-6), (p[1] - 1.0).abs() < 1e-6);
    let axes = match extent {
        Extent::Quarter => [zero[0], equator, zero[2]],
        Extent::Whole => {
            let (middle, rim) = (zero[0] && zero[2], zero[2] && (p[0] - 1.0).abs() < 1e-6);
            [middle && equator, equator, (middle || rim) && equator]
        }
    };
    axes.contains(&true).then_some((axes, [0.0; 3]))
}

/// Distance of the nodes on the plane from the axis: the mean of the outermost of them in eight directions.
fn contact_radius<R: Real>(simulation: &Simulation<R>, way: f64) -> f64 {
    let mut reach = [0.0f64; 8];
    for n in 0..simulation.model().node_count() {
        let [x, y, z] = simulation.position(n);
        if y < way + 1e-6 {
            // All quarters are alike.
            let sector = (z.abs().atan2(x.abs()) / std::f64::consts::FRAC_PI_2 * 8.0) as usize;
            reach[sector.min(7)] = reach[sector.min(7)].max(x.hypot(z));
        }
    }
    let known = reach.iter().filter(|r| **r > 0.0);
    known.clone().sum::<f64>() / known.count() as f64
}
