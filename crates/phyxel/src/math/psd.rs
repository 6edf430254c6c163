//! The nearest positive semi-definite matrix.

use super::jacobi::{diagonalise, largest};
use super::{Mat3, Real};

/// Projects a symmetric 9x9 matrix to the nearest positive semi-definite one; untouched if it is one to rounding.
pub fn project_psd_9<R: Real>(a: &mut [[R; 9]; 9]) {
    project_psd(a);
}

/// Projects a symmetric 3x3 matrix to the nearest positive semi-definite one; untouched if it is one to rounding.
pub fn project_psd_3<R: Real>(m: &mut Mat3<R>) {
    project_psd(&mut m.0);
}

/// Sets the negative eigenvalues to zero: the projection in the Frobenius norm (Higham 1988).
fn project_psd<R: Real, const N: usize>(a: &mut [[R; N]; N]) {
    let size = largest(a);
    if !size.is_finite() || is_psd_to_rounding(a, size) {
        return;
    }
    let mut diagonal = *a;
    let v = diagonalise(&mut diagonal);
    for i in 0..N {
        for j in 0..=i {
            let mut sum = R::zero();
            for k in 0..N {
                sum += diagonal[k][k].max(R::zero()) * v[i][k] * v[j][k];
            }
            a[i][j] = sum;
            a[j][i] = sum;
        }
    }
}

/// Whether Cholesky's method succeeds on `A + shift I`.
///
/// The shift of some roundings lets tangents pass that have zero eigenvalues (rotations at rest do not resist), which are
/// the usual case and would otherwise fall to either side by chance.
fn is_psd_to_rounding<R: Real, const N: usize>(a: &[[R; N]; N], size: R) -> bool {
    let shift = R::of(16.0) * R::EPSILON * size;
    let mut l = [[R::zero(); N]; N];
    for i in 0..N {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            if i > j {
                l[i][j] = sum / l[j][j];
            } else if sum + shift > R::zero() {
                l[i][i] = (sum + shift).sqrt();
            } else {
                // A zero matrix is positive semi-definite and has no shift to live on.
                return size == R::zero();
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::test_input::Numbers;

    /// `Σ values[k] q_k q_kᵀ` of a random orthogonal basis.
    fn with_eigenvalues(numbers: &mut Numbers, values: [f64; 9]) -> ([[f64; 9]; 9], [[f64; 9]; 9]) {
        let mut q = [[0.0; 9]; 9];
        for k in 0..9 {
            q[k] = std::array::from_fn(|_| numbers.uniform());
            for _ in 0..2 {
                for j in 0..k {
                    let along: f64 = (0..9).map(|i| q[k][i] * q[j][i]).sum();
                    for i in 0..9 {
                        q[k][i] -= along * q[j][i];
                    }
                }
            }
            let length = q[k].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[k] = q[k].map(|x| x / length);
        }
        let build = |values: [f64; 9]| -> [[f64; 9]; 9] {
            std::array::from_fn(|i| std::array::from_fn(|j| (0..9).map(|k| values[k] * q[k][i] * q[k][j]).sum()))
        };
        (build(values), build(values.map(|v| v.max(0.0))))
    }

    #[test]
    fn negative_eigenvalues_become_zero_and_the_rest_stays() {
        let mut numbers = Numbers::new(21);
        for size in [1e-20, 1.0, 1e20] {
            let values = [5.0, 3.0, 1.0, 1.0, 0.5, 0.0, -0.1, -2.0, -4.0].map(|v| v * size);
            let (a, expected) = with_eigenvalues(&mut numbers, values);
            let mut double = a;
            project_psd_9(&mut double);
            let mut single = a.map(|r| r.map(|x| x as f32));
            project_psd_9(&mut single);
            for i in 0..9 {
                for j in 0..9 {
                    assert!((double[i][j] - expected[i][j]).abs() < 1e-14 * size);
                    assert!((single[i][j] as f64 - expected[i][j]).abs() < 1e-5 * size);
                }
            }
        }
    }

    #[test]
    fn what_is_positive_stays_untouched() {
        let mut numbers = Numbers::new(22);
        // Three zeros, as in every tangent at rest.
        let (a, _) = with_eigenvalues(&mut numbers, [5.0, 4.0, 3.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let mut projected = a;
        project_psd_9(&mut projected);
        assert_eq!(projected, a);
        let mut zero = Mat3::<f32>::zero();
        project_psd_3(&mut zero);
        assert_eq!(zero, Mat3::zero());
    }

    #[test]
    fn three_by_three() {
        let q = Numbers::new(23).rotation();
        let mut m = q * Mat3::diagonal([2.0, 1.0, -3.0]) * q.transpose();
        project_psd_3(&mut m);
        assert!((m - q * Mat3::diagonal([2.0, 1.0, 0.0]) * q.transpose()).norm() < 1e-14);
    }
}
