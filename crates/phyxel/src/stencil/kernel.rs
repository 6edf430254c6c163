//! Weight kernels of the meshless method.

use crate::math::Real;
use crate::scene::KernelKind;
use crate::vectorised;
use std::f64::consts::PI;

impl KernelKind {
    /// The weight at distance `r` of a kernel with support radius `h` [1/m³]; it integrates to one over the ball and is
    /// zero outside.
    pub fn weight<R: Real>(self, r: R, h: R) -> R {
        let norm = match self {
            KernelKind::Poly6 => 315.0 / (64.0 * PI),
            KernelKind::Cosine => 1.0 / (2.0 * PI * (1.0 / 3.0 - 2.0 / (PI * PI))),
        };
        let q = r / h;
        R::of(norm) * self.profile(q * q) / (h * h * h)
    }

    /// The kernel without its norm: 1 in the centre, 0 from `q = 1` on; `q_squared = (r/h)²`. Stencils need no
    /// more, and the norm `1/h³` could overflow single precision.
    #[inline(always)]
    pub fn profile<R: Real>(self, q_squared: R) -> R {
        let s = R::one() - q_squared;
        let inside = s > R::zero();
        if !inside {
            return R::zero();
        }
        match self {
            KernelKind::Poly6 => s * s * s,
            KernelKind::Cosine => cosine(q_squared),
        }
    }

    /// [`KernelKind::profile`] of many squares, in their places.
    pub fn profiles<R: Real>(self, squares: &mut [R]) {
        vectorised(
            #[inline(always)]
            || {
                if self == KernelKind::Cosine {
                    for q in squares.iter_mut() {
                        // Found for all and then chosen: several fit into one register.
                        let weight = cosine(*q);
                        *q = if R::one() - *q > R::zero() { weight } else { R::zero() };
                    }
                } else {
                    squares.iter_mut().for_each(|q| *q = self.profile(*q));
                }
            },
        );
    }
}

/// `(1 + cos(π q))/2` for `q² ≤ 1`: the series in `q²`, to rounding, which needs no square root.
#[inline(always)]
fn cosine<R: Real>(q_squared: R) -> R {
    let mut sum = R::zero();
    for c in COSINE {
        sum = sum * q_squared + R::of(c);
    }
    sum.max(R::zero())
}

/// Coefficients of the series, the highest power first: `(−π²)ᵏ / (2 (2k)!)`, and 1 for `k = 0`.
const COSINE: [f64; 15] = {
    let mut coefficients = [0.0; 15];
    let (mut term, mut k) = (0.5, 0);
    while k < 15 {
        coefficients[14 - k] = if k == 0 { 1.0 } else { term };
        term *= -PI * PI / ((2 * k + 1) * (2 * k + 2)) as f64;
        k += 1;
    }
    coefficients
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_integrate_to_one_over_their_ball() {
        let h: f64 = 0.7;
        for kernel in [KernelKind::Poly6, KernelKind::Cosine] {
            let n = 20_000;
            let dr = h / n as f64;
            let shell = |i: usize| {
                let r = (i as f64 + 0.5) * dr;
                4.0 * PI * r * r * dr * kernel.weight(r, h)
            };
            let integral: f64 = (0..n).map(shell).sum();
            assert!((integral - 1.0).abs() < 1e-7, "{kernel:?}: {integral}");
        }
    }

    #[test]
    fn the_series_is_the_cosine() {
        for i in 0..=1000 {
            let q = i as f64 * 1e-3;
            let exact = 0.5 * (1.0 + (PI * q).cos());
            assert!((KernelKind::Cosine.profile(q * q) - exact).abs() < 3e-15, "{q}");
            assert!((KernelKind::Cosine.profile((q * q) as f32) as f64 - exact).abs() < 4e-7, "{q}");
        }
    }

    #[test]
    fn many_at_once_are_what_each_is() {
        for kernel in [KernelKind::Poly6, KernelKind::Cosine] {
            let squares: Vec<f32> = (0..37).map(|i| i as f32 * 0.03).chain([f32::NAN, f32::INFINITY]).collect();
            let mut found = squares.clone();
            kernel.profiles(&mut found);
            assert!(squares.iter().zip(&found).all(|(q, w)| *w == kernel.profile(*q)), "{kernel:?}");
        }
    }

    #[test]
    fn poly6_is_the_printed_formula() {
        let (r, h) = (0.31_f64, 0.8_f64);
        let printed = 315.0 / (64.0 * PI * h.powi(9)) * (h * h - r * r).powi(3);
        assert!((KernelKind::Poly6.weight(r, h) - printed).abs() < 1e-14 * printed);
    }

    #[test]
    fn nothing_reaches_beyond_the_support() {
        for kernel in [KernelKind::Poly6, KernelKind::Cosine] {
            assert_eq!(kernel.weight(1.0_f32, 1.0), 0.0);
            assert_eq!(kernel.weight(1.5_f32, 1.0), 0.0);
            assert_eq!(kernel.weight(f64::NAN, 1.0), 0.0);
        }
    }
}
