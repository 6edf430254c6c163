//! Whole scenes, stepped explicitly on the device and on the CPU, both in f32.

mod common;

use common::{device, difference, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::material::Material;
use phyxel::math::Vec3;
use phyxel::scene::{Body, Collider, ColliderShape, Groups, Integrator, Method, Pin, Region, Scene};
use phyxel::shape::Placement;
use phyxel_gpu::{Explicit, Resident};

const STEPS: usize = 100;

/// After [`STEPS`] steps, the device is as near to the CPU in f64 as this part of the largest motion, or three times as far as
/// the CPU's f32 is: who touches a surface in which step hangs on roundings, and motion multiplies them (velocities more than places).
const BOUND: f64 = 1e-4;

fn compare(scene: &Scene, dt: f64, what: &str) {
    let Some(device) = device() else { return };
    let mut cpu = Simulation::<f32>::build(scene).expect(what);
    let mut truth = Simulation::<f64>::build(scene).expect(what);
    assert!(cpu.stable_step() > dt, "{what}: {dt} is too long a step");
    let integrator = scene.solver.integrator;
    let resident = Resident::new(&device, cpu.model(), cpu.state()).expect(what);
    let explicit = Explicit::new(&resident, cpu.model(), &scene.colliders, integrator).expect(what);
    // Two runs, because a run begins and ends differently from its middle.
    explicit.run(&resident, 0.0, dt, 33).expect(what);
    explicit.run(&resident, 33.0 * dt, dt, STEPS - 33).expect(what);
    for _ in 0..STEPS {
        cpu.step(dt).expect(what);
        truth.step(dt).expect(what);
    }
    let (u, v) = resident.state().expect(what);
    let of = |u: &[Vec3<f32>], v: &[Vec3<f32>]| [difference(u, &truth.state().u), difference(v, &truth.state().v)];
    let (found, twin) = (of(&u, &v), of(&cpu.state().u, &cpu.state().v));
    println!(
        "{what}: displacements and velocities off by {:.1e} {:.1e}, the CPU's f32 by {:.1e} {:.1e}",
        found[0], found[1], twin[0], twin[1]
    );
    assert!(found[0] < BOUND.max(3.0 * twin[0]), "{what}: displacements off by {found:?}, the CPU's by {twin:?}");
    assert!(found[1] < (50.0 * BOUND).max(3.0 * twin[1]), "{what}: velocities off by {found:?}, the CPU's by {twin:?}");
}

fn floor() -> Collider {
    Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })
}

/// Everything at once: bodies of every kind, fast, over a floor, beside moving things, one pinned and turned.
fn busy(integrator: Integrator, which: &[usize]) -> Scene {
    let methods = [Method::Tet, Method::Edge, Method::Mls, Method::Spring, Method::Selective];
    let body = |(i, method): (usize, Method)| -> Body {
        let material = Material { rayleigh_stiffness: 1e-4, rayleigh_mass: 0.1, ..soft(laws()[i % 4].clone()) };
        let mut body = solid(&format!("b{i}"), method, material, [i as f64, 0.02, 0.0]);
        body.velocity = [1.0, -2.0, 0.5];
        body.contact.enabled = false;
        // One has friction and rebounds of its own, one does not meet the log.
        if i == 0 {
            (body.material.friction, body.material.restitution) = (Some(0.9), 0.6);
        }
        if i == 3 {
            body.contact.groups = Groups { member: 2, touches: 2 };
        }
        if i == 1 {
            body.velocity = [0.0; 3];
            let mut pin = Pin::hold(Region::Box { min: [0.9, 0.0, -1.0], max: [1.05, 1.0, 1.0] });
            (pin.spin, pin.center) = ([3.0, 0.0, 0.0], [1.0, 0.2, 0.1]);
            pin.velocity = [0.0, 0.3, 0.0];
            pin.until = 0.05;
            body.pins.push(pin);
            let mut slider = Pin::hold(Region::Box { min: [1.35, 0.0, -1.0], max: [1.5, 1.0, 1.0] });
            slider.axes = [false, true, false];
            body.pins.push(slider);
        }
        body
    };
    let mut scene = scene(methods.into_iter().enumerate().map(body).collect());
    let mut ball = Collider::new(ColliderShape::Sphere { radius: 0.2 });
    ball.placement = Placement::at([0.2, 0.0, 0.1]);
    ball.motion.velocity = [0.5, 0.2, 0.0];
    ball.restitution = 0.4;
    let mut block = Collider::new(ColliderShape::Box { size: [0.3, 0.2, 0.3] });
    block.placement = Placement { position: [2.2, 0.0, 0.1], rotation: [0.1, 0.2, 0.3] };
    block.motion.spin = [0.0, 1.0, 0.0];
    block.motion.center = [2.2, 0.0, 0.1];
    let mut log = Collider::new(ColliderShape::Cylinder { radius: 0.1, height: 0.6 });
    log.groups = Groups { member: 1, touches: 1 };
    log.placement = Placement { position: [3.2, 0.0, 0.1], rotation: [1.5, 0.0, 0.0] };
    let mut capsule = Collider::new(ColliderShape::Capsule { radius: 0.1, height: 0.6 });
    capsule.placement = Placement { position: [4.2, 0.0, 0.1], rotation: [1.5, 0.0, 0.0] };
    let all = [floor(), ball, block, log, capsule];
    scene.colliders = which.iter().map(|i| all[*i].clone()).collect();
    scene.solver.integrator = integrator;
    scene
}

/// Without surfaces, with each kind of them, and with all.
fn all_surfaces(integrator: Integrator, dt: f64) {
    for which in [&[][..], &[0], &[1], &[2], &[3], &[4], &[0, 1, 2, 3, 4]] {
        compare(&busy(integrator, which), dt, &format!("{} {which:?}", integrator.name()));
    }
}

#[test]
fn leap_frog() {
    all_surfaces(Integrator::LeapFrog, 2e-4);
}

#[test]
fn symplectic_euler() {
    all_surfaces(Integrator::SymplecticEuler, 2e-4);
}

#[test]
fn verlet() {
    all_surfaces(Integrator::Verlet, 2e-4);
}

#[test]
fn explicit_euler() {
    all_surfaces(Integrator::ExplicitEuler, 5e-5);
}

#[test]
fn ten_bodies_take_few_launches() {
    let Some(device) = device() else { return };
    let methods = [Method::Tet, Method::Edge, Method::Mls, Method::Spring, Method::Selective];
    let body = |i: usize| solid(&format!("b{i}"), methods[i % 5], soft(laws()[i % 4].clone()), [i as f64, 0.1, 0.0]);
    let mut scene = scene((0..10).map(body).collect());
    scene.solver.integrator = Integrator::LeapFrog;
    let cpu = Simulation::<f32>::build(&scene).expect("ten bodies");
    let resident = Resident::new(&device, cpu.model(), cpu.state()).expect("ten bodies");
    let explicit = Explicit::new(&resident, cpu.model(), &[], Integrator::LeapFrog).expect("ten bodies");
    let launches = explicit.launches_per_step(&resident);
    println!("{launches} launches per step");
    assert!(launches <= 50, "{launches} launches");
}
