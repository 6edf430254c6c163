//! Many bodies that break at the same time: what each of them does on its own, and in parallel, must add up.

mod common;

use common::{chalk, floor};
use phyxel::material::Material;
use phyxel::scene::{Body, Cut, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::{Partner, Simulation};

const WALLS: usize = 12;
const STEPS: usize = 200;

/// Walls of cubes that hit the floor at two metres a second, one a little later than the other; each falls askew.
fn walls() -> Scene {
    let wall = |k: usize| {
        let mut mesh = box_tets([6, 3, 1], [0.0; 3], [0.6, 0.3, 0.1], CubeSplit::Five).expect("a wall");
        let (sin, cos) = (0.2 + 0.1 * k as f64).sin_cos();
        for p in &mut mesh.points {
            *p = [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1] + 0.002 * (k % 3) as f64, p[2] + 0.5 * k as f64];
        }
        let cells = (0..mesh.tets.len() as u32).map(|t| t / 5).collect();
        let mut body = Body::new(format!("wall {k}"), Geometry::Tets(mesh), Method::Tet, chalk(2e3));
        (body.whole_cells, body.velocity, body.contact.enabled) = (cells, [0.0, -2.0, 0.0], false);
        body
    };
    let integrator = Integrator::SymplecticEuler;
    let solver = SolverSettings { integrator, step: 1e-4, sleep_speed: 0.0, ..SolverSettings::default() };
    let bodies = (0..WALLS).map(wall).collect();
    Scene { bodies, colliders: vec![floor(0.5)], solver, duration: 1.0, ..Scene::default() }
}

/// Takes all steps on so many threads, and does something before each of them.
fn run(threads: usize, mut before: impl FnMut(usize, &mut Simulation<f32>) + Send) -> Simulation<f32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| {
        let scene = walls();
        let mut simulation = Simulation::build(&scene).expect("walls");
        for step in 0..STEPS {
            before(step, &mut simulation);
            simulation.step(scene.solver.step).expect("a step");
        }
        simulation
    })
}

#[test]
fn walls_break_alike_on_any_number_of_threads_and_nothing_is_lost() {
    let mut one = run(1, |_, _| {});
    let bodies = one.bodies();
    let broken = bodies.iter().filter(|b| b.fragments > 1).count();
    assert!(broken > WALLS / 2, "{broken} walls broke");
    for body in &bodies {
        assert!((body.mass_kg / (body.volume_m3 * chalk(2e3).density) - 1.0).abs() < 1e-5, "{body:?}");
    }
    for (index, body) in bodies.iter().enumerate() {
        let volume: f64 = one.fragments(index).iter().filter(|f| f.elements > 0).map(|f| f.volume).sum();
        assert!((volume / body.volume_m3 - 1.0).abs() < 1e-12, "{}", body.name);
    }
    let cracks = one.take_cracks();
    assert!(
        cracks.windows(2).all(|c| (c[0].time, c[0].body) <= (c[1].time, c[1].body)),
        "in the order of time and bodies"
    );
    for threads in [2, 8] {
        let mut other = run(threads, |_, _| {});
        assert_eq!(other.state_hash(), one.state_hash(), "on {threads} threads");
        assert_eq!(other.take_cracks(), cracks, "on {threads} threads");
    }
}

#[test]
fn forces_that_a_look_leaves_behind_are_those_of_the_next_step() {
    let kept = run(2, |_, _| {});
    // A state that somebody may have changed is looked at anew.
    let anew = run(2, |_, simulation| {
        simulation.state_mut();
    });
    assert_eq!(kept.state_hash(), anew.state_hash());
}

#[test]
fn a_cut_after_a_change_from_outside_does_not_bring_old_forces_back() {
    let disturbed = |look_anew: bool| {
        let disturb = move |step: usize, simulation: &mut Simulation<f32>| {
            if step == 10 {
                let first = simulation.model().bodies[0].nodes.clone();
                simulation.state_mut().u[first].iter_mut().for_each(|u| u.0[0] *= 1.5);
                simulation
                    .cut("wall 0", Cut { point: [0.2, 0.1, 0.05], normal: [1.0, 0.0, 0.0], radius: 9.0 })
                    .expect("a cut");
                if look_anew {
                    simulation.state_mut();
                }
            }
        };
        run(2, disturb)
    };
    assert_eq!(disturbed(false).state_hash(), disturbed(true).state_hash());
}

