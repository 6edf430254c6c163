//! Tetrahedra for any solid, with angles that are bounded whatever its surface looks like.
//!
//! Isosurface stuffing (Labelle and Shewchuk 2007): a body-centred cubic lattice is laid over the solid, lattice points that are too close
//! to the surface move onto it, and the tetrahedra that the surface still goes through are cut by fixed patterns. Dihedral
//! angles stay between 10.5° and 163.5°. The cells around the surface have one size; inside they grow with an octree. At
//! last boundary nodes slide along the surface to tips between the lattice points, as far as the angles allow.
//!
//! The surface is met where its triangles go through the edges of the lattice, which costs as much as there are triangles and
//! crossings; no distances are computed, and no tree is asked unless the surface has holes.

mod band;
mod crossings;
mod crumbs;
mod emit;
mod features;
mod field;
mod key_map;
mod lattice;
mod octree;
mod reach;
mod stencil;
mod warp;

use super::{Resolution, ShapeError, Solid, TetMesh};
use band::{Band, NO_TRIANGLE};
use crossings::Record;
use field::Field;
use lattice::{DIRECTIONS, Lattice, add, edge_of, pack};
use warp::Nodes;

/// How fine a solid is stuffed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fineness {
    /// Edge of the cubic cells at the surface [m]; edges of tetrahedra are 0.87 and 1 times as long.
    Size(f64),
    /// About this many tetrahedra, within a tenth.
    Tets(usize),
    /// About this many nodes, within a tenth.
    Nodes(usize),
}

/// How a solid is stuffed with tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingSettings {
    /// How fine.
    pub fineness: Fineness,
    /// Cells grow away from the surface. Otherwise all have the same size.
    pub grading: bool,
    /// Edges of the surface where it turns by more than this angle [rad] are kept where that leaves good tetrahedra.
    pub features: Option<f64>,
}

impl StuffingSettings {
    /// Graded, without sharp features.
    pub fn new(fineness: Fineness) -> Self {
        StuffingSettings { fineness, grading: true, features: None }
    }

    /// What a scene's resolution asks for.
    pub fn from_resolution(resolution: &Resolution) -> Result<Self, ShapeError> {
        match *resolution {
            Resolution::Size(size) => Ok(Self::new(Fineness::Size(size))),
            Resolution::Count(count) => Ok(Self::new(Fineness::Nodes(count))),
            Resolution::Cells(_) => Err(ShapeError::CellsNeedABox { shape: "mesh" }),
        }
    }
}

/// What came of stuffing a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingReport {
    /// Edge of the cubic cells at the surface [m].
    pub size: f64,
    /// Connected pieces of the result.
    pub components: usize,
    /// Loose pieces that were dropped, because a thin feature was resolved only here and there.
    pub crumbs: usize,
    /// Their volume [m³].
    pub crumb_volume: f64,
    /// Parts of the surface that are too small for the cells and left no tetrahedra.
    pub lost_parts: usize,
    /// Share of the crossed lattice edges with both ends on the same side: features thinner than the cells.
    pub unresolved: f64,
    /// Boundary nodes that have moved along the surface to tips and sharp edges.
    pub moved: usize,
    /// Cuts that close holes of the surface.
    pub hole_cuts: usize,
}

/// Fills a solid with tetrahedra.
pub fn stuff(solid: &Solid, settings: &StuffingSettings) -> Result<(TetMesh, StuffingReport), ShapeError> {
    let (mut mesh, mut report) = match settings.fineness {
        Fineness::Size(size) => stuff_cells(solid, size, settings)?,
        Fineness::Tets(count) => search(solid, settings, count, |mesh| mesh.tets.len())?,
        Fineness::Nodes(count) => search(solid, settings, count, |mesh| mesh.points.len())?,
    };
    let sharp = settings.features.map(|angle| features::targets(solid, angle, report.size)).unwrap_or_default();
    report.moved = reach::reach(solid, &mut mesh, report.size, &sharp);
    Ok((mesh, report))
}

