//! A bar drawn to three times its length.

use crate::elasticity::rig::{Rig, Vector, judged, near, pins, points_of, statics};
use crate::elasticity::specimen::{block, cells_name};
use crate::{Options, Row};
use phyxel::Material;
use phyxel::material::Plasticity;
use phyxel::math::Mat3;
use phyxel::scene::{Body, Method};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const CELLS: [usize; 3] = [3, 3, 9];

/// Its volume stays, because plastic flow keeps it and elastic strain is small.
pub fn stretch(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls] {
        let started = Instant::now();
        let (volume, plastic) = drawn(method, options);
        let row = || Row::of("stretch", method.name(), cells_name(method, CELLS), started);
        rows.push(judged(row().quantity("volume over that at rest", volume, 1.0), 0.01, options));
        rows.push(row().quantity("length over that at rest", plastic, 3.0).shown());
    }
    rows
}

/// Volume and length of the drawn bar.
fn drawn(method: Method, options: &Options) -> (f64, f64) {
    let plastic = Plasticity::Stress { yield_stress: 1e4, hardening: 2e4, relaxation_time: 0.0 };
    let material = Material { young_modulus: 1e7, poisson_ratio: 0.4, plastic: Some(plastic), ..Material::default() };
    let mut body = Body::new("bar", block(method, CELLS, [0.0; 3], [1.0, 1.0, 3.0], CubeSplit::Five), method, material);
    let rule = |p: Vector| {
        let end = near(p[2], 3.0);
        let held = [near(p[0], 0.0), near(p[1], 0.0), near(p[2], 0.0) || end];
        let velocity = if end { [0.0, 0.0, 6.0] } else { [0.0; 3] };
        held.contains(&true).then_some((held, velocity))
    };
    body.pins = pins(points_of(&body.geometry), rule);
    let volumes = rest_volumes(&body);
    let mut scene = statics(body, options);
    scene.solver.newton_tolerance = 1e-4;
    scene.solver.tolerance = 1e-6;
    let mut rig = Rig::build(&scene, options);
    rig.settle(60);
    let now: f64 = rig.stresses().iter().zip(&volumes).map(|((f, _), v)| Mat3(*f).det() * v).sum();
    let ends = rig.mean_displacement(|p| near(p[2], 3.0))[2];
    (now / volumes.iter().sum::<f64>(), 1.0 + ends / 3.0)
}

fn rest_volumes(body: &Body) -> Vec<f64> {
    let scene = phyxel::Scene { bodies: vec![body.clone()], ..phyxel::Scene::default() };
    let simulation = phyxel::Simulation::<f64>::build(&scene).expect("the cases are well-formed scenes");
    simulation.model().blocks[0].volumes().to_vec()
}
