//! A ball pressed on a rigid plane.
//!
//! The mesh is fine where the ball touches and grows away from it: a half-ball of graded shells below the plane `y = 0`,
//! turned inside out by an inversion that maps the plane on the ball and the outermost shell on its equator. Inversions
//! keep angles, so cells keep their shapes.

use super::ground::WAYS;
use crate::Row;
use crate::elasticity::{of_mesh, pins};
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::material::LawKind;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{
    Body, Collider, ColliderShape, Integrator, LinearSolver, Method, Motion, Scene, SolverSettings, Support,
};
use phyxel::shape::TetMesh;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::{Material, Simulation};
use std::time::Instant;

/// Size of the cells that touch: six across the smaller contact [m].
const CELL: f64 = 0.0236;
/// Shells of cells: equal ones, and all.
const EQUAL: usize = 4;
const SHELLS: usize = 9;
/// Ways of the plane towards the equator [m], and the forces and radii of the contact there.
const CASES: [(f64, f64, f64); 2] = [(0.005, 537.7, 0.0716), (0.01, 1547.9, 0.1018)];

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        let started = Instant::now();
        let values = press::<R>(method, integrator);
        let name = if integrator == Integrator::Xpbd { "xpbd" } else { "quasi-static" };
        let cells = if method == Method::Mls { "3600 phyxels" } else { "14 500 tets" };
        let setting = format!("{cells}, {name}");
        let about = About { method: method.name(), setting: &setting, quantity: "", started };
        let tolerance = if method == Method::Mls { 0.10 } else { 0.08 };
        let force = |k: usize| Expected::relative(CASES[k].1, tolerance);
        // A node more or less on the rim is two thirds of a cell of the mean radius.
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
    let mut simulation = Simulation::<R>::build(&scene(method, integrator)?)?;
    let mut values = [0.0; 4];
    for (k, time) in [REST[0], REST[1]].into_iter().enumerate() {
        simulation.advance_to(time)?;
        let held: Vec<usize> = (0..simulation.model().node_count())
            .filter(|&n| (simulation.model().rest[n].0[1].to_f64() - 1.0).abs() < 1e-5)
            .collect();
        let forces = simulation.forces();
        values[2 * k] = held.iter().map(|&n| forces[n].0[1].to_f64()).sum();
        values[2 * k + 1] = contact_radius(&simulation, CASES[k].0);
    }
    Ok(values)
}

/// The plane has come to rest by then, and so has the ball [s].
const REST: [f64; 2] = [0.2, 0.4];

fn scene(method: Method, integrator: Integrator) -> Result<Scene, Failure> {
    let dynamic = integrator == Integrator::Xpbd;
    let material = Material {
        law: LawKind::Linear,
        young_modulus: 1e6,
        poisson_ratio: 0.3,
        density: 1000.0,
        // The slowest mode swings with some 12 Hz and must die within a tenth of a second.
        rayleigh_mass: if dynamic { 60.0 } else { 0.0 },
        rayleigh_stiffness: if dynamic { 5e-3 } else { 0.0 },
        ..Material::default()
    };
    let mesh = lower_half()?;
    let held = pins(&mesh.points, |p| {
        let middle = p[0].hypot(p[2]);
        let rim = (middle - 1.0).abs() < 1e-6 && p[2].abs() < 1e-6;
        // The equator stays in its plane; its middle stays where it is, and one point on its rim does not turn.
        ((p[1] - 1.0).abs() < 1e-6).then_some(([middle < 1e-6, true, middle < 1e-6 || rim], [0.0; 3]))
    });
    let mut body = Body::new("ball", of_mesh(method, mesh, CELL), method, material);
    body.pins = held;
    body.mls.support = Support::Nearest { k: 10, factor: 1.5 };
    let plane = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    let up = |k: usize| [0.0, CASES[k].0, 0.0];
    let keys = vec![(0.0, [0.0; 3]), (0.05, up(0)), (REST[0], up(0)), (REST[0] + 0.05, up(1))];
    let motion = Motion { keys, ..Motion::default() };
    let colliders = vec![Collider { friction: 0.0, motion, ..Collider::new(plane) }];
    let solver = if dynamic {
        SolverSettings { integrator, step: 1e-3, substeps: 1, iterations: 5, ..SolverSettings::default() }
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

/// Distance of the nodes on the plane from the axis: the mean of the outermost of them in eight directions.
fn contact_radius<R: Real>(simulation: &Simulation<R>, way: f64) -> f64 {
    let mut reach = [0.0f64; 8];
    for n in 0..simulation.model().node_count() {
        let [x, y, z] = simulation.position(n);
        if y < way + 1e-6 {
            let sector = (z.atan2(x) / std::f64::consts::TAU * 8.0).rem_euclid(8.0) as usize;
            reach[sector.min(7)] = reach[sector.min(7)].max(x.hypot(z));
        }
    }
    reach.iter().sum::<f64>() / 8.0
}

/// The lower half of a ball of radius one that touches `y = 0` at the origin.
fn lower_half() -> Result<TetMesh, Failure> {
    let n = SHELLS as f64;
    let mut mesh = box_tets([2 * SHELLS, SHELLS, 2 * SHELLS], [-n, -n, -n], [n, 0.0, n], CubeSplit::Five)?;
    mesh.points.iter_mut().for_each(|p| *p = inverted(graded(Vec3(*p))).0);
    // An inversion mirrors, and tetrahedra with all corners on the outermost shell are flat now.
    mesh.tets.iter_mut().for_each(|tet| tet.swap(2, 3));
    let flat = |tet: &[u32; 4]| tet.iter().all(|&n| (mesh.points[n as usize][1] - 1.0).abs() < 1e-9);
    let tets: Vec<[u32; 4]> = mesh.tets.iter().copied().filter(|tet| !flat(tet)).collect();
    let mut numbers = vec![u32::MAX; mesh.points.len()];
    let mut points = Vec::new();
    for &n in tets.iter().flatten() {
        if numbers[n as usize] == u32::MAX {
            numbers[n as usize] = points.len() as u32;
            points.push(mesh.points[n as usize]);
        }
    }
    Ok(TetMesh { points, tets: tets.into_iter().map(|tet| tet.map(|n| numbers[n as usize])).collect() })
}

/// From a lattice of cubes to shells: cubes near the origin, half-spheres further out, the outermost of radius 2.
fn graded(p: Vec3<f64>) -> Vec3<f64> {
    let shell = p.0.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    if shell == 0.0 {
        return p;
    }
    let (equal, inner) = (EQUAL as f64, CELL * EQUAL as f64);
    let growth = (2.0 / inner).powf(1.0 / (SHELLS - EQUAL) as f64);
    let radius = if shell <= equal { CELL * shell } else { inner * growth.powf(shell - equal) };
    let round = ((shell - equal + 2.0) / 3.0).clamp(0.0, 1.0);
    p * ((1.0 - round) / shell + round / p.norm()) * radius
}

/// The inversion about (0, 2, 0) that leaves the origin where it is.
fn inverted(p: Vec3<f64>) -> Vec3<f64> {
    let center = Vec3([0.0, 2.0, 0.0]);
    let arm = p - center;
    center + arm * (4.0 / arm.norm_squared())
}
