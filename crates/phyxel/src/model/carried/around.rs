//! Which phyxels carry a point.

use super::DECAY;
use crate::math::Vec3;
use crate::stencil::{NeighbourSearch, Neighbours, Radii};

/// The phyxels around points.
pub(super) struct Around {
    phyxels: usize,
    /// Phyxels, then points.
    all: Vec<Vec3<f64>>,
    near: Neighbours,
    /// How far each point had to look [m].
    pub reach: Vec<f64>,
}

impl Around {
    /// Points look as far as a phyxel would; those that find nothing look twice as far until they do.
    pub fn new(sites: &[[f64; 3]], points: &[[f64; 3]], reach: f64) -> Self {
        let phyxels = sites.len();
        let all: Vec<Vec3<f64>> = sites.iter().chain(points).map(|p| Vec3(*p)).collect();
        let reach = vec![reach; points.len()];
        let mut around = Around { phyxels, near: Neighbours::default(), reach, all };
        for _ in 0..12 {
            // Phyxels look for nobody.
            let mut radii = vec![0.0; phyxels];
            radii.extend(&around.reach);
            // A search that fails (points that cannot be indexed) leaves every point to its nearest phyxel.
            if NeighbourSearch::default().rebuild(&around.all, Radii::Each(&radii), &mut around.near).is_err() {
                around.near = Neighbours::default();
                break;
            }
            let blind: Vec<usize> = (0..around.reach.len()).filter(|v| around.of(*v).next().is_none()).collect();
            if blind.is_empty() {
                break;
            }
            blind.into_iter().for_each(|v| around.reach[v] *= 2.0);
        }
        around
    }

    fn of(&self, point: usize) -> impl Iterator<Item = u32> + '_ {
        let found = if self.near.offsets.is_empty() { &[] } else { self.near.of(self.phyxels + point) };
        found.iter().copied().filter(|j| (*j as usize) < self.phyxels)
    }

    /// The phyxels around a point and their weights, which sum to one.
    pub fn weigh(&self, point: usize, shares: &mut Vec<(u32, f64)>) {
        shares.clear();
        let (at, reach) = (self.all[self.phyxels + point], self.reach[point]);
        shares.extend(self.of(point).map(|j| {
            let distance = (at - self.all[j as usize]).norm_squared();
            (j, (-DECAY * distance / (reach * reach)).exp())
        }));
        if shares.is_empty() {
            shares.push((nearest(&self.all[..self.phyxels], at), 1.0));
        }
        let total: f64 = shares.iter().map(|s| s.1).sum();
        shares.iter_mut().for_each(|s| s.1 /= total);
    }
}

/// The nearest of `points` to `x`.
fn nearest(points: &[Vec3<f64>], x: Vec3<f64>) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (j, p) in points.iter().enumerate() {
        let distance = (*p - x).norm_squared();
        if distance < best.0 {
            best = (distance, j as u32);
        }
    }
    best.1
}
