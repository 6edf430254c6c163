//! A faint chequered pattern that is fixed to the matter, so that twisting and stretching can be seen.

use crate::picture::DARKER;

/// The pattern, over positions in the first frame.
#[derive(Clone, Debug)]
pub(super) struct Checker {
    origin: [f64; 3],
    /// Cells per metre along each axis.
    frequency: [f64; 3],
}

/// Cells along the longest side.
const CELLS: f64 = 6.0;

impl Checker {
    /// A pattern for a body that begins inside `low` to `high` [m].
    ///
    /// Each axis has an even number of cells with one cell's middle at the centre, so that no flat side of the body
    /// lies where two cells meet, where rounding would decide the colour.
    pub(super) fn over(low: [f64; 3], high: [f64; 3]) -> Self {
        let side = [0, 1, 2].map(|k| (high[k] - low[k]).max(0.0));
        let cell = side.iter().copied().fold(1e-9, f64::max) / CELLS;
        let even = |s: f64| 2.0 * (s / (2.0 * cell)).round().max(1.0);
        Checker {
            origin: [0, 1, 2].map(|k| (low[k] + high[k]) / 2.0),
            frequency: side.map(|s| if s > 1e-3 * cell { even(s) / s } else { 0.0 }),
        }
    }

    /// Coordinates in cells of the matter that began at `rest` [m].
    pub(super) fn coordinates(&self, rest: [f64; 3]) -> [f32; 3] {
        [0, 1, 2].map(|k| ((rest[k] - self.origin[k]) * self.frequency[k] + 0.5) as f32)
    }

    /// The body's colour at the matter that began at `rest` [m].
    pub(super) fn colour(&self, base: [f32; 3], rest: [f64; 3]) -> [f32; 3] {
        let odd = self.coordinates(rest).iter().fold(0, |parity, c| parity ^ c.floor() as i64) & 1 == 1;
        if odd { base.map(|c| DARKER * c) } else { base }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_sides_are_stable_and_both_colours_occur() {
        let checker = Checker::over([0.0; 3], [1.0, 0.25, 0.25]);
        let shade = |p: [f64; 3]| checker.colour([1.0; 3], p)[0];
        for (y, z) in [(0.02, 0.03), (0.13, 0.2)] {
            assert_eq!(shade([1.0 - 1e-7, y, z]), shade([1.0 + 1e-7, y, z]));
        }
        let row: Vec<f32> = (0..100).map(|i| shade([i as f64 / 100.0, 0.1, 0.25])).collect();
        assert!(row.contains(&1.0) && row.contains(&DARKER));
    }
}
