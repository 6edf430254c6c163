//! Eigenvalues of small symmetric matrices of any size by Jacobi's rotations.

use super::Real;

/// Rotations converge quadratically, so this is only a safeguard.
const MAX_SWEEPS: usize = 24;

/// Turns the symmetric `a` into a diagonal matrix and returns the eigenvectors as columns, with determinant +1.
///
/// Entries enter only through ratios, so tiny and huge matrices need no scaling.
pub(super) fn diagonalise<R: Real, const N: usize>(a: &mut [[R; N]; N]) -> [[R; N]; N] {
    let mut v = [[R::zero(); N]; N];
    for i in 0..N {
        v[i][i] = R::one();
    }
    let negligible = R::of(0.1) * R::EPSILON * largest(a);
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q].abs() > negligible {
                    rotate(a, &mut v, p, q);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    v
}

/// Largest absolute entry.
pub(super) fn largest<R: Real, const N: usize>(a: &[[R; N]; N]) -> R {
    a.iter().flatten().fold(R::zero(), |m, x| m.max(x.abs()))
}

/// One rotation that makes `a[p][q]` zero (Golub & Van Loan, section 8.5.2).
fn rotate<R: Real, const N: usize>(a: &mut [[R; N]; N], v: &mut [[R; N]; N], p: usize, q: usize) {
    let apq = a[p][q];
    let theta = (a[q][q] - a[p][p]) / (apq + apq);
    let size = R::one() / (theta.abs() + (R::one() + theta * theta).sqrt());
    let tangent = if theta < R::zero() { -size } else { size };
    let cosine = R::one() / (R::one() + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    a[p][p] -= tangent * apq;
    a[q][q] += tangent * apq;
    a[p][q] = R::zero();
    a[q][p] = R::zero();
    for k in 0..N {
        if k != p && k != q {
            let (x, y) = (a[k][p], a[k][q]);
            a[k][p] = cosine * x - sine * y;
            a[k][q] = sine * x + cosine * y;
            a[p][k] = a[k][p];
            a[q][k] = a[k][q];
        }
        let (x, y) = (v[k][p], v[k][q]);
        v[k][p] = cosine * x - sine * y;
        v[k][q] = sine * x + cosine * y;
    }
}
