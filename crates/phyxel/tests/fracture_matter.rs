//! What a material says about breaking: its grain, its toughness, and how far it flows first.

mod common;

use common::chalk;
use phyxel::material::{Fracture, GrainStrength, Plasticity};
use phyxel::scene::{Action, Body, Cut, Event, Integrator, LinearSolver, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::{CrackEvent, Material, Simulation};

const METHODS: [Method; 3] = [Method::Tet, Method::Edge, Method::Mls];

/// A block of 0.4 x 0.2 x 0.1 m that is stretched along x in equilibrium.
fn stretched(method: Method, material: Material, strain_per_step: f64) -> Scene {
    let (cells, max) = ([8, 4, 2], [0.4, 0.2, 0.1]);
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points(cells, [0.0; 3], max).expect("a block")),
        _ => Geometry::Tets(box_tets(cells, [0.0; 3], max, CubeSplit::Five).expect("a block")),
    };
    let mut body = Body::new("block", geometry, method, material);
    body.contact.enabled = false;
    let end = |x: f64| Region::Box { min: [x - 1e-6, -1.0, -1.0], max: [x + 1e-6, 1.0, 1.0] };
    let pull = Pin { velocity: [0.4 * strain_per_step, 0.0, 0.0], ..Pin::hold(end(0.4)) };
    body.pins = vec![Pin::hold(end(0.0)), pull];
    let solver = SolverSettings {
        integrator: Integrator::QuasiStatic,
        linear: LinearSolver::Cg,
        tolerance: 1e-7,
        newton_tolerance: 1e-5,
        ..SolverSettings::default()
    };
    Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 1e3, ..Scene::default() }
}

/// The largest pull before the first crack [N], how many steps that took, and that crack.
fn first_crack(scene: &Scene, steps: usize) -> Option<(f64, usize, CrackEvent)> {
    let mut simulation = Simulation::<f64>::build(scene).expect("a block");
    let mut load: f64 = 0.0;
    for step in 0..steps {
        simulation.step(1.0).expect("a step");
        if let Some(first) = simulation.take_cracks().into_iter().find(|c| c.energy.is_finite() && c.time > 0.5) {
            return Some((load, step, first));
        }
        let forces = simulation.forces();
        let held = |n: &usize| simulation.model().rest[*n].0[0] > 0.399;
        load = load.max((0..forces.len()).filter(held).map(|n| -forces[n].0[0]).sum());
    }
    None
}

#[test]
fn wood_bears_more_along_its_grain_than_across() {
    let pulled = |method: Method, direction: [f64; 3]| {
        let mut wood = Material { poisson_ratio: 0.0, ..chalk(2e4) };
        wood.fracture =
            Some(Fracture { grain: Some(GrainStrength { direction, along: 8e4 }), ..Fracture::brittle(2e4) });
        first_crack(&stretched(method, wood, 5e-5), 400).expect("it breaks")
    };
    for method in METHODS {
        let (along, across) = (pulled(method, [2.0, 0.0, 0.0]).0, pulled(method, [0.0, 1.0, 0.0]).0);
        // 0.02 m² under 8e4 and 2e4 Pa.
        assert!((along / 1600.0 - 1.0).abs() < 0.1, "{method:?}: {along} N along the grain");
        assert!((across / 400.0 - 1.0).abs() < 0.1, "{method:?}: {across} N across it");
        // Askew, it breaks on the plane that bears least for what it is loaded with: f(n)/(n·x)² is least there.
        let (load, _, crack) = pulled(method, [1.0, 1.0, 0.0]);
        let bears = |angle: f64| {
            let along = (angle - std::f64::consts::FRAC_PI_4).cos().powi(2);
            0.02 * (2e4 * (1.0 - along) + 8e4 * along) / angle.cos().powi(2)
        };
        let weakest = (-800..800).map(|k| 1e-3 * k as f64).min_by(|a, b| bears(*a).total_cmp(&bears(*b))).expect("one");
        assert!((load / bears(weakest) - 1.0).abs() < 0.1, "{method:?}: {load} N, and {} N", bears(weakest));
        let angle = (crack.normal[1] / crack.normal[0]).atan();
        assert!((angle - weakest).abs() < 0.1, "{method:?}: {angle}, and {weakest}");
    }
}

#[test]
fn matter_that_yields_breaks_when_it_has_flowed_as_far_as_it_can() {
    let drawn = |method: Method, plastic_limit: f64| {
        let plastic = Some(Plasticity::Stress { yield_stress: 5e4, hardening: 1e6, relaxation_time: 0.0 });
        let fracture = Some(Fracture { plastic_limit, ..Fracture::brittle(f64::INFINITY) });
        first_crack(&stretched(method, Material { plastic, fracture, ..chalk(1.0) }, 2e-3), 60)
    };
    for method in METHODS {
        let (early, late) = (drawn(method, 0.02).expect("it tears"), drawn(method, 0.06).expect("it tears"));
        // It yields at 0.5 % of strain and hardens by a tenth of its stiffness: nearly all strain is flow from then on; near
        // the ends, which are held, there is a little more of it.
        let strain = |steps: usize| 2e-3 * (steps + 1) as f64;
        assert!(strain(early.1) > 0.015 && strain(early.1) < 0.032, "{method:?}: {}", strain(early.1));
        assert!(strain(late.1) > 0.045 && strain(late.1) < 0.08, "{method:?}: {}", strain(late.1));
        assert!(late.0 > 1.2 * early.0 && early.0 > 0.02 * 5e4, "{method:?}: {} and {} N", early.0, late.0);
        assert!(drawn(method, f64::INFINITY).is_none(), "{method:?}");
    }
}

#[test]
fn a_crack_runs_on_more_easily_than_one_starts() {
    let notched = |method: Method, tip_strength: f64, cut: bool| {
        let mut chalky = Material { poisson_ratio: 0.0, ..chalk(2e4) };
        chalky.fracture = Some(Fracture { tip_strength, ..Fracture::brittle(2e4) });
        let mut scene = stretched(method, chalky, 1e-4);
        let plane = Cut { point: [0.2, -10.0, 0.05], normal: [1.0, 0.0, 0.0], radius: 10.0 + 0.095 };
        scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(plane) }; cut as usize];
        first_crack(&scene, 100).expect("it breaks")
    };
    for method in METHODS {
        let (whole, tough, easy) =
            (notched(method, 0.5, false), notched(method, 1.0, true), notched(method, 0.5, true));
        assert!((whole.0 / 400.0 - 1.0).abs() < 0.1, "{method:?}: without a tip strength counts, {} N", whole.0);
        assert!(tough.0 < 0.7 * whole.0, "{method:?}: {} N", tough.0);
        assert!((easy.0 / tough.0 - 0.5).abs() < 0.1, "{method:?}: {} and {} N", easy.0, tough.0);
        assert!(
            (easy.2.point[0] - 0.2).abs() < 0.06 && (easy.2.point[1] - 0.1).abs() < 0.06,
            "{method:?}: {:?}",
            easy.2
        );
    }
}
