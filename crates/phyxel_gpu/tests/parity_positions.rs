//! Position-based steps on the device and on the CPU.

mod common;

use common::{Numbers, device, difference, laws, scene, soft, solid};
use phyxel::material::plastic::Plasticity;
use phyxel::math::Vec3;
use phyxel::scene::{Collider, ColliderShape, Integrator, Method, Pin, Region, Scene};
use phyxel::{Material, Simulation};
use phyxel_gpu::{Driver, Positions, Resident};

/// One step from a wild state, in f64 on the CPU and in f32 on both.
fn one_step(mut scene: Scene, what: &str) {
    let Some(device) = device() else { return };
    scene.solver.integrator = Integrator::Xpbd;
    scene.solver.conserve_momentum = false;
    scene.solver.iterations = 6;
    scene.solver.substeps = 2;
    let mut single = Simulation::<f32>::build(&scene).expect(what);
    let mut double = Simulation::<f64>::build(&scene).expect(what);
    let resident = Resident::new(&device, single.model(), single.state()).expect(what);
    let positions = Positions::new(&resident, single.model(), &scene.colliders).expect(what);
    let dt = 0.01;
    // Nearly at rest, strained, and with inverted elements.
    for size in [1e-3, 0.02, 0.12] {
        let mut numbers = Numbers(21);
        let u: Vec<Vec3<f32>> = single.state().u.iter().map(|_| Vec3::of(numbers.vector(size))).collect();
        let v: Vec<Vec3<f32>> = u.iter().map(|_| Vec3::of(numbers.vector(0.3))).collect();
        double.state_mut().u = u.iter().map(|u| Vec3(u.to_f64())).collect();
        double.state_mut().v = v.iter().map(|v| Vec3(v.to_f64())).collect();
        double.state_mut().time = 0.0;
        (single.state_mut().u, single.state_mut().v, single.state_mut().time) = (u.clone(), v.clone(), 0.0);
        resident.set_state(&u, &v);
        positions.step(&resident, (0.0, dt), &scene.solver).expect(what);
        single.step(dt).expect(what);
        double.step(dt).expect(what);
        let (found, _) = resident.state().expect(what);
        let (error, twin) = (difference(&found, &double.state().u), difference(&single.state().u, &double.state().u));
        println!("{what} {size}: {error:.1e}, the CPU's f32 {twin:.1e}");
        assert!(error < 1e-5_f64.max(3.0 * twin), "{what}, size {size}: {error:e}, the CPU's f32 {twin:e}");
    }
}

#[test]
fn every_law_and_stencil() {
    for law in laws() {
        for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls, Method::Spring] {
            let anisotropic = law.name() == "anisotropic";
            if (method == Method::Selective && anisotropic) || (method == Method::Spring && law.name() != "linear") {
                continue;
            }
            let volume_stiffness = if method == Method::Tet { 2e4 } else { 0.0 };
            let material = Material { volume_stiffness, rayleigh_stiffness: 0.002, ..soft(law.clone()) };
            one_step(scene(vec![solid("a", method, material, [0.1; 3])]), &format!("{} {}", method.name(), law.name()));
        }
    }
}

#[test]
fn bodies_that_are_held_and_such_that_touch() {
    let body = |i: usize, method| {
        let material = Material { rayleigh_mass: 0.2, ..soft(laws()[i].clone()) };
        let mut body = solid(&format!("b{i}"), method, material, [i as f64, 0.02, 0.0]);
        body.contact.enabled = false;
        body
    };
    let mut bodies = vec![body(0, Method::Tet), body(1, Method::Edge), body(2, Method::Mls)];
    let mut pin = Pin::hold(Region::Box { min: [0.9, 0.0, -1.0], max: [1.05, 1.0, 1.0] });
    (pin.spin, pin.center) = ([3.0, 0.0, 0.0], [1.0, 0.2, 0.1]);
    bodies[1].pins.push(pin);
    let mut scene = scene(bodies);
    let mut floor = Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 });
    floor.restitution = 0.5;
    let mut ball = Collider::new(ColliderShape::Sphere { radius: 0.2 });
    ball.placement.position = [0.2, 0.45, 0.15];
    ball.motion.velocity = [0.0, -1.0, 0.3];
    scene.colliders = vec![floor, ball];
    one_step(scene, "held and touching");
}

/// Jelly and clay fall on a floor, so gently that nothing is turned inside out, where roundings decide: after half a second they
/// lie as they do on the CPU.
#[test]
fn whole_scenes() {
    let Some(device) = device() else { return };
    let clay = Plasticity::Stress { yield_stress: 500.0, hardening: 100.0, relaxation_time: 0.0 };
    for (plastic, method) in [(None, Method::Mls), (Some(clay), Method::Tet)] {
        let what = method.name();
        let material = Material { plastic, young_modulus: 1e5, ..soft(laws()[2].clone()) };
        let mut body = solid("a", method, material, [0.0, 0.05, 0.0]);
        body.velocity = [0.3, -0.5, 0.0];
        let mut scene = scene(vec![body]);
        scene.solver.integrator = Integrator::Xpbd;
        scene.solver.step = 0.01;
        scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
        let mut cpu = Simulation::<f32>::build(&scene).expect(what);
        let mut truth = Simulation::<f64>::build(&scene).expect(what);
        let mut moved = Simulation::<f32>::build(&scene).expect(what);
        let mut driver = Driver::new(&device, &scene, &moved).expect(what);
        driver.advance_to(&mut moved, 0.25).expect(what);
        driver.advance_to(&mut moved, 0.5).expect(what);
        cpu.advance_to(0.5).expect(what);
        truth.advance_to(0.5).expect(what);
        let (found, twin) =
            (difference(&moved.state().u, &truth.state().u), difference(&cpu.state().u, &truth.state().u));
        println!("{what}: off by {found:.1e}, the CPU's f32 by {twin:.1e}");
        assert!(found < 1e-3_f64.max(3.0 * twin), "{what}: {found:e}, the CPU's f32 {twin:e}");
    }
}
