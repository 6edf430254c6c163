//! A bar that spins about its centre: `ρ ω² L³ / (24 E)` longer on either side.

use super::bench::{About, Bench, Expected, Failure, SOLIDS, block, nodes_at};
use crate::Row;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Body, Integrator, Method, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::time::Instant;

const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e7;
const SPIN: f64 = 10.0;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let expected = DENSITY * SPIN * SPIN / (24.0 * YOUNG);
    let rows = SOLIDS.into_iter().map(|method| {
        let started = Instant::now();
        let value = half_elongation::<R>(method);
        let about =
            About { method: method.name(), setting: "20x2x2 cells, verlet", quantity: "half elongation [m]", started };
        bench.row(&about, value, Expected::relative(expected, 0.03))
    });
    rows.collect()
}

/// A bar that begins to spin at its rest length swings about the stretched state. Over whole periods of its lowest axial
/// mode `c/(2L)`, of which the other excited modes are odd multiples, its mean length is the length at rest.
fn half_elongation<R: Real>(method: Method) -> Result<f64, Failure> {
    let material = Material { young_modulus: YOUNG, poisson_ratio: 0.3, density: DENSITY, ..Material::default() };
    let geometry = block(method, [20, 2, 2], [-0.5, -0.05, -0.05], [0.5, 0.05, 0.05])?;
    let mut body = Body::new("bar", geometry, method, material);
    body.spin = [0.0, 0.0, SPIN];
    let period = 2.0 / (YOUNG / DENSITY).sqrt();
    let solver = SolverSettings { integrator: Integrator::Verlet, step: period / 50.0, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    let ends = [-0.5, 0.5].map(|x| nodes_at(&simulation, 0, x));
    let mut sum = 0.0;
    let samples = 4 * 50;
    for _ in 0..samples {
        simulation.step(solver.step)?;
        let [a, b] = [0, 1].map(|end| centre(&simulation, &ends[end]));
        sum += 0.5 * ((b - a).norm() - 1.0);
    }
    Ok(sum / samples as f64)
}

fn centre<R: Real>(simulation: &Simulation<R>, nodes: &[usize]) -> Vec3<f64> {
    let sum = nodes.iter().fold(Vec3::zero(), |sum, &n| sum + Vec3(simulation.position(n)));
    sum * (1.0 / nodes.len() as f64)
}
