//! Symplectic integrators keep the energy of a vibrating bar.

use super::bench::{About, Bench, Expected, Failure, block};
use crate::Row;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Body, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::f64::consts::FRAC_PI_2;
use std::time::Instant;

const PERIODS: usize = 100;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let rows = [Integrator::LeapFrog, Integrator::Verlet].into_iter().map(|integrator| {
        let started = Instant::now();
        let value = worst_drift::<R>(integrator);
        let quantity = "largest |E - E(0)|/E(0)";
        let about = About { method: integrator.name(), setting: "tet bar, 100 periods", quantity, started };
        bench.row(&about, value, Expected::absolute(0.0, 0.01))
    });
    rows.collect()
}

/// The lowest axial mode of a bar that is held at one end, for a hundred of its periods `4L/c`.
fn worst_drift<R: Real>(integrator: Integrator) -> Result<f64, Failure> {
    let (young_modulus, density) = (1e6, 1000.0);
    let material = Material { young_modulus, poisson_ratio: 0.3, density, ..Material::default() };
    let geometry = block(Method::Tet, [10, 2, 2], [0.0; 3], [1.0, 0.2, 0.2])?;
    let mut body = Body::new("bar", geometry, Method::Tet, material);
    body.pins.push(Pin::hold(Region::Box { min: [0.0; 3], max: [0.0, 0.2, 0.2] }));
    let period = 4.0 / f64::sqrt(young_modulus / density);
    let solver = SolverSettings { integrator, step: period / 20.0, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    let rest = simulation.model().rest.clone();
    for (v, x) in simulation.state_mut().v.iter_mut().zip(&rest) {
        *v = Vec3::of([(FRAC_PI_2 * x.to_f64()[0]).sin(), 0.0, 0.0]);
    }
    let energy = |s: &Simulation<R>| s.energy().kinetic_j + s.energy().elastic_j;
    let start = energy(&simulation);
    let mut worst = 0.0f64;
    for _ in 0..20 * PERIODS {
        simulation.step(solver.step)?;
        worst = worst.max((energy(&simulation) - start).abs() / start);
    }
    Ok(worst)
}
