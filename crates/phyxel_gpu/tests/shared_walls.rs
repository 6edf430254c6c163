//! Walls that break, some on the device and some on the processor, in one scene.

mod common;

use common::{device, scene, soft, solid};
use phyxel::Simulation;
use phyxel::fracture::{CrackEvent, Pieces};
use phyxel::material::{Fracture, LawKind, Material};
use phyxel::scene::{Body, Collider, ColliderShape, Integrator, Method, Place, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel_gpu::{DriveError, Driver};

const STEP: f64 = 0.0008;
const WALLS: usize = 6;

/// A wall of cubes of a tenth of a metre that falls onto the floor, tilted as its number tells.
fn wall(i: usize, place: Place) -> Body {
    let material = Material {
        law: LawKind::StVenantKirchhoff,
        young_modulus: 7.0e5,
        poisson_ratio: 0.3,
        density: 500.0,
        fracture: Some(Fracture::brittle(9.0e3)),
        ..Material::default()
    };
    let mut mesh = box_tets([6, 3, 1], [0.0; 3], [0.6, 0.3, 0.1], CubeSplit::Five).expect("a wall");
    let tilt = 0.15 + 0.1 * i as f64;
    for p in &mut mesh.points {
        let [x, y, z] = *p;
        *p = [x * tilt.cos() - y * tilt.sin(), 0.02 + x * tilt.sin() + y * tilt.cos(), 0.5 * i as f64 + z + 0.1 * y];
    }
    let cells = (0..mesh.tets.len() as u32).map(|t| t / 5).collect();
    let mut body = Body::new(format!("wall {i}"), Geometry::Tets(mesh), Method::Tet, material);
    body.whole_cells = cells;
    body.contact.enabled = false;
    body.velocity = [0.0, -4.0, 0.0];
    body.place = place;
    body
}

fn walls(place: impl Fn(usize) -> Place) -> Scene {
    let mut scene = scene((0..WALLS).map(|i| wall(i, place(i))).collect());
    scene.colliders = vec![Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })];
    scene.solver.integrator = Integrator::LeapFrog;
    scene.solver.step = STEP;
    scene.solver.sleep_speed = 0.0;
    scene
}

/// The nodes of all tetrahedra of bodies that can break.
fn topology(simulation: &Simulation<f32>) -> Vec<Vec<[u32; 4]>> {
    let of = |body: &phyxel::model::BodyModel| match &body.fragile.as_ref()?.pieces {
        Pieces::Tets(tets) => Some(tets.table.nodes.clone()),
        Pieces::Points(_) => None,
    };
    simulation.model().bodies.iter().filter_map(of).collect()
}

fn who_and_when(cracks: &[CrackEvent]) -> Vec<(usize, i64)> {
    cracks.iter().map(|c| (c.body, (c.time / STEP).round() as i64)).collect()
}

/// What is told of a run: cracks, and the pieces of every body.
struct Told {
    cracks: Vec<CrackEvent>,
    simulation: Simulation<f32>,
    new_nodes: usize,
}

fn run(scene: &Scene, frames: usize, mut driver: Option<Driver>) -> Told {
    let mut simulation = Simulation::<f32>::build(scene).expect("walls");
    let (mut cracks, mut new_nodes) = (Vec::new(), 0);
    for frame in 1..=frames {
        let time = 8.0 * STEP * frame as f64;
        let report = match &mut driver {
            Some(driver) => driver.advance_to(&mut simulation, time).expect("both"),
            None => simulation.advance_to(time).expect("the processor"),
        };
        new_nodes += report.new_nodes;
        cracks.extend(simulation.take_cracks());
    }
    Told { cracks, simulation, new_nodes }
}

fn drive(scene: &Scene) -> Option<Driver> {
    let simulation = Simulation::<f32>::build(scene).expect("walls");
    let driver = Driver::new(&device()?, scene, &simulation).expect("walls on both");
    assert!(driver.is_shared());
    Some(driver)
}

