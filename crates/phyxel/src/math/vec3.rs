//! Vectors of three.

use super::{Real, Scalar};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// A vector of three numbers, laid out as a plain array.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(transparent)]
pub struct Vec3<S>(pub [S; 3]);

impl<S: Scalar> Vec3<S> {
    /// From components.
    #[inline(always)]
    pub fn new(x: S, y: S, z: S) -> Self {
        Vec3([x, y, z])
    }
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Vec3([S::zero(); 3])
    }
    /// From `f64` components, rounded.
    #[inline(always)]
    pub fn of(v: [f64; 3]) -> Self {
        Vec3(v.map(S::of))
    }
    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> S {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }
    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Vec3([b * z - c * y, c * x - a * z, a * y - b * x])
    }
    /// Squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> S {
        self.dot(self)
    }
}

impl<R: Real> Vec3<R> {
    /// Length.
    #[inline(always)]
    pub fn norm(self) -> R {
        self.dot(self).sqrt()
    }
    /// Unit vector in this direction; zero stays zero.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let n = self.norm();
        if n > R::zero() { self * (R::one() / n) } else { self }
    }
    /// As `f64` components.
    #[inline(always)]
    pub fn to_f64(self) -> [f64; 3] {
        self.0.map(R::to_f64)
    }
    /// All components finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.0.iter().all(|c| c.is_finite())
    }
}

impl<S> Index<usize> for Vec3<S> {
    type Output = S;
    #[inline(always)]
    fn index(&self, i: usize) -> &S {
        &self.0[i]
    }
}
impl<S> IndexMut<usize> for Vec3<S> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut S {
        &mut self.0[i]
    }
}
impl<S: Scalar> Add for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Vec3([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}
impl<S: Scalar> Sub for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Vec3([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2]])
    }
}
impl<S: Scalar> Mul<S> for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: S) -> Self {
        Vec3([self.0[0] * s, self.0[1] * s, self.0[2] * s])
    }
}
impl<S: Scalar> Neg for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Vec3([-self.0[0], -self.0[1], -self.0[2]])
    }
}
impl<S: Scalar> AddAssign for Vec3<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<S: Scalar> SubAssign for Vec3<S> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
