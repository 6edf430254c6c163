//! Bodies that break: where, at what load, and what must not change when they do.

mod common;

use common::{alone, chalk};
use phyxel::material::Fracture;
use phyxel::math::Real;
use phyxel::scene::{Action, Body, Cut, Event, Integrator, Method, Pin, Region, Scene, SolverSettings, Weakness};
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::shape::{Geometry, TetMesh};
use phyxel::{Precision, Simulation, StepReport};

const METHODS: [Method; 5] = [Method::Tet, Method::Edge, Method::Node, Method::Selective, Method::Mls];

/// A bar from x = 0 to 1, a tenth thick.
fn mesh(cells: [usize; 3]) -> TetMesh {
    box_tets(cells, [0.0; 3], [1.0, 0.1, 0.1], CubeSplit::Five).expect("a bar")
}

fn bar(name: &str, method: Method, strength: f64) -> Body {
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points([20, 2, 2], [0.0; 3], [1.0, 0.1, 0.1]).expect("a bar")),
        _ => Geometry::Tets(mesh([20, 2, 2])),
    };
    Body::new(name, geometry, method, chalk(strength))
}

fn plane(x: f64) -> Region {
    Region::Box { min: [x - 1e-6, -9.0, -9.0], max: [x + 1e-6, 9.0, 9.0] }
}

fn steps<R: Real>(simulation: &mut Simulation<R>, count: usize, dt: f64) {
    for _ in 0..count {
        simulation.step(dt).expect("a step");
    }
}

fn volume(simulation: &Simulation<f64>) -> f64 {
    simulation.model().blocks[0].volumes().iter().sum()
}

fn mass(simulation: &Simulation<f64>) -> f64 {
    simulation.model().masses.iter().sum()
}

#[test]
fn a_bar_pulled_slowly_breaks_at_its_weak_plane_at_the_right_load_in_two() {
    for method in METHODS {
        let mut body = bar("bar", method, 4e4);
        body.weaknesses = vec![Weakness { region: plane(0.5), factor: 0.5 }];
        // 0.3 % of strain in two seconds: it breaks at 0.2 %, where the stress is 2e4 Pa.
        body.pins = vec![Pin::hold(plane(0.0)), Pin { velocity: [1.5e-3, 0.0, 0.0], ..Pin::hold(plane(1.0)) }];
        let solver = SolverSettings {
            integrator: Integrator::QuasiStatic,
            tolerance: 1e-8,
            newton_tolerance: 1e-6,
            ..SolverSettings::default()
        };
        let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 9.0, ..Scene::default() };
        let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
        let (whole_mass, whole_volume) = (mass(&simulation), volume(&simulation));
        let mut most: f64 = 0.0;
        for _ in 0..200 {
            let forces = {
                simulation.step(0.01).expect("a step");
                simulation.forces()
            };
            let held = |n: usize| simulation.model().rest[n].0[0] > 0.999;
            let pull: f64 = (0..forces.len()).filter(|n| held(*n)).map(|n| -forces[n].0[0]).sum();
            most = most.max(pull);
            if simulation.bodies()[0].fragments > 1 {
                break;
            }
        }
        assert!((most / 200.0 - 1.0).abs() < 0.05, "{method:?} broke at {most} N, and should at 200 N");
        assert_eq!(simulation.bodies()[0].fragments, 2, "{method:?}");
        let pieces = simulation.fragments(0);
        assert!(pieces.iter().all(|p| (p.volume / 0.005 - 1.0).abs() < 1e-9), "{method:?}: {pieces:?}");
        assert_eq!((pieces[0].parent, pieces[1].parent), (None, Some(0)));
        assert_eq!(simulation.bodies()[0].elements, simulation.model().blocks[0].len());
        assert!((mass(&simulation) / whole_mass - 1.0).abs() < 1e-14);
        assert!((volume(&simulation) / whole_volume - 1.0).abs() < 1e-14);
        let cracks = simulation.take_cracks();
        assert!(cracks.iter().all(|c| (c.point[0] - 0.5).abs() < 0.01 && c.normal[0].abs() > 0.99), "{cracks:?}");
        let area: f64 = cracks.iter().map(|c| c.area).sum();
        assert!((area / 0.01 - 1.0).abs() < 0.01, "{method:?}: a crack of {area} m²");
        assert!(simulation.take_cracks().is_empty());
    }
}

/// A bar that spins so fast that it bursts.
fn spinning(method: Method, integrator: Integrator, step: f64) -> Scene {
    let mut body = bar("bar", method, 1e5);
    body.spin = [3.0, 0.0, 40.0];
    body.velocity = [1.0, 2.0, 3.0];
    let mut scene = alone(body, integrator, step);
    scene.solver.iterations = 20;
    scene
}

