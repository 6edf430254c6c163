//! `x'' = −(2π)² x`: what each integrator does to a spring of one second's period.

use super::bench::{About, Bench, Expected, Failure, accurate, mass_on_spring};
use crate::Row;
use phyxel::Simulation;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Integrator, Scene, SolverSettings};
use std::f64::consts::TAU;
use std::time::Instant;

/// Time that is simulated [s].
const END: f64 = 10.0;
/// First displacement [m]. The law of a spring of 1 m is linear along it, as long as it does not turn inside out: not even
/// where explicit Euler makes the swing seven times larger.
const AMPLITUDE: f64 = 0.1;

/// Integrators of the equation of motion; quasi-static steps know no motion and PBD no stiffness.
fn applies(integrator: Integrator) -> bool {
    !matches!(integrator, Integrator::QuasiStatic | Integrator::Pbd)
}

fn oscillator<R: Real>(integrator: Integrator, step: f64) -> Result<Simulation<R>, Failure> {
    let body = mass_on_spring(1.0, TAU * TAU, 1.0, [1.0, 0.0, 0.0]);
    // One part per step: XPBD is implicit Euler then.
    let solver = SolverSettings { substeps: 1, ..accurate(integrator, step) };
    let scene = Scene { gravity: [0.0; 3], duration: END, solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    simulation.state_mut().u[1] = Vec3::of([AMPLITUDE, 0.0, 0.0]);
    Ok(simulation)
}

/// Energy after ten periods over the energy at the start, in steps of a hundredth.
pub fn energy_rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let rows = Integrator::ALL.into_iter().filter(|&i| applies(i)).map(|integrator| {
        let started = Instant::now();
        let value = energy_ratio::<R>(integrator);
        let about = About { method: integrator.name(), setting: "h = 1/100 s", quantity: "E(10 s)/E(0)", started };
        bench.row(&about, value, Expected::relative(expected_ratio(integrator), 1e-3))
    });
    rows.collect()
}

fn energy_ratio<R: Real>(integrator: Integrator) -> Result<f64, Failure> {
    let mut simulation = oscillator::<R>(integrator, 0.01)?;
    let energy = |s: &Simulation<R>| s.energy().kinetic_j + s.energy().elastic_j;
    let start = energy(&simulation);
    simulation.advance_to(END)?;
    Ok(energy(&simulation) / start)
}

/// `|R(i z)|^(2 n)` of the method's stability function with `z = ω h`; symplectic methods keep a neighbouring energy.
fn expected_ratio(integrator: Integrator) -> f64 {
    let (z, n) = (TAU * 0.01, 1000);
    match integrator {
        Integrator::ExplicitEuler => 51.42,
        Integrator::ImplicitEuler | Integrator::Xpbd => 0.019447,
        // Started by one step of implicit Euler.
        Integrator::Bdf2 => 0.98650,
        Integrator::Rk2 => (1.0 + z.powi(4) / 4.0).powi(n),
        Integrator::Rk4 => (1.0 - z.powi(6) / 72.0 + z.powi(8) / 576.0).powi(n),
        _ => 1.0,
    }
}

/// How the largest error falls when the step is halved.
pub fn order_rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let rows = Integrator::ALL.into_iter().filter(|&i| applies(i)).map(|integrator| {
        let started = Instant::now();
        let (order, parts) = expected_order(integrator);
        let coarse = worst_error::<R>(integrator, parts);
        let fine = worst_error::<R>(integrator, 2 * parts);
        let value = coarse.and_then(|coarse| Ok((coarse / fine?).log2()));
        let setting = format!("h = 1/{parts} and 1/{} s", 2 * parts);
        let about = About { method: integrator.name(), setting: &setting, quantity: "order", started };
        bench.row(&about, value, Expected::absolute(order, 0.1))
    });
    rows.collect()
}

/// The order, and steps per second that are fine enough to see it and coarse enough for single precision.
fn expected_order(integrator: Integrator) -> (f64, usize) {
    match integrator {
        Integrator::ExplicitEuler => (1.0, 4000),
        Integrator::ImplicitEuler => (1.0, 2000),
        // Its velocities are differences of positions over the step: in single precision finer steps drown in rounding.
        Integrator::Xpbd => (1.0, 1500),
        Integrator::SymplecticEuler => (1.0, 1000),
        Integrator::Rk4 => (4.0, 25),
        _ => (2.0, 100),
    }
}

/// The largest distance from the exact solution in the plane of position and velocity over `ω`, over the last period: at
/// its end alone, symplectic Euler would look better than it is.
fn worst_error<R: Real>(integrator: Integrator, steps_per_second: usize) -> Result<f64, Failure> {
    let h = 1.0 / steps_per_second as f64;
    let mut simulation = oscillator::<R>(integrator, h)?;
    let total = steps_per_second * END as usize;
    let mut worst = 0.0f64;
    for step in 1..=total {
        simulation.step(h)?;
        if step + steps_per_second > total {
            worst = worst.max(error(&simulation, TAU * step as f64 * h));
        }
    }
    Ok(worst)
}

fn error<R: Real>(simulation: &Simulation<R>, phase: f64) -> f64 {
    let (u, v) = (simulation.state().u[1].to_f64()[0], simulation.state().v[1].to_f64()[0]);
    (u - AMPLITUDE * phase.cos()).hypot(v / TAU + AMPLITUDE * phase.sin())
}
