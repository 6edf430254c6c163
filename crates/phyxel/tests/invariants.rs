//! What must hold whatever the stencil and the law: balance of forces, energies that are potentials, rigid motion
//! without force, and events, pins and loads that do what they say.

mod common;

use common::{KINDS, Random, alone, cube, double, phyxels};
use phyxel::material::plastic::Inner;
use phyxel::material::{Curvature, LawKind};
use phyxel::math::{Mat3, Vec3};
use phyxel::scene::{
    Action, Body, Event, Integrator, Lagrangian, Load, LoadKind, MassKind, Method, Pin, Region, Scene,
};
use phyxel::stencil::block::{BlockScratch, TangentMix};
use phyxel::{AnySimulation, Material, Precision, Simulation};

const SIDE: f64 = 0.3;

fn laws() -> Vec<LawKind> {
    let mut c = [[0.0; 6]; 6];
    for i in 0..6 {
        c[i][i] = if i < 3 { 1.5e5 + 1e4 * i as f64 } else { 4e4 };
    }
    (c[0][1], c[1][0]) = (3e4, 3e4);
    let anisotropic = LawKind::Anisotropic(Box::new(c));
    vec![LawKind::Linear, LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean, anisotropic]
}

/// Every stencil with every law it can have, with and without the volume term, in empty space.
fn bodies() -> Vec<(String, Body)> {
    let mut all = Vec::new();
    for (kind, method, lagrangian) in KINDS {
        for law in laws() {
            let unfit = method == Method::Selective && matches!(law, LawKind::Anisotropic(_));
            if unfit || (method == Method::Spring && law != LawKind::Corotated) {
                continue;
            }
            for volume_stiffness in [0.0, 2e5] {
                let name = format!("{kind} {} volume {volume_stiffness:e}", law.name());
                let material =
                    Material { law: law.clone(), volume_stiffness, young_modulus: 1e5, ..Material::default() };
                let mut body = cube(method, 3, SIDE, [0.4, 0.2, -0.1], &material);
                body.mls = phyxels(lagrangian);
                all.push((name, body));
            }
        }
    }
    all
}

fn build(body: Body) -> AnySimulation {
    AnySimulation::build(&alone(body, Integrator::ImplicitEuler, 0.01), Precision::F64).expect("a sound scene")
}

/// Updated phyxels first move a little, so that their reference is no longer the rest shape.
fn prepare(simulation: &mut AnySimulation, random: &mut Random) {
    let updated = double(simulation).model().is_updated(0);
    if updated {
        displace(double(simulation), random, 0.02 * SIDE);
        simulation.step(1e-3).expect("a sound step");
    }
}

fn displace(simulation: &mut Simulation<f64>, random: &mut Random, amplitude: f64) {
    for u in &mut simulation.state_mut().u {
        *u = Vec3(random.triple()) * amplitude;
    }
}

fn positions(simulation: &Simulation<f64>) -> Vec<Vec3<f64>> {
    (0..simulation.state().u.len()).map(|n| Vec3(simulation.position(n))).collect()
}

fn size(forces: &[Vec3<f64>]) -> f64 {
    forces.iter().map(|f| f.norm()).sum()
}

#[test]
fn forces_and_torques_of_free_bodies_balance() {
    let mut random = Random(17);
    for (name, body) in bodies() {
        let linear = body.material.law == LawKind::Linear;
        let mut simulation = build(body);
        prepare(&mut simulation, &mut random);
        let simulation = double(&mut simulation);
        displace(simulation, &mut random, 0.02 * SIDE);
        simulation.state_mut().v.fill(Vec3::zero());
        let forces = simulation.forces();
        let scale = size(&forces);
        let total = forces.iter().fold(Vec3::zero(), |s, f| s + *f);
        assert!(scale > 1.0 && total.norm() < 1e-12 * scale, "{name}: {total:?} N of {scale} N");
        let torque = positions(simulation).iter().zip(&forces).fold(Vec3::zero(), |s, (x, f)| s + x.cross(*f));
        assert!(linear || torque.norm() < 1e-11 * scale, "{name}: torque {torque:?} N m of {scale} N m");
    }
}

