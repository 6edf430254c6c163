//! Sameness: the same bits on any number of threads, and after going on from a snapshot.

mod common;

use common::{KINDS, above_floor, cube, phyxels};
use phyxel::scene::{Action, Event, Integrator, Method, Pin, Region, Scene};
use phyxel::{AnySimulation, Material, Precision};

/// The hash after `steps` steps on a pool of `threads`.
fn hash_on(threads: usize, scene: &Scene, precision: Precision, steps: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| {
        let mut simulation = AnySimulation::build(scene, precision).expect("a sound scene");
        let mut contacts = 0;
        for _ in 0..steps {
            contacts += simulation.step(scene.solver.step).expect("a sound step").contacts;
        }
        let lowest = simulation.frame(0).bodies[0].positions.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        assert!(contacts > 0 || lowest < 2e-3, "the body was to touch the floor, lowest node at {lowest} m");
        simulation.state_hash()
    })
}

fn assert_same_on_all_pools(name: &str, scene: &Scene, precision: Precision, steps: usize) {
    let one = hash_on(1, scene, precision, steps);
    for threads in [2, 8] {
        assert_eq!(one, hash_on(threads, scene, precision, steps), "{name} on {threads} threads");
    }
}

/// A cube that hits the floor at a metre a second, tumbling.
fn falling(method: Method, cells: usize, integrator: Integrator) -> Scene {
    let material = Material { young_modulus: 2e4, rayleigh_stiffness: 1e-4, ..Material::default() };
    let mut body = cube(method, cells, 0.2, [0.0, 0.10001, 0.0], &material);
    body.pins = support(integrator);
    body.velocity = [0.3, -1.0, 0.0];
    above_floor(body, integrator, step(integrator), 0.3)
}

/// Without inertia, something must hold a body: a lid that is pressed down.
fn support(integrator: Integrator) -> Vec<Pin> {
    let lid = Region::Box { min: [-1.0, 0.2, -1.0], max: [1.0; 3] };
    let press = Pin { velocity: [0.0, -0.1, 0.0], ..Pin::hold(lid) };
    if integrator == Integrator::QuasiStatic { vec![press] } else { Vec::new() }
}

/// Explicit Euler is stable for very small steps only; more of them would take too long here.
fn step(integrator: Integrator) -> f64 {
    if integrator == Integrator::ExplicitEuler { 1e-4 } else { 1.0 / 240.0 }
}

#[test]
fn every_integrator_gives_the_same_bits_on_any_number_of_threads() {
    // 1728 nodes and 6655 tetrahedra: two tasks of nodes, many of elements.
    for integrator in Integrator::ALL {
        let mut scene = falling(Method::Tet, 11, integrator);
        (scene.solver.substeps, scene.solver.iterations) = (2, 3);
        // An equilibrium takes many Newton iterations, and Runge and Kutta many small steps.
        scene.solver.newton_tolerance = 1e-2;
        let steps = match integrator {
            Integrator::QuasiStatic => 1,
            Integrator::Rk2 | Integrator::Rk4 => 8,
            _ => 24,
        };
        assert_same_on_all_pools(integrator.name(), &scene, Precision::F32, steps);
    }
}

#[test]
fn every_kind_of_stencil_gives_the_same_bits_on_any_number_of_threads() {
    for (name, method, lagrangian) in KINDS {
        let mut scene = falling(method, 8, Integrator::ImplicitEuler);
        scene.bodies[0].mls = phyxels(lagrangian);
        assert_same_on_all_pools(name, &scene, Precision::F64, 24);
    }
}

#[test]
fn position_based_phyxels_and_springs_give_the_same_bits_too() {
    for (name, method, lagrangian) in KINDS.into_iter().filter(|k| k.1 == Method::Mls || k.1 == Method::Spring) {
        let mut scene = falling(method, 8, Integrator::Xpbd);
        (scene.solver.substeps, scene.solver.iterations) = (2, 3);
        scene.bodies[0].mls = phyxels(lagrangian);
        assert_same_on_all_pools(name, &scene, Precision::F64, 24);
    }
}

#[test]
fn a_large_body_gives_the_same_bits_on_any_number_of_threads() {
    // 9261 nodes and 40 000 tetrahedra.
    for integrator in [Integrator::ImplicitEuler, Integrator::Verlet] {
        assert_same_on_all_pools(integrator.name(), &falling(Method::Tet, 20, integrator), Precision::F32, 4);
    }
}

