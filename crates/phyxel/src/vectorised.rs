//! Loops compiled for the processor at hand, without naming its instructions.

/// Work to be compiled for the widest registers of the processor at hand. A `FnMut`, because a `FnOnce` is called
/// through a shim that is compiled for the narrowest.
struct Vectorised<F>(F);

impl<F: FnMut()> pulp::WithSimd for Vectorised<F> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        (self.0)();
    }
}

/// Does work with the widest registers of the processor at hand, as far as it is a closure marked `#[inline(always)]` that
/// calls nothing but such functions. Products are never fused with sums, so that every processor finds the same bits.
#[inline(always)]
pub fn vectorised(work: impl FnMut()) {
    pulp::Arch::new().dispatch(Vectorised(work));
}
