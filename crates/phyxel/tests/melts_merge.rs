//! Separate bodies that touch while molten become one piece of matter, and stay one when they set.

mod common;

use common::{alone, phyxels};
use phyxel::material::{Melting, Thermal};
use phyxel::math::Vec3;
use phyxel::scene::{
    Action, Body, BodyHeat, Event, HeatKind, HeatLoad, Integrator, Lagrangian, Method, Pin, Region, Scene,
};
use phyxel::shape::{Geometry, Placement, PointSampling, Resolution, Shape, TriMesh};
use phyxel::stencil::block::Stencils;
use phyxel::{Material, Simulation};

const SPACING: f64 = 0.03;
const STEP: f64 = 0.005;

fn wax() -> Material {
    let melting = Some(Melting { solidus: 320.0, liquidus: 330.0, latent_heat: 1e4, viscosity: 2.0 });
    Material {
        young_modulus: 1e5,
        poisson_ratio: 0.3,
        density: 900.0,
        thermal: Some(Thermal { conductivity: 50.0, specific_heat: 500.0, melting, ..Thermal::default() }),
        ..Material::default()
    }
}

fn held_at(temperature: f64) -> Vec<HeatLoad> {
    vec![HeatLoad { region: Region::All, kind: HeatKind::Temperature(temperature) }]
}

/// A block of phyxels whose first one is at `low`, held at a temperature.
fn block(name: &str, counts: [usize; 3], low: [f64; 3], material: &Material, temperature: f64) -> Body {
    let cells = counts.map(|n| n - 1);
    let size = cells.map(|n| n as f64 * SPACING);
    let center = std::array::from_fn(|a| low[a] + 0.5 * size[a]);
    let shape = Shape::Box { size };
    let made = shape.discretise(Method::Mls, &Resolution::Cells(cells), &Placement::at(center), material);
    of_points(name, made.expect("a block"), material, temperature)
}

fn of_points(name: &str, geometry: Geometry, material: &Material, temperature: f64) -> Body {
    let mut body = Body::new(name, geometry, Method::Mls, material.clone());
    body.mls = phyxels(Lagrangian::Updated);
    body.heat = Some(BodyHeat { temperature, loads: held_at(temperature), ..BodyHeat::default() });
    body
}

/// Weightless, and cold from `at` on [s].
fn scene(bodies: Vec<Body>, at: f64) -> Scene {
    let mut bodies = bodies.into_iter();
    let mut scene = alone(bodies.next().expect("a body"), Integrator::ImplicitEuler, STEP);
    scene.bodies.extend(bodies);
    scene.events = vec![Event { at, body: None, action: Action::SetHeat(held_at(300.0)) }];
    scene
}

/// Two cubes of wax, the second one of a denser kind, on their way to each other.
fn thrown(speed: f64, temperatures: [f64; 2], cold_from: f64) -> Scene {
    let heavy = Material { density: 1400.0, young_modulus: 2e5, ..wax() };
    let mut left = block("left", [6; 3], [-0.24, 0.0, 0.0], &wax(), temperatures[0]);
    let mut right = block("right", [6; 3], [0.03, 0.01, 0.01], &heavy, temperatures[1]);
    (left.velocity, right.velocity) = ([speed, 0.0, 0.0], [-speed, 0.0, 0.0]);
    scene(vec![left, right], cold_from)
}

/// How many phyxels see one of another body.
fn fused(simulation: &Simulation<f64>) -> usize {
    let model = simulation.model();
    let mut count = 0;
    for block in &model.blocks {
        let Stencils::General(general) = &block.stencils else { panic!("phyxels") };
        let own = &model.bodies[block.body].nodes;
        let abroad = |e: usize| general.table.nodes[general.entries(e)].iter().any(|n| !own.contains(&(*n as usize)));
        count += (0..general.len()).filter(|&e| abroad(e)).count();
    }
    count
}

fn center(simulation: &Simulation<f64>, body: usize) -> f64 {
    let nodes = simulation.model().bodies[body].nodes.clone();
    let count = nodes.len() as f64;
    nodes.map(|n| simulation.position(n)[0]).sum::<f64>() / count
}

fn assert_kept(what: &str, now: [f64; 3], before: [f64; 3]) {
    let off = (Vec3(now) - Vec3(before)).norm();
    assert!(off < 1e-9, "{what}: {now:?} was {before:?}");
}

/// Gives every node of a body a velocity along x.
fn throw(simulation: &mut Simulation<f64>, body: usize, speed: f64) {
    let nodes = simulation.model().bodies[body].nodes.clone();
    simulation.state_mut().v[nodes].fill(Vec3([speed, 0.0, 0.0]));
}

