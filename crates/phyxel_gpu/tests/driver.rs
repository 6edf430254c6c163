//! Simulations moved by a device: scenes with events and frames, skins, and what devices refuse.

mod common;

use common::{Numbers, device, difference, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::material::{Plasticity, Thermal};
use phyxel::math::Vec3;
use phyxel::scene::{
    Action, BodyHeat, Collider, ColliderShape, Event, Integrator, Method, Pin, Region, RigidBody, Scene,
};
use phyxel_gpu::{DriveError, Driver, Resident, SkinProduct};

fn double(x: &[Vec3<f32>]) -> Vec<Vec3<f64>> {
    x.iter().map(|x| Vec3(x.to_f64())).collect()
}

/// Two bodies over a floor; one is released, gravity turns, the other is pushed.
fn eventful(integrator: Integrator) -> Scene {
    let mut held = solid("held", Method::Tet, soft(laws()[2].clone()), [0.0, 0.1, 0.0]);
    held.pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [0.05, 2.0, 2.0] }));
    let mut loose = solid("loose", Method::Mls, soft(laws()[1].clone()), [1.0, 0.3, 0.0]);
    loose.spin = [0.0, 2.0, 0.0];
    for body in [&mut held, &mut loose] {
        body.contact.enabled = false;
    }
    let mut scene = scene(vec![held, loose]);
    let floor = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    scene.colliders = vec![Collider::new(floor)];
    scene.solver.integrator = integrator;
    scene.solver.step = 1.0 / 240.0;
    scene.solver.tolerance = 1e-6;
    let event = |at, body: Option<&str>, action| Event { at, body: body.map(String::from), action };
    scene.events = vec![
        event(0.05, Some("held"), Action::Release),
        event(0.08, None, Action::SetGravity([0.0, -5.0, 1.0])),
        event(0.1, Some("loose"), Action::Push([0.3, 0.0, 0.0])),
    ];
    scene
}

fn follow(integrator: Integrator, bound: f64) {
    let Some(device) = device() else { return };
    let scene = eventful(integrator);
    let what = integrator.name();
    let mut cpu = Simulation::<f32>::build(&scene).expect(what);
    let mut moved = Simulation::<f32>::build(&scene).expect(what);
    let mut driver = Driver::new(&device, &scene, &moved).expect(what);
    for frame in 1..=9 {
        let time = f64::from(frame) / 60.0;
        let (a, b) = (cpu.advance_to(time).expect(what), driver.advance_to(&mut moved, time).expect(what));
        assert_eq!((a.steps, cpu.next_event()), (b.steps, moved.next_event()), "{what} at {time}");
        assert!((moved.time() - time).abs() < 1e-9);
    }
    let error = difference(&moved.state().u, &double(&cpu.state().u));
    println!("{what}: {error:.1e}");
    assert!(error < bound, "{what}: {error:e}");
}

#[test]
fn an_eventful_scene_goes_as_on_the_cpu_when_stepped_explicitly() {
    follow(Integrator::LeapFrog, 2e-3);
}

#[test]
fn an_eventful_scene_goes_as_on_the_cpu_when_stepped_implicitly() {
    follow(Integrator::ImplicitEuler, 2e-3);
}

#[test]
fn what_devices_cannot_do_is_said_in_a_sentence() {
    let Some(device) = device() else { return };
    let mut scene = scene(vec![solid("a", Method::Tet, soft(laws()[2].clone()), [0.0; 3])]);
    scene.solver.integrator = Integrator::Rk4;
    let simulation = Simulation::<f32>::build(&scene).expect("a box");
    match Driver::new(&device, &scene, &simulation) {
        Err(DriveError::Unsupported(why)) => assert!(why.contains("rk4") && why.contains("CPU"), "{why}"),
        other => panic!("{:?}", other.err()),
    }
}

/// A box, changed, and words of the reason for which a device refuses it.
fn refused(words: &[&str], change: impl Fn(&mut Scene)) {
    let Some(device) = device() else { return };
    let mut scene = scene(vec![solid("clay", Method::Tet, soft(laws()[2].clone()), [0.0; 3])]);
    change(&mut scene);
    let simulation = Simulation::<f32>::build(&scene).expect("a scene");
    match Driver::new(&device, &scene, &simulation) {
        Err(DriveError::Unsupported(why)) => {
            assert!(why.contains("CPU") && words.iter().all(|word| why.contains(word)), "{why}");
        }
        other => panic!("{words:?}: {:?}", other.err()),
    }
}

const CLAY: Plasticity = Plasticity::Stress { yield_stress: 500.0, hardening: 100.0, relaxation_time: 0.0 };

