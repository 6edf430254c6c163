//! The engine's bound on explicit steps against `2/ω_max` of the same block.

use super::bench::{About, Bench, Expected, Failure};
use crate::Row;
use phyxel::math::Real;
use phyxel::scene::{Body, Method, Scene, Support};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::{Material, Simulation};
use std::time::Instant;

const CELLS: [usize; 3] = [5; 3];
const MAX: [f64; 3] = [0.5; 3];

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let cases = [(Method::Tet, "6-tet", 1.825e-3), (Method::Tet, "5-tet", 1.532e-3), (Method::Mls, "h = 1.75 dx", 2.849e-3)];
    let rows = cases.into_iter().map(|(method, setting, truth)| {
        let started = Instant::now();
        let value = bound::<R>(setting).map(|bound| bound / truth);
        let about = About { method: method.name(), setting, quantity: "bound / true limit", started };
        // Between a half and one.
        bench.row(&about, value, Expected::absolute(0.75, 0.25))
    });
    rows.collect()
}

fn bound<R: Real>(setting: &str) -> Result<f64, Failure> {
    let material = Material { young_modulus: 1e6, poisson_ratio: 0.3, density: 1000.0, ..Material::default() };
    let body = match setting {
        "6-tet" | "5-tet" => {
            let split = if setting == "6-tet" { CubeSplit::Six } else { CubeSplit::Five };
            Body::new("block", Geometry::Tets(box_tets(CELLS, [0.0; 3], MAX, split)?), Method::Tet, material)
        }
        _ => {
            let points = Geometry::Points(box_points(CELLS, [0.0; 3], MAX)?);
            let mut body = Body::new("block", points, Method::Mls, material);
            body.mls.support = Support::Spacings(1.75);
            body
        }
    };
    let scene = Scene { bodies: vec![body], ..Scene::default() };
    Ok(Simulation::<R>::build(&scene)?.stable_step())
}
