//! Meshless phyxels: moving least squares (Müller et al. 2004, eq. 10–15; Stegmayr 2008, section 3.4).
//!
//! Element `i` is phyxel `i` with its neighbours: `d_j = A⁻¹ X_ij w_ij`, `d_i = −Σ d_j`, `A = Σ_j w_ij X_ij X_ijᵀ`.

mod levels;
mod moment;
mod report;
mod row;

pub use report::MlsReport;
pub(crate) use row::{ByKernel, Dropped, Entries, Pair, Row};

use super::slices::fill_rows;
use super::{NeighbourSearch, Neighbours, Radii, StencilError, StencilTable, consistency, mean_nearest_distances};
use crate::math::{Real, Vec3};
use crate::scene::{Lagrangian, MlsSettings, Support};
use crate::shape::PointSampling;

/// The stencils of a body of phyxels, and how well they could be built.
#[derive(Clone, Debug, PartialEq)]
pub struct MlsStencils {
    /// One element per phyxel: first the phyxel itself, then its neighbours in ascending order.
    pub table: StencilTable<f64>,
    /// Support radius of each phyxel [m].
    pub radii: Vec<f64>,
    /// What was found while building.
    pub report: MlsReport,
}

impl MlsStencils {
    /// Builds the stencils of the rest shape, corrected for consistency where the settings want it.
    pub fn build(sampling: &PointSampling, settings: &MlsSettings) -> Result<Self, StencilError> {
        check(sampling, settings)?;
        let points: Vec<Vec3<f64>> = sampling.points.iter().map(|p| Vec3(*p)).collect();
        let radii = support_radii(&points, sampling, settings.support);
        let mut neighbours = Neighbours::default();
        NeighbourSearch::default().rebuild(&points, Radii::Each(&radii), &mut neighbours)?;
        let mutual = settings.support.is_mutual() && !sampling.spacings.is_empty();
        if mutual {
            neighbours = levels::mutual(&neighbours, &points, &radii);
        }
        let seen = Seen { points: &points, radii: &radii, neighbours: &neighbours, mutual };
        let (mut table, dropped) = seen.stencils(&sampling.volumes, settings)?;
        let counts = (0..points.len()).map(|i| neighbours.of(i).len());
        let mut report = MlsReport::of(counts, dropped);
        // Stencils that are rebuilt every step would lose the correction at once.
        if settings.consistency && settings.lagrangian == Lagrangian::Total {
            report.consistency = Some(consistency::correct(&mut table, &sampling.points, &sampling.boundary));
        }
        Ok(MlsStencils { table, radii, report })
    }
}

fn check(sampling: &PointSampling, settings: &MlsSettings) -> Result<(), StencilError> {
    let n = sampling.points.len();
    StencilError::check_finite(&sampling.points)?;
    StencilError::check_length("volumes of the sampling", sampling.volumes.len(), n)?;
    StencilError::check_length("boundary marks of the sampling", sampling.boundary.len(), n)?;
    let bad = |v: &f64| !(*v > 0.0 && v.is_finite());
    if let Some(phyxel) = sampling.volumes.iter().position(bad) {
        return Err(StencilError::BadVolume { phyxel, volume: sampling.volumes[phyxel] });
    }
    let (what, value) = match settings.support {
        Support::Spacings(s) => ("the support in spacings", s),
        Support::Nearest { factor, .. } => ("the support factor", factor),
    };
    if bad(&value) {
        return Err(StencilError::BadSetting { what, value, needed: "positive, finite" });
    }
    if matches!(settings.support, Support::Spacings(_)) && bad(&sampling.spacing) {
        let what = "the spacing of the sampling [m]";
        return Err(StencilError::BadSetting { what, value: sampling.spacing, needed: "positive, finite" });
    }
    if !sampling.spacings.is_empty() {
        StencilError::check_length("spacings of the sampling", sampling.spacings.len(), n)?;
        if let Some(&value) = sampling.spacings.iter().find(|s| bad(s)) {
            let what = "a spacing of the sampling [m]";
            return Err(StencilError::BadSetting { what, value, needed: "positive, finite" });
        }
    }
    let not_negative = [("the stabilisation", settings.stabilisation), ("reanchor", settings.reanchor)];
    match not_negative.into_iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
        Some((what, value)) => Err(StencilError::BadSetting { what, value, needed: "finite, not negative" }),
        None => Ok(()),
    }
}

