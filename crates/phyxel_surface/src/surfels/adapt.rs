//! Splitting and merging.

use super::{Disc, SurfelCloud};
use crate::grid::PointGrid;
use phyxel::math::Vec3;
use phyxel::model::{BLOCK, Lines};
use phyxel::record::Surfels;

/// A disc is split when its longer axis is this many times the usual one.
const LONG: f64 = 1.6;
/// And merged into its neighbour when its area is this part of the usual one: a disc that was just split is larger.
const SMALL: f64 = 0.3;
/// The halves of a disc along the axis that was cut: a little more than one half, so that they overlap.
const HALF: f64 = 0.55;

/// How many discs are too long, and too small.
pub(super) struct Odd {
    pub long: f64,
    pub small: f64,
}

impl Odd {
    /// Whether anything is to be done: a disc that is small alone has none to merge with.
    pub fn any(&self) -> bool {
        self.long > 0.0 || self.small >= 2.0
    }
}

/// Counts odd discs, lane by lane.
pub(super) struct OddOnes {
    longest_squared: f32,
    smallest_squared: f32,
    long: [f32; BLOCK],
    small: [f32; BLOCK],
}

impl OddOnes {
    /// Beside discs of this half axis [m].
    pub fn new(size: f64) -> Self {
        OddOnes {
            longest_squared: (LONG * size).powi(2) as f32,
            smallest_squared: (SMALL * size * size).powi(2) as f32,
            long: [0.0; BLOCK],
            small: [0.0; BLOCK],
        }
    }

    /// Looks at the first `count` discs of a block: their half axes, and the squares of what these span [m⁴].
    #[inline(always)]
    pub fn see(&mut self, a: &Lines<f32>, b: &Lines<f32>, square: &[f32; BLOCK], count: usize) {
        let (longest, smallest) = (self.longest_squared, self.smallest_squared);
        let one_if = |odd: bool| if odd { 1.0 } else { 0.0 };
        for l in 0..BLOCK {
            let a = a[0][l] * a[0][l] + a[1][l] * a[1][l] + a[2][l] * a[2][l];
            let b = b[0][l] * b[0][l] + b[1][l] * b[1][l] + b[2][l] * b[2][l];
            self.long[l] += one_if(a.max(b) > longest);
        }
        for l in 0..count {
            self.small[l] += one_if(square[l] < smallest);
        }
    }

    /// How many are too long, and too small.
    pub fn count(&self) -> [f64; 2] {
        [&self.long, &self.small].map(|lanes| lanes.iter().map(|n| f64::from(*n)).sum())
    }
}

impl SurfelCloud {
    /// Splits and merges discs by their present size; whether anything changed.
    pub(super) fn adapt(&mut self, now: &Surfels) -> bool {
        let axes = |i: usize| now.tangents[i].map(|t| Vec3(t).norm());
        let area = |i: usize| Vec3(now.tangents[i][0]).cross(Vec3(now.tangents[i][1])).norm();
        let usual = self.size * self.size;
        let long: Vec<usize> = (0..self.len()).filter(|&i| axes(i).iter().any(|a| *a > LONG * self.size)).collect();
        let small: Vec<usize> = (0..self.len()).filter(|&i| area(i) < SMALL * usual).collect();
        let odd = Odd { long: long.len() as f64, small: small.len() as f64 };
        if !odd.any() {
            return false;
        }
        let removed = self.merge(now, &small, area);
        for i in long.into_iter().filter(|i| !removed[*i]) {
            if self.rest.len() >= self.most {
                break;
            }
            let [a, b] = axes(i);
            self.split(i, usize::from(b > a));
        }
        self.drop_removed(&removed);
        true
    }

    /// Cuts a disc in two across one of its axes.
    fn split(&mut self, i: usize, axis: usize) {
        let Disc { point, mut tangents } = self.rest[i];
        let step = Vec3(tangents[axis]) * 0.5;
        tangents[axis] = (Vec3(tangents[axis]) * HALF).0;
        self.rest[i] = Disc { point: (Vec3(point) - step).0, tangents };
        self.rest.push(Disc { point: (Vec3(point) + step).0, tangents });
        if let Some(&colour) = self.colours.get(i) {
            self.colours.push(colour);
        }
    }

    /// Gives the area of small discs to their nearest neighbours; which ones are gone.
    fn merge(&mut self, now: &Surfels, small: &[usize], area: impl Fn(usize) -> f64) -> Vec<bool> {
        let mut removed = vec![false; self.len()];
        if small.len() < 2 {
            return removed;
        }
        let mut taker = vec![false; self.len()];
        let is_small = {
            let mut flags = vec![false; self.len()];
            small.iter().for_each(|i| flags[*i] = true);
            flags
        };
        let grid = PointGrid::new(&now.points, self.size);
        for &i in small {
            if taker[i] {
                continue;
            }
            // Only small ones take more in: others would grow too large.
            let mut best: Option<(f64, u32)> = None;
            grid.each_within(Vec3(now.points[i]), 2.0 * self.size, |j, _, square| {
                let free = j as usize != i && !removed[j as usize] && is_small[j as usize];
                let same_side = Vec3(now.normals[i]).dot(Vec3(now.normals[j as usize])) > 0.5;
                if free && same_side && best.is_none_or(|b| (square, j) < b) {
                    best = Some((square, j));
                }
            });
            let Some((_, j)) = best else { continue };
            let j = j as usize;
            let own = area(j);
            if taker[j] || own <= 0.0 {
                continue;
            }
            (removed[i], taker[j]) = (true, true);
            let growth = (1.0 + area(i) / own).sqrt();
            self.rest[j].tangents = self.rest[j].tangents.map(|t| (Vec3(t) * growth).0);
        }
        removed
    }

    fn drop_removed(&mut self, removed: &[bool]) {
        let keep = |i: usize| !removed.get(i).copied().unwrap_or(false);
        let kept: Vec<usize> = (0..self.rest.len()).filter(|i| keep(*i)).collect();
        if kept.len() < self.rest.len() {
            self.rest = kept.iter().map(|i| self.rest[*i]).collect();
            if !self.colours.is_empty() {
                self.colours = kept.iter().map(|i| self.colours[*i]).collect();
            }
        }
    }
}
