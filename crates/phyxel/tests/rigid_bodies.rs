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

#[test]
fn balls_fall_on_blocks_and_hang_in_position_based_and_explicit_steps_too() {
    for integrator in [Integrator::Xpbd, Integrator::Verlet] {
        let mut block = soft_block(Method::Tet, [0.2, 0.1, 0.2], [0.0, 0.05, 0.0], 0.05, 5e4);
        block.material.rayleigh_mass = 4.0;
        let mut scene = Scene {
            bodies: vec![block],
            rigid_bodies: vec![ball(0.05, [0.0, 0.2, 0.0], 1000.0)],
            colliders: vec![floor()],
            ..Scene::default()
        };
        scene.solver.integrator = integrator;
        let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
        simulation.advance_to(1.0).expect("it runs");
        let center = simulation.rigid_bodies()[0].center;
        assert!(center[1] > 0.11 && center[1] < 0.16, "{integrator:?}: the ball lies on the block: {center:?}");
        let held =
            simulation.contacts().iter().find(|c| c.second == Partner::Collider(0)).expect("it lies on the floor");
        let weight = 9.81 * (4.0 + 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3));
        assert!((held.force[1] / weight - 1.0).abs() < 0.3, "{integrator:?}: {held:?}, weight {weight}");
    }
    for integrator in [Integrator::Xpbd, Integrator::Verlet] {
        let block = soft_block(Method::Tet, [0.1, 0.1, 0.1], [0.0; 3], 0.05, 1e5);
        let tie = Attachment { body: "block".into(), region: Region::All, to: "ball".into(), strength: f64::INFINITY };
        let mut scene = Scene {
            bodies: vec![block],
            rigid_bodies: vec![ball(0.02, [0.3, 0.0, 0.0], 30_000.0)],
            attachments: vec![tie],
            gravity: [0.0; 3],
            ..Scene::default()
        };
        scene.rigid_bodies[0].velocity = [1.0, 0.0, 0.0];
        scene.solver.integrator = integrator;
        let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
        let before = simulation.momentum();
        simulation.advance_to(0.2).expect("it runs");
        let after = simulation.momentum();
        assert!((after[0] - before[0]).abs() < 1e-6 * before[0], "{integrator:?}: {before:?} {after:?}");
        let moved = simulation.position(0)[0] + 0.05;
        assert!(moved > 0.02, "{integrator:?}: the ball takes the block along: {moved}");
    }
}

#[test]
fn rigid_bodies_have_the_same_bits_after_a_snapshot() {
    let mut scene = Scene {
        bodies: vec![soft_block(Method::Tet, [0.2, 0.1, 0.2], [0.0, 0.05, 0.0], 0.05, 5e4)],
        rigid_bodies: vec![ball(0.05, [0.0, 0.2, 0.0], 1000.0), ball(0.04, [0.02, 0.32, 0.0], 500.0)],
        colliders: vec![floor()],
        ..Scene::default()
    };
    scene.rigid_bodies[1].name = "small".into();
    let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
    simulation.advance_to(0.3).expect("it runs");
    let snapshot = simulation.snapshot();
    simulation.advance_to(0.6).expect("it runs");
    let hash = simulation.state_hash();
    let mut other = Simulation::<f64>::build(&scene).expect("it builds");
    other.restore(&snapshot).expect("it is of the same scene");
    other.advance_to(0.6).expect("it runs");
    assert_eq!(other.state_hash(), hash);
}

#[test]
fn what_cannot_be_rigid_or_tied_is_refused_with_a_remedy() {
    let sound = || Scene {
        bodies: vec![soft_block(Method::Tet, [0.1; 3], [0.0; 3], 0.05, 1e5)],
        rigid_bodies: vec![ball(0.05, [0.0, 1.0, 0.0], 1000.0)],
        ..Scene::default()
    };
    let tie =
        |to: &str, strength: f64| Attachment { body: "block".into(), region: Region::All, to: to.into(), strength };
    type Spoil = Box<dyn Fn(&mut Scene)>;
    let cases: Vec<(Spoil, &str)> = vec![
        (Box::new(|s| s.rigid_bodies[0].density = 0.0), "above zero"),
        (Box::new(|s| s.rigid_bodies[0].shape = ColliderShape::Sphere { radius: f64::NAN }), "radius"),
        (Box::new(|s| s.rigid_bodies[0].shape = ColliderShape::Box { size: [0.0, 1.0, 1.0] }), "edge length"),
        (Box::new(|s| s.rigid_bodies[0].friction = -1.0), "zero or more"),
        (Box::new(|s| s.rigid_bodies[0].restitution = 2.0), "from zero to one"),
        (Box::new(|s| s.rigid_bodies[0].name = "block".into()), "name of its own"),
        (Box::new(|s| s.rigid_bodies[0].velocity[1] = f64::INFINITY), "velocity"),
        (
            Box::new(|s| s.rigid_bodies[0].shape = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 }),
            "make it a collider",
        ),
        (Box::new(|s| s.solver.integrator = Integrator::QuasiStatic), "dynamic solver"),
        (Box::new(move |s| s.attachments.push(tie("nobody", 1.0))), "nobody"),
        (Box::new(move |s| s.attachments.push(tie("ball", 0.0))), "above zero"),
        (Box::new(|s| s.bodies[0].material.friction = Some(-0.5)), "zero or more"),
        (Box::new(|s| s.solver.sleep_speed = -1.0), "zero or more"),
    ];
    for (spoil, wanted) in cases {
        let mut scene = sound();
        spoil(&mut scene);
        let error = Simulation::<f64>::build(&scene).err().expect("it is refused").to_string();
        assert!(error.contains(wanted), "{error:?} should say {wanted:?}");
    }
}
