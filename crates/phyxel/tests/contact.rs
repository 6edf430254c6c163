//! Half-spaces: rest, friction, sliding and stopping, against the formulas of a block on a plane.

mod common;

use common::{above_floor, cube};
use phyxel::scene::{Integrator, Method, Scene};
use phyxel::{AnySimulation, Material, Precision};

const INTEGRATORS: [Integrator; 3] = [Integrator::ImplicitEuler, Integrator::Verlet, Integrator::Xpbd];
const G: f64 = 9.81;

/// A block that lies on the floor, in gravity turned by `slope` (its tangent) so that the floor is an inclined plane.
fn block(integrator: Integrator, friction: f64, slope: f64) -> Scene {
    let material = Material {
        young_modulus: 1e5,
        poisson_ratio: 0.3,
        rayleigh_stiffness: 2e-3,
        rayleigh_mass: 0.0,
        ..Material::default()
    };
    let body = cube(Method::Tet, 3, 0.1, [0.0, 0.05, 0.0], &material);
    let mut scene = above_floor(body, integrator, 1.0 / 120.0, friction);
    let angle = slope.atan();
    scene.gravity = [G * angle.sin(), -G * angle.cos(), 0.0];
    scene.solver.tolerance = 1e-8;
    scene
}

/// How far a held block may creep in a second [m]: an explicit one still swings a little, and sweeps of position-based
/// dynamics are never quite finished.
fn creep(integrator: Integrator) -> f64 {
    match integrator {
        Integrator::Xpbd => 1e-4,
        Integrator::Verlet => 1e-5,
        _ => 1e-6,
    }
}

fn start(scene: &Scene) -> AnySimulation {
    AnySimulation::build(scene, Precision::F64).expect("a sound scene")
}

/// Mean position, lowest height and highest speed.
fn look(simulation: &AnySimulation) -> ([f64; 3], f64, f64) {
    let frame = simulation.frame(0);
    let body = &frame.bodies[0];
    let count = body.positions.len() as f64;
    let mean = std::array::from_fn(|a| body.positions.iter().map(|p| p[a]).sum::<f64>() / count);
    let lowest = body.positions.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    let speed = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    (mean, lowest, body.velocities.iter().map(speed).fold(0.0, f64::max))
}

#[test]
fn a_cube_at_rest_stays_at_rest() {
    for integrator in INTEGRATORS {
        let name = integrator.name();
        let mut simulation = start(&block(integrator, 0.5, 0.0));
        simulation.advance_to(2.0).expect("sound steps");
        let (before, ..) = look(&simulation);
        for i in 1..=30 {
            let report = simulation.advance_to(2.0 + i as f64 / 30.0).expect("sound steps");
            let (mean, lowest, speed) = look(&simulation);
            assert!(lowest > -1e-6, "{name} sank to {lowest} m");
            assert!(lowest < 1e-6, "{name} floats at {lowest} m");
            // A micrometre a second: rounding and the tolerance of the solver, no jitter.
            assert!(speed < 1e-4, "{name} jitters at {speed} m/s");
            let drift = (0..3).map(|a| (mean[a] - before[a]).powi(2)).sum::<f64>().sqrt();
            assert!(drift < 0.1 * creep(integrator), "{name} drifted by {drift} m");
            assert!(integrator == Integrator::Verlet || report.contacts > 0, "{name} lost contact");
        }
        // Its weight compresses it by about ρ g h² / (8 E) on average above the floor: no more than twice that.
        let sag = 0.05 - before[1];
        assert!(sag > 0.0 && sag < 1e3 * G * 0.01 / 1e5, "{name} sags by {sag} m");
    }
}

#[test]
fn friction_holds_a_block_on_a_gentle_slope() {
    for integrator in INTEGRATORS {
        let mut simulation = start(&block(integrator, 0.5, 0.3));
        simulation.advance_to(1.0).expect("sound steps");
        let (before, ..) = look(&simulation);
        simulation.advance_to(2.0).expect("sound steps");
        let (after, lowest, speed) = look(&simulation);
        let slid = after[0] - before[0];
        assert!(slid.abs() < creep(integrator), "{} slid by {slid} m", integrator.name());
        assert!(lowest > -1e-6 && speed < 1e-3, "{}: {lowest} m, {speed} m/s", integrator.name());
    }
}

#[test]
fn a_block_slides_down_a_steep_slope_with_the_acceleration_of_coulomb() {
    for integrator in INTEGRATORS {
        for friction in [0.0, 0.4] {
            let slope: f64 = 0.8;
            let mut simulation = start(&block(integrator, friction, slope));
            let mass = simulation.bodies()[0].mass_kg;
            // After it has settled on the plane.
            simulation.advance_to(0.25).expect("sound steps");
            let early = simulation.momentum()[0] / mass;
            simulation.advance_to(0.75).expect("sound steps");
            let found = (simulation.momentum()[0] / mass - early) / 0.5;
            let (sine, cosine) = (slope.atan().sin(), slope.atan().cos());
            let expected = G * (sine - friction * cosine);
            let error = (found / expected - 1.0).abs();
            let name = integrator.name();
            assert!(error < 0.02, "{name}, friction {friction}: {found} m/s² instead of {expected}");
        }
    }
}

#[test]
fn a_sliding_block_stops_where_friction_stops_it() {
    for integrator in INTEGRATORS {
        let (friction, speed) = (0.4, 1.0);
        let mut scene = block(integrator, friction, 0.0);
        scene.bodies[0].velocity = [speed, 0.0, 0.0];
        let mut simulation = start(&scene);
        let (before, ..) = look(&simulation);
        simulation.advance_to(1.0).expect("sound steps");
        let (after, ..) = look(&simulation);
        let (way, expected) = (after[0] - before[0], speed * speed / (2.0 * friction * G));
        let name = integrator.name();
        // Steps of 8 ms at up to 1 m/s: a few millimetres of 127.
        assert!((way / expected - 1.0).abs() < 0.05, "{name} slid {way} m instead of {expected} m");
        simulation.advance_to(1.5).expect("sound steps");
        let (end, _, speed) = look(&simulation);
        assert!((end[0] - after[0]).abs() < creep(integrator) && speed < 1e-3, "{name} still moves at {speed} m/s");
    }
}

#[test]
fn a_body_that_starts_inside_the_floor_rises_slowly() {
    for integrator in INTEGRATORS {
        let mut scene = block(integrator, 0.2, 0.0);
        let deeper = cube(Method::Tet, 3, 0.1, [0.0, 0.04, 0.0], &scene.bodies[0].material.clone());
        scene.bodies[0] = deeper;
        let mut simulation = start(&scene);
        let mut fastest = 0.0f64;
        for i in 1..=30 {
            simulation.advance_to(i as f64 / 30.0).expect("sound steps");
            fastest = fastest.max(look(&simulation).2);
        }
        let (mean, lowest, _) = look(&simulation);
        let name = integrator.name();
        assert!(fastest < 2.5, "{name} was shot out at {fastest} m/s");
        assert!(lowest > -1e-6 && mean[1] < 0.2, "{name}: lowest node at {lowest} m, middle at {} m", mean[1]);
    }
}
