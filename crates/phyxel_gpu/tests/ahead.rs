//! Steps that are submitted before anybody asks for them, and what is uploaded and read back on the way.

mod common;

use common::{device, laws, scene, soft, solid};
use phyxel::math::Vec3;
use phyxel::scene::{Action, Collider, ColliderShape, Event, Integrator, Method, Pin, Place, Region, Scene};
use phyxel::{Simulation, StepReport};
use phyxel_gpu::{Ahead, Choice, Device, DriveError, Driver, Explicit, GpuError, Resident, Traffic};
use std::sync::Arc;

const FRAME: f64 = 1.0 / 60.0;

/// A device of one's own, for who counts what goes to and fro or loses it.
fn own_device() -> Option<Arc<Device>> {
    device().and_then(|_| Device::open(&Choice::Any).ok())
}

/// A body that is held over a floor, and another one that flies.
fn two_bodies(integrator: Integrator) -> Scene {
    let mut held = solid("held", Method::Tet, soft(laws()[2].clone()), [0.0, 0.05, 0.0]);
    held.pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [0.05, 2.0, 2.0] }));
    let mut other = solid("other", Method::Mls, soft(laws()[1].clone()), [1.0, 0.02, 0.0]);
    other.spin = [0.0, 2.0, 0.0];
    if integrator == Integrator::Xpbd {
        // Nobody is free, so nobody's momentum is looked after.
        other.pins.push(Pin::hold(Region::Box { min: [0.0, 0.2, -1.0], max: [2.0; 3] }));
    }
    for body in [&mut held, &mut other] {
        body.contact.enabled = false;
    }
    let mut scene = scene(vec![held, other]);
    scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
    scene.solver.integrator = integrator;
    scene.solver.step = FRAME / 4.0;
    scene
}

/// What is done to a simulation before a frame.
type Edit<'a> = &'a dyn Fn(usize, &mut Simulation<f32>);

/// The hash of a frame, and how its steps went.
type Frame = (u64, Result<StepReport, DriveError>);

/// Frames until one fails; the device goes ahead where that is asked for.
fn frames(device: &Arc<Device>, scene: &Scene, (count, ahead): (usize, bool), edit: Edit<'_>) -> (Vec<Frame>, Ahead) {
    let mut simulation = Simulation::<f32>::build(scene).expect("bodies");
    let mut driver = Driver::new(device, scene, &simulation).expect("a device");
    let mut frames = Vec::new();
    for frame in 1..=count {
        edit(frame, &mut simulation);
        let next = (ahead && frame < count).then_some((frame + 1) as f64 * FRAME);
        let report = driver.advance_with_next(&mut simulation, frame as f64 * FRAME, next);
        let failed = report.is_err();
        frames.push((simulation.state_hash(), report));
        if failed {
            break;
        }
    }
    (frames, driver.ahead())
}

/// Ten frames, the same ones with and without going ahead.
fn same(device: &Arc<Device>, scene: &Scene, edit: Edit<'_>) -> Ahead {
    let (plain, none) = frames(device, scene, (10, false), edit);
    assert!(none == Ahead::default() && plain.iter().all(|frame| frame.1.is_ok()));
    let (ahead, count) = frames(device, scene, (10, true), edit);
    assert_eq!(plain, ahead);
    count
}

#[test]
fn frames_are_the_same_whether_the_device_goes_ahead_or_not() {
    let Some(device) = device() else { return };
    use Integrator::{ImplicitEuler, LeapFrog, SymplecticEuler, Verlet, Xpbd};
    for integrator in [LeapFrog, SymplecticEuler, Verlet, Xpbd] {
        let count = same(&device, &two_bodies(integrator), &|_, _| ());
        assert_eq!(count, Ahead { submitted: 9, taken: 9, thrown_away: 0 }, "{}", integrator.name());
    }
    // Here the processor has a say in every step.
    assert_eq!(same(&device, &two_bodies(ImplicitEuler), &|_, _| ()), Ahead::default());
}

