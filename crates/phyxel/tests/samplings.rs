//! Surfaces as bodies: however a solid is filled or covered, it weighs and moves the same.

mod common;

use common::{above_floor, alone};
use phyxel::material::plastic::Inner;
use phyxel::math::Vec3;
use phyxel::scene::{Body, Integrator, Method, Pin, Region, Scene};
use phyxel::shape::{
    Geometry, Placement, Resolution, Sampling, SamplingSettings, Shape, Solid, TriMesh, cover, quality,
};
use phyxel::stencil::block::BlockScratch;
use phyxel::{Material, Simulation};
use std::path::{Path, PathBuf};

const RADIUS: f64 = 0.1;

/// A ball of fine triangles, from the outside of a fine ball of tetrahedra.
fn ball() -> Solid {
    let shape = Shape::Sphere { radius: RADIUS };
    let fine = shape.discretise(Method::Tet, &Resolution::Size(0.01), &Placement::default(), &Material::default());
    let Ok(Geometry::Tets(mesh)) = fine else { panic!("a ball") };
    Solid::new(TriMesh { triangles: quality::boundary_triangles(&mesh.tets), points: mesh.points }).expect("a ball")
}

fn filled(solid: &Solid, kind: Sampling, size: f64) -> Body {
    let settings = SamplingSettings { kind, resolution: Resolution::Size(size), ..SamplingSettings::default() };
    let (sampling, _) = settings.sample(solid).expect("phyxels");
    Body::new("ball", Geometry::Points(sampling), Method::Mls, soft())
}

fn covered(solid: &Solid, method: Method, size: f64) -> Body {
    let embedded = cover(solid, &Resolution::Size(size)).expect("a cover");
    Body::new("ball", Geometry::Embedded(embedded), method, soft())
}

fn soft() -> Material {
    Material { young_modulus: 2e4, poisson_ratio: 0.3, density: 1000.0, rayleigh_mass: 20.0, ..Material::default() }
}

/// Free, without the drag that lets a body come to rest.
fn undamped(mut body: Body) -> Body {
    body.material.rayleigh_mass = 0.0;
    body
}

/// Height of the skin's middle, and of its top and bottom [m].
fn heights(simulation: &Simulation<f64>) -> [f64; 3] {
    let skin = &simulation.frame(0).bodies[0].skin;
    let low = skin.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    let high = skin.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
    [skin.iter().map(|p| p[1]).sum::<f64>() / skin.len() as f64, low, high]
}

#[test]
fn every_filling_and_every_cover_falls_alike() {
    let solid = ball();
    let fillings = Sampling::ALL.map(|kind| filled(&solid, kind, 0.014));
    let covers = [Method::Tet, Method::Edge, Method::Node, Method::Selective].map(|m| covered(&solid, m, 0.04));
    for body in fillings.into_iter().chain(covers) {
        let method = body.method.name();
        let mut scene = Scene { gravity: [0.0, -9.81, 0.0], ..alone(undamped(body), Integrator::ImplicitEuler, 0.01) };
        scene.solver.integrator = Integrator::LeapFrog;
        let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
        let mass = simulation.bodies()[0].mass_kg;
        assert!((mass / (1000.0 * solid.volume()) - 1.0).abs() < 1e-3, "{method}: {mass} kg");
        let before = heights(&simulation);
        simulation.advance_to(0.3).expect("a fall");
        let after = heights(&simulation);
        for k in 0..3 {
            let fallen = before[k] - after[k];
            assert!((fallen / (0.5 * 9.81 * 0.09) - 1.0).abs() < 1e-4, "{method}: {fallen} m");
        }
        assert!((simulation.momentum()[1] / mass + 9.81 * 0.3).abs() < 1e-6);
    }
}

/// How much lower a ball lies when it rests on the floor, from the top of its skin to the floor [m].
fn squash(mut body: Body) -> f64 {
    let lowest = body.geometry.points().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    body.geometry.place(&Placement::at([0.0, -lowest, 0.0]));
    let scene = above_floor(body, Integrator::ImplicitEuler, 0.02, 0.3);
    let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
    let before = heights(&simulation);
    simulation.advance_to(0.8).expect("rest");
    let after = heights(&simulation);
    simulation.advance_to(0.9).expect("rest");
    assert!((heights(&simulation)[2] - after[2]).abs() < 1e-4 * RADIUS, "still moving");
    before[2] - after[2]
}

