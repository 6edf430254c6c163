//! Matter that yields, heats and melts, on every kind of stencil and solver.

mod common;

use common::{KINDS, above_floor, alone, cube, phyxels};
use phyxel::material::{LawKind, Melting, Plasticity, Table, Thermal};
use phyxel::scene::{Action, BodyHeat, Event, HeatKind, HeatLoad, Integrator, Lagrangian, Method, Pin, Region, Scene};
use phyxel::{AnySimulation, Material, Precision, Simulation};

const SIDE: f64 = 0.2;

fn by_strain(yield_strain: f64, creep: f64) -> Option<Plasticity> {
    let relaxation_time = Plasticity::relaxation_of_creep(creep);
    Some(Plasticity::Strain { yield_strain, relaxation_time, max_strain: f64::INFINITY })
}

fn by_stress(yield_stress: f64) -> Option<Plasticity> {
    Some(Plasticity::Stress { yield_stress, hardening: 0.0, relaxation_time: 0.0 })
}

fn dropped(method: Method, lagrangian: Lagrangian, integrator: Integrator, plastic: Option<Plasticity>) -> Scene {
    let material = Material { young_modulus: 1e5, poisson_ratio: 0.3, plastic, ..Material::default() };
    let mut body = cube(method, 3, SIDE, [0.0, 0.5 * SIDE + 0.001, 0.0], &material);
    body.mls = phyxels(lagrangian);
    body.velocity = [0.0, -3.0, 0.0];
    above_floor(body, integrator, 0.005, 0.3)
}

fn height(simulation: &Simulation<f64>) -> f64 {
    let y = |n: usize| simulation.position(n)[1];
    let nodes = 0..simulation.model().node_count();
    nodes.clone().map(y).fold(f64::MIN, f64::max) - nodes.map(y).fold(f64::MAX, f64::min)
}

#[test]
fn a_hard_fall_dents_matter_that_yields_and_only_that() {
    for (name, method, lagrangian) in KINDS {
        for integrator in [Integrator::ImplicitEuler, Integrator::Verlet, Integrator::Xpbd] {
            for plastic in [None, by_strain(0.02, 1.0), by_stress(2e3)] {
                let what = format!("{name}, {}, {plastic:?}", integrator.name());
                let mut scene = dropped(method, lagrangian, integrator, plastic);
                if method == Method::Spring && integrator == Integrator::Verlet {
                    scene.solver.step = 0.001;
                }
                let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
                let budget = simulation.energy().kinetic_j + simulation.energy().potential_j;
                let mut lowest = f64::MAX;
                while simulation.time() < 0.12 {
                    simulation.step(scene.solver.step).unwrap_or_else(|e| panic!("{what}: {e}"));
                    lowest = lowest.min(height(&simulation));
                    let energy = simulation.energy();
                    let total = energy.kinetic_j + energy.elastic_j + energy.potential_j;
                    assert!(total <= 1.02 * budget, "{what}: {total} J of {budget} J");
                }
                let flowed = simulation.state().grains.iter().flatten().map(|g| g.plastic_strain).fold(0.0, f64::max);
                assert_eq!(flowed > 0.005, plastic.is_some(), "{what}: {flowed}");
            }
        }
    }
}

#[test]
fn new_neighbours_are_found_when_phyxels_move_against_their_body() {
    let flying = |reanchor: f64| {
        let mut scene = dropped(Method::Mls, Lagrangian::Updated, Integrator::ImplicitEuler, None);
        scene.bodies[0].mls.reanchor = reanchor;
        scene.bodies[0].spin = [0.0, 0.0, 5.0];
        (scene.gravity, scene.colliders) = ([0.0; 3], Vec::new());
        scene
    };
    let references = |scene: &Scene, steps: usize| {
        let mut simulation = Simulation::<f64>::build(scene).expect("a sound scene");
        let mut seen: Vec<Vec<_>> = Vec::new();
        for _ in 0..steps {
            simulation.step(scene.solver.step).expect("a sound step");
            if seen.last() != Some(&simulation.model().rest) {
                seen.push(simulation.model().rest.clone());
            }
        }
        (seen.len(), simulation)
    };
    // A body that flies and turns keeps its stencils; one that is to find new ones in every step does.
    let (kept, still) = references(&flying(0.1), 20);
    let (anew, moved) = references(&flying(0.0), 20);
    assert_eq!((kept, anew), (1, 20));
    for n in 0..still.model().node_count() {
        let (a, b) = (still.position(n), moved.position(n));
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-3 * SIDE), "{n}: {a:?} {b:?}");
    }
    // One that is squashed does so as it is.
    let mut scene = dropped(Method::Mls, Lagrangian::Updated, Integrator::ImplicitEuler, by_stress(2e3));
    scene.bodies[0].mls.reanchor = 0.1;
    assert!(references(&scene, 20).0 > 5);
}

