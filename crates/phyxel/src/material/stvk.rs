//! St. Venant–Kirchhoff: Hooke's law on Green's strain.

use super::isotropic::pair;
use super::{Constraint, Curvature, Law, Spectrum, Tangent, isotropic};
use crate::math::{Lanes, Mat3, Real, Scalar, Vec3, green_strain, svd};

/// `Ψ = mu E:E + ½ lam tr(E)²` with `E = ½ (FᵀF − I)`; `P = F S`, `S = 2 mu E + lam tr(E) I`.
///
/// Blind to rotation, but soft under compression: below 58 % of its length a bar loses its resistance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff<R> {
    /// Lamé's first constant [Pa].
    pub lam: R,
    /// Shear modulus [Pa].
    pub mu: R,
}

/// Second Piola–Kirchhoff stress of a Green strain.
#[inline(always)]
fn second_piola<S: Scalar>(lam: S, mu: S, e: Mat3<S>) -> Mat3<S> {
    e * (mu + mu) + Mat3::scaled_identity(lam * e.trace())
}

#[inline(always)]
fn stress<S: Scalar>(lam: S, mu: S, g: Mat3<S>) -> Mat3<S> {
    let s = second_piola(lam, mu, green_strain(&g));
    s + g * s
}

impl<R: Real> StVenantKirchhoff<R> {
    /// Second derivatives by the singular values.
    #[inline]
    fn derivatives(&self, sigma: [R; 3]) -> Spectrum<R> {
        let (mu, lam) = (self.mu, self.lam);
        let square = sigma.map(|s| s * s);
        let trace = (square[0] + square[1] + square[2] - R::of(3.0)) * R::of(0.5);
        let common = lam * trace - mu;
        let mut block = Mat3::outer(Vec3(sigma), Vec3(sigma)) * lam;
        let (mut twist, mut flip) = ([common; 3], [common; 3]);
        for k in 0..3 {
            block.0[k][k] += common + R::of(3.0) * mu * square[k];
            let (i, j) = pair(k);
            twist[k] += mu * (square[i] + square[j] - sigma[i] * sigma[j]);
            flip[k] += mu * (square[i] + square[j] + sigma[i] * sigma[j]);
        }
        Spectrum { block, twist, flip }
    }
}

impl<R: Real> Law<R> for StVenantKirchhoff<R> {
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let e = green_strain(&g);
        let trace = e.trace();
        self.mu * e.contract(&e) + R::of(0.5) * self.lam * trace * trace
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
        let f = Mat3::identity() + g;
        let strain_change = (f.transpose() * dg).symmetric_part();
        dg * second_piola(self.lam, self.mu, green_strain(&g)) + f * second_piola(self.lam, self.mu, strain_change)
    }

    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let (e, f) = (green_strain(&g), Mat3::identity() + g);
        [
            Constraint::norm(e, f * e, self.mu + self.mu),
            Constraint { value: e.trace(), gradient: f, modulus: self.lam },
            Constraint::none(),
        ]
    }

    #[inline]
    fn spectrum(&self, sigma: [R; 3]) -> Option<Spectrum<R>> {
        Some(self.derivatives(sigma))
    }
}
