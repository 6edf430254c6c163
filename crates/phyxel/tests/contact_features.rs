//! Groups, triggers, sleeping, sliding without catching, and the forces of contact.

use phyxel::scene::{Body, Collider, ColliderShape, Groups, Method, Pin, Region, RigidBody, Scene, Trigger};
use phyxel::shape::{Placement, Resolution, Shape};
use phyxel::{Material, Partner, Simulation};

fn block(name: &str, size: [f64; 3], spacing: f64, position: [f64; 3]) -> Body {
    let material = Material { young_modulus: 1e6, poisson_ratio: 0.3, rayleigh_stiffness: 2e-3, ..Material::default() };
    let shape = Shape::Box { size };
    let placement = Placement::at(position);
    let geometry = shape.discretise(Method::Tet, &Resolution::Size(spacing), &placement, &material).expect("a block");
    Body::new(name, geometry, Method::Tet, material)
}

fn floor() -> Collider {
    Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })
}

fn mean_velocity(simulation: &Simulation<f64>, body: usize) -> [f64; 3] {
    let frame = simulation.frame(0);
    let velocities = &frame.bodies[body].velocities;
    let sum = velocities.iter().fold([0.0; 3], |s, v| [s[0] + v[0], s[1] + v[1], s[2] + v[2]]);
    sum.map(|c| c / velocities.len() as f64)
}

#[test]
fn a_sled_without_friction_glides_over_a_bed_of_tetrahedra() {
    let mut bed = block("bed", [1.2, 0.1, 0.3], 0.05, [0.0, -0.05, 0.0]);
    bed.pins.push(Pin::hold(Region::All));
    let mut sled = block("sled", [0.2, 0.1, 0.2], 0.05, [-0.4, 0.0502, 0.01]);
    sled.velocity = [1.0, 0.0, 0.0];
    bed.contact.friction = Some(0.0);
    sled.contact.friction = Some(0.0);
    let scene = Scene { bodies: vec![bed, sled], ..Scene::default() };
    let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
    for frame in 1..=30 {
        simulation.advance_to(frame as f64 / 60.0).expect("it runs");
    }
    let v = mean_velocity(&simulation, 1);
    assert!((v[0] - 1.0).abs() < 0.02 && v[2].abs() < 0.02, "{v:?}");
}

#[test]
fn bodies_of_groups_that_do_not_touch_fall_through_each_other() {
    let low = block("low", [0.2, 0.1, 0.2], 0.05, [0.0, 0.05, 0.0]);
    let mut ghost = block("ghost", [0.1; 3], 0.05, [0.0, 0.2, 0.0]);
    ghost.contact.groups = Groups { member: 2, touches: u32::MAX };
    let mut blind = floor();
    blind.groups = Groups { member: u32::MAX, touches: 1 };
    let mut bodies = vec![low, ghost];
    bodies[0].contact.groups = Groups { member: 1, touches: 1 };
    let mut ball = RigidBody::new("ball", ColliderShape::Sphere { radius: 0.03 });
    (ball.placement, ball.groups) = (Placement::at([0.5, 0.2, 0.0]), Groups { member: 2, touches: 2 });
    let scene = Scene { bodies, colliders: vec![blind], rigid_bodies: vec![ball], ..Scene::default() };
    let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
    simulation.advance_to(0.5).expect("it runs");
    let lowest = |b: usize| {
        let nodes = simulation.model().bodies[b].nodes.clone();
        nodes.map(|n| simulation.position(n)[1]).fold(f64::INFINITY, f64::min)
    };
    assert!(lowest(0).abs() < 1e-3, "the floor holds the first: {}", lowest(0));
    let fallen = 0.15 - 0.5 * 9.81 * 0.25;
    assert!((lowest(1) - fallen).abs() < 0.05, "nothing holds the ghost: {}", lowest(1));
    assert!(simulation.rigid_bodies()[0].center[1] < -0.9, "nor the ball");
}

