//! Phyxels without a rest shape that break: they yield, tear, touch, and do not grow together again unless they are molten.

mod common;

use common::{alone, chalk, phyxels};
use phyxel::material::{Fracture, LawKind, Melting, Plasticity, Thermal};
use phyxel::math::{Real, Vec3};
use phyxel::scene::{
    Action, Body, BodyHeat, Cut, Event, HeatKind, HeatLoad, Integrator, Lagrangian, Method, Pin, Region, Scene,
    Weakness,
};
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
fn load_at_break(scene: &Scene) -> (f64, f64, Simulation<f64>) {
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
    let time = simulation.time();
    (most, time, simulation)
}

#[test]
fn a_bar_that_flows_tears_in_two_and_loses_nothing() {
    let scene = drawn(Lagrangian::Updated, metal(), 0.05);
    let weight = mass(&Simulation::<f64>::build(&scene).expect("a bar"));
    let (_, _, mut simulation) = load_at_break(&scene);
    steps(&mut simulation, 40, scene.solver.step);
    let pieces: Vec<_> = simulation.fragments(0).iter().filter(|f| f.elements > 0).collect();
    assert_eq!(pieces.len(), 2, "{pieces:?}");
    assert!((pieces.iter().map(|p| p.mass).sum::<f64>() / weight - 1.0).abs() < 1e-12);
    assert!((mass(&simulation) / weight - 1.0).abs() < 1e-13);
    assert!(pieces.iter().all(|p| p.mass > 0.4 * weight), "{pieces:?}");
    assert!(pieces_are_apart(&simulation));
    // It has yielded before it tore, and tore where it bears less.
    let cracks = simulation.take_cracks();
    assert!(!cracks.is_empty() && cracks.iter().all(|c| (c.point[0] - 0.5).abs() < 0.1 && c.normal[0].abs() > 0.8));
    let flowed = simulation.state().grains[0].iter().filter(|g| g.plastic_strain > 0.02).count();
    assert!(flowed > simulation.state().grains[0].len() / 4, "{flowed}");
    let gap = |s: &Simulation<f64>| {
        let fragile = s.model().bodies[0].fragile.as_ref().expect("it breaks");
        let ends = |k: u32| (0..fragile.origin.len()).filter(move |n| fragile.fragment_of[*n] == k);
        let mean = |k: u32| ends(k).map(|n| s.position(n)[0]).sum::<f64>() / ends(k).count() as f64;
        (mean(pieces_of(s)[0]) - mean(pieces_of(s)[1])).abs()
    };
    let before = gap(&simulation);
    steps(&mut simulation, 40, scene.solver.step);
    assert!(gap(&simulation) > before + 0.8 * 0.1 * 40.0 * scene.solver.step, "both go where their ends go");
}

fn pieces_of(simulation: &Simulation<f64>) -> [u32; 2] {
    let there: Vec<u32> =
        simulation.fragments(0).iter().zip(0..).filter(|(f, _)| f.elements > 0).map(|(_, k)| k).collect();
    [there[0], there[1]]
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
fn a_snapshot_of_torn_matter_goes_on_bit_for_bit() {
    for scene in [spinning(Integrator::Verlet, 1e-4), drawn(Lagrangian::Updated, metal(), 0.05)] {
        let step = scene.solver.step;
        let mut first = Simulation::<f64>::build(&scene).expect("a bar");
        let whole = first.snapshot();
        while first.bodies()[0].fragments < 2 {
            first.step(step).expect("a step");
            assert!(first.time() < 4.0, "it does not break");
        }
        let broken = first.snapshot();
        let run = |s: &mut Simulation<f64>| {
            steps(s, 10, step);
            (s.state_hash(), s.bodies()[0].fragments)
        };
        let expected = run(&mut first);
        let mut second = Simulation::<f64>::build(&scene).expect("a bar");
        second.restore(&broken).expect("its own snapshot");
        assert_eq!(second.snapshot(), broken);
        assert_eq!(run(&mut second), expected);
        // And back to when it was whole.
        second.restore(&whole).expect("its own snapshot");
        assert_eq!(second.bodies()[0].fragments, 1);
        let mut third = Simulation::<f64>::build(&scene).expect("a bar");
        assert_eq!(run(&mut second), run(&mut third));
    }
}

/// A bar that is cut in two; both halves fly against each other.
fn clapping(contact: bool) -> (Simulation<f64>, Vec<u32>) {
    let points = box_points([12, 3, 3], [0.0; 3], [1.2, 0.3, 0.3]).expect("a bar");
    let mut body = Body::new("bar", Geometry::Points(points), Method::Mls, chalk(1e9));
    body.mls = phyxels(Lagrangian::Updated);
    body.mls.reanchor = 0.0;
    body.contact.enabled = contact;
    let mut scene = alone(body, Integrator::ImplicitEuler, 2e-4);
    let cut = Cut::plane([0.6, 0.0, 0.0], [1.0, 0.0, 0.0]);
    scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(cut) }];
    let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
    steps(&mut simulation, 1, 2e-4);
    assert_eq!(simulation.bodies()[0].fragments, 2);
    let pieces = simulation.model().bodies[0].fragile.as_ref().expect("it breaks").fragment_of.clone();
    let first = (0..pieces.len()).find(|n| simulation.position(*n)[0] > 1.19).expect("an end");
    let toward = |n: usize| if pieces[n] == pieces[first] { -0.5 } else { 0.5 };
    simulation.state_mut().v.iter_mut().enumerate().for_each(|(n, v)| *v = Vec3([toward(n), 0.0, 0.0]));
    (simulation, pieces)
}

