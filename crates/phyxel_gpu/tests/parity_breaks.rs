//! Bodies that break on the device and on the CPU, both in f32: the same nodes are to split in the same steps.

mod common;

use common::{device, scene};
use phyxel::Simulation;
use phyxel::fracture::Pieces;
use phyxel::material::{Fracture, LawKind, Material};
use phyxel::math::Vec3;
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, Method, Pin, Region, Scene, Weakness};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel_gpu::{Driver, why_not};

const STEP: f64 = 0.0008;

/// Wood as Morris has it, of some strength [Pa].
fn wood(strength: f64) -> Material {
    Material {
        law: LawKind::StVenantKirchhoff,
        young_modulus: 7.0e5,
        poisson_ratio: 0.3,
        density: 500.0,
        fracture: Some(Fracture::brittle(strength)),
        ..Material::default()
    }
}

/// A wall of cubes of a tenth of a metre whose lower edge is a little above the floor, tilted.
fn wall(name: &str, cubes: [usize; 3], at: [f64; 3], tilt: f64, material: Material) -> Body {
    let size = cubes.map(|n| 0.1 * n as f64);
    let mut mesh = box_tets(cubes, [0.0; 3], size, CubeSplit::Five).expect("a wall");
    for p in &mut mesh.points {
        let [x, y, z] = *p;
        *p = [at[0] + x * tilt.cos() - y * tilt.sin(), at[1] + x * tilt.sin() + y * tilt.cos(), at[2] + z + 0.1 * y];
    }
    let cells = (0..mesh.tets.len() as u32).map(|t| t / 5).collect();
    let mut body = Body::new(name, Geometry::Tets(mesh), Method::Tet, material);
    body.whole_cells = cells;
    body.contact.enabled = false;
    body
}

fn over_a_floor(bodies: Vec<Body>, integrator: Integrator) -> Scene {
    let mut scene = scene(bodies);
    let floor = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    scene.colliders = vec![Collider::new(floor)];
    scene.solver.integrator = integrator;
    scene.solver.step = STEP;
    scene.solver.sleep_speed = 0.0;
    scene
}

/// The nodes of all tetrahedra.
fn topology(simulation: &Simulation<f32>) -> Vec<Vec<[u32; 4]>> {
    let of = |body: &phyxel::model::BodyModel| match &body.fragile.as_ref().expect("it can break").pieces {
        Pieces::Tets(tets) => tets.table.nodes.clone(),
        Pieces::Points(_) => panic!("these are tetrahedra"),
    };
    simulation.model().bodies.iter().map(of).collect()
}

/// How two simulations went, side by side.
struct Race {
    /// Nodes that the CPU has split, and those until the first step in which the device split others.
    splits: usize,
    alike: usize,
    /// Nodes in the end on the CPU, and on the device.
    nodes: [usize; 2],
    /// The largest difference of places as long as both had split the same nodes [m].
    apart: f64,
}