#[test]
fn octrees_and_equal_phyxels_are_squashed_alike() {
    let solid = ball();
    let equal = squash(filled(&solid, Sampling::Voxels, 0.0125));
    let octree = squash(filled(&solid, Sampling::Octree, 0.0125));
    println!("squash: equal {equal}, octree {octree}, ratio {}", octree / equal);
    assert!(equal > 0.02 * RADIUS, "hardly squashed: {equal}");
    assert!((octree / equal - 1.0).abs() < 0.05, "{octree} for {equal}");
}

#[test]
fn an_embedded_surface_follows_every_affine_motion() {
    let solid = ball();
    let body = covered(&solid, Method::Edge, 0.05);
    let skin = solid.mesh().points.clone();
    let mut simulation = Simulation::<f64>::build(&alone(body, Integrator::ImplicitEuler, 0.01)).expect("sound");
    let f = [[1.2, 0.3, -0.1], [0.0, 0.8, 0.2], [-0.4, 0.1, 1.5]];
    let moved = |p: &[f64; 3]| -> [f64; 3] {
        std::array::from_fn(|a| f[a][0] * p[0] + f[a][1] * p[1] + f[a][2] * p[2] + 0.3 * (a as f64 + 1.0))
    };
    let rest: Vec<[f64; 3]> = simulation.frame(0).bodies[0].positions.clone();
    for (u, x) in simulation.state_mut().u.iter_mut().zip(&rest) {
        let to = moved(x);
        u.0 = std::array::from_fn(|a| to[a] - x[a]);
    }
    let frame = simulation.frame(1);
    assert_eq!(frame.bodies[0].skin.len(), skin.len());
    for (vertex, p) in frame.bodies[0].skin.iter().zip(&skin) {
        let expected = moved(p);
        assert!((0..3).all(|a| (vertex[a] - expected[a]).abs() < 1e-12), "{vertex:?} for {expected:?}");
    }
}

/// A covered beam bends like one that is filled to its faces, although its cover reaches beyond them.
#[test]
fn a_cover_is_as_stiff_as_what_it_covers() {
    // Pulled by its own weight: stretched ρ g L² / 2E at the lower end.
    let (length, side) = (1.0, 0.2);
    let shape = Shape::Box { size: [side, length, side] };
    let block =
        shape.discretise(Method::Tet, &Resolution::Size(0.1), &Placement::at([0.0, 0.003, 0.0]), &Material::default());
    let Ok(Geometry::Tets(mesh)) = block else { panic!("a block") };
    let triangles = quality::boundary_triangles(&mesh.tets);
    let solid = Solid::new(TriMesh { triangles, points: mesh.points }).expect("a block");
    // Cubes of 0.065 fit neither side, so that faces cut through them.
    let mut body = covered(&solid, Method::Edge, 0.065);
    body.material = Material { young_modulus: 1e6, poisson_ratio: 0.0, ..soft() };
    body.pins = vec![Pin::hold(Region::Box { min: [-1.0, 0.45, -1.0], max: [1.0; 3] })];
    let mut scene = Scene { gravity: [0.0, -9.81, 0.0], ..alone(body, Integrator::QuasiStatic, 1.0) };
    (scene.solver.newton_iterations, scene.solver.tolerance) = (20, 1e-8);
    let mut simulation = Simulation::<f64>::build(&scene).expect("sound");
    let before = heights(&simulation);
    simulation.step(1.0).expect("equilibrium");
    let after = heights(&simulation);
    let free: f64 = 0.95;
    let expected = 1000.0 * 9.81 * free * free / 2e6;
    println!("stretch: {} for {expected}", before[1] - after[1]);
    assert!(((before[1] - after[1]) / expected - 1.0).abs() < 0.05, "{} for {expected}", before[1] - after[1]);
}