/// The k-th of a hundred points of a lattice over stiffness, creep, yield, law and method (an additive recurrence on
/// irrational numbers): a cube that spins while it hits the floor at 3 m/s.
fn sample(k: usize) -> (String, Scene) {
    const METHODS: [Method; 5] = [Method::Tet, Method::Edge, Method::Selective, Method::Mls, Method::Mls];
    const LAWS: [LawKind; 3] = [LawKind::Corotated, LawKind::NeoHookean, LawKind::StVenantKirchhoff];
    let at = |i: i32| (0.5 + k as f64 * 1.2207440846f64.powi(-i)).fract();
    let between = |low: f64, high: f64, x: f64| low * (high / low).powf(x);
    let young_modulus = between(1e4, 1e8, at(1));
    let creep = if k.is_multiple_of(10) { (k / 10 % 2) as f64 } else { at(2) };
    let strain = between(1e-3, 0.2, at(3));
    let relaxation_time = if k % 4 == 3 { Plasticity::relaxation_of_creep(creep) } else { 0.0 };
    let stress = Plasticity::Stress { yield_stress: strain * young_modulus, hardening: 0.0, relaxation_time };
    let plastic = if k.is_multiple_of(2) { by_strain(strain, creep) } else { Some(stress) };
    let law = LAWS[k / 2 % 3].clone();
    let what = format!("{k}: {:?} {law:?} {young_modulus:.2e} Pa {plastic:?}", METHODS[k % 5]);
    let material = Material { law, young_modulus, poisson_ratio: 0.45 * at(4), plastic, ..Material::default() };
    let mut body = cube(METHODS[k % 5], 3, SIDE, [0.0, 0.5 * SIDE + 0.05, 0.0], &material);
    if k % 5 == 4 {
        body.mls = phyxels(Lagrangian::Updated);
    }
    body.spin = [0.5, 0.0, 1.0];
    body.velocity = [0.3, -3.0, 0.0];
    (what, above_floor(body, Integrator::ImplicitEuler, 0.01, 0.3))
}

/// What goes wrong in a sample within a quarter of a second.
fn trouble(scene: &Scene) -> Result<(), String> {
    let mut simulation = Simulation::<f64>::build(scene).map_err(|e| e.to_string())?;
    let budget = simulation.energy().kinetic_j + simulation.energy().potential_j;
    for step in 0..25 {
        simulation.step(0.01).map_err(|e| e.to_string())?;
        let energy = simulation.energy();
        let total = energy.kinetic_j + energy.elastic_j + energy.potential_j;
        if total.is_nan() || total > 1.01 * budget {
            return Err(format!("step {step}: {total} J of {budget} J"));
        }
        let far = |n: usize| simulation.position(n).iter().any(|c| c.is_nan() || c.abs() > 5.0 * SIDE);
        if (0..simulation.model().node_count()).any(far) {
            return Err(format!("step {step}: a node is lost"));
        }
    }
    Ok(())
}

#[test]
fn nothing_explodes_for_any_stiffness_and_creep() {
    let troubles: Vec<String> = (0..100)
        .map(sample)
        .filter_map(|(what, scene)| trouble(&scene).err().map(|why| format!("{what}: {why}")))
        .collect();
    assert!(troubles.is_empty(), "{} of 100:\n{}", troubles.len(), troubles.join("\n"));
}

#[test]
fn switching_a_material_changes_no_more_energy_than_the_change_implies() {
    for (method, plastic) in [(Method::Edge, by_strain(0.05, 0.5)), (Method::Mls, by_stress(1e4))] {
        let mut scene = dropped(method, Lagrangian::Total, Integrator::ImplicitEuler, None);
        scene.events.clear();
        let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
        simulation.advance_to(0.02).expect("sound steps");
        let soft = scene.bodies[0].material.clone();
        let before = simulation.energy();
        assert!(before.elastic_j > 0.1, "it is squeezed: {before:?}");
        // To matter that yields at strains beyond the present ones by little: nothing flows before the next step.
        let small = Material { law: LawKind::StVenantKirchhoff, ..soft.clone() };
        simulation.set_material("cube", Material { plastic: by_strain(0.9, 0.5), ..soft.clone() }).expect("a change");
        // Matter that yields is looked at several elements at a time: the same energies, rounded in another order.
        assert!((simulation.energy().elastic_j / before.elastic_j - 1.0).abs() < 1e-14);
        // Twice as stiff: twice the energy, none of it dissipated.
        let stiff = Material { young_modulus: 2e5, ..soft.clone() };
        simulation.set_material("cube", stiff.clone()).expect("a change");
        let after = simulation.energy();
        assert!((after.elastic_j / before.elastic_j - 2.0).abs() < 1e-9, "{after:?}");
        assert!((after.dissipated_j - before.dissipated_j).abs() < 1e-9 * before.elastic_j);
        simulation.set_material("cube", Material { plastic, ..stiff }).expect("a change");
        simulation.set_material("cube", Material { law: small.law, ..soft }).expect("another law");
        simulation.advance_to(0.1).expect("sound steps");
        let unknown = simulation.set_material("nobody", Material::default()).expect_err("no such body").to_string();
        assert!(unknown.contains("nobody") && unknown.contains("cube"), "{unknown}");
        let heavy = Material { density: 5.0, ..Material::default() };
        assert!(simulation.set_material("cube", heavy).is_err());
    }
}

