//! Taylor's test: a copper rod hits a rigid wall.

use crate::elasticity::rig::judged;
use crate::{Options, Row};
use phyxel::material::{LawKind, Plasticity};
use phyxel::math::Real;
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, Method, Scene, SolverSettings};
use phyxel::shape::structured::cylinder_tets;
use phyxel::shape::{Geometry, Placement, Resolution, Shape, ShapeError};
use phyxel::{Material, Precision, Simulation};
use std::time::Instant;

const LENGTH: f64 = 32.4e-3;
const RADIUS: f64 = 3.2e-3;
const SPEED: f64 = 227.0;
/// By then the rod has come to rest [s].
const END: f64 = 80e-6;

/// What is left of the rod.
struct Mushroom {
    length: f64,
    radius: f64,
    plastic_strain: f64,
    elements: usize,
}

/// Length, radius of the foot and plastic strain at its centre.
pub fn taylor(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls] {
        let started = Instant::now();
        let found = match options.precision {
            Precision::F32 => impact::<f32>(method),
            Precision::F64 => impact::<f64>(method),
        };
        let Mushroom { length, radius, plastic_strain, elements } =
            found.unwrap_or(Mushroom { length: f64::NAN, radius: f64::NAN, plastic_strain: f64::NAN, elements: 0 });
        let row = || Row::of("taylor", method.name(), format!("{elements} elements, leap-frog"), started);
        rows.push(judged(row().quantity("length [m]", length, 21.43e-3), 0.03, options));
        let foot = row().quantity("radius of the foot [m]", radius, 7.2e-3);
        // Linear tetrahedra lock in flow that keeps the volume, and edges cure only a part of it.
        let locks = matches!(method, Method::Tet | Method::Edge);
        rows.push(if locks { foot.shown() } else { judged(foot, 0.15, options) });
        rows.push(row().quantity("plastic strain at the centre", plastic_strain, 3.3).shown());
    }
    rows
}

fn impact<R: Real>(method: Method) -> Result<Mushroom, Box<dyn std::error::Error>> {
    let plastic = Plasticity::Stress { yield_stress: 400e6, hardening: 100e6, relaxation_time: 0.0 };
    let copper = Material {
        law: LawKind::Corotated,
        young_modulus: 117e9,
        poisson_ratio: 0.35,
        density: 8930.0,
        plastic: Some(plastic),
        ..Material::default()
    };
    let mut body = Body::new("rod", rod(method, &copper)?, method, copper);
    body.velocity = [0.0, -SPEED, 0.0];
    let wall = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    let solver = SolverSettings { integrator: Integrator::LeapFrog, step: 1e-6, ..SolverSettings::default() };
    let colliders = vec![Collider { friction: 0.0, ..Collider::new(wall) }];
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], colliders, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    simulation.advance_to(END)?;
    Ok(measure(&simulation))
}

/// The rod on the wall: rings of tetrahedra, or phyxels on a lattice, half a spacing inside its surface.
fn rod(method: Method, copper: &Material) -> Result<Geometry, ShapeError> {
    if method == Method::Mls {
        let spacing = RADIUS / 5.0;
        let shape = Shape::Cylinder { radius: RADIUS, height: LENGTH };
        let on_the_wall = Placement::at([0.0, 0.5 * (LENGTH + spacing), 0.0]);
        return shape.discretise(method, &Resolution::Size(spacing), &on_the_wall, copper);
    }
    let mut mesh = cylinder_tets(RADIUS, LENGTH, 4, 36)?;
    mesh.points.iter_mut().for_each(|p| p[1] += 0.5 * LENGTH);
    Ok(Geometry::Tets(mesh))
}

fn measure<R: Real>(simulation: &Simulation<R>) -> Mushroom {
    let nodes = simulation.model().node_count();
    let places: Vec<[f64; 3]> = (0..nodes).map(|n| simulation.position(n)).collect();
    let length = places.iter().map(|p| p[1]).fold(0.0, f64::max);
    let radius = places.iter().map(|p| p[0].hypot(p[2])).fold(0.0, f64::max);
    // The element whose first node was nearest to the centre of the foot.
    let model = simulation.model();
    let grains = &simulation.state().grains[0];
    let distance = |e: usize| {
        model.blocks[0].with_entries(e, |nodes, _| {
            nodes.iter().map(|&n| model.rest[n as usize].norm().to_f64()).sum::<f64>() / nodes.len() as f64
        })
    };
    let nearest = (0..grains.len()).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    let plastic_strain = nearest.map_or(f64::NAN, |e| grains[e].plastic_strain.to_f64());
    Mushroom { length, radius, plastic_strain, elements: grains.len() }
}
