//! Phyxels without a rest shape that break: at the load of those that have one, and without losing anything.

mod common;

use common::{alone, chalk, phyxels};
use phyxel::material::{Fracture, LawKind, Plasticity};
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Action, Body, Cut, Event, Integrator, Lagrangian, Method, Pin, Region, Scene, Weakness};
use phyxel::shape::Geometry;
use phyxel::shape::structured::box_points;
use phyxel::{Material, Simulation};

/// A bar from x = 0 to 1, a tenth thick.
fn bar(lagrangian: Lagrangian, material: Material) -> Body {
    let geometry = Geometry::Points(box_points([20, 2, 2], [0.0; 3], [1.0, 0.1, 0.1]).expect("a bar"));
    let mut body = Body::new("bar", geometry, Method::Mls, material);
    body.mls = phyxels(lagrangian);
    body
}

fn between(from: f64, to: f64) -> Region {
    Region::Box { min: [from - 1e-6, -9.0, -9.0], max: [to + 1e-6, 9.0, 9.0] }
}

fn steps<R: Real>(simulation: &mut Simulation<R>, count: usize, dt: f64) {
    for _ in 0..count {
        simulation.step(dt).expect("a step");
    }
}

fn mass<R: Real>(simulation: &Simulation<R>) -> f64 {
    simulation.model().masses.iter().map(|m| m.to_f64()).sum()
}

/// Whether every phyxel sees only such that are of its own piece.
fn pieces_are_apart(simulation: &Simulation<f64>) -> bool {
    let fragile = simulation.model().bodies[0].fragile.as_ref().expect("it breaks");
    let phyxel::stencil::block::Stencils::General(general) = &simulation.model().blocks[0].stencils else {
        return false;
    };
    let piece = |n: u32| fragile.fragment_of[n as usize];
    let row = |e: usize| &general.table.nodes[general.entries(e)];
    (0..general.len()).all(|e| row(e).iter().all(|n| piece(*n) == piece(row(e)[0])))
}

/// Soft metal that breaks when it has flowed by a twenty-fifth.
fn metal() -> Material {
    let plastic = Some(Plasticity::Stress { yield_stress: 1e5, hardening: 2e5, relaxation_time: 0.0 });
    let fracture = Fracture { plastic_limit: 0.04, ..Fracture::brittle(f64::INFINITY) };
    let law = LawKind::Corotated;
    Material { law, young_modulus: 1e7, poisson_ratio: 0.3, plastic, fracture: Some(fracture), ..Material::default() }
}

/// A bar that is drawn out slowly by both ends; its middle bears less.
fn drawn(lagrangian: Lagrangian, material: Material, speed: f64) -> Scene {
    let mut body = bar(lagrangian, material);
    body.material.rayleigh_mass = 20.0;
    body.contact.enabled = false;
    body.weaknesses = vec![Weakness { region: between(0.5, 0.5), factor: 0.5 }];
    let pulled = |from: f64, to: f64, speed: f64| Pin { velocity: [speed, 0.0, 0.0], ..Pin::hold(between(from, to)) };
    body.pins = vec![pulled(0.0, 0.1, -speed), pulled(0.9, 1.0, speed)];
    alone(body, Integrator::ImplicitEuler, 5e-3)
}

/// The largest force on the right end until there are two pieces [N], and when that is [s].
fn load_at_break(scene: &Scene) -> (f64, f64) {
    let mut simulation = Simulation::<f64>::build(scene).expect("a bar");
    let right: Vec<usize> =
        (0..simulation.model().node_count()).filter(|n| simulation.position(*n)[0] > 0.89).collect();
    let mut most: f64 = 0.0;
    while simulation.bodies()[0].fragments < 2 {
        simulation.step(scene.solver.step).expect("a step");
        let forces = simulation.forces();
        most = most.max(-right.iter().map(|n| forces[*n].0[0]).sum::<f64>());
        assert!(simulation.time() < 4.0, "it does not break");
    }
    (most, simulation.time())
}

#[test]
fn with_and_without_a_rest_shape_bars_break_at_the_same_load() {
    for (what, material, speed) in [("chalk", chalk(8e4), 2.5e-3), ("metal", metal(), 0.05)] {
        let [total, updated] =
            [Lagrangian::Total, Lagrangian::Updated].map(|l| load_at_break(&drawn(l, material.clone(), speed)));
        let (load, time) = (updated.0 / total.0, updated.1 / total.1);
        assert!((load - 1.0).abs() < 0.1, "{what}: {} and {} N", updated.0, total.0);
        assert!((time - 1.0).abs() < 0.2, "{what}: after {} and {} s", updated.1, total.1);
    }
}

