//! Blades, small pieces, cracks that give way over a length, and what breaks in the same way whatever it is made of.

mod common;

use common::{above_floor, alone, chalk};
use phyxel::material::{Fracture, GrainStrength, LawKind};
use phyxel::scene::{
    Action, Blade, Body, Event, Fate, FragmentRule, Integrator, LinearSolver, Method, Pin, Region, Scene,
    SolverSettings, Weakness,
};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::{Material, Simulation, StepReport};

/// A bar from x = 0 to 1, a tenth thick.
fn bar(method: Method, cells: [usize; 3], material: Material) -> Body {
    let (min, max) = ([0.0; 3], [1.0, 0.1, 0.1]);
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points(cells, min, max).expect("a bar")),
        _ => Geometry::Tets(box_tets(cells, min, max, CubeSplit::Five).expect("a bar")),
    };
    Body::new("bar", geometry, method, material)
}

fn plane(x: f64) -> Region {
    Region::Box { min: [x - 1e-6, -9.0, -9.0], max: [x + 1e-6, 9.0, 9.0] }
}

fn steps(simulation: &mut Simulation<f64>, count: usize, dt: f64) {
    for _ in 0..count {
        simulation.step(dt).expect("a step");
    }
}

fn mass(simulation: &Simulation<f64>) -> f64 {
    simulation.model().masses.iter().sum()
}

/// From over the bar to under it, along z across it, in a tenth of a second.
const BLADE: Blade = Blade {
    from: [[0.52, 0.15, -0.1], [0.48, 0.15, 0.2]],
    to: [[0.52, -0.05, -0.1], [0.48, -0.05, 0.2]],
    duration: 0.1,
};

#[test]
fn a_blade_cuts_as_far_as_it_has_come() {
    for method in [Method::Tet, Method::Edge, Method::Mls] {
        let mut body = bar(method, [20, 4, 4], chalk(1e9));
        body.material.fracture = None;
        body.contact.enabled = false;
        let mut scene = alone(body, Integrator::ImplicitEuler, 0.005);
        scene.events = vec![Event { at: 0.02, body: None, action: Action::Sweep(BLADE) }];
        let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
        let weight = mass(&simulation);
        let (mut half, mut deepest) = (0, f64::INFINITY);
        while simulation.time() < 0.14 {
            simulation.step(0.005).expect("a step");
            for crack in simulation.take_cracks() {
                deepest = crack.point[1].min(deepest);
            }
            // Half-way the blade is in the middle of the bar.
            if (simulation.time() - 0.07).abs() < 1e-6 {
                half = simulation.bodies()[0].fragments;
                assert!(deepest > 0.04 && deepest < 0.101, "{method:?}: the cut is at {deepest}");
            }
        }
        assert_eq!((half, simulation.bodies()[0].fragments), (1, 2), "{method:?}");
        assert!((mass(&simulation) / weight - 1.0).abs() < 1e-13);
        let pieces = simulation.fragments(0);
        assert!(pieces.iter().all(|p| (p.volume / 0.005 - 1.0).abs() < 0.11), "{method:?} {pieces:?}");
    }
}

#[test]
fn a_blade_can_set_out_at_any_time_and_bad_ones_are_refused() {
    let scene = alone(bar(Method::Tet, [20, 2, 2], chalk(1e9)), Integrator::LeapFrog, 1e-3);
    let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
    simulation.step(1e-3).expect("a step");
    simulation.sweep("bar", BLADE).expect("a blade");
    steps(&mut simulation, 110, 1e-3);
    assert_eq!(simulation.bodies()[0].fragments, 2);
    let still = Blade { to: BLADE.from, ..BLADE };
    assert!(simulation.sweep("bar", still).expect_err("it does not move").to_string().contains("cuts nothing"));
    let endless = Blade { duration: 0.0, ..BLADE };
    assert!(simulation.sweep("bar", endless).expect_err("no time").to_string().contains("duration"));
    let mut firm = scene.clone();
    firm.bodies[0].material.fracture = None;
    let mut firm = Simulation::<f64>::build(&firm).expect("a bar");
    assert!(firm.sweep("bar", BLADE).expect_err("it cannot part").to_string().contains("not built to be cut"));
}

/// A bar that spins until it bursts into many pieces.
fn bursting(rule: Option<FragmentRule>) -> Scene {
    let mut body = bar(Method::Tet, [20, 2, 2], chalk(3e4));
    body.spin = [3.0, 0.0, 40.0];
    body.velocity = [1.0, 2.0, 3.0];
    body.contact.enabled = false;
    body.fragments = rule;
    alone(body, Integrator::LeapFrog, 1e-4)
}

