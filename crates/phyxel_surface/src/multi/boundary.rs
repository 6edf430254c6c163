//! Which phyxels lie on the boundary of the matter, and where that changes.

use crate::grid::PointGrid;
use phyxel::math::{Mat3, Vec3};
use phyxel::par;

/// How far phyxels look, in spacings.
const REACH: f64 = 1.8;
/// Changes below this are bending and breathing, not parting or merging.
const QUIET: f64 = 0.15;

/// The probability that each phyxel lies on the boundary: `1 − det C / (tr C / 3)³` of the covariance `C` of its
/// neighbourhood (Müller et al. 2004, eq. 29). One where there are too few neighbours to tell.
pub fn boundary_probabilities(phyxels: &[[f64; 3]], spacing: f64) -> Vec<f64> {
    let grid = PointGrid::new(phyxels, REACH * spacing);
    let mut out = vec![1.0; phyxels.len()];
    par::for_each(&mut out, |i, p| *p = probability(&grid, Vec3(phyxels[i]), REACH * spacing));
    out
}

fn probability(grid: &PointGrid, x: Vec3<f64>, reach: f64) -> f64 {
    let (mut count, mut sum, mut squares) = (0.0, Vec3::zero(), Mat3::zero());
    grid.each_within(x, reach, |_, arm, _| {
        count += 1.0;
        sum += arm;
        squares = squares + Mat3::outer(arm, arm);
    });
    if count < 4.0 {
        return 1.0;
    }
    let covariance = squares - Mat3::outer(sum, sum) * (1.0 / count);
    let mean = covariance.trace() / 3.0;
    if mean > 0.0 { (1.0 - covariance.det() / mean.powi(3)).clamp(0.0, 1.0) } else { 1.0 }
}

/// Boundary probabilities from frame to frame.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// What was last taken as known.
    known: Vec<f64>,
}

impl Watch {
    pub fn new(phyxels: &[[f64; 3]], spacing: f64) -> Self {
        Watch { known: boundary_probabilities(phyxels, spacing) }
    }

    /// By how much each phyxel's probability has changed, once it is enough to be told from bending. The paper adds up every
    /// change from step to step; then matter that only trembles would lose its detail too.
    pub fn changes(&mut self, phyxels: &[[f64; 3]], spacing: f64) -> Vec<f64> {
        let now = boundary_probabilities(phyxels, spacing);
        self.known.resize(now.len(), 1.0);
        let change = |(known, now): (&mut f64, f64)| {
            let change = now - *known;
            if change.abs() < QUIET {
                return 0.0;
            }
            *known = now;
            change
        };
        self.known.iter_mut().zip(now).map(change).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(counts: [usize; 3]) -> Vec<[f64; 3]> {
        let [x, y, z] = counts;
        (0..x * y * z).map(|i| [i % x, i / x % y, i / x / y].map(|c| 0.1 * c as f64)).collect()
    }

    #[test]
    fn the_inside_of_a_block_is_told_from_its_boundary() {
        let points = lattice([7, 7, 7]);
        let found = boundary_probabilities(&points, 0.1);
        for (p, probability) in points.iter().zip(&found) {
            let outside = p.iter().any(|c| *c < 0.05 || *c > 0.55);
            assert!(if outside { *probability > 0.2 } else { *probability < 1e-9 }, "{p:?}: {probability}");
        }
        assert!(boundary_probabilities(&lattice([9, 9, 1]), 0.1).iter().all(|p| *p > 0.999), "a sheet is all boundary");
        assert_eq!(boundary_probabilities(&[[0.0; 3]], 0.1), [1.0]);
    }

    #[test]
    fn bending_is_quiet_and_parting_is_not() {
        let points = lattice([12, 5, 5]);
        let mut watch = Watch::new(&points, 0.1);
        let bent: Vec<[f64; 3]> = points.iter().map(|p| [p[0], p[1] + 0.2 * p[0] * p[0], p[2]]).collect();
        assert!(watch.changes(&bent, 0.1).iter().all(|c| *c == 0.0));
        let parted: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + if p[0] > 0.55 { 0.3 } else { 0.0 }, p[1], p[2]]).collect();
        let changes = watch.changes(&parted, 0.1);
        for (p, change) in points.iter().zip(changes) {
            let inside = p[1] > 0.05 && p[1] < 0.35 && p[2] > 0.05 && p[2] < 0.35;
            let at_gap = p[0] > 0.45 && p[0] < 0.65;
            if inside {
                assert_eq!(change > 0.0, at_gap, "{p:?}: {change}");
            }
        }
    }
}
