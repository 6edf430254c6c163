//! Phyxels without a rest shape, stepped on the device and on the CPU: the reference moves and stencils are found anew there.

mod common;

use common::{device, laws, scene, soft};
use phyxel::Simulation;
use phyxel::material::plastic::Plasticity;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, KernelKind, Lagrangian, Method, Pin, Region, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::box_points;
use phyxel_gpu::{DriveError, Driver};

const STEPS: usize = 100;

/// After one step, beside the largest motion.
const ONE_STEP: f64 = 1e-5;
/// After a hundred: as near to the CPU in f64 as this part of the largest motion, or three times as far as the CPU's f32 is. Who
/// touches the floor in which step, and which phyxel is at the rim of whose support, hangs on roundings.
const BOUND: f64 = 1e-4;
/// The same of implicit steps on a floor, of bodies with or without a rest shape: who sticks, slides or lets go is decided with the mean
/// resistance of a node on the device, and with that of each direction on the CPU.
const BOUND_ON_FLOOR: f64 = 5e-3;

/// A cube of 6 x 6 x 6 phyxels that comes down on one of its edges, beside one that has a rest shape.
fn falling(integrator: Integrator, plastic: bool) -> Scene {
    let mut material = soft(laws()[2].clone());
    material.young_modulus = 1e5;
    if plastic {
        let (yield_stress, hardening, relaxation_time) = (2e3, 5e3, 0.0);
        material.plastic = Some(Plasticity::Stress { yield_stress, hardening, relaxation_time });
    }
    let points = |at: [f64; 3]| {
        let mut points = box_points([6; 3], [0.0; 3], [0.25; 3]).expect("points");
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for p in &mut points.points {
            let [x, y, z] = *p;
            *p = [at[0] + half * (x - y), at[1] + half * (x + y), at[2] + z];
        }
        Geometry::Points(points)
    };
    let mut cube = Body::new("cube", points([0.0, 0.03, 0.0]), Method::Mls, material.clone());
    cube.mls.lagrangian = Lagrangian::Updated;
    cube.mls.kernel = KernelKind::Cosine;
    cube.mls.reanchor = 0.1;
    cube.velocity = [0.5, -2.0, 0.0];
    cube.spin = [0.0, 1.0, 2.0];
    let mut whole = Body::new("whole", points([2.0, 0.03, 0.0]), Method::Mls, material);
    whole.velocity = [0.0, -1.0, 0.0];
    let mut scene = scene(vec![whole, cube]);
    scene.bodies.iter_mut().for_each(|b| b.contact.enabled = false);
    scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
    scene.solver.integrator = integrator;
    scene.solver.step = if integrator == Integrator::ImplicitEuler { 0.002 } else { 2.5e-4 };
    scene.solver.tolerance = 1e-6;
    if integrator == Integrator::ImplicitEuler {
        // The CPU takes implicit steps back that put in energy, as blows do: none here.
        for body in &mut scene.bodies {
            (body.velocity, body.spin, body.mls.reanchor) = ([0.1, -0.4, 0.0], [0.0, 0.5, 0.5], 0.03);
        }
    }
    scene
}

fn places<R: Real>(simulation: &Simulation<R>) -> Vec<Vec3<f64>> {
    (0..simulation.model().node_count()).map(|n| Vec3(simulation.position(n))).collect()
}

/// How far places are from the true ones, over how far these have come.
fn off(found: &[Vec3<f64>], truth: &[Vec3<f64>], start: &[Vec3<f64>]) -> f64 {
    let most = |a: &[Vec3<f64>]| a.iter().zip(truth).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
    most(found) / most(start)
}

/// The sum of what all elements have flowed.
fn flowed<R: Real>(simulation: &Simulation<R>) -> f64 {
    simulation.state().grains.iter().flatten().map(|g| g.plastic_strain.to_f64()).sum()
}

