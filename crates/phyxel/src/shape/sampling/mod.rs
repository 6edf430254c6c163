//! A solid filled with phyxels: on a lattice of cubes, on a body-centred one, or finer at the surface than inside.
//!
//! A phyxel stands where a lattice point is inside, and carries the part of the solid that is nearest to it: cells cut by
//! the surface weigh what is left of them, and cells whose own point is outside give what they hold to the phyxels next
//! to them. Masses are then right place by place, not only in sum.

mod bcc;
mod clipped;
mod columns;
mod count;
pub(crate) mod cubes;
mod cubic;
mod draft;
pub(crate) mod interior;
mod open;
mod report;

pub(crate) use count::size_for;
pub use report::{MissedPart, SamplingReport};

use super::{PointSampling, Resolution, ShapeError, Solid};
use draft::Draft;
use interior::Interior;

/// How phyxels are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Sampling {
    /// In the centres of equal cubes.
    #[default]
    Voxels,
    /// In the corners and centres of equal cubes: the body-centred cubic lattice, the most even one.
    Bcc,
    /// In the centres of cubes that grow twofold from level to level, away from the surface; neighbours differ by one
    /// level at most.
    Octree,
}

impl Sampling {
    /// Every kind, in the order in which they are listed to people.
    pub const ALL: [Sampling; 3] = [Sampling::Voxels, Sampling::Bcc, Sampling::Octree];
    /// The name in scene files and results.
    pub fn name(self) -> &'static str {
        match self {
            Sampling::Voxels => "voxels",
            Sampling::Bcc => "bcc",
            Sampling::Octree => "octree",
        }
    }
}

/// How a solid is filled with phyxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplingSettings {
    /// The layout.
    pub kind: Sampling,
    /// Distance between nearest phyxels, at the surface where it varies, or how many phyxels there shall be, within 10 %
    /// (within a few where there are only a few); not cells.
    pub resolution: Resolution,
    /// How many times cubes double away from the surface; for [`Sampling::Octree`] only, 6 at most.
    pub levels: usize,
}

impl Default for SamplingSettings {
    /// A thousand voxels; octrees double twice, which leaves most of the matter of a few thousand phyxels coarse.
    fn default() -> Self {
        SamplingSettings { kind: Sampling::Voxels, resolution: Resolution::Count(1000), levels: 2 }
    }
}

/// Doublings beyond this would make coarse phyxels larger than any body of phyxels.
const MAX_LEVELS: usize = 6;

impl SamplingSettings {
    /// Fills a solid; the surface itself becomes the skin. Volumes sum to the solid's volume.
    pub fn sample(&self, solid: &Solid) -> Result<(PointSampling, SamplingReport), ShapeError> {
        let interior = Interior::of(solid);
        let size = match self.resolution {
            Resolution::Size(size) => size,
            Resolution::Count(wanted) => {
                ShapeError::check_count("phyxels", wanted, 1)?;
                ShapeError::check_nodes("surface", wanted as f64)?;
                size_for(wanted, self.size_guess(solid, wanted), |size| self.count(&interior, size))?
            }
            Resolution::Cells(_) => return Err(ShapeError::CellsNeedABox { shape: "surface" }),
        };
        ShapeError::check_length("surface", "resolution", size)?;
        let draft = self.draft(&interior, size)?;
        if draft.points.is_empty() {
            return Err(ShapeError::ThinnerThanSpacing { spacing: size });
        }
        ShapeError::check_nodes("surface", draft.points.len() as f64)?;
        Ok(draft.finish(solid, size))
    }

    fn levels(&self) -> usize {
        if self.kind == Sampling::Octree { self.levels.min(MAX_LEVELS) } else { 0 }
    }

    fn draft(&self, interior: &Interior, size: f64) -> Result<Draft, ShapeError> {
        match self.kind {
            Sampling::Bcc => bcc::draft(interior, size),
            Sampling::Voxels | Sampling::Octree => cubic::draft(interior, size, self.levels()),
        }
    }

    /// How many phyxels a size gives.
    fn count(&self, interior: &Interior, size: f64) -> Result<usize, ShapeError> {
        match self.kind {
            Sampling::Bcc => bcc::count(interior, size),
            Sampling::Voxels | Sampling::Octree => cubic::count(interior, size, self.levels()),
        }
    }

    /// The size at which equal phyxels would fill the volume.
    fn size_guess(&self, solid: &Solid, wanted: usize) -> f64 {
        let cube = (solid.volume() / wanted as f64).cbrt();
        match self.kind {
            Sampling::Voxels => cube,
            Sampling::Bcc => cube * bcc::SPACING_PER_CUBE_ROOT,
            Sampling::Octree => 0.8 * cube,
        }
    }
}

#[cfg(test)]
mod tests;
