//! Contact among bodies that settles by impulses, in a few solves per step: bodies whose solves are measured by momentum.

mod blocks;

use blocks::{block, floor};
use phyxel::scene::{Method, Pin, Region, RelativeTo, Scene};
use phyxel::{Simulation, StepReport};

/// The scene with steps of 2 ms, solved by momentum or by what a step changes.
fn start(mut scene: Scene, relative_to: RelativeTo) -> Simulation<f64> {
    scene.solver.step = 2e-3;
    scene.solver.relative_to = relative_to;
    scene.solver.sleep_speed = 0.0;
    Simulation::build(&scene).expect("it is sound")
}

/// Two free blocks, the first of which flies into the second, which is so much beside its way.
fn impact(beside: [f64; 2]) -> Scene {
    let method = Method::Mls;
    let mut bodies = vec![
        block("first", [0.2; 3], 0.05, [0.0; 3], 0.0, method),
        block("second", [0.2; 3], 0.04, [0.21, beside[0], beside[1]], 0.0, method),
    ];
    bodies[0].velocity = [4.0, 0.0, 0.0];
    Scene { bodies, gravity: [0.0; 3], ..Scene::default() }
}

/// The extent of a body along an axis, and its mean velocity.
fn extent(simulation: &Simulation<f64>, body: usize, axis: usize) -> (f64, f64, f64) {
    let body = &simulation.frame(0).bodies[body];
    let along = || body.positions.iter().map(|p| p[axis]);
    let speed = body.velocities.iter().map(|v| v[axis]).sum::<f64>() / body.velocities.len() as f64;
    (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max), speed)
}

#[test]
fn an_impact_keeps_momentum_creates_no_energy_and_passes_no_surface() {
    // Faces that cover each other: what lies beside the other body could pass it.
    let mut simulation = start(impact([0.0; 2]), RelativeTo::Momentum);
    let (linear, angular) = (simulation.momentum(), simulation.angular_momentum());
    let energy = |s: &Simulation<f64>| s.energy().kinetic_j + s.energy().elastic_j;
    let mut last = energy(&simulation);
    let first = last;
    let mut deepest = 0.0_f64;
    for step in 0..100 {
        simulation.step(2e-3).expect("it goes on");
        let now = energy(&simulation);
        assert!(now < last + 1e-3 * first, "{last} J become {now} J in step {step}");
        last = now;
        deepest = deepest.max(extent(&simulation, 0, 0).1 - extent(&simulation, 1, 0).0);
    }
    // A tenth of an edge is what a step may leave to the next one.
    assert!(deepest < 0.0025, "{deepest} m deep");
    for a in 0..3 {
        assert!((simulation.momentum()[a] - linear[a]).abs() < 1e-9 * linear[0], "linear");
        assert!((simulation.angular_momentum()[a] - angular[a]).abs() < 1e-9 * linear[0], "angular");
    }
    let (one, other) = (extent(&simulation, 0, 0).2, extent(&simulation, 1, 0).2);
    assert!(other > one + 0.5, "they part at {one} and {other} m/s");
}

#[test]
fn it_takes_fewer_solves_and_ends_alike() {
    let run = |relative_to| {
        let mut simulation = start(impact([0.03, 0.02]), relative_to);
        let mut report = StepReport::default();
        for _ in 0..60 {
            report.merge(&simulation.step(2e-3).expect("it goes on"));
        }
        (report.solves, extent(&simulation, 0, 0).2, extent(&simulation, 1, 0).2)
    };
    let (few, many) = (run(RelativeTo::Momentum), run(RelativeTo::Change));
    assert!(few.0 < many.0, "{} solves instead of {}", few.0, many.0);
    assert!((few.1 - many.1).abs() < 0.08 && (few.2 - many.2).abs() < 0.08, "{few:?} instead of {many:?}");
}

#[test]
fn a_block_slides_on_another_as_coulomb_says() {
    for friction in [0.0, 0.3] {
        let mut bed = block("bed", [1.2, 0.1, 0.3], 0.05, [0.4, -0.05, 0.0], 0.0, Method::Mls);
        bed.pins = vec![Pin::hold(Region::All)];
        let mut sled = block("sled", [0.2, 0.1, 0.2], 0.05, [0.0, 0.051, 0.012], 0.0, Method::Mls);
        sled.velocity = [1.0, 0.0, 0.0];
        let mut bodies = vec![bed, sled];
        bodies.iter_mut().for_each(|b| b.contact.friction = Some(friction));
        let mut simulation = start(Scene { bodies, ..Scene::default() }, RelativeTo::Momentum);
        simulation.advance_to(0.1).expect("it goes on");
        let before = extent(&simulation, 1, 0).2;
        simulation.advance_to(0.25).expect("it goes on");
        let slowed = (before - extent(&simulation, 1, 0).2) / 0.15;
        assert!((slowed - 9.81 * friction).abs() < 0.25, "friction {friction}: slowed by {slowed} m/s²");
    }
}

#[test]
fn a_pile_stands_as_high_as_one_that_is_solved_to_the_end() {
    let height = |relative_to| {
        let blocks = (0..3).map(|k| {
            block(["low", "middle", "top"][k], [0.1; 3], 0.05, [0.0, 0.0505 + 0.101 * k as f64, 0.0], 0.0, Method::Mls)
        });
        let scene = Scene { bodies: blocks.collect(), colliders: vec![floor()], ..Scene::default() };
        let mut simulation = start(scene, relative_to);
        for _ in 0..500 {
            simulation.step(2e-3).expect("it goes on");
        }
        assert!(simulation.energy().kinetic_j < 1e-3, "{relative_to:?}: {:?}", simulation.energy());
        extent(&simulation, 2, 1).1
    };
    let (few, many) = (height(RelativeTo::Momentum), height(RelativeTo::Change));
    assert!((few - many).abs() < 5e-4, "{few} m instead of {many} m");
}

#[test]
fn it_has_the_same_bits_on_any_number_of_threads_and_after_a_snapshot() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let run = |threads: usize| {
        pool(threads).install(|| {
            let mut simulation = start(impact([0.03, 0.02]), RelativeTo::Momentum);
            simulation.advance_to(0.02).expect("it goes on");
            let snapshot = simulation.snapshot();
            simulation.advance_to(0.04).expect("it goes on");
            let straight = simulation.state_hash();
            simulation.restore(&snapshot).expect("its own snapshot");
            simulation.advance_to(0.04).expect("it goes on");
            (straight, simulation.state_hash())
        })
    };
    let (straight, resumed) = run(1);
    assert_eq!(straight, resumed, "a snapshot taken in contact");
    assert_eq!(run(3).0, straight, "three threads");
}