/// Runs a scene on the device, on the CPU, and on the CPU in f64, and gives how often the device has found stencils anew.
fn compare(scene: &Scene, steps: usize, bound: f64, what: &str) -> usize {
    let Some(device) = device() else { return usize::MAX };
    let mut cpu = Simulation::<f32>::build(scene).expect(what);
    let mut truth = Simulation::<f64>::build(scene).expect(what);
    let mut moved = Simulation::<f32>::build(scene).expect(what);
    let start = places(&truth);
    let mut driver = Driver::new(&device, scene, &moved).expect(what);
    assert!(!driver.is_shared(), "{what}");
    let time = scene.solver.step * steps as f64;
    // In two runs, so that the simulation has the reference in between.
    let middle = (steps / 3) as f64 * scene.solver.step;
    for time in [middle, time] {
        driver.advance_to(&mut moved, time).expect(what);
    }
    cpu.advance_to(time).expect(what);
    truth.advance_to(time).expect(what);
    let expected = places(&truth);
    let (found, twin) = (off(&places(&moved), &expected, &start), off(&places(&cpu), &expected, &start));
    let [flow, twin_flow, true_flow] = [flowed(&moved), flowed(&cpu), flowed(&truth)];
    println!(
        "{what}: off by {found:.1e}, the CPU's f32 by {twin:.1e}; stencils found {} times; flow {flow:.4e}, {twin_flow:.4e}, {true_flow:.4e}",
        driver.reanchorings()
    );
    assert!(found < bound.max(3.0 * twin), "{what}: off by {found:e}, the CPU's f32 by {twin:e}");
    let off = (flow - true_flow).abs();
    assert!(
        off <= (5e-3 * true_flow).max(3.0 * (twin_flow - true_flow).abs()),
        "{what}: {flow} {twin_flow} {true_flow}"
    );
    driver.reanchorings()
}

const EXPLICIT: [Integrator; 3] = [Integrator::SymplecticEuler, Integrator::LeapFrog, Integrator::Verlet];

#[test]
fn explicit_steps_find_stencils_anew_on_the_way() {
    for integrator in EXPLICIT {
        let scene = falling(integrator, false);
        compare(&scene, 1, ONE_STEP, integrator.name());
        let times = compare(&scene, STEPS, BOUND, integrator.name());
        assert!(times >= 3, "{times}");
    }
}

#[test]
fn matter_that_yields_forgets_its_shape_on_the_device_too() {
    for (integrator, bound) in [(Integrator::LeapFrog, BOUND), (Integrator::ImplicitEuler, BOUND_ON_FLOOR)] {
        let scene = falling(integrator, true);
        compare(&scene, 1, ONE_STEP, integrator.name());
        let times = compare(&scene, STEPS, bound, integrator.name());
        assert!(times >= 3, "{times}");
    }
}

#[test]
fn implicit_steps_find_stencils_anew_on_the_way() {
    let mut scene = falling(Integrator::ImplicitEuler, false);
    compare(&scene, 1, ONE_STEP, "implicit");
    assert!(compare(&scene, STEPS, BOUND_ON_FLOOR, "implicit") >= 3);
    // In every step, as Zhou has it.
    scene.bodies[1].mls.reanchor = 0.0;
    assert!(compare(&scene, 30, BOUND_ON_FLOOR, "in every step") >= 30);
    scene.colliders.clear();
    scene.bodies[1].spin = [0.0, 3.0, 20.0];
    assert!(compare(&scene, 30, BOUND, "in the air") >= 30);
}

#[test]
fn pins_hold_phyxels_whose_reference_moves() {
    for integrator in [Integrator::LeapFrog, Integrator::ImplicitEuler] {
        let mut scene = falling(integrator, false);
        scene.bodies.remove(0);
        let body = &mut scene.bodies[0];
        (body.velocity, body.spin, body.mls.reanchor) = ([0.0; 3], [0.0; 3], 0.0);
        let mut pin = Pin::hold(Region::Box { min: [-1.0, 0.3, -1.0], max: [1.0, 1.0, 1.0] });
        (pin.velocity, pin.spin, pin.center) = ([0.0, 1.0, 0.5], [0.0, 2.0, 0.0], [0.0, 0.2, 0.1]);
        body.pins.push(pin);
        assert!(compare(&scene, 40, BOUND, "pinned") >= 40);
    }
}

#[test]
fn without_stabilisation_and_with_damping() {
    let mut scene = falling(Integrator::LeapFrog, false);
    for body in &mut scene.bodies {
        body.mls.stabilisation = 0.0;
        (body.material.rayleigh_stiffness, body.material.rayleigh_mass) = (1e-4, 0.5);
    }
    assert!(compare(&scene, STEPS, BOUND, "not stabilised") >= 3);
    scene.bodies[1].mls.stabilisation = 0.2;
    assert!(compare(&scene, STEPS, BOUND, "one stabilised") >= 3);
}

