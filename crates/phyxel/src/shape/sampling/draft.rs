//! Phyxels before their volumes are made to sum to the solid's.

use super::report::{MissedPart, SamplingReport};
use crate::shape::{PointSampling, Solid};

/// What a lattice gives.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub points: Vec<[f64; 3]>,
    /// As measured [m³].
    pub volumes: Vec<f64>,
    /// How often the cell was doubled.
    pub levels: Vec<u8>,
    pub boundary: Vec<bool>,
    /// All that was measured inside [m³].
    pub measured: f64,
    pub missed: Vec<MissedPart>,
    pub slivers: usize,
}

/// Edge of a brick in spacings, and by what part of it the first wall lies before the first points: walls between the points
/// of a lattice leave rounding no say.
const BRICK: f64 = 4.0;
const OFFSET: f64 = 0.125;

impl Draft {
    pub fn push(&mut self, point: [f64; 3], volume: f64, level: usize, boundary: bool) {
        self.points.push(point);
        self.volumes.push(volume);
        self.levels.push(level as u8);
        self.boundary.push(boundary);
    }

    /// Brings phyxels into the order of bricks of a few spacings: neighbours are then near each other in memory too.
    fn sort_by_bricks(&mut self, spacing: f64) {
        let low: [f64; 3] = std::array::from_fn(|k| self.points.iter().map(|p| p[k]).fold(f64::MAX, f64::min));
        let brick = |p: &[f64; 3]| -> [i64; 3] {
            std::array::from_fn(|k| ((p[k] - low[k]) / (BRICK * spacing) + OFFSET).floor() as i64)
        };
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_cached_key(|&i| (brick(&self.points[i]), i));
        self.points = order.iter().map(|&i| self.points[i]).collect();
        self.volumes = order.iter().map(|&i| self.volumes[i]).collect();
        self.levels = order.iter().map(|&i| self.levels[i]).collect();
        self.boundary = order.iter().map(|&i| self.boundary[i]).collect();
    }

    pub fn finish(mut self, solid: &Solid, spacing: f64) -> (PointSampling, SamplingReport) {
        self.sort_by_bricks(spacing);
        let volume = solid.volume();
        let scale = volume / self.volumes.iter().sum::<f64>();
        self.volumes.iter_mut().for_each(|v| *v *= scale);
        let top = self.levels.iter().copied().max().unwrap_or(0) as usize;
        let mut per_level = vec![0; top + 1];
        self.levels.iter().for_each(|l| per_level[*l as usize] += 1);
        let present = |level: &usize| per_level[*level] > 0;
        let finest = (0..=top).find(present).unwrap_or(0);
        let size = |level: usize| spacing * (1_u32 << level) as f64;
        let report = SamplingReport {
            smallest_spacing: size(finest),
            largest_spacing: size(top),
            volume,
            volume_error: self.measured / volume - 1.0,
            missed: self.missed,
            slivers: self.slivers,
            phyxels_per_level: per_level,
        };
        let spacings = if top > 0 { self.levels.iter().map(|l| size(*l as usize)).collect() } else { Vec::new() };
        let sampling = PointSampling {
            points: self.points,
            volumes: self.volumes,
            spacing,
            spacings,
            boundary: self.boundary,
            skin: solid.mesh().clone(),
        };
        (sampling, report)
    }
}

/// A phyxel in a sliver weighs at least this share of its cell: a lighter one would demand tiny time steps.
const LEAST_SHARE: f64 = 0.1;

/// Makes phyxels that stand for almost nothing heavier, and counts them; `cell` is the volume of a whole cell [m³].
pub(super) fn thicken(volumes: &mut [f64], inside: &[bool], cell: f64) -> usize {
    let least = LEAST_SHARE * cell;
    let thin = volumes.iter_mut().zip(inside).filter(|(v, inside)| **inside && **v < least);
    thin.map(|(v, _)| *v = least).count()
}

/// Gives what sites without a phyxel hold to the phyxels next to them, in equal shares; `near(site, ring)` lists the
/// sites around another by distance. Returns the sites that have none next to them.
pub(super) fn hand_over<I: Iterator<Item = usize>>(
    volumes: &mut [f64],
    inside: &[bool],
    rings: usize,
    near: impl Fn(usize, usize) -> I,
) -> Vec<usize> {
    let mut missed = Vec::new();
    for site in (0..volumes.len()).filter(|s| !inside[*s]) {
        if volumes[site] <= 0.0 {
            continue;
        }
        let receivers = |ring: usize| near(site, ring).filter(|n| inside[*n]);
        match (0..rings).find(|ring| receivers(*ring).next().is_some()) {
            Some(ring) => {
                let share = volumes[site] / receivers(ring).count() as f64;
                for receiver in near(site, ring).filter(|n| inside[*n]).collect::<Vec<_>>() {
                    volumes[receiver] += share;
                }
            }
            None => missed.push(site),
        }
    }
    missed
}
