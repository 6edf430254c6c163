//! A disc that is squeezed until it splits: Brazil's test of tensile strength.

use super::{METHODS, brittle, exactness, held, in_precision};
use crate::elasticity::rig::judged;
use crate::elasticity::specimen::{cells_name, of_mesh};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, LinearSolver, Method, Pin, Region, Scene, SolverSettings, Weakness};
use phyxel::shape::TetMesh;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::{Precision, Simulation};
use std::f64::consts::PI;
use std::time::Instant;

const RADIUS: f64 = 0.025;
const THICKNESS: f64 = 0.025;
const STRENGTH: f64 = 5e6;
/// `π D t σ / 2` [N].
const LOAD: f64 = PI * RADIUS * THICKNESS * STRENGTH;
/// Half of the arc over which it is squeezed, as a share of the radius.
const ARC: f64 = 0.17;

/// The load that splits the disc, where the split begins and how it runs.
pub fn brazil(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let cells = [20, 20, 8];
        let split = in_precision!(options, squeezed(method, cells, options.precision));
        let row = || Row::of("brazil", method.name(), cells_name(method, cells), started);
        rows.push(judged(row().quantity("load when it splits [N]", split.load, LOAD), 0.20, options));
        let place = row().quantity("distance of the first crack from the vertical axis [m]", split.aside, 0.0);
        rows.push(place.scaled_by(2.0 * RADIUS).within(0.05));
        rows.push(row().quantity("part of its normal that is horizontal", split.level, 1.0).within(0.05));
    }
    rows
}

struct Split {
    load: f64,
    aside: f64,
    level: f64,
}

/// A disc in the plane of x and y: a block whose squares are bent to circles.
fn disc(cells: [usize; 3]) -> TetMesh {
    let mut mesh = box_tets(cells, [-1.0, -1.0, 0.0], [1.0, 1.0, THICKNESS], CubeSplit::Five).expect("a sound block");
    for [x, y, _] in &mut mesh.points {
        (*x, *y) = (RADIUS * *x * (1.0 - 0.5 * *y * *y).sqrt(), RADIUS * *y * (1.0 - 0.5 * *x * *x).sqrt());
    }
    mesh
}

/// What lies between two heights.
fn strip(from: f64, to: f64) -> Region {
    Region::Box { min: [-1.0, from, -1.0], max: [1.0, to, 1.0] }
}

fn squeezed<R: Real>(method: Method, cells: [usize; 3], precision: Precision) -> Split {
    let spacing = 2.0 * RADIUS / cells[0] as f64;
    let mut body = Body::new("disc", of_mesh(method, disc(cells), spacing), method, brittle(LawKind::Linear, STRENGTH));
    body.contact.enabled = false;
    // Where the load is brought in, stresses depend on how; the test is about the matter in between.
    let far = 0.75 * RADIUS;
    let end = |from: f64, to: f64| Weakness { region: strip(from, to), factor: 10.0 };
    body.weaknesses = vec![end(far, 1.0), end(-1.0, -far)];
    let above = RADIUS * (1.0 - ARC * ARC).sqrt() - 1e-6;
    let line = |y: f64| Region::Box { min: [-1e-6, y - 1e-6, -1e-6], max: [1e-6, y + 1e-6, 1.0] };
    let vertical = |region, speed| Pin { velocity: [0.0, speed, 0.0], axes: [false, true, false], ..Pin::hold(region) };
    // It is shortened by about 2 P / (E t) when it splits, in some fifty steps.
    let speed = LOAD / (1e9 * THICKNESS);
    body.pins = vec![
        vertical(strip(above, 1.0), -speed),
        vertical(strip(-1.0, -above), speed),
        Pin { velocity: [0.0, -speed, 0.0], ..Pin::hold(line(RADIUS)) },
        Pin { velocity: [0.0, speed, 0.0], ..Pin::hold(line(-RADIUS)) },
    ];
    let (tolerance, newton_tolerance) = exactness(precision);
    let linear = if method == Method::Mls { LinearSolver::Cg } else { LinearSolver::Auto };
    let integrator = Integrator::QuasiStatic;
    let solver = SolverSettings { integrator, linear, tolerance, newton_tolerance, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let mut load: f64 = 0.0;
    for _ in 0..150 {
        if simulation.step(0.02).is_err() {
            break;
        }
        load = load.max(-held(&mut simulation, |x| x[1] > above)[1]);
        if let Some(first) = simulation.take_cracks().first() {
            return Split { load, aside: first.point[0].abs(), level: first.normal[0].abs() };
        }
    }
    Split { load: f64::NAN, aside: f64::NAN, level: f64::NAN }
}
