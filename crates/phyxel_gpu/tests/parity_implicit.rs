//! Implicit steps on the device against the CPU: one step against f64, whole scenes against f32.

mod common;

use common::{Numbers, device, difference, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::material::{LawKind, Material};
use phyxel::math::Vec3;
use phyxel::scene::{Body, Collider, ColliderShape, LinearSolver, Method, Pin, Region, RelativeTo, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel_gpu::{Implicit, Resident};

fn double(x: &[Vec3<f32>]) -> Vec<Vec3<f64>> {
    x.iter().map(|x| Vec3(x.to_f64())).collect()
}

fn pinned(mut body: Body) -> Body {
    body.pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [0.15, 2.0, 2.0] }));
    body
}

/// One step from a wild state, solved far: the device finds the velocities that the CPU finds in f64.
fn one_step(mut scene: Scene, what: &str) {
    let Some(device) = device() else { return };
    scene.solver.linear = LinearSolver::Cg;
    scene.solver.conserve_momentum = false;
    scene.solver.tolerance = 1e-10;
    let mut cpu = Simulation::<f64>::build(&scene).expect(what);
    let single = Simulation::<f32>::build(&scene).expect(what);
    let resident = Resident::new(&device, single.model(), single.state()).expect(what);
    let mut implicit = Implicit::new(&resident, single.model(), &[]).expect(what);
    let dt = 0.005;
    for size in [1e-3, 0.06] {
        let mut numbers = Numbers(3);
        let mut u: Vec<Vec3<f32>> = single.state().u.iter().map(|_| Vec3::of(numbers.vector(size))).collect();
        let v: Vec<Vec3<f32>> = u.iter().map(|_| Vec3::of(numbers.vector(0.1))).collect();
        for pin in &single.model().pins {
            pin.nodes.iter().for_each(|n| u[*n as usize] = Vec3::zero());
        }
        (cpu.state_mut().u, cpu.state_mut().v) = (double(&u), double(&v));
        resident.set_state(&u, &v);
        cpu.step(dt).expect(what);
        let mut settings = scene.solver;
        settings.tolerance = 1e-7;
        let report = implicit.step(&resident, single.model(), (0.0, dt), &settings).expect(what);
        assert!(report.finite && report.iterations > 0, "{what}: {report:?}");
        let (_, found) = resident.state().expect(what);
        let error = difference(&found, &cpu.state().v);
        println!("{what} {size}: {error:.1e}, {report:?}");
        // The condition number of the system multiplies the roundings of its entries.
        assert!(error < 5e-5, "{what}, size {size}: {error:e} after {report:?}");
    }
}

#[test]
fn tetrahedra_of_every_law() {
    for law in laws().into_iter().take(4) {
        for volume_stiffness in [0.0, 3e4] {
            if law.name() == "linear" && volume_stiffness > 0.0 {
                continue;
            }
            let name = format!("{} {volume_stiffness}", law.name());
            let material = Material {
                volume_stiffness,
                rayleigh_stiffness: 0.003,
                rayleigh_mass: 0.3,
                viscosity: 3.0,
                bulk_viscosity: 2.0,
                ..soft(law.clone())
            };
            one_step(scene(vec![pinned(solid("a", Method::Tet, material, [0.1; 3]))]), &name);
        }
    }
}

