//! Molten matter parts and merges: what is one piece is a matter of who sees whom.

mod common;

use common::{alone, cube, phyxels};
use phyxel::material::{Melting, Thermal};
use phyxel::math::Vec3;
use phyxel::scene::{Action, Body, BodyHeat, Event, HeatKind, HeatLoad, Integrator, Lagrangian, Method, Region, Scene};
use phyxel::shape::Geometry;
use phyxel::stencil::block::Stencils;
use phyxel::{Material, Simulation};

const SIDE: f64 = 0.2;
const CELLS: usize = 6;

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

fn molten_cube() -> Body {
    let mut body = cube(Method::Mls, CELLS, SIDE, [0.0; 3], &wax());
    body.mls = phyxels(Lagrangian::Updated);
    body.heat = Some(BodyHeat { temperature: 340.0, loads: held_at(340.0), ..BodyHeat::default() });
    body
}

/// Weightless, and cold from `at` on [s].
fn scene(body: Body, at: f64) -> Scene {
    let mut scene = alone(body, Integrator::ImplicitEuler, 0.005);
    scene.events = vec![Event { at, body: None, action: Action::SetHeat(held_at(300.0)) }];
    scene
}

/// Gives the two halves speeds along x that differ in sign.
fn throw(simulation: &mut Simulation<f64>, speed: f64, middle: f64) {
    let signs: Vec<f64> =
        (0..simulation.model().node_count()).map(|n| (simulation.position(n)[0] - middle).signum()).collect();
    let state = simulation.state_mut();
    state.v.iter_mut().zip(signs).for_each(|(v, sign)| *v = Vec3([speed * sign, 0.0, 0.0]));
}

/// The share of all phyxels that is in the largest piece: those that see each other, directly or through others.
fn largest_piece(simulation: &Simulation<f64>) -> f64 {
    let Stencils::General(general) = &simulation.model().blocks[0].stencils else { panic!("phyxels") };
    let mut piece: Vec<usize> = (0..general.len()).collect();
    loop {
        let mut changed = false;
        for e in 0..general.len() {
            for &n in &general.table.nodes[general.entries(e)] {
                let least = piece[e].min(piece[n as usize]);
                changed |= piece[e] != least || piece[n as usize] != least;
                (piece[e], piece[n as usize]) = (least, least);
            }
        }
        if !changed {
            break;
        }
    }
    let size = |first: usize| piece.iter().filter(|p| **p == first).count();
    (0..piece.len()).map(size).max().unwrap_or(0) as f64 / piece.len() as f64
}

fn extent(simulation: &Simulation<f64>) -> f64 {
    let xs = || (0..simulation.model().node_count()).map(|n| simulation.position(n)[0]);
    xs().fold(f64::MIN, f64::max) - xs().fold(f64::MAX, f64::min)
}

#[test]
fn a_melt_that_is_pulled_apart_splits_and_a_solid_does_not() {
    for cold_from in [100.0, 0.0] {
        let mut simulation = Simulation::<f64>::build(&scene(molten_cube(), cold_from)).expect("a sound scene");
        simulation.step(0.005).expect("a first step");
        assert_eq!(largest_piece(&simulation), 1.0);
        throw(&mut simulation, 1.0, 0.0);
        let before = simulation.momentum();
        simulation.advance_to(0.6).unwrap_or_else(|e| panic!("cold from {cold_from}: {e}"));
        let (largest, extent) = (largest_piece(&simulation), extent(&simulation));
        if cold_from > 0.0 {
            assert!(largest < 0.7 && extent > 3.0 * SIDE, "molten: {largest} in one piece, over {extent} m");
        } else {
            assert!(largest == 1.0 && extent < 2.0 * SIDE, "set: {largest} in one piece, over {extent} m");
        }
        for (now, before) in simulation.momentum().into_iter().zip(before) {
            assert!((now - before).abs() < 1e-9, "{now} {before}");
        }
    }
}

#[test]
fn blobs_that_touch_while_molten_are_one_solid_when_they_have_set() {
    let mut body = molten_cube();
    let Geometry::Points(sampling) = &mut body.geometry else { panic!("phyxels") };
    // Two blobs, a quarter of a side apart.
    sampling.points.iter_mut().filter(|p| p[0] > 0.0).for_each(|p| p[0] += 0.4 * SIDE);
    let middle = 0.2 * SIDE;
    let mut simulation = Simulation::<f64>::build(&scene(body, 0.3)).expect("a sound scene");
    simulation.step(0.005).expect("a first step");
    assert!(largest_piece(&simulation) < 0.6, "two blobs");
    throw(&mut simulation, -0.25, middle);
    simulation.advance_to(0.4).unwrap_or_else(|e| panic!("{e}"));
    assert!(simulation.molten(0).iter().all(|share| *share == 0.0));
    let merged = largest_piece(&simulation);
    assert!(merged > 0.9, "they have met: {merged}");
    let set = extent(&simulation);
    throw(&mut simulation, 0.2, middle);
    simulation.advance_to(1.0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(largest_piece(&simulation), merged, "they hold together");
    assert!((extent(&simulation) / set - 1.0).abs() < 0.3, "{set} {}", extent(&simulation));
}

#[test]
fn a_melt_goes_on_from_a_snapshot_as_if_nothing_had_happened() {
    let mut whole = Simulation::<f64>::build(&scene(molten_cube(), 0.2)).expect("a sound scene");
    throw(&mut whole, 1.0, 0.0);
    whole.advance_to(0.1).expect("molten");
    let mut later = Simulation::<f64>::build(&scene(molten_cube(), 0.2)).expect("a sound scene");
    later.restore(&whole.snapshot()).expect("of the same scene");
    for simulation in [&mut whole, &mut later] {
        simulation.advance_to(0.3).expect("set");
    }
    assert_eq!(whole.state_hash(), later.state_hash());
    let frame = whole.frame(0);
    assert!(frame.bodies[0].temperatures.iter().all(|t| (t - 300.0).abs() < 1e-6));
    assert!(frame.bodies[0].skin.is_empty() && whole.layouts()[0].skin_triangles.is_empty(), "drawn as phyxels");
}
