//! How large an explicit step may be: `2/ω_max`, from the largest eigenvalue of `M⁻¹ K` by Lanczos iteration.

use super::stretch::{self, Speeds};
use crate::material::Curvature;
use crate::material::plastic::{FROZEN, Inners};
use crate::math::cg::dot;
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::scene::Integrator;
use crate::state::State;
use crate::stencil::block::{BlockScratch, Stencils, TangentMix};
use crate::stencil::diagonal::Isotropic;

/// Lanczos iterations: enough for two digits of the largest eigenvalue on any mesh that was tried.
const ITERATIONS: usize = 32;
/// Part of the limit that is used: Lanczos comes from below, and stretched matter stiffens within a step.
pub const SAFETY: f64 = 0.9;
/// The same for matter that is taken to be stretched already.
const CLOSE: f64 = 0.97;

/// The vectors of Lanczos' iteration, kept between estimates.
#[derive(Clone, Debug, Default)]
pub struct Lanczos<R> {
    /// One over the square root of each mass.
    root: Vec<R>,
    q: Vec<Vec3<R>>,
    before: Vec<Vec3<R>>,
    image: Vec<Vec3<R>>,
    scaled: Vec<Vec3<R>>,
    /// Displacements of matter that is stretched.
    stretched: Vec<Vec3<R>>,
    /// Stiffness of each node against its own motion.
    own: Vec<Mat3<R>>,
    alphas: Vec<f64>,
    betas: Vec<f64>,
}