#[test]
fn walls_on_both_break_as_all_do_on_the_processor() {
    let scene = walls(|i| if i % 2 == 0 { Place::Gpu } else { Place::Cpu });
    let Some(driver) = drive(&scene) else { return };
    let shared = run(&scene, 8, Some(driver));
    let cpu = run(&scene, 8, None);
    println!("{} cracks, {} new nodes", cpu.cracks.len(), cpu.new_nodes);
    assert!(cpu.cracks.len() > 50);
    let broken: std::collections::BTreeSet<usize> = cpu.cracks.iter().map(|c| c.body).collect();
    assert_eq!(broken.len(), WALLS, "all walls break: {broken:?}");
    assert_eq!(who_and_when(&shared.cracks), who_and_when(&cpu.cracks));
    assert_eq!((shared.new_nodes, topology(&shared.simulation)), (cpu.new_nodes, topology(&cpu.simulation)));
    for body in 0..WALLS {
        let (found, expected) = (shared.simulation.fragments(body), cpu.simulation.fragments(body));
        assert_eq!(found.len(), expected.len(), "pieces of wall {body}");
        for (a, b) in found.iter().zip(expected) {
            assert!(a.parent == b.parent && a.elements == b.elements && (a.born - b.born).abs() < 1e-9, "{a:?} {b:?}");
        }
    }
    let masses = |told: &Told| told.simulation.model().masses.clone();
    assert_eq!(masses(&shared), masses(&cpu));
    let apart = |n: usize| (shared.simulation.state().u[n] - cpu.simulation.state().u[n]).norm();
    let apart = (0..cpu.simulation.model().node_count()).map(apart).fold(0.0, f32::max);
    println!("{apart:.1e} m apart");
    assert!(apart < 1e-4, "{apart}");
    // The processor goes on from there.
    let mut on = shared.simulation;
    let mut expected = cpu.simulation;
    let time = 9.0 * 8.0 * STEP;
    on.advance_to(time).expect("the processor goes on");
    expected.advance_to(time).expect("the processor goes on");
    assert!(on.state().u.iter().all(|u| u.norm() < 10.0));
    assert_eq!(on.model().masses.len(), on.state().u.len());
}

#[test]
fn the_same_scene_gives_the_same_bits() {
    let scene = walls(|i| if i < 2 { Place::Cpu } else { Place::Auto });
    let (Some(first), Some(second)) = (drive(&scene), drive(&scene)) else { return };
    let (a, b) = (run(&scene, 6, Some(first)), run(&scene, 6, Some(second)));
    assert!(!a.cracks.is_empty());
    assert_eq!(a.cracks, b.cracks);
    assert_eq!(a.simulation.state(), b.simulation.state());
}

/// A device that is asked for later gets walls that are in pieces already.
#[test]
fn broken_walls_are_shared_too() {
    let scene = walls(|i| if i % 2 == 0 { Place::Gpu } else { Place::Cpu });
    let Some(device) = device() else { return };
    let mut cpu = Simulation::<f32>::build(&scene).expect("walls");
    let mut shared = Simulation::<f32>::build(&scene).expect("walls");
    for simulation in [&mut cpu, &mut shared] {
        simulation.advance_to(30.0 * STEP).expect("the processor");
    }
    assert!(!shared.take_cracks().is_empty());
    cpu.take_cracks();
    let mut driver = Driver::new(&device, &scene, &shared).expect("walls on both");
    driver.advance_to(&mut shared, 50.0 * STEP).expect("both");
    cpu.advance_to(50.0 * STEP).expect("the processor");
    assert_eq!(topology(&shared), topology(&cpu));
    assert_eq!(who_and_when(&shared.take_cracks()), who_and_when(&cpu.take_cracks()));
}

/// What breaks and what cannot are moved by different kernels: the processor takes the lesser kind.
#[test]
fn walls_and_a_body_that_cannot_break_are_shared() {
    let Some(device) = device() else { return };
    let mut scene = walls(|_| Place::Auto);
    let mut whole = solid("whole", Method::Tet, soft(LawKind::Corotated), [3.0, 0.05, 0.0]);
    whole.contact.enabled = false;
    scene.bodies.push(whole);
    let mut cpu = Simulation::<f32>::build(&scene).expect("walls");
    let mut shared = Simulation::<f32>::build(&scene).expect("walls");
    let mut driver = Driver::new(&device, &scene, &shared).expect("walls on the device");
    assert!(driver.is_shared());
    driver.advance_to(&mut shared, 40.0 * STEP).expect("both");
    cpu.advance_to(40.0 * STEP).expect("the processor");
    assert_eq!(topology(&shared), topology(&cpu));
    // Whoever insists on the device gets it, but not both kinds.
    scene.bodies[0].place = Place::Gpu;
    scene.bodies[WALLS].place = Place::Gpu;
    let refused = Driver::new(&device, &scene, &shared).err();
    assert!(matches!(&refused, Some(DriveError::Unsupported(why)) if why.contains("break")), "{refused:?}");
}

#[test]
fn walls_go_where_they_have_been_seen_to_be_faster() {
    let Some(device) = device() else { return };
    let mut scene = walls(|_| Place::Auto);
    scene.bodies[0].place = Place::Gpu;
    let mut cpu = Simulation::<f32>::build(&scene).expect("walls");
    let mut shared = Simulation::<f32>::build(&scene).expect("walls");
    let mut driver = Driver::balanced(&device, &scene, &shared).expect("a place for each");
    assert_eq!(shared.time(), 0.0, "watching moves copies");
    driver.advance_to(&mut shared, 40.0 * STEP).expect("steps");
    cpu.advance_to(40.0 * STEP).expect("steps");
    assert_eq!(topology(&shared), topology(&cpu));
    assert_eq!(who_and_when(&shared.take_cracks()), who_and_when(&cpu.take_cracks()));
}
