//! Hooke's law on the logarithmic strain, with a return to von Mises' yield surface.
//!
//! In the frame of the singular values `F = U Σ Vᵀ` strain is `e = ln σ` and Kirchhoff's stress `τ = K tr(e) + 2 mu dev(e)`, so
//! the return is a scaling of `dev(e)` as in small strain (Simo 1992), and it is the minimiser of the incremental potential
//! `½ K tr² + q²/(6 mu) + κ Δα + ½ H Δα²`: Newton's method and its line search work on that as on any energy.

use crate::material::isotropic::pair;
use crate::material::{Constraint, Curvature, Spectrum, Tangent, isotropic};
use crate::math::{Mat3, Real, Svd, svd};

/// Below this stretch the logarithm goes on as a straight line, so that flat and inverted elements find back.
const LEAST_STRETCH: f64 = 0.1;

/// Size of `F Fᵀ − I` up to which the logarithm is a series, at a third of the cost of singular values.
pub(super) const MODERATE: f64 = 0.25;

/// The elastic constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hencky<R> {
    /// Resistance to change of volume [Pa].
    pub bulk: R,
    /// Shear modulus [Pa].
    pub mu: R,
}

/// Where flow begins and how it hardens during one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Surface<R> {
    /// Yield stress now [Pa].
    pub strength: R,
    /// Slope that the increment sees [Pa]: hardening, and more where there is little time to relax.
    pub slope: R,
}

/// The answer to a trial strain in principal directions, or to a small strain's deviator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Returned<R> {
    /// What is left of the deviator.
    pub ratio: R,
    /// Increment of the equivalent plastic strain.
    pub increment: R,
    /// Von Mises stress of the trial [Pa].
    pub trial: R,
    /// Factor of `s ⊗ s` in the tangent, negative or zero [1/Pa].
    pub softening: R,
}

impl<R: Real> Hencky<R> {
    /// Radial return of a deviator of trial von Mises stress `q`.
    #[inline]
    pub(super) fn return_to(&self, q: R, surface: Option<Surface<R>>) -> Returned<R> {
        let elastic = Returned { ratio: R::one(), increment: R::zero(), trial: q, softening: R::zero() };
        let Some(Surface { strength, slope }) = surface.filter(|s| q > s.strength) else { return elastic };
        let three_mu = R::of(3.0) * self.mu;
        let increment = (q - strength) / (three_mu + slope);
        let softening = -three_mu * three_mu * strength / ((three_mu + slope) * q * q * q);
        Returned { ratio: R::one() - three_mu * increment / q, increment, trial: q, softening }
    }

    /// Incremental potential [J/m³] of a volume change `trace` and a returned deviator.
    #[inline]
    pub(super) fn potential(&self, trace: R, returned: &Returned<R>, surface: Option<Surface<R>>) -> R {
        let half = R::of(0.5);
        let mut energy = half * self.bulk * trace * trace;
        if self.mu > R::zero() {
            let q = returned.trial * returned.ratio;
            energy += q * q / (R::of(6.0) * self.mu);
        }
        if let Some(Surface { strength, slope }) = surface {
            energy += returned.increment * (strength + half * slope * returned.increment);
        }
        energy
    }

    /// Energy per rest volume of the incremental step [J/m³].
    pub(super) fn energy(&self, g: Mat3<R>, surface: Option<Surface<R>>) -> R {
        if let Some(Moderate { trace, returned, .. }) = Moderate::of(self, &g, surface) {
            return self.potential(trace, &returned, surface);
        }
        let state = Principal::of(self, &g, surface);
        self.potential(state.trace, &state.returned, surface)
    }

