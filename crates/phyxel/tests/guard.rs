//! The guard: what goes wrong is rolled back or refused, and never shown.

mod common;

use common::{above_floor, alone, cube, double};
use phyxel::material::LawKind;
use phyxel::math::Vec3;
use phyxel::scene::{Integrator, Method, Pin, Region, Scene};
use phyxel::{AnySimulation, Material, Precision, StepError};

/// Everything that a frame shows.
fn is_finite(simulation: &AnySimulation) -> bool {
    simulation.frame(0).bodies.iter().all(|b| {
        let vectors = b.positions.iter().chain(&b.velocities).chain(&b.skin).flatten();
        vectors.chain(&b.von_mises).all(|c| c.is_finite())
    })
}

fn stvk_cube(integrator: Integrator) -> Scene {
    let material = Material {
        law: LawKind::StVenantKirchhoff,
        young_modulus: 1e5,
        rayleigh_stiffness: 1e-3,
        ..Material::default()
    };
    let body = cube(Method::Tet, 3, 0.1, [0.0, 0.0501, 0.0], &material);
    above_floor(body, integrator, 1.0 / 60.0, 0.3)
}

/// Runs until the end or an error, and looks at every state on the way.
fn run(
    scene: &Scene,
    precision: Precision,
    time: f64,
    upset: impl Fn(&mut AnySimulation),
) -> (usize, Option<StepError>) {
    let mut simulation = AnySimulation::build(scene, precision).expect("a sound scene");
    upset(&mut simulation);
    let mut rollbacks = 0;
    while simulation.time() < time {
        let before = simulation.time();
        match simulation.step(scene.solver.step) {
            Ok(report) => rollbacks += report.rollbacks,
            Err(error) => {
                assert!(is_finite(&simulation), "after {error}");
                assert!(simulation.time() >= before, "time ran backwards");
                return (rollbacks, Some(error));
            }
        }
        assert!(is_finite(&simulation), "at {} s", simulation.time());
    }
    (rollbacks, None)
}

fn assert_named(error: &StepError) {
    let StepError::Unstable { body, time, step, limit } = error else { panic!("{error}") };
    assert_eq!(body, "cube");
    assert!(time.is_finite() && *step > 0.0 && *limit > 0.0, "{error:?}");
    let message = error.to_string();
    assert!(message.contains("\"cube\"") && message.contains("smaller step"), "{message}");
}

#[test]
fn a_cube_crushed_to_inversion_recovers_or_is_refused() {
    for integrator in [Integrator::ImplicitEuler, Integrator::ImplicitMidpoint, Integrator::Bdf2, Integrator::Verlet] {
        for speed in [5.0, 50.0, 500.0] {
            let mut scene = stvk_cube(integrator);
            scene.bodies[0].velocity = [0.0, -speed, 0.0];
            let (_, error) = run(&scene, Precision::F64, 0.5, |_| {});
            if let Some(error) = error {
                assert_named(&error);
            }
        }
    }
}

#[test]
fn absurd_velocities_are_refused_with_the_body_the_time_and_the_limit() {
    for integrator in Integrator::ALL {
        if integrator == Integrator::QuasiStatic {
            continue; // it has no velocities
        }
        let (_, error) = run(&stvk_cube(integrator), Precision::F32, 0.1, |simulation| {
            let AnySimulation::F32(s) = simulation else { panic!("built in f32") };
            s.state_mut().v[7] = Vec3([1e30, 0.0, -1e30]);
        });
        let error = error.unwrap_or_else(|| panic!("{}: 1e30 m/s went unnoticed", integrator.name()));
        assert_named(&error);
    }
}

#[test]
fn absurd_velocities_never_show_numbers_that_are_none() {
    for integrator in Integrator::ALL {
        for speed in [1e10, 1e30, 1e150] {
            let (_, error) = run(&stvk_cube(integrator), Precision::F64, 0.1, |simulation| {
                double(simulation).state_mut().v[7] = Vec3([speed, 0.0, -speed]);
            });
            if let Some(error) = error {
                assert!(matches!(error, StepError::Unstable { .. } | StepError::TooStiff { .. }), "{error}");
            }
        }
    }
}