#[test]
fn elastic_plastic_stiff_elastic_again_leaves_the_dent() {
    // Müller et al. 2004, figure 3.
    let mut scene = dropped(Method::Mls, Lagrangian::Total, Integrator::ImplicitEuler, None);
    let soft = scene.bodies[0].material.clone();
    let clay = Material { plastic: by_strain(0.02, 1.0), ..soft.clone() };
    let stiff = Material { young_modulus: 1e6, ..soft };
    let event = |at, material| Event { at, body: None, action: Action::SetMaterial(material) };
    scene.events = vec![event(0.005, clay), event(0.1, stiff)];
    let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
    simulation.advance_to(0.6).expect("sound steps");
    let dented = height(&simulation);
    assert!(dented < 0.97 * SIDE, "{dented}");
    simulation.advance_to(0.9).expect("sound steps");
    assert!((height(&simulation) - dented).abs() < 0.01 * SIDE);
}

fn thermal() -> Thermal {
    Thermal { conductivity: 50.0, specific_heat: 500.0, expansion: 1e-5, ..Thermal::default() }
}

fn warm_scene(method: Method, integrator: Integrator) -> Scene {
    let mut scene = dropped(method, Lagrangian::Total, integrator, by_stress(2e3));
    let body = &mut scene.bodies[0];
    let stiffness = Table(vec![(290.0, 1.0), (400.0, 0.3)]);
    body.material.thermal = Some(Thermal { stiffness, ..thermal() });
    let loads = vec![HeatLoad { region: Region::All, kind: HeatKind::Power(50.0) }];
    body.heat = Some(BodyHeat { temperature: 300.0, convection: 5.0, loads, ..BodyHeat::default() });
    scene.colliders[0].temperature = Some(350.0);
    let at = 0.05;
    scene.events.push(Event { at, body: None, action: Action::SetHeat(Vec::new()) });
    scene
}

#[test]
fn going_on_from_a_snapshot_changes_nothing_for_warm_matter_that_flows() {
    for method in [Method::Tet, Method::Selective, Method::Mls] {
        for integrator in [Integrator::ImplicitEuler, Integrator::LeapFrog, Integrator::Xpbd] {
            let scene = warm_scene(method, integrator);
            let run = |simulation: &mut AnySimulation| {
                for _ in 0..14 {
                    simulation.step(0.005).expect("a sound step");
                }
            };
            let mut through = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
            run(&mut through);
            let snapshot = through.snapshot();
            run(&mut through);
            let mut other = AnySimulation::build(&scene, Precision::F64).expect("a sound scene");
            other.restore(&snapshot).expect("of the same scene");
            assert_eq!(other.snapshot(), snapshot);
            run(&mut other);
            assert_eq!(other.state_hash(), through.state_hash(), "{method:?} {integrator:?}");
        }
    }
}

#[test]
fn a_small_warm_cube_cools_in_air_as_newton_says() {
    for method in [Method::Tet, Method::Mls] {
        let material = Material { density: 1000.0, thermal: Some(thermal()), ..Material::default() };
        let mut body = cube(method, 4, 0.02, [0.0; 3], &material);
        body.pins = vec![Pin::hold(Region::All)];
        body.heat = Some(BodyHeat { temperature: 393.15, convection: 20.0, ..BodyHeat::default() });
        let mut simulation =
            Simulation::<f64>::build(&alone(body, Integrator::ImplicitEuler, 0.5)).expect("a sound scene");
        simulation.advance_to(50.0).expect("sound steps");
        // Lumped, since its Biot number is below 0.01: ΔT = 100 exp(−h A t / (ρ V c)).
        let exact = 100.0 * (-20.0 * 6.0 * 0.02f64.powi(2) * 50.0 / (1000.0 * 0.02f64.powi(3) * 500.0)).exp();
        let mean: f64 = simulation.temperatures(0).iter().sum::<f64>() / simulation.temperatures(0).len() as f64;
        assert!(((mean - 293.15) / exact - 1.0).abs() < 0.01, "{method:?}: {mean} {exact}");
    }
}