    /// First Piola–Kirchhoff stress [Pa].
    pub(super) fn stress(&self, g: Mat3<R>, surface: Option<Surface<R>>) -> Mat3<R> {
        if let Some(Moderate { trace, deviator, returned }) = Moderate::of(self, &g, surface)
            && let Some(inverse) = (Mat3::identity() + g).inverse()
        {
            // P = τ F⁻ᵀ.
            let shear = (self.mu + self.mu) * returned.ratio;
            return (Mat3::scaled_identity(self.bulk * trace) + deviator * shear) * inverse.transpose();
        }
        let state = Principal::of(self, &g, surface);
        state.frame.compose(state.stress)
    }

    /// The algorithmic tangent [Pa].
    pub(super) fn tangent(&self, g: Mat3<R>, surface: Option<Surface<R>>, curvature: Curvature) -> Tangent<R> {
        let state = Principal::of(self, &g, surface);
        isotropic::tangent(&state.frame, state.spectrum(self), curvature)
    }

    /// `∂P/∂F : δF` [Pa].
    pub(super) fn change(
        &self,
        g: Mat3<R>,
        dg: &Mat3<R>,
        surface: Option<Surface<R>>,
        curvature: Curvature,
    ) -> Mat3<R> {
        let state = Principal::of(self, &g, surface);
        isotropic::change(&state.frame, state.spectrum(self), dg, curvature)
    }

    /// Form and size as springs, without flow.
    pub(super) fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let state = Principal::of(self, &g, None);
        let norm = dot(state.deviator, state.deviator).sqrt();
        let scale = if norm > R::zero() { R::one() / norm } else { R::zero() };
        let along = std::array::from_fn(|i| state.deviator[i] * scale * state.slope[i]);
        let form = Constraint { value: norm, gradient: state.frame.compose(along), modulus: self.mu + self.mu };
        let size = Constraint { value: state.trace, gradient: state.frame.compose(state.slope), modulus: self.bulk };
        [form, size, Constraint::none()]
    }

    /// Flow at `F = I + G`: what to multiply `F_p⁻¹` with from the right, less the identity, and the answer of the surface.
    pub(super) fn flow(&self, g: Mat3<R>, surface: Option<Surface<R>>) -> Option<(Mat3<R>, Returned<R>)> {
        // ½ ln(Fᵀ F), whose principal directions are those that the flow has.
        if let Some(Moderate { deviator, returned, .. }) = Moderate::of(self, &g.transpose(), surface) {
            let lost = R::one() - returned.ratio;
            return (returned.increment > R::zero()).then(|| (exp_m1(&(deviator * -lost)), returned));
        }
        let state = Principal::of(self, &g, surface);
        if state.returned.increment <= R::zero() {
            return None;
        }
        let lost = R::one() - state.returned.ratio;
        let factors = state.deviator.map(|d| (-lost * d).exp_m1());
        let v = state.frame.v;
        Some((v * Mat3::diagonal(factors) * v.transpose(), state.returned))
    }
}

/// The plastic part of stretches `sigma` of which the share `gamma` flows, at constant volume:
/// `(σ / (σ₀σ₁σ₂)^⅓)^gamma` (Bargteil et al. 2007, eq. 4). The return above is this with `gamma = 1 − ratio`.
pub fn isochoric_power<R: Real>(sigma: [R; 3], gamma: R) -> [R; 3] {
    let e = sigma.map(|s| s.ln());
    let mean = (e[0] + e[1] + e[2]) / R::of(3.0);
    e.map(|e| (gamma * (e - mean)).exp_m1() + R::one())
}