/// The stable step is found anew every 1024 steps, and may be another one than the device was told ahead.
#[test]
fn steps_ahead_that_turn_out_too_long_are_taken_again() {
    let Some(device) = device() else { return };
    let material = phyxel::Material { young_modulus: 2e9, ..soft(laws()[1].clone()) };
    let mut body = solid("a", Method::Tet, material, [0.0; 3]);
    // It spreads as it turns, and stiffens.
    body.spin = [0.0, 0.0, 1600.0];
    let mut scene = scene(vec![body]);
    scene.solver.integrator = Integrator::LeapFrog;
    scene.solver.step = FRAME;
    let (plain, _) = frames(&device, &scene, (4, false), &|_, _| ());
    let (ahead, count) = frames(&device, &scene, (4, true), &|_, _| ());
    let steps: Vec<_> = plain.iter().flat_map(|f| f.1.as_ref().ok()).map(|r| (r.substeps, r.rollbacks)).collect();
    println!("{steps:?} {count:?}");
    assert_eq!(plain, ahead);
    assert!(steps.len() == 4 && steps.iter().all(|frame| frame.1 == 0), "nothing goes wrong");
    assert!(count.thrown_away > 0 && count.taken + count.thrown_away == count.submitted);
}

#[test]
fn nothing_goes_ahead_past_an_event() {
    let Some(device) = device() else { return };
    let event = |at, body: Option<&str>, action| Event { at, body: body.map(String::from), action };
    let mut scene = two_bodies(Integrator::LeapFrog);
    scene.events = vec![
        // At the end of a frame: what comes after it must wait.
        event(3.0 * FRAME, None, Action::SetGravity([0.0, -5.0, 1.0])),
        // Within one: what comes before it need not.
        event(5.5 * FRAME, Some("other"), Action::Push([0.3, 0.0, 0.0])),
        event(7.25 * FRAME, Some("held"), Action::Release),
    ];
    let count = same(&device, &scene, &|_, _| ());
    assert_eq!(count, Ahead { submitted: 8, taken: 8, thrown_away: 0 });
}

#[test]
fn what_is_changed_between_frames_throws_away_what_went_ahead() {
    let Some(device) = device() else { return };
    let pushed = |frame: usize, simulation: &mut Simulation<f32>| match frame {
        3 => simulation.state_mut().v.iter_mut().for_each(|v| v.0[1] += 0.5),
        // Nothing of the model changes with this, and no time passes.
        5 => {
            let (u, v) = (simulation.state().u.clone(), vec![Vec3::zero(); simulation.state().v.len()]);
            simulation.take_over(u, v, simulation.time(), 0);
        }
        7 => {
            let softer = phyxel::Material { young_modulus: 1e4, ..soft(laws()[1].clone()) };
            simulation.set_material("other", softer).expect("a material");
        }
        // The processor takes a part of the way.
        9 => drop(simulation.advance_to(8.5 * FRAME).expect("steps")),
        _ => {}
    };
    let count = same(&device, &two_bodies(Integrator::LeapFrog), &pushed);
    assert_eq!(count, Ahead { submitted: 9, taken: 5, thrown_away: 4 });
}

#[test]
fn who_goes_elsewhere_than_he_said_gets_there() {
    let Some(device) = device() else { return };
    let scene = two_bodies(Integrator::LeapFrog);
    let run = |told: Option<f64>| {
        let mut simulation = Simulation::<f32>::build(&scene).expect("bodies");
        let mut driver = Driver::new(&device, &scene, &simulation).expect("a device");
        driver.advance_with_next(&mut simulation, FRAME, told).expect("steps");
        driver.advance_to(&mut simulation, 1.5 * FRAME).expect("steps");
        assert!((simulation.time() - 1.5 * FRAME).abs() < 1e-12);
        (simulation.state_hash(), driver.ahead().thrown_away)
    };
    let (hash, none) = run(None);
    assert_eq!((none, run(Some(2.0 * FRAME))), (0, (hash, 1)));
    // A simulation that the driver has never seen is none of its business either.
    let mut one = Simulation::<f32>::build(&scene).expect("bodies");
    let mut other = Simulation::<f32>::build(&scene).expect("bodies");
    let mut driver = Driver::new(&device, &scene, &one).expect("a device");
    driver.advance_with_next(&mut one, FRAME, Some(2.0 * FRAME)).expect("steps");
    driver.advance_to(&mut other, FRAME).expect("steps");
    assert_eq!(one.state_hash(), other.state_hash());
}

