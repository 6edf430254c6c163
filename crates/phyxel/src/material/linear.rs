//! Hooke's law on the small strain.

use super::{Constraint, Curvature, Law, Tangent};
use crate::math::{Lanes, Mat3, Real, Scalar};

/// `Ψ = mu ε:ε + ½ lam tr(ε)²` with `ε = sym(F) − I` (Cauchy strain).
///
/// The cheapest law, with a constant tangent; a rotation by `φ` is taken for a strain of `1 − cos φ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear<R> {
    /// Lamé's first constant [Pa].
    pub lam: R,
    /// Shear modulus [Pa].
    pub mu: R,
}

#[inline(always)]
fn stress<S: Scalar>(lam: S, mu: S, g: Mat3<S>) -> Mat3<S> {
    (g + g.transpose()) * mu + Mat3::scaled_identity(lam * g.trace())
}

impl<R: Real> Linear<R> {
    /// The constants without what would give negative eigenvalues: `2 mu` against shear, `3 lam + 2 mu` against change
    /// of size.
    fn psd(&self) -> Self {
        let mu = self.mu.max(R::zero());
        let size = (R::of(3.0) * self.lam + R::of(2.0) * self.mu).max(R::zero());
        Linear { lam: (size - R::of(2.0) * mu) / R::of(3.0), mu }
    }
}

impl<R: Real> Law<R> for Linear<R> {
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let strain = g.symmetric_part();
        let trace = g.trace();
        self.mu * strain.contract(&strain) + R::of(0.5) * self.lam * trace * trace
    }

    #[inline(always)]
    fn stress(&self, g: Mat3<R>) -> Mat3<R> {
        stress(self.lam, self.mu, g)
    }

    #[inline(always)]
    fn stress_wide<const N: usize>(&self, g: Mat3<Lanes<R, N>>) -> Mat3<Lanes<R, N>> {
        stress(Lanes([self.lam; N]), Lanes([self.mu; N]), g)
    }

    #[inline]
    fn tangent(&self, _g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        Tangent::from_changes(|dg| self.stress_change(Mat3::zero(), dg, curvature))
    }

    #[inline]
    fn stress_change(&self, _g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        match curvature {
            Curvature::Exact => self.stress(dg),
            Curvature::Psd => self.psd().stress(dg),
        }
    }

    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let strain = g.symmetric_part();
        [
            Constraint::norm(strain, strain, self.mu + self.mu),
            Constraint { value: g.trace(), gradient: Mat3::identity(), modulus: self.lam },
            Constraint::none(),
        ]
    }
}