#[inline(always)]
fn dot<R: Real>(a: [R; 3], b: [R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A trial deformation whose logarithmic strain is moderate.
struct Moderate<R> {
    trace: R,
    deviator: Mat3<R>,
    returned: Returned<R>,
}

impl<R: Real> Moderate<R> {
    /// With the strain `½ ln(F Fᵀ)` at `F = I + G`; none where that is large.
    #[inline]
    fn of(law: &Hencky<R>, g: &Mat3<R>, surface: Option<Surface<R>>) -> Option<Self> {
        let strain = log_strain(g)?;
        let trace = strain.trace();
        let deviator = strain - Mat3::scaled_identity(trace * R::of(1.0 / 3.0));
        let q = law.mu * (R::of(6.0) * deviator.contract(&deviator)).sqrt();
        Some(Moderate { trace, deviator, returned: law.return_to(q, surface) })
    }
}

/// How many terms of a series are wanted: for single precision, and for double.
#[inline]
pub(super) fn terms<R: Real>(single: usize, double: usize) -> usize {
    if R::EPSILON.to_f64() > 1e-10 { single } else { double }
}

/// `½ ln b = artanh Z` with `b = F Fᵀ`, `F = I + G` and `Z = (b − I) (b + I)⁻¹`, of which `|Z|` is at most a seventh.
#[inline]
fn log_strain<R: Real>(g: &Mat3<R>) -> Option<Mat3<R>> {
    let excess = *g + g.transpose() + *g * g.transpose();
    let moderate = excess.contract(&excess) < R::of(MODERATE * MODERATE);
    let inverse = if moderate { (excess + Mat3::scaled_identity(R::of(2.0))).inverse()? } else { return None };
    let z = (excess * inverse).symmetric_part();
    let square = z * z;
    let last = terms::<R>(4, 9) - 1;
    let odd = |k: usize| Mat3::scaled_identity(R::one() / R::of((2 * k + 1) as f64));
    let sum = (0..last).rev().fold(odd(last), |sum, k| odd(k) + square * sum);
    Some((z * sum).symmetric_part())
}

/// `exp X − I` of a symmetric matrix that is at most as large as moderate strains are.
fn exp_m1<R: Real>(x: &Mat3<R>) -> Mat3<R> {
    let last = terms::<R>(7, 14);
    // X (1 + X/2 (1 + X/3 (…))).
    let sum =
        (2..=last).rev().fold(Mat3::identity(), |sum, k| Mat3::identity() + *x * sum * (R::one() / R::of(k as f64)));
    (*x * sum).symmetric_part()
}

/// `∛ε`: closer stretches are taken for equal in quotients of differences.
#[inline]
fn close<R: Real>() -> R {
    R::of(if R::EPSILON.to_f64() > 1e-10 { 4.921_566_5e-3 } else { 6.055_454_452_393_343e-6 })
}

/// A trial deformation in its principal directions.
struct Principal<R> {
    frame: Svd<R>,
    trace: R,
    deviator: [R; 3],
    /// `∂e/∂σ` and its derivative.
    slope: [R; 3],
    bend: [R; 3],
    returned: Returned<R>,
    tau: [R; 3],
    /// `∂W/∂σ`.
    stress: [R; 3],
}

impl<R: Real> Principal<R> {
    fn of(law: &Hencky<R>, g: &Mat3<R>, surface: Option<Surface<R>>) -> Self {
        let frame = svd(&(Mat3::identity() + *g));
        let least = R::of(LEAST_STRETCH);
        let steep = R::one() / least;
        let (mut e, mut slope, mut bend) = ([R::zero(); 3], [steep; 3], [R::zero(); 3]);
        for i in 0..3 {
            let s = frame.sigma[i];
            if s >= least {
                slope[i] = R::one() / s;
                bend[i] = -slope[i] * slope[i];
                e[i] = s.ln();
            } else {
                e[i] = least.ln() + (s - least) * steep;
            }
        }
        let trace = e[0] + e[1] + e[2];
        let deviator = e.map(|e| e - trace / R::of(3.0));
        let q = law.mu * (R::of(6.0) * dot(deviator, deviator)).sqrt();
        let returned = law.return_to(q, surface);
        let shear = (law.mu + law.mu) * returned.ratio;
        let tau = deviator.map(|d| law.bulk * trace + shear * d);
        let stress = std::array::from_fn(|i| tau[i] * slope[i]);
        Principal { frame, trace, deviator, slope, bend, returned, tau, stress }
    }

    /// Second derivatives of the incremental potential by the singular values.
    fn spectrum(&self, law: &Hencky<R>) -> Spectrum<R> {
        let two_mu = law.mu + law.mu;
        let shear = two_mu * self.returned.ratio;
        let third = R::of(1.0 / 3.0);
        let mut block = Mat3::zero();
        for i in 0..3 {
            for j in 0..3 {
                let alike = if i == j { shear } else { R::zero() };
                let along = self.returned.softening * two_mu * two_mu * self.deviator[i] * self.deviator[j];
                block.0[i][j] = (law.bulk - shear * third + alike + along) * self.slope[i] * self.slope[j];
            }
            block.0[i][i] += self.tau[i] * self.bend[i];
        }
        let (mut twist, mut flip) = ([R::zero(); 3], [R::zero(); 3]);
        for k in 0..3 {
            let (i, j) = pair(k);
            let (a, b) = (self.frame.sigma[i], self.frame.sigma[j]);
            twist[k] = (self.stress[i] + self.stress[j]) / (a + b).max(R::of(1e-5));
            let close = close::<R>() * (a.abs() + b.abs());
            flip[k] = if (a - b).abs() > close {
                (self.stress[i] - self.stress[j]) / (a - b)
            } else {
                R::of(0.5) * (block.0[i][i] + block.0[j][j]) - block.0[i][j]
            };
        }
        Spectrum { block, twist, flip }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::test_input::Numbers;

    #[test]
    fn series_and_singular_values_agree_on_moderate_strains() {
        let law = Hencky { bulk: 3.0, mu: 2.0 };
        let mut numbers = Numbers::new(11);
        let mut moderate = 0;
        for k in 0..400 {
            let stretch = Mat3::diagonal([1.0, 0.97, 1.02].map(|s: f64| 1.0 + (s - 1.0) * f64::from(k % 40) * 0.1));
            let (turn, frame) = (numbers.rotation(), numbers.rotation());
            let g = turn * frame * stretch * frame.transpose() - Mat3::identity();
            for surface in [None, Some(Surface { strength: 0.05, slope: 0.3 })] {
                let Some(found) = Moderate::of(&law, &g, surface) else { continue };
                moderate += 1;
                let exact = Principal::of(&law, &g, surface);
                let energy = law.potential(exact.trace, &exact.returned, surface);
                assert!((found.trace - exact.trace).abs() < 1e-14);
                assert!((found.returned.ratio - exact.returned.ratio).abs() < 1e-10, "{k}");
                assert!((law.energy(g, surface) - energy).abs() < 1e-13);
                assert!((law.stress(g, surface) - exact.frame.compose(exact.stress)).norm() < 1e-13);
                if let Some((flow, _)) = law.flow(g, surface) {
                    let lost = 1.0 - exact.returned.ratio;
                    let v = exact.frame.v;
                    let expected = Mat3::diagonal(exact.deviator.map(|d| (-lost * d).exp_m1()));
                    assert!((flow - v * expected * v.transpose()).norm() < 1e-13);
                }
                let single = Hencky { bulk: 3.0f32, mu: 2.0 };
                let stress = single.stress(Mat3::of(g.0), None);
                let exact = Principal::of(&law, &Mat3::of(g.0.map(|r| r.map(|x| f64::from(x as f32)))), None);
                assert!(
                    (Mat3::of(stress.0.map(|r| r.map(f64::from))) - exact.frame.compose(exact.stress)).norm() < 3e-6
                );
            }
        }
        assert!(moderate > 300, "only {moderate} strains were moderate");
        assert!(Moderate::of(&law, &Mat3::scaled_identity(f64::NAN), None).is_none());
        assert!((close::<f32>().to_f64() - f64::from(f32::EPSILON).cbrt()).abs() < 1e-9);
        assert!((close::<f64>() - f64::EPSILON.cbrt()).abs() < 1e-15);
    }
}