/// Flattened and turned inside out, where singular values vanish and change their sign, the device finds what the CPU finds; where
/// nothing tells how matter is turned (on a line, in a point, mirrored in one), all numbers stay finite.
#[test]
fn tetrahedra_without_volume() {
    let Some(device) = device() else { return };
    let states: [(&str, [f64; 3]); 6] = [
        ("flat", [1.1, 0.9, 0.0]),
        ("nearly flat", [0.9, 1.1, 1e-6]),
        ("inside out", [-0.7, 1.0, 1.2]),
        ("a line", [1.0, 0.0, 0.0]),
        ("a point", [0.0; 3]),
        ("mirrored in a point", [-1.0; 3]),
    ];
    for law in laws().into_iter().skip(1).take(3) {
        let mut scene = scene(vec![solid("a", Method::Tet, soft(law.clone()), [0.1; 3])]);
        scene.solver.linear = LinearSolver::Cg;
        scene.solver.conserve_momentum = false;
        scene.solver.tolerance = 1e-10;
        let mut cpu = Simulation::<f64>::build(&scene).expect("a simulation");
        let single = Simulation::<f32>::build(&scene).expect("a simulation");
        let resident = Resident::new(&device, single.model(), single.state()).expect("a device");
        let mut implicit = Implicit::new(&resident, single.model(), &[]).expect("a device");
        for (k, (state, stretch)) in states.iter().enumerate() {
            let what = format!("{} {state}", law.name());
            let moved = |x: &Vec3<f32>| Vec3::of([0, 1, 2].map(|a| (stretch[a] - 1.0) * f64::from(x.0[a])));
            let u: Vec<Vec3<f32>> = single.model().rest.iter().map(moved).collect();
            let v = vec![Vec3::zero(); u.len()];
            (cpu.state_mut().u, cpu.state_mut().v) = (double(&u), double(&v));
            resident.set_state(&u, &v);
            let mut settings = scene.solver;
            settings.tolerance = 1e-7;
            let report = implicit.step(&resident, single.model(), (0.0, 0.02), &settings).expect(&what);
            assert!(report.finite && report.iterations > 0, "{what}: {report:?}");
            if k < 3 {
                cpu.step(0.02).expect(&what);
                let (_, found) = resident.state().expect(&what);
                let error = difference(&found, &cpu.state().v);
                println!("{what}: {error:.1e}, {report:?}");
                assert!(error < 1e-5, "{what}: {error:e} after {report:?}");
            }
        }
    }
}

/// More nodes than one workgroup solves alone.
fn large(material: Material) -> Body {
    let mesh = box_tets([16, 12, 12], [0.1; 3], [0.5, 0.4, 0.4], CubeSplit::Five).expect("tetrahedra");
    Body::new("large", Geometry::Tets(mesh), Method::Tet, material)
}

#[test]
fn more_tetrahedra_than_one_workgroup_solves() {
    for law in [laws()[2].clone(), laws()[3].clone()] {
        let name = format!("large {}", law.name());
        let material = Material { rayleigh_stiffness: 0.003, viscosity: 3.0, ..soft(law) };
        one_step(scene(vec![pinned(large(material))]), &name);
    }
}

/// What a stiff system leaves is what rounding velocities once leaves, not once in each of hundreds of iterations: solved by one workgroup,
/// and by many.
#[test]
fn stiff_beams_are_solved_as_far_as_velocities_have_digits() {
    let Some(device) = device() else { return };
    for cells in [[24, 4, 4], [60, 6, 6]] {
        let mesh = box_tets(cells, [0.0; 3], [4.0, 1.0, 1.0], CubeSplit::Five).expect("a beam");
        let material = Material { young_modulus: 1e9, ..soft(LawKind::Corotated) };
        let mut scene = scene(vec![pinned(Body::new("beam", Geometry::Tets(mesh), Method::Tet, material))]);
        scene.gravity = [0.0, -9.81, 0.0];
        scene.solver.tolerance = 1e-5;
        scene.solver.max_iterations = 3000;
        let simulation = Simulation::<f32>::build(&scene).expect("a simulation");
        let resident = Resident::new(&device, simulation.model(), simulation.state()).expect("a device");
        let mut implicit = Implicit::new(&resident, simulation.model(), &[]).expect("a device");
        let report = implicit.step(&resident, simulation.model(), (0.0, 1.0 / 60.0), &scene.solver).expect("a step");
        println!("{cells:?}: {report:?}");
        assert!(report.residual < 1e-3, "{cells:?}: {report:?}");
    }
}

#[test]
fn other_stencils() {
    for method in [Method::Edge, Method::Node, Method::Selective, Method::Mls, Method::Spring] {
        let material = Material { rayleigh_stiffness: 0.002, ..soft(laws()[2].clone()) };
        one_step(scene(vec![pinned(solid("a", method, material, [0.1; 3]))]), method.name());
    }
}

