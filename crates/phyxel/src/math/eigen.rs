//! Symmetric 3x3 matrices: eigenvalues and pseudo-inverse.

use super::jacobi::diagonalise;
use super::{Mat3, Real};

/// Eigenvalues, largest first, and unit eigenvectors as the columns of a rotation.
///
/// `m` is taken to be symmetric: only rounding may tell its halves apart.
pub fn eigen_symmetric<R: Real>(m: &Mat3<R>) -> ([R; 3], Mat3<R>) {
    let mut a = m.0;
    let mut vectors = diagonalise(&mut a);
    let mut values = [a[0][0], a[1][1], a[2][2]];
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if values[q] > values[p] {
            values.swap(p, q);
            // Negating one column keeps the determinant at +1.
            for row in &mut vectors {
                (row[p], row[q]) = (row[q], -row[p]);
            }
        }
    }
    (values, Mat3(vectors))
}

/// Pseudo-inverse of a symmetric matrix, and how many directions were dropped.
///
/// A direction is dropped when its eigenvalue is not above `relative_cutoff` times the largest, in absolute value.
pub fn pseudo_inverse_symmetric<R: Real>(m: &Mat3<R>, relative_cutoff: R) -> (Mat3<R>, u32) {
    let (values, vectors) = eigen_symmetric(m);
    let largest = values[0].abs().max(values[2].abs());
    let mut dropped = 0;
    let inverse = values.map(|value| {
        let inverse = R::one() / value;
        if value.abs() > relative_cutoff * largest && inverse.is_finite() {
            inverse
        } else {
            dropped += 1;
            R::zero()
        }
    });
    (vectors * Mat3::diagonal(inverse) * vectors.transpose(), dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::test_input::{Numbers, assert_rotation, difficult};

    fn check<R: Real>(m: Mat3<R>) {
        let m = m.symmetric_part();
        let (values, vectors) = eigen_symmetric(&m);
        let tolerance = 20.0 * R::EPSILON.to_f64();
        assert_rotation(&vectors, tolerance);
        assert!(values[0] >= values[1] && values[1] >= values[2]);
        let size = m.0.iter().flatten().fold(R::of(1e-37), |a, x| a.max(x.abs()));
        let back = vectors * Mat3::diagonal(values.map(|v| v / size)) * vectors.transpose();
        let error = (back - Mat3(m.0.map(|r| r.map(|x| x / size)))).norm().to_f64();
        assert!(error < tolerance, "{m:?}: {error:e}");
    }

    #[test]
    fn rebuilds_any_symmetric_matrix_in_both_precisions() {
        for m in difficult() {
            check::<f64>(Mat3(m));
            check::<f32>(Mat3::of(m));
        }
    }

    #[test]
    fn known_eigenvalues() {
        let (values, _) = eigen_symmetric(&Mat3([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]));
        let expected = [2.0 + 2f64.sqrt(), 2.0, 2.0 - 2f64.sqrt()];
        for i in 0..3 {
            assert!((values[i] - expected[i]).abs() < 1e-15 * 4.0);
        }
    }

    #[test]
    fn pseudo_inverse_drops_the_flat_direction_and_counts_it() {
        let mut numbers = Numbers::new(9);
        let q = numbers.rotation();
        let m = q * Mat3::diagonal([4.0, 2.0, 1e-14]) * q.transpose();
        let (inverse, dropped) = pseudo_inverse_symmetric(&m, 1e-8);
        assert_eq!(dropped, 1);
        assert!((inverse - q * Mat3::diagonal([0.25, 0.5, 0.0]) * q.transpose()).norm() < 1e-14);
        assert_eq!(pseudo_inverse_symmetric(&Mat3::<f32>::zero(), 1e-6), (Mat3::zero(), 3));
        let full = q * Mat3::diagonal([3.0, 2.0, 1.0]) * q.transpose();
        let (inverse, dropped) = pseudo_inverse_symmetric(&full, 1e-8);
        assert_eq!(dropped, 0);
        assert!((inverse * full - Mat3::identity()).norm() < 1e-14);
    }
}