#[test]
fn forces_are_minus_the_slope_of_the_energy() {
    let mut random = Random(5);
    for (name, body) in bodies() {
        let mut simulation = build(body);
        prepare(&mut simulation, &mut random);
        let simulation = double(&mut simulation);
        displace(simulation, &mut random, 0.02 * SIDE);
        simulation.state_mut().v.fill(Vec3::zero());
        let forces = simulation.forces();
        let start = simulation.state().u.clone();
        for _ in 0..3 {
            let direction: Vec<Vec3<f64>> = start.iter().map(|_| Vec3(random.triple())).collect();
            let mut energy_at = |s: f64| {
                for (u, (a, d)) in simulation.state_mut().u.iter_mut().zip(start.iter().zip(&direction)) {
                    *u = *a + *d * s;
                }
                simulation.energy().elastic_j
            };
            // Fourth-order differences: the error is far below that of central ones.
            let h = 1e-5 * SIDE;
            let slope =
                (8.0 * (energy_at(h) - energy_at(-h)) - (energy_at(2.0 * h) - energy_at(-2.0 * h))) / (12.0 * h);
            let expected: f64 = -forces.iter().zip(&direction).map(|(f, d)| f.dot(*d)).sum::<f64>();
            let scale: f64 = forces.iter().zip(&direction).map(|(f, d)| f.dot(*d).abs()).sum();
            assert!((slope - expected).abs() < 1e-7 * scale, "{name}: slope {slope} J/m, forces say {expected} J/m");
        }
    }
}

/// `K p` of all blocks at displacements `u`.
fn stiffness_product(simulation: &Simulation<f64>, u: &[Vec3<f64>], p: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
    let model = simulation.model();
    let mut out = vec![Vec3::zero(); u.len()];
    let mix = (TangentMix { stiffness: 1.0, viscosity: 0.0 }, Curvature::Exact);
    for block in &model.blocks {
        block.add_product_on_the_fly(&model.rest, (u, p, Inner::none()), mix, &mut BlockScratch::default(), &mut out);
    }
    out.iter().map(|f| -*f).collect()
}

