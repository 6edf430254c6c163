//! Deformations that are the same everywhere: every method must give them exactly.

use super::rig::{Matrix, Rig, Vector, apply, judged, pins, points_of, statics};
use super::specimen::{METHODS, block, material, shaken};
use crate::{Options, Row};
use phyxel::Scene;
use phyxel::material::LawKind;
use phyxel::math::Mat3;
use phyxel::scene::{Body, Method};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const YOUNG: f64 = 1e6;
const NU: f64 = 0.25;

/// A unit cube with irregular nodes inside: four cells across, or 8³ phyxels.
fn cube(method: Method, law: LawKind, poisson_ratio: f64) -> Body {
    let cells = if method == Method::Mls { 7 } else { 4 };
    let geometry = block(method, [cells; 3], [0.0; 3], [1.0; 3], CubeSplit::Five);
    let geometry = shaken(geometry, 0.25 / cells as f64, 11);
    Body::new("cube", geometry, method, material(law, YOUNG, poisson_ratio))
}

fn cube_name(method: Method) -> &'static str {
    if method == Method::Mls { "8³ phyxels jittered by 1/4 spacing" } else { "4³ cells jittered by 1/4 cell" }
}

/// A cube whose boundary is moved to `F X`, the inside free to find its place.
fn driven(mut body: Body, gradient: Matrix, options: &Options) -> Scene {
    let outside = |p: Vector| p.iter().any(|c| *c < 1e-9 || *c > 1.0 - 1e-9);
    let rule = |p: Vector| outside(p).then(|| ([true; 3], apply(gradient, p)));
    body.pins = pins(points_of(&body.geometry), rule);
    let mut scene = statics(body, options);
    scene.solver.tolerance *= 0.1;
    scene
}

/// The patch test: a linear displacement of the boundary must arrive everywhere.
pub fn patch(options: &Options) -> Vec<Row> {
    let gradient = [[1e-3, 5e-4, 5e-4], [5e-4, 1e-3, 5e-4], [5e-4, 5e-4, 1e-3]];
    let mut rows = Vec::new();
    for method in [Method::Tet, Method::Edge, Method::Node, Method::Selective, Method::Mls] {
        let started = Instant::now();
        let mut rig = Rig::build(&driven(cube(method, LawKind::Linear, NU), gradient, options), options);
        rig.settle(1);
        let mut row = |quantity: &str, value: f64, reference: f64| {
            let row = Row::of("patch", method.name(), cube_name(method), started);
            rows.push(judged(row.quantity(quantity, value, reference), 1e-10, options));
        };
        // Selective smoothing has no stress of its own: shear and volume change live on different elements.
        if method != Method::Selective {
            let stresses: Vec<Matrix> = rig.stresses().iter().map(piola).collect();
            row("worst normal stress [Pa]", worst(&stresses, 2000.0, |i, j| i == j), 2000.0);
            row("worst shear stress [Pa]", worst(&stresses, 400.0, |i, j| i != j), 400.0);
        }
        row("energy [J]", rig.elastic_energy(), 3.6);
    }
    rows
}

/// First Piola–Kirchhoff stress, which for the linear law is the stress itself.
fn piola((f, cauchy): &(Matrix, Matrix)) -> Matrix {
    let f = Mat3(*f);
    (Mat3(*cauchy) * f.cofactor()).0
}

/// The component furthest from what it should be.
fn worst(stresses: &[Matrix], expected: f64, which: impl Fn(usize, usize) -> bool) -> f64 {
    let of_element = |s: &Matrix| {
        let picked = (0..9).map(|k| (k / 3, k % 3)).filter(|&(i, j)| which(i, j));
        picked.map(|(i, j)| s[i][j]).fold(expected, |a, b| further(expected, a, b))
    };
    stresses.iter().map(of_element).fold(expected, |a, b| further(expected, a, b))
}

fn further(expected: f64, a: f64, b: f64) -> f64 {
    let closer = (b - expected).abs() <= (a - expected).abs();
    if closer { a } else { b }
}

/// Stress and energy of a large deformation; the references are the laws' formulas evaluated by hand, with the rotation
/// from Higham's iteration.
pub fn finite_strain(options: &Options) -> Vec<Row> {
    let f = [[1.2, 0.1, 0.0], [0.05, 0.9, 0.2], [0.0, -0.1, 1.1]];
    let stvk = (LawKind::StVenantKirchhoff, [344400.0, 82850.0, 7600.0], 48815.9375);
    let corotated = (LawKind::Corotated, [249409.0505023, 62891.5080403, 2532.2475597], 40548.2628536);
    let mut rows = Vec::new();
    for (law, first_row, density) in [stvk, corotated] {
        for method in METHODS {
            let started = Instant::now();
            let mut rig = Rig::build(&statics(cube(method, law.clone(), NU), options), options);
            rig.displace(|p| apply(f, p));
            let stresses: Vec<Matrix> = rig.stresses().iter().map(piola).collect();
            let mut row = |quantity: &str, value: f64, reference: f64| {
                let row = Row::of("finite-strain", method.name(), law.name(), started);
                rows.push(judged(row.quantity(quantity, value, reference), 1e-8, options));
            };
            for (j, expected) in first_row.into_iter().enumerate() {
                let value = worst_of(stresses.iter().map(|s| s[0][j]), expected);
                row(&format!("P1{} [Pa]", j + 1), value, expected);
            }
            row("energy density [J/m³]", rig.elastic_energy(), density);
        }
    }
    rows
}

