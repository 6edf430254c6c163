//! Singular values of 3x3 matrices, signed so that both factors are rotations.

use super::{Mat3, Real, Vec3};

/// `M = U diag(sigma) Vᵀ` with `det U = det V = +1` and `sigma[0] ≥ sigma[1] ≥ |sigma[2]|`.
///
/// The last singular value carries the sign of `det M`: an element turned inside out has a negative one, and a law
/// written in `sigma` pushes it back through flatness (Irving, Teran, Fedkiw 2004).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd<R> {
    /// Left rotation.
    pub u: Mat3<R>,
    /// Singular values, the last one signed.
    pub sigma: [R; 3],
    /// Right rotation.
    pub v: Mat3<R>,
}

impl<R: Real> Svd<R> {
    /// The rotation `U Vᵀ` of the polar decomposition.
    #[inline]
    pub fn rotation(&self) -> Mat3<R> {
        self.u * self.v.transpose()
    }
    /// `U diag(d) Vᵀ`.
    #[inline]
    pub fn compose(&self, d: [R; 3]) -> Mat3<R> {
        self.u * Mat3::diagonal(d) * self.v.transpose()
    }
}

/// Rotations converge quadratically, so this is only a safeguard against cycling at the level of rounding.
const MAX_SWEEPS: usize = 16;

/// Rotation-signed singular value decomposition by one-sided Jacobi rotations of the columns (Hestenes 1958).
///
/// It never forms `MᵀM`, so small singular values keep the digits that squaring would lose. Any finite matrix is
/// welcome: rank-deficient ones get an arbitrary but proper rotation in the directions left open. A matrix with an entry
/// that is not finite gives `sigma` of NaN between unit rotations.
pub fn svd<R: Real>(m: &Mat3<R>) -> Svd<R> {
    let Some((unit, scale)) = to_unit_size(m) else {
        let sigma = if m.is_finite() { R::zero() } else { R::zero() / R::zero() };
        return Svd { u: Mat3::identity(), sigma: [sigma; 3], v: Mat3::identity() };
    };
    let mut b = [unit.column(0), unit.column(1), unit.column(2)];
    let axes = Mat3::identity();
    let mut v = [axes.column(0), axes.column(1), axes.column(2)];
    orthogonalise(&mut b, &mut v);
    sort_by_length(&mut b, &mut v);
    let (u, sigma) = left_factor(&b);
    Svd { u, sigma: sigma.map(|s| s * scale), v: Mat3::from_columns(v) }
}

/// `M / scale` with entries whose squares neither overflow nor vanish; `None` for zero and for infinite matrices.
/// Matrices of ordinary size stay as they are, unrounded.
#[inline]
fn to_unit_size<R: Real>(m: &Mat3<R>) -> Option<(Mat3<R>, R)> {
    let largest = m.0.iter().flatten().fold(R::zero(), |a, x| a.max(x.abs()));
    if largest > R::of(1e-4) && largest < R::of(1e4) && m.is_finite() {
        return Some((*m, R::one()));
    }
    let usable = m.is_finite() && (R::one() / largest).is_finite();
    usable.then(|| (Mat3(m.0.map(|row| row.map(|x| x / largest))), largest))
}

/// Rotates the columns of `B` until they are perpendicular, and `V` with them.
#[inline]
fn orthogonalise<R: Real>(b: &mut [Vec3<R>; 3], v: &mut [Vec3<R>; 3]) {
    for _ in 0..MAX_SWEEPS {
        // Bitwise or: all three pairs are visited, with indices that the compiler keeps in registers.
        if !(rotate_pair::<R, 0, 1>(b, v) | rotate_pair::<R, 0, 2>(b, v) | rotate_pair::<R, 1, 2>(b, v)) {
            return;
        }
    }
}