#[test]
fn pieces_touch_each_other_and_do_not_grow_together() {
    let deepest = |contact: bool| {
        let (mut simulation, pieces) = clapping(contact);
        let right = pieces[(0..pieces.len()).find(|n| simulation.position(*n)[0] > 1.19).expect("an end")];
        let mut depth: f64 = 0.0;
        for _ in 0..150 {
            steps(&mut simulation, 1, 2e-4);
            assert!(pieces_are_apart(&simulation));
            assert_eq!(simulation.bodies()[0].fragments, 2);
            let at = |is_right: bool| {
                let of = |n: &usize| (pieces[*n] == right) == is_right;
                (0..pieces.len()).filter(of).map(|n| simulation.position(n)[0]).collect::<Vec<_>>()
            };
            let left_end = at(false).into_iter().fold(f64::NEG_INFINITY, f64::max);
            depth = depth.max(left_end - at(true).into_iter().fold(f64::INFINITY, f64::min));
        }
        depth
    };
    let (stopped, through) = (deepest(true), deepest(false));
    assert!(stopped < 3e-3, "{stopped} m deep");
    assert!(through > 0.02, "{through} m deep without contact");
}

#[test]
fn only_molten_pieces_grow_together() {
    let melting = Some(Melting { solidus: 320.0, liquidus: 330.0, latent_heat: 1e4, viscosity: 20.0 });
    let wax = Material {
        young_modulus: 2e5,
        poisson_ratio: 0.4,
        density: 900.0,
        thermal: Some(Thermal { conductivity: 50.0, specific_heat: 500.0, melting, ..Thermal::default() }),
        fracture: Some(Fracture::brittle(1e9)),
        ..Material::default()
    };
    let fragments = |temperature: f64| {
        let points = box_points([6, 3, 3], [0.0; 3], [0.6, 0.3, 0.3]).expect("a block");
        let mut body = Body::new("block", Geometry::Points(points), Method::Mls, wax.clone());
        body.mls = phyxels(Lagrangian::Updated);
        let kept = vec![HeatLoad { region: Region::All, kind: HeatKind::Temperature(temperature) }];
        body.heat = Some(BodyHeat { temperature: 300.0, loads: kept, ..BodyHeat::default() });
        let mut scene = alone(body, Integrator::ImplicitEuler, 5e-3);
        let cut = Cut::plane([0.25, 0.0, 0.0], [1.0, 0.0, 0.0]);
        scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(cut) }];
        let mut simulation = Simulation::<f64>::build(&scene).expect("a block");
        let weight = mass(&simulation);
        let mut seen = Vec::new();
        for _ in 0..60 {
            steps(&mut simulation, 1, 5e-3);
            seen.push(simulation.bodies()[0].fragments);
        }
        let there: f64 = simulation.fragments(0).iter().map(|f| f.mass).sum();
        assert!((there / weight - 1.0).abs() < 1e-12, "{there} of {weight} kg");
        seen
    };
    assert!(fragments(300.0).iter().all(|n| *n == 2), "cold halves stay two");
    let hot = fragments(340.0);
    assert_eq!((hot[0], hot[59]), (2, 1), "molten halves become one: {hot:?}");
}
