//! What every integrator owes to held nodes, and its order in spite of them.
//!
//! Pinned nodes used to be kicked between the stages of a Runge–Kutta step, which made RK4 a method of second order;
//! leap-frog and the midpoint rule gave them twice their speed in every other step; and backward differences started anew whenever steps
//! differed by rounding.

use phyxel::math::Vec3;
use phyxel::scene::{Body, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::{Geometry, Spring, SpringNet};
use phyxel::{Material, Simulation};
use std::f64::consts::TAU;

/// A spring with a period of one second along x, one end pinned.
fn spring(integrator: Integrator, step: f64, pin_velocity: f64) -> Simulation<f64> {
    let net = SpringNet {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0]],
        masses: vec![1.0; 2],
        springs: vec![Spring { nodes: [0, 1], stiffness: TAU * TAU, rest_length: 1.0 }],
        triangles: Vec::new(),
    };
    let mut body = Body::new("spring", Geometry::Springs(net), Method::Spring, Material::default());
    body.pins.push(Pin { velocity: [pin_velocity, 0.0, 0.0], ..Pin::hold(Region::Nodes(vec![0])) });
    let solver = SolverSettings {
        integrator,
        step,
        tolerance: 1e-12,
        newton_iterations: 10,
        newton_tolerance: 1e-11,
        ..SolverSettings::default()
    };
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::build(&scene).expect("the spring can be built");
    simulation.state_mut().u[1] = Vec3([0.1, 0.0, 0.0]);
    simulation
}

#[test]
fn held_nodes_follow_their_pin_and_nothing_else() {
    for integrator in Integrator::ALL {
        for speed in [0.0, 0.3] {
            let mut simulation = spring(integrator, 0.01, speed);
            for _ in 0..20 {
                simulation.step(0.01).expect("a step");
                let (u, v) = (simulation.state().u[0], simulation.state().v[0]);
                let name = integrator.name();
                assert!((u - Vec3([speed * simulation.time(), 0.0, 0.0])).norm() < 1e-12, "{name}: {u:?}");
                // Equilibrium has no velocities.
                if integrator != Integrator::QuasiStatic {
                    assert!((v - Vec3([speed, 0.0, 0.0])).norm() < 1e-9, "{name}: {v:?}");
                }
            }
        }
    }
}

#[test]
fn runge_kutta_keeps_its_order_beside_a_pin() {
    let error = |integrator: Integrator, parts: usize| {
        let mut simulation = spring(integrator, 1.0 / parts as f64, 0.0);
        simulation.advance_to(0.8).expect("steps");
        (simulation.state().u[1].0[0] - 0.1 * (0.8 * TAU).cos()).abs()
    };
    for (integrator, order) in [(Integrator::Rk2, 2.0), (Integrator::Rk4, 4.0)] {
        let observed = (error(integrator, 40) / error(integrator, 80)).log2();
        assert!((observed - order).abs() < 0.25, "{}: {observed}", integrator.name());
    }
}

#[test]
fn backward_differences_do_not_start_anew_when_steps_differ_by_rounding() {
    let mut stepped = spring(Integrator::Bdf2, 0.01, 0.0);
    for _ in 0..1000 {
        stepped.step(0.01).expect("a step");
    }
    let mut advanced = spring(Integrator::Bdf2, 0.01, 0.0);
    for frame in 1..=40 {
        advanced.advance_to(frame as f64 * 0.25).expect("steps");
    }
    let energy = |s: &Simulation<f64>| s.energy().kinetic_j + s.energy().elastic_j;
    assert!((energy(&stepped) / energy(&advanced) - 1.0).abs() < 1e-6);
    // The root of (3/2 − iωh) ξ² − 2 ξ + ½ = 0 near one, after a start by implicit Euler.
    let start = 0.5 * TAU * TAU * 0.01;
    assert!((energy(&stepped) / start - 0.98650).abs() < 1e-5);
}
