//! Numbers: what the engine needs of `f32`, `f64` and of several of them side by side.

use super::registers::{Registered, plainly, widely};
use crate::model::BuildError;
use crate::scene::Scene;
use crate::solver::Built;
use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Anything that adds and multiplies like a number: `f32`, `f64`, or [`Lanes`](super::Lanes) of them.
///
/// Formulas without branches are written against this trait, so that the same source runs on one element
/// and on several at once.
pub trait Scalar:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The nearest value to `x`.
    fn of(x: f64) -> Self;
    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }
    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::of(1.0)
    }
}

/// Four numbers in one register: a vector of three and a spare.
///
/// The loops over neighbours work on these; plain arrays would be cut down to three lanes, which no instruction has.
pub trait Quad<R>:
    Copy + Debug + Default + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// From its lanes.
    fn new(lanes: [R; 4]) -> Self;
    /// The same number in all lanes.
    fn splat(x: R) -> Self;
    /// Its lanes.
    fn lanes(self) -> [R; 4];
}

macro_rules! quad {
    ($t:ty, $wide:ty) => {
        impl Quad<$t> for $wide {
            #[inline(always)]
            fn new(lanes: [$t; 4]) -> Self {
                <$wide>::new(lanes)
            }
            #[inline(always)]
            fn splat(x: $t) -> Self {
                <$wide>::splat(x)
            }
            #[inline(always)]
            fn lanes(self) -> [$t; 4] {
                self.to_array()
            }
        }
    };
}
quad!(f32, wide::f32x4);
quad!(f64, wide::f64x4);

/// A single floating-point number, `f32` or `f64`; the precision of a simulation.
pub trait Real: Scalar + Div<Output = Self> + PartialOrd + Default + Display {
    /// Four of them in one register.
    type Quad: Quad<Self>;
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The type's name as users write it: `f32` or `f64`.
    const NAME: &'static str;
    /// As `f64`.
    fn to_f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// `e^x − 1`, to full relative accuracy however small.
    fn exp_m1(self) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;
    /// The smaller of two.
    fn min(self, other: Self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The bits, widened; for hashing.
    fn bits(self) -> u64;
    /// The number with these bits; the inverse of [`Real::bits`].
    fn from_bits(bits: u64) -> Self;
    /// Does work with the widest registers at hand.
    fn registered(work: impl Registered<Self>);
    /// Builds a scene and what moves it, in these numbers. Here, because this trait is where the precisions are
    /// listed one by one.
    #[doc(hidden)]
    fn engine(scene: &Scene) -> Result<Built<Self>, BuildError>;
}

macro_rules! real {
    ($t:ident, $bits:ident, $quad:ty, $registered:path, $build:path) => {
        impl Scalar for $t {
            #[inline(always)]
            fn of(x: f64) -> Self {
                x as $t
            }
        }
        impl Real for $t {
            type Quad = $quad;
            const EPSILON: Self = $t::EPSILON;
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $t::abs(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                $t::ln(self)
            }
            #[inline(always)]
            fn exp_m1(self) -> Self {
                $t::exp_m1(self)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                $t::max(self, other)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                $t::min(self, other)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits() as u64
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                $t::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn registered(work: impl Registered<Self>) {
                $registered(work);
            }
            fn engine(scene: &Scene) -> Result<Built<Self>, BuildError> {
                $build(scene)
            }
        }
    };
}
real!(f32, u32, wide::f32x4, widely, crate::solver::engine::build_single);
real!(f64, u64, wide::f64x4, plainly, crate::solver::engine::build);
