//! Rigid bodies among soft ones: they press, bounce, roll and hang, and momentum goes nowhere.

use phyxel::scene::{Attachment, Body, Collider, ColliderShape, Integrator, Method, Region, RigidBody, Scene};
use phyxel::shape::{Placement, Resolution, Shape};
use phyxel::{Material, Partner, Simulation};

fn soft_block(method: Method, size: [f64; 3], at: [f64; 3], spacing: f64, young_modulus: f64) -> Body {
    let material = Material { young_modulus, poisson_ratio: 0.3, ..Material::default() };
    let block = Shape::Box { size };
    let geometry =
        block.discretise(method, &Resolution::Size(spacing), &Placement::at(at), &material).expect("a block");
    Body::new("block", geometry, method, material)
}

fn ball(radius: f64, at: [f64; 3], density: f64) -> RigidBody {
    let mut ball = RigidBody::new("ball", ColliderShape::Sphere { radius });
    (ball.placement, ball.density) = (Placement::at(at), density);
    ball
}

fn floor() -> Collider {
    Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })
}

#[test]
fn a_ball_dropped_on_a_soft_block_dents_it_and_bounces() {
    for method in [Method::Tet, Method::Mls] {
        let mut scene = Scene {
            bodies: vec![soft_block(method, [0.3, 0.1, 0.3], [0.0, 0.05, 0.0], 0.025, 5e4)],
            rigid_bodies: vec![ball(0.05, [0.0, 0.25, 0.0], 2000.0)],
            colliders: vec![floor()],
            ..Scene::default()
        };
        scene.solver.step = 1.0 / 240.0;
        let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
        let (mut lowest, mut fastest_up) = (1.0f64, 0.0f64);
        for k in 1..=240 {
            simulation.advance_to(k as f64 / 240.0).expect("it runs");
            let ball = simulation.rigid_bodies()[0];
            lowest = lowest.min(ball.center[1]);
            fastest_up = fastest_up.max(ball.velocity[1]);
        }
        let at_rest = simulation.rigid_bodies()[0];
        println!("{method:?}: lowest {lowest}, up {fastest_up}, end {:?} {:?}", at_rest.center, at_rest.velocity);
        assert!(lowest < 0.145 && lowest > 0.11, "{method:?}: it dents the block: {lowest}");
        assert!(fastest_up > 0.2, "{method:?}: it bounces: {fastest_up}");
        assert!(at_rest.center[1] > 0.13, "{method:?}: it does not sink in");
    }
}

#[test]
fn momentum_of_a_ball_and_a_block_in_space_is_kept() {
    for integrator in [Integrator::ImplicitEuler, Integrator::ImplicitMidpoint] {
        let mut scene = Scene {
            bodies: vec![soft_block(Method::Tet, [0.2, 0.2, 0.2], [0.0; 3], 0.05, 1e5)],
            rigid_bodies: vec![ball(0.05, [-0.2, 0.02, 0.0], 1000.0)],
            gravity: [0.0; 3],
            ..Scene::default()
        };
        scene.rigid_bodies[0].velocity = [3.0, 0.0, 0.0];
        scene.solver.integrator = integrator;
        scene.solver.step = 1.0 / 240.0;
        let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
        let before = simulation.momentum();
        simulation.advance_to(0.3).expect("it runs");
        let after = simulation.momentum();
        let ball = simulation.rigid_bodies()[0].velocity;
        println!("{integrator:?}: {before:?} {after:?}, ball {ball:?}");
        for a in 0..3 {
            assert!((after[a] - before[a]).abs() < 1e-9 * before[0], "{before:?} {after:?}");
        }
        assert!(ball[0] < 1.0, "the ball gave its momentum away: {ball:?}");
    }
}

#[test]
fn a_heavy_soft_cube_rests_on_a_light_rigid_box_on_the_floor() {
    let mut scene = Scene {
        bodies: vec![soft_block(Method::Tet, [0.1; 3], [0.0, 0.151, 0.0], 0.025, 2e5)],
        colliders: vec![floor()],
        ..Scene::default()
    };
    let mut table = RigidBody::new("table", ColliderShape::Box { size: [0.2, 0.1, 0.2] });
    (table.placement, table.density) = (Placement::at([0.0, 0.05, 0.0]), 20.0);
    scene.rigid_bodies.push(table);
    scene.solver.step = 1.0 / 120.0;
    let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
    simulation.advance_to(2.0).expect("it runs");
    let table = simulation.rigid_bodies()[0];
    let lowest = (0..simulation.model().node_count()).map(|n| simulation.position(n)[1]).fold(1.0, f64::min);
    println!("table {:?} {:?}, lowest node {lowest}", table.center, table.velocity);
    assert!((table.center[1] - 0.05).abs() < 2e-3 && table.velocity.norm() < 2e-2);
    assert!((lowest - 0.1).abs() < 2e-3, "{lowest}");
    let weight = 0.1f64.powi(3) * 1000.0 * 9.81;
    let contact = simulation.contacts().iter().find(|c| c.second == Partner::Rigid(0)).expect("they touch");
    println!("{contact:?}");
    assert!((contact.force[1] / weight - 1.0).abs() < 0.05, "{contact:?}");
}

#[test]
fn a_ball_hangs_from_a_soft_rope_until_the_tie_tears() {
    for strength in [f64::INFINITY, 0.4] {
        let mut block = soft_block(Method::Tet, [0.05, 0.3, 0.05], [0.0, 0.15, 0.0], 0.025, 1e5);
        block.pins.push(phyxel::scene::Pin::hold(Region::Box { min: [-1.0, 0.299, -1.0], max: [1.0, 1.0, 1.0] }));
        let end = Region::Box { min: [-1.0, -0.001, -1.0], max: [1.0, 0.001, 1.0] };
        let tie = Attachment { body: "block".into(), region: end, to: "ball".into(), strength };
        let mut scene = Scene {
            bodies: vec![block],
            rigid_bodies: vec![ball(0.05, [0.0, -0.055, 0.0], 1000.0)],
            attachments: vec![tie],
            ..Scene::default()
        };
        scene.solver.step = 1.0 / 120.0;
        let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
        simulation.advance_to(1.5).expect("it runs");
        let height = simulation.rigid_bodies()[0].center[1];
        println!("strength {strength}: {height}");
        if strength.is_finite() {
            assert!(height < -1.0, "nine nodes of {strength} N do not hold 5 N: {height}");
        } else {
            assert!((-0.2..-0.05).contains(&height), "it hangs: {height}");
        }
    }
}