#[test]
fn a_bar_without_a_rest_shape_flows_until_it_has_flowed_as_far_as_it_can() {
    // Without this, gaps between layers opened ever more, and it came apart at 15 % without a crack.
    let mut material = metal();
    if let Some(fracture) = &mut material.fracture {
        fracture.plastic_limit = 0.3;
    }
    let [total, updated] = [Lagrangian::Total, Lagrangian::Updated].map(|lagrangian| {
        let mut scene = drawn(lagrangian, material.clone(), 0.1);
        scene.bodies[0].weaknesses[0].factor = 0.9;
        let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
        let (mut cracks, mut strain) = (0, 0.0);
        while simulation.bodies()[0].fragments < 2 {
            simulation.step(scene.solver.step).expect("a step");
            cracks += simulation.take_cracks().len();
            strain = 0.2 * simulation.time() / 0.8;
            assert!(strain < 0.6, "{lagrangian:?} does not break");
        }
        assert!(cracks >= 9, "{lagrangian:?} came apart at a strain of {strain} with {cracks} cracks");
        strain
    });
    assert!((updated / total - 1.0).abs() < 0.2, "strains of {updated} and {total}");
}

/// A bar that spins so fast that it bursts.
fn spinning(integrator: Integrator, step: f64) -> Scene {
    let mut body = bar(Lagrangian::Updated, chalk(1e5));
    body.spin = [3.0, 0.0, 40.0];
    body.velocity = [1.0, 2.0, 3.0];
    alone(body, integrator, step)
}

#[test]
fn a_bar_without_a_rest_shape_that_bursts_keeps_its_mass_and_momentum() {
    for (integrator, step) in [(Integrator::LeapFrog, 1e-4), (Integrator::ImplicitEuler, 2e-3)] {
        let mut simulation = Simulation::<f64>::build(&spinning(integrator, step)).expect("a bar");
        let (weight, before) = (mass(&simulation), simulation.momentum());
        steps(&mut simulation, (0.03 / step) as usize, step);
        assert!(simulation.bodies()[0].fragments > 1, "{integrator:?} does not break");
        assert!((mass(&simulation) / weight - 1.0).abs() < 1e-13, "{integrator:?}");
        let now = simulation.momentum();
        let change = (0..3).map(|a| (now[a] - before[a]).abs()).fold(0.0, f64::max);
        assert!(change < 1e-9 * weight * 3.7, "{integrator:?}: {change}");
        assert!(pieces_are_apart(&simulation), "{integrator:?}");
    }
}

#[test]
fn tearing_is_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let scene = spinning(Integrator::LeapFrog, 1e-4);
            let mut simulation = Simulation::<f32>::build(&scene).expect("a bar");
            steps(&mut simulation, 300, 1e-4);
            (simulation.state_hash(), simulation.bodies()[0].fragments)
        })
    };
    let one = run(1);
    assert!(one.1 > 1);
    assert_eq!(one, run(3));
}

#[test]
fn cold_halves_that_meet_again_stay_two() {
    for (integrator, step) in [(Integrator::LeapFrog, 2e-4), (Integrator::ImplicitEuler, 1e-3)] {
        let points = box_points([12, 3, 3], [0.0; 3], [1.2, 0.3, 0.3]).expect("a bar");
        let mut body = Body::new("bar", Geometry::Points(points), Method::Mls, chalk(1e9));
        body.mls = phyxels(Lagrangian::Updated);
        let mut scene = alone(body, integrator, step);
        let cut = Cut::plane([0.6, 0.0, 0.0], [1.0, 0.0, 0.0]);
        scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(cut) }];
        let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
        steps(&mut simulation, 1, step);
        let piece = simulation.model().bodies[0].fragile.as_ref().expect("it breaks").fragment_of.clone();
        let is_right = |n: usize| {
            let own = (0..piece.len()).filter(|k| piece[*k] == piece[n]).map(|k| simulation.position(k)[0]);
            own.fold(f64::NEG_INFINITY, f64::max) > 1.1
        };
        let right: Vec<bool> = (0..piece.len()).map(is_right).collect();
        assert!(right.contains(&true) && right.contains(&false));
        let weight = mass(&simulation);
        // Towards each other: they meet, press, and part.
        let toward = |n: usize| Vec3([if right[n] { -0.5 } else { 0.5 }, 0.0, 0.0]);
        simulation.state_mut().v.iter_mut().enumerate().for_each(|(n, v)| *v = toward(n));
        let before = simulation.momentum();
        let mut depth: f64 = 0.0;
        while simulation.time() < 0.06 {
            steps(&mut simulation, 1, step);
            let right = &right;
            let ends = |is: bool| (0..right.len()).filter(move |n| right[*n] == is);
            let left = ends(false).map(|n| simulation.position(n)[0]).fold(f64::NEG_INFINITY, f64::max);
            depth = depth.max(left - ends(true).map(|n| simulation.position(n)[0]).fold(f64::INFINITY, f64::min));
        }
        assert_eq!(simulation.bodies()[0].fragments, 2, "{integrator:?}");
        assert!(pieces_are_apart(&simulation), "{integrator:?}");
        assert!(depth < 4e-3, "{integrator:?}: they are {depth} m deep in each other");
        let v = &simulation.state().v;
        let speed = |is: bool| {
            let own = (0..right.len()).filter(|n| right[*n] == is);
            own.clone().map(|n| v[n][0]).sum::<f64>() / own.count() as f64
        };
        assert!(speed(true) - speed(false) > 0.05, "{integrator:?}: {} and {} m/s", speed(false), speed(true));
        let now = simulation.momentum();
        assert!((0..3).all(|a| (now[a] - before[a]).abs() < 1e-9 * weight), "{integrator:?}: {before:?} {now:?}");
    }
}
