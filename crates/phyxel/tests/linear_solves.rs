//! Linear solves report what they reached, and say so when they stopped early.

mod common;

use common::{above_floor, cube};
use phyxel::scene::{Integrator, Lagrangian, LinearSolver, Method, Pin, Region, RelativeTo, Scene};
use phyxel::{AnySimulation, Material, Precision, Simulation, StepReport};

/// Three steps of a cube that falls on the floor.
fn run(method: Method, change: impl Fn(&mut Scene)) -> StepReport {
    let material = Material { young_modulus: 1e6, ..Material::default() };
    let mut body = cube(method, 5, 0.1, [0.0, 0.0501, 0.0], &material);
    body.velocity = [0.0, -1.0, 0.0];
    let mut scene = above_floor(body, Integrator::ImplicitEuler, 1.0 / 120.0, 0.5);
    change(&mut scene);
    let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
    simulation.advance_to(3.0 / 120.0).expect("sound steps")
}

#[test]
fn conjugate_gradients_reach_their_tolerance() {
    for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls, Method::Spring] {
        let mut before = 0;
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let report = run(method, |scene| scene.solver.tolerance = tolerance);
            let name = method.name();
            assert!(report.residual <= tolerance, "{name}: {} for a tolerance of {tolerance}", report.residual);
            assert_eq!(report.stopped_early, 0, "{name}");
            assert!(report.iterations > before, "{name}: more digits for nothing");
            before = report.iterations;
        }
    }
}

#[test]
fn too_few_iterations_are_reported() {
    for method in [Method::Tet, Method::Mls] {
        let report = run(method, |scene| {
            scene.solver.tolerance = 1e-9;
            scene.solver.max_iterations = 2;
        });
        assert!(report.stopped_early >= 3, "{}: {report:?}", method.name());
        assert!(report.residual > 1e-9 && report.residual.is_finite(), "{}: {}", method.name(), report.residual);
    }
}

#[test]
fn direct_solvers_solve_to_rounding() {
    for linear in [LinearSolver::Cholesky, LinearSolver::Lu] {
        let report = run(Method::Tet, |scene| scene.solver.linear = linear);
        assert!(report.residual < 1e-9, "{}: {}", linear.name(), report.residual);
        assert_eq!(report.stopped_early, 0);
    }
}

#[test]
fn direct_and_iterative_solvers_agree() {
    let end = |linear: LinearSolver| {
        let material = Material { young_modulus: 1e5, ..Material::default() };
        let mut body = cube(Method::Tet, 4, 0.1, [0.0, 0.0501, 0.0], &material);
        body.velocity = [0.5, -1.0, 0.0];
        // Without friction, whose iteration stops at two per cent.
        let mut scene = above_floor(body, Integrator::ImplicitEuler, 1.0 / 120.0, 0.0);
        (scene.solver.linear, scene.solver.tolerance) = (linear, 1e-11);
        let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
        simulation.advance_to(0.05).expect("sound steps");
        simulation.frame(0).bodies[0].positions.clone()
    };
    let reference = end(LinearSolver::Cg);
    for linear in [LinearSolver::Cholesky, LinearSolver::Lu] {
        let found = end(linear);
        let apart = reference.iter().flatten().zip(found.iter().flatten()).map(|(a, b)| (a - b).abs());
        let worst = apart.fold(0.0, f64::max);
        assert!(worst < 1e-8, "{}: {worst} m apart", linear.name());
    }
}

#[test]
fn newton_converges_on_the_equations_of_motion() {
    for method in [Method::Tet, Method::Edge, Method::Mls] {
        let report = run(method, |scene| {
            // Turned and stretched, so that one linearisation is not enough; nothing to hit.
            scene.colliders.clear();
            scene.bodies[0].spin = [0.0, 30.0, 20.0];
            let top = Region::Box { min: [-1.0, 0.1, -1.0], max: [1.0; 3] };
            scene.bodies[0].pins = vec![Pin { velocity: [0.0, 2.0, 0.0], ..Pin::hold(top) }];
            (scene.solver.newton_iterations, scene.solver.newton_tolerance) = (30, 1e-7);
            scene.solver.tolerance = 1e-9;
        });
        assert!(report.newton_residual <= 1e-7, "{}: {report:?}", method.name());
        assert!(report.newton_iterations > 6, "{}: {report:?}", method.name());
    }
}