#[test]
fn bodies_that_meet_molten_and_set_are_one_solid() {
    let mut simulation = Simulation::<f64>::build(&thrown(0.5, [340.0; 2], 0.35)).expect("a sound scene");
    simulation.step(STEP).expect("a first step");
    assert_eq!(fused(&simulation), 0, "apart");
    let (momentum, spin) = (simulation.momentum(), simulation.angular_momentum());
    let masses: Vec<f64> = simulation.bodies().iter().map(|b| b.mass_kg).collect();
    let moving = |simulation: &Simulation<f64>| simulation.energy().kinetic_j;
    let start = moving(&simulation);
    let mut least = start;
    while simulation.time() < 0.345 {
        simulation.step(STEP).unwrap_or_else(|e| panic!("{e}"));
        let now = moving(&simulation);
        assert!(now < least + 0.01 * start, "{now} J after {least} J at {} s", simulation.time());
        least = least.min(now);
    }
    // From here on they are elastic, and swing.
    simulation.advance_to(0.5).unwrap_or_else(|e| panic!("{e}"));
    assert!(moving(&simulation) < least, "setting puts nothing in");
    assert!((0..2).all(|body| simulation.molten(body).iter().all(|share| *share == 0.0)), "set");
    let joint = fused(&simulation);
    assert!(joint > 60, "{joint} phyxels see the other body");
    assert_kept("momentum", simulation.momentum(), momentum);
    assert_kept("spin", simulation.angular_momentum(), spin);
    assert_eq!(masses, simulation.bodies().iter().map(|b| b.mass_kg).collect::<Vec<_>>());
    // Both are thrown apart, and hold together.
    let apart = center(&simulation, 1) - center(&simulation, 0);
    throw(&mut simulation, 0, -0.2);
    throw(&mut simulation, 1, 0.2);
    simulation.advance_to(1.2).unwrap_or_else(|e| panic!("{e}"));
    let now = center(&simulation, 1) - center(&simulation, 0);
    assert!((now / apart - 1.0).abs() < 0.2, "{now} m apart, {apart} m before");
    assert_eq!(fused(&simulation), joint, "no neighbour is lost");
    // One of them pulls the other along.
    throw(&mut simulation, 0, 0.0);
    throw(&mut simulation, 1, 0.3);
    simulation.advance_to(2.2).unwrap_or_else(|e| panic!("{e}"));
    let now = center(&simulation, 1) - center(&simulation, 0);
    assert!((now / apart - 1.0).abs() < 0.2, "{now} m apart, {apart} m before");
}

#[test]
fn a_cold_body_and_a_molten_one_press_on_each_other_and_stay_two() {
    let mut simulation = Simulation::<f64>::build(&thrown(0.5, [340.0, 300.0], 100.0)).expect("a sound scene");
    simulation.step(STEP).expect("a first step");
    let momentum = simulation.momentum();
    let mut touched = 0;
    while simulation.time() < 0.6 {
        touched += simulation.step(STEP).unwrap_or_else(|e| panic!("{e}")).contacts;
        assert_eq!(fused(&simulation), 0);
    }
    assert!(touched > 0, "they meet");
    assert_kept("momentum", simulation.momentum(), momentum);
    // Nothing of the melt has gone through the solid.
    let solid = simulation.model().bodies[1].nodes.clone();
    let xs = |nodes: std::ops::Range<usize>| nodes.map(|n| simulation.position(n)[0]).collect::<Vec<_>>();
    let behind = xs(solid).into_iter().fold(f64::MIN, f64::max);
    let melt = xs(simulation.model().bodies[0].nodes.clone());
    let center = center(&simulation, 1);
    let near_axis = |n: usize| {
        let [_, y, z] = simulation.position(n);
        (0.0..0.15).contains(&y) && (0.0..0.15).contains(&z)
    };
    let inside = melt.iter().enumerate().filter(|(n, x)| near_axis(*n) && **x > center && **x < behind).count();
    assert_eq!(inside, 0, "phyxels of the melt inside the solid");
}

/// A bar of wax in one body, or cut into two of half its length.
fn bar(halves: bool) -> Scene {
    let whole = block("bar", [12, 6, 6], [0.0; 3], &wax(), 340.0);
    let Geometry::Points(all) = &whole.geometry else { panic!("phyxels") };
    let middle = 5.5 * SPACING;
    let part = |keep: &dyn Fn(f64) -> bool| {
        let kept: Vec<usize> = (0..all.points.len()).filter(|&i| keep(all.points[i][0])).collect();
        Geometry::Points(PointSampling {
            points: kept.iter().map(|&i| all.points[i]).collect(),
            volumes: kept.iter().map(|&i| all.volumes[i]).collect(),
            boundary: kept.iter().map(|&i| all.boundary[i]).collect(),
            skin: TriMesh::default(),
            ..all.clone()
        })
    };
    let mut bodies = if halves {
        let one = of_points("one", part(&|x| x < middle), &wax(), 340.0);
        vec![one, of_points("other", part(&|x| x > middle), &wax(), 340.0)]
    } else {
        vec![of_points("one", part(&|_| true), &wax(), 340.0)]
    };
    // Held by its left end, under its own weight once it has set.
    let end = Region::Box { min: [-1.0; 3], max: [0.5 * SPACING, 1.0, 1.0] };
    bodies[0].pins = vec![Pin::hold(end)];
    let mut scene = scene(bodies, 1.5 * STEP);
    scene.solver.tolerance = 1e-10;
    scene.gravity = [0.0, -2.0, 0.0];
    scene
}

