//! Melts touch bodies of other kinds: they lie on meshes and rigid bodies, and give them momentum and heat.

mod common;

use common::{cube, floor, phyxels};
use phyxel::material::{Melting, Thermal};
use phyxel::math::Vec3;
use phyxel::scene::{
    Body, BodyHeat, ColliderShape, HeatKind, HeatLoad, Integrator, Lagrangian, Method, Region, RigidBody, Scene,
    SolverSettings,
};
use phyxel::shape::{Placement, Resolution, Shape};
use phyxel::{Material, Simulation};

const SPACING: f64 = 0.02;
const STEP: f64 = 0.005;
/// Top of what the melt falls on [m].
const TOP: f64 = 0.1;

fn wax() -> Material {
    let melting = Some(Melting { solidus: 320.0, liquidus: 330.0, latent_heat: 1e4, viscosity: 20.0 });
    Material {
        young_modulus: 1e5,
        poisson_ratio: 0.3,
        density: 900.0,
        thermal: Some(Thermal { conductivity: 50.0, specific_heat: 500.0, melting, ..Thermal::default() }),
        ..Material::default()
    }
}

fn rubber() -> Material {
    Material {
        young_modulus: 2e5,
        poisson_ratio: 0.3,
        thermal: Some(Thermal { conductivity: 50.0, specific_heat: 500.0, ..Thermal::default() }),
        ..Material::default()
    }
}

/// A cube of molten wax, four phyxels wide, with its centre at `center`.
fn blob(center: [f64; 3], held: bool) -> Body {
    let mut body = cube(Method::Mls, 3, 3.0 * SPACING, center, &wax());
    body.name = "blob".into();
    body.mls = phyxels(Lagrangian::Updated);
    let hot = HeatLoad { region: Region::All, kind: HeatKind::Temperature(340.0) };
    let loads = if held { vec![hot] } else { Vec::new() };
    body.heat = Some(BodyHeat { temperature: 340.0, loads, ..BodyHeat::default() });
    body
}

fn slab(method: Method) -> Body {
    let (size, place) = (Shape::Box { size: [0.3, TOP, 0.3] }, Placement::at([0.0, 0.5 * TOP, 0.0]));
    let geometry = size.discretise(method, &Resolution::Size(0.05), &place, &rubber()).expect("a slab");
    Body::new("slab", geometry, method, rubber())
}

fn scene(bodies: Vec<Body>, rigid_bodies: Vec<RigidBody>, integrator: Integrator) -> Scene {
    let solver = SolverSettings { integrator, step: STEP, ..SolverSettings::default() };
    Scene { bodies, rigid_bodies, solver, gravity: [0.0; 3], duration: 100.0, ..Scene::default() }
}

/// Lowest and mean height of the blob, which is the first body [m].
fn heights(simulation: &Simulation<f64>) -> (f64, f64) {
    let nodes = simulation.model().bodies[0].nodes.clone();
    let count = nodes.len() as f64;
    let all = nodes.map(|n| simulation.position(n)[1]);
    all.fold((f64::MAX, 0.0), |(low, mean), y| (low.min(y), mean + y / count))
}

/// How deep a node is inside of another body, which is about convex [m]; zero outside.
fn depth(simulation: &Simulation<f64>, node: usize, body: usize) -> f64 {
    let x = Vec3(simulation.position(node));
    let (mut angle, mut least) = (0.0, f64::MAX);
    for face in &simulation.model().bodies[body].faces {
        let [a, b, c] = face.map(|n| Vec3(simulation.position(n as usize)) - x);
        // The solid angle of a triangle (van Oosterom and Strackee 1983).
        let [la, lb, lc] = [a, b, c].map(|v| v.norm());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        angle += 2.0 * a.dot(b.cross(c)).atan2(below);
        least = least.min((b - a).cross(c - a).normalized().dot(a).abs());
    }
    if angle.abs() > 2.0 * std::f64::consts::PI { least } else { 0.0 }
}

