//! Two neighbours side by side in one register, where the processor has such wide ones.
//!
//! The compiler does not find these by itself in loops that spread lanes, and `unsafe` is not wanted: `pulp` hands out the
//! instructions to who shows that they are there. Products are not fused with sums, so that every processor finds the same bits.

use super::{Quad, Real};

/// How to work on two [`Quad`]s at once.
pub trait Registers<R: Real>: Copy {
    /// Two of them.
    type Two: Copy;
    /// Two zeros.
    fn zero(self) -> Self::Two;
    /// One beside the other.
    fn join(self, a: R::Quad, b: R::Quad) -> Self::Two;
    /// Each filled with a number of its own.
    fn fill(self, numbers: [R; 2]) -> Self::Two;
    /// Lane by lane.
    fn add(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// Lane by lane.
    fn sub(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// Lane by lane.
    fn mul(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// Each filled with its own first, second and third lane.
    fn spread(self, a: Self::Two) -> [Self::Two; 3];
    /// Both added up.
    fn sum(self, a: Self::Two) -> [R; 4];
}

/// Work that wants registers. Everything that it calls must be marked `#[inline(always)]`.
pub trait Registered<R: Real> {
    /// Does it.
    fn work<G: Registers<R>>(self, registers: G);
}

/// One after the other, on any processor.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl<R: Real> Registers<R> for Plain {
    type Two = [R::Quad; 2];
    #[inline(always)]
    fn zero(self) -> Self::Two {
        Default::default()
    }
    #[inline(always)]
    fn join(self, a: R::Quad, b: R::Quad) -> Self::Two {
        [a, b]
    }
    #[inline(always)]
    fn fill(self, [a, b]: [R; 2]) -> Self::Two {
        [Quad::splat(a), Quad::splat(b)]
    }
    #[inline(always)]
    fn add(self, a: Self::Two, b: Self::Two) -> Self::Two {
        [a[0] + b[0], a[1] + b[1]]
    }
    #[inline(always)]
    fn sub(self, a: Self::Two, b: Self::Two) -> Self::Two {
        [a[0] - b[0], a[1] - b[1]]
    }
    #[inline(always)]
    fn mul(self, a: Self::Two, b: Self::Two) -> Self::Two {
        [a[0] * b[0], a[1] * b[1]]
    }
    #[inline(always)]
    fn spread(self, a: Self::Two) -> [Self::Two; 3] {
        let (a, b) = (a[0].lanes(), a[1].lanes());
        [0, 1, 2].map(|k| [Quad::splat(a[k]), Quad::splat(b[k])])
    }
    #[inline(always)]
    fn sum(self, a: Self::Two) -> [R; 4] {
        (a[0] + a[1]).lanes()
    }
}

/// Does work with the registers that every processor has.
#[inline(always)]
pub fn plainly<R: Real>(work: impl Registered<R>) {
    let mut work = Some(work);
    crate::vectorised(
        #[inline(always)]
        || {
            if let Some(work) = work.take() {
                work.work(Plain);
            }
        },
    );
}

/// Does work in single precision with the widest registers at hand.
#[inline(always)]
pub fn widely(work: impl Registered<f32>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(avx::Wide { simd, work });
    }
    plainly(work);
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::{Registered, Registers};
    use pulp::x86::V3;
    use std::arch::x86_64::{__m128, __m256};

    /// Work in a place where these instructions may be used.
    pub struct Wide<W> {
        pub simd: V3,
        pub work: W,
    }

    impl<W: Registered<f32>> pulp::NullaryFnOnce for Wide<W> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            self.work.work(self.simd);
        }
    }

    #[inline(always)]
    fn register(quad: ::wide::f32x4) -> __m128 {
        pulp::cast(quad.to_array())
    }

    impl Registers<f32> for V3 {
        type Two = __m256;
        #[inline(always)]
        fn zero(self) -> __m256 {
            self.avx._mm256_setzero_ps()
        }
        #[inline(always)]
        fn join(self, a: ::wide::f32x4, b: ::wide::f32x4) -> __m256 {
            self.avx._mm256_insertf128_ps::<1>(self.avx._mm256_castps128_ps256(register(a)), register(b))
        }
        #[inline(always)]
        fn fill(self, [a, b]: [f32; 2]) -> __m256 {
            self.join(::wide::f32x4::splat(a), ::wide::f32x4::splat(b))
        }
        #[inline(always)]
        fn add(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_add_ps(a, b)
        }
        #[inline(always)]
        fn sub(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_sub_ps(a, b)
        }
        #[inline(always)]
        fn mul(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_mul_ps(a, b)
        }
        #[inline(always)]
        fn spread(self, a: __m256) -> [__m256; 3] {
            let avx = self.avx;
            [avx._mm256_permute_ps::<0x00>(a), avx._mm256_permute_ps::<0x55>(a), avx._mm256_permute_ps::<0xaa>(a)]
        }
        #[inline(always)]
        fn sum(self, a: __m256) -> [f32; 4] {
            let lanes: [f32; 8] = pulp::cast(a);
            std::array::from_fn(|k| lanes[k] + lanes[4 + k])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all instructions make of some numbers.
    struct Try<'a, R>(&'a mut Vec<R>);

    impl<R: Real> Registered<R> for Try<'_, R> {
        #[inline(always)]
        fn work<G: Registers<R>>(self, g: G) {
            let quad = |k: f64| Quad::new([0.1, 0.7, -1.3, 2.9].map(|x| R::of(x * k)));
            let (a, b) = (g.join(quad(1.0), quad(0.3)), g.join(quad(-0.7), quad(1.1)));
            let [x, y, z] = g.spread(a);
            let twos = [g.add(a, b), g.sub(a, b), g.mul(a, b), x, y, z, g.zero(), g.fill([R::of(0.4), R::of(3.1)])];
            for two in twos {
                // Against what cannot cancel, so that both halves show.
                self.0.extend(g.sum(two));
                self.0.extend(g.sum(g.mul(two, g.fill([R::of(1.7), R::of(-0.2)]))));
            }
        }
    }

    #[test]
    fn wide_registers_find_the_same_bits_as_narrow_ones() {
        let (mut wide, mut narrow) = (Vec::new(), Vec::new());
        widely(Try(&mut wide));
        plainly(Try::<f32>(&mut narrow));
        assert_eq!(wide, narrow);
        assert_eq!(wide.len(), 64);
        assert!(wide.iter().any(|x| *x != 0.0));
        let mut double = Vec::new();
        plainly(Try::<f64>(&mut double));
        assert!(wide.iter().zip(&double).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5));
    }
}
