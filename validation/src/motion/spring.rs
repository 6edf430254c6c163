//! A mass of 1 kg on a spring of 100 N/m: it hangs 98.1 mm lower and swings at 1.5915 Hz.

use super::bench::{About, Bench, Expected, Failure, accurate, mass_on_spring};
use crate::Row;
use phyxel::Simulation;
use phyxel::math::Real;
use phyxel::scene::{Integrator, Scene, SolverSettings};
use std::f64::consts::TAU;
use std::time::Instant;

const MASS: f64 = 1.0;
const STIFFNESS: f64 = 100.0;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 1e-3;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut settings = Vec::new();
    for integrator in [Integrator::Verlet, Integrator::ImplicitEuler, Integrator::ImplicitMidpoint] {
        settings.push(("h = 1 ms".to_string(), accurate(integrator, STEP)));
    }
    for iterations in [1, 5, 50] {
        let solver = SolverSettings { iterations, substeps: 1, ..accurate(Integrator::Xpbd, STEP) };
        settings.push((format!("h = 1 ms, {iterations} iterations"), solver));
    }
    let rows = settings.iter().flat_map(|(setting, solver)| {
        let started = Instant::now();
        let method = solver.integrator.name();
        let about = About { method, setting, quantity: "extension at rest [m]", started };
        let extension =
            bench.row(&about, extension::<R>(*solver), Expected::relative(MASS * GRAVITY / STIFFNESS, 1e-3));
        let about = About { quantity: "frequency [Hz]", started: Instant::now(), ..about };
        let exact = (STIFFNESS / MASS).sqrt() / TAU;
        [extension, bench.row(&about, frequency::<R>(*solver), Expected::relative(exact, 1e-3))]
    });
    rows.collect()
}

fn hanging<R: Real>(solver: SolverSettings, damping: f64) -> Result<Simulation<R>, Failure> {
    let mut body = mass_on_spring(MASS, STIFFNESS, 1.0, [0.0, -1.0, 0.0]);
    body.material.rayleigh_mass = damping;
    let gravity = [0.0, -GRAVITY, 0.0];
    Ok(Simulation::build(&Scene { gravity, solver, bodies: vec![body], ..Scene::default() })?)
}

/// Where the mass comes to rest.
fn extension<R: Real>(solver: SolverSettings) -> Result<f64, Failure> {
    // Critical damping, `α = 2 ω`: e⁻³⁰ of the fall is left after three seconds.
    let mut simulation = hanging::<R>(solver, 2.0 * (STIFFNESS / MASS).sqrt())?;
    simulation.advance_to(3.0)?;
    Ok(-simulation.state().u[1].to_f64()[1])
}

/// From the times at which the mass, let go without extension, passes its place of rest upwards.
fn frequency<R: Real>(solver: SolverSettings) -> Result<f64, Failure> {
    let mut simulation = hanging::<R>(solver, 0.0)?;
    let rest = -MASS * GRAVITY / STIFFNESS;
    let mut upward = Vec::new();
    let mut before = 0.0 - rest;
    for _ in 0..(3.0 / STEP) as usize {
        simulation.step(STEP)?;
        let now = simulation.state().u[1].to_f64()[1] - rest;
        if before < 0.0 && now >= 0.0 {
            upward.push(simulation.time() - STEP * now / (now - before));
        }
        before = now;
    }
    match upward[..] {
        [first, .., last] => Ok((upward.len() - 1) as f64 / (last - first)),
        _ => Err("the mass does not swing".into()),
    }
}
