//! How large an explicit step may be: `2/ω_max`, from the largest eigenvalue of `M⁻¹ K` by Lanczos iteration.

use crate::math::cg::dot;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::stencil::block::{BlockScratch, TangentMix};

/// Lanczos iterations: enough for two digits of the largest eigenvalue on any mesh that was tried.
const ITERATIONS: usize = 32;
/// Part of the limit that is used: Lanczos comes from below, and stretched matter stiffens within a step.
pub const SAFETY: f64 = 0.9;

/// The largest stable step at displacements `u` [s], times [`SAFETY`]; infinite when nothing resists.
pub fn stable_step<R: Real>(model: &Model<R>, u: &[Vec3<R>], scratch: &mut [BlockScratch<R>]) -> f64 {
    let elastic = TangentMix { stiffness: R::one(), viscosity: R::zero() };
    let omega = largest_eigenvalue(model, u, scratch, |_| elastic).max(0.0).sqrt();
    let damped = model.blocks.iter().any(|b| b.is_damped());
    let mut decay = model.rayleigh_mass.iter().fold(0.0, |a, b| f64::max(a, b.to_f64()));
    if damped {
        let beta = |block: usize| TangentMix { stiffness: model.blocks[block].rayleigh_stiffness, viscosity: R::one() };
        decay += largest_eigenvalue(model, u, scratch, beta).max(0.0);
    }
    if omega == 0.0 && decay == 0.0 {
        return f64::INFINITY;
    }
    // x'' + decay x' + ω² x = 0 with the damping force evaluated explicitly: h² ω² + 2 h decay ≤ 4 keeps both roots
    // inside the unit circle; solved for h without cancellation.
    let h = 4.0 / (decay + (decay * decay + 4.0 * omega * omega).sqrt());
    SAFETY * h
}

fn largest_eigenvalue<R: Real>(
    model: &Model<R>,
    u: &[Vec3<R>],
    scratch: &mut [BlockScratch<R>],
    mix: impl Fn(usize) -> TangentMix<R>,
) -> f64 {
    // Symmetrised: M^(-1/2) K M^(-1/2), so that Lanczos' three-term recurrence holds.
    let root: Vec<R> = model.masses.iter().map(|m| R::one() / m.sqrt()).collect();
    let n = model.node_count();
    let mut q: Vec<Vec3<R>> = (0..n).map(pseudo_random).collect();
    let mut before = vec![Vec3::zero(); n];
    let mut image = vec![Vec3::zero(); n];
    let mut scaled = vec![Vec3::zero(); n];
    normalise(&mut q);
    let (mut alphas, mut betas) = (Vec::new(), Vec::new());
    for _ in 0..ITERATIONS.min(3 * n) {
        par::for_each(&mut scaled, |i, s| *s = q[i] * root[i]);
        image.fill(Vec3::zero());
        for (k, (block, scratch)) in model.blocks.iter().zip(scratch.iter_mut()).enumerate() {
            block.add_product_on_the_fly(&model.rest, (u, &scaled), mix(k), scratch, &mut image);
        }
        // The product came with a minus sign.
        par::for_each(&mut image, |i, w| *w = -*w * root[i]);
        let alpha = dot(&image, &q);
        let last = R::of(betas.last().copied().unwrap_or(0.0));
        par::for_each(&mut image, |i, w| *w = *w - q[i] * R::of(alpha) - before[i] * last);
        alphas.push(alpha);
        let beta = dot(&image, &image).sqrt();
        if beta <= 1e-12 * alpha.abs() || !beta.is_finite() {
            break;
        }
        betas.push(beta);
        std::mem::swap(&mut before, &mut q);
        std::mem::swap(&mut q, &mut image);
        let inverse = R::of(1.0 / beta);
        par::for_each(&mut q, |_, q| *q = *q * inverse);
    }
    largest_of_tridiagonal(&alphas, &betas)
}

/// A fixed start without symmetry, so that no eigenvector is missed by accident.
fn pseudo_random<R: Real>(i: usize) -> Vec3<R> {
    let mut bits = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        bits ^= bits >> 29;
        bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^= bits >> 32;
        (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    Vec3::of([next(), next(), next()])
}

fn normalise<R: Real>(q: &mut [Vec3<R>]) {
    let inverse = R::of(1.0 / dot(q, q).sqrt());
    par::for_each(q, |_, q| *q = *q * inverse);
}

/// Bisection on the number of negative pivots (Sturm's sequence).
fn largest_of_tridiagonal(alphas: &[f64], betas: &[f64]) -> f64 {
    let beta = |i: usize| betas.get(i).copied().unwrap_or(0.0);
    let radius = |i: usize| if i > 0 { beta(i - 1) } else { 0.0 } + if i + 1 < alphas.len() { beta(i) } else { 0.0 };
    let bound = |i: usize, sign: f64| alphas[i] + sign * radius(i);
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for i in 0..alphas.len() {
        low = low.max(alphas[i]);
        high = high.max(bound(i, 1.0));
    }
    let all_below = |x: f64| {
        let mut pivot = f64::INFINITY;
        (0..alphas.len()).all(|i| {
            let coupling = if i > 0 { beta(i - 1) * beta(i - 1) / pivot } else { 0.0 };
            pivot = alphas[i] - x - coupling;
            pivot < 0.0
        })
    };
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if all_below(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_of_a_chain_is_found() {
        // Eigenvalues of the discrete Laplacian: 2 − 2 cos(kπ/(n+1)).
        let n = 20;
        let exact = 2.0 - 2.0 * (n as f64 * std::f64::consts::PI / (n as f64 + 1.0)).cos();
        let found =
            largest_of_tridiagonal(&vec![2.0; n], &vec![-1.0; n - 1].iter().map(|b: &f64| b.abs()).collect::<Vec<_>>());
        assert!((found - exact).abs() < 1e-9, "{found} {exact}");
    }
}
