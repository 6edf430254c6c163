//! Two equal bars, one at rest: compression waves run to the free ends and back, then the bars have exchanged their
//! velocities.

use super::ground::WAYS;
use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure, block};
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::time::Instant;

const SIDE: f64 = 0.05;
/// Time between two samples, a fifth of what a wave takes for a cell [s].
const SAMPLE: f64 = 5e-6;
/// Distance at the start [m].
const APART: f64 = 2e-4;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    let explicit = [Method::Tet, Method::Mls].map(|method| (method, Integrator::Verlet));
    for (method, integrator) in WAYS.into_iter().chain(explicit) {
        let started = Instant::now();
        // Less damping than implicit Euler, which would smear the front over half the bar.
        let integrator = if integrator == Integrator::ImplicitEuler { Integrator::Bdf2 } else { integrator };
        let values = exchange::<R>(method, integrator);
        let setting = format!("40x2x2 cells each, {}", integrator.name());
        let about = About { method: method.name(), setting: &setting, quantity: "", started };
        let expected = [
            ("velocity of the first [m/s]", Expected::absolute(0.0, 0.05)),
            ("velocity of the second [m/s]", Expected::relative(1.0, 0.05)),
            ("contact [s]", Expected::relative(2e-3, 0.05)),
            ("momentum, change", Expected { single: 1e-4, ..Expected::absolute(0.0, 1e-9) }),
        ];
        rows.extend(bench.rows(&about, values, expected));
    }
    rows
}

/// Velocities at the end, time from the first push to the last, and the relative change of momentum.
fn exchange<R: Real>(method: Method, integrator: Integrator) -> Result<[f64; 4], Failure> {
    let material = Material { young_modulus: 1e9, poisson_ratio: 0.0, density: 1000.0, ..Material::default() };
    let bar = |name: &str, x: f64| -> Result<Body, Failure> {
        let geometry = block(method, [40, 2, 2], [x, 0.0, 0.0], [x + 1.0, SIDE, SIDE])?;
        Ok(Body::new(name, geometry, method, material.clone()))
    };
    let mut bodies = vec![bar("first", 0.0)?, bar("second", 1.0 + APART)?];
    bodies[0].velocity = [1.0, 0.0, 0.0];
    let solver = SolverSettings {
        integrator,
        step: SAMPLE,
        substeps: 1,
        iterations: 4,
        tolerance: 1e-6,
        ..SolverSettings::default()
    };
    let scene = Scene { gravity: [0.0; 3], solver, bodies, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    let momentum = simulation.momentum()[0];
    let mut velocities = vec![0.0];
    for _ in 0..(2.8e-3 / SAMPLE) as usize {
        simulation.step(SAMPLE)?;
        velocities.push(velocity(&simulation, 1));
    }
    let change = (simulation.momentum()[0] - momentum).abs() / momentum;
    Ok([velocity(&simulation, 0), velocity(&simulation, 1), pushed(&velocities), change])
}

/// Mean velocity of a bar.
fn velocity<R: Real>(simulation: &Simulation<R>, bar: usize) -> f64 {
    let (model, state) = (simulation.model(), simulation.state());
    let sums = model.bodies[bar].nodes.clone().fold((0.0, 0.0), |(p, m), n| {
        let mass = model.masses[n].to_f64();
        (p + mass * state.v[n].0[0].to_f64(), m + mass)
    });
    sums.0 / sums.1
}

/// Time from the first push to the last; a push is a tenth of the mean one.
fn pushed(velocities: &[f64]) -> f64 {
    let least = 0.1 * SAMPLE / 2e-3;
    let pushes = |pair: &[f64]| pair[1] - pair[0] > least;
    let last = velocities.windows(2).rposition(pushes).map_or(0, |i| i + 1);
    let first = velocities.windows(2).position(pushes).unwrap_or(0);
    (last - first) as f64 * SAMPLE
}
