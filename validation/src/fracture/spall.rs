//! Spalling: a compressive wave comes back from a free end as tension.

use super::{METHODS, brittle, in_precision};
use crate::elasticity::rig::judged;
use crate::elasticity::specimen::block;
use crate::{Options, Row};
use phyxel::Simulation;
use phyxel::material::LawKind;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Scene, SolverSettings};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

/// Side of a cell [m].
const CELL: f64 = 0.0125;
/// A gap between striker and target, so that they begin apart [m].
const GAP: f64 = 1e-5;

struct Spall {
    /// Of the first crack, from the free end [m].
    place: f64,
    time: f64,
    /// Mean speed of what leaves [m/s].
    speed: f64,
}

/// A striker of 0.5 m hits a target of 1 m at 2 m/s.
pub fn spall(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let found = in_precision!(options, struck(method));
        let row = || Row::of("spall", method.name(), "80 cells, leap-frog", started);
        rows.push(judged(row().quantity("spall plane from the free end [m]", found.place, 0.5), 0.10, options));
        rows.push(judged(row().quantity("time of the first crack [s]", found.time, 1.5e-3), 0.10, options));
        rows.push(judged(row().quantity("speed of the piece [m/s]", found.speed, 2.0), 0.10, options));
    }
    rows
}

fn struck<R: Real>(method: Method) -> Spall {
    let bar = |name: &str, from: f64, cells: usize| {
        let to = from + CELL * cells as f64;
        let geometry = block(method, [cells, 1, 1], [from, 0.0, 0.0], [to, CELL, CELL], CubeSplit::Five);
        let mut material = brittle(LawKind::Corotated, 0.8e6);
        // A tenth of what would smooth a shock over one cell: it keeps the ringing behind the front below the strength.
        material.viscosity = 0.1 * 1e6 * CELL;
        material.bulk_viscosity = 0.0;
        Body::new(name, geometry, method, material)
    };
    let mut striker = bar("striker", -0.5 - GAP, 40);
    striker.velocity = [2.0, 0.0, 0.0];
    striker.material.fracture = None;
    let target = bar("target", 0.0, 80);
    let solver = SolverSettings { integrator: Integrator::LeapFrog, step: 4e-6, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![striker, target], solver, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let mut spall = Spall { place: f64::NAN, time: f64::NAN, speed: f64::NAN };
    if simulation.advance_to(2.2e-3).is_err() {
        return spall;
    }
    let cracks = simulation.take_cracks();
    let Some(first) = cracks.first() else { return spall };
    (spall.place, spall.time) = (1.0 - first.point[0], first.time - 0.5 * GAP);
    let model = simulation.model();
    let beyond: Vec<usize> =
        model.bodies[1].nodes.clone().filter(|n| model.rest[*n].0[0].to_f64() > first.point[0] + 2.0 * CELL).collect();
    let mass: f64 = beyond.iter().map(|n| model.masses[*n].to_f64()).sum();
    let momentum: f64 = beyond.iter().map(|n| (model.masses[*n] * simulation.state().v[*n].0[0]).to_f64()).sum();
    spall.speed = momentum / mass;
    spall
}
