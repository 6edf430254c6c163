//! Bodies that fall on, press and slide along each other in position-based and explicit steps.

mod blocks;

use blocks::{block, floor, material};
use phyxel::scene::{Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::{Material, Simulation};

const SOLVERS: [Integrator; 2] = [Integrator::Xpbd, Integrator::Verlet];

fn by(integrator: Integrator) -> SolverSettings {
    SolverSettings { integrator, step: 1.0 / 60.0, ..SolverSettings::default() }
}

/// Lowest and highest point of a body along an axis.
fn span(simulation: &Simulation<f64>, body: usize, axis: usize) -> (f64, f64) {
    let frame = simulation.frame(0);
    let at = frame.bodies[body].positions.iter().map(|p| p[axis]);
    at.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c)))
}

/// Mean velocity of a body's nodes along an axis.
fn mean_velocity(simulation: &Simulation<f64>, body: usize, axis: usize) -> f64 {
    let frame = simulation.frame(0);
    let v = &frame.bodies[body].velocities;
    v.iter().map(|v| v[axis]).sum::<f64>() / v.len() as f64
}

#[test]
fn a_block_that_falls_on_another_comes_to_rest_on_it() {
    for integrator in SOLVERS {
        for method in [Method::Tet, Method::Mls] {
            let bodies = vec![
                block("low", [0.2; 3], 0.05, [0.0, 0.1, 0.0], 0.0, method),
                block("top", [0.2; 3], 0.04, [0.004, 0.32, 0.002], 0.5, method),
            ];
            let scene = Scene { bodies, colliders: vec![floor()], solver: by(integrator), ..Scene::default() };
            let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
            let name = format!("{} {method:?}", integrator.name());
            for frame in 1..=90 {
                simulation.advance_to(frame as f64 / 60.0).expect("it goes on");
                assert!(simulation.smallest_determinant() > 0.1, "{name}: crushed in frame {frame}");
            }
            let (low, top) = (span(&simulation, 0, 1), span(&simulation, 1, 1));
            assert!(low.0 > -1e-4 && low.1 > 0.17, "{name}: {low:?}");
            assert!(top.0 > low.1 - 0.02 && top.0 < low.1 + 0.01, "{name}: {low:?} {top:?}");
            assert!(simulation.energy().kinetic_j < 0.05, "{name}: {:?}", simulation.energy());
        }
    }
}

/// Two free blocks in empty space, the second at rest.
fn meeting(method: Method, integrator: Integrator, speed: f64, gap: f64) -> Simulation<f64> {
    let mut bodies = vec![
        block("first", [0.2; 3], 0.05, [0.0; 3], 0.0, method),
        block("second", [0.2; 3], 0.04, [0.2 + gap, 0.03, 0.02], 0.0, method),
    ];
    bodies[0].velocity = [speed, 0.0, 0.0];
    let scene = Scene { bodies, gravity: [0.0; 3], solver: by(integrator), ..Scene::default() };
    Simulation::build(&scene).expect("it is sound")
}

#[test]
fn what_one_body_loses_in_a_collision_the_other_gains_and_energy_only_falls() {
    let explicit = [Integrator::SymplecticEuler, Integrator::LeapFrog, Integrator::Rk2, Integrator::Rk4];
    for integrator in SOLVERS.into_iter().chain([Integrator::Pbd]).chain(explicit) {
        for method in [Method::Tet, Method::Edge, Method::Mls] {
            if !SOLVERS.contains(&integrator) && method != Method::Tet {
                continue;
            }
            let mut simulation = meeting(method, integrator, 2.0, 0.02);
            let (linear, angular) = (simulation.momentum(), simulation.angular_momentum());
            let before = simulation.energy();
            let name = format!("{} {method:?}", integrator.name());
            for k in 1..=15 {
                simulation.advance_to(0.02 * k as f64).expect("it goes on");
                let energy = simulation.energy();
                let (now, first) = (energy.kinetic_j + energy.elastic_j, before.kinetic_j + before.elastic_j);
                assert!(now < 1.001 * first, "{name}: {now} J of {first} J at {} s", simulation.time());
            }
            let scale = linear[0];
            for a in 0..3 {
                let change = simulation.momentum()[a] - linear[a];
                assert!(change.abs() < 1e-9 * scale, "{name}: linear by {change}");
                let change = simulation.angular_momentum()[a] - angular[a];
                assert!(change.abs() < 1e-9 * scale, "{name}: angular by {change}");
            }
            let (first, second) = (mean_velocity(&simulation, 0, 0), mean_velocity(&simulation, 1, 0));
            assert!(second > first + 0.1, "{name}: they part: {first} {second}");
        }
    }
}

