//! A lattice of springs behaves as a solid with `E = 2.5 k/a` and Poisson's ratio ¼.

use super::bench::{About, Bench, Expected, Failure, accurate, mean_over, nodes_at};
use crate::Row;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Pin, Region, Scene};
use phyxel::shape::{Geometry, springs};
use phyxel::{Material, Simulation};
use std::time::Instant;

/// Edge length of a cell [m], and stiffness of the springs inside [N/m].
const EDGE: f64 = 0.1;
const STIFFNESS: f64 = 1000.0;
const CELLS: [usize; 3] = [8, 4, 4];
const STRAIN: f64 = 1e-3;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let started = Instant::now();
    let values = moduli::<R>();
    let about = About { method: Method::Spring.name(), setting: "8x4x4 cells, quasi-static", quantity: "", started };
    let expected = [
        ("Young's modulus [Pa]", Expected::relative(2.5 * STIFFNESS / EDGE, 0.01)),
        ("Poisson's ratio", Expected::relative(0.25, 0.01)),
    ];
    bench.rows(&about, values, expected)
}

/// Pulls the lattice between two lubricated plates.
fn moduli<R: Real>() -> Result<[f64; 2], Failure> {
    let material = Material { young_modulus: 2.5 * STIFFNESS / EDGE, ..Material::default() };
    let size = CELLS.map(|c| c as f64 * EDGE);
    let net = springs::lattice(CELLS, [0.0; 3], size, &material)?;
    if !net.springs.iter().any(|s| (s.stiffness / STIFFNESS - 1.0).abs() < 1e-12) {
        return Err("the springs inside do not have the stiffness that was asked for".into());
    }
    let pins = supports(&net.points, size[0]);
    let mut body = Body::new("lattice", Geometry::Springs(net), Method::Spring, material);
    body.pins = pins;
    let solver = accurate(Integrator::QuasiStatic, 1.0);
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    simulation.step(1.0)?;
    let pulled = nodes_at(&simulation, 0, size[0]);
    let forces = simulation.forces();
    let force: f64 = pulled.iter().map(|&n| -forces[n].to_f64()[0]).sum();
    let side = nodes_at(&simulation, 1, size[1]);
    let lateral = mean_over(&side, |n| simulation.state().u[n].0[1]) / size[1];
    Ok([force / (size[1] * size[2]) / STRAIN, -lateral / STRAIN])
}

/// Rollers on the three planes through the origin, and a plate at `length` that moves by the wanted strain; nodes on
/// several of them have all their directions held by one pin.
fn supports(points: &[[f64; 3]], length: f64) -> Vec<Pin> {
    let mut pins = Vec::new();
    for mask in 1..16u8 {
        let holds = |p: &[f64; 3]| {
            let on = |axis: usize| (p[axis].abs() < 1e-9) as u8;
            on(0) | on(1) << 1 | on(2) << 2 | (((p[0] - length).abs() < 1e-9) as u8) << 3 == mask
        };
        let nodes: Vec<u32> = (0..points.len() as u32).filter(|&n| holds(&points[n as usize])).collect();
        if nodes.is_empty() {
            continue;
        }
        let moves = mask & 8 != 0;
        let mut pin = Pin::hold(Region::Nodes(nodes));
        pin.axes = [mask & 1 != 0 || moves, mask & 2 != 0, mask & 4 != 0];
        pin.velocity = if moves { [STRAIN * length, 0.0, 0.0] } else { [0.0; 3] };
        pins.push(pin);
    }
    pins
}
