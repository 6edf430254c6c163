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
        let state = Principal::of(self, &g, surface);
        self.potential(state.trace, &state.returned, surface)
    }

    /// First Piola–Kirchhoff stress [Pa].
    pub(super) fn stress(&self, g: Mat3<R>, surface: Option<Surface<R>>) -> Mat3<R> {
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
            let close = R::of(R::EPSILON.to_f64().cbrt()) * (a.abs() + b.abs());
            flip[k] = if (a - b).abs() > close {
                (self.stress[i] - self.stress[j]) / (a - b)
            } else {
                R::of(0.5) * (block.0[i][i] + block.0[j][j]) - block.0[i][j]
            };
        }
        Spectrum { block, twist, flip }
    }
}