#[test]
fn triggers_tell_who_comes_and_goes_and_when() {
    let cube = block("cube", [0.1; 3], 0.05, [0.0, 1.0, 0.0]);
    let mut ball = RigidBody::new("ball", ColliderShape::Sphere { radius: 0.05 });
    ball.placement = Placement::at([0.4, 1.0, 0.0]);
    let ring = Trigger {
        name: "ring".into(),
        shape: ColliderShape::Box { size: [2.0, 0.2, 2.0] },
        placement: Placement::at([0.0, 0.5, 0.0]),
        groups: Groups::default(),
    };
    let scene = Scene { bodies: vec![cube], rigid_bodies: vec![ball], triggers: vec![ring], ..Scene::default() };
    let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
    simulation.advance_to(1.0).expect("it runs");
    let events = simulation.take_trigger_events();
    assert_eq!(events.len(), 4, "{events:?}");
    for who in [Partner::Body(0), Partner::Rigid(0)] {
        let own: Vec<_> = events.iter().filter(|e| e.who == who).collect();
        // From 0.95 m at rest to 0.6 m, and the top from 1.05 m to 0.4 m.
        for (event, (entered, drop)) in own.iter().zip([(true, 0.35), (false, 0.65)]) {
            let expected = (2.0f64 * drop / 9.81).sqrt();
            assert!(event.entered == entered && (event.time - expected).abs() < 0.02, "{event:?} {expected}");
        }
    }
    assert!(simulation.take_trigger_events().is_empty());
}

#[test]
fn bodies_at_rest_sleep_go_on_pressing_and_wake_when_they_are_hit() {
    let bodies = vec![
        block("low", [0.2; 3], 0.05, [0.0, 0.1, 0.0]),
        block("top", [0.1; 3], 0.05, [0.0, 0.2502, 0.0]),
        block("hammer", [0.1; 3], 0.05, [0.0, 9.0, 0.0]),
    ];
    let scene = Scene { bodies, colliders: vec![floor()], ..Scene::default() };
    let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
    simulation.advance_to(1.25).expect("it runs");
    assert!(simulation.is_asleep(0) && simulation.is_asleep(1) && !simulation.is_asleep(2));
    let force = |s: &Simulation<f64>, second: Partner| {
        let contact = s.contacts().iter().find(|c| c.first == Partner::Body(0) && c.second == second);
        contact.expect("they touch").force[1]
    };
    let (base, between) = (force(&simulation, Partner::Collider(0)), force(&simulation, Partner::Body(1)));
    assert!((base / (9.0 * 9.81) - 1.0).abs() < 0.02, "{base}");
    assert!((between / -9.81 - 1.0).abs() < 0.02, "{between}");
    // 8.65 m of fall take 1.33 s.
    simulation.advance_to(1.4).expect("it runs");
    assert!(!simulation.is_asleep(0) && !simulation.is_asleep(1), "the blow woke both");
    let snapshot = simulation.snapshot();
    simulation.advance_to(1.6).expect("it runs");
    let hash = simulation.state_hash();
    simulation.restore(&snapshot).expect("it is its own");
    simulation.advance_to(1.6).expect("it runs");
    assert_eq!(simulation.state_hash(), hash);
}

#[test]
fn friction_and_bounce_of_a_material_count_beside_those_of_a_collider() {
    let run = |friction: Option<f64>, restitution: f64| {
        let mut cube = block("cube", [0.1; 3], 0.05, [0.0, 0.05 + if restitution > 0.0 { 0.5 } else { 0.0 }, 0.0]);
        cube.velocity = [if restitution > 0.0 { 0.0 } else { 1.0 }, 0.0, 0.0];
        (cube.material.friction, cube.material.restitution) = (friction, restitution);
        let mut ground = floor();
        ground.friction = 0.4;
        let scene = Scene { bodies: vec![cube], colliders: vec![ground], ..Scene::default() };
        let mut simulation = Simulation::<f64>::build(&scene).expect("it builds");
        simulation.advance_to(if restitution > 0.0 { 0.40 } else { 0.1 }).expect("it runs");
        mean_velocity(&simulation, 0)
    };
    // Geometric mean of 0.4 and 0.1 is 0.2; unset leaves the collider's 0.4.
    assert!((run(None, 0.0)[0] - (1.0 - 0.4 * 0.981)).abs() < 0.03, "{:?}", run(None, 0.0));
    assert!((run(Some(0.1), 0.0)[0] - (1.0 - 0.2 * 0.981)).abs() < 0.03, "{:?}", run(Some(0.1), 0.0));
    assert!(run(None, 0.9)[1] > 1.0, "{:?}", run(None, 0.9));
}
