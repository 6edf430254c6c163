//! A cube dropped from a metre: `t = √(2 h / g)`, `v = √(2 g h)`.

use super::ground::{G, Setup, WAYS};
use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::math::Real;
use std::time::Instant;

const HEIGHT: f64 = 1.0;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        let started = Instant::now();
        // Implicit Euler falls behind by half a step, so steps are short.
        let setup = Setup { size: [0.1; 3], height: HEIGHT, step: 1e-3, substeps: 1, ..Setup::new(method, integrator) };
        let values = landing::<R>(&setup);
        let setting = format!("2x2x2 cells, {}", integrator.name());
        let about = About { method: method.name(), setting: &setting, quantity: "", started };
        let expected = [
            ("time [s]", Expected::relative((2.0 * HEIGHT / G).sqrt(), 0.01)),
            ("speed [m/s]", Expected::relative((2.0 * G * HEIGHT).sqrt(), 0.01)),
        ];
        rows.extend(bench.rows(&about, values, expected));
    }
    rows
}

/// When the first node touches the floor, and the speed of the cube then.
fn landing<R: Real>(setup: &Setup) -> Result<[f64; 2], Failure> {
    let mut ground = setup.build::<R>()?;
    for _ in 0..(1.0 / setup.step) as usize {
        let (time, height) = (ground.simulation.time(), ground.lowest());
        let before = -ground.simulation.momentum()[1] / ground.simulation.bodies()[0].mass_kg;
        if ground.simulation.step(setup.step)?.contacts > 0 {
            // Within the step, at the speed with which it came.
            return Ok([time + height / before, before + height / before * G]);
        }
    }
    Err("it never lands".into())
}
