//! Ten cubes on top of each other: the column is shorter by `ρ g H² / (2 E)`, and the floor carries its weight.

use super::ground::{G, PENETRATION, WAYS};
use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure, block};
use phyxel::math::Real;
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, Method, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::time::Instant;

const CUBES: usize = 10;
const EDGE: f64 = 0.1;
const CELLS: usize = 2;
const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;
/// Such a column is taller than what its own weight buckles, (7.84 E I / ρ g A)^⅓ = 0.87 m: it sways twofold in 0.3 s from
/// whatever is not quite even, and falls over. In a medium with this drag [1/s] that takes minutes, and a column at rest
/// falls asleep before.
const DRAG: f64 = 100.0;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let height = CUBES as f64 * EDGE;
    let shortening = DENSITY * G * height * height / (2.0 * YOUNG);
    let weight = DENSITY * G * height * EDGE * EDGE;
    let mut rows = Vec::new();
    for (method, integrator) in WAYS {
        let started = Instant::now();
        let values = stand::<R>(method, integrator);
        let setting = format!("20 s, 2x2x2 cells each, {}", integrator.name());
        let about = About { method: method.name(), setting: &setting, quantity: "", started };
        let expected = [
            ("shortening [m]", Expected::relative(shortening, 0.03)),
            ("base force [N]", Expected::relative(weight, 0.03)),
            ("sideways [m]", Expected::absolute(0.0, 1e-3)),
            ("penetration / spacing", Expected::absolute(0.0, PENETRATION)),
            ("widest gap / spacing", Expected::absolute(0.0, PENETRATION)),
        ];
        rows.extend(bench.rows(&about, values, expected));
    }
    rows
}

/// How much shorter the cubes are together, what they press on the floor with, how far the topmost has moved sideways,
/// how deep they are in each other or in the floor, and how far they are kept apart.
fn stand<R: Real>(method: Method, integrator: Integrator) -> Result<[f64; 5], Failure> {
    let mut simulation = Simulation::<R>::build(&column(method, integrator)?)?;
    simulation.advance_to(20.0)?;
    let faces: Vec<[f64; 2]> = (0..CUBES).map(|b| [0.0, EDGE].map(|y| level(&simulation, b, y))).collect();
    let shortening: f64 = faces.iter().map(|[low, high]| EDGE - (high - low)).sum();
    let forces = simulation.forces();
    let base = nodes(&simulation, 0, 0.0);
    let pressed: f64 = base.iter().map(|&n| -forces[n].0[1].to_f64()).sum();
    let top = nodes(&simulation, CUBES - 1, EDGE);
    let aside = |n: usize| simulation.state().u[n].0[0].to_f64().hypot(simulation.state().u[n].0[2].to_f64());
    let sideways = top.iter().map(|&n| aside(n)).fold(0.0, f64::max);
    let mut gaps = vec![base.iter().map(|&n| simulation.position(n)[1]).fold(f64::INFINITY, f64::min)];
    gaps.extend(faces.windows(2).map(|pair| pair[1][0] - pair[0][1]));
    let spacing = EDGE / CELLS as f64;
    let deepest = gaps.iter().map(|g| -g).fold(0.0, f64::max);
    let widest = gaps.iter().copied().fold(0.0, f64::max);
    Ok([shortening, pressed, sideways, deepest / spacing, widest / spacing])
}

fn column(method: Method, integrator: Integrator) -> Result<Scene, Failure> {
    let material = Material {
        young_modulus: YOUNG,
        poisson_ratio: 0.0,
        density: DENSITY,
        rayleigh_stiffness: 1e-3,
        rayleigh_mass: DRAG,
        ..Material::default()
    };
    let mut bodies = Vec::new();
    for k in 0..CUBES {
        let low = [0.0, k as f64 * EDGE, 0.0];
        let geometry = block(method, [CELLS; 3], low, low.map(|c| c + EDGE))?;
        bodies.push(Body::new(format!("cube {k}"), geometry, method, material.clone()));
    }
    let floor = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    // For XPBD: waves cross a cell in 1.6 ms, and what the lowest cubes carry must come down through all others.
    let (substeps, iterations) = (10, 30);
    // Sweeps leave a trembling that never calms down below a few tenths of a millimetre per second.
    let sleep_speed = 1e-3;
    let solver =
        SolverSettings { integrator, step: 1.0 / 60.0, substeps, iterations, sleep_speed, ..SolverSettings::default() };
    let gravity = [0.0, -G, 0.0];
    Ok(Scene { gravity, bodies, colliders: vec![Collider::new(floor)], solver, ..Scene::default() })
}

/// Nodes of a cube that were `y` above its lowest face.
fn nodes<R: Real>(simulation: &Simulation<R>, cube: usize, y: f64) -> Vec<usize> {
    let (model, height) = (simulation.model(), cube as f64 * EDGE + y);
    model.bodies[cube].nodes.clone().filter(|&n| (model.rest[n].0[1].to_f64() - height).abs() < 1e-5).collect()
}

/// Their mean height [m].
fn level<R: Real>(simulation: &Simulation<R>, cube: usize, y: f64) -> f64 {
    let nodes = nodes(simulation, cube, y);
    nodes.iter().map(|&n| simulation.position(n)[1]).sum::<f64>() / nodes.len() as f64
}
