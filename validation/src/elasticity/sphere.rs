//! A thick spherical shell under pressure from within; one octant of it.

use super::rig::{Matrix, Rig, Vector, judged, pins, points_of, statics};
use super::specimen::{material, of_mesh, volume};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::math::{Mat3, Vec3};
use phyxel::scene::{Body, Load, LoadKind, Method, Region, Support};
use phyxel::shape::TetMesh;
use std::collections::BTreeMap;
use std::time::Instant;

const INNER: f64 = 1.0;
const OUTER: f64 = 2.0;
/// Triangles along an edge of the octant, and layers of prisms: 3 · 24² · 12 = 20 736 tetrahedra.
const ACROSS: usize = 24;
const LAYERS: usize = 12;

/// Displacements of both surfaces and the hoop stress inside.
pub fn sphere(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls] {
        let started = Instant::now();
        let mut rig = Rig::build(&statics(shell(method), options), options);
        rig.settle(1);
        let setting = match method {
            Method::Mls => "8125 phyxels, support 1.5 mean distances to 10 neighbours",
            _ => "20 736 tets",
        };
        let row = || Row::of("sphere", method.name(), setting, started);
        let u = rig.displacements();
        let outward = layer_means(&rig, |i| dot(u[i], unit(rig.points[i])));
        rows.push(judged(row().quantity("u(a) [m]", outward[0], 8e-4), 0.03, options));
        rows.push(judged(row().quantity("u(b) [m]", outward[LAYERS], 3e-4), 0.03, options));
        if method != Method::Selective {
            let centres = centres(method);
            let stresses = rig.stresses();
            let hoop = stresses.iter().zip(&centres).map(|((_, s), c)| (length(*c), hoop_stress(*s, unit(*c))));
            let value = on_surface(hoop.filter(|(r, _)| *r < 1.35));
            rows.push(judged(row().quantity("hoop stress at a [Pa]", value, 5.0 / 7.0), 0.03, options));
        }
    }
    rows
}

fn shell(method: Method) -> Body {
    let geometry = of_mesh(method, octant(), 0.08);
    let points = points_of(&geometry);
    let rule = |p: Vector| {
        let held = p.map(|c| c.abs() < 1e-9);
        held.contains(&true).then_some((held, [0.0; 3]))
    };
    let pins = pins(points, rule);
    let inside = (0..points.len() as u32).filter(|&i| Vec3(points[i as usize]).norm() < INNER + 1e-9);
    let region = Region::Nodes(inside.collect());
    let mut body = Body::new("shell", geometry, method, material(LawKind::Linear, 1000.0, 0.3));
    body.loads = vec![Load { region, kind: LoadKind::Pressure(1.0) }];
    body.pins = pins;
    // The spacing grows with the radius, and the support with it.
    body.mls.support = Support::Nearest { k: 10, factor: 1.5 };
    body
}

/// Radius of a layer of nodes: cells keep their shape from the inside to the outside.
fn radius(layer: usize) -> f64 {
    INNER * (OUTER / INNER).powf(layer as f64 / LAYERS as f64)
}

/// A triangle divided evenly, projected on spheres; the prisms between two of them are cut into three tetrahedra by
/// the order of their corners, which makes neighbours agree.
fn octant() -> TetMesh {
    let mut corners = Vec::new();
    for i in 0..=ACROSS {
        corners.extend((0..=ACROSS - i).map(|j| [i, j]));
    }
    let index = |i: usize, j: usize| (i * (2 * ACROSS + 3 - i) / 2 + j) as u32;
    let mut triangles = Vec::new();
    for i in 0..ACROSS {
        for j in 0..ACROSS - i {
            triangles.push([index(i, j), index(i + 1, j), index(i, j + 1)]);
            if i + j + 1 < ACROSS {
                triangles.push([index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)]);
            }
        }
    }
    let mut mesh = TetMesh::default();
    for layer in 0..=LAYERS {
        mesh.points.extend(corners.iter().map(|&[i, j]| {
            let flat = [i as f64, j as f64, (ACROSS - i - j) as f64];
            unit(flat).map(|c| c * radius(layer))
        }));
    }
    let size = corners.len() as u32;
    for layer in 0..LAYERS as u32 {
        for triangle in &triangles {
            let mut sorted = *triangle;
            sorted.sort_unstable();
            let [a, b, c] = sorted.map(|n| n + layer * size);
            let [d, e, f] = [a, b, c].map(|n| n + size);
            mesh.tets.extend([[a, b, c, f], [a, b, f, e], [a, e, f, d]]);
        }
    }
    orient(&mut mesh);
    mesh
}

fn orient(mesh: &mut TetMesh) {
    for k in 0..mesh.tets.len() {
        if volume(mesh, mesh.tets[k]) < 0.0 {
            mesh.tets[k].swap(2, 3);
        }
    }
}

/// The mean of a nodal quantity over every layer.
fn layer_means(rig: &Rig, of_node: impl Fn(usize) -> f64) -> Vec<f64> {
    let size = rig.points.len() / (LAYERS + 1);
    let mean = |layer: usize| (layer * size..(layer + 1) * size).map(&of_node).sum::<f64>() / size as f64;
    (0..=LAYERS).map(mean).collect()
}

/// Half the trace of the stress across the radius.
fn hoop_stress(s: Matrix, n: Vector) -> f64 {
    let radial: f64 = (0..3).map(|i| n[i] * dot(s[i], n)).sum();
    0.5 * (s[0][0] + s[1][1] + s[2][2] - radial)
}

/// The middle of every element: a tetrahedron, the tetrahedra around an edge, or a phyxel.
fn centres(method: Method) -> Vec<Vector> {
    let mesh = octant();
    match method {
        Method::Mls => mesh.points,
        Method::Edge => edge_centres(&mesh),
        _ => mesh.tets.iter().map(|tet| tet_centre(&mesh, *tet)).collect(),
    }
}

/// Edge-smoothed elements are ordered by the lower, then the higher node of their edge.
fn edge_centres(mesh: &TetMesh) -> Vec<Vector> {
    let mut sums: BTreeMap<[u32; 2], (Vec3<f64>, f64)> = BTreeMap::new();
    for tet in &mesh.tets {
        let (centre, share) = (Vec3(tet_centre(mesh, *tet)), volume(mesh, *tet));
        for (i, a) in tet.iter().enumerate() {
            for b in &tet[i + 1..] {
                let sum = sums.entry([*a.min(b), *a.max(b)]).or_default();
                *sum = (sum.0 + centre * share, sum.1 + share);
            }
        }
    }
    sums.values().map(|(sum, volume)| (*sum * (1.0 / volume)).0).collect()
}

fn tet_centre(mesh: &TetMesh, tet: [u32; 4]) -> Vector {
    let sum = tet.iter().fold(Vec3::zero(), |sum, &n| sum + Vec3(mesh.points[n as usize]));
    (sum * 0.25).0
}

/// The value at the inner surface of the parabola that fits `(radius, value)` best: no element has its middle there.
fn on_surface(samples: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut normal, mut right) = (Mat3::zero(), Vec3::zero());
    for (r, value) in samples {
        let powers = Vec3([1.0, r - INNER, (r - INNER).powi(2)]);
        normal += Mat3::outer(powers, powers);
        right += powers * value;
    }
    normal.inverse().map_or(f64::NAN, |inverse| (inverse * right)[0])
}

fn length(a: Vector) -> f64 {
    Vec3(a).norm()
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Vector) -> Vector {
    a.map(|c| c / length(a))
}