fn stuff_cells(solid: &Solid, size: f64, settings: &StuffingSettings) -> Result<(TetMesh, StuffingReport), ShapeError> {
    ShapeError::check_length("solid", "cell size", size)?;
    ShapeError::check_nodes("solid", least_nodes(solid, size, settings.grading))?;
    let lattice = Lattice::new(solid.bounds(), size)?;
    let records = crossings::crossings(solid.mesh(), &lattice);
    let field = Field::new(solid, &lattice, &records);
    let mut band = Band::new(&field, &records)?;
    let unresolved = unresolved(&band, &records);
    let mut nodes = warp::warp(&band, &lattice);
    let leaves = octree::leaves(&mut band, &nodes, &field, settings.grading)?;
    nodes.complete(&band, &lattice);
    let mut tets = emit::tets(&band, &nodes, &leaves);
    if tets.is_empty() || unresolved > HALF_RESOLVED {
        return Err(ShapeError::Unresolved { size, needed: solid.thickness().min(0.5 * size) });
    }
    let pieces = crumbs::sweep(solid, &nodes, &mut tets);
    let hole_cuts = band.cuts.iter().filter(|cut| cut.triangle == NO_TRIANGLE).count();
    let report = StuffingReport {
        size,
        moved: 0,
        components: pieces.components,
        crumbs: pieces.crumbs,
        crumb_volume: pieces.crumb_volume,
        lost_parts: pieces.lost_parts,
        unresolved,
        hole_cuts,
    };
    Ok((compact(&nodes, tets), report))
}

/// Above this share of unresolved edges the result has little to do with the surface.
const HALF_RESOLVED: f64 = 0.5;

/// Fewer nodes than the result will have.
fn least_nodes(solid: &Solid, size: f64, graded: bool) -> f64 {
    let inside = if graded { 0.0 } else { 2.0 * solid.rough_volume() / size.powi(3) };
    inside + 2.0 * solid.area() / size.powi(2)
}

/// Share of the crossed edges whose ends are on the same side.
fn unresolved(band: &Band, records: &[Record]) -> f64 {
    let end = |point: [i32; 3]| band.vertices.get(pack(point)).is_some_and(|n| band.inside(n));
    let (mut same, mut all) = (0usize, 0usize);
    for edge in records.chunk_by(|a, b| a.key == b.key) {
        let (lower, direction) = edge_of(edge[0].key);
        all += 1;
        same += usize::from(end(lower) == end(add(lower, DIRECTIONS[direction])));
    }
    same as f64 / all.max(1) as f64
}

/// Keeps the nodes that are used, in the order in which they are.
fn compact(nodes: &Nodes, mut tets: Vec<[u32; 4]>) -> TetMesh {
    let mut numbers = vec![u32::MAX; nodes.positions.len()];
    let mut points = Vec::with_capacity(tets.len() / 4);
    for n in tets.iter_mut().flatten() {
        let number = &mut numbers[*n as usize];
        if *number == u32::MAX {
            *number = points.len() as u32;
            points.push(nodes.positions[*n as usize].0);
        }
        *n = *number;
    }
    TetMesh { points, tets }
}

/// Tries sizes until the count is right to a tenth: it falls with a power of the size between two and three.
fn search(
    solid: &Solid,
    settings: &StuffingSettings,
    target: usize,
    count: impl Fn(&TetMesh) -> usize,
) -> Result<(TetMesh, StuffingReport), ShapeError> {
    ShapeError::check_count("tetrahedra or nodes", target, 16)?;
    let per_tet = if matches!(settings.fineness, Fineness::Nodes(_)) { 4.5 } else { 1.0 };
    let tets = target as f64 * per_tet;
    // A solid with fewer than two tetrahedra per square of surface is not resolved, however long one tries.
    let finest = (2.0 * solid.area() / tets).sqrt();
    let mut size = first_size(solid, tets, settings.grading).max(finest);
    let mut best: Option<(f64, (TetMesh, StuffingReport))> = None;
    for _ in 0..6 {
        let found = stuff_cells(solid, size, settings);
        let ratio = match &found {
            Ok((mesh, _)) => count(mesh) as f64 / target as f64,
            Err(ShapeError::Unresolved { .. }) => 0.5,
            Err(_) => return found,
        };
        if let Ok(result) = found {
            let error = ratio.ln().abs();
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, result));
            }
        }
        let next = (size * ratio.powf(1.0 / 2.4)).max(finest);
        if (ratio - 1.0).abs() < 0.08 || next == size {
            break;
        }
        size = next;
    }
    best.map(|(_, result)| result).ok_or(ShapeError::Unresolved { size, needed: solid.thickness().min(0.5 * size) })
}

/// The size at which about as many tetrahedra come out. A cell inside has twelve, and one at the surface two more. With grading only so
/// many layers below the surface count; the law is a fit to meshes of 5 thousand to 500 thousand tetrahedra, good to 8 %.
fn first_size(solid: &Solid, tets: f64, graded: bool) -> f64 {
    let count = |size: f64| {
        let (cells, faces) = (solid.rough_volume() / size.powi(3), solid.area() / size.powi(2));
        let depth = cells / faces;
        if graded { faces * (12.4 * depth).min(36.7 * depth / (1.56 + depth)) } else { 12.0 * cells + 1.8 * faces }
    };
    let (mut low, mut high) = (1e-9 * solid.diagonal(), solid.diagonal());
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if count(middle) > tets { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod bounds_tests;
#[cfg(test)]
mod tests;