fn worst_of(values: impl Iterator<Item = f64>, expected: f64) -> f64 {
    values.fold(expected, |a, b| further(expected, a, b))
}

/// A rotated body has no stress, except under the linear law.
pub fn rigid(options: &Options) -> Vec<Row> {
    let laws = [
        LawKind::StVenantKirchhoff,
        LawKind::Anisotropic(Box::new(stiffness())),
        LawKind::Corotated,
        LawKind::NeoHookean,
    ];
    let mut rows = Vec::new();
    for method in [Method::Tet, Method::Edge, Method::Node, Method::Selective, Method::Mls] {
        for law in &laws {
            if method == Method::Selective && matches!(law, LawKind::Anisotropic(_)) {
                continue;
            }
            rows.push(largest_force(method, law, options));
        }
        if method != Method::Selective {
            rows.extend(turned_linear(method, options));
        }
    }
    rows
}

/// The largest force on a node at 1, 30, 90 and 170°, relative to Young's modulus times the area of a cell.
fn largest_force(method: Method, law: &LawKind, options: &Options) -> Row {
    let started = Instant::now();
    let mut rig = Rig::build(&statics(cube(method, law.clone(), NU), options), options);
    let mut largest = 0.0_f64;
    for degrees in [1.0, 30.0, 90.0, 170.0] {
        let turn = rotation(degrees);
        rig.displace(|p| apply(turn, p));
        largest = rig.forces().iter().flatten().fold(largest, |a, f| if f.abs() <= a { a } else { f.abs() });
    }
    let area = if method == Method::Mls { 1.0 / 49.0 } else { 1.0 / 16.0 };
    let row = Row::of("rigid", method.name(), format!("{}, 1 to 170°", law.name()), started);
    judged(row.quantity("largest force [N]", largest, 0.0).scaled_by(YOUNG * area), 1e-9, options)
}

/// What the linear law makes of 30°.
fn turned_linear(method: Method, options: &Options) -> [Row; 2] {
    let started = Instant::now();
    let mut rig = Rig::build(&statics(cube(method, LawKind::Linear, NU), options), options);
    let turn = rotation(30.0);
    rig.displace(|p| apply(turn, p));
    let expected = 1.6e6 * (30_f64.to_radians().cos() - 1.0);
    let stress = worst_of(rig.stresses().iter().map(|s| piola(s)[0][0]), expected);
    let row = || Row::of("rigid", method.name(), "linear, 30°", started);
    let density = expected * (30_f64.to_radians().cos() - 1.0);
    [
        judged(row().quantity("spurious stress xx [Pa]", stress, expected), 1e-9, options),
        judged(row().quantity("spurious energy density [J/m³]", rig.elastic_energy(), density), 1e-9, options),
    ]
}

/// About the z axis.
fn rotation(degrees: f64) -> Matrix {
    let (s, c) = degrees.to_radians().sin_cos();
    [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
}

/// An isotropic stiffness in Voigt order, with one axis twice as stiff.
fn stiffness() -> [[f64; 6]; 6] {
    let (lam, mu) = phyxel::material::lame(YOUNG, NU);
    let mut c = [[0.0; 6]; 6];
    for i in 0..3 {
        c[i][..3].fill(lam);
        c[i][i] += 2.0 * mu;
        c[i + 3][i + 3] = mu;
    }
    c[0][0] *= 2.0;
    c
}

/// Simple shear of the boundary.
pub fn shear(options: &Options) -> Vec<Row> {
    let gradient = [[0.0, 0.5, 0.0], [0.0; 3], [0.0; 3]];
    let mut rows = Vec::new();
    for (law, expected) in
        [(LawKind::NeoHookean, 1.923077e5), (LawKind::StVenantKirchhoff, 2.764423e5), (LawKind::Corotated, 2.066623e5)]
    {
        for method in METHODS {
            let started = Instant::now();
            let mut rig = Rig::build(&driven(cube(method, law.clone(), 0.3), gradient, options), options);
            rig.settle(4);
            let stress = worst_of(rig.stresses().iter().map(|(_, sigma)| sigma[0][1]), expected);
            let row = Row::of("shear", method.name(), format!("{}, g = 0.5", law.name()), started);
            rows.push(judged(row.quantity("worst Cauchy stress xy [Pa]", stress, expected), 1e-3, options));
        }
    }
    rows
}
