//! Change of volume, exact for small and for large deformations, and the term that resists it.

use super::isotropic::{self, pair};
use super::{Constraint, Curvature, Law, Spectrum, Tangent};
use crate::math::{Lanes, Mat3, Real, Scalar, project_psd_9, svd};

/// `det(I + G) − 1`, without the one that would swallow the digits of a small change.
#[inline(always)]
pub(super) fn volume_change<S: Scalar>(g: &Mat3<S>) -> S {
    g.trace() + second_invariant(g) + g.det()
}

/// Sum of the principal minors, `½ (tr² G − tr G²)`.
#[inline(always)]
pub(super) fn second_invariant<S: Scalar>(g: &Mat3<S>) -> S {
    let [[a, b, c], [d, e, f], [p, q, r]] = g.0;
    (a * e - b * d) + (e * r - f * q) + (r * a - c * p)
}

/// Cofactor matrix of `I + G`, the gradient of the determinant.
#[inline(always)]
pub(super) fn cofactor<S: Scalar>(g: &Mat3<S>) -> Mat3<S> {
    Mat3::scaled_identity(S::one() + g.trace()) - g.transpose() + g.cofactor()
}

/// Directional derivative of the cofactor matrix of `F`.
#[inline(always)]
pub(super) fn cofactor_change<S: Scalar>(f: &Mat3<S>, df: &Mat3<S>) -> Mat3<S> {
    let row = |b: usize, c: usize| (df.row(b).cross(f.row(c)) + f.row(b).cross(df.row(c))).0;
    Mat3([row(1, 2), row(2, 0), row(0, 1)])
}

/// Adds to `spectrum` the second derivatives of `φ(J)`, given `φ'` and `φ''`.
#[inline]
pub(super) fn add_volume_spectrum<R: Real>(spectrum: &mut Spectrum<R>, sigma: [R; 3], slope: R, curvature: R) {
    let area = [sigma[1] * sigma[2], sigma[2] * sigma[0], sigma[0] * sigma[1]];
    for k in 0..3 {
        let (i, j) = pair(k);
        let bend = slope * sigma[k];
        spectrum.block.0[k][k] += curvature * area[k] * area[k];
        spectrum.block.0[i][j] += bend + curvature * area[i] * area[j];
        spectrum.block.0[j][i] = spectrum.block.0[i][j];
        spectrum.twist[k] += bend;
        spectrum.flip[k] -= bend;
    }
}

/// A law with `½ k_v (det F − 1)²` added to its energy (Müller et al. 2004, eq. 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithVolume<L, R> {
    /// The law itself.
    pub law: L,
    /// `k_v` [Pa].
    pub stiffness: R,
}

/// Stress of the volume term alone.
#[inline(always)]
fn stress<S: Scalar>(stiffness: S, g: &Mat3<S>) -> Mat3<S> {
    cofactor(g) * (stiffness * volume_change(g))
}

impl<R: Real, L: Law<R>> Law<R> for WithVolume<L, R> {
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let change = volume_change(&g);
        self.law.energy(g) + R::of(0.5) * self.stiffness * change * change
    }

    #[inline(always)]
    fn stress(&self, g: Mat3<R>) -> Mat3<R> {
        self.law.stress(g) + stress(self.stiffness, &g)
    }

    #[inline(always)]
    fn stress_wide<const N: usize>(&self, g: Mat3<Lanes<R, N>>) -> Mat3<Lanes<R, N>> {
        self.law.stress_wide(g) + stress(Lanes([self.stiffness; N]), &g)
    }

    /// The sum is projected as a whole: the sum of two projections would be stiffer than it need be.
    #[inline]
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        let frame = svd(&(Mat3::identity() + g));
        if let Some(spectrum) = self.spectrum(frame.sigma) {
            return isotropic::tangent(&frame, spectrum, curvature);
        }
        let mut tangent = Tangent::from_changes(|dg| self.stress_change(g, dg, Curvature::Exact));
        if curvature == Curvature::Psd {
            project_psd_9(&mut tangent.0);
        }
        tangent
    }

    #[inline]
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        if curvature == Curvature::Psd {
            let frame = svd(&(Mat3::identity() + g));
            return match self.spectrum(frame.sigma) {
                Some(spectrum) => isotropic::change(&frame, spectrum, &dg, curvature),
                None => self.tangent(g, curvature).apply(&dg),
            };
        }
        let (change, normal) = (volume_change(&g), cofactor(&g));
        let volume = normal * normal.contract(&dg) + cofactor_change(&(Mat3::identity() + g), &dg) * change;
        self.law.stress_change(g, dg, curvature) + volume * self.stiffness
    }

    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let [form, size, _] = self.law.constraints(g);
        let volume = Constraint { value: volume_change(&g), gradient: cofactor(&g), modulus: self.stiffness };
        [form, size, volume]
    }

    #[inline]
    fn spectrum(&self, sigma: [R; 3]) -> Option<Spectrum<R>> {
        let mut spectrum = self.law.spectrum(sigma)?;
        let change = sigma[0] * sigma[1] * sigma[2] - R::one();
        add_volume_spectrum(&mut spectrum, sigma, self.stiffness * change, self.stiffness);
        Some(spectrum)
    }
}
