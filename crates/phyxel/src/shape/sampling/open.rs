//! Lines through surfaces with holes.
//!
//! Between two faces the winding number is smooth, and away from holes it hardly changes: three looks tell a whole stretch.
//! Where it comes near one half the stretch is halved until it is known where it passes.

use super::columns::Stretch;

/// A winding number this far from one half, at both ends and in the middle, is taken to stay on its side.
const SURE: f64 = 0.2;

/// The stretches of a line where the winding number is above one half, in order; `faces` are the places where the line goes
/// through the surface, `low` and `high` the ends of the line, all in metres.
pub(super) fn stretches(
    faces: impl Iterator<Item = f64>,
    (low, high): (f64, f64),
    tolerance: f64,
    winding: &impl Fn(f64) -> f64,
) -> Vec<Stretch> {
    let mut inside = Inside { stretches: Vec::new(), tolerance, winding };
    let mut from = low;
    for to in faces.chain([high]) {
        if to > from {
            // On the surface itself the winding number is not defined.
            let margin = 1e-3 * (to - from);
            let (a, b) = (from + margin, to - margin);
            inside.search((from, winding(a)), (to, winding(b)));
            from = to;
        }
    }
    inside.stretches
}

struct Inside<'a, W> {
    stretches: Vec<Stretch>,
    tolerance: f64,
    winding: &'a W,
}

impl<W: Fn(f64) -> f64> Inside<'_, W> {
    /// Looks between two places with known winding numbers.
    fn search(&mut self, (a, at_a): (f64, f64), (b, at_b): (f64, f64)) {
        let middle = 0.5 * (a + b);
        let at_middle = (self.winding)(middle);
        let all = [at_a, at_middle, at_b];
        if all.iter().all(|w| *w > 0.5 + SURE) {
            self.add(a, b);
        } else if all.iter().all(|w| *w < 0.5 - SURE) {
        } else if b - a > self.tolerance {
            self.search((a, at_a), (middle, at_middle));
            self.search((middle, at_middle), (b, at_b));
        } else if (at_a > 0.5) == (at_b > 0.5) {
            if at_a > 0.5 {
                self.add(a, b);
            }
        } else {
            let change = a + (b - a) * ((0.5 - at_a) / (at_b - at_a)).clamp(0.0, 1.0);
            if at_a > 0.5 { self.add(a, change) } else { self.add(change, b) }
        }
    }

    /// Stretches that touch are one.
    fn add(&mut self, from: f64, to: f64) {
        match self.stretches.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => self.stretches.push((from, to)),
        }
    }
}