#[test]
fn a_bar_that_bursts_keeps_its_mass_and_momenta() {
    for (integrator, step) in [
        (Integrator::LeapFrog, 1e-4),
        (Integrator::ImplicitEuler, 2e-3),
        (Integrator::Bdf2, 1e-3),
        (Integrator::Xpbd, 2e-3),
    ] {
        for method in [Method::Tet, Method::Edge, Method::Mls] {
            let what = format!("{integrator:?} {method:?}");
            let mut simulation = Simulation::<f64>::build(&spinning(method, integrator, step)).expect("a bar");
            let (weight, linear) = (mass(&simulation), simulation.momentum());
            let mut report = StepReport::default();
            for _ in 0..(0.03 / step) as usize {
                report.merge(&simulation.step(step).expect("a step"));
            }
            assert!(simulation.bodies()[0].fragments > 1, "{what} does not break");
            assert_eq!(report.new_nodes, simulation.model().node_count() - 21 * 9, "{what}");
            assert!((mass(&simulation) / weight - 1.0).abs() < 1e-13, "{what}");
            let size = weight * 3.7;
            let drift = (0..3).map(|a| (simulation.momentum()[a] - linear[a]).abs()).fold(0.0, f64::max);
            assert!(drift < 1e-9 * size, "{what}: momentum drifts by {drift} of {size}");
            let pieces = simulation.fragments(0);
            let sum: f64 = pieces.iter().map(|p| p.mass).sum();
            assert!((sum / weight - 1.0).abs() < 1e-12, "{what}");
            assert!(simulation.energy().kinetic_j.is_finite());
        }
    }
}

#[test]
fn splitting_a_node_changes_neither_energy_nor_spin() {
    let mut scene = spinning(Method::Tet, Integrator::LeapFrog, 1e-4);
    scene.bodies[0].contact.enabled = false;
    let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
    let (mut before, mut spin) = (simulation.energy(), simulation.angular_momentum());
    for _ in 0..300 {
        let report = simulation.step(1e-4).expect("a step");
        let (now, spin_now) = (simulation.energy(), simulation.angular_momentum());
        if report.new_nodes > 0 {
            // Leap-frog itself moves energy between steps by a little.
            let change = (now.kinetic_j + now.elastic_j) / (before.kinetic_j + before.elastic_j) - 1.0;
            assert!(change.abs() < 1e-3, "{change}");
        }
        let turned = (0..3).map(|a| (spin_now[a] - spin[a]).abs()).fold(0.0, f64::max);
        assert!(turned < 1e-9 * 60.0, "{turned}");
        (before, spin) = (now, spin_now);
    }
}

#[test]
fn a_snapshot_goes_on_bit_for_bit_before_and_after_the_break() {
    for method in [Method::Tet, Method::Selective, Method::Mls] {
        for (integrator, step) in [(Integrator::Verlet, 1e-4), (Integrator::ImplicitEuler, 2e-3)] {
            let scene = spinning(method, integrator, step);
            let mut first = Simulation::<f64>::build(&scene).expect("a bar");
            let whole = first.snapshot();
            while first.bodies()[0].fragments < 2 {
                first.step(step).expect("a step");
                assert!(first.time() < 0.1, "{method:?} {integrator:?} does not break");
            }
            let broken = first.snapshot();
            let run = |s: &mut Simulation<f64>| {
                steps(s, 10, step);
                (s.state_hash(), s.bodies()[0].fragments)
            };
            let expected = run(&mut first);
            let mut second = Simulation::<f64>::build(&scene).expect("a bar");
            second.restore(&broken).expect("its own snapshot");
            assert_eq!(second.snapshot(), broken, "{method:?} {integrator:?}");
            assert_eq!(run(&mut second), expected, "{method:?} {integrator:?}");
            // And back to when it was whole.
            second.restore(&whole).expect("its own snapshot");
            assert_eq!(second.bodies()[0].fragments, 1);
            let mut third = Simulation::<f64>::build(&scene).expect("a bar");
            assert_eq!(run(&mut second), run(&mut third));
        }
    }
}