#[test]
fn a_frame_that_goes_otherwise_than_thought_is_taken_again() {
    let Some(device) = device() else { return };
    // It falls so fast that it needs other parts of a step in each frame; and so fast that none are small enough.
    for (gravity, fails) in [(1e3, false), (1e5, true)] {
        let mut body = solid("a", Method::Tet, soft(laws()[1].clone()), [0.0, 0.5, 0.0]);
        body.contact.enabled = false;
        let mut scene = scene(vec![body]);
        scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
        scene.gravity = [0.0, -gravity, 0.0];
        scene.solver.integrator = Integrator::LeapFrog;
        scene.solver.step = FRAME / 4.0;
        let (plain, _) = frames(&device, &scene, (12, false), &|_, _| ());
        let (ahead, count) = frames(&device, &scene, (12, true), &|_, _| ());
        assert_eq!(plain, ahead);
        assert_eq!(plain.iter().any(|frame| frame.1.is_err()), fails, "{gravity} m/s²");
        assert!(count.thrown_away > 0 && count.taken > 0, "{gravity} m/s²: {count:?}");
    }
}

#[test]
fn a_state_that_cannot_go_on_is_never_shown_and_can_be_mended() {
    let Some(device) = device() else { return };
    for integrator in [Integrator::LeapFrog, Integrator::Xpbd] {
        let scene = two_bodies(integrator);
        let run = |next: fn(f64) -> Option<f64>| {
            let mut simulation = Simulation::<f32>::build(&scene).expect("bodies");
            let mut driver = Driver::new(&device, &scene, &simulation).expect("a device");
            driver.advance_with_next(&mut simulation, FRAME, next(FRAME)).expect("steps");
            let middle = simulation.state().v.len() / 2;
            simulation.state_mut().v[middle] = Vec3([f32::MAX, 0.0, 0.0]);
            let bad = simulation.state().clone();
            let error = driver.advance_with_next(&mut simulation, 2.0 * FRAME, next(2.0 * FRAME)).expect_err("no");
            assert!(matches!(error, DriveError::Step(_)), "{error}");
            assert_eq!(simulation.state().u, bad.u);
            simulation.state_mut().v[middle] = Vec3::zero();
            driver.advance_with_next(&mut simulation, 2.0 * FRAME, next(2.0 * FRAME)).expect("mended");
            driver.advance_to(&mut simulation, 3.0 * FRAME).expect("steps");
            (simulation.state_hash(), driver.ahead())
        };
        let (plain, none) = run(|_| None);
        let (hash, count) = run(|time| Some(time + FRAME));
        assert_eq!((hash, none), (plain, Ahead::default()), "{}", integrator.name());
        assert_eq!(count, Ahead { submitted: 2, taken: 0, thrown_away: 2 }, "{}", integrator.name());
    }
}

#[test]
fn a_device_that_is_lost_with_steps_ahead_leaves_the_last_good_state() {
    for integrator in [Integrator::LeapFrog, Integrator::Xpbd] {
        let Some(device) = own_device() else { return };
        let scene = two_bodies(integrator);
        let mut simulation = Simulation::<f32>::build(&scene).expect("bodies");
        let mut driver = Driver::new(&device, &scene, &simulation).expect("a device");
        driver.advance_with_next(&mut simulation, FRAME, Some(2.0 * FRAME)).expect("steps");
        assert_eq!(driver.ahead().submitted, 1);
        let state = simulation.state().clone();
        device.handles().0.destroy();
        let error = driver.advance_with_next(&mut simulation, 2.0 * FRAME, Some(3.0 * FRAME)).expect_err("it is lost");
        assert!(matches!(error, DriveError::Device(GpuError::Lost { .. })), "{error:?}");
        assert_eq!(simulation.state(), &state);
        simulation.advance_to(2.0 * FRAME).expect("the processor");
        assert!(simulation.state().u != state.u);
    }
}