#[test]
fn going_on_from_a_snapshot_among_breaks_gives_the_same_bits() {
    let whole = run(2, |_, _| {});
    let mut kept = Vec::new();
    run(2, |step, simulation| {
        if step == STEPS / 2 {
            kept = simulation.snapshot();
        }
    });
    let scene = walls();
    let mut later = Simulation::<f32>::build(&scene).expect("walls");
    later.restore(&kept).expect("a snapshot");
    assert!(later.bodies().iter().any(|b| b.fragments > 1), "something has broken by then");
    for _ in STEPS / 2..STEPS {
        later.step(scene.solver.step).expect("a step");
    }
    assert_eq!(later.state_hash(), whole.state_hash());
    for body in 0..WALLS {
        assert_eq!(later.fragments(body), whole.fragments(body));
    }
}

#[test]
fn walls_share_a_budget_in_the_same_way_on_any_number_of_threads() {
    // Little is left to each wall of the first, so they take from it in their order; of the second each has its own share.
    for (budget, binds) in [(30, true), (800, false)] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let mut scene = walls();
                scene.solver.max_new_nodes = budget;
                scene.bodies.iter_mut().for_each(|b| b.material = chalk(20.0));
                let mut simulation = Simulation::<f32>::build(&scene).expect("walls");
                let (mut most, mut waited) = (0, 0);
                for _ in 0..STEPS {
                    let report = simulation.step(scene.solver.step).expect("a step");
                    most = most.max(report.new_nodes);
                    waited += report.waiting;
                }
                (simulation.state_hash(), most, waited)
            })
        };
        let one = run(1);
        assert!(one.1 <= budget && one.1 > 20, "{one:?}");
        assert_eq!(one.2 > 0, binds, "{one:?}");
        assert_eq!(run(3), one);
    }
}

#[test]
fn nodes_move_on_in_one_pass_as_they_do_one_thing_after_the_other() {
    let free = run(2, |_, _| {});
    // Something that is held takes the nodes of all bodies through one stage after the other.
    let mut scene = walls();
    let mesh = box_tets([1, 1, 1], [50.0, 50.0, 0.0], [50.1, 50.1, 0.1], CubeSplit::Five).expect("a cube");
    let mut held = Body::new("held", Geometry::Tets(mesh), Method::Tet, Material { fracture: None, ..chalk(2e3) });
    held.pins.push(Pin::hold(Region::All));
    held.contact.enabled = false;
    scene.bodies.push(held);
    let mut beside = Simulation::<f32>::build(&scene).expect("walls");
    for _ in 0..STEPS {
        beside.step(scene.solver.step).expect("a step");
    }
    let nodes = free.model().node_count();
    assert!(nodes > walls().bodies.iter().map(|b| b.geometry.points().len()).sum::<usize>(), "walls have broken");
    assert_eq!(beside.model().node_count(), nodes + 8);
    assert!(free.state().u[..] == beside.state().u[..nodes], "displacements have the same bits");
    assert!(free.state().v[..] == beside.state().v[..nodes], "velocities have the same bits");
}

#[test]
fn what_the_ground_does_to_thousands_of_nodes_is_what_momentum_changes_by() {
    let scene = walls();
    let mut simulation = Simulation::<f32>::build(&scene).expect("walls");
    let mass: f64 = simulation.bodies().iter().map(|b| b.mass_kg).sum();
    let (dt, mut stopped, mut before) = (scene.solver.step, 0.0, simulation.momentum());
    for _ in 0..STEPS {
        simulation.step(dt).expect("a step");
        let now = simulation.momentum();
        for axis in 0..3 {
            let pushed: f64 = simulation.contacts().iter().map(|c| c.force[axis] * dt).sum();
            let fall = scene.gravity[axis] * mass * dt;
            // In single precision each node's velocity is rounded to a ten-millionth of two metres a second.
            assert!(
                (now[axis] - before[axis] - fall - pushed).abs() < 1e-6 * 2.0 * mass,
                "{now:?} {before:?} {pushed}"
            );
            stopped += if axis == 1 { pushed } else { 0.0 };
        }
        before = now;
    }
    assert!(stopped > 0.01 * mass, "the ground has pushed them: {stopped} N s for {mass} kg");
    let walls: Vec<Partner> = simulation.contacts().iter().map(|c| c.first).collect();
    assert!(walls.is_sorted() && walls.windows(2).all(|w| w[0] != w[1]), "each wall is told of once: {walls:?}");
}
