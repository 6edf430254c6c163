//! How well the stencils of a body could be built.

use super::Dropped;
use crate::stencil::Neighbours;

/// What was found while building the stencils of phyxels.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct MlsReport {
    /// Phyxels whose neighbours do not span space: alone, in a line or in a plane.
    pub singular_phyxels: usize,
    /// Directions without resistance, over all phyxels: 1 for a plane, 2 for a line, 3 when alone.
    pub dropped_directions: usize,
    /// Neighbours per phyxel, itself not counted.
    pub mean_neighbours: f64,
    /// Fewest neighbours of a phyxel.
    pub min_neighbours: usize,
    /// Most neighbours of a phyxel.
    pub max_neighbours: usize,
}

impl MlsReport {
    pub(crate) fn of(neighbours: &Neighbours, dropped: Dropped) -> Self {
        let counts = || neighbours.offsets.windows(2).map(|w| (w[1] - w[0]) as usize);
        let phyxels = counts().count().max(1);
        MlsReport {
            singular_phyxels: dropped.phyxels,
            dropped_directions: dropped.directions,
            mean_neighbours: neighbours.indices.len() as f64 / phyxels as f64,
            min_neighbours: counts().min().unwrap_or(0),
            max_neighbours: counts().max().unwrap_or(0),
        }
    }
}