#[test]
fn a_torn_body_is_refused_by_explicit_steps_too() {
    // Nodes a kilometre away: St. Venant–Kirchhoff's forces grow with the cube of the stretch.
    for integrator in [Integrator::ExplicitEuler, Integrator::Verlet, Integrator::Rk4] {
        let (_, error) = run(&stvk_cube(integrator), Precision::F64, 0.1, |simulation| {
            double(simulation).state_mut().u[5] = Vec3([1e3, 1e3, -1e3]);
        });
        if let Some(error) = error {
            assert!(matches!(error, StepError::Unstable { .. } | StepError::TooStiff { .. }), "{error}");
        }
    }
}

#[test]
fn an_indefinite_explosion_is_rolled_back() {
    // One linearisation of a spring net that is pressed flat overshoots by orders of magnitude; half steps do not.
    let material = Material { law: LawKind::StVenantKirchhoff, young_modulus: 1e7, ..Material::default() };
    let mut scene = alone(cube(Method::Tet, 2, 0.1, [0.0; 3], &material), Integrator::ImplicitEuler, 1.0 / 30.0);
    scene.solver.conserve_momentum = false;
    let mut rollbacks = 0;
    let mut errors = 0;
    for (k, squeeze) in [0.9, 0.99, 1.5, 3.0, 30.0].into_iter().enumerate() {
        let (count, error) = run(&scene, Precision::F64, 0.3, |simulation| {
            let simulation = double(simulation);
            let rest: Vec<_> = simulation.model().rest.clone();
            for (i, u) in simulation.state_mut().u.iter_mut().enumerate() {
                u.0[k % 3] = -squeeze * rest[i].0[k % 3];
            }
        });
        rollbacks += count;
        if let Some(error) = error {
            assert_named(&error);
            errors += 1;
        }
    }
    assert!(rollbacks + errors > 0, "nothing was upset enough to test the guard");
}

#[test]
fn a_body_too_stiff_for_explicit_steps_is_named() {
    let soft = cube(Method::Tet, 2, 0.1, [0.0; 3], &Material::default());
    let hard = Material { young_modulus: 1e22, ..Material::default() };
    let mut stiff = cube(Method::Tet, 2, 0.1, [1.0, 0.0, 0.0], &hard);
    stiff.name = "anvil".into();
    let mut scene = alone(soft, Integrator::Verlet, 1.0 / 60.0);
    scene.bodies.push(stiff);
    let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
    let error = simulation.step(1.0 / 60.0).expect_err("millions of parts");
    let StepError::TooStiff { body, parts, limit } = &error else { panic!("{error}") };
    assert_eq!(body, "anvil");
    assert!(*parts > 1e6 && *limit < 1e-7, "{error}");
    assert!(error.to_string().contains("implicit solver"), "{error}");
}

#[test]
fn a_calm_body_is_never_rolled_back() {
    for integrator in Integrator::ALL {
        let mut scene = stvk_cube(integrator);
        if integrator == Integrator::QuasiStatic {
            // Without inertia, something must hold it.
            let top = Region::Box { min: [-1.0, 0.1, -1.0], max: [1.0; 3] };
            scene.bodies[0].pins = vec![Pin::hold(top)];
        }
        let (rollbacks, error) = run(&scene, Precision::F64, 0.3, |_| {});
        assert_eq!((rollbacks, error), (0, None), "{}", integrator.name());
    }
}

#[test]
fn what_flies_as_a_whole_takes_as_long_steps_as_what_rests() {
    let material = Material { law: LawKind::StVenantKirchhoff, young_modulus: 1e4, ..Material::default() };
    // Waves go at 3 m/s. What is faster than they are counts as fast, and so does what turns: its ends part from its middle.
    let parts = |velocity: f64, spin: f64| {
        let mut body = cube(Method::Tet, 3, 0.1, [0.0; 3], &material);
        (body.velocity, body.spin) = ([velocity, 0.5 * velocity, 0.0], [0.0, spin, 0.0]);
        let mut simulation =
            AnySimulation::build(&alone(body, Integrator::LeapFrog, 0.02), Precision::F32).expect("a sound scene");
        let steps = (0..20).map(|_| simulation.step(0.02).expect("a sound step").substeps);
        steps.sum::<usize>()
    };
    let at_rest = parts(0.0, 0.0);
    assert!(at_rest >= 40, "the steps are long enough to be cut: {at_rest}");
    assert_eq!(parts(2.5, 0.0), at_rest);
    assert!(parts(6.0, 0.0) > at_rest);
    assert!(parts(0.0, 30.0) > at_rest);
}
