//! Nothing is lost when bodies break.

use super::{METHODS, brittle, in_precision};
use crate::elasticity::specimen::{block, cells_name};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Scene, SolverSettings};
use phyxel::shape::structured::CubeSplit;
use phyxel::{Precision, Simulation};
use std::time::Instant;

const STEP: f64 = 1e-5;
const CELLS: [usize; 3] = [20, 2, 2];

/// A bar that spins so fast that it bursts.
pub fn pieces(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let lost = in_precision!(options, burst(method));
        let row = || Row::of("pieces", method.name(), cells_name(method, CELLS), started);
        let (mass, momentum) = if options.precision == Precision::F64 { (1e-12, 1e-9) } else { (1e-5, 1e-4) };
        rows.push(row().quantity("mass over what it was", lost.mass, 1.0).within(mass));
        rows.push(row().quantity("mass of all pieces over what it was", lost.pieces, 1.0).within(mass));
        rows.push(
            row().quantity("change of momentum over what it was", lost.momentum, 0.0).scaled_by(1.0).within(momentum),
        );
        rows.push(row().quantity("volume of all elements over what it was", lost.volume, 1.0).within(mass));
        rows.push(row().quantity("whether it broke", (lost.count > 1) as u32 as f64, 1.0).within(0.0));
    }
    rows
}

struct Lost {
    mass: f64,
    pieces: f64,
    momentum: f64,
    volume: f64,
    count: usize,
}

fn burst<R: Real>(method: Method) -> Lost {
    let geometry = block(method, CELLS, [0.0; 3], [1.0, 0.1, 0.1], CubeSplit::Five);
    let mut body = Body::new("bar", geometry, method, brittle(LawKind::Corotated, 1e6));
    (body.velocity, body.spin) = ([10.0, 20.0, 30.0], [3.0, 0.0, 150.0]);
    body.contact.enabled = false;
    let solver = SolverSettings { integrator: Integrator::LeapFrog, step: STEP, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let mass = |s: &Simulation<R>| s.model().masses.iter().map(|m| m.to_f64()).sum::<f64>();
    let volume = |s: &Simulation<R>| s.model().blocks[0].volumes().iter().map(|v| v.to_f64()).sum::<f64>();
    let before = (mass(&simulation), volume(&simulation), simulation.momentum());
    for _ in 0..300 {
        if simulation.step(STEP).is_err() {
            break;
        }
    }
    let now = simulation.momentum();
    let size = before.2.iter().map(|p| p * p).sum::<f64>().sqrt();
    let change = (0..3).map(|a| (now[a] - before.2[a]).powi(2)).sum::<f64>().sqrt();
    Lost {
        mass: mass(&simulation) / before.0,
        pieces: simulation.fragments(0).iter().map(|p| p.mass).sum::<f64>() / before.0,
        momentum: change / size,
        volume: volume(&simulation) / before.1,
        count: simulation.bodies()[0].fragments,
    }
}
