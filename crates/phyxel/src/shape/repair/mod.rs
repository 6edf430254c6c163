//! Surfaces as people bring them, made ready: welded, cleaned, wound outward, and described in numbers.
//!
//! The steps, in order: weld vertices, drop faces that are none or are there twice, wind neighbours alike, turn shells
//! outward, drop vertices that nothing uses, and count what is left open. Each can be switched off. Holes stay holes:
//! whoever asks for inside and outside gets it from the winding number, which needs no closed surface.

mod clean;
mod edges;
mod measure;
mod nesting;
mod orient;
mod outward;
mod report;
#[cfg(test)]
mod tests;
mod weld;

pub use report::{FaceOrigin, RepairReport};

use super::{ShapeError, TriMesh};

/// Which repairs are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairSettings {
    /// Vertices closer than this fraction of the bounding box's diagonal become one; zero joins exact copies only,
    /// nothing switches welding off.
    ///
    /// The default, 1e-6, is the last digit of coordinates written as text with six or seven digits, or rounded to
    /// `f32` (6e-8) a few boxes away from the origin; no detail that a body of a billion phyxels could show is as fine.
    pub weld: Option<f64>,
    /// Drop faces of no area.
    pub drop_degenerate: bool,
    /// Drop faces that are there twice.
    pub drop_duplicates: bool,
    /// Wind neighbouring faces alike, by turning the minority.
    pub orient: bool,
    /// Turn shells whose normals point inward.
    pub outward: bool,
    /// Drop vertices that no face uses.
    pub drop_unreferenced: bool,
}

impl Default for RepairSettings {
    fn default() -> Self {
        RepairSettings { weld: Some(1e-6), ..RepairSettings::ALL }
    }
}

impl RepairSettings {
    const ALL: Self = RepairSettings {
        weld: Some(0.0),
        drop_degenerate: true,
        drop_duplicates: true,
        orient: true,
        outward: true,
        drop_unreferenced: true,
    };

    /// Changes nothing: the surface is only measured.
    pub const NONE: Self = RepairSettings {
        weld: None,
        drop_degenerate: false,
        drop_duplicates: false,
        orient: false,
        outward: false,
        drop_unreferenced: false,
    };
}

/// Repairs a surface, and says what was done and what is left.
///
/// Fails when an index is out of range, a coordinate is not finite, or the settings make no sense; a surface without
/// faces is not an error here. The result depends on nothing but the input.
pub fn repair(mesh: TriMesh, settings: &RepairSettings) -> Result<(TriMesh, RepairReport), ShapeError> {
    check(&mesh, settings)?;
    let mut report =
        RepairReport { vertices_in: mesh.points.len(), faces_in: mesh.triangles.len(), ..Default::default() };
    let TriMesh { mut points, mut triangles } = mesh;
    let mut welded = Vec::new();
    if let Some(fraction) = settings.weld {
        welded = weld::weld(&points, &mut triangles, fraction);
        report.welded = welded.iter().filter(|w| **w).count();
    }
    let mut origins: Vec<u32> = (0..triangles.len() as u32).collect();
    clean::clean(&points, &mut triangles, &mut origins, settings, &mut report);
    let mut turned = vec![false; triangles.len()];
    let patches = orient::patches(points.len(), &triangles);
    if settings.orient {
        report.turned = orient::orient(&patches, &mut triangles, &mut turned);
    }
    if settings.outward {
        report.shells_turned = outward::outward(&points, &patches, &mut triangles, &mut turned);
    }
    report.unreferenced = compact(&mut points, &mut triangles, &welded, settings.drop_unreferenced);
    measure::measure(&points, &triangles, &patches, &mut report);
    report.origins = origins.iter().zip(&turned).map(|(&triangle, &turned)| FaceOrigin { triangle, turned }).collect();
    Ok((TriMesh { points, triangles }, report))
}

/// Takes away the vertices that were welded to others and, when asked, all others without a face; counts the latter.
fn compact(points: &mut Vec<[f64; 3]>, triangles: &mut [[u32; 3]], welded: &[bool], drop: bool) -> usize {
    let mut used = vec![false; points.len()];
    triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let is_welded = |v: usize| welded.get(v).is_some_and(|w| *w);
    let unreferenced = (0..points.len()).filter(|&v| !used[v] && !is_welded(v)).count();
    let mut name = vec![0u32; points.len()];
    let mut kept = 0;
    for v in 0..points.len() {
        if used[v] || !(drop || is_welded(v)) {
            points[kept] = points[v];
            name[v] = kept as u32;
            kept += 1;
        }
    }
    points.truncate(kept);
    triangles.iter_mut().flatten().for_each(|v| *v = name[*v as usize]);
    unreferenced
}

fn check(mesh: &TriMesh, settings: &RepairSettings) -> Result<(), ShapeError> {
    if let Some(value) = settings.weld.filter(|w| !(0.0..1.0).contains(w)) {
        return Err(ShapeError::BadWeld { value });
    }
    ShapeError::check_surface(mesh)
}