#[test]
fn what_the_cpu_alone_can_do_is_left_to_it() {
    refused(&["clay", "temperature"], |scene| {
        scene.bodies[0].material.thermal = Some(Thermal::default());
        scene.bodies[0].heat = Some(BodyHeat::default());
    });
    refused(&["among bodies"], |scene| {
        scene.bodies.push(solid("other", Method::Tet, soft(laws()[2].clone()), [0.0, 0.4, 0.0]));
    });
    refused(&["rigid"], |scene| {
        scene.bodies[0].contact.enabled = false;
        scene.rigid_bodies.push(RigidBody::new("ball", ColliderShape::Sphere { radius: 0.1 }));
    });
}

#[test]
fn matter_that_becomes_plastic_on_the_way_flows_on_the_device() {
    let Some(device) = device() else { return };
    for method in [Method::Tet, Method::Mls] {
        let mut scene = scene(vec![solid("clay", method, soft(laws()[2].clone()), [0.0, 0.01, 0.0])]);
        scene.bodies[0].velocity = [0.0, -2.0, 0.0];
        scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
        let material = phyxel::Material { plastic: Some(CLAY), ..scene.bodies[0].material.clone() };
        scene.events = vec![Event { at: 0.03, body: Some("clay".into()), action: Action::SetMaterial(material) }];
        let mut simulation = Simulation::<f32>::build(&scene).expect("a box");
        let mut driver = Driver::new(&device, &scene, &simulation).expect("it is elastic");
        driver.advance_to(&mut simulation, 0.1).expect("devices know clay");
        let flowed: f32 = simulation.state().grains.iter().flatten().map(|g| g.plastic_strain).sum();
        assert!(flowed > 0.1, "{flowed}");
    }
}

#[test]
fn a_free_body_keeps_its_spin_where_the_method_does_not() {
    let Some(device) = device() else { return };
    let mut scene = scene(vec![solid("a", Method::Tet, soft(laws()[2].clone()), [0.0; 3])]);
    (scene.solver.integrator, scene.gravity) = (Integrator::ExplicitEuler, [0.0; 3]);
    scene.bodies[0].spin = [0.0, 12.0, 5.0];
    let changes = [true, false].map(|conserve| {
        scene.solver.conserve_momentum = conserve;
        let mut simulation = Simulation::<f32>::build(&scene).expect("a box");
        let spin = |simulation: &Simulation<f32>| Vec3(simulation.angular_momentum());
        let before = spin(&simulation);
        let mut driver = Driver::new(&device, &scene, &simulation).expect("a box");
        driver.advance_to(&mut simulation, 0.02).expect("sound steps");
        (spin(&simulation) - before).norm() / before.norm()
    });
    assert!(changes[0] < 1e-5 && changes[1] > 3.0 * changes[0], "{changes:?}");
}

#[test]
fn a_step_that_explodes_is_never_shown() {
    let Some(device) = device() else { return };
    let mut scene = scene(vec![solid("a", Method::Tet, soft(laws()[1].clone()), [0.0; 3])]);
    scene.solver.integrator = Integrator::SymplecticEuler;
    let mut simulation = Simulation::<f32>::build(&scene).expect("a box");
    simulation.state_mut().v[0] = Vec3([1e30, 0.0, 0.0]);
    let before = simulation.state().clone();
    let mut driver = Driver::new(&device, &scene, &simulation).expect("a box");
    let error = driver.advance_to(&mut simulation, 0.1).expect_err("it explodes");
    assert!(matches!(error, DriveError::Step(_)), "{error}");
    assert_eq!(simulation.state().u, before.u);
}

#[test]
fn skins_follow_and_states_come_back_while_steps_go_on() {
    let Some(device) = device() else { return };
    let scene = scene(vec![solid("a", Method::Tet, soft(laws()[2].clone()), [0.0; 3])]);
    let simulation = Simulation::<f32>::build(&scene).expect("a box");
    let resident = Resident::new(&device, simulation.model(), simulation.state()).expect("a box");
    let mut numbers = Numbers(5);
    let n = resident.node_count();
    let u: Vec<Vec3<f32>> = (0..n).map(|_| Vec3::of(numbers.vector(0.1))).collect();
    resident.set_state(&u, &vec![Vec3::zero(); n]);
    let carriers: Vec<Vec<(u32, f32)>> = (0..1000_usize)
        .map(|i| (0..1 + i % 5).map(|k| (((7 * i + 13 * k) % n) as u32, 1.0 / (1 + i % 5) as f32)).collect())
        .collect();
    let rest: Vec<[f32; 3]> = carriers.iter().map(|_| numbers.vector(1.0).map(|x| x as f32)).collect();
    let skin = SkinProduct::new(&resident, &rest, &carriers).expect("a skin");
    skin.update(&resident).expect("a product");
    let pending = resident.request_state();
    for ((found, start), own) in skin.positions(&resident).expect("points").iter().zip(&rest).zip(&carriers) {
        for a in 0..3 {
            let moved: f64 = own.iter().map(|(n, w)| f64::from(u[*n as usize].0[a]) * f64::from(*w)).sum();
            assert!((f64::from(found[a]) - f64::from(start[a]) - moved).abs() < 1e-6);
        }
    }
    assert_eq!(pending.take(&resident).expect("a state").0, u);
}
