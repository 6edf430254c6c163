//! Memory: once its buffers have grown, a step allocates nothing.

// An allocator is unsafe by nature; this one only counts and hands on.
#![allow(unsafe_code)]

mod common;

use common::{above_floor, cube, phyxels};
use phyxel::material::LawKind;
use phyxel::scene::{Body, Integrator, Lagrangian, LinearSolver, Method, Pin, Region, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{TorusSection, torus_tets};
use phyxel::{AnySimulation, Material, Precision};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// Safety: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, SeqCst);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, SeqCst);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A cube on the floor, its top held: pins and contact in every step.
fn resting(method: Method, integrator: Integrator, lagrangian: Lagrangian) -> Scene {
    let material = Material { young_modulus: 2e4, rayleigh_stiffness: 1e-3, ..Material::default() };
    let mut body = cube(method, 6, 0.2, [0.0, 0.0999, 0.0], &material);
    body.mls = phyxels(lagrangian);
    body.pins = vec![Pin::hold(Region::Box { min: [-1.0, 0.19, -1.0], max: [1.0; 3] })];
    let mut scene = above_floor(body, integrator, 1.0 / 120.0, 0.5);
    (scene.solver.iterations, scene.solver.substeps) = (3, 2);
    scene
}

/// A ring that is factored once and solved from then on.
fn factored_ring() -> Scene {
    let mesh = torus_tets(0.1, 0.03, TorusSection::Rings(3), 36).expect("a ring");
    let material = Material { law: LawKind::Linear, ..Material::default() };
    let mut body = Body::new("ring", Geometry::Tets(mesh), Method::Tet, material);
    body.pins = vec![Pin::hold(Region::Box { min: [-1.0; 3], max: [-0.05, 1.0, 1.0] })];
    let mut scene = common::alone(body, Integrator::ImplicitEuler, 1.0 / 120.0);
    scene.gravity = [0.0, -9.81, 0.0];
    scene.solver.linear = LinearSolver::Auto;
    scene
}

fn cases() -> Vec<(String, Scene)> {
    let mut cases = vec![("factored ring".to_string(), factored_ring())];
    for integrator in Integrator::ALL {
        cases.push((format!("tet {}", integrator.name()), resting(Method::Tet, integrator, Lagrangian::Total)));
    }
    for method in [Method::Edge, Method::Selective, Method::Mls, Method::Spring] {
        for integrator in [Integrator::ImplicitEuler, Integrator::Verlet, Integrator::Xpbd] {
            let name = format!("{} {}", method.name(), integrator.name());
            cases.push((name, resting(method, integrator, Lagrangian::Total)));
        }
    }
    let mut newton = resting(Method::Tet, Integrator::ImplicitEuler, Lagrangian::Total);
    newton.solver.newton_iterations = 5;
    cases.push(("newton".into(), newton));
    cases.push(("updated mls".into(), resting(Method::Mls, Integrator::ImplicitEuler, Lagrangian::Updated)));
    cases
}

/// Allocations in ten steps after some to warm up.
fn allocations(scene: &Scene, threads: usize) -> usize {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| {
        let mut simulation = AnySimulation::build(scene, Precision::F64).expect("a sound scene");
        let step = scene.solver.step;
        let mut run = |steps: usize| {
            for _ in 0..steps {
                simulation.step(step).expect("a sound step");
            }
        };
        run(20);
        let before = COUNT.load(SeqCst);
        run(10);
        COUNT.load(SeqCst) - before
    })
}

// One test: the counter is of the whole process, and the start of another test would be counted too.
#[test]
fn a_step_allocates_nothing_once_it_is_warm() {
    let mut offenders = Vec::new();
    for (name, scene) in cases() {
        for threads in [1, 2] {
            let count = allocations(&scene, threads);
            if count > 0 {
                offenders.push(format!("{name} on {threads} threads: {count}"));
            }
        }
    }
    assert!(offenders.is_empty(), "allocations in ten steps: {offenders:#?}");
}