#[test]
fn a_residual_relative_to_momentum_costs_less_and_shows_nowhere() {
    // Phyxels without a rest shape that fall on the floor and bounce off.
    let run = |relative_to: RelativeTo, tolerance: f64| {
        let material = Material { young_modulus: 2e5, ..Material::default() };
        let mut body = cube(Method::Mls, 7, 0.1, [0.0, 0.0501, 0.0], &material);
        (body.mls.lagrangian, body.mls.consistency) = (Lagrangian::Updated, false);
        body.velocity = [0.3, -2.0, 0.0];
        let mut scene = above_floor(body, Integrator::ImplicitEuler, 2e-3, 0.5);
        (scene.solver.relative_to, scene.solver.tolerance) = (relative_to, tolerance);
        let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
        let report = simulation.advance_to(0.08).expect("sound steps");
        (report, simulation.frame(0).bodies[0].positions.clone())
    };
    let (_, exact) = run(RelativeTo::Change, 1e-9);
    let apart = |found: &[[f64; 3]]| {
        let differences = exact.iter().flatten().zip(found.iter().flatten()).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max)
    };
    let (strict, at) = run(RelativeTo::Change, 1e-4);
    let (report, found) = run(RelativeTo::Momentum, 1e-4);
    assert!(report.residual <= 1e-4 && report.stopped_early == 0, "{report:?}");
    assert!(10 * report.iterations < 9 * strict.iterations, "{} for {}", report.iterations, strict.iterations);
    // The body has moved by 16 cm.
    assert!(apart(&at) < 2e-4 && apart(&found) < 2e-4, "{} and {} m", apart(&at), apart(&found));
}

#[test]
fn bodies_that_have_turned_take_no_more_iterations() {
    // A stiff cube of phyxels that spins by a quarter turn and more, with a reference that turns along with it, or stays.
    let iterations = |reanchor: f64| {
        let material = Material { young_modulus: 2e7, poisson_ratio: 0.3, ..Material::default() };
        let mut body = cube(Method::Mls, 9, 0.1, [0.0; 3], &material);
        (body.mls.lagrangian, body.mls.consistency, body.mls.reanchor) = (Lagrangian::Updated, false, reanchor);
        body.spin = [0.0, 0.0, 60.0];
        let mut scene = above_floor(body, Integrator::ImplicitEuler, 2e-3, 0.5);
        (scene.gravity, scene.colliders) = ([0.0; 3], Vec::new());
        let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
        let mut step = || simulation.step(2e-3).expect("a sound step").iterations;
        (0..10).for_each(|_| {
            step();
        });
        (0..15).map(|_| step()).sum::<usize>()
    };
    let (along, stays) = (iterations(0.0), iterations(1e3));
    assert!(stays > 0 && 10 * along < 13 * stays, "{along} for {stays}");
}

#[test]
fn what_has_come_to_rest_takes_no_iterations() {
    let material = Material { young_modulus: 2e5, ..Material::default() };
    let mut body = cube(Method::Mls, 5, 0.1, [0.0, 0.0501, 0.0], &material);
    (body.mls.lagrangian, body.mls.consistency) = (Lagrangian::Updated, false);
    let mut scene = above_floor(body, Integrator::ImplicitEuler, 2e-3, 0.5);
    (scene.solver.relative_to, scene.solver.sleep_speed) = (RelativeTo::Momentum, 0.0);
    let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
    let mut fallen = StepReport::default();
    (0..400).for_each(|_| fallen.merge(&simulation.step(2e-3).expect("a sound step")));
    let place = simulation.position(0);
    let mut rested = StepReport::default();
    (0..100).for_each(|_| rested.merge(&simulation.step(2e-3).expect("a sound step")));
    assert!(fallen.iterations > 100, "{fallen:?}");
    assert!(rested.iterations < 100, "{} iterations in 100 steps at rest", rested.iterations);
    let moved = (0..3).map(|k| (simulation.position(0)[k] - place[k]).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-5, "it moved by {moved} m in 0.2 s");
}
