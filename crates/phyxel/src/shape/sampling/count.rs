//! The size that gives a wanted number of phyxels.

use crate::shape::ShapeError;

/// A miss of this share is good enough to stop.
const GOOD: f64 = 0.02;
/// A miss of this share is what was promised.
const PROMISED: f64 = 0.09;
/// Sizes tried by the scale law.
const TRIES: usize = 10;
/// Sizes tried one after the other where the count jumps, and how far apart.
const STEPS: usize = 60;
const STEP: f64 = 0.004;

/// Follows the scale law `count ~ size^-p`, with `p` taken from the last two tries; then, since counts on lattices jump,
/// looks around the best size found.
pub(crate) fn size_for(
    wanted: usize,
    guess: f64,
    count: impl Fn(f64) -> Result<usize, ShapeError>,
) -> Result<f64, ShapeError> {
    let miss = |n: usize| (n as f64 / wanted as f64 - 1.0).abs();
    let (mut size, mut power) = (guess, 3.0);
    let mut best = (f64::INFINITY, guess);
    let mut last: Option<(f64, usize)> = None;
    for _ in 0..TRIES {
        let n = count(size)?;
        if miss(n) < best.0 {
            best = (miss(n), size);
        }
        if best.0 <= GOOD {
            return Ok(best.1);
        }
        if let Some((before, m)) = last.filter(|(s, m)| *m != n && *s != size && *m > 0 && n > 0) {
            power = ((m as f64 / n as f64).ln() / (size / before).ln()).clamp(1.5, 4.0);
        }
        last = Some((size, n));
        size *= if n == 0 { 0.7 } else { (n as f64 / wanted as f64).powf(1.0 / power).clamp(0.3, 3.0) };
    }
    let around = best.1;
    for step in 1..=STEPS {
        if best.0 <= PROMISED {
            break;
        }
        let change = STEP * step.div_ceil(2) as f64 * if step % 2 == 0 { 1.0 } else { -1.0 };
        let size = around * (1.0 + change);
        let found = miss(count(size)?);
        if found < best.0 {
            best = (found, size);
        }
    }
    Ok(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_and_jumping_laws_are_met() {
        for wanted in [7, 100, 12_345, 1_000_000] {
            let surface = |s: f64| Ok((5.0 / (s * s) + 0.1 / s.powi(3)) as usize);
            let jumping =
                |s: f64| Ok(((1.0 / s).floor().powi(3) * 0.9) as usize + ((1.0 / s).fract() > 0.5) as usize * 9);
            let n = surface(size_for(wanted, 0.3, surface).unwrap()).unwrap() as f64;
            assert!((n / wanted as f64 - 1.0).abs() < 0.1 || (n - wanted as f64).abs() <= 1.0);
            let size = size_for(wanted, (0.9 / wanted as f64).cbrt(), jumping).unwrap();
            assert!(jumping(size).unwrap() > 0);
        }
    }
}
