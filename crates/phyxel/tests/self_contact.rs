//! Bodies that touch themselves: a folded sheet and a squeezed tube.

use phyxel::scene::{Body, Collider, ColliderShape, Integrator, Method, Motion, Scene, SolverSettings};
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::shape::{Geometry, Placement, Spring, SpringNet, TetMesh};
use phyxel::{Material, Simulation};
use std::f64::consts::{PI, TAU};

const SOLVERS: [Integrator; 2] = [Integrator::ImplicitEuler, Integrator::Xpbd];

fn by(integrator: Integrator) -> SolverSettings {
    SolverSettings { integrator, step: 1.0 / 120.0, substeps: 5, ..SolverSettings::default() }
}

const SPACING: f64 = 0.02;
const LENGTH: usize = 10;
const BEND: usize = 6;
const WIDTH: usize = 4;

/// A sheet folded once: `LENGTH` cells along the floor, a bend, and the same way back above it.
fn folded_sheet() -> SpringNet {
    let radius = BEND as f64 * SPACING / PI;
    let along = |i: usize| {
        let end = LENGTH as f64 * SPACING;
        if i <= LENGTH {
            [i as f64 * SPACING, 0.005]
        } else if i <= LENGTH + BEND {
            let angle = (i - LENGTH) as f64 * SPACING / radius;
            [end + radius * angle.sin(), 0.005 + radius * (1.0 - angle.cos())]
        } else {
            [end - (i - LENGTH - BEND) as f64 * SPACING, 0.005 + 2.0 * radius]
        }
    };
    let (rows, columns) = (2 * LENGTH + BEND + 1, WIDTH + 1);
    let node = |i: usize, k: usize| (i * columns + k) as u32;
    let mut net = SpringNet::default();
    for i in 0..rows {
        for k in 0..columns {
            let [x, y] = along(i);
            net.points.push([x, y, k as f64 * SPACING]);
            net.masses.push(1e-4);
        }
    }
    let mut join = |a: u32, b: u32| {
        let [p, q] = [a, b].map(|n| net.points[n as usize]);
        let rest_length = (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt();
        net.springs.push(Spring { nodes: [a, b], stiffness: 20.0, rest_length });
    };
    for i in 0..rows {
        for k in 0..columns {
            if i + 1 < rows {
                join(node(i, k), node(i + 1, k));
            }
            if k + 1 < columns {
                join(node(i, k), node(i, k + 1));
            }
            if i + 1 < rows && k + 1 < columns {
                join(node(i, k), node(i + 1, k + 1));
                join(node(i + 1, k), node(i, k + 1));
                net.triangles.push([node(i, k), node(i + 1, k), node(i + 1, k + 1)]);
                net.triangles.push([node(i, k), node(i + 1, k + 1), node(i, k + 1)]);
            }
        }
    }
    net
}

#[test]
fn the_upper_half_of_a_folded_sheet_comes_to_lie_on_the_lower_one() {
    for integrator in SOLVERS {
        let material = Material { rayleigh_mass: 2.0, rayleigh_stiffness: 2e-3, ..Material::default() };
        let mut sheet = Body::new("sheet", Geometry::Springs(folded_sheet()), Method::Spring, material);
        sheet.contact.self_contact = true;
        let floor = Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 });
        let scene = Scene { bodies: vec![sheet], colliders: vec![floor], solver: by(integrator), ..Scene::default() };
        let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
        let name = integrator.name();
        let height = |simulation: &Simulation<f64>, i: usize, k: usize| simulation.position(i * (WIDTH + 1) + k)[1];
        for frame in 1..=60 {
            simulation.advance_to(frame as f64 / 60.0).expect("it goes on");
            for i in 0..LENGTH - 1 {
                for k in 0..=WIDTH {
                    let (low, high) = (height(&simulation, i, k), height(&simulation, 2 * LENGTH + BEND - i, k));
                    assert!(high > low - 1e-5, "{name}, frame {frame}: passed by {} m at {i} {k}", low - high);
                }
            }
        }
        let upper = height(&simulation, 2 * LENGTH + BEND, WIDTH / 2);
        assert!(upper < 0.01, "{name}: it has fallen, {upper} m");
    }
}

const AROUND: usize = 24;
const ALONG: usize = 4;

/// A tube along z, its wall one cell thick.
fn tube(inner: f64, outer: f64, length: f64) -> TetMesh {
    let cells = [AROUND, 1, ALONG];
    let block = box_tets(cells, [0.0; 3], [1.0, 1.0, length], CubeSplit::Five).expect("a block");
    let around = |n: u32| {
        let [i, rest] = [n as usize % (AROUND + 1), n as usize / (AROUND + 1)];
        (rest * AROUND + i % AROUND) as u32
    };
    let mut points = vec![[0.0; 3]; block.points.len() / (AROUND + 1) * AROUND];
    for (n, p) in block.points.iter().enumerate() {
        let (angle, radius) = (TAU * p[0], inner + (outer - inner) * p[1]);
        points[around(n as u32) as usize] = [radius * angle.cos(), radius * angle.sin(), p[2]];
    }
    // Around the axis, what was right-handed is left-handed.
    let tets = block.tets.iter().map(|tet| tet.map(around)).map(|[a, b, c, d]| [a, b, d, c]).collect();
    TetMesh { points, tets }
}

#[test]
fn the_walls_of_a_squeezed_tube_meet_and_do_not_pass() {
    for integrator in SOLVERS {
        let (inner, outer) = (0.08, 0.1);
        let material =
            Material { young_modulus: 1e5, poisson_ratio: 0.3, rayleigh_stiffness: 5e-3, ..Material::default() };
        let mut body = Body::new("tube", Geometry::Tets(tube(inner, outer, 0.08)), Method::Tet, material);
        body.contact.self_contact = true;
        // From 21 cm apart to hardly more than two walls are thick.
        let plate = |side: f64| Collider {
            placement: Placement::at([0.0, side * 0.155, 0.04]),
            motion: Motion { keys: vec![(0.0, [0.0; 3]), (0.5, [0.0, -side * 0.084, 0.0])], ..Motion::default() },
            ..Collider::new(ColliderShape::Box { size: [0.6, 0.1, 0.3] })
        };
        let colliders = vec![plate(1.0), plate(-1.0)];
        let gravity = [0.0; 3];
        let scene = Scene { bodies: vec![body], colliders, gravity, solver: by(integrator), ..Scene::default() };
        let mut simulation = Simulation::<f64>::build(&scene).expect("it is sound");
        let name = integrator.name();
        let mut narrowest = f64::INFINITY;
        for frame in 1..=36 {
            simulation.advance_to(frame as f64 / 60.0).expect("it goes on");
            for k in 0..=ALONG {
                for i in 1..AROUND / 2 {
                    let height = |i: usize| simulation.position(2 * k * AROUND + i)[1];
                    let gap = height(i) - height(AROUND - i);
                    narrowest = narrowest.min(gap);
                    // In the creases at the sides the two nodes do not lie above each other; a wall is 2 cm thick.
                    let crease = i == 1 || i == AROUND / 2 - 1;
                    assert!(
                        gap > if crease { -1e-3 } else { -5e-4 },
                        "{name}, frame {frame}: passed by {} m at {i} {k}",
                        -gap
                    );
                }
            }
        }
        assert!(narrowest < 2e-3, "{name}: the walls met, {narrowest} m");
    }
}
