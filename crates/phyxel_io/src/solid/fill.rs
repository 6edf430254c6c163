//! Filling a solid with tetrahedra or phyxels.

use phyxel::scene::Method;
use phyxel::shape::quality::boundary_triangles;
use phyxel::shape::stuffing::{Fineness, StuffingReport, StuffingSettings, stuff};
use phyxel::shape::{
    Geometry, Resolution, Sampling, SamplingReport, SamplingSettings, ShapeError, Solid, TetMesh, TriMesh, cover,
};

/// How a solid is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filling {
    /// Tetrahedra whose boundary lies on the surface.
    Stuffing {
        /// Cells grow away from the surface.
        grading: bool,
        /// Edges of the surface that turn by more than this are kept where that leaves good tetrahedra [rad].
        features: Option<f64>,
    },
    /// Tetrahedra of coarse cubes that reach beyond the surface, which they carry.
    Cover,
    /// Phyxels.
    Phyxels {
        /// The layout.
        kind: Sampling,
        /// How many times cubes double away from the surface; octrees only.
        levels: usize,
    },
}

impl Filling {
    /// The names in scene files and on the command line.
    pub const NAMES: [&'static str; 5] = ["stuffing", "cover", "voxels", "bcc", "octree"];

    /// The filling of a name, with everything else as usual.
    pub fn named(name: &str) -> Option<Self> {
        let phyxels = |kind| Filling::Phyxels { kind, levels: SamplingSettings::default().levels };
        Some(match name {
            "stuffing" => Filling::Stuffing { grading: true, features: None },
            "cover" => Filling::Cover,
            "voxels" => phyxels(Sampling::Voxels),
            "bcc" => phyxels(Sampling::Bcc),
            "octree" => phyxels(Sampling::Octree),
            _ => return None,
        })
    }

    /// What a body of this method is usually filled with; `None` for springs.
    pub fn usual(method: Method) -> Option<Self> {
        match method {
            Method::Tet | Method::Edge | Method::Node | Method::Selective => Filling::named("stuffing"),
            Method::Mls => Filling::named("voxels"),
            Method::Spring => None,
        }
    }

    /// Whether bodies of this method can be made of it.
    pub fn suits(&self, method: Method) -> bool {
        match method {
            Method::Spring => false,
            Method::Mls => matches!(self, Filling::Phyxels { .. }),
            _ => !matches!(self, Filling::Phyxels { .. }),
        }
    }
}

/// A filled solid, and what was noticed on the way.
#[derive(Debug)]
pub struct Filled {
    /// The pieces.
    pub geometry: Geometry,
    /// What a person should know, in sentences.
    pub notes: Vec<String>,
    /// Edge of the cells, or distance between phyxels, at the surface [m]; nothing for what came with its cells.
    pub size: Option<f64>,
}

/// What a count means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Nodes, as in scenes.
    Nodes,
    /// Tetrahedra or phyxels, as for meshing.
    Elements,
}

/// Fills a solid.
///
/// # Errors
/// Whatever makes it impossible at this resolution, with the remedy.
pub fn fill(solid: &Solid, filling: &Filling, resolution: &Resolution, counted: Counted) -> Result<Filled, ShapeError> {
    match *filling {
        Filling::Stuffing { grading, features } => {
            let settings = StuffingSettings { grading, features, ..stuffing_settings(resolution, counted)? };
            let (mesh, report) = stuff(solid, &settings)?;
            Ok(Filled { geometry: Geometry::Tets(mesh), notes: stuffing_notes(&report), size: Some(report.size) })
        }
        Filling::Cover => {
            Ok(Filled { geometry: Geometry::Embedded(cover(solid, resolution)?), notes: Vec::new(), size: None })
        }
        Filling::Phyxels { kind, levels } => {
            let settings = SamplingSettings { kind, resolution: *resolution, levels };
            let (sampling, report) = settings.sample(solid)?;
            let size = Some(sampling.spacing);
            Ok(Filled { geometry: Geometry::Points(sampling), notes: sampling_notes(&report), size })
        }
    }
}

fn stuffing_settings(resolution: &Resolution, counted: Counted) -> Result<StuffingSettings, ShapeError> {
    match (*resolution, counted) {
        (Resolution::Count(count), Counted::Elements) => Ok(StuffingSettings::new(Fineness::Tets(count))),
        _ => StuffingSettings::from_resolution(resolution),
    }
}

fn stuffing_notes(report: &StuffingReport) -> Vec<String> {
    let mut notes = Vec::new();
    if report.crumbs > 0 {
        notes.push(format!(
            "{} loose crumbs of {:.1e} m³ in all were dropped: features there are thinner than the cells of {:.3e} m",
            report.crumbs, report.crumb_volume, report.size
        ));
    }
    if report.lost_parts > 0 {
        notes.push(format!(
            "{} parts of the surface are smaller than the cells of {:.3e} m and were left out: use a smaller size",
            report.lost_parts, report.size
        ));
    }
    notes
}

fn sampling_notes(report: &SamplingReport) -> Vec<String> {
    report.warning().into_iter().collect()
}

/// The outside of a mesh as a solid, for phyxels from a file of tetrahedra.
///
/// # Errors
/// When the tetrahedra enclose nothing.
pub fn outside(mesh: &TetMesh) -> Result<Solid, ShapeError> {
    Solid::new(TriMesh { points: mesh.points.clone(), triangles: boundary_triangles(&mesh.tets) })
}