#[test]
fn a_melt_that_falls_on_a_body_lies_on_it() {
    let falls = |bodies: Vec<Body>, rigid: Vec<RigidBody>, what: &str, integrator: Integrator| {
        let mut scene = scene(bodies, rigid, integrator);
        (scene.gravity, scene.colliders) = ([0.0, -9.81, 0.0], vec![floor(0.5)]);
        let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
        let mut touched = 0;
        while simulation.time() < 0.8 {
            touched += simulation.step(STEP).unwrap_or_else(|e| panic!("{what}: {e}")).contacts;
        }
        let (lowest, mean) = heights(&simulation);
        println!("{what}: lowest {lowest}, mean {mean}, {touched} contacts");
        assert!(touched > 0, "{what}: they meet");
        assert!(lowest > TOP - 0.25 * SPACING, "{what}: nothing sinks in: {lowest}");
        assert!(mean < TOP + 3.0 * SPACING, "{what}: it lies there: {mean}");
        let fastest = simulation.model().bodies[0].nodes.clone().map(|n| simulation.state().v[n].norm());
        let fastest = fastest.fold(0.0, f64::max);
        assert!(fastest < 0.3, "{what}: it is at rest: {fastest} m/s");
    };
    let above = [0.0, TOP + 2.5 * SPACING, 0.0];
    for method in [Method::Tet, Method::Mls] {
        falls(vec![blob(above, true), slab(method)], Vec::new(), &format!("{method:?}"), Integrator::ImplicitEuler);
    }
    let mut plate = RigidBody::new("plate", ColliderShape::Box { size: [0.3, TOP, 0.3] });
    (plate.placement, plate.density) = (Placement::at([0.0, 0.5 * TOP, 0.0]), 500.0);
    falls(vec![blob(above, true)], vec![plate], "rigid", Integrator::ImplicitEuler);
}

#[test]
fn a_melt_thrown_at_a_body_gives_it_its_momentum() {
    for integrator in [Integrator::ImplicitEuler, Integrator::SymplecticEuler] {
        let mut thrown = blob([0.0; 3], true);
        thrown.velocity = [1.0, 0.0, 0.0];
        let target = cube(Method::Tet, 3, 0.12, [0.12, 0.01, 0.01], &rubber());
        let mut simulation =
            Simulation::<f64>::build(&scene(vec![thrown, target], Vec::new(), integrator)).expect("a sound scene");
        let (momentum, spin) = (simulation.momentum(), simulation.angular_momentum());
        simulation.advance_to(0.2).unwrap_or_else(|e| panic!("{e}"));
        let speed = |body: usize| {
            let nodes = simulation.model().bodies[body].nodes.clone();
            let count = nodes.len() as f64;
            nodes.map(|n| simulation.state().v[n].0[0]).sum::<f64>() / count
        };
        println!("{integrator:?}: {} and {} m/s", speed(0), speed(1));
        assert!(speed(0) < 0.5 && speed(1) > 0.05, "{integrator:?}: {} and {} m/s", speed(0), speed(1));
        for (now, before) in [(simulation.momentum(), momentum), (simulation.angular_momentum(), spin)] {
            assert!((Vec3(now) - Vec3(before)).norm() < 1e-9, "{integrator:?}: {now:?} was {before:?}");
        }
        let deepest = simulation.model().bodies[0].nodes.clone().map(|n| depth(&simulation, n, 1)).fold(0.0, f64::max);
        assert!(deepest < 0.1 * SPACING, "{integrator:?}: a phyxel of the melt is {deepest} m inside of the target");
    }
}

#[test]
fn a_melt_thrown_at_a_rigid_body_gives_it_its_momentum() {
    let mut thrown = blob([0.0; 3], true);
    thrown.velocity = [1.0, 0.0, 0.0];
    let mut target = RigidBody::new("target", ColliderShape::Box { size: [0.1; 3] });
    (target.placement, target.density) = (Placement::at([0.11, 0.01, 0.0]), 1000.0);
    let scene = scene(vec![thrown], vec![target], Integrator::ImplicitEuler);
    let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
    let momentum = simulation.momentum();
    simulation.advance_to(0.2).unwrap_or_else(|e| panic!("{e}"));
    let speed = simulation.rigid_bodies()[0].velocity[0];
    assert!(speed > 0.05, "{speed} m/s");
    let now = simulation.momentum();
    assert!((Vec3(now) - Vec3(momentum)).norm() < 1e-9, "{now:?} was {momentum:?}");
}

#[test]
fn a_melt_warms_what_it_lies_on() {
    let mut cold = cube(Method::Tet, 3, 0.12, [0.0; 3], &rubber());
    cold.heat = Some(BodyHeat { temperature: 290.0, conductance: 1e3, ..BodyHeat::default() });
    let mut hot = blob([0.0, 0.06 + 1.5 * SPACING, 0.0], false);
    hot.heat.iter_mut().for_each(|heat| (heat.conductance, heat.temperature) = (1e3, 350.0));
    let mut scene = scene(vec![hot, cold], Vec::new(), Integrator::ImplicitEuler);
    scene.gravity = [0.0, -1.0, 0.0];
    let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
    let heat = |simulation: &Simulation<f64>| {
        let state = simulation.state();
        state.enthalpy.iter().zip(&simulation.model().masses).map(|(h, m)| h * m).sum::<f64>()
    };
    let before = heat(&simulation);
    simulation.advance_to(1.0).unwrap_or_else(|e| panic!("{e}"));
    let warmest = simulation.temperatures(1).iter().copied().fold(0.0, f64::max);
    println!("warmest {warmest} K");
    assert!(warmest > 290.5, "{warmest} K");
    assert!((heat(&simulation) / before - 1.0).abs() < 1e-6, "no heat is lost");
}