#[test]
fn small_pieces_become_rigid_and_keep_their_momenta() {
    let rule = FragmentRule { smaller_than: 1.5e-3, fate: Fate::Rigid };
    let mut simulation = Simulation::<f64>::build(&bursting(Some(rule))).expect("a bar");
    let (weight, linear) = (mass(&simulation), simulation.momentum());
    let spin = simulation.angular_momentum();
    steps(&mut simulation, 400, 1e-4);
    let pieces = simulation.fragments(0);
    let rigid = pieces.iter().filter(|p| p.fate == Fate::Rigid).count();
    assert!(rigid > 2 && rigid < pieces.len() + 1, "{rigid} of {}", pieces.len());
    assert!(pieces.iter().all(|p| (p.fate == Fate::Rigid) == (p.volume < 1.5e-3)), "{pieces:?}");
    assert!((mass(&simulation) / weight - 1.0).abs() < 1e-13);
    let size = weight * 3.7;
    let drift = |now: [f64; 3], then: [f64; 3]| (0..3).map(|a| (now[a] - then[a]).abs()).fold(0.0, f64::max);
    assert!(drift(simulation.momentum(), linear) < 1e-9 * size);
    assert!(drift(simulation.angular_momentum(), spin) < 1e-6 * 60.0, "{:?} {spin:?}", simulation.angular_momentum());
    // Edges of a rigid piece are as long as at rest.
    let model = simulation.model();
    let fragile = model.bodies[0].fragile.as_ref().expect("it can break");
    for debris in &fragile.debris {
        let [a, b] = [debris.nodes[0] as usize, debris.nodes[debris.nodes.len() - 1] as usize];
        let length = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
        let rest = length(model.rest[a].0, model.rest[b].0);
        assert!((length(simulation.position(a), simulation.position(b)) / rest - 1.0).abs() < 1e-9);
    }
    // And a snapshot of such pieces goes on as they do.
    let kept = simulation.snapshot();
    let mut second = Simulation::<f64>::build(&bursting(Some(rule))).expect("a bar");
    second.restore(&kept).expect("its own snapshot");
    for s in [&mut simulation, &mut second] {
        steps(s, 20, 1e-4);
    }
    assert_eq!(simulation.state_hash(), second.state_hash());
}

#[test]
fn small_pieces_that_are_removed_are_accounted_for() {
    let rule = FragmentRule { smaller_than: 1.5e-3, fate: Fate::Removed };
    let mut simulation = Simulation::<f64>::build(&bursting(Some(rule))).expect("a bar");
    let weight = mass(&simulation);
    let mut report = StepReport::default();
    (0..400).for_each(|_| report.merge(&simulation.step(1e-4).expect("a step")));
    let body = &simulation.bodies()[0];
    assert!(body.removed_kg > 0.0 && body.removed_kg < 0.999 * weight, "{}", body.removed_kg);
    assert!(((body.mass_kg + body.removed_kg) / weight - 1.0).abs() < 1e-12);
    assert!((report.removed_kg / body.removed_kg - 1.0).abs() < 1e-12);
    let gone = simulation.fragments(0).iter().filter(|p| p.fate == Fate::Removed);
    assert!((gone.map(|p| p.mass).sum::<f64>() / body.removed_kg - 1.0).abs() < 1e-12);
    assert!(simulation.frame(0).bodies[0].positions.iter().flatten().all(|x| x.is_finite()));
    let bad = FragmentRule { smaller_than: -1.0, fate: Fate::Removed };
    let said = Simulation::<f64>::build(&bursting(Some(bad))).err().expect("refused").to_string();
    assert!(said.contains("smaller_than"), "{said}");
}

/// The largest pull and the work that it takes to tear a bar apart slowly at its weak middle; `cells` along it.
fn torn(cells: usize, softening: bool, (method, integrator, step): (Method, Integrator, f64)) -> (f64, f64) {
    let mut material = chalk(4e4);
    // A crack opens by 2 G / strength = 10 mm; the bar is stretched by 2 mm when it begins.
    material.fracture = Some(Fracture { fracture_energy: 100.0, softening, ..Fracture::brittle(4e4) });
    material.rayleigh_mass = 20.0;
    let mut body = bar(method, [cells, 2, 2], material);
    body.weaknesses = vec![Weakness { region: plane(0.5), factor: 0.5 }];
    let speed = 0.02;
    body.pins = vec![Pin::hold(plane(0.0)), Pin { velocity: [speed, 0.0, 0.0], ..Pin::hold(plane(1.0)) }];
    body.contact.enabled = false;
    let mut simulation = Simulation::<f64>::build(&alone(body, integrator, step)).expect("a bar");
    let ends: Vec<usize> =
        (0..simulation.model().node_count()).filter(|n| simulation.model().rest[*n].0[0] > 0.999).collect();
    let (mut most, mut work) = (0.0f64, 0.0);
    while simulation.time() < 0.8 {
        simulation.step(step).expect("a step");
        let forces = simulation.forces();
        let pull: f64 = -ends.iter().map(|n| forces[*n].0[0]).sum::<f64>();
        most = most.max(pull);
        work += pull * speed * step;
    }
    assert_eq!(simulation.bodies()[0].fragments, 2);
    (most, work)
}

