//! Conjugate gradients for three right-hand sides at once, preconditioned by the diagonal.

use super::system::System;
use crate::math::Vec3;

/// A direction with less curvature than this share of the diagonal's is one in which nothing can be corrected: the
/// body has too few free nodes. Solvable bodies have `(spacing / size)⁴`.
const FLAT: f64 = 1e-12;

/// Solves `S λ = wanted` for each component to a relative residual, or as far as the iterations reach; returns the
/// multipliers, `None` when there are none, and the number of iterations.
pub(super) fn solve(
    system: &System,
    wanted: &[Vec3<f64>],
    tolerance: f64,
    most: usize,
) -> (Option<Vec<Vec3<f64>>>, usize) {
    let diagonal = system.diagonal();
    let inverse: Vec<f64> = diagonal.iter().map(|d| if *d > 0.0 { 1.0 / d } else { 0.0 }).collect();
    let precondition = |r: &[Vec3<f64>]| -> Vec<Vec3<f64>> { r.iter().zip(&inverse).map(|(r, d)| *r * *d).collect() };
    let mut forces = vec![Vec3::zero(); system.entry_count()];
    let mut x = vec![Vec3::zero(); wanted.len()];
    let mut r = wanted.to_vec();
    let mut z = precondition(&r);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let goal = rz.map(|s| s * tolerance * tolerance);
    let mut iterations = 0;
    while iterations < most && (0..3).any(|c| rz[c] > goal[c]) {
        let sp = system.multiply(&p, &mut forces);
        let (curvature, scale) = (dot(&p, &sp), weighted_square(&p, &diagonal));
        if (0..3).any(|c| rz[c] > goal[c] && curvature[c] <= FLAT * scale[c]) {
            return (None, iterations);
        }
        let alpha = ratio(rz, curvature, rz, goal);
        for k in 0..x.len() {
            for c in 0..3 {
                x[k][c] += alpha[c] * p[k][c];
                r[k][c] -= alpha[c] * sp[k][c];
            }
        }
        z = precondition(&r);
        let next = dot(&r, &z);
        let beta = ratio(next, rz, rz, goal);
        for k in 0..p.len() {
            for c in 0..3 {
                p[k][c] = z[k][c] + beta[c] * p[k][c];
            }
        }
        rz = next;
        iterations += 1;
    }
    (Some(x), iterations)
}

/// Component by component; a component that has arrived stays where it is.
fn ratio(over: [f64; 3], under: [f64; 3], rz: [f64; 3], goal: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|c| if rz[c] > goal[c] && under[c] > 0.0 { over[c] / under[c] } else { 0.0 })
}

fn dot(a: &[Vec3<f64>], b: &[Vec3<f64>]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (a, b) in a.iter().zip(b) {
        for c in 0..3 {
            sum[c] += a[c] * b[c];
        }
    }
    sum
}

fn weighted_square(a: &[Vec3<f64>], weights: &[f64]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (a, w) in a.iter().zip(weights) {
        for c in 0..3 {
            sum[c] += w * a[c] * a[c];
        }
    }
    sum
}
