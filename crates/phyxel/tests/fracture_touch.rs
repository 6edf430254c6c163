//! Pieces of one body touch each other.

mod common;

use common::{alone, chalk};
use phyxel::math::Vec3;
use phyxel::scene::{Action, Body, Cut, Event, Integrator, Method, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::{Material, Simulation};

const STEP: f64 = 2e-4;

/// A bar of phyxels that is cut in two at once.
fn cut_bar(integrator: Integrator, contact: bool) -> Scene {
    let points = box_points([12, 3, 3], [0.0; 3], [1.2, 0.3, 0.3]).expect("a bar");
    let material = Material { density: 1000.0, ..chalk(1e9) };
    let mut body = Body::new("bar", Geometry::Points(points), Method::Mls, material);
    body.contact.enabled = contact;
    let mut scene = alone(body, integrator, STEP);
    let cut = Cut::plane([0.6, 0.0, 0.0], [1.0, 0.0, 0.0]);
    scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(cut) }];
    scene
}

/// Drives both halves against each other; how far they are in each other at most [m], and how fast they part [m/s].
fn clap(scene: &Scene) -> (f64, f64) {
    let mut simulation = Simulation::<f64>::build(scene).expect("a bar");
    simulation.step(STEP).expect("a step");
    assert_eq!(simulation.bodies()[0].fragments, 2);
    let pieces = simulation.model().bodies[0].fragile.as_ref().expect("it breaks").fragment_of.clone();
    let piece = &pieces[..];
    let rest = simulation.model().rest.clone();
    let mean = |of: &dyn Fn(usize) -> f64, k: u32| {
        let own = || (0..piece.len()).filter(|n| piece[*n] == k);
        own().map(of).sum::<f64>() / own().count() as f64
    };
    let right = if mean(&|n| rest[n][0], 0) > 0.6 { 0 } else { 1 };
    let toward = |n: usize| if piece[n] == right { -0.5 } else { 0.5 };
    simulation.state_mut().v.iter_mut().enumerate().for_each(|(n, v)| *v = Vec3([toward(n), 0.0, 0.0]));
    let mut depth: f64 = 0.0;
    for _ in 0..150 {
        simulation.step(STEP).expect("a step");
        let u = &simulation.state().u;
        let at = |n: usize| rest[n][0] + u[n][0];
        let of = |k: u32| (0..piece.len()).filter(move |n| (piece[*n] == right) as u32 == k);
        let left_end = of(0).map(at).fold(f64::NEG_INFINITY, f64::max);
        depth = depth.max(left_end - of(1).map(at).fold(f64::INFINITY, f64::min));
    }
    let v = &simulation.state().v;
    (depth, mean(&|n| v[n][0], right) - mean(&|n| v[n][0], 1 - right))
}

#[test]
fn halves_of_a_bar_of_phyxels_bounce_off_each_other() {
    for integrator in [Integrator::LeapFrog, Integrator::ImplicitEuler] {
        let (depth, apart) = clap(&cut_bar(integrator, true));
        assert!(depth < 3e-3, "{integrator:?}: {depth} m deep");
        assert!(apart > 0.1, "{integrator:?}: they part at {apart} m/s");
        let (through, _) = clap(&cut_bar(integrator, false));
        assert!(through > 0.02, "{integrator:?}: {through} m");
    }
}

/// A bar that is cut in two and whose halves are driven against each other so hard that they crack.
fn crashing(method: Method, integrator: Integrator, fracture_energy: f64) -> Simulation<f64> {
    let (cells, max) = ([8, 2, 2], [0.8, 0.2, 0.2]);
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points(cells, [0.0; 3], max).expect("a bar")),
        _ => Geometry::Tets(box_tets(cells, [0.0; 3], max, CubeSplit::Five).expect("a bar")),
    };
    let mut material = Material { density: 1000.0, ..chalk(6e4) };
    if let Some(fracture) = &mut material.fracture {
        fracture.fracture_energy = fracture_energy;
    }
    let mut scene = alone(Body::new("bar", geometry, method, material), integrator, STEP);
    let cut = Cut::plane([0.4, 0.0, 0.0], [1.0, 0.0, 0.0]);
    scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(cut) }];
    Simulation::<f64>::build(&scene).expect("a bar")
}

