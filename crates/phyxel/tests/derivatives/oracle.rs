//! What the library must agree with, sharing no code with it: the energies as the papers print them, finite differences,
//! and eigenvalues from a linear algebra package.

use faer::{Mat, Side};

/// A plain 3x3 matrix.
pub type M = [[f64; 3]; 3];
/// A plain 9x9 matrix.
pub type M9 = [[f64; 9]; 9];

pub fn transpose(a: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

pub fn product(a: &M, b: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

pub fn squared(a: &M) -> f64 {
    a.iter().flatten().map(|x| x * x).sum()
}

pub fn det(f: &M) -> f64 {
    let minor = |i: usize, j: usize| f[1][i] * f[2][j] - f[1][j] * f[2][i];
    f[0][0] * minor(1, 2) - f[0][1] * minor(0, 2) + f[0][2] * minor(0, 1)
}

fn minus_one(a: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - if i == j { 1.0 } else { 0.0 }))
}

fn trace(a: &M) -> f64 {
    a[0][0] + a[1][1] + a[2][2]
}

fn green(f: &M) -> M {
    minus_one(&product(&transpose(f), f)).map(|row| row.map(|x| 0.5 * x))
}

fn hooke(lam: f64, mu: f64, strain: &M) -> f64 {
    mu * squared(strain) + 0.5 * lam * trace(strain).powi(2)
}

pub fn linear(lam: f64, mu: f64, f: &M) -> f64 {
    let strain = minus_one(&std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (f[i][j] + f[j][i]))));
    hooke(lam, mu, &strain)
}

pub fn stvk(lam: f64, mu: f64, f: &M) -> f64 {
    hooke(lam, mu, &green(f))
}

pub fn anisotropic(c: &[[f64; 6]; 6], f: &M) -> f64 {
    let e = green(f);
    let v = [e[0][0], e[1][1], e[2][2], 2.0 * e[1][2], 2.0 * e[2][0], 2.0 * e[0][1]];
    0.5 * (0..6).map(|a| (0..6).map(|b| v[a] * c[a][b] * v[b]).sum::<f64>()).sum::<f64>()
}

/// `max tr(RᵀF)` over rotations, the sum of the signed singular values: the largest eigenvalue of Davenport's matrix of
/// quaternions (Horn 1987).
fn signed_stretch(f: &M) -> f64 {
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = *f;
    let k = [
        [xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, xx - yy - zz, xy + yx, zx + xz],
        [xz - zx, xy + yx, yy - xx - zz, yz + zy],
        [yx - xy, zx + xz, yz + zy, zz - xx - yy],
    ];
    *eigenvalues(&k).last().unwrap()
}

/// `mu ‖F − R‖² + ½ lam tr(RᵀF − I)²`, both through `tr(RᵀF)`.
pub fn corotated(lam: f64, mu: f64, f: &M) -> f64 {
    let stretch = signed_stretch(f);
    mu * (squared(f) - 2.0 * stretch + 3.0) + 0.5 * lam * (stretch - 3.0).powi(2)
}

pub fn neo_hookean(lam: f64, mu: f64, f: &M) -> f64 {
    let j = det(f);
    0.5 * mu * (squared(f) - 3.0) - mu * (j - 1.0) + 0.5 * (lam + mu) * (j - 1.0).powi(2)
}

pub fn volume(stiffness: f64, f: &M) -> f64 {
    0.5 * stiffness * (det(f) - 1.0).powi(2)
}

pub fn fibre(modulus: f64, f: &M) -> f64 {
    0.5 * modulus * (squared(f).sqrt() - 1.0).powi(2)
}

/// `∂D/∂Ḟ` of this is the viscous stress.
pub fn dissipation(shear: f64, bulk: f64, f: &M, rate: &M) -> f64 {
    let product = product(&transpose(f), rate);
    let strain_rate = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (product[i][j] + product[j][i])));
    hooke(bulk, shear, &strain_rate)
}

/// Central differences of fourth order by entry `(i, j)` of the argument.
pub fn difference<const N: usize>(f: &M, i: usize, j: usize, value: impl Fn(&M) -> [f64; N]) -> [f64; N] {
    const STEP: f64 = 4e-4;
    let at = |steps: f64| {
        let mut moved = *f;
        moved[i][j] += steps * STEP;
        value(&moved)
    };
    let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
    std::array::from_fn(|n| (8.0 * (c[n] - b[n]) - (d[n] - a[n])) / (12.0 * STEP))
}

/// The gradient of a number.
pub fn gradient(f: &M, value: impl Fn(&M) -> f64) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| difference(f, i, j, |f| [value(f)])[0]))
}

/// The derivative of a matrix: row `3i + j` holds entry `(i, j)`, column `3k + l` the direction `(k, l)`.
pub fn jacobian(f: &M, value: impl Fn(&M) -> M) -> M9 {
    let columns: M9 = std::array::from_fn(|b| {
        difference(f, b / 3, b % 3, |f| {
            let m = value(f);
            std::array::from_fn::<f64, 9, _>(|a| m[a / 3][a % 3])
        })
    });
    std::array::from_fn(|a| std::array::from_fn(|b| columns[b][a]))
}

/// Smallest first.
pub fn eigenvalues<const N: usize>(a: &[[f64; N]; N]) -> Vec<f64> {
    Mat::from_fn(N, N, |i, j| a[i][j]).self_adjoint_eigenvalues(Side::Lower).unwrap()
}

/// The nearest positive semi-definite matrix.
pub fn projected(a: &M9) -> M9 {
    let eigen = Mat::from_fn(9, 9, |i, j| 0.5 * (a[i][j] + a[j][i])).self_adjoint_eigen(Side::Lower).unwrap();
    let (u, s) = (eigen.U(), eigen.S().column_vector());
    std::array::from_fn(|i| std::array::from_fn(|j| (0..9).map(|k| u[(i, k)] * s[k].max(0.0) * u[(j, k)]).sum()))
}

pub fn norm9(a: &M9) -> f64 {
    a.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
}

pub fn minus9(a: &M9, b: &M9) -> M9 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - b[i][j]))
}
