//! A block that slides on a flat floor stops after `v²/(2 μ g)`.

use super::ground::{G, PENETRATION, SPACING, Setup, WAYS};
use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::math::Real;
use std::time::Instant;

const SPEED: f64 = 2.0;
const FRICTION: f64 = 0.4;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        let started = Instant::now();
        let setup = Setup { friction: FRICTION, speed: SPEED, step: 1.0 / 240.0, ..Setup::new(method, integrator) };
        let values = way::<R>(&setup);
        let setting = format!("4x2x4 cells, {}", integrator.name());
        let about = About { method: method.name(), setting: &setting, quantity: "", started };
        let expected = [
            ("way [m]", Expected::relative(SPEED * SPEED / (2.0 * FRICTION * G), 0.03)),
            ("speed at the end [m/s]", Expected::absolute(0.0, 1e-3)),
            ("penetration / spacing", Expected::absolute(0.0, PENETRATION)),
        ];
        rows.extend(bench.rows(&about, values, expected));
    }
    rows
}

/// How far it slides in a second, twice the time that it needs; its speed and depth then.
fn way<R: Real>(setup: &Setup) -> Result<[f64; 3], Failure> {
    let mut ground = setup.build::<R>()?;
    let before = ground.place();
    ground.simulation.advance_to(1.0)?;
    Ok([ground.place() - before, ground.speed(), (-ground.lowest()).max(0.0) / SPACING])
}