/// Forces are the slope of the energy on covers and across levels, as they are on meshes and lattices.
#[test]
fn forces_are_the_slope_of_the_energy() {
    let solid = ball();
    let covers = [Method::Tet, Method::Edge, Method::Node, Method::Selective].map(|m| covered(&solid, m, 0.05));
    for body in covers.into_iter().chain([filled(&solid, Sampling::Octree, 0.0125)]) {
        let method = body.method.name();
        let simulation = Simulation::<f64>::build(&alone(body, Integrator::ImplicitEuler, 0.01)).expect("sound");
        let model = simulation.model();
        let mut random = common::Random(17);
        let mut field = |size: f64| -> Vec<Vec3<f64>> {
            (0..model.node_count()).map(|_| Vec3(random.triple().map(|c| size * c))).collect()
        };
        let (u, p) = (field(2e-3), field(1.0));
        let energy = |step: f64| -> f64 {
            let moved: Vec<Vec3<f64>> = u.iter().zip(&p).map(|(u, p)| *u + *p * step).collect();
            model.blocks.iter().map(|b| b.energy(&model.rest, &moved, Inner::none())).sum()
        };
        let mut forces = vec![Vec3::zero(); model.node_count()];
        for block in &model.blocks {
            block.add_forces(&model.rest, (&u, Inner::none()), &mut BlockScratch::default(), &mut forces);
        }
        let slope = (energy(1e-7) - energy(-1e-7)) / 2e-7;
        let work: f64 = forces.iter().zip(&p).map(|(f, p)| f.dot(*p)).sum();
        assert!((slope + work).abs() < 1e-6 * slope.abs(), "{method}: slope {slope}, work {work}");
        let total = forces.iter().fold(Vec3::zero(), |s, f| s + *f);
        let size: f64 = forces.iter().map(|f| f.norm()).sum();
        assert!(total.norm() < 1e-12 * size, "{method}: forces do not cancel");
    }
}

fn model(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?.join("shared").join("data").join(name);
    if beside.exists() {
        return Some(beside);
    }
    println!("skipped: the test model {name} is not beside the project");
    None
}

/// Vertices and triangles of an OBJ file without anything special in it.
fn read_obj(path: &Path) -> TriMesh {
    let text = std::fs::read_to_string(path).expect("a readable model");
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let p: Vec<f64> = words.take(3).map(|w| w.parse().expect("a number")).collect();
                mesh.points.push([p[0], p[1], p[2]]);
            }
            Some("f") => {
                let corner = |w: &str| w.split('/').next().and_then(|n| n.parse::<u32>().ok()).expect("an index") - 1;
                let face: Vec<u32> = words.map(corner).collect();
                mesh.triangles.extend((2..face.len()).map(|k| [face[0], face[k - 1], face[k]]));
            }
            _ => {}
        }
    }
    mesh
}

#[test]
fn real_models_weigh_what_they_enclose() {
    for name in ["spot.obj", "max-planck.obj", "armadillo.obj", "stanford-bunny.obj"] {
        let Some(path) = model(name) else { continue };
        let solid = Solid::new(read_obj(&path)).expect("a solid");
        let expected = 1000.0 * solid.volume();
        for kind in Sampling::ALL {
            let resolution = Resolution::Count(3000);
            let (sampling, report) =
                SamplingSettings { kind, resolution, ..SamplingSettings::default() }.sample(&solid).expect("phyxels");
            println!(
                "{name} {}: {} phyxels {:?}, lattice volume off by {:.2e}, missed {:.2e}",
                kind.name(),
                report.phyxels(),
                report.phyxels_per_level,
                report.volume_error,
                report.missed_share()
            );
            assert!((report.phyxels() as f64 / 3000.0 - 1.0).abs() < 0.1, "{name}: {}", report.phyxels());
            assert!(report.volume_error.abs() < 0.01, "{name}: {}", report.volume_error);
            let body = Body::new("model", Geometry::Points(sampling), Method::Mls, soft());
            check_mass(name, body, expected);
        }
        let embedded = cover(&solid, &Resolution::Count(1000)).expect("a cover");
        println!("{name} cover: {} nodes, {} tetrahedra", embedded.mesh.points.len(), embedded.mesh.tets.len());
        check_mass(name, Body::new("model", Geometry::Embedded(embedded), Method::Edge, soft()), expected);
    }
}

fn check_mass(name: &str, body: Body, expected: f64) {
    let method = body.method.name();
    let simulation =
        Simulation::<f64>::build(&alone(body, Integrator::ImplicitEuler, 0.01)).expect("a body that can be built");
    let mass = simulation.bodies()[0].mass_kg;
    assert!((mass / expected - 1.0).abs() < 0.01, "{name} {method}: {mass} kg for {expected}");
}