fn dot(a: &[Vec3<f64>], b: &[Vec3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

#[test]
fn the_stiffness_is_symmetric_and_the_slope_of_the_forces() {
    let mut random = Random(23);
    for (name, body) in bodies().into_iter().filter(|(name, _)| !name.contains("updated")) {
        let mut simulation = build(body);
        let simulation = double(&mut simulation);
        // Stretched in every direction, where the projection to positive stiffness changes nothing.
        let stretched: Vec<Vec3<f64>> =
            simulation.model().rest.iter().map(|x| *x * 0.02 + Vec3(random.triple()) * (0.0005 * SIDE)).collect();
        let p: Vec<Vec3<f64>> = stretched.iter().map(|_| Vec3(random.triple())).collect();
        let q: Vec<Vec3<f64>> = stretched.iter().map(|_| Vec3(random.triple())).collect();
        let (kp, kq) = (stiffness_product(simulation, &stretched, &p), stiffness_product(simulation, &stretched, &q));
        let (left, right) = (dot(&q, &kp), dot(&p, &kq));
        assert!((left - right).abs() < 1e-11 * dot(&p, &kp).abs(), "{name}: {left} against {right}");
        assert!(dot(&p, &kp) > 0.0, "{name}");
        // The tangent of the volume term is projected wherever the volume has changed.
        if !name.ends_with("volume 0e0") {
            continue;
        }
        let mut forces_at = |s: f64| {
            for (i, u) in simulation.state_mut().u.iter_mut().enumerate() {
                *u = stretched[i] + p[i] * s;
            }
            simulation.forces()
        };
        let h = 1e-6 * SIDE;
        let (ahead, behind) = (forces_at(h), forces_at(-h));
        let error: f64 = (0..p.len()).map(|i| ((behind[i] - ahead[i]) * (0.5 / h) - kp[i]).norm()).fold(0.0, f64::max);
        let scale = kp.iter().map(|f| f.norm()).fold(0.0, f64::max);
        assert!(error < 1e-6 * scale, "{name}: off by {error} of {scale}");
    }
}

#[test]
fn rigid_motion_causes_no_force() {
    let mut random = Random(99);
    for (name, body) in bodies().into_iter().filter(|(name, _)| !name.contains("linear") && !name.contains("updated")) {
        let mut simulation = build(body);
        let simulation = double(&mut simulation);
        let axis = Vec3(random.triple()).normalized();
        let cross = Mat3([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]]);
        let (sine, cosine) = 2.0f64.sin_cos();
        let turn = Mat3::identity() + cross * sine + cross * cross * (1.0 - cosine);
        let shift = Vec3(random.triple());
        let rest = simulation.model().rest.clone();
        for (u, x) in simulation.state_mut().u.iter_mut().zip(&rest) {
            *u = turn * *x + shift - *x;
        }
        let worst = simulation.forces().iter().map(|f| f.norm()).fold(0.0, f64::max);
        // A strain of 1e-12 on a face of a cell.
        assert!(worst < 1e-12 * 1e6 * (SIDE / 3.0).powi(2), "{name}: {worst} N");
        assert!(simulation.energy().elastic_j < 1e-12 * 1e5 * SIDE.powi(3), "{name}");
    }
}

#[test]
fn mass_is_density_times_volume() {
    for (name, body) in bodies() {
        let density = body.material.density;
        let simulation = build(body);
        let summary = &simulation.bodies()[0];
        let exact = density * SIDE.powi(3);
        assert!((summary.mass_kg - exact).abs() < 1e-12 * exact, "{name}: {} kg", summary.mass_kg);
        assert!((summary.volume_m3 - SIDE.powi(3)).abs() < 1e-12 * SIDE.powi(3), "{name}");
    }
}

#[test]
fn consistent_mass_moves_like_the_same_mass() {
    let mut body = cube(Method::Tet, 3, SIDE, [0.0; 3], &Material::default());
    body.mass = MassKind::Consistent;
    body.velocity = [1.0, 2.0, -2.0];
    let mut simulation = build(body.clone());
    let mass = 1000.0 * SIDE.powi(3);
    assert!((simulation.energy().kinetic_j - 4.5 * mass).abs() < 1e-10 * mass);
    let simulation = double(&mut simulation);
    // Rows sum to nothing beyond the lumped mass, and the matrix is symmetric.
    let mut rows = vec![0.0; simulation.model().node_count()];
    for &(row, _, m) in &simulation.model().consistent_mass {
        rows[row as usize] += m;
    }
    assert!(rows.iter().all(|r| r.abs() < 1e-15));
    // A linear velocity field has the exact kinetic energy: ½ ∫ ρ x² over the cube = ½ ρ s⁵/12.
    let rest = simulation.model().rest.clone();
    for (v, x) in simulation.state_mut().v.iter_mut().zip(&rest) {
        *v = Vec3([0.0, x[0], 0.0]);
    }
    let exact = 0.5 * 1000.0 * SIDE.powi(5) / 12.0;
    let found = simulation.energy().kinetic_j;
    assert!((found - exact).abs() < 1e-12 * exact, "{found} J instead of {exact} J");
    body.mass = MassKind::Lumped;
    body.velocity = [0.0; 3];
}

#[test]
fn free_fall_is_exact() {
    for integrator in Integrator::ALL {
        if integrator == Integrator::QuasiStatic {
            continue; // nothing balances gravity
        }
        let mut body = cube(Method::Tet, 2, SIDE, [0.0; 3], &Material::default());
        body.velocity = [1.0, 2.0, 0.0];
        let mut scene = alone(body, integrator, 0.01);
        scene.gravity = [0.0, -10.0, 3.0];
        scene.solver.tolerance = 1e-12;
        let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
        let steps = 20;
        for _ in 0..steps {
            simulation.step(0.01).expect("a sound step");
        }
        let mass = simulation.bodies()[0].mass_kg;
        let v = simulation.momentum().map(|p| p / mass);
        let expected = [1.0, 0.0, 0.6];
        let name = integrator.name();
        assert!((0..3).all(|a| (v[a] - expected[a]).abs() < 1e-9), "{name}: {v:?} m/s");
        let simulation = double(&mut simulation);
        let fallen = simulation.state().u.iter().fold(Vec3::zero(), |s, u| s + *u) * (1.0 / 27.0);
        // Second-order methods fall exactly; first-order ones are off by at most half a step's velocity.
        let exact = Vec3([0.2, 2.0 * 0.2 - 5.0 * 0.04, 1.5 * 0.04]);
        let second_order = matches!(
            integrator,
            Integrator::LeapFrog
                | Integrator::Verlet
                | Integrator::Rk2
                | Integrator::Rk4
                | Integrator::ImplicitMidpoint
        );
        let allowed = if second_order { 1e-9 } else { 0.5 * 0.01 * 0.2 * 10.5 };
        assert!((fallen - exact).norm() < allowed, "{name}: fell {fallen:?} m instead of {exact:?} m");
        assert!(simulation.energy().elastic_j < 1e-12, "{name}");
    }
}

/// Where a pin that turns about z and moves along x must have taken a point at time `t`.
fn carried(x: Vec3<f64>, t: f64) -> Vec3<f64> {
    let (sine, cosine) = (1.5 * t).sin_cos();
    Vec3([x[0] * cosine - x[1] * sine + 0.3 * t, x[0] * sine + x[1] * cosine, x[2]])
}

#[test]
fn pinned_nodes_follow_their_motion_exactly() {
    for integrator in Integrator::ALL {
        for (kind, method) in [("tet", Method::Tet), ("mls", Method::Mls)] {
            let mut body = cube(method, 2, SIDE, [0.0; 3], &Material::default());
            let low = Region::Box { min: [-1.0; 3], max: [1.0, -0.5 * SIDE, 1.0] };
            let high = Region::Box { min: [-1.0, 0.5 * SIDE, -1.0], max: [1.0; 3] };
            let moving = Pin { velocity: [0.3, 0.0, 0.0], spin: [0.0, 0.0, 1.5], until: 0.1, ..Pin::hold(low) };
            // Free to move along x; held in y, moved in z.
            let rail = Pin { velocity: [9.0, 0.0, 0.2], axes: [false, true, true], ..Pin::hold(high) };
            body.pins = vec![moving, rail];
            let scene = alone(body, integrator, 0.01);
            let mut simulation = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
            for step in 1..=15 {
                let name = format!("{} {kind} step {step}", integrator.name());
                simulation.step(0.01).unwrap_or_else(|e| panic!("{name}: {e}"));
                let s = double(&mut simulation);
                let t = step as f64 * 0.01;
                for n in 0..s.model().node_count() {
                    let (rest, x, v) = (s.model().rest[n], Vec3(s.position(n)), s.state().v[n]);
                    if rest[1] < -0.49 * SIDE {
                        let expected = carried(rest, t.min(0.1));
                        assert!((x - expected).norm() < 1e-12, "{name}: node {n} is at {x:?} m, not {expected:?} m");
                        // Backward differences of second order look two steps back.
                        let still = step > 12;
                        assert!(!still || v.norm() < 1e-9, "{name}: held node {n} moves at {v:?} m/s");
                    } else if rest[1] > 0.49 * SIDE {
                        let off = (x[1] - rest[1]).abs() + (x[2] - rest[2] - 0.2 * t).abs();
                        assert!(off < 1e-12, "{name}: node {n} on its rail is at {x:?} m");
                    }
                }
            }
        }
    }
}

fn resultant(loads: Vec<Load>, method: Method) -> Vec3<f64> {
    let mut body = cube(method, 3, SIDE, [0.0; 3], &Material::default());
    body.loads = loads;
    double(&mut build(body)).forces().iter().fold(Vec3::zero(), |s, f| s + *f)
}

#[test]
fn loads_add_up_to_what_they_say() {
    let top = || Region::Box { min: [-1.0, 0.5 * SIDE, -1.0], max: [1.0; 3] };
    let close = |found: Vec3<f64>, expected: [f64; 3]| {
        assert!((found - Vec3(expected)).norm() < 1e-10, "{found:?} N instead of {expected:?} N");
    };
    let area = SIDE * SIDE;
    let one = |region: Region, kind: LoadKind| vec![Load { region, kind }];
    close(resultant(one(top(), LoadKind::Pressure(500.0)), Method::Tet), [0.0, -500.0 * area, 0.0]);
    close(resultant(one(Region::All, LoadKind::Pressure(500.0)), Method::Tet), [0.0; 3]);
    close(
        resultant(one(top(), LoadKind::Traction([100.0, 20.0, -5.0])), Method::Edge),
        [100.0 * area, 20.0 * area, -5.0 * area],
    );
    close(resultant(one(top(), LoadKind::ForcePerNode([1.0, 0.0, 2.0])), Method::Tet), [16.0, 0.0, 32.0]);
    close(resultant(one(top(), LoadKind::TotalForce([1.0, -3.0, 2.0])), Method::Mls), [1.0, -3.0, 2.0]);
    let both = vec![
        Load { region: top(), kind: LoadKind::TotalForce([1.0, 0.0, 0.0]) },
        Load { region: Region::All, kind: LoadKind::TotalForce([0.0, 1.0, 0.0]) },
    ];
    close(resultant(both, Method::Spring), [1.0, 1.0, 0.0]);
}

/// A scene in which one thing happens to the cube after ten steps, and the simulation just before and after.
fn around(event: Action, change: impl Fn(&mut Scene)) -> (AnySimulation, AnySimulation) {
    let mut scene = alone(cube(Method::Tet, 2, SIDE, [0.0; 3], &Material::default()), Integrator::ImplicitEuler, 0.01);
    change(&mut scene);
    let run = |scene: &Scene, steps: usize| {
        let mut simulation = AnySimulation::build(scene, Precision::F64).expect("a sound scene");
        for _ in 0..steps {
            simulation.step(0.01).expect("a sound step");
        }
        simulation
    };
    let before = run(&scene, 10);
    scene.events = vec![Event { at: 0.1, body: Some("cube".into()), action: event }];
    (before, run(&scene, 11))
}

fn velocity(simulation: &AnySimulation) -> [f64; 3] {
    let mass = simulation.bodies()[0].mass_kg;
    simulation.momentum().map(|p| p / mass)
}

#[test]
fn events_do_what_they_say() {
    let near = |a: [f64; 3], b: [f64; 3]| assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-9), "{a:?} instead of {b:?}");
    let (before, after) = around(Action::Push([1.0, 2.0, 3.0]), |_| {});
    near(velocity(&before), [0.0; 3]);
    near(velocity(&after), [1.0, 2.0, 3.0]);
    let (before, after) = around(Action::SetGravity([5.0, 0.0, 0.0]), |s| s.gravity = [0.0, -10.0, 0.0]);
    near(velocity(&before), [0.0, -1.0, 0.0]);
    near(velocity(&after), [0.05, -1.0, 0.0]);
    let hold = |s: &mut Scene| {
        s.gravity = [0.0, -10.0, 0.0];
        s.bodies[0].pins = vec![Pin::hold(Region::All)];
    };
    let (before, after) = around(Action::Release, hold);
    near(velocity(&before), [0.0; 3]);
    near(velocity(&after), [0.0, -0.1, 0.0]);
    let fast = |s: &mut Scene| s.bodies[0].velocity = [1.0, 0.0, 0.0];
    let (before, after) = around(Action::Pin(vec![Pin::hold(Region::All)]), fast);
    near(velocity(&before), [1.0, 0.0, 0.0]);
    near(velocity(&after), [0.0; 3]);
    let pull = Load { region: Region::All, kind: LoadKind::TotalForce([27.0, 0.0, 0.0]) };
    let push = Load { region: Region::All, kind: LoadKind::TotalForce([0.0, 27.0, 0.0]) };
    // 27 kg, so a newton each gives a metre per second squared; the new loads replace the old.
    let (before, after) = around(Action::SetLoads(vec![push]), |s| s.bodies[0].loads = vec![pull.clone()]);
    near(velocity(&before), [0.1, 0.0, 0.0]);
    near(velocity(&after), [0.1, 0.01, 0.0]);
}

