//! Matter that yields, on the device and on the CPU: stress of elements with a past, what flows, and whole scenes.

mod common;

use common::{Numbers, device, difference, laws, scene, soft, solid};
use phyxel::material::plastic::{Grain, Plasticity};
use phyxel::math::{Mat3, Real, Vec3};
use phyxel::scene::{Collider, ColliderShape, Integrator, LinearSolver, Method, Pin, Region, Scene};
use phyxel::{Material, Simulation};
use phyxel_gpu::{Driver, Explicit, Implicit, Resident};

fn by_strain(max_strain: f64) -> Plasticity {
    Plasticity::Strain { yield_strain: 0.03, relaxation_time: 0.05, max_strain }
}

fn by_stress(relaxation_time: f64) -> Plasticity {
    Plasticity::Stress { yield_stress: 600.0, hardening: 400.0, relaxation_time }
}

/// Every law with every way to yield that it has, on every stencil that devices let yield so.
fn cases() -> Vec<(String, Scene)> {
    let mut cases = Vec::new();
    for law in laws() {
        for (i, plastic) in
            [by_strain(f64::INFINITY), by_strain(0.1), by_stress(0.0), by_stress(0.02)].into_iter().enumerate()
        {
            for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls, Method::Spring] {
                let by_stress = matches!(plastic, Plasticity::Stress { .. });
                let unknown = law.name() == "anisotropic" && (method == Method::Selective || by_stress);
                let again = method == Method::Spring && law.name() != "linear";
                if unknown || again {
                    continue;
                }
                let volume_stiffness = if i == 1 { 2e4 } else { 0.0 };
                let volume_stiffness = if method == Method::Selective { 0.0 } else { volume_stiffness };
                let material = Material { plastic: Some(plastic), volume_stiffness, ..soft(law.clone()) };
                let body = solid("clay", method, material, [0.1; 3]);
                cases.push((format!("{} {} {i}", method.name(), law.name()), scene(vec![body])));
            }
        }
    }
    cases
}

/// A past for every element, the same in both precisions.
fn pasts(simulation: &Simulation<f32>, law: &str, fibre: bool) -> Vec<Vec<Grain<f32>>> {
    let mut numbers = Numbers(11);
    let mut grain = |_: &Grain<f32>| {
        let rows = [0; 3].map(|_| numbers.vector(0.15).map(|x| x as f32));
        let mut offset = Mat3(rows);
        if law == "linear" {
            offset = offset.symmetric_part();
        }
        if fibre {
            offset = Mat3::scaled_identity(rows[0][0]);
        }
        Grain { offset, plastic_strain: 0.2, ..Grain::default() }
    };
    simulation.state().grains.iter().map(|of| of.iter().map(&mut grain).collect()).collect()
}

fn wide(grains: &[Vec<Grain<f32>>]) -> Vec<Vec<Grain<f64>>> {
    let wide = |g: &Grain<f32>| Grain {
        offset: Mat3(g.offset.0.map(|row| row.map(f64::from))),
        plastic_strain: f64::from(g.plastic_strain),
        ..Grain::default()
    };
    grains.iter().map(|of| of.iter().map(wide).collect()).collect()
}

/// Displacements: hardly any, a squeeze beyond yielding, inverted elements, flat.
fn displacements(rest: &[Vec3<f32>], kind: usize) -> Vec<Vec3<f32>> {
    let mut numbers = Numbers(70 + kind as u64);
    let place = |x: &Vec3<f32>| match kind {
        0 => Vec3::of(numbers.vector(1e-4)),
        1 => Vec3([0.05 * x[0], -0.12 * x[1], 0.05 * x[2]]) + Vec3::of(numbers.vector(0.004)),
        2 => Vec3::of(numbers.vector(0.12)),
        _ => Vec3([0.0, -x[1], 0.0]),
    };
    rest.iter().map(place).collect()
}

/// The largest difference of offsets, relative to the largest of them or one.
fn grain_difference<R: Real>(found: &[Vec<Grain<R>>], expected: &[Vec<Grain<f64>>]) -> f64 {
    let pairs = || found.iter().flatten().zip(expected.iter().flatten());
    let size = pairs().map(|(_, e)| e.offset.norm().max(e.plastic_strain)).fold(1.0, f64::max);
    let error = |(f, e): (&Grain<R>, &Grain<f64>)| {
        let offset = (Mat3(f.offset.to_f64()) - e.offset).norm();
        let worst = offset.max((f.plastic_strain.to_f64() - e.plastic_strain).abs());
        if worst.is_nan() { f64::INFINITY } else { worst }
    };
    pairs().map(error).fold(0.0, f64::max) / size
}

