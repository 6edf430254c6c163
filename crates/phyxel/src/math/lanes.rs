//! Several numbers side by side, so that one formula works on several elements at once.

use super::{Mat3, Real, Scalar};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

impl<R: Real, const N: usize> Default for Lanes<R, N> {
    fn default() -> Self {
        Lanes([R::zero(); N])
    }
}

/// `N` numbers that are added and multiplied together; the compiler turns the loops into vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<R, const N: usize>(pub [R; N]);

macro_rules! lanewise {
    ($op:ident, $f:ident) => {
        impl<R: Real, const N: usize> $op for Lanes<R, N> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                let mut r = self.0;
                for i in 0..N {
                    r[i] = self.0[i].$f(o.0[i]);
                }
                Lanes(r)
            }
        }
    };
}
lanewise!(Add, add);
lanewise!(Sub, sub);
lanewise!(Mul, mul);

impl<R: Real, const N: usize> Lanes<R, N> {
    /// What a function makes of each.
    #[inline(always)]
    pub fn map(self, f: impl Fn(R) -> R) -> Self {
        let mut r = self.0;
        for x in &mut r {
            *x = f(*x);
        }
        Lanes(r)
    }
}

impl<R: Real, const N: usize> Mat3<Lanes<R, N>> {
    /// One of the matrices that lie side by side.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Mat3<R> {
        Mat3(std::array::from_fn(|r| std::array::from_fn(|c| self.0[r][c].0[lane])))
    }

    /// Puts a matrix in the place of one of them.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, one: &Mat3<R>) {
        for r in 0..3 {
            for c in 0..3 {
                self.0[r][c].0[lane] = one.0[r][c];
            }
        }
    }
}

impl<R: Real, const N: usize> Neg for Lanes<R, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let mut r = self.0;
        for x in &mut r {
            *x = -*x;
        }
        Lanes(r)
    }
}
impl<R: Real, const N: usize> AddAssign for Lanes<R, N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<R: Real, const N: usize> SubAssign for Lanes<R, N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<R: Real, const N: usize> Scalar for Lanes<R, N> {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Lanes([R::of(x); N])
    }
}