#[test]
fn two_bodies_that_set_together_bend_as_one_of_the_same_shape() {
    let mut places: Vec<Vec<[f64; 3]>> = Vec::new();
    for halves in [false, true] {
        let mut simulation = Simulation::<f64>::build(&bar(halves)).expect("a sound scene");
        let mut start: Vec<([f64; 3], usize)> =
            (0..simulation.model().node_count()).map(|n| (simulation.position(n), n)).collect();
        start.sort_by(|a, b| a.0.iter().zip(b.0).map(|(a, b)| a.total_cmp(&b)).find(|o| o.is_ne()).unwrap());
        simulation.advance_to(0.4).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(fused(&simulation) > 0, halves);
        places.push(start.into_iter().map(|(_, n)| simulation.position(n)).collect());
    }
    let (one, two) = (&places[0], &places[1]);
    let sag = one.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
    assert!(sag < -0.005, "it bends: {sag} m");
    let off = |(a, b): (&[f64; 3], &[f64; 3])| (Vec3(*a) - Vec3(*b)).norm();
    let worst = one.iter().zip(two).map(off).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst} m from where one body would be");
}

#[test]
fn heat_passes_between_bodies_that_have_merged() {
    let mut quick = wax();
    quick.thermal.iter_mut().for_each(|thermal| thermal.conductivity = 2000.0);
    let mut scene = scene(vec![block("warm", [5; 3], [0.0; 3], &quick, 340.0)], 100.0);
    let mut hot = block("hot", [5; 3], [5.0 * SPACING, 0.0, 0.0], &quick, 400.0);
    hot.heat.iter_mut().for_each(|heat| heat.loads.clear());
    scene.bodies[0].heat.iter_mut().for_each(|heat| heat.loads.clear());
    scene.bodies.push(hot);
    let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
    let heat = |simulation: &Simulation<f64>| {
        let state = simulation.state();
        state.enthalpy.iter().zip(&simulation.model().masses).map(|(h, m)| h * m).sum::<f64>()
    };
    let before = heat(&simulation);
    simulation.advance_to(1.0).unwrap_or_else(|e| panic!("{e}"));
    let mean = |body: usize| {
        let all = simulation.temperatures(body);
        all.iter().sum::<f64>() / all.len() as f64
    };
    let (warm, hot) = (mean(0), mean(1));
    assert!(warm > 348.0 && hot < 392.0 && warm < hot, "{warm} K and {hot} K");
    assert!((heat(&simulation) / before - 1.0).abs() < 1e-9, "no heat is lost");
}

#[test]
fn merging_is_the_same_on_any_number_of_threads_and_after_a_snapshot() {
    let scene = thrown(0.5, [340.0; 2], 0.25);
    let run = |threads: usize, resumes: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
            simulation.advance_to(0.2).unwrap_or_else(|e| panic!("{e}"));
            assert!(fused(&simulation) > 0, "they have met");
            if resumes {
                let mut later = Simulation::<f64>::build(&scene).expect("a sound scene");
                later.restore(&simulation.snapshot()).expect("of the same scene");
                simulation = later;
            }
            simulation.advance_to(0.4).unwrap_or_else(|e| panic!("{e}"));
            simulation.state_hash()
        })
    };
    let first = run(1, false);
    assert_eq!(first, run(3, false), "three threads");
    assert_eq!(first, run(2, true), "resumed");
}

#[test]
fn melts_that_merged_are_two_again_when_they_are_pulled_apart() {
    let left = block("left", [5; 3], [0.0; 3], &wax(), 340.0);
    let right = block("right", [5; 3], [5.3 * SPACING, 0.0, 0.0], &wax(), 340.0);
    let mut simulation = Simulation::<f64>::build(&scene(vec![left, right], 100.0)).expect("a sound scene");
    simulation.step(STEP).unwrap_or_else(|e| panic!("{e}"));
    assert!(fused(&simulation) > 0, "they have met");
    throw(&mut simulation, 0, -0.5);
    throw(&mut simulation, 1, 0.5);
    simulation.advance_to(0.3).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(fused(&simulation), 0);
    assert!((0..2).all(|body| !simulation.model().is_united(body)));
}
