//! The beam of the real-time comparisons: 4 x 1 x 1 m on 40 x 10 x 10 nodes, 15 795 tetrahedra, at 60 steps a second.

use super::rig::{Rig, judged, pins, points_of};
use super::specimen::{METHODS, block, cells_name, material};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::scene::{Body, Method, SolverSettings};
use phyxel::shape::structured::CubeSplit;
use phyxel::{Precision, Scene};
use std::time::Instant;

const CELLS: [usize; 3] = [39, 9, 9];
const LENGTH: f64 = 4.0;
const STEP: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 9.81;

fn scene(method: Method, young: f64, nu: f64, density: f64, tolerance: f64) -> Scene {
    let geometry = block(method, CELLS, [0.0; 3], [LENGTH, 1.0, 1.0], CubeSplit::Five);
    let pins = pins(points_of(&geometry), |p| (p[0] < 1e-9).then_some(([true; 3], [0.0; 3])));
    let mut matter = material(LawKind::Corotated, young, nu);
    matter.density = density;
    let mut body = Body::new("beam", geometry, method, matter);
    body.pins = pins;
    let solver = SolverSettings { step: STEP, tolerance, ..SolverSettings::default() };
    Scene { gravity: [0.0, -GRAVITY, 0.0], bodies: vec![body], solver, ..Scene::default() }
}

/// The sag of the beam under its own weight once it has come to rest.
pub fn sag(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for (nu, tolerance) in [(0.3, 0.05), (0.49, 0.10)] {
        for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls] {
            let started = Instant::now();
            let value = resting_sag(method, nu, options);
            let setting = format!("{}, nu = {nu}, h = 1/60 s", cells_name(method, CELLS));
            let row = Row::of("beam-real-time", method.name(), setting, started);
            let row = row.quantity("sag of the end [m]", value, timoshenko(1e6, nu, 1.0));
            rows.push(if method == Method::Tet { row.shown() } else { judged(row, tolerance, options) });
        }
    }
    rows
}

/// Steps until nothing moves any more; implicit steps far longer than the period damp within a second.
fn resting_sag(method: Method, nu: f64, options: &Options) -> f64 {
    let tolerance = if options.precision == Precision::F64 { 1e-7 } else { 1e-5 };
    let mut rig = Rig::build(&scene(method, 1e6, nu, 1.0, tolerance), options);
    for _ in 0..300 {
        rig.step(STEP);
        let fastest = rig.velocities().iter().flatten().fold(0.0_f64, |a, v| a.max(v.abs()));
        // A ten-thousandth of the sag per second.
        if fastest < 4e-7 {
            break;
        }
    }
    -rig.mean_displacement(|p| p[0] > LENGTH - 1e-9)[1]
}

/// Deflection of the end of a beam with a square section of 1 m under its own weight, with shear.
fn timoshenko(young: f64, nu: f64, density: f64) -> f64 {
    let load = density * GRAVITY;
    let shear_factor = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    let shear_modulus = young / (2.0 * (1.0 + nu));
    load * LENGTH.powi(4) / (8.0 * young / 12.0) + load * LENGTH.powi(2) / (2.0 * shear_factor * shear_modulus)
}

/// The first step reaches the residual that was asked for, however stiff the beam; in `f32` rounding alone leaves up to
/// a hundredth in the stiffest.
pub fn residual(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for young in [1e5, 1e6, 1e7, 1e8, 1e9] {
        for method in METHODS {
            let started = Instant::now();
            let mut rig = Rig::build(&scene(method, young, 0.3, 1000.0, 1e-5), options);
            let report = rig.step(STEP);
            let setting = format!("E = {young:e} Pa, h = 1/60 s, {} iterations", report.iterations);
            let row = Row::of("residual", method.name(), setting, started);
            let row = row.quantity("true relative residual", report.residual, 0.0).scaled_by(1.0);
            rows.push(judged(row, 1e-5, options));
        }
    }
    rows
}
