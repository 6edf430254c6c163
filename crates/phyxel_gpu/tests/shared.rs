//! Scenes of which the device moves some bodies and the processor the others, at the same time.

mod common;

use common::{device, difference, laws, scene, soft, solid};
use phyxel::material::plastic::Plasticity;
use phyxel::math::Vec3;
use phyxel::scene::{Action, Collider, ColliderShape, Event, Integrator, Method, Pin, Place, Region, Scene};
use phyxel::{Material, Simulation};
use phyxel_gpu::{DriveError, Driver};

/// Three bodies that do not touch each other over a floor: one for anybody, one that devices cannot do because it may touch itself,
/// one for the processor; gravity turns on the way and one is let go.
fn three(integrator: Integrator) -> Scene {
    let clay = Plasticity::Stress { yield_stress: 500.0, hardening: 100.0, relaxation_time: 0.0 };
    let mut held = solid("held", Method::Tet, soft(laws()[2].clone()), [0.0, 0.1, 0.0]);
    held.pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [0.05, 2.0, 2.0] }));
    let material = Material { plastic: Some(clay), ..soft(laws()[2].clone()) };
    let mut clay = solid("clay", Method::Tet, material, [1.0, 0.01, 0.0]);
    clay.contact.self_contact = true;
    // Implicit steps that put in energy are solved again, all bodies of a simulation together: no such blow there.
    if integrator == Integrator::LeapFrog {
        clay.velocity = [0.0, -2.0, 0.0];
    }
    let mut other = solid("other", Method::Edge, soft(laws()[3].clone()), [2.0, 0.05, 0.0]);
    other.place = Place::Cpu;
    let mut scene = scene(vec![held, clay, other]);
    scene.bodies.iter_mut().for_each(|b| b.contact.enabled = b.contact.self_contact);
    scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
    scene.solver.integrator = integrator;
    scene.solver.step = if integrator == Integrator::ImplicitEuler { 0.005 } else { 2e-4 };
    scene.solver.tolerance = 1e-6;
    scene.events = vec![
        Event { at: 0.02, body: None, action: Action::SetGravity([0.0, -6.0, 3.0]) },
        Event { at: 0.03, body: Some("held".into()), action: Action::Release },
    ];
    scene
}

fn double(x: &[Vec3<f32>]) -> Vec<Vec3<f64>> {
    x.iter().map(|x| Vec3(x.to_f64())).collect()
}

#[test]
fn the_device_and_the_processor_move_one_scene_together() {
    let Some(device) = device() else { return };
    for integrator in [Integrator::LeapFrog, Integrator::ImplicitEuler] {
        let what = integrator.name();
        let scene = three(integrator);
        let mut cpu = Simulation::<f32>::build(&scene).expect(what);
        let mut shared = Simulation::<f32>::build(&scene).expect(what);
        let mut driver = Driver::new(&device, &scene, &shared).expect(what);
        assert!(driver.is_shared());
        assert_eq!(driver.resident().node_count(), cpu.model().bodies[0].nodes.len());
        for time in [0.025, 0.05] {
            let report = driver.advance_to(&mut shared, time).expect(what);
            cpu.advance_to(time).expect(what);
            assert!(report.steps > 0 && (shared.time() - time).abs() < 1e-9);
        }
        let error = difference(&shared.state().u, &double(&cpu.state().u));
        println!("{what}: {error:.1e}");
        assert!(error < 1e-4, "{what}: {error:e}");
        let flowed = |s: &Simulation<f32>| s.state().grains.iter().flatten().map(|g| g.plastic_strain).sum::<f32>();
        let (found, expected) = (flowed(&shared), flowed(&cpu));
        assert!((found - expected).abs() <= 1e-3 * expected, "{found} {expected}");
        assert!(expected > 0.0 || integrator != Integrator::LeapFrog);
    }
}

#[test]
fn who_insists_on_the_device_is_told_why_not() {
    let Some(device) = device() else { return };
    let mut scene = three(Integrator::LeapFrog);
    scene.bodies[1].place = Place::Gpu;
    let simulation = Simulation::<f32>::build(&scene).expect("three bodies");
    let refused = Driver::new(&device, &scene, &simulation).err();
    assert!(
        matches!(&refused, Some(DriveError::Unsupported(why)) if why.contains("clay") && why.contains("contact among bodies")),
        "{refused:?}"
    );
    // Nothing is left for a device where all bodies can touch each other.
    scene.bodies[1].place = Place::Auto;
    scene.bodies.iter_mut().for_each(|b| b.contact.enabled = true);
    let simulation = Simulation::<f32>::build(&scene).expect("three bodies");
    let refused = Driver::new(&device, &scene, &simulation).err();
    assert!(matches!(refused, Some(DriveError::Unsupported(_))), "{refused:?}");
}

/// Whoever is faster here: all bodies move as they do on the processor, and the one that insists on the device is there.
#[test]
fn bodies_go_where_they_have_been_seen_to_be_faster() {
    let Some(device) = device() else { return };
    let mut scene = three(Integrator::LeapFrog);
    scene.bodies[0].place = Place::Gpu;
    let mut cpu = Simulation::<f32>::build(&scene).expect("three bodies");
    let mut shared = Simulation::<f32>::build(&scene).expect("three bodies");
    let mut driver = Driver::balanced(&device, &scene, &shared).expect("a place for each");
    assert!(driver.resident().node_count() >= cpu.model().bodies[0].nodes.len());
    assert_eq!(shared.time(), 0.0, "watching moves copies");
    driver.advance_to(&mut shared, 0.01).expect("steps");
    cpu.advance_to(0.01).expect("steps");
    let error = difference(&shared.state().u, &double(&cpu.state().u));
    assert!(error < 1e-4, "{error:e}");
    // Where the processor must take all of it, that is said.
    scene.bodies.iter_mut().for_each(|b| b.place = Place::Cpu);
    let told = Driver::balanced(&device, &scene, &shared).err();
    assert!(matches!(told, Some(DriveError::Unsupported(_))), "{told:?}");
}
