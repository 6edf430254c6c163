//! Matrices of three by three.

use super::{Real, Scalar, Vec3};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A 3x3 matrix, row by row: `m.0[row][column]`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(transparent)]
pub struct Mat3<S>(pub [[S; 3]; 3]);

impl<S: Scalar> Mat3<S> {
    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Mat3([[S::zero(); 3]; 3])
    }
    /// The unit matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::scaled_identity(S::one())
    }
    /// `s I`.
    #[inline(always)]
    pub fn scaled_identity(s: S) -> Self {
        let o = S::zero();
        Mat3([[s, o, o], [o, s, o], [o, o, s]])
    }
    /// A diagonal matrix.
    #[inline(always)]
    pub fn diagonal(d: [S; 3]) -> Self {
        let o = S::zero();
        Mat3([[d[0], o, o], [o, d[1], o], [o, o, d[2]]])
    }
    /// From `f64` entries, rounded.
    #[inline(always)]
    pub fn of(m: [[f64; 3]; 3]) -> Self {
        Mat3(m.map(|r| r.map(S::of)))
    }
    /// From its columns.
    #[inline(always)]
    pub fn from_columns(c: [Vec3<S>; 3]) -> Self {
        Mat3([[c[0].0[0], c[1].0[0], c[2].0[0]], [c[0].0[1], c[1].0[1], c[2].0[1]], [c[0].0[2], c[1].0[2], c[2].0[2]]])
    }
    /// Column `j`.
    #[inline(always)]
    pub fn column(&self, j: usize) -> Vec3<S> {
        Vec3([self.0[0][j], self.0[1][j], self.0[2][j]])
    }
    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Vec3<S> {
        Vec3(self.0[i])
    }
    /// `a ⊗ b`, the matrix `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: Vec3<S>, b: Vec3<S>) -> Self {
        Mat3([(b * a.0[0]).0, (b * a.0[1]).0, (b * a.0[2]).0])
    }
    /// Transpose.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        let m = &self.0;
        Mat3([[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]])
    }
    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> S {
        self.0[0][0] + self.0[1][1] + self.0[2][2]
    }
    /// Determinant.
    #[inline(always)]
    pub fn det(&self) -> S {
        self.row(0).dot(self.row(1).cross(self.row(2)))
    }
    /// Cofactor matrix, `∂ det / ∂ M`; `det · M⁻ᵀ` where the inverse exists.
    #[inline(always)]
    pub fn cofactor(&self) -> Self {
        let (a, b, c) = (self.row(0), self.row(1), self.row(2));
        Mat3([b.cross(c).0, c.cross(a).0, a.cross(b).0])
    }
    /// `½ (M + Mᵀ)`.
    #[inline(always)]
    pub fn symmetric_part(&self) -> Self {
        (*self + self.transpose()) * S::of(0.5)
    }
    /// `M : N = Σ M_ij N_ij`.
    #[inline(always)]
    pub fn contract(&self, o: &Self) -> S {
        self.row(0).dot(o.row(0)) + self.row(1).dot(o.row(1)) + self.row(2).dot(o.row(2))
    }
    /// `Mᵀ v`.
    #[inline(always)]
    pub fn transpose_mul(&self, v: Vec3<S>) -> Vec3<S> {
        self.row(0) * v.0[0] + self.row(1) * v.0[1] + self.row(2) * v.0[2]
    }
}

impl<R: Real> Mat3<R> {
    /// Inverse by cofactors; `None` when the determinant is zero or not finite.
    #[inline]
    pub fn inverse(&self) -> Option<Self> {
        let det = self.det();
        let usable = det.is_finite() && det != R::zero();
        usable.then(|| self.cofactor().transpose() * (R::one() / det))
    }
    /// Frobenius norm.
    #[inline(always)]
    pub fn norm(&self) -> R {
        self.contract(self).sqrt()
    }
    /// All entries finite.
    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        self.0.iter().flatten().all(|c| c.is_finite())
    }
    /// As `f64` entries.
    #[inline(always)]
    pub fn to_f64(&self) -> [[f64; 3]; 3] {
        self.0.map(|r| r.map(R::to_f64))
    }
}

impl<S: Scalar> Add for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Mat3([(self.row(0) + o.row(0)).0, (self.row(1) + o.row(1)).0, (self.row(2) + o.row(2)).0])
    }
}
impl<S: Scalar> Sub for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Mat3([(self.row(0) - o.row(0)).0, (self.row(1) - o.row(1)).0, (self.row(2) - o.row(2)).0])
    }
}
impl<S: Scalar> Neg for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Mat3([(-self.row(0)).0, (-self.row(1)).0, (-self.row(2)).0])
    }
}
impl<S: Scalar> Mul<S> for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: S) -> Self {
        Mat3([(self.row(0) * s).0, (self.row(1) * s).0, (self.row(2) * s).0])
    }
}
impl<S: Scalar> Mul<Vec3<S>> for Mat3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn mul(self, v: Vec3<S>) -> Vec3<S> {
        Vec3([self.row(0).dot(v), self.row(1).dot(v), self.row(2).dot(v)])
    }
}
impl<S: Scalar> Mul for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Mat3([o.transpose_mul(self.row(0)).0, o.transpose_mul(self.row(1)).0, o.transpose_mul(self.row(2)).0])
    }
}
impl<S: Scalar> AddAssign for Mat3<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<S: Scalar> SubAssign for Mat3<S> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
