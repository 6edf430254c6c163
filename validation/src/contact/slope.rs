//! A block on a slope: it slides with `g (sin θ − μ cos θ)` where that is positive, and sticks where it is not.

use super::ground::{G, PENETRATION, SPACING, Setup, WAYS};
use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::math::Real;
use phyxel::scene::{Integrator, Method};
use std::time::Instant;

/// Slope, its name, and coefficients of friction.
fn slopes() -> [(f64, &'static str, &'static [f64]); 4] {
    [
        (20f64.to_radians(), "20°", &[0.0, 0.2, 0.4, 0.6]),
        (30f64.to_radians(), "30°", &[0.0, 0.3, 0.5, 0.6]),
        (45f64.to_radians(), "45°", &[0.0, 0.3, 0.6]),
        (0.5f64.atan(), "tan 1/2", &[0.49, 0.51]),
    ]
}

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        for (angle, name, frictions) in slopes() {
            for &friction in frictions {
                let setup = Setup { angle, friction, ..Setup::new(method, integrator) };
                rows.extend(judge::<R>(bench, &setup, (method, integrator), name));
            }
        }
    }
    rows
}

fn judge<R: Real>(bench: &Bench, setup: &Setup, (method, integrator): (Method, Integrator), name: &str) -> Vec<Row> {
    let started = Instant::now();
    let setting = format!("{name}, mu {}, {}", setup.friction, integrator.name());
    let about = About { method: method.name(), setting: &setting, quantity: "", started };
    let deepest = ("penetration / spacing", Expected::absolute(0.0, PENETRATION));
    let acceleration = G * (setup.angle.sin() - setup.friction * setup.angle.cos());
    if acceleration > 0.0 {
        let expected = [("acceleration [m/s²]", Expected::relative(acceleration, 0.05)), deepest];
        bench.rows(&about, slide::<R>(setup), expected)
    } else {
        let drift = Expected { single: 1e-3, ..Expected::absolute(0.0, 1e-3) };
        bench.rows(&about, stick::<R>(setup), [("drift in 5 s [m]", drift), deepest])
    }
}

/// Acceleration after the block has settled on the plane, and how deep it lies in it.
fn slide<R: Real>(setup: &Setup) -> Result<[f64; 2], Failure> {
    let (begin, end) = (0.25, 1.25);
    let mut ground = setup.build::<R>()?;
    ground.simulation.advance_to(begin)?;
    let before = ground.speed();
    ground.simulation.advance_to(end)?;
    Ok([(ground.speed() - before) / (end - begin), depth(ground.lowest())])
}

/// How far the lowest face has moved after five seconds, and how deep it lies in the plane.
fn stick<R: Real>(setup: &Setup) -> Result<[f64; 2], Failure> {
    let mut ground = setup.build::<R>()?;
    let before = ground.place();
    ground.simulation.advance_to(5.0)?;
    Ok([ground.place() - before, depth(ground.lowest())])
}

fn depth(lowest: f64) -> f64 {
    (-lowest).max(0.0) / SPACING
}
