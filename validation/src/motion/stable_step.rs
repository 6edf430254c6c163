//! The engine's bound on explicit steps against `2/ω_max` of the same block.

use super::bench::{About, Bench, Expected, Failure};
use crate::Row;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Body, Method, Scene, Support};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::{Material, Simulation};
use std::time::Instant;

const CELLS: [usize; 3] = [5; 3];
const MAX: [f64; 3] = [0.5; 3];

/// How the block is cut.
#[derive(Clone, Copy)]
enum Cut {
    Tets(CubeSplit, Method),
    Phyxels,
}

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let cases = [
        (Cut::Tets(CubeSplit::Six, Method::Tet), "6-tet", Some(1.825e-3)),
        (Cut::Tets(CubeSplit::Five, Method::Tet), "5-tet", Some(1.532e-3)),
        (Cut::Tets(CubeSplit::Five, Method::Edge), "5-tet, limit measured", None),
        (Cut::Phyxels, "h = 1.75 dx", Some(2.849e-3)),
        (Cut::Phyxels, "h = 1.75 dx, limit measured", None),
    ];
    let rows = cases.into_iter().map(|(cut, setting, published)| {
        let started = Instant::now();
        let method = match cut {
            Cut::Tets(_, method) => method.name(),
            Cut::Phyxels => Method::Mls.name(),
        };
        let value = share_of_limit::<R>(cut, published);
        let about = About { method, setting, quantity: "bound / true limit", started };
        // Between a half and one.
        bench.row(&about, value, Expected::absolute(0.75, 0.25))
    });
    rows.collect()
}

fn share_of_limit<R: Real>(cut: Cut, published: Option<f64>) -> Result<f64, Failure> {
    let material = Material { young_modulus: 1e6, poisson_ratio: 0.3, density: 1000.0, ..Material::default() };
    let body = match cut {
        Cut::Tets(split, method) => {
            Body::new("block", Geometry::Tets(box_tets(CELLS, [0.0; 3], MAX, split)?), method, material)
        }
        Cut::Phyxels => {
            let points = Geometry::Points(box_points(CELLS, [0.0; 3], MAX)?);
            let mut body = Body::new("block", points, Method::Mls, material);
            body.mls.support = Support::Spacings(1.75);
            body
        }
    };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], ..Scene::default() };
    let bound = Simulation::<R>::build(&scene)?.stable_step();
    let truth = published.map_or_else(|| measured_limit(&scene), Ok)?;
    Ok(bound / truth)
}

/// `2/ω_max` by power iteration on forces: each round answers displacements with the accelerations that they cause.
fn measured_limit(scene: &Scene) -> Result<f64, Failure> {
    let mut simulation = Simulation::<f64>::build(scene)?;
    let masses = simulation.model().masses.clone();
    for (n, u) in simulation.state_mut().u.iter_mut().enumerate() {
        let n = n as f64;
        *u = Vec3([(1.3 * n).sin(), (2.9 * n).sin(), (4.1 * n).sin()]);
    }
    let mut omega_squared = 0.0;
    for _ in 0..1500 {
        // So small that the block answers linearly.
        let norm = simulation.state().u.iter().map(|u| u.norm_squared()).sum::<f64>().sqrt();
        simulation.state_mut().u.iter_mut().for_each(|u| *u = *u * (1e-6 / norm));
        let forces = simulation.forces();
        let state = simulation.state_mut();
        for (n, force) in forces.into_iter().enumerate() {
            state.u[n] = force * (1.0 / masses[n]);
        }
        omega_squared = state.u.iter().map(|u| u.norm_squared()).sum::<f64>().sqrt() / 1e-6;
    }
    Ok(2.0 / omega_squared.sqrt())
}