fn hundred_steps(scene: &Scene, dt: f64, bound: f64, what: &str) {
    let Some(device) = device() else { return };
    let mut cpu = Simulation::<f32>::build(scene).expect(what);
    let mut truth = Simulation::<f64>::build(scene).expect(what);
    let resident = Resident::new(&device, cpu.model(), cpu.state()).expect(what);
    let mut implicit = Implicit::new(&resident, cpu.model(), &scene.colliders).expect(what);
    let mut iterations = 0;
    for step in 0..100 {
        cpu.step(dt).expect(what);
        truth.step(dt).expect(what);
        let at = (dt * step as f64, dt);
        let report = implicit.step(&resident, cpu.model(), at, &scene.solver).expect(what);
        assert!(report.finite && report.stopped_early == 0, "{what}: {report:?}");
        iterations += report.iterations;
    }
    let (u, _) = resident.state().expect(what);
    let (error, twin) = (difference(&u, &truth.state().u), difference(&cpu.state().u, &truth.state().u));
    println!("{what}: {error:.1e} after 100 steps, {iterations} iterations; the CPU's f32 {twin:.1e}");
    assert!(error < bound.max(2.0 * twin), "{what}: {error:e}, the CPU's f32 {twin:e}");
}

#[test]
fn a_pinned_beam_swings_as_on_the_cpu() {
    let mut beam = scene(vec![pinned(solid("a", Method::Tet, soft(laws()[2].clone()), [0.1; 3]))]);
    beam.solver.linear = LinearSolver::Cg;
    beam.solver.tolerance = 1e-5;
    hundred_steps(&beam, 0.005, 1e-4, "beam");
}

#[test]
fn solves_measured_by_momentum_end_where_they_do_on_the_cpu() {
    for (body, what) in [
        (solid("a", Method::Tet, soft(laws()[2].clone()), [0.1; 3]), "small by momentum"),
        (large(soft(laws()[2].clone())), "large by momentum"),
    ] {
        let mut fast = pinned(body);
        fast.velocity = [0.0, 3.0, 0.0];
        let mut fast = scene(vec![fast]);
        fast.solver.linear = LinearSolver::Cg;
        fast.solver.relative_to = RelativeTo::Momentum;
        fast.solver.tolerance = 1e-5;
        let dt = 0.005;
        let mut cpu = Simulation::<f32>::build(&fast).expect(what);
        let Some(device) = device() else { return };
        let resident = Resident::new(&device, cpu.model(), cpu.state()).expect(what);
        let mut implicit = Implicit::new(&resident, cpu.model(), &[]).expect(what);
        let mut found = [0, 0];
        for step in 0..10 {
            found[0] += cpu.step(dt).expect(what).iterations;
            let at = (dt * step as f64, dt);
            found[1] += implicit.step(&resident, cpu.model(), at, &fast.solver).expect(what).iterations;
        }
        let (u, _) = resident.state().expect(what);
        let error = difference(&u, &double(&cpu.state().u));
        println!("{what}: {error:.1e}, iterations on CPU and device {found:?}");
        assert!(error < 1e-4, "{what}: {error:e}");
        // The same rule says when to stop.
        assert!(found[0].abs_diff(found[1]) * 10 <= found[0], "{what}: {found:?}");
    }
}

#[test]
fn a_box_that_falls_and_slides_ends_where_it_does_on_the_cpu() {
    let mut body = solid("a", Method::Tet, soft(laws()[2].clone()), [0.1, 0.05, 0.1]);
    body.velocity = [1.0, -1.0, 0.0];
    let mut scene = scene(vec![body]);
    scene.solver.linear = LinearSolver::Cg;
    scene.solver.tolerance = 1e-5;
    scene.solver.conserve_momentum = false;
    let floor = Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 });
    scene.colliders = vec![floor];
    hundred_steps(&scene, 0.005, 1e-3, "sliding box");
}
