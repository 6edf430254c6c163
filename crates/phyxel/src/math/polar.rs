//! Rotation and stretch of a deformation.

use super::{Mat3, Real, svd};

/// `I + G = R (I + H)`: a rotation after a stretch, rotation-signed as in [`svd()`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polar<R> {
    /// The rotation `R`.
    pub rotation: Mat3<R>,
    /// The symmetric strain `H = S − I`, to full relative accuracy however small.
    pub strain: Mat3<R>,
}

/// Polar decomposition of `F = I + G`.
#[inline]
pub fn polar<R: Real>(g: &Mat3<R>) -> Polar<R> {
    near_rigid(g).unwrap_or_else(|| {
        let svd = svd(&(Mat3::identity() + *g));
        let strain = svd.v * Mat3::diagonal(svd.sigma.map(|s| s - R::one())) * svd.v.transpose();
        Polar { rotation: svd.rotation(), strain }
    })
}

/// The rotation of the rotation-signed polar decomposition of any finite `M`.
#[inline]
pub fn polar_rotation<R: Real>(m: &Mat3<R>) -> Mat3<R> {
    match near_rigid(&(*m - Mat3::identity())) {
        Some(polar) => polar.rotation,
        None => svd(m).rotation(),
    }
}

/// Green strain `E = ½ (G + Gᵀ + GᵀG)` of `F = I + G`.
#[inline(always)]
pub fn green_strain<S: super::Scalar>(g: &Mat3<S>) -> Mat3<S> {
    (*g + g.transpose() + g.transpose() * *g) * S::of(0.5)
}

/// The usual case, far cheaper than singular values: strain below a fifth, not inside out.
///
/// `S² = I + 2E` by Heron's iteration. It is written for `H = S − I`, `H ← (I + H)⁻¹ (E + ½ H²)`, which never adds the
/// one that would swallow the digits of a small strain. It is stable while the condition number of `S²` is below 9
/// (Higham 1986); here it is at most 2.4.
#[inline]
fn near_rigid<R: Real>(g: &Mat3<R>) -> Option<Polar<R>> {
    let e = green_strain(g);
    let f = Mat3::identity() + *g;
    if !(e.contract(&e) < R::of(0.04) && f.det() > R::zero()) {
        return None;
    }
    let half = R::of(0.5);
    let mut h = e - e * e * half;
    for _ in 0..6 {
        let next = ((Mat3::identity() + h).inverse()? * (e + h * h * half)).symmetric_part();
        let change = next - h;
        h = next;
        // The error after a step is half the square of the step.
        if change.contract(&change) <= R::EPSILON * R::of(0.25) * h.norm() {
            break;
        }
    }
    Some(Polar { rotation: f * (Mat3::identity() + h).inverse()?, strain: h })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::test_input::{Numbers, assert_rotation, difficult};

    fn quick_route_equals_singular_values<R: Real>() {
        let mut numbers = Numbers::new(11);
        let mut taken = 0;
        for i in 0..200 {
            let strain = numbers.matrix(if i % 2 == 0 { 0.1 } else { 1e-4 });
            let f = numbers.rotation() * (Mat3::identity() + strain.symmetric_part());
            let f: Mat3<R> = Mat3::of(f.0);
            let Some(quick) = near_rigid(&(f - Mat3::identity())) else { continue };
            taken += 1;
            let slow = svd(&f);
            let error = (quick.rotation - slow.rotation()).norm().to_f64();
            assert!(error < 20.0 * R::EPSILON.to_f64(), "{error:e}");
            assert_rotation(&quick.rotation, 20.0 * R::EPSILON.to_f64());
        }
        assert!(taken > 150, "the quick route was taken {taken} times");
    }

    #[test]
    fn the_quick_route_is_right_to_rounding() {
        quick_route_equals_singular_values::<f64>();
        quick_route_equals_singular_values::<f32>();
    }

    #[test]
    fn a_tiny_strain_keeps_its_digits_in_f32() {
        let mut numbers = Numbers::new(3);
        for size in [1e-3, 1e-6, 1e-9] {
            let g = numbers.matrix(size).to_f64();
            let (single, double) = (polar::<f32>(&Mat3::of(g)), polar::<f64>(&Mat3(g)));
            let error = (Mat3(single.strain.to_f64()) - double.strain).norm() / double.strain.norm();
            assert!(error < 1e-6, "strain {size:e}: relative error {error:e}");
        }
    }

    #[test]
    fn any_matrix_has_a_rotation() {
        for m in difficult() {
            assert_rotation(&polar_rotation::<f64>(&Mat3(m)), 1e-14);
            assert_rotation(&polar_rotation::<f32>(&Mat3::of(m)), 3e-6);
        }
    }

    #[test]
    fn the_parts_give_the_whole() {
        let mut numbers = Numbers::new(4);
        for size in [0.01, 0.3, 2.0] {
            for _ in 0..50 {
                let g = numbers.matrix(size);
                let Polar { rotation, strain } = polar(&g);
                let back = rotation * (Mat3::identity() + strain);
                assert!((back - g - Mat3::identity()).norm() < 1e-14 * (1.0 + size));
                assert!((strain - strain.transpose()).norm() < 1e-14 * (1.0 + size));
            }
        }
    }
}
