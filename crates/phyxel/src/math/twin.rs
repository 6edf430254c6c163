//! Two registers of four side by side.

use super::{Quad, Real};
use std::ops::{Add, Mul, Sub};

/// Two vectors of four numbers, such as two neighbours of a phyxel, worked on with one instruction where registers are wide
/// enough. Unlike [`Lanes`](super::Lanes) it lies where such a register can be read at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub struct Twin<R>(pub [R; 8]);

impl<R: Real> Twin<R> {
    /// All lanes zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Twin([R::zero(); 8])
    }

    /// One after the other.
    #[inline(always)]
    pub fn of(one: R::Quad, other: R::Quad) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (one.lanes(), other.lanes());
        Twin([a, b, c, d, e, f, g, h])
    }

    /// Each half filled with its own lane `k`.
    #[inline(always)]
    pub fn spread(self, k: usize) -> Self {
        let (a, b) = (self.0[k], self.0[4 + k]);
        Twin([a, a, a, a, b, b, b, b])
    }

    /// The sum of both halves.
    #[inline(always)]
    pub fn sum(self) -> [R; 4] {
        std::array::from_fn(|k| self.0[k] + self.0[4 + k])
    }
}

macro_rules! lanewise {
    ($op:ident, $f:ident) => {
        impl<R: Real> $op for Twin<R> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                let mut r = self;
                for i in 0..8 {
                    r.0[i] = self.0[i].$f(o.0[i]);
                }
                r
            }
        }
    };
}
lanewise!(Add, add);
lanewise!(Sub, sub);
lanewise!(Mul, mul);
