//! Bodies that fall on, press and slide along each other.

mod blocks;

use blocks::{block, floor, material};
use phyxel::scene::{Body, Collider, ColliderShape, Method, Pin, Region, Scene};
use phyxel::{Material, Simulation};

/// Lowest and highest point of a body along y.
fn span(simulation: &Simulation<f64>, body: usize) -> (f64, f64) {
    let frame = simulation.frame(0);
    let heights = frame.bodies[body].positions.iter().map(|p| p[1]);
    heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
}

#[test]
fn a_block_that_falls_on_another_comes_to_rest_on_it() {
    for method in [Method::Tet, Method::Mls] {
        let bodies = vec![
            block("low", [0.2; 3], 0.05, [0.0, 0.11, 0.0], 0.0, method),
            block("top", [0.2; 3], 0.04, [0.02, 0.40, 0.01], 0.5, method),
        ];
        let scene = Scene { bodies, colliders: vec![floor()], ..Scene::default() };
        let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
        for frame in 1..=90 {
            simulation.advance_to(frame as f64 / 60.0).expect("it goes on");
            assert!(simulation.smallest_determinant() > 0.2, "{method:?}: crushed in frame {frame}");
        }
        let (low, top) = (span(&simulation, 0), span(&simulation, 1));
        assert!(low.0 > -1e-4 && low.1 > 0.17, "{method:?}: {low:?}");
        assert!(top.0 > low.1 - 0.02 && top.0 < low.1 + 0.01, "{method:?}: {low:?} {top:?}");
        assert!(simulation.energy().kinetic_j < 0.05, "{method:?}: {:?}", simulation.energy());
    }
}

/// Two free blocks in empty space, the second at rest.
fn meeting(method: Method, speed: f64, gap: f64) -> Simulation<f64> {
    let mut bodies = vec![
        block("first", [0.2; 3], 0.05, [0.0; 3], 0.0, method),
        block("second", [0.2; 3], 0.04, [0.2 + gap, 0.03, 0.02], 0.0, method),
    ];
    bodies[0].velocity = [speed, 0.0, 0.0];
    let scene = Scene { bodies, gravity: [0.0; 3], ..Scene::default() };
    Simulation::build(&scene).expect("it is sound")
}

#[test]
fn what_one_body_loses_in_a_collision_the_other_gains() {
    for method in [Method::Tet, Method::Edge, Method::Mls] {
        let mut simulation = meeting(method, 2.0, 0.02);
        let (linear, angular) = (simulation.momentum(), simulation.angular_momentum());
        simulation.advance_to(0.3).expect("it goes on");
        let scale = linear[0];
        for a in 0..3 {
            assert!((simulation.momentum()[a] - linear[a]).abs() < 1e-9 * scale, "{method:?}: linear");
            assert!((simulation.angular_momentum()[a] - angular[a]).abs() < 1e-9 * scale, "{method:?}: angular");
        }
        let frame = simulation.frame(0);
        let mean = |b: usize| {
            let v = &frame.bodies[b].velocities;
            v.iter().map(|v| v[0]).sum::<f64>() / v.len() as f64
        };
        assert!(mean(1) > mean(0) + 0.1, "{method:?}: they part: {} {}", mean(0), mean(1));
    }
}

#[test]
fn blocks_that_overlap_at_the_start_are_pushed_apart_gently() {
    for (method, gap) in [(Method::Tet, -0.015), (Method::Tet, -0.08), (Method::Mls, -0.08)] {
        push_apart(method, gap);
    }
}

/// Blocks whose edges are 0.05 m and 0.04 m long overlap by `-gap`.
fn push_apart(method: Method, gap: f64) {
    let mut simulation = meeting(method, 0.0, gap);
    let mut fastest = 0.0_f64;
    for frame in 1..=60 {
        simulation.advance_to(frame as f64 / 60.0).expect("it goes on");
        let frame = simulation.frame(0);
        let speeds =
            frame.bodies.iter().flat_map(|b| &b.velocities).map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt());
        fastest = speeds.fold(fastest, f64::max);
    }
    let edge = |b: usize, pick: fn(f64, f64) -> f64, start: f64| {
        simulation.frame(0).bodies[b].positions.iter().map(|p| p[0]).fold(start, pick)
    };
    let (low, high) = (edge(1, f64::min, f64::INFINITY), edge(0, f64::max, f64::NEG_INFINITY));
    assert!(low > high, "{method:?}: {gap} m leave {} m", low - high);
    // Deep inside, what is pushed out at a metre a second on one side springs back on the other.
    let most = if gap > -0.02 { 2.0 } else { 3.0 };
    assert!(fastest < most, "{method:?}: {gap} m part at {fastest} m/s");
    for body in &simulation.frame(0).bodies {
        let mean = body.velocities.iter().map(|v| v[0]).sum::<f64>() / body.velocities.len() as f64;
        assert!(mean.abs() < 1.0, "{method:?}: {gap} m leave a body with {mean} m/s");
    }
}

#[test]
fn a_small_cube_at_a_hundred_metres_a_second_does_not_pass_a_thin_wall() {
    let bullet = || {
        let mut cube = block("bullet", [0.01; 3], 0.005, [-0.5, 0.003, 0.002], 0.0, Method::Tet);
        cube.velocity = [100.0, 0.0, 0.0];
        cube.material = Material { young_modulus: 1e7, ..material(1e7) };
        cube
    };
    let farthest = |bodies: Vec<Body>, colliders: Vec<Collider>| {
        let mut scene = Scene { bodies, colliders, gravity: [0.0; 3], ..Scene::default() };
        scene.solver.step = 1.0 / 60.0;
        let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
        simulation.advance_to(0.1).expect("it goes on");
        let frame = simulation.frame(0);
        frame.bodies[0].positions.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max)
    };
    let rigid = Collider::new(ColliderShape::Box { size: [0.01, 0.4, 0.4] });
    let reached = farthest(vec![bullet()], vec![rigid]);
    assert!(reached < 0.0, "the collider let it through to {reached} m");
    let mut wall = block("wall", [0.01, 0.2, 0.2], 0.01, [0.0; 3], 0.0, Method::Tet);
    wall.material = Material { young_modulus: 1e9, density: 7800.0, ..material(1e9) };
    let held = |low: f64, high: f64| Pin::hold(Region::Box { min: [-1.0, low, -1.0], max: [1.0, high, 1.0] });
    wall.pins = vec![held(-1.0, -0.095), held(0.095, 1.0)];
    let reached = farthest(vec![bullet(), wall], Vec::new());
    assert!(reached < 0.05, "the wall let it through to {reached} m");
}

#[test]
fn contact_has_the_same_bits_on_any_number_of_threads_and_after_a_snapshot() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let run = |threads: usize| {
        pool(threads).install(|| {
            let mut simulation = meeting(Method::Tet, 2.0, 0.02);
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
    assert_eq!(straight, resumed, "a snapshot taken in contact");
    for threads in [2, 3] {
        assert_eq!(run(threads).0, straight, "{threads} threads");
    }
}