/// All rows of a table that are beyond their bound, at once: a device that differs shall say everywhere where it does.
fn none_beyond(rows: &[String]) {
    assert!(rows.is_empty(), "{} rows are beyond their bound:\n{}", rows.len(), rows.join("\n"));
}

#[test]
fn stress_of_elements_with_a_past() {
    let Some(device) = device() else { return };
    let mut beyond = Vec::new();
    for (what, scene) in cases() {
        let law = scene.bodies[0].material.law.name();
        let mut single = Simulation::<f32>::build(&scene).expect(&what);
        let mut double = Simulation::<f64>::build(&scene).expect(&what);
        let past = pasts(&single, law, scene.bodies[0].method == Method::Spring);
        double.state_mut().grains = wide(&past);
        single.state_mut().grains = past;
        let resident = Resident::new(&device, single.model(), single.state()).expect(&what);
        let explicit = Explicit::new(&resident, single.model(), &[], Integrator::SymplecticEuler).expect(&what);
        let rest = single.model().rest.clone();
        for kind in 0..4 {
            let u = displacements(&rest, kind);
            double.state_mut().u = u.iter().map(|u| Vec3(u.to_f64())).collect();
            single.state_mut().u.clone_from(&u);
            resident.set_state(&u, &single.state().v);
            let (found, expected) = (explicit.forces(&resident).expect(&what), double.forces());
            let (error, twin) = (difference(&found, &expected), difference(&single.forces(), &expected));
            if error >= 1e-5_f64.max(1.5 * twin) {
                beyond.push(format!("{what}, input {kind}: {error:e} (CPU in f32: {twin:e})"));
            }
        }
    }
    none_beyond(&beyond);
}

/// One explicit step at almost no speed: what flows at its end is what flows on the CPU.
#[test]
fn what_flows_at_the_end_of_a_step() {
    let Some(device) = device() else { return };
    let mut beyond = Vec::new();
    for (what, mut scene) in cases() {
        scene.solver.integrator = Integrator::SymplecticEuler;
        let single = Simulation::<f32>::build(&scene).expect(&what);
        let double = Simulation::<f64>::build(&scene).expect(&what);
        let rest = single.model().rest.clone();
        for kind in 0..4 {
            let dt = 1e-6;
            let u = displacements(&rest, kind);
            let grains = single.state().grains.iter().map(|of| vec![Grain::default(); of.len()]).collect::<Vec<_>>();
            let resident = Resident::new(&device, single.model(), single.state()).expect(&what);
            let explicit = Explicit::new(&resident, single.model(), &[], Integrator::SymplecticEuler).expect(&what);
            let still = vec![Vec3::zero(); u.len()];
            resident.set_state(&u, &still);
            resident.set_grains(&grains);
            explicit.run(&resident, 0.0, dt, 1).expect(&what);
            let mut found = grains.clone();
            resident.read_grains(&mut found).expect(&what);
            let (moved, _) = resident.state().expect(&what);
            let at: Vec<Vec3<f64>> = moved.iter().map(|u| Vec3(u.to_f64())).collect();
            let mut expected = wide(&grains);
            let mut twin = grains.clone();
            for (k, block) in double.model().blocks.iter().enumerate() {
                block.settle(&at, &mut expected[k], dt);
                single.model().blocks[k].settle(&moved, &mut twin[k], dt as f32);
            }
            let (error, twin) = (grain_difference(&found, &expected), grain_difference(&twin, &expected));
            if error >= 1e-5_f64.max(2.0 * twin) {
                beyond.push(format!("{what}, input {kind}: {error:e} (CPU in f32: {twin:e})"));
            }
        }
    }
    none_beyond(&beyond);
}

/// A block of clay thrown at a floor, with a press that moves: after a hundred steps it has the same dent.
fn thrown(plastic: Plasticity, method: Method) -> Scene {
    let material = Material { plastic: Some(plastic), ..soft(laws()[2].clone()) };
    let mut body = solid("clay", method, material, [0.0, 0.01, 0.0]);
    body.velocity = [0.2, -3.0, 0.0];
    if matches!(plastic, Plasticity::Stress { .. }) {
        body.mls.stabilisation = 0.0;
    }
    let mut scene = scene(vec![body]);
    scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
    scene
}

fn strain<R: Real>(grains: &[Vec<Grain<R>>]) -> f64 {
    grains.iter().flatten().map(|g| g.plastic_strain.to_f64()).sum()
}

