//! A manufactured solution: errors must shrink with the square of the cell, those of gradients with the cell.

use super::rig::{Rig, Vector, judged, nodal_loads, pins, points_of, statics};
use super::specimen::{METHODS, block, material, volume};
use crate::{Options, Row};
use phyxel::material::{LawKind, lame};
use phyxel::scene::{Body, Method};
use phyxel::shape::TetMesh;
use phyxel::shape::structured::{CubeSplit, box_tets};
use std::f64::consts::PI;
use std::time::Instant;

const AMPLITUDE: f64 = 1e-3;
const NU: f64 = 0.3;

/// Relative errors of the displacement and of its gradient.
struct Errors {
    l2: f64,
    h1: f64,
}

/// Observed orders between 8 and 16 cells, and the errors of tetrahedra at 8.
pub fn convergence(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let (coarse, fine) = (errors(method, 8, options), errors(method, 16, options));
        let row = |setting: &str| Row::of("convergence", method.name(), setting, started);
        if method == Method::Tet {
            let l2 = row("n = 8").quantity("relative L2 error", coarse.l2, 5.047e-2);
            let h1 = row("n = 8").quantity("relative H1 error", coarse.h1, 2.504e-1);
            rows.extend([judged(l2, 0.01, options), judged(h1, 0.01, options)]);
        }
        let order = |a: f64, b: f64| (a / b).log2();
        let l2 = row("n = 8, 16").quantity("order in L2", order(coarse.l2, fine.l2), 2.0).scaled_by(1.0);
        let h1 = row("n = 8, 16").quantity("order in H1", order(coarse.h1, fine.h1), 1.0).scaled_by(1.0);
        rows.extend([judged(l2, 0.15, options), judged(h1, 0.15, options)]);
    }
    rows
}

fn errors(method: Method, n: usize, options: &Options) -> Errors {
    let split = CubeSplit::Six;
    let mesh = box_tets([n; 3], [0.0; 3], [1.0; 3], split).expect("a unit cube");
    let geometry = block(method, [n; 3], [0.0; 3], [1.0; 3], split);
    let outside = |p: Vector| p.iter().any(|c| *c < 1e-9 || *c > 1.0 - 1e-9);
    let pins = pins(points_of(&geometry), |p| outside(p).then_some(([true; 3], [0.0; 3])));
    let mut body = Body::new("cube", geometry, method, material(LawKind::Linear, 1.0, NU));
    body.pins = pins;
    body.loads = nodal_loads(&consistent_loads(&mesh));
    let mut rig = Rig::build(&statics(body, options), options);
    rig.settle(1);
    measure(&mesh, &rig.displacements())
}

/// The one displacement that all components have [m].
fn exact(p: Vector) -> f64 {
    AMPLITUDE * p.iter().map(|c| (PI * c).sin()).product::<f64>()
}

fn exact_gradient(p: Vector) -> Vector {
    let (s, c) = (p.map(|x| (PI * x).sin()), p.map(|x| (PI * x).cos()));
    [c[0] * s[1] * s[2], s[0] * c[1] * s[2], s[0] * s[1] * c[2]].map(|g| AMPLITUDE * PI * g)
}

/// `−div σ` [N/m³]: with `φ` in every component, `−(λ + μ) ∂_i Σ_j ∂_j φ − μ Δφ`.
fn body_force(p: Vector) -> Vector {
    let (lam, mu) = lame(1.0, NU);
    let (s, c) = (p.map(|x| (PI * x).sin()), p.map(|x| (PI * x).cos()));
    let second = AMPLITUDE * PI * PI;
    let phi = s[0] * s[1] * s[2];
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let mixed = -phi + c[i] * c[j] * s[k] + c[i] * c[k] * s[j];
        second * (3.0 * mu * phi - (lam + mu) * mixed)
    })
}

/// `∫ N_k b dV`, the same load for every method.
fn consistent_loads(mesh: &TetMesh) -> Vec<Vector> {
    let mut loads = vec![[0.0; 3]; mesh.points.len()];
    for tet in &mesh.tets {
        over_tet(mesh, *tet, |p, shares, weight| {
            let b = body_force(p);
            for (k, &n) in tet.iter().enumerate() {
                (0..3).for_each(|a| loads[n as usize][a] += weight * shares[k] * b[a]);
            }
        });
    }
    loads
}

/// Errors of the field that is linear between the nodes of the mesh.
fn measure(mesh: &TetMesh, u: &[Vector]) -> Errors {
    let (mut l2, mut l2_size, mut h1, mut h1_size) = (0.0, 0.0, 0.0, 0.0);
    for tet in &mesh.tets {
        let slopes = slopes(mesh, *tet, u);
        over_tet(mesh, *tet, |p, shares, weight| {
            let (phi, gradient) = (exact(p), exact_gradient(p));
            for a in 0..3 {
                let value: f64 = (0..4).map(|k| shares[k] * u[tet[k] as usize][a]).sum();
                l2 += weight * (value - phi).powi(2);
                l2_size += weight * phi.powi(2);
                for b in 0..3 {
                    h1 += weight * (slopes[a][b] - gradient[b]).powi(2);
                    h1_size += weight * gradient[b].powi(2);
                }
            }
        });
    }
    Errors { l2: (l2 / l2_size).sqrt(), h1: (h1 / h1_size).sqrt() }
}

/// The gradient of a linear field on one tetrahedron: `[component][direction]`.
fn slopes(mesh: &TetMesh, tet: [u32; 4], u: &[Vector]) -> [Vector; 3] {
    use phyxel::math::{Mat3, Vec3};
    let at = |k: usize| Vec3(mesh.points[tet[k] as usize]);
    let of = |k: usize| Vec3(u[tet[k] as usize]);
    let edges = Mat3::from_columns([at(1) - at(0), at(2) - at(0), at(3) - at(0)]);
    let changes = Mat3::from_columns([of(1) - of(0), of(2) - of(0), of(3) - of(0)]);
    (changes * edges.inverse().expect("sound cells")).0
}

/// Visits eight times four points of a tetrahedron: the four-point rule, exact for parabolas, on its eight halves.
fn over_tet(mesh: &TetMesh, tet: [u32; 4], mut visit: impl FnMut(Vector, [f64; 4], f64)) {
    let weight = volume(mesh, tet) / 32.0;
    for part in HALVES {
        for point in 0..4 {
            let mut shares = [0.0; 4];
            for (corner, [a, b]) in part.into_iter().enumerate() {
                let w = if corner == point { NEAR } else { FAR };
                shares[a] += 0.5 * w;
                shares[b] += 0.5 * w;
            }
            let at = |axis: usize| (0..4).map(|k| shares[k] * mesh.points[tet[k] as usize][axis]).sum();
            visit([at(0), at(1), at(2)], shares, weight);
        }
    }
}

const NEAR: f64 = 0.585_410_196_624_968_5;
const FAR: f64 = 0.138_196_601_125_010_5;

/// The eight equal parts of a tetrahedron; each corner is the middle between two of the whole's corners.
const HALVES: [[[usize; 2]; 4]; 8] = [
    [[0, 0], [0, 1], [0, 2], [0, 3]],
    [[1, 1], [0, 1], [1, 2], [1, 3]],
    [[2, 2], [0, 2], [1, 2], [2, 3]],
    [[3, 3], [0, 3], [1, 3], [2, 3]],
    [[0, 1], [2, 3], [0, 2], [1, 2]],
    [[0, 1], [2, 3], [1, 2], [1, 3]],
    [[0, 1], [2, 3], [1, 3], [0, 3]],
    [[0, 1], [2, 3], [0, 3], [0, 2]],
];
