//! A bar hits a rigid wall: a compression wave runs to the free end and back, then the bar leaves.

use super::bench::{About, Bench, Expected, Failure, SOLIDS, block};
use crate::Row;
use phyxel::math::Real;
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, Method, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::time::Instant;

const SIDE: f64 = 0.1;
/// Time between two samples of the momentum [s].
const SAMPLE: f64 = 5e-6;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in SOLIDS {
        for integrator in [Integrator::Verlet, Integrator::LeapFrog] {
            let started = Instant::now();
            let values = impact::<R>(method, integrator);
            let setting = format!("40x4x4 cells, {}", integrator.name());
            let about = About { method: method.name(), setting: &setting, quantity: "", started };
            let expected = [
                ("contact [s]", Expected::relative(2e-3, 0.05)),
                ("wall stress [Pa]", Expected::relative(1e6, 0.05)),
                ("rebound [m/s]", Expected::relative(1.0, 0.05)),
            ];
            rows.extend(bench.rows(&about, values, expected));
        }
    }
    rows
}

/// Contact time, wall stress and speed of rebound.
fn impact<R: Real>(method: Method, integrator: Integrator) -> Result<[f64; 3], Failure> {
    let material = Material { young_modulus: 1e9, poisson_ratio: 0.0, density: 1000.0, ..Material::default() };
    let mut body = Body::new("bar", block(method, [40, 4, 4], [0.0; 3], [1.0, SIDE, SIDE])?, method, material);
    body.velocity = [-1.0, 0.0, 0.0];
    let wall = ColliderShape::HalfSpace { normal: [1.0, 0.0, 0.0], offset: 0.0 };
    let solver = SolverSettings { integrator, step: SAMPLE, ..SolverSettings::default() };
    let colliders = vec![Collider { friction: 0.0, ..Collider::new(wall) }];
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], colliders, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    let mass = simulation.bodies()[0].mass_kg;
    let mut velocities = vec![-1.0];
    for _ in 0..(3e-3 / SAMPLE) as usize {
        simulation.step(SAMPLE)?;
        velocities.push(simulation.momentum()[0] / mass);
    }
    let rebound = velocities[velocities.len() - 1];
    let at = |time: f64| velocities[(time / SAMPLE).round() as usize];
    let stress = mass * (at(1.5e-3) - at(0.5e-3)) / 1e-3 / (SIDE * SIDE);
    Ok([contact_time(&velocities), stress, rebound])
}

/// From the first push of the wall to the last.
fn contact_time(velocities: &[f64]) -> f64 {
    let pushes = |pair: &[f64]| (pair[1] - pair[0]).abs() > 1e-6;
    let last = velocities.windows(2).rposition(pushes).map_or(0, |i| i + 1);
    let first = velocities.windows(2).position(pushes).unwrap_or(0);
    (last - first) as f64 * SAMPLE
}