#[test]
fn breaking_is_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut simulation =
                Simulation::<f32>::build(&spinning(Method::Edge, Integrator::LeapFrog, 1e-4)).expect("a bar");
            steps(&mut simulation, 300, 1e-4);
            (simulation.state_hash(), simulation.bodies()[0].fragments)
        })
    };
    let one = run(1);
    assert!(one.1 > 1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn a_budget_bounds_what_breaks_in_a_step_and_the_rest_waits() {
    let mut scene = spinning(Method::Tet, Integrator::LeapFrog, 1e-4);
    scene.bodies[0].material.fracture = Some(Fracture::brittle(2e4));
    scene.solver.max_new_nodes = 3;
    scene.bodies[0].contact.enabled = false;
    let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
    let mut waited = 0;
    for _ in 0..300 {
        let report = simulation.step(1e-4).expect("a step");
        assert!(report.new_nodes <= 3, "{}", report.new_nodes);
        waited += report.waiting;
    }
    assert!(waited > 0 && simulation.bodies()[0].fragments > 1);
}

#[test]
fn a_cut_parts_a_body_and_leaves_those_around_it_alone() {
    let moved = |name: &str, z: f64, method| {
        let mut body = bar(name, method, 1e9);
        body.material.fracture = None;
        let Geometry::Tets(mesh) = &mut body.geometry else { unreachable!() };
        mesh.points.iter_mut().for_each(|p| p[2] += z);
        body.pins = vec![Pin::hold(plane(0.0))];
        body
    };
    let mut scene = alone(moved("first", 0.0, Method::Edge), Integrator::ImplicitEuler, 0.01);
    scene.gravity = [0.0, -1.0, 0.0];
    // Solved to the end, so that what the cut body does cannot change how far the others are solved.
    (scene.solver.tolerance, scene.solver.newton_iterations) = (1e-10, 20);
    scene.solver.newton_tolerance = 1e-9;
    scene.bodies.push(moved("cut", 1.0, Method::Tet));
    scene.bodies.push(moved("last", 2.0, Method::Edge));
    scene.bodies.iter_mut().for_each(|b| b.contact.enabled = false);
    let plain = scene.clone();
    scene.events = vec![Event {
        at: 0.1,
        body: Some("cut".into()),
        action: Action::Cut(Cut::plane([0.52, 0.0, 0.0], [1.0, 0.1, 0.0])),
    }];
    let run = |scene: &Scene| {
        let mut simulation = Simulation::<f64>::build(scene).expect("three bars");
        steps(&mut simulation, 30, 0.01);
        simulation
    };
    let (cut, whole) = (run(&scene), run(&plain));
    let fragments: Vec<usize> = cut.bodies().iter().map(|b| b.fragments).collect();
    assert_eq!(fragments, [1, 2, 1]);
    for body in [0, 2] {
        let at = |s: &Simulation<f64>| {
            let nodes = s.model().bodies[body].nodes.clone();
            nodes.map(|n| s.position(n)).collect::<Vec<_>>()
        };
        let differs = at(&cut).iter().zip(&at(&whole)).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
        assert!(differs < 1e-6, "body {body} differs by {differs}");
    }
    // The free half falls, and is by now below the end of the bar that is whole.
    let lowest = |s: &Simulation<f64>| {
        let nodes = s.model().bodies[1].nodes.clone();
        nodes.map(|n| s.position(n)[1]).fold(f64::INFINITY, f64::min)
    };
    let fallen = 0.5 * 0.2f64.powi(2);
    assert!(lowest(&cut) < lowest(&whole) - 0.5 * fallen, "{} {}", lowest(&cut), lowest(&whole));
    for frame in [cut.frame(0), whole.frame(0)] {
        assert!(frame.bodies.iter().all(|b| b.positions.len() == b.velocities.len()));
    }
}

#[test]
fn whole_cells_stay_whole() {
    let mut scene = spinning(Method::Tet, Integrator::LeapFrog, 1e-4);
    scene.bodies[0].whole_cells = (0..400).map(|t| t / 5).collect();
    scene.bodies[0].material.fracture = Some(Fracture::brittle(2e4));
    let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
    steps(&mut simulation, 300, 1e-4);
    let pieces = simulation.fragments(0);
    assert!(pieces.len() > 5, "{}", pieces.len());
    // 20 x 2 x 2 cubes in 0.01 m³.
    let cube = 0.01 / 80.0;
    assert!(pieces.iter().all(|p| (p.volume / cube - (p.volume / cube).round()).abs() < 1e-6));
}

#[test]
fn what_cannot_break_is_refused_with_a_reason() {
    let refused = |change: fn(&mut Scene)| {
        let mut scene = spinning(Method::Tet, Integrator::LeapFrog, 1e-4);
        change(&mut scene);
        phyxel::AnySimulation::build(&scene, Precision::F64).err().expect("refused").to_string()
    };
    let strength = refused(|s| s.bodies[0].material.fracture = Some(Fracture::brittle(-1.0)));
    assert!(strength.contains("strength is -1: it must be above zero"), "{strength}");
    let weak = refused(|s| s.bodies[0].weaknesses = vec![Weakness { region: Region::All, factor: 0.0 }]);
    assert!(weak.contains("weakness") && weak.contains("above zero"), "{weak}");
    let cells = refused(|s| s.bodies[0].whole_cells = vec![1, 2, 3]);
    assert!(cells.contains("one number for each tetrahedron"), "{cells}");
    let mass = refused(|s| {
        s.bodies[0].mass = phyxel::scene::MassKind::Consistent;
        s.solver.integrator = Integrator::ImplicitEuler;
    });
    assert!(mass.contains("lumped"), "{mass}");
    let cut = refused(|s| {
        let action = Action::Cut(Cut::plane([0.0; 3], [0.0; 3]));
        s.events = vec![Event { at: 0.0, body: None, action }];
    });
    assert!(cut.contains("no normal"), "{cut}");
}
