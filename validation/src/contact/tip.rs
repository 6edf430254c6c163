//! A tall box on a slope with much friction tips where its weight leaves its base: `tan θ = width / height`.

use super::ground::{Setup, WAYS};
use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::math::Real;
use std::time::Instant;

const WIDTH: f64 = 0.1;
const HEIGHT: f64 = 0.25;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        let started = Instant::now();
        let size = [WIDTH, HEIGHT, WIDTH];
        // A stiff box, so that it does not bend; sweeps of XPBD must keep up with its waves.
        let base = Setup { substeps: 25, iterations: 3, ..Setup::new(method, integrator) };
        let setup = Setup { size, friction: 2.0, young_modulus: 1e7, held_until: 0.5, ..base };
        let value = steepest::<R>(&setup);
        let setting = format!("2x5x2 cells, {}", integrator.name());
        let about = About { method: method.name(), setting: &setting, quantity: "tips at [°]", started };
        rows.push(bench.row(&about, value, Expected::absolute((WIDTH / HEIGHT).atan().to_degrees(), 1.0)));
    }
    rows
}

/// The middle between the steepest slope on which the box stands and the gentlest on which it tips, an eighth of a degree
/// apart.
fn steepest<R: Real>(setup: &Setup) -> Result<f64, Failure> {
    let (mut stands, mut tips) = (20.0f64, 24.0f64);
    for (angle, falls) in [(stands, false), (tips, true)] {
        if falls_over::<R>(&Setup { angle: angle.to_radians(), ..*setup })? != falls {
            return Err(format!("at {angle}° it {}", if falls { "stands" } else { "tips" }).into());
        }
    }
    while tips - stands > 0.13 {
        let angle = 0.5 * (stands + tips);
        if falls_over::<R>(&Setup { angle: angle.to_radians(), ..*setup })? { tips = angle } else { stands = angle }
    }
    Ok(0.5 * (stands + tips))
}

/// Whether the top leans over within two and a half seconds after its foot is let go; gravity that sets in at once would
/// make the box swing.
fn falls_over<R: Real>(setup: &Setup) -> Result<bool, Failure> {
    let mut ground = setup.build::<R>()?;
    for k in 1..=30 {
        ground.simulation.advance_to(0.1 * k as f64)?;
        // The highest nodes begin within half a width of the middle.
        if ground.lean() > WIDTH {
            return Ok(true);
        }
    }
    Ok(false)
}