/// Makes columns `P` and `Q` perpendicular; false when they already are to rounding.
#[inline(always)]
fn rotate_pair<R: Real, const P: usize, const Q: usize>(b: &mut [Vec3<R>; 3], v: &mut [Vec3<R>; 3]) -> bool {
    let (alpha, beta, gamma) = (b[P].norm_squared(), b[Q].norm_squared(), b[P].dot(b[Q]));
    let tolerance = R::of(4.0) * R::EPSILON * R::EPSILON;
    if gamma * gamma <= tolerance * alpha * beta {
        return false;
    }
    let (difference, double) = (beta - alpha, gamma + gamma);
    let size = double / (difference.abs() + (difference * difference + double * double).sqrt());
    let tangent = if difference < R::zero() { -size } else { size };
    let cosine = R::one() / (R::one() + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for columns in [b, v] {
        let (x, y) = (columns[P], columns[Q]);
        columns[P] = x * cosine - y * sine;
        columns[Q] = x * sine + y * cosine;
    }
    true
}

/// Longest column first. A swap negates one column, so that `V` stays a rotation.
#[inline]
fn sort_by_length<R: Real>(b: &mut [Vec3<R>; 3], v: &mut [Vec3<R>; 3]) {
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if b[q].norm_squared() > b[p].norm_squared() {
            for columns in [&mut *b, &mut *v] {
                columns.swap(p, q);
                columns[q] = -columns[q];
            }
        }
    }
}

/// `U` and the singular values from perpendicular columns, longest first.
#[inline]
fn left_factor<R: Real>(b: &[Vec3<R>; 3]) -> (Mat3<R>, [R; 3]) {
    let first = b[0].norm();
    let u0 = b[0] * (R::one() / first);
    // Perpendicular to rounding of |b0|, which is not enough where b1 is far shorter.
    let rest = b[1] - u0 * u0.dot(b[1]);
    let length = rest.norm();
    let (u1, second) = if length > R::EPSILON * R::EPSILON * first {
        (rest * (R::one() / length), length.min(first))
    } else {
        (any_perpendicular(u0), R::zero())
    };
    let u2 = u0.cross(u1);
    let third = u2.dot(b[2]).max(-second).min(second);
    (Mat3::from_columns([u0, u1, u2]), [first, second, third])
}

/// Some unit vector perpendicular to the unit vector `a`.
#[inline]
fn any_perpendicular<R: Real>(a: Vec3<R>) -> Vec3<R> {
    let [x, y, z] = a.0.map(|c| c.abs());
    let (o, i) = (R::zero(), R::one());
    let axis = if x <= y && x <= z {
        [i, o, o]
    } else if y <= z {
        [o, i, o]
    } else {
        [o, o, i]
    };
    a.cross(Vec3(axis)).normalized()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::test_input::{Numbers, assert_rotation, difficult};

    /// Every promise of [`svd`] on one matrix, to a tolerance relative to its size.
    fn check<R: Real>(m: Mat3<R>) {
        let Svd { u, sigma, v } = svd(&m);
        let tolerance = 20.0 * R::EPSILON.to_f64();
        assert_rotation(&u, tolerance);
        assert_rotation(&v, tolerance);
        assert!(sigma[0] >= sigma[1] && sigma[1] >= sigma[2].abs(), "{m:?}: {sigma:?}");
        let size = m.0.iter().flatten().fold(R::of(1e-37), |a, x| a.max(x.abs()));
        let unit = Mat3(m.0.map(|r| r.map(|x| x / size)));
        let back = u * Mat3::diagonal(sigma.map(|s| s / size)) * v.transpose();
        let error = (back - unit).norm().to_f64();
        assert!(error < tolerance, "{m:?}: {error:e}");
        let det = unit.det().to_f64();
        if det.abs() > 1e3 * tolerance {
            assert_eq!(det > 0.0, sigma[2] > R::zero(), "the sign of the determinant is lost");
        }
    }

    #[test]
    fn rebuilds_any_matrix_in_both_precisions() {
        for m in difficult() {
            check::<f64>(Mat3(m));
            check::<f32>(Mat3::of(m));
        }
    }

    #[test]
    fn small_singular_values_keep_their_digits() {
        // Squaring the matrix would leave nothing of 1e-9 beside 1 in f64.
        let mut numbers = Numbers::new(5);
        for _ in 0..50 {
            let (u, v) = (numbers.rotation(), numbers.rotation());
            let found = svd(&(u * Mat3::diagonal([1.0, 1e-5, 1e-9]) * v.transpose())).sigma;
            assert!((found[1] / 1e-5 - 1.0).abs() < 1e-9, "{found:?}");
            assert!((found[2] / 1e-9 - 1.0).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn what_is_not_finite_is_told_by_nan() {
        let found = svd(&Mat3::scaled_identity(f32::INFINITY));
        assert!(found.sigma.iter().all(|s| s.is_nan()));
        assert_eq!(found.u, Mat3::identity());
    }
}