#[test]
fn blocks_that_overlap_at_the_start_are_pushed_apart_gently() {
    for integrator in SOLVERS {
        let mut simulation = meeting(Method::Tet, integrator, 0.0, -0.015);
        let mut fastest = 0.0_f64;
        for frame in 1..=60 {
            simulation.advance_to(frame as f64 / 60.0).expect("it goes on");
            let frame = simulation.frame(0);
            let speeds =
                frame.bodies.iter().flat_map(|b| &b.velocities).map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt());
            fastest = speeds.fold(fastest, f64::max);
        }
        let name = integrator.name();
        assert!(span(&simulation, 1, 0).0 > span(&simulation, 0, 0).1, "{name}: they are apart");
        assert!(fastest < 2.0, "{name}: {fastest} m/s");
    }
}

#[test]
fn a_small_cube_at_a_hundred_metres_a_second_does_not_pass_a_thin_wall() {
    let undamped = |young_modulus: f64| Material { rayleigh_stiffness: 0.0, ..material(young_modulus) };
    for integrator in SOLVERS {
        let mut bullet = block("bullet", [0.01; 3], 0.005, [-0.5, 0.003, 0.002], 0.0, Method::Tet);
        bullet.velocity = [100.0, 0.0, 0.0];
        bullet.material = undamped(1e7);
        let mut wall = block("wall", [0.01, 0.2, 0.2], 0.01, [0.0; 3], 0.0, Method::Tet);
        wall.material = Material { density: 7800.0, ..undamped(1e9) };
        let held = |low: f64, high: f64| Pin::hold(Region::Box { min: [-1.0, low, -1.0], max: [1.0, high, 1.0] });
        wall.pins = vec![held(-1.0, -0.095), held(0.095, 1.0)];
        let scene = Scene { bodies: vec![bullet, wall], gravity: [0.0; 3], solver: by(integrator), ..Scene::default() };
        let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
        simulation.advance_to(0.1).expect("it goes on");
        let reached = span(&simulation, 0, 0).1;
        assert!(reached < 0.05, "{}: the wall let it through to {reached} m", integrator.name());
    }
}

#[test]
fn a_block_slides_on_another_as_coulomb_says() {
    for integrator in SOLVERS {
        for friction in [0.0, 0.3] {
            let mut bed = block("bed", [1.2, 0.1, 0.3], 0.05, [0.4, -0.05, 0.0], 0.0, Method::Tet);
            bed.pins = vec![Pin::hold(Region::All)];
            let mut sled = block("sled", [0.2, 0.1, 0.2], 0.05, [0.0, 0.051, 0.012], 0.0, Method::Tet);
            sled.velocity = [1.0, 0.0, 0.0];
            let mut bodies = vec![bed, sled];
            bodies.iter_mut().for_each(|b| b.contact.friction = Some(friction));
            let scene = Scene { bodies, solver: by(integrator), ..Scene::default() };
            let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
            simulation.advance_to(0.1).expect("it goes on");
            let before = mean_velocity(&simulation, 1, 0);
            simulation.advance_to(0.25).expect("it goes on");
            let slowed = (before - mean_velocity(&simulation, 1, 0)) / 0.15;
            let name = integrator.name();
            assert!((slowed - 9.81 * friction).abs() < 0.25, "{name}, friction {friction}: slowed by {slowed} m/s²");
        }
    }
}

#[test]
fn contact_has_the_same_bits_on_any_number_of_threads_and_after_a_snapshot() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    for integrator in SOLVERS {
        let run = |threads: usize| {
            pool(threads).install(|| {
                let mut simulation = meeting(Method::Tet, integrator, 2.0, 0.02);
                simulation.advance_to(0.05).expect("it goes on");
                let snapshot = simulation.snapshot();
                simulation.advance_to(0.1).expect("it goes on");
                let straight = simulation.state_hash();
                simulation.restore(&snapshot).expect("its own snapshot");
                simulation.advance_to(0.1).expect("it goes on");
                (straight, simulation.state_hash())
            })
        };
        let (straight, resumed) = run(1);
        assert_eq!(straight, resumed, "{}: a snapshot taken in contact", integrator.name());
        for threads in [2, 3] {
            assert_eq!(run(threads).0, straight, "{}: {threads} threads", integrator.name());
        }
    }
}