/// All three have flowed, and the device is as near to f64 as a thousandth, or three times as far as the CPU's f32 is.
fn flowed_alike(found: &[Vec<Grain<f32>>], twin: &[Vec<Grain<f32>>], truth: &[Vec<Grain<f64>>], what: &str) {
    let (found, twin, truth) = (strain(found), strain(twin), strain(truth));
    assert!(truth > 0.01, "{what}: nothing flowed");
    assert!((found - truth).abs() < (1e-3 * truth).max(3.0 * (twin - truth).abs()), "{what}: {found} {twin} {truth}");
}

#[test]
fn clay_thrown_at_a_floor_takes_the_same_dent() {
    let Some(device) = device() else { return };
    let cases = [
        (by_stress(0.0), Method::Tet, Integrator::LeapFrog),
        (by_stress(0.02), Method::Edge, Integrator::SymplecticEuler),
        (by_strain(0.5), Method::Mls, Integrator::LeapFrog),
        (by_strain(f64::INFINITY), Method::Tet, Integrator::ExplicitEuler),
    ];
    for (plastic, method, integrator) in cases {
        let mut scene = thrown(plastic, method);
        scene.solver.integrator = integrator;
        let dt = 2e-4;
        scene.solver.step = dt;
        let what = format!("{} {}", method.name(), integrator.name());
        let mut cpu = Simulation::<f32>::build(&scene).expect(&what);
        let mut truth = Simulation::<f64>::build(&scene).expect(&what);
        let mut moved = Simulation::<f32>::build(&scene).expect(&what);
        let mut driver = Driver::new(&device, &scene, &moved).expect(&what);
        driver.advance_to(&mut moved, 0.007 + 1e-9).expect(&what);
        driver.advance_to(&mut moved, 0.02).expect(&what);
        for _ in 0..100 {
            cpu.step(dt).expect(&what);
            truth.step(dt).expect(&what);
        }
        let (found, twin) =
            (difference(&moved.state().u, &truth.state().u), difference(&cpu.state().u, &truth.state().u));
        println!("{what}: off by {found:.1e}, the CPU's f32 by {twin:.1e}");
        assert!(found < 2e-4_f64.max(3.0 * twin), "{what}: {found:e}, the CPU's f32 {twin:e}");
        flowed_alike(&moved.state().grains, &cpu.state().grains, &truth.state().grains, &what);
    }
}

#[test]
fn implicit_steps_of_clay() {
    let Some(device) = device() else { return };
    let mut beyond = Vec::new();
    let cases = [
        (by_stress(0.0), Method::Tet),
        (by_stress(0.02), Method::Selective),
        (by_strain(0.5), Method::Mls),
        (by_strain(0.2), Method::Tet),
    ];
    for law in [0, 2, 3] {
        for (plastic, method) in cases {
            let mut scene = thrown(plastic, method);
            scene.colliders.clear();
            scene.bodies[0].material.law = laws()[law].clone();
            scene.bodies[0].velocity = [0.0; 3];
            scene.bodies[0].pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [0.05, 2.0, 2.0] }));
            scene.gravity = [0.0, -60.0, 0.0];
            scene.solver.linear = LinearSolver::Cg;
            scene.solver.tolerance = 1e-6;
            scene.solver.conserve_momentum = false;
            let what = format!("implicit {} {}", method.name(), laws()[law].name());
            let dt = 0.004;
            let mut cpu = Simulation::<f32>::build(&scene).expect(&what);
            let mut truth = Simulation::<f64>::build(&scene).expect(&what);
            let resident = Resident::new(&device, cpu.model(), cpu.state()).expect(&what);
            let mut implicit = Implicit::new(&resident, cpu.model(), &[]).expect(&what);
            for step in 0..15 {
                cpu.step(dt).expect(&what);
                truth.step(dt).expect(&what);
                implicit.step(&resident, cpu.model(), (dt * f64::from(step), dt), &scene.solver).expect(&what);
                implicit.settle(&resident);
            }
            let mut grains = cpu.state().grains.clone();
            resident.read_grains(&mut grains).expect(&what);
            let (u, _) = resident.state().expect(&what);
            let (found, twin) = (difference(&u, &truth.state().u), difference(&cpu.state().u, &truth.state().u));
            println!("{what}: off by {found:.1e}, the CPU's f32 by {twin:.1e}");
            if found >= 1e-4_f64.max(3.0 * twin) {
                beyond.push(format!("{what}: {found:e}, the CPU's f32 {twin:e}"));
            }
            flowed_alike(&grains, &cpu.state().grains, &truth.state().grains, &what);
        }
    }
    none_beyond(&beyond);
}
