//! Strain-state plasticity, carried by `F_p`.
//!
//! The papers subtract a plastic strain from Green's strain, which is only meant for laws that are linear in it. Since
//! `E − E_p = F_pᵀ E_e F_p` with `E_e` the Green strain of `F_e = F F_p⁻¹`, the same rule on `E_e` serves every law, and no energy
//! is created: a share of `E_e` goes, and the law's energy with it.

use super::Grain;
use super::inner::share;
use crate::math::{Mat3, Real, eigen_symmetric, green_strain};

/// Norm of `F_p⁻¹` beyond which nothing is absorbed: matter that is pressed flat would otherwise forget more of its size in
/// every step, without end.
const MOST_SHRUNK: f64 = 10.0;

/// The constants of the rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrainRule<R> {
    pub yield_strain: R,
    pub relaxation: R,
    pub max_strain: R,
}

/// Which share of an elastic strain of this norm is kept after `dt`; one where it does not yield.
fn kept<R: Real>(rule: &StrainRule<R>, norm: R, grain: &Grain<R>, dt: R) -> R {
    let limit = rule.yield_strain * grain.strength;
    if norm <= limit {
        return R::one();
    }
    (R::one() - share(rule.relaxation, grain.fluidity, dt)).max(limit / norm)
}

/// Absorbs strain at `F_e = I + G_e` into the grain; returns how much of its norm went.
pub(super) fn absorb<R: Real>(rule: &StrainRule<R>, g: &Mat3<R>, grain: &mut Grain<R>, dt: R) -> R {
    let strain = green_strain(g);
    let norm = strain.norm();
    let keep = kept(rule, norm, grain, dt);
    if keep >= R::one() || !norm.is_finite() {
        return R::zero();
    }
    let (lambda, v) = eigen_symmetric(&strain);
    let flow_keeping = |keep: R| {
        // S⁻¹ S' − I with S² = I + 2 λ and S'² = I + 2 keep λ, without the difference of ones.
        let factors = lambda.map(|l| {
            let x = (keep - R::one()) * (l + l) / (R::one() + l + l).max(R::of(1e-6));
            x / (R::one() + (R::one() + x).max(R::zero()).sqrt())
        });
        v * Mat3::diagonal(factors) * v.transpose()
    };
    let at = |keep: R| grain.offset + flow_keeping(keep) + grain.offset * flow_keeping(keep);
    let keep = bounded(rule.max_strain, keep, |keep| plastic_strain(&at(keep)), plastic_strain(&grain.offset));
    let shrunk = |offset: Mat3<R>| (Mat3::identity() + offset).norm();
    let keep = bounded(R::of(MOST_SHRUNK), keep, |keep| shrunk(at(keep)), shrunk(grain.offset));
    grain.offset = at(keep);
    norm * (R::one() - keep)
}

/// The same where the law is linear and strains add up.
pub(super) fn absorb_small<R: Real>(rule: &StrainRule<R>, g: &Mat3<R>, grain: &mut Grain<R>, dt: R) -> R {
    let strain = g.symmetric_part();
    let norm = strain.norm();
    let keep = kept(rule, norm, grain, dt);
    if keep >= R::one() || !norm.is_finite() {
        return R::zero();
    }
    let at = |keep: R| grain.offset - strain * (R::one() - keep);
    let keep = bounded(rule.max_strain, keep, |keep| at(keep).norm(), grain.offset.norm());
    grain.offset = at(keep);
    norm * (R::one() - keep)
}

/// Norm of the plastic Green strain `½ (F_pᵀ F_p − I)`.
fn plastic_strain<R: Real>(offset: &Mat3<R>) -> R {
    match (Mat3::identity() + *offset).inverse() {
        Some(f) => ((f.transpose() * f - Mat3::identity()) * R::of(0.5)).norm(),
        None => R::of(f64::INFINITY),
    }
}

/// Keeps more where the plastic strain would grow beyond its bound. The papers scale it back instead, which would give energy
/// to the elastic part.
fn bounded<R: Real>(max_strain: R, keep: R, plastic: impl Fn(R) -> R, before: R) -> R {
    let bound = max_strain.max(before);
    if plastic(keep) <= bound {
        return keep;
    }
    let (mut low, mut high) = (keep, R::one());
    for _ in 0..30 {
        let middle = R::of(0.5) * (low + high);
        if plastic(middle) <= bound {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
