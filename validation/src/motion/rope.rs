//! A rope of 1.2 m between two nails 1 m apart hangs in a catenary.

use super::bench::{About, Bench, Expected, Failure, accurate};
use crate::Row;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::{Geometry, springs};
use phyxel::{Material, Simulation};
use std::time::Instant;

const SPAN: f64 = 1.0;
const LENGTH: f64 = 1.2;
const LINKS: usize = 48;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    // Stiff enough to stretch by less than 1e-4 under its weight.
    let implicit = SolverSettings { newton_iterations: 5, ..accurate(Integrator::ImplicitEuler, 0.01) };
    let xpbd = SolverSettings { iterations: 20, substeps: 20, ..accurate(Integrator::Xpbd, 0.01) };
    let rows = [implicit, xpbd].into_iter().map(|solver| {
        let started = Instant::now();
        let setting = format!("{LINKS} links");
        let about = About { method: solver.integrator.name(), setting: &setting, quantity: "sag [m]", started };
        bench.row(&about, sag::<R>(solver), Expected::relative(catenary_sag(), 0.01))
    });
    rows.collect()
}

/// `2 a sinh(span/2a) = length` solved for `a` by bisection; the sag is `a (cosh(span/2a) − 1)`.
fn catenary_sag() -> f64 {
    let (mut low, mut high) = (0.05, 50.0);
    for _ in 0..100 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (0.5 * SPAN / a).sinh() > LENGTH { low = a } else { high = a }
    }
    low * ((0.5 * SPAN / low).cosh() - 1.0)
}

fn sag<R: Real>(solver: SolverSettings) -> Result<f64, Failure> {
    let material = Material { young_modulus: 1e8, density: 1000.0, rayleigh_mass: 4.0, ..Material::default() };
    let mut net = springs::rope(LINKS, LENGTH, 0.005, &material)?;
    // It starts as a V whose links have their rest length.
    let slope = (LENGTH * LENGTH - SPAN * SPAN).sqrt() / SPAN;
    for p in &mut net.points {
        let x = p[0] * SPAN / LENGTH;
        *p = [x, slope * (x.abs() - 0.5 * SPAN), 0.0];
    }
    let mut body = Body::new("rope", Geometry::Springs(net), Method::Spring, material);
    body.pins.push(Pin::hold(Region::Nodes(vec![0, LINKS as u32])));
    let scene = Scene { solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    simulation.advance_to(5.0)?;
    Ok(-simulation.position(LINKS / 2)[1])
}
