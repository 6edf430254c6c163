//! Stability: a jelly cube dropped on the floor survives every stiffness, density and step, and gains no energy.

mod common;

use common::{above_floor, cube};
use phyxel::material::LawKind;
use phyxel::scene::{Integrator, Method, Scene};
use phyxel::{AnySimulation, Material, Precision};

const SIDE: f64 = 0.2;

/// The `k`-th of a lattice over the parameters that visits each in its own rhythm (an additive recurrence on irrational
/// numbers, Roberts 2018), so that a few dozen points cover all of them.
fn scene(k: usize, method: Method, law: LawKind) -> (String, Scene) {
    let at = |i: i32| (0.5 + k as f64 * 1.1673039782614187f64.powi(-i)).fract();
    let between = |low: f64, high: f64, x: f64| low * (high / low).powf(x);
    let material = Material {
        law,
        young_modulus: between(1e3, 1e9, at(1)),
        poisson_ratio: 0.49 * at(2),
        density: between(10.0, 1e4, at(3)),
        ..Material::default()
    };
    let step = between(1e-3, 1.0 / 30.0, at(4));
    let name = format!(
        "{} {} E = {:.3e} nu = {:.3} density = {:.3e} step = {step:.2e}",
        method.name(),
        material.law.name(),
        material.young_modulus,
        material.poisson_ratio,
        material.density
    );
    let body = cube(method, 5, SIDE, [0.0, 0.5 * SIDE + 0.1, 0.0], &material);
    let mut scene = above_floor(body, Integrator::ImplicitEuler, step, 0.3);
    scene.bodies[0].spin = [0.5, 0.0, 1.0];
    (name, scene)
}

fn check(name: &str, scene: &Scene) {
    let mut simulation = AnySimulation::build(scene, Precision::F64).expect("a sound scene");
    let start = simulation.energy();
    let budget = start.kinetic_j + start.potential_j;
    while simulation.time() < 0.3 {
        if let Err(error) = simulation.step(scene.solver.step) {
            panic!("{name}: {error}");
        }
        let energy = simulation.energy();
        assert!(energy.kinetic_j <= 1.01 * budget, "{name}: kinetic energy {} J of {budget} J", energy.kinetic_j);
        for (p, v) in simulation.frame(0).bodies[0].positions.iter().zip(&simulation.frame(0).bodies[0].velocities) {
            let inside = p[1] > -1e-3 && p.iter().all(|c| c.abs() < 3.0 * SIDE) && v.iter().all(|c| c.is_finite());
            assert!(inside, "{name}: a node is at {p:?} m with {v:?} m/s");
        }
    }
}

fn sweep(method: Method, law: LawKind) {
    for k in 0..10 {
        let (name, scene) = scene(k, method, law.clone());
        check(&name, &scene);
    }
}

#[test]
fn corotated_tetrahedra_survive_every_drop() {
    sweep(Method::Tet, LawKind::Corotated);
}

#[test]
fn neo_hookean_tetrahedra_survive_every_drop() {
    sweep(Method::Tet, LawKind::NeoHookean);
}

#[test]
fn corotated_phyxels_survive_every_drop() {
    sweep(Method::Mls, LawKind::Corotated);
}

#[test]
fn neo_hookean_phyxels_survive_every_drop() {
    sweep(Method::Mls, LawKind::NeoHookean);
}