#[test]
fn power_flux_and_contact_keep_the_books() {
    for method in [Method::Tet, Method::Mls] {
        let material = Material { density: 1000.0, thermal: Some(thermal()), ..Material::default() };
        let body = |name: &str, x: f64, temperature: f64| {
            let mut body = cube(method, 4, 0.1, [x, 0.0, 0.0], &material);
            body.name = name.into();
            body.pins = vec![Pin::hold(Region::All)];
            body.heat = Some(BodyHeat { temperature, conductance: 500.0, ..BodyHeat::default() });
            body
        };
        // Face to face, a hair apart.
        let mut scene = alone(body("hot", 0.0, 400.0), Integrator::ImplicitEuler, 5.0);
        scene.bodies.push(body("cold", 0.1001, 300.0));
        if let Some(heat) = &mut scene.bodies[0].heat {
            let end = Region::Box { min: [-0.051, -1.0, -1.0], max: [-0.049, 1.0, 1.0] };
            heat.loads = vec![
                HeatLoad { region: Region::All, kind: HeatKind::Power(10.0) },
                HeatLoad { region: end, kind: HeatKind::Flux(1000.0) },
            ];
        }
        let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
        simulation.advance_to(100.0).expect("sound steps");
        let content = |body: usize| content_of(&simulation, body);
        let masses = &simulation.model().masses;
        let enthalpy: f64 = simulation.state().enthalpy.iter().zip(masses).map(|(h, m)| h * m).sum();
        let start = 2.0 * 500.0 * 350.0;
        let put_in = (10.0 + 1000.0 * 0.01) * 100.0;
        assert!((enthalpy - start - put_in).abs() < 1e-6 * start, "{method:?}: {enthalpy} {}", start + put_in);
        // One time constant of the two masses through the gap, inside which each is nearly even.
        let gap = content(0) - content(1);
        assert!(gap < 60.0 && gap > 10.0, "{method:?}: {gap}");
        simulation.advance_to(3000.0).expect("sound steps");
        let gap = content_of(&simulation, 0) - content_of(&simulation, 1);
        // In the end 15 W more flow through the gap than through the cold body, over 5 W/K, and half of it inside both.
        assert!(gap.abs() < 8.0, "{method:?}: {gap}");
    }
}

fn content_of(simulation: &Simulation<f64>, body: usize) -> f64 {
    let temperatures = simulation.temperatures(body);
    temperatures.iter().sum::<f64>() / temperatures.len() as f64
}

#[test]
fn wax_melts_slumps_and_sets_as_it_lies() {
    let melting = Some(Melting { solidus: 320.0, liquidus: 330.0, latent_heat: 1e4, viscosity: 20.0 });
    let wax = Material {
        young_modulus: 2e5,
        poisson_ratio: 0.4,
        density: 900.0,
        thermal: Some(Thermal { conductivity: 50.0, specific_heat: 500.0, melting, ..Thermal::default() }),
        ..Material::default()
    };
    for lagrangian in [Lagrangian::Total, Lagrangian::Updated] {
        let mut body = cube(Method::Mls, 6, SIDE, [0.0, 0.5 * SIDE, 0.0], &wax);
        body.mls = phyxels(lagrangian);
        let hot = vec![HeatLoad { region: Region::All, kind: HeatKind::Temperature(340.0) }];
        body.heat = Some(BodyHeat { temperature: 300.0, loads: hot, ..BodyHeat::default() });
        let mut scene = above_floor(body, Integrator::ImplicitEuler, 0.005, 0.5);
        let cold = vec![HeatLoad { region: Region::All, kind: HeatKind::Temperature(300.0) }];
        scene.events = vec![Event { at: 0.4, body: None, action: Action::SetHeat(cold) }];
        let mut simulation = Simulation::<f64>::build(&scene).expect("a sound scene");
        simulation.advance_to(0.4).unwrap_or_else(|e| panic!("{lagrangian:?}: {e}"));
        assert!(simulation.molten(0).iter().all(|f| *f == 1.0));
        let slumped = height(&simulation);
        assert!(slumped < 0.8 * SIDE, "{lagrangian:?}: {slumped}");
        simulation.advance_to(0.6).unwrap_or_else(|e| panic!("{lagrangian:?}: {e}"));
        let set = height(&simulation);
        simulation.advance_to(1.0).unwrap_or_else(|e| panic!("{lagrangian:?}: {e}"));
        assert!((height(&simulation) - set).abs() < 0.03 * SIDE, "{lagrangian:?}: {set} {}", height(&simulation));
        assert!(simulation.molten(0).iter().all(|f| *f == 0.0));
    }
}