/// Strength 2e4 Pa and 100 J/m² on 0.01 m²: tears a bar in coarse and in fine elements.
fn tear_takes_its_energy(how: (Method, Integrator, f64)) {
    let (coarse, fine) = (torn(10, true, how), torn(20, true, how));
    for (most, work) in [coarse, fine] {
        assert!((most / 200.0 - 1.0).abs() < 0.15, "{how:?}: it tears at {most} N instead of 200 N");
        assert!((work - 1.0).abs() < 0.2, "{how:?}: it takes {work} J instead of 1 J");
    }
    // The coarse elements are as long as the bar is thick, and a crack in them begins to open late.
    assert!((coarse.1 / fine.1 - 1.0).abs() < 0.2 && (coarse.0 / fine.0 - 1.0).abs() < 0.1, "{coarse:?} {fine:?}");
    // Without softening it takes what the bar has stored, and no more.
    let (_, brittle) = torn(20, false, how);
    assert!(brittle < 0.6 * fine.1, "{how:?}: {brittle} {fine:?}");
}

#[test]
fn a_crack_that_gives_way_takes_its_energy_on_any_mesh() {
    tear_takes_its_energy((Method::Tet, Integrator::Verlet, 1e-4));
}

#[test]
fn phyxels_give_way_over_a_length_too() {
    tear_takes_its_energy((Method::Mls, Integrator::Verlet, 1e-4));
}

#[test]
fn cracks_give_way_over_a_length_in_implicit_steps() {
    for method in [Method::Tet, Method::Edge, Method::Mls] {
        tear_takes_its_energy((method, Integrator::ImplicitEuler, 1e-3));
    }
}

#[test]
fn softening_that_cannot_be_is_refused() {
    let mut material = chalk(4e4);
    material.fracture = Some(Fracture { fracture_energy: 20.0, softening: true, ..Fracture::brittle(4e4) });
    let scene = alone(bar(Method::Tet, [10, 2, 2], material), Integrator::Xpbd, 1e-4);
    let said = Simulation::<f64>::build(&scene).err().expect("refused").to_string();
    assert!(said.contains("implicit-euler"), "{said}");
}

#[test]
fn materials_may_be_ten_times_more_or_less_of_anything() {
    type Change = fn(&mut Material, f64);
    let changes: [(&str, Change); 13] = [
        ("young_modulus", |m, k| m.young_modulus *= k),
        ("density", |m, k| m.density *= k),
        ("poisson_ratio", |m, k| m.poisson_ratio = (m.poisson_ratio * k).min(0.45)),
        ("strength", |m, k| {
            if let Some(f) = &mut m.fracture {
                f.strength *= k
            }
        }),
        ("tip_strength", |m, k| {
            if let Some(f) = &mut m.fracture {
                f.tip_strength = (0.5 * k).min(1.0)
            }
        }),
        ("fracture_energy", |m, k| {
            if let Some(f) = &mut m.fracture {
                f.fracture_energy = 10.0 * k
            }
        }),
        ("scatter", |m, k| {
            if let Some(f) = &mut m.fracture {
                f.scatter = 0.09 * k
            }
        }),
        ("grain_strength", |m, k| {
            if let Some(f) = &mut m.fracture {
                f.grain = Some(GrainStrength { direction: [1.0, 0.2, 0.0], along: k * f.strength })
            }
        }),
        ("rayleigh_mass", |m, k| m.rayleigh_mass = k),
        ("rayleigh_stiffness", |m, k| m.rayleigh_stiffness = 1e-4 * k),
        ("viscosity", |m, k| m.viscosity = 1e-4 * m.young_modulus * k),
        ("friction", |m, k| m.friction = Some(0.5 * k)),
        ("volume_stiffness", |m, k| m.volume_stiffness = m.young_modulus * k),
    ];
    for method in [Method::Tet, Method::Edge, Method::Mls] {
        for name in ["morris-wood", "morris-rubber"] {
            for (what, change) in changes {
                for factor in [0.1, 10.0] {
                    let mut material = Material::preset(name).expect("a preset");
                    change(&mut material, factor);
                    let case = format!("{} of {name}, {what} times {factor}", method.name());
                    let (fastest, gain) = dropped_wall(method, material).unwrap_or_else(|e| panic!("{case}: {e}"));
                    // It came with 4 m/s, and 5 at its ends; what breaks off may fly away faster, but not by much.
                    assert!(fastest < 25.0, "{case}: {fastest} m/s");
                    assert!(gain < 1e-3, "{case}: it has gained {gain} of its energy");
                }
            }
        }
    }
}