#[test]
fn a_material_twice_as_stiff_holds_twice_the_energy() {
    for (name, method, _) in KINDS.into_iter().filter(|k| k.2 == Lagrangian::Total) {
        let squeeze = |s: &mut Scene| {
            s.bodies[0] = cube(method, 2, SIDE, [0.0; 3], &Material::default());
            let side = |x: f64| Region::Box { min: [x - 1e-6, -1.0, -1.0], max: [x + 1e-6, 1.0, 1.0] };
            // Everything is held or moved, so the shape is the same whatever the stiffness.
            let middle = Region::Box { min: [-0.01, -1.0, -1.0], max: [0.01, 1.0, 1.0] };
            let along =
                |region: Region, speed: f64| Pin { velocity: [speed, 0.0, 0.0], until: 0.05, ..Pin::hold(region) };
            s.bodies[0].pins = vec![along(side(-0.5 * SIDE), 0.2), along(side(0.5 * SIDE), -0.4), Pin::hold(middle)];
        };
        let stiffer = Material { young_modulus: 2.0 * Material::default().young_modulus, ..Material::default() };
        let (before, after) = around(Action::SetMaterial(stiffer), squeeze);
        let (low, high) = (before.energy(), after.energy());
        assert!(low.elastic_j > 1e-3, "{name}");
        assert!(
            (high.elastic_j / low.elastic_j - 2.0).abs() < 1e-9,
            "{name}: {} and {} J",
            low.elastic_j,
            high.elastic_j
        );
        // What the event put in is not counted as dissipation.
        assert!((high.dissipated_j - low.dissipated_j).abs() < 1e-9 * low.elastic_j, "{name}");
    }
}

/// A stretch of a tenth along x has the Green–Lagrange strain diag(0.105, 0, 0), whose deviator is 0.035 diag(2, -1, -1):
/// √(2/3 · 6 · 0.035²) = 0.07.
#[test]
fn frames_tell_the_equivalent_strain() {
    for method in [Method::Tet, Method::Edge, Method::Node, Method::Mls] {
        let body = cube(method, 3, SIDE, [0.0; 3], &Material::default());
        let mut simulation = Simulation::<f64>::build(&alone(body, Integrator::ImplicitEuler, 0.01)).unwrap();
        let rest = simulation.model().rest.clone();
        for (u, x) in simulation.state_mut().u.iter_mut().zip(&rest) {
            *u = Vec3::new(0.1 * x[0], 0.0, 0.0);
        }
        let frame = simulation.frame(0);
        let strain = &frame.bodies[0].strain;
        assert_eq!(strain.len(), rest.len());
        assert!(strain.iter().all(|e| (e - 0.07).abs() < 1e-6), "{method:?}: {strain:?}");
        assert!(frame.bodies[0].damage.is_empty(), "it cannot break");
    }
}
