//! How well the stencils of a body could be built.

use super::Dropped;
use crate::stencil::ConsistencyReport;

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
    /// Phyxels whose stored deformation could not be inverted and was taken for none; rebuilding only.
    pub lost_gradients: usize,
    /// What the consistency correction did, where it was wanted.
    pub consistency: Option<ConsistencyReport>,
}

impl MlsReport {
    /// From the number of neighbours of every phyxel.
    pub(crate) fn of(counts: impl Iterator<Item = usize>, dropped: Dropped) -> Self {
        let (mut phyxels, mut sum, mut least, mut most) = (0, 0, usize::MAX, 0);
        for count in counts {
            (phyxels, sum, least, most) = (phyxels + 1, sum + count, least.min(count), most.max(count));
        }
        MlsReport {
            singular_phyxels: dropped.phyxels,
            dropped_directions: dropped.directions,
            mean_neighbours: sum as f64 / f64::max(phyxels as f64, 1.0),
            min_neighbours: if phyxels > 0 { least } else { 0 },
            max_neighbours: most,
            ..MlsReport::default()
        }
    }
}
