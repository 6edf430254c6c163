//! What a sampling says about itself.

use std::collections::BTreeMap;

/// How a solid was filled.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SamplingReport {
    /// Phyxels of each level, the finest first; one level unless sampled as an octree.
    pub phyxels_per_level: Vec<usize>,
    /// Distance between the nearest phyxels [m].
    pub smallest_spacing: f64,
    /// Distance between the coarsest phyxels [m].
    pub largest_spacing: f64,
    /// Volume of the solid, which the phyxels sum to [m³].
    pub volume: f64,
    /// What the lattice had measured before that, relative to it.
    pub volume_error: f64,
    /// Parts that no phyxel is in or next to, because they are thinner than the spacing; the largest first. Their mass is
    /// spread over the rest.
    pub missed: Vec<MissedPart>,
    /// Phyxels that stand for less than a tenth of their cell, because the matter around them is thin.
    pub slivers: usize,
}

/// A part of a solid that no phyxel is in or next to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissedPart {
    /// Where it is [m].
    pub center: [f64; 3],
    /// How large it is [m³].
    pub volume: f64,
}

/// Missed parts below this share of the volume are no reason to warn.
const NEGLIGIBLE: f64 = 1e-4;

impl SamplingReport {
    /// All phyxels.
    pub fn phyxels(&self) -> usize {
        self.phyxels_per_level.iter().sum()
    }

    /// Share of the volume that no phyxel is in or next to.
    pub fn missed_share(&self) -> f64 {
        self.missed.iter().fold(0.0, |sum, p| sum + p.volume) / self.volume
    }

    /// What a person should know before trusting the body, if anything.
    pub fn warning(&self) -> Option<String> {
        let spacing = self.smallest_spacing;
        let mut sentences = Vec::new();
        if let Some(largest) = self.missed.first().filter(|_| self.missed_share() > NEGLIGIBLE) {
            let [x, y, z] = largest.center;
            sentences.push(format!(
                "{} part(s) of the surface, {:.2} % of its volume, are thinner than the spacing of {spacing:.3e} m and have \
                 no phyxels (the largest around [{x:.4}, {y:.4}, {z:.4}] m); their mass is spread over the rest",
                self.missed.len(),
                100.0 * self.missed_share(),
            ));
        }
        if self.slivers * 100 > self.phyxels() {
            sentences.push(format!(
                "{} phyxels stand in parts thinner than a tenth of the spacing of {spacing:.3e} m, which bend too easily",
                self.slivers
            ));
        }
        if sentences.is_empty() { None } else { Some(sentences.join("; ") + ": use a smaller size or a higher count") }
    }
}

/// Joins missed sites that touch into parts; `sites` holds where each is on an integer lattice, where it is in space and
/// its volume [m³].
pub(super) fn joined(sites: &[([i64; 3], [f64; 3], f64)], reach: i64) -> Vec<MissedPart> {
    let place: BTreeMap<[i64; 3], usize> = sites.iter().enumerate().map(|(i, s)| (s.0, i)).collect();
    let mut seen = vec![false; sites.len()];
    let mut parts = Vec::new();
    for start in 0..sites.len() {
        let mut open = if seen[start] { Vec::new() } else { vec![start] };
        seen[start] = true;
        let (mut volume, mut moment) = (0.0, [0.0; 3]);
        while let Some(i) = open.pop() {
            let (at, position, v) = sites[i];
            volume += v;
            (0..3).for_each(|a| moment[a] += v * position[a]);
            let side = 2 * reach + 1;
            for k in 0..side.pow(3) {
                let near =
                    [at[0] + k % side - reach, at[1] + k / side % side - reach, at[2] + k / (side * side) - reach];
                if let Some(&n) = place.get(&near).filter(|n| !seen[**n]) {
                    seen[n] = true;
                    open.push(n);
                }
            }
        }
        if volume > 0.0 {
            parts.push(MissedPart { center: moment.map(|m| m / volume), volume });
        }
    }
    parts.sort_by(|a, b| b.volume.total_cmp(&a.volume));
    parts
}