fn race(scene: &Scene, frames: usize, steps: usize, start: impl Fn(&mut Simulation<f32>)) -> Option<Race> {
    let device = device()?;
    let mut cpu = Simulation::<f32>::build(scene).expect("a scene");
    let mut moved = Simulation::<f32>::build(scene).expect("a scene");
    start(&mut cpu);
    start(&mut moved);
    let mut driver = Driver::new(&device, scene, &moved).expect("a device that breaks things");
    let mut race = Race { splits: 0, alike: 0, nodes: [0; 2], apart: 0.0 };
    let (mut same, begin) = (true, cpu.time());
    for frame in 1..=frames {
        let time = begin + STEP * (frame * steps) as f64;
        let (a, b) = (cpu.advance_to(time).expect("cpu"), driver.advance_to(&mut moved, time).expect("device"));
        assert_eq!((a.steps, a.substeps), (b.steps, b.substeps), "steps of frame {frame}");
        race.splits += a.new_nodes;
        same &= topology(&cpu) == topology(&moved);
        if same {
            race.alike = race.splits;
            let apart = |n: usize| (cpu.state().u[n] - moved.state().u[n]).norm();
            race.apart = (0..cpu.model().node_count()).map(apart).fold(0.0, f32::max).into();
            let masses = |s: &Simulation<f32>| s.model().masses.clone();
            assert_eq!(masses(&cpu), masses(&moved), "masses of frame {frame}");
            assert_eq!(a.new_nodes, b.new_nodes, "new nodes of frame {frame}");
        }
        let (here, there) = (cpu.take_cracks(), moved.take_cracks());
        assert_eq!(here.len(), there.len(), "cracks of frame {frame}");
        for (a, b) in here.iter().zip(&there).filter(|_| same) {
            // Between frames nodes are taken to move evenly.
            let (apart, even) = ((Vec3(a.point) - Vec3(b.point)).norm(), 5e-3 * (steps - 1) as f64);
            assert!(a.body == b.body && (a.time - b.time).abs() < 1e-9 && apart < 1e-5 + even, "{a:?} {b:?}");
        }
        if !same {
            break;
        }
    }
    race.nodes = [cpu.model().node_count(), moved.model().node_count()];
    println!(
        "{} splits, {} of them alike, {:?} nodes, {:.1e} m apart",
        race.splits, race.alike, race.nodes, race.apart
    );
    Some(race)
}

#[test]
fn a_wall_that_is_pulled_breaks_at_its_weak_section() {
    let mut body = wall("wall", [12, 3, 1], [0.0, 2.0, 0.0], 0.0, wood(2.0e4));
    let region = Region::Box { min: [0.59, -10.0, -10.0], max: [0.61, 10.0, 10.0] };
    body.weaknesses.push(Weakness { region, factor: 0.5 });
    let mut scene = over_a_floor(vec![body], Integrator::SymplecticEuler);
    scene.gravity = [0.0; 3];
    let pull = |simulation: &mut Simulation<f32>| {
        let rest = simulation.model().rest.clone();
        simulation
            .state_mut()
            .v
            .iter_mut()
            .zip(rest)
            .for_each(|(v, x)| v.0[0] += (x.0[0] - 0.6) * (1.0 + 0.1 * x.0[1] + 0.07 * x.0[2]));
    };
    let Some(race) = race(&scene, 60, 1, pull) else { return };
    // The eight nodes of the section, and nothing else.
    assert_eq!((race.splits, race.alike), (8, 8));
    assert!(race.apart < 1e-6, "{} m apart", race.apart);
}

#[test]
fn walls_break_on_the_floor_as_on_the_cpu() {
    for integrator in [Integrator::SymplecticEuler, Integrator::LeapFrog, Integrator::Verlet] {
        let bodies = vec![
            wall("first", [10, 3, 1], [0.0, 0.02, 0.0], 0.35, wood(2.0e4)),
            wall("second", [8, 3, 1], [3.0, 0.03, 0.0], -0.1, wood(1.5e4)),
        ];
        let mut scene = over_a_floor(bodies, integrator);
        scene.bodies.iter_mut().for_each(|b| b.velocity = [0.0, -2.5, 0.0]);
        // Seven steps at once: the edits of several steps come back together. Motion multiplies roundings, by ten in some fifty
        // steps once cubes roll over the floor; that bounds for how long both can agree.
        let Some(race) = race(&scene, 20, 7, |_| {}) else { return };
        assert!(race.alike >= 100, "{}: {} of {} splits alike", integrator.name(), race.alike, race.splits);
        assert!(race.apart < 1e-4, "{}: {} m apart", integrator.name(), race.apart);
    }
}

