//! Corotated elasticity: Hooke's law on the stretch, seen from the rotated element.

use super::isotropic::pair;
use super::{Constraint, Curvature, Law, Spectrum, Tangent, isotropic};
use crate::math::{Mat3, Polar, Real, polar, svd};

/// `Ψ = mu ‖F − R‖² + ½ lam tr(RᵀF − I)²` with `R` the rotation of the signed polar decomposition.
///
/// Linear in stretch and blind to rotation (Müller & Gross 2004); the sign pushes inverted elements back (Irving, Teran,
/// Fedkiw 2004).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotated<R> {
    /// Lamé's first constant [Pa].
    pub lam: R,
    /// Shear modulus [Pa].
    pub mu: R,
}

/// Where two signed singular values cancel, the rotation between their axes is arbitrary and the second derivative
/// infinite; nearer than this it is not followed.
const LEAST_SUM: f64 = 1e-5;

impl<R: Real> Corotated<R> {
    /// Second derivatives by the singular values.
    #[inline]
    fn derivatives(&self, sigma: [R; 3]) -> Spectrum<R> {
        let two_mu = self.mu + self.mu;
        let trace = sigma[0] + sigma[1] + sigma[2] - R::of(3.0);
        let mut block = Mat3([[self.lam; 3]; 3]);
        let mut twist = [two_mu; 3];
        for k in 0..3 {
            block.0[k][k] += two_mu;
            let (i, j) = pair(k);
            let sum = (sigma[i] + sigma[j]).max(R::of(LEAST_SUM));
            twist[k] += R::of(2.0) * (self.lam * trace - two_mu) / sum;
        }
        Spectrum { block, twist, flip: [two_mu; 3] }
    }
}

impl<R: Real> Law<R> for Corotated<R> {
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let h = polar(&g).strain;
        let trace = h.trace();
        self.mu * h.contract(&h) + R::of(0.5) * self.lam * trace * trace
    }

    /// `P = R (2 mu H + lam tr(H) I)` with the strain `H = RᵀF − I`: the same as `2 mu (F − R) + lam tr(RᵀF − I) R`, but
    /// without the difference `F − R` in which small strains would drown.
    #[inline]
    fn stress(&self, g: Mat3<R>) -> Mat3<R> {
        let Polar { rotation, strain } = polar(&g);
        rotation * (strain * (self.mu + self.mu) + Mat3::scaled_identity(self.lam * strain.trace()))
    }

    #[inline]
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        let frame = svd(&(Mat3::identity() + g));
        isotropic::tangent(&frame, self.derivatives(frame.sigma), curvature)
    }

    #[inline]
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        let frame = svd(&(Mat3::identity() + g));
        isotropic::change(&frame, self.derivatives(frame.sigma), &dg, curvature)
    }

    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let Polar { rotation, strain } = polar(&g);
        [
            Constraint::norm(strain, rotation * strain, self.mu + self.mu),
            Constraint { value: strain.trace(), gradient: rotation, modulus: self.lam },
            Constraint::none(),
        ]
    }

    #[inline]
    fn spectrum(&self, sigma: [R; 3]) -> Option<Spectrum<R>> {
        Some(self.derivatives(sigma))
    }
}
