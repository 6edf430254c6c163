//! A jerk at one end of a bar runs through it with `√(E/ρ)`.

use super::bench::{About, Bench, Expected, Failure, SOLIDS, block, first_crossing, mean_over, nodes_at};
use crate::Row;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::time::Instant;

/// Two cross-sections between which the front is timed [m]; the far end's echo comes later.
const STATIONS: [f64; 2] = [0.2, 0.8];
/// Velocity of the end [m/s].
const PUSH: f64 = 1.0;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let rows = SOLIDS.into_iter().map(|method| {
        let started = Instant::now();
        let value = front_speed::<R>(method);
        let about =
            About { method: method.name(), setting: "80x4x4 cells, verlet", quantity: "front speed [m/s]", started };
        bench.row(&about, value, Expected::relative(1000.0, 0.03))
    });
    rows.collect()
}

fn front_speed<R: Real>(method: Method) -> Result<f64, Failure> {
    let material = Material { young_modulus: 1e9, poisson_ratio: 0.0, density: 1000.0, ..Material::default() };
    let mut body = Body::new("bar", block(method, [80, 4, 4], [0.0; 3], [1.0, 0.05, 0.05])?, method, material);
    let end = Region::Box { min: [0.0; 3], max: [0.0, 0.05, 0.05] };
    body.pins.push(Pin { velocity: [PUSH, 0.0, 0.0], axes: [true, false, false], ..Pin::hold(end) });
    let solver = SolverSettings { integrator: Integrator::Verlet, step: 4e-6, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    let stations = STATIONS.map(|x| nodes_at(&simulation, 0, x));
    let mut histories = [Vec::new(), Vec::new()];
    for _ in 0..250 {
        simulation.step(solver.step)?;
        let (time, v) = (simulation.time(), &simulation.state().v);
        for (history, nodes) in histories.iter_mut().zip(&stations) {
            history.push((time, mean_over(nodes, |n| v[n].0[0])));
        }
    }
    // Dispersion rounds the front; half its height travels with the wave.
    let [near, far] = [first_crossing(&histories[0], 0.5 * PUSH)?, first_crossing(&histories[1], 0.5 * PUSH)?];
    Ok((STATIONS[1] - STATIONS[0]) / (far - near))
}