/// The largest stable step at displacements `u` [s], times [`SAFETY`]; infinite when nothing resists.
pub fn stable_step<R: Real>(
    model: &Model<R>,
    at: (&[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
    lanczos: &mut Lanczos<R>,
    integrator: Integrator,
) -> f64 {
    SAFETY * limit(model, at, scratch, lanczos, (integrator, None))
}

/// The same for matter that is stretched as far as blows may do it, without that safety; infinite where nothing is fast.
pub fn when_stretched<R: Real>(
    model: &Model<R>,
    state: &State<R>,
    speeds: &Speeds,
    scratch: &mut [BlockScratch<R>],
    lanczos: &mut Lanczos<R>,
    integrator: Integrator,
) -> f64 {
    if !speeds.stretch_something() {
        return f64::INFINITY;
    }
    let mut u = std::mem::take(&mut lanczos.stretched);
    stretch::displacements(model, state, speeds, &mut u);
    let limit = limit(model, (&u, state.inner(FROZEN)), scratch, lanczos, (integrator, None));
    lanczos.stretched = u;
    CLOSE * limit
}

/// The body that needs the smallest steps; for messages, so its cost is no matter.
pub fn stiffest_body<R: Real>(
    model: &Model<R>,
    at: (&[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
) -> String {
    let mut lanczos = Lanczos::default();
    let mut limits =
        (0..model.bodies.len()).map(|b| (limit(model, at, scratch, &mut lanczos, (Integrator::Verlet, Some(b))), b));
    let first = limits.next();
    let least = first.map(|first| limits.fold(first, |a, b| if b.0 < a.0 { b } else { a }));
    least.map_or(String::new(), |(_, b)| model.bodies[b].name.clone())
}

/// How stiff the stencils are that are rebuilt: the logarithm of the largest stiffness of a node against its own motion, over
/// its mass. Costs one pass over the stencils where an estimate costs 32, and tells when one is due.
pub fn stiffness_of_stencils<R: Real>(model: &Model<R>, lanczos: &mut Lanczos<R>) -> f64 {
    let own = &mut lanczos.own;
    own.clear();
    own.resize(model.node_count(), Mat3::zero());
    for block in model.blocks.iter().filter(|b| model.is_updated(b.body)) {
        if let Stencils::General(general) = &block.stencils {
            let volumes = &general.table.volumes;
            let alike = |e: usize| Isotropic { shear: volumes[e], ..Isotropic::default() };
            general.add_diagonal(alike, (R::one(), &[]), &mut Vec::new(), own);
        }
    }
    let largest = par::max(own.len(), 0.0, |n| (own[n].0[0][0] / model.masses[n]).to_f64());
    largest.max(f64::MIN_POSITIVE).ln()
}

/// What some integrators need beyond the limit of all: their regions of stability hold little of the imaginary axis.
fn own_limit(integrator: Integrator, omega: f64, decay: f64) -> f64 {
    match integrator {
        // |1 + h λ| ≤ 1 for λ² + decay λ + ω² = 0. Without damping no step is stable, however small.
        Integrator::ExplicitEuler if decay > 0.0 => decay / (omega * omega),
        Integrator::ExplicitEuler => 0.2 / omega,
        // |1 + z + z²/2| on the imaginary axis is 1 + |z|⁴/8: below a percent per step for the fastest wave.
        Integrator::Rk2 => 0.5 / omega,
        _ => f64::INFINITY,
    }
}

/// The limit of one body, or of all.
fn limit<R: Real>(
    model: &Model<R>,
    at: (&[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
    lanczos: &mut Lanczos<R>,
    (integrator, body): (Integrator, Option<usize>),
) -> f64 {
    let counts = |b: usize| body.is_none_or(|only| only == model.blocks[b].body);
    let elastic = |b: usize| counts(b).then_some(TangentMix { stiffness: R::one(), viscosity: R::zero() });
    let omega = lanczos.largest_eigenvalue(model, at, scratch, elastic).max(0.0).sqrt();
    let damped = model.blocks.iter().any(|b| b.is_damped());
    let mut decay = model.rayleigh_mass.iter().fold(0.0, |a, b| f64::max(a, b.to_f64()));
    if damped {
        let mix = |b: usize| TangentMix { stiffness: model.blocks[b].rayleigh_stiffness, viscosity: R::one() };
        decay += lanczos.largest_eigenvalue(model, at, scratch, |b| counts(b).then(|| mix(b))).max(0.0);
    }
    if omega == 0.0 && decay == 0.0 {
        return f64::INFINITY;
    }
    // x'' + decay x' + ω² x = 0 with the damping force evaluated explicitly: h² ω² + 2 h decay ≤ 4 keeps both roots
    // inside the unit circle; solved for h without cancellation.
    let h = 4.0 / (decay + (decay * decay + 4.0 * omega * omega).sqrt());
    h.min(own_limit(integrator, omega, decay))
}

impl<R: Real> Lanczos<R> {
    /// The largest eigenvalue of the blocks for which there is a mix.
    fn largest_eigenvalue(
        &mut self,
        model: &Model<R>,
        (u, inner): (&[Vec3<R>], Inners<'_, R>),
        scratch: &mut [BlockScratch<R>],
        mix: impl Fn(usize) -> Option<TangentMix<R>>,
    ) -> f64 {
        self.start(model);
        // Phyxels of a kernel multiply with stored tangents many times faster than they find them.
        for (k, (block, scratch)) in model.blocks.iter().zip(scratch.iter_mut()).enumerate() {
            if let (Some(mix), true) = (mix(k), block.is_of_kernel()) {
                block.refresh_tangents((u, inner.of(k)), mix, Curvature::Exact, scratch);
            }
        }
        let Lanczos { root, q, before, image, scaled, alphas, betas, .. } = self;
        for _ in 0..ITERATIONS.min(3 * root.len()) {
            par::for_each(scaled, |i, s| *s = q[i] * root[i]);
            image.fill(Vec3::zero());
            for (k, (block, scratch)) in model.blocks.iter().zip(scratch.iter_mut()).enumerate() {
                let Some(mix) = mix(k) else { continue };
                if block.is_of_kernel() {
                    block.add_product(&model.rest, scaled, mix.stiffness, scratch, image);
                } else {
                    let mix = (mix, Curvature::Exact);
                    block.add_product_on_the_fly(&model.rest, (u, scaled, inner.of(k)), mix, scratch, image);
                }
            }
            // The product came with a minus sign.
            par::for_each(image, |i, w| *w = -*w * root[i]);
            let alpha = dot(image, q);
            let last = R::of(betas.last().copied().unwrap_or(0.0));
            par::for_each(image, |i, w| *w = *w - q[i] * R::of(alpha) - before[i] * last);
            alphas.push(alpha);
            let beta = dot(image, image).sqrt();
            if beta <= 1e-12 * alpha.abs() || !beta.is_finite() {
                break;
            }
            betas.push(beta);
            std::mem::swap(before, q);
            std::mem::swap(q, image);
            let inverse = R::of(1.0 / beta);
            par::for_each(q, |_, q| *q = *q * inverse);
        }
        largest_of_tridiagonal(alphas, betas)
    }

    fn start(&mut self, model: &Model<R>) {
        let n = model.node_count();
        // Symmetrised: M^(-1/2) K M^(-1/2), so that Lanczos' three-term recurrence holds.
        self.root.resize(n, R::zero());
        par::for_each(&mut self.root, |i, root| *root = R::one() / model.masses[i].sqrt());
        for v in [&mut self.q, &mut self.before, &mut self.image, &mut self.scaled] {
            v.resize(n, Vec3::zero());
        }
        self.before.fill(Vec3::zero());
        par::for_each(&mut self.q, |i, q| *q = pseudo_random(i));
        normalise(&mut self.q);
        self.alphas.clear();
        self.betas.clear();
    }
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