/// No more new nodes in a step than the budget allows, those that waited afterwards: as on the CPU.
#[test]
fn a_budget_of_new_nodes_holds_on_the_device() {
    let Some(device) = device() else { return };
    let bodies = vec![
        wall("first", [10, 3, 1], [0.0, 0.02, 0.0], 0.35, wood(2.0e4)),
        wall("second", [8, 3, 1], [3.0, 0.03, 0.0], -0.1, wood(1.5e4)),
    ];
    let mut scene = over_a_floor(bodies, Integrator::SymplecticEuler);
    scene.bodies.iter_mut().for_each(|b| b.velocity = [0.0, -2.5, 0.0]);
    scene.solver.max_new_nodes = 3;
    let mut moved = Simulation::<f32>::build(&scene).expect("walls");
    let mut driver = Driver::new(&device, &scene, &moved).expect("a device that breaks things");
    let mut most = 0;
    for step in 1..=120 {
        let report = driver.advance_to(&mut moved, STEP * f64::from(step)).expect("device");
        most = most.max(report.new_nodes);
    }
    assert_eq!(most, 3, "new nodes in a step");
    let Some(race) = race(&scene, 15, 7, |_| {}) else { return };
    assert!(race.splits > 20 && race.alike == race.splits, "{} of {} splits alike", race.alike, race.splits);
}

#[test]
fn what_has_broken_on_the_cpu_goes_on_breaking_on_the_device() {
    let mut body = wall("wall", [10, 3, 1], [0.0, 0.02, 0.0], 0.35, wood(2.0e4));
    body.velocity = [0.0, -2.5, 0.0];
    let scene = over_a_floor(vec![body], Integrator::SymplecticEuler);
    let whole = Simulation::<f32>::build(&scene).expect("a wall").model().node_count();
    let break_first = |simulation: &mut Simulation<f32>| {
        simulation.advance_to(90.0 * STEP).expect("cpu");
        simulation.take_cracks();
        assert!(simulation.model().node_count() > whole, "nothing has broken");
    };
    let Some(race) = race(&scene, 60, 1, break_first) else { return };
    assert!(race.splits > 0 && race.alike == race.splits, "{} of {} splits alike", race.alike, race.splits);
}

#[test]
fn tetrahedra_part_one_by_one_where_no_cubes_are_whole() {
    let mut body = wall("glass", [5, 3, 2], [0.0, 0.01, 0.0], 0.3, wood(1.2e4));
    body.whole_cells.clear();
    body.velocity = [0.0, -3.0, 0.0];
    let scene = over_a_floor(vec![body], Integrator::SymplecticEuler);
    let Some(race) = race(&scene, 60, 1, |_| {}) else { return };
    assert!(race.alike >= 20, "{} of {} splits alike", race.alike, race.splits);
}

#[test]
fn what_else_breaks_is_left_to_the_cpu() {
    let whole = over_a_floor(vec![wall("w", [3, 3, 1], [0.0; 3], 0.0, wood(1e4))], Integrator::SymplecticEuler);
    let refused = |words: &str, change: &dyn Fn(&mut Scene)| {
        let mut scene = whole.clone();
        change(&mut scene);
        let simulation = Simulation::<f32>::build(&scene).expect(words);
        let why = why_not(&scene, simulation.model()).expect(words);
        assert!(why.contains(words) && why.contains("CPU"), "{why}");
    };
    let model = Simulation::<f32>::build(&whole).expect("a wall");
    assert_eq!(why_not(&whole, model.model()), None);
    refused("rk4", &|scene| scene.solver.integrator = Integrator::Rk4);
    refused("held", &|scene| {
        scene.bodies[0].pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [0.01, 2.0, 2.0] }));
    });
    refused("tips", &|scene| {
        scene.bodies[0].material.fracture = Some(Fracture { tip_strength: 0.5, ..Fracture::brittle(1e4) });
    });
    refused("cannot", &|scene| {
        let mut other = wall("steady", [2, 2, 1], [5.0, 0.0, 0.0], 0.0, wood(1e4));
        other.material.fracture = None;
        scene.bodies.push(other);
    });
}