#[test]
fn a_snapshot_among_cracks_and_pieces_that_touch_goes_on_bit_for_bit() {
    let matters = [(Method::Tet, 0.0), (Method::Edge, 0.0), (Method::Mls, 0.0), (Method::Mls, 1.0), (Method::Tet, 1.0)];
    for (method, fracture_energy) in matters {
        for integrator in [Integrator::LeapFrog, Integrator::ImplicitEuler] {
            let name = format!("{method:?} {integrator:?}, {fracture_energy} J/m²");
            let mut whole = crashing(method, integrator, fracture_energy);
            whole.step(STEP).expect("a step");
            let rest = whole.model().rest.clone();
            // Askew, so that no two cracks are alike.
            let toward = |n: usize| {
                let speed = -3.0 * (rest[n][0] - 0.4).clamp(-0.1, 0.1) / 0.1;
                Vec3([speed * (0.5 + 4.0 * rest[n][1]), 0.3 * speed, 0.0])
            };
            whole.state_mut().v.iter_mut().enumerate().for_each(|(n, v)| *v = toward(n));
            // Explicit steps do not count what touches; the halves are pressed against each other by then.
            let (is_explicit, mut touching, mut cracks) = (integrator == Integrator::LeapFrog, false, 0);
            while !(touching && cracks > 0) {
                let report = whole.step(STEP).expect("a step");
                touching = report.contacts > 0 || is_explicit && whole.time() > 10.0 * STEP;
                cracks += whole.take_cracks().iter().filter(|c| c.time > STEP).count();
                assert!(whole.time() < 0.05, "{name}: touches: {touching}, {cracks} cracks");
            }
            let kept = whole.snapshot();
            let go_on = |simulation: &mut Simulation<f64>| {
                for _ in 0..40 {
                    simulation.step(STEP).expect("a step");
                }
                (simulation.state_hash(), simulation.bodies()[0].fragments)
            };
            let expected = go_on(&mut whole);
            let mut resumed = crashing(method, integrator, fracture_energy);
            resumed.restore(&kept).expect("of the same scene");
            assert_eq!(resumed.snapshot(), kept, "{name}");
            assert_eq!(go_on(&mut resumed), expected, "{name}");
        }
    }
}

#[test]
fn pieces_of_phyxels_show_their_outside_and_their_cracks() {
    let mut simulation = Simulation::<f64>::build(&cut_bar(Integrator::LeapFrog, false)).expect("a bar");
    let area = |simulation: &Simulation<f64>| {
        let frame = simulation.frame(0);
        let free = frame.bodies[0].free.as_ref().expect("a surface");
        let [a, b, c] = [0, 1, 2].map(|k| move |t: &[u32; 3]| t[k] as usize);
        let at = |n: usize| Vec3(free.points[n]);
        free.triangles.iter().map(|t| 0.5 * (at(b(t)) - at(a(t))).cross(at(c(t)) - at(a(t))).norm()).sum::<f64>()
    };
    let outside = 2.0 * (0.3 * 0.3 + 2.0 * 0.3 * 1.2);
    assert!((area(&simulation) / outside - 1.0).abs() < 1e-9);
    simulation.step(STEP).expect("a step");
    // Both faces of the crack are there as well.
    assert!((area(&simulation) / (outside + 2.0 * 0.09) - 1.0).abs() < 1e-9, "{}", area(&simulation));
    let frame = simulation.frame(0);
    let free = frame.bodies[0].free.as_ref().expect("a surface");
    let inside: Vec<_> = free.triangles.iter().zip(&free.parts).filter(|(_, part)| **part == 1).collect();
    assert!(inside.iter().all(|(t, _)| free.normals[t[0] as usize][0].abs() > 0.999), "cracks are faces of the inside");
    assert_eq!((free.parts.len(), inside.len() % 4, inside.is_empty()), (free.triangles.len(), 0, false));
}
