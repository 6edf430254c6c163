//! Stable neo-Hookean matter: large stretches, and a way back from inversion.

use super::volume::{add_volume_spectrum, cofactor, cofactor_change, second_invariant, volume_change};
use super::{Constraint, Curvature, Law, Spectrum, Tangent, isotropic};
use crate::math::{Lanes, Mat3, Real, Scalar, svd};

/// `Ψ = ½ mu (tr FᵀF − 3) − mu (J − 1) + ½ (lam + mu) (J − 1)²`, `J = det F`.
///
/// Smith, de Goes, Kim 2018 without the logarithm, whose only use is a barrier at the point; `lam + mu` in the
/// place of their `lam` makes the constants agree with Hooke's at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean<R> {
    /// Lamé's first constant [Pa].
    pub lam: R,
    /// Shear modulus [Pa].
    pub mu: R,
}

/// `P = mu (F − cof F) + (lam + mu) (J − 1) cof F`; the unit parts of `F` and of its cofactor cancel on paper.
#[inline(always)]
fn stress<S: Scalar>(lam: S, mu: S, g: Mat3<S>) -> Mat3<S> {
    let shear = g + g.transpose() - Mat3::scaled_identity(g.trace()) - g.cofactor();
    shear * mu + cofactor(&g) * ((lam + mu) * volume_change(&g))
}

impl<R: Real> NeoHookean<R> {
    /// Second derivatives by the singular values.
    #[inline]
    fn derivatives(&self, sigma: [R; 3]) -> Spectrum<R> {
        let mu = self.mu;
        let mut spectrum = Spectrum { block: Mat3::scaled_identity(mu), twist: [mu; 3], flip: [mu; 3] };
        let modulus = self.lam + mu;
        let change = sigma[0] * sigma[1] * sigma[2] - R::one();
        add_volume_spectrum(&mut spectrum, sigma, modulus * change - mu, modulus);
        spectrum
    }
}

impl<R: Real> Law<R> for NeoHookean<R> {
    /// `½ (tr FᵀF − 3) − (J − 1) = |sym G|² − ½ tr² G − det G`: the terms of first order cancel on paper.
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let (strain, trace) = (g.symmetric_part(), g.trace());
        let shear = strain.contract(&strain) - R::of(0.5) * trace * trace - g.det();
        let change = trace + second_invariant(&g) + g.det();
        self.mu * shear + R::of(0.5) * (self.lam + self.mu) * change * change
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
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        let frame = svd(&(Mat3::identity() + g));
        isotropic::tangent(&frame, self.derivatives(frame.sigma), curvature)
    }

    #[inline]
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        if curvature == Curvature::Psd {
            let frame = svd(&(Mat3::identity() + g));
            return isotropic::change(&frame, self.derivatives(frame.sigma), &dg, curvature);
        }
        let (modulus, normal) = (self.lam + self.mu, cofactor(&g));
        let slope = modulus * volume_change(&g) - self.mu;
        let bend = cofactor_change(&(Mat3::identity() + g), &dg);
        dg * self.mu + normal * (modulus * normal.contract(&dg)) + bend * slope
    }

    /// After Macklin & Müller 2021: the shear part pulls to the point, and the volume constraint rests a little above
    /// one so that both balance at rest.
    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let (modulus, f) = (self.lam + self.mu, Mat3::identity() + g);
        let rest = if modulus == R::zero() { R::zero() } else { self.mu / modulus };
        [
            Constraint::norm(f, f, self.mu),
            Constraint { value: volume_change(&g) - rest, gradient: cofactor(&g), modulus },
            Constraint::none(),
        ]
    }

    #[inline]
    fn spectrum(&self, sigma: [R; 3]) -> Option<Spectrum<R>> {
        Some(self.derivatives(sigma))
    }
}