/// Drops a wall of nine by three cubes on the ground; how fast the fastest of its nodes is then [m/s], and by what share its energy was
/// above that at the start at most.
fn dropped_wall(method: Method, material: Material) -> Result<(f32, f64), phyxel::StepError> {
    let (cells, min, max) = ([9, 3, 1], [0.0, 0.01, 0.0], [0.9, 0.31, 0.1]);
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points(cells, min, max).expect("a wall")),
        _ => Geometry::Tets(box_tets(cells, min, max, CubeSplit::Five).expect("a wall")),
    };
    let mut body = Body::new("wall", geometry, method, material);
    if method != Method::Mls {
        body.whole_cells = (0..135).map(|t| t / 5).collect();
    }
    body.velocity = [0.0, -4.0, 0.0];
    body.spin = [0.0, 0.0, 2.0];
    body.contact.enabled = false;
    let scene = above_floor(body, Integrator::SymplecticEuler, 8e-4, 0.5);
    let mut simulation = Simulation::<f32>::build(&scene).expect("a wall");
    let total = |simulation: &Simulation<f32>| {
        let energy = simulation.energy();
        energy.kinetic_j + energy.elastic_j + energy.potential_j
    };
    let (start, mut most) = (total(&simulation), 0.0f64);
    for _ in 0..150 {
        simulation.step(8e-4)?;
        most = most.max(total(&simulation));
    }
    Ok((simulation.state().v.iter().map(|v| v.norm()).fold(0.0, f32::max), most / start - 1.0))
}

/// The load at which a beam on two supports breaks under a push in its middle [N].
fn bending_load(method: Method) -> f64 {
    let mut material = Material { law: LawKind::Linear, ..chalk(3e4) };
    material.poisson_ratio = 0.0;
    let (min, max, cells) = ([-0.25, 0.0, 0.0], [0.25, 0.1, 0.05], [40, 8, 4]);
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points(cells, min, max).expect("a beam")),
        _ => Geometry::Tets(box_tets(cells, min, max, CubeSplit::Five).expect("a beam")),
    };
    let mut body = Body::new("beam", geometry, method, material);
    body.contact.enabled = false;
    let line = |x: f64, y: f64| Region::Box { min: [x - 1e-6, y - 1e-6, -1.0], max: [x + 1e-6, y + 1e-6, 1.0] };
    let vertical = |region| Pin { axes: [false, true, false], ..Pin::hold(region) };
    let push = Pin { velocity: [0.0, -1e-3, 0.0], ..Pin::hold(line(0.0, 0.1)) };
    body.pins = vec![vertical(line(-0.2, 0.0)), vertical(line(0.2, 0.0)), push];
    let solver = SolverSettings {
        integrator: Integrator::QuasiStatic,
        linear: if method == Method::Mls { LinearSolver::Cg } else { LinearSolver::Auto },
        tolerance: 1e-8,
        newton_tolerance: 1e-6,
        ..SolverSettings::default()
    };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<f64>::build(&scene).expect("a beam");
    let mut load = 0.0f64;
    for _ in 0..200 {
        simulation.step(0.02).expect("a step");
        if !simulation.take_cracks().is_empty() {
            return load;
        }
        let forces = simulation.forces();
        let pushed = |n: usize| simulation.position(n)[0].abs() < 1e-6 && simulation.model().rest[n].0[1] > 0.0999;
        load = load.max((0..forces.len()).filter(|n| pushed(*n)).map(|n| forces[n].0[1]).sum());
    }
    f64::NAN
}

#[test]
fn phyxels_and_tetrahedra_break_in_bending_at_the_same_load() {
    let loads = [Method::Tet, Method::Edge, Method::Mls].map(bending_load);
    let (low, high) = (loads.iter().copied().fold(f64::INFINITY, f64::min), loads.iter().copied().fold(0.0, f64::max));
    assert!(high / low < 1.2, "{loads:?}");
    // 2 B W² σ / (3 S)
    assert!(loads.iter().all(|load| (load / 25.0 - 1.0).abs() < 0.2), "{loads:?}");
}