/// How far each phyxel sees [m].
fn support_radii(points: &[Vec3<f64>], sampling: &PointSampling, support: Support) -> Vec<f64> {
    match support {
        Support::Spacings(s) if sampling.spacings.is_empty() => vec![s * sampling.spacing; points.len()],
        Support::Spacings(s) => sampling.spacings.iter().map(|spacing| s * spacing).collect(),
        Support::Nearest { k, factor } => {
            mean_nearest_distances(points, k).into_iter().map(|mean| factor * mean).collect()
        }
    }
}

impl Support {
    /// Whether a pair of phyxels sees as far as both do on average, instead of each as far as it does itself. Distances to
    /// the nearest already grow towards coarser neighbours.
    pub fn is_mutual(&self) -> bool {
        matches!(self, Support::Spacings(_))
    }
}

/// Phyxels and whom they see.
struct Seen<'a> {
    points: &'a [Vec3<f64>],
    radii: &'a [f64],
    neighbours: &'a Neighbours,
    /// Pairs see as far as both do on average.
    mutual: bool,
}

impl Seen<'_> {
    fn stencils(&self, volumes: &[f64], settings: &MlsSettings) -> Result<(StencilTable<f64>, Dropped), StencilError> {
        let Seen { points, radii, neighbours, mutual } = *self;
        let mut table = StencilTable { volumes: volumes.to_vec(), ..StencilTable::default() };
        table.resize((0..points.len()).map(|i| neighbours.of(i).len() as u32 + 1), settings.stabilisation > 0.0)?;
        let dropped = table.fill_phyxels(|i, entries| {
            let (kernel, radius) = (settings.kernel, radii[i]);
            let pair = |j: u32| if mutual { Pair::between(radius, radii[j as usize]) } else { Pair::alike() };
            let least = 0.0;
            let row = Row { kernel, radius, offset: |j: u32| points[j as usize] - points[i], pair, least };
            entries.nodes[0] = i as u32;
            entries.nodes[1..].copy_from_slice(neighbours.of(i));
            row.fill(entries, settings.stabilisation * volumes[i])
        });
        Ok((table, dropped))
    }
}

impl<R: Real> StencilTable<R> {
    /// Makes room for elements of the given lengths, keeping buffers.
    pub(crate) fn resize(&mut self, lengths: impl Iterator<Item = u32>, stabilised: bool) -> Result<(), StencilError> {
        self.offsets.clear();
        self.offsets.push(0);
        let mut total = 0_u64;
        for length in lengths {
            total += length as u64;
            self.offsets.push(total.min(u32::MAX as u64) as u32);
        }
        if total > u32::MAX as u64 {
            return Err(StencilError::TooLarge { entries: total });
        }
        self.nodes.resize(total as usize, 0);
        self.weights.resize(total as usize, Vec3::zero());
        self.penalties.resize(if stabilised { total as usize } else { 0 }, R::zero());
        Ok(())
    }

    /// Fills every element, in parallel, and adds up what had to be dropped.
    pub(crate) fn fill_phyxels(&mut self, fill: impl Fn(usize, Entries<'_, R>) -> Dropped + Sync) -> Dropped {
        let penalties = (!self.penalties.is_empty()).then_some(self.penalties.as_mut_slice());
        let data = (self.nodes.as_mut_slice(), (self.weights.as_mut_slice(), penalties));
        fill_rows(&self.offsets, data, &|i, (nodes, (weights, penalties))| {
            fill(i, Entries { nodes, weights, penalties })
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