/// What comes back has its reference with it: the CPU goes on where the device stopped, and a snapshot goes on as well.
#[test]
fn the_cpu_goes_on_from_what_the_device_leaves() {
    let Some(device) = device() else { return };
    for integrator in [Integrator::LeapFrog, Integrator::ImplicitEuler] {
        let what = integrator.name();
        let scene = falling(integrator, true);
        let (half, time) = (75.0 * scene.solver.step, 100.0 * scene.solver.step);
        let mut cpu = Simulation::<f32>::build(&scene).expect(what);
        let mut truth = Simulation::<f64>::build(&scene).expect(what);
        let mut moved = Simulation::<f32>::build(&scene).expect(what);
        let start = places(&truth);
        let mut driver = Driver::new(&device, &scene, &moved).expect(what);
        driver.advance_to(&mut moved, half).expect(what);
        assert!(driver.reanchorings() > 0, "{what}");
        let snapshot = moved.snapshot();
        moved.advance_to(time).expect(what);
        let mut restored = Simulation::<f32>::build(&scene).expect(what);
        restored.restore(&snapshot).expect(what);
        restored.advance_to(time).expect(what);
        cpu.advance_to(time).expect(what);
        truth.advance_to(time).expect(what);
        let expected = places(&truth);
        let [found, again, twin] = [&moved, &restored, &cpu].map(|s| off(&places(s), &expected, &start));
        println!("{what}: off by {found:.1e}, from a snapshot {again:.1e}, the CPU's f32 {twin:.1e}");
        assert!(found.max(again) < BOUND_ON_FLOOR.max(3.0 * twin), "{what}: {found:e} {again:e} {twin:e}");
        // And the device from what the CPU leaves.
        let longer = time + 20.0 * scene.solver.step;
        driver.advance_to(&mut moved, longer).expect(what);
        cpu.advance_to(longer).expect(what);
        truth.advance_to(longer).expect(what);
        let expected = places(&truth);
        let [found, twin] = [&moved, &cpu].map(|s| off(&places(s), &expected, &start));
        assert!(found < BOUND_ON_FLOOR.max(3.0 * twin), "{what}: {found:e} {twin:e}");
    }
}

/// A step that nothing can save leaves what came before it, with its reference.
#[test]
fn a_bad_step_is_forgotten() {
    let Some(device) = device() else { return };
    let mut scene = falling(Integrator::LeapFrog, false);
    scene.bodies[1].mls.reanchor = 0.0;
    let mut simulation = Simulation::<f32>::build(&scene).expect("a cube");
    let mut driver = Driver::new(&device, &scene, &simulation).expect("a cube");
    driver.advance_to(&mut simulation, 10.0 * scene.solver.step).expect("good steps");
    let nodes = simulation.model().bodies[1].nodes.clone();
    // No number stands for where this is after a step.
    simulation.state_mut().v[nodes.start] = Vec3([3e38, 3e38, 0.0]);
    let before = (places(&simulation), simulation.time());
    let failed = driver.advance_to(&mut simulation, 20.0 * scene.solver.step);
    assert!(matches!(failed, Err(DriveError::Step(_))), "{failed:?}");
    // Places are those of before, but for the rounding of a reference that has moved to them.
    let moved = before.0.iter().zip(places(&simulation)).map(|(a, b)| (*a - b).norm()).fold(0.0, f64::max);
    assert!(moved < 1e-6 && before.1 == simulation.time(), "{moved:e} m, {}", simulation.time());
    simulation.state_mut().v[nodes.start] = Vec3::zero();
    driver.advance_to(&mut simulation, 20.0 * scene.solver.step).expect("good steps again");
    assert!(places(&simulation).iter().all(|x| x.norm() < 10.0));
}

/// Steps that the device does not have are told, with the body.
#[test]
fn what_the_device_cannot_do_is_told() {
    let scene = falling(Integrator::Xpbd, false);
    if let Ok(simulation) = Simulation::<f32>::build(&scene) {
        let why = phyxel_gpu::why_not(&scene, simulation.model());
        assert!(why.as_ref().is_some_and(|why| why.contains("cube") && why.contains("rest shape")), "{why:?}");
    }
    let scene = falling(Integrator::ExplicitEuler, false);
    let simulation = Simulation::<f32>::build(&scene).expect("a cube");
    let why = phyxel_gpu::why_not(&scene, simulation.model());
    assert!(why.as_ref().is_some_and(|why| why.contains("cube") && why.contains("rest shape")), "{why:?}");
}
