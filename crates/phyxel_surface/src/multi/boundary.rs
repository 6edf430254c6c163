//! Which phyxels lie on the boundary of the matter, and where that changes.

use crate::felt::Spacings;
use crate::grid::PointGrid;
use crate::saved::{Reader, Saved, Writer};
use phyxel::math::{Mat3, Vec3};
use phyxel::par;

/// How far phyxels look, in spacings: two shells of neighbours and a bit, as wide as the paper's supports.
const REACH: f64 = 2.6;
/// Changes below this are bending and stretching by up to a third, not parting or merging.
const QUIET: f64 = 0.12;

/// The probability that each phyxel lies on the boundary: `1 − det C / (tr C / 3)³` of the covariance `C` of its
/// neighbourhood (Müller et al. 2004, eq. 29). One where there are too few neighbours to tell. In contrast to the paper, far
/// neighbours count less, so that none jumps in or out as the matter moves; in corners, where matter lies alike in all
/// directions, the measure says nothing.
pub fn boundary_probabilities(phyxels: &[[f64; 3]], spacing: f64) -> Vec<f64> {
    probabilities(phyxels, Spacings::All(spacing))
}

fn probabilities(phyxels: &[[f64; 3]], spacings: Spacings<'_>) -> Vec<f64> {
    let grid = PointGrid::new(phyxels, REACH * spacings.largest());
    let mut out = vec![1.0; phyxels.len()];
    par::for_each(&mut out, |i, p| *p = probability(&grid, Vec3(phyxels[i]), REACH * spacings.of(i)));
    out
}

fn probability(grid: &PointGrid, x: Vec3<f64>, reach: f64) -> f64 {
    let (mut count, mut total, mut sum, mut squares) = (0, 0.0, Vec3::zero(), Mat3::zero());
    grid.each_within(x, reach, |_, arm, square| {
        let weight = (1.0 - square / (reach * reach)).powi(2);
        count += 1;
        total += weight;
        sum += arm * weight;
        squares += Mat3::outer(arm, arm) * weight;
    });
    if count < 4 {
        return 1.0;
    }
    let covariance = squares - Mat3::outer(sum, sum) * (1.0 / total);
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
    pub fn new(phyxels: &[[f64; 3]], spacings: Spacings<'_>) -> Self {
        Watch { known: probabilities(phyxels, spacings) }
    }

    /// Of all phyxels of several bodies, one after the other.
    pub fn join(&mut self, other: Watch) {
        self.known.extend(other.known);
    }

    /// Of the first `count` phyxels, which are left out here.
    pub fn take_first(&mut self, count: usize) -> Self {
        let rest = self.known.split_off(count.min(self.known.len()));
        Watch { known: std::mem::replace(&mut self.known, rest) }
    }

    /// By how much each phyxel's probability has changed, once it is enough to be told from bending. The paper adds up every
    /// change from step to step; then matter that only trembles would lose its detail too.
    pub fn changes(&mut self, phyxels: &[[f64; 3]], spacings: Spacings<'_>) -> Vec<f64> {
        let now = probabilities(phyxels, spacings);
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

impl Saved for Watch {
    fn save(&self, to: &mut Writer) {
        to.list(&self.known, Writer::double);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.known = from.list_of(self.known.len(), Reader::double)?;
        Some(())
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
        let points = lattice([9, 9, 9]);
        let found = boundary_probabilities(&points, 0.1);
        for (p, probability) in points.iter().zip(&found) {
            let depth = p.map(|c| c.min(0.8 - c));
            let deep = depth.iter().all(|d| *d > 0.25);
            let on_a_face =
                depth.iter().filter(|d| **d < 0.05).count() == 1 && depth.iter().all(|d| !(0.05..0.25).contains(d));
            if deep {
                assert!(*probability < 1e-9, "{p:?}: {probability}");
            }
            if on_a_face {
                assert!(*probability > 0.2, "{p:?}: {probability}");
            }
        }
        assert!(boundary_probabilities(&lattice([9, 9, 1]), 0.1).iter().all(|p| *p > 0.999), "a sheet is all boundary");
        assert_eq!(boundary_probabilities(&[[0.0; 3]], 0.1), [1.0]);
    }

    #[test]
    fn bending_is_quiet_and_parting_is_not() {
        let points = lattice([16, 7, 7]);
        let mut watch = Watch::new(&points, Spacings::All(0.1));
        let bent: Vec<[f64; 3]> = points.iter().map(|p| [p[0], p[1] + 0.08 * p[0] * p[0], p[2]]).collect();
        assert!(watch.changes(&bent, Spacings::All(0.1)).iter().all(|c| *c == 0.0));
        assert!(watch.changes(&points, Spacings::All(0.1)).iter().all(|c| *c == 0.0));
        let gap = |p: &[f64; 3]| [p[0] + if p[0] > 0.75 { 0.3 } else { 0.0 }, p[1], p[2]];
        let parted: Vec<[f64; 3]> = points.iter().map(gap).collect();
        let changes = watch.changes(&parted, Spacings::All(0.1));
        for (p, change) in points.iter().zip(changes) {
            let inside = p[1] > 0.15 && p[1] < 0.45 && p[2] > 0.15 && p[2] < 0.45;
            if inside && p[0] > 0.65 && p[0] < 0.85 {
                assert!(change > 0.1, "{p:?}: {change}");
            }
            if (p[0] - 0.75).abs() > 0.3 {
                assert_eq!(change, 0.0, "{p:?}");
            }
        }
    }
}