/// A small cube to which everything happens, before and after the middle.
fn eventful(method: Method, integrator: Integrator) -> Scene {
    let material = Material { rayleigh_stiffness: 2e-4, rayleigh_mass: 0.1, viscosity: 0.2, ..Material::default() };
    let mut body = cube(method, 4, 0.2, [0.0, 0.1001, 0.0], &material);
    body.pins = support(integrator);
    body.velocity = [0.2, -1.0, 0.0];
    let step = step(integrator);
    let mut scene = above_floor(body, integrator, step, 0.4);
    (scene.solver.substeps, scene.solver.iterations) = (2, 5);
    let at = |steps: f64, action: Action| Event { at: steps * step, body: None, action };
    let top = Region::Box { min: [-1.0, 0.15, -1.0], max: [1.0, 1.0, 1.0] };
    let pin = Pin { velocity: [0.0, 0.1, 0.05], ..Pin::hold(top) };
    let softer = Material { young_modulus: 3e4, ..material.clone() };
    let harder = Material { young_modulus: 6e4, ..material };
    scene.events = vec![
        at(3.0, Action::SetMaterial(softer)),
        at(6.0, Action::Push([0.0, 0.1, 0.0])),
        at(9.0, Action::Pin(vec![pin])),
        at(12.0, Action::SetGravity([0.5, -9.0, 0.0])),
        at(24.0, if integrator == Integrator::QuasiStatic { Action::Push([0.0; 3]) } else { Action::Release }),
        at(27.0, Action::SetMaterial(harder)),
    ];
    scene
}

/// Runs through; goes on from a snapshot in another simulation; rewinds and goes on in the same.
fn assert_snapshots_do_not_matter(name: &str, scene: &Scene) {
    let build = || AnySimulation::build(scene, Precision::F64).expect("a sound scene");
    let run = |simulation: &mut AnySimulation, steps: usize| {
        for _ in 0..steps {
            simulation.step(scene.solver.step).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    };
    let half = 19;
    let mut through = build();
    run(&mut through, half);
    let snapshot = through.snapshot();
    let (middle, dissipated) = (through.state_hash(), through.energy().dissipated_j);
    run(&mut through, half);
    let mut other = build();
    other.restore(&snapshot).expect("of the same scene");
    assert_eq!(other.state_hash(), middle, "{name}: the snapshot itself");
    assert_eq!(other.snapshot(), snapshot, "{name}: a snapshot of a restored simulation");
    run(&mut other, half);
    assert_eq!(other.state_hash(), through.state_hash(), "{name}: in another simulation");
    through.restore(&snapshot).expect("of the same scene");
    run(&mut through, half);
    assert_eq!(through.state_hash(), other.state_hash(), "{name}: rewound");
    assert_eq!(through.energy(), other.energy(), "{name}");
    assert!(dissipated.is_finite());
}

#[test]
fn going_on_from_a_snapshot_changes_nothing_for_any_integrator() {
    for integrator in Integrator::ALL {
        assert_snapshots_do_not_matter(integrator.name(), &eventful(Method::Tet, integrator));
    }
}

#[test]
fn going_on_from_a_snapshot_changes_nothing_for_any_stencil() {
    for (name, method, lagrangian) in KINDS {
        for integrator in [Integrator::ImplicitEuler, Integrator::Verlet, Integrator::Xpbd] {
            let mut scene = eventful(method, integrator);
            scene.bodies[0].mls = phyxels(lagrangian);
            assert_snapshots_do_not_matter(&format!("{name}, {}", integrator.name()), &scene);
        }
    }
}

#[test]
fn going_on_from_a_snapshot_changes_nothing_where_the_matrix_is_kept() {
    let mut scene = eventful(Method::Tet, Integrator::ImplicitEuler);
    for viscosity in [0.0, 5.0] {
        let linear = |m: &mut Material| (m.law, m.viscosity) = (phyxel::material::LawKind::Linear, viscosity);
        linear(&mut scene.bodies[0].material);
        for event in &mut scene.events {
            if let Action::SetMaterial(material) = &mut event.action {
                linear(material);
            }
        }
        assert_snapshots_do_not_matter("linear", &scene);
    }
}

#[test]
fn damaged_snapshots_are_refused_and_change_nothing() {
    let scene = eventful(Method::Tet, Integrator::Verlet);
    let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
    simulation.advance_to(0.2).expect("sound steps");
    let snapshot = simulation.snapshot();
    let hash = simulation.state_hash();
    for cut in (0..snapshot.len()).step_by(1013) {
        let error = simulation.restore(&snapshot[..cut]).expect_err("cut short");
        assert!(error.to_string().contains("snapshot"), "{error}");
    }
    let longer = [&snapshot[..], &[0]].concat();
    assert!(simulation.restore(&longer).is_err());
    let single = AnySimulation::build(&scene, Precision::F32).expect("a sound scene").snapshot();
    let error = simulation.restore(&single).expect_err("of another precision").to_string();
    assert!(error.contains("32 bits") && error.contains("64 bits"), "{error}");
    assert_eq!(simulation.state_hash(), hash);
}