#[test]
fn what_the_device_has_is_not_uploaded_again() {
    let Some(device) = own_device() else { return };
    for integrator in [Integrator::LeapFrog, Integrator::Xpbd, Integrator::ImplicitEuler] {
        let mut scene = two_bodies(integrator);
        // Implicit steps of free bodies restore their momenta on the processor.
        scene.solver.conserve_momentum = false;
        scene.events = vec![Event { at: 6.0 * FRAME, body: None, action: Action::Push([0.1, 0.0, 0.0]) }];
        let mut simulation = Simulation::<f32>::build(&scene).expect("bodies");
        let mut driver = Driver::new(&device, &scene, &simulation).expect("a device");
        let state = 32 * simulation.model().node_count() as u64;
        let mut frame = |number: usize, simulation: &mut Simulation<f32>| -> Traffic {
            let before = device.traffic();
            let time = number as f64 * FRAME;
            driver.advance_with_next(simulation, time, Some(time + FRAME)).expect("steps");
            device.traffic() - before
        };
        let steady: Vec<Traffic> = (1..=4).map(|number| frame(number, &mut simulation)).collect();
        println!("{}: a state of {state} B; {steady:?}", integrator.name());
        assert!(steady.iter().all(|t| t.state_uploaded == 0), "{}: {steady:?}", integrator.name());
        // Two sets of staging buffers, and no more.
        assert!(steady[1..].iter().all(|t| t.staging_buffers == 0), "{}: {steady:?}", integrator.name());
        simulation.state_mut().v[0].0[0] += 0.01;
        assert_eq!(frame(5, &mut simulation).state_uploaded, state);
        assert_eq!(frame(6, &mut simulation).state_uploaded, 0);
        assert_eq!(frame(7, &mut simulation).state_uploaded, state, "a push changes velocities");
        assert_eq!(frame(8, &mut simulation).state_uploaded, 0);
        let (u, v) = (simulation.state().u.clone(), simulation.state().v.clone());
        simulation.take_over(u, v, simulation.time(), 0);
        assert_eq!(frame(9, &mut simulation).state_uploaded, state);
    }
}

#[test]
fn only_what_changes_comes_back() {
    let Some(device) = own_device() else { return };
    let clay = phyxel::material::Plasticity::Stress { yield_stress: 500.0, hardening: 100.0, relaxation_time: 0.0 };
    for plastic in [None, Some(clay)] {
        let material = phyxel::Material { plastic, ..soft(laws()[2].clone()) };
        let scene = Scene { bodies: vec![solid("a", Method::Tet, material, [0.0; 3])], ..two_bodies(Integrator::Xpbd) };
        let mut scene = Scene { ..scene };
        scene.solver.conserve_momentum = false;
        let mut simulation = Simulation::<f32>::build(&scene).expect("a box");
        let mut driver = Driver::new(&device, &scene, &simulation).expect("a device");
        let before = device.traffic();
        driver.advance_to(&mut simulation, FRAME).expect("steps");
        let read = (device.traffic() - before).read_back;
        let state = 32 * simulation.model().node_count() as u64 + 4;
        println!("{read} B came back of a state of {state} B");
        assert_eq!(read > state, plastic.is_some(), "{read} {state}");
        assert!(read >= state);
    }
}

#[test]
fn a_state_comes_back_while_later_steps_are_taken() {
    let Some(device) = device() else { return };
    let scene = two_bodies(Integrator::LeapFrog);
    let simulation = Simulation::<f32>::build(&scene).expect("bodies");
    let resident = Resident::new(&device, simulation.model(), simulation.state()).expect("room");
    let explicit = Explicit::new(&resident, simulation.model(), &[], Integrator::LeapFrog).expect("kernels");
    let [first, second] = [8, 200].map(|count| {
        explicit.run(&resident, 0.0, 1e-4, count).expect("steps");
        resident.request_state()
    });
    let later = resident.state().expect("a state");
    assert!(first.ready(&resident) && second.ready(&resident), "what came after them is here");
    let (early, late) = (first.take(&resident).expect("a state"), second.take(&resident).expect("a state"));
    assert!(early != late && late == later);
    resident.set_state(&simulation.state().u, &simulation.state().v);
    explicit.run(&resident, 0.0, 1e-4, 8).expect("steps");
    assert!(early == resident.state().expect("a state"));
}

#[test]
fn a_device_that_shares_a_scene_goes_ahead_too() {
    let Some(device) = device() else { return };
    let mut scene = two_bodies(Integrator::LeapFrog);
    scene.bodies[1].place = Place::Cpu;
    let count = same(&device, &scene, &|_, _| ());
    assert_eq!(count, Ahead { submitted: 9, taken: 9, thrown_away: 0 });
}

#[test]
fn kernels_can_be_timed_with_steps_ahead() {
    let Some(device) = device() else { return };
    let scene = two_bodies(Integrator::LeapFrog);
    let run = |times: bool| {
        let mut simulation = Simulation::<f32>::build(&scene).expect("bodies");
        let mut driver = Driver::new(&device, &scene, &simulation).expect("a device");
        driver.advance_with_next(&mut simulation, FRAME, Some(2.0 * FRAME)).expect("steps");
        if times {
            driver.time_kernels().expect("times");
        }
        driver.advance_to(&mut simulation, 2.0 * FRAME).expect("steps");
        simulation.state_hash()
    };
    assert_eq!(run(false), run(true));
}
