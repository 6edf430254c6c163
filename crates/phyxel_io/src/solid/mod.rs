//! From a file to a body: a surface is read, repaired, placed and filled; a mesh of tetrahedra is taken as it is.

mod fill;
mod look;
mod points;

pub use fill::{Counted, Filled, Filling, fill, outside};
pub use look::Dressing;
pub use points::write_points;

use crate::input::{MeshFileError, UpAxis};
use crate::surface::{SurfaceOptions, read_surface};
use crate::tet_mesh::{TetFormat, TetMeshOptions, read_tet_mesh};
use phyxel::shape::{RepairReport, RepairSettings, ShapeError, Solid, TetMesh, TriMesh};
use std::path::Path;
use thiserror::Error;

/// Why a file did not become a body.
#[derive(Debug, Error)]
pub enum SolidError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] MeshFileError),
    /// What it holds cannot be filled.
    #[error("`{file}`: {source}")]
    Shape {
        /// The file.
        file: String,
        /// Why.
        source: ShapeError,
    },
}

/// Where the origin of a body from a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Origin {
    /// Where the file has it.
    #[default]
    File,
    /// In the middle of the box around the shape.
    Centre,
    /// In the middle of the bottom of that box.
    Base,
}

impl Origin {
    /// The names in scene files and on the command line.
    pub const NAMES: [(&'static str, Origin); 3] =
        [("file", Origin::File), ("centre", Origin::Centre), ("base", Origin::Base)];
}

/// What a file does not say about itself, and what is done to what it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileOptions {
    /// Metres per unit of the file.
    pub unit: f64,
    /// The axis of the file that points up.
    pub up: UpAxis,
    /// Height to which the shape is scaled, instead of the unit [m].
    pub height: Option<f64>,
    /// Where the origin lies.
    pub origin: Origin,
    /// Which repairs are made to surfaces.
    pub repair: RepairSettings,
}

impl Default for FileOptions {
    fn default() -> Self {
        FileOptions { unit: 1.0, up: UpAxis::Y, height: None, origin: Origin::File, repair: RepairSettings::default() }
    }
}

/// What was in a file.
#[derive(Debug)]
pub enum Content {
    /// A surface that knows its inside.
    Surface(Solid),
    /// Tetrahedra.
    Tets(TetMesh),
}

/// A file's content, and what was noticed on the way.
#[derive(Debug)]
pub struct SolidFile {
    /// What was in it.
    pub content: Content,
    /// Its colours and textures.
    pub dressing: Dressing,
    /// What was found and repaired, in sentences.
    pub notes: Vec<String>,
    /// What of that its maker should know: the file is not what it seems.
    pub flaws: Vec<String>,
}

/// Reads a surface (OBJ, STL, PLY, glTF) or a mesh of tetrahedra (Gmsh, TetGen, MEDIT, VTK, USD); the extension tells
/// which of the two.
///
/// # Errors
/// A sentence that names the file and the place in it, or says why what it holds has no inside.
pub fn read_solid(path: &Path, options: &FileOptions) -> Result<SolidFile, SolidError> {
    if TetFormat::of(path).is_some() { read_tets(path, options) } else { read_surface_file(path, options) }
}

fn read_tets(path: &Path, options: &FileOptions) -> Result<SolidFile, SolidError> {
    let reading = TetMeshOptions { unit: options.unit, up: options.up, drop_flat: true };
    let (mut mesh, report) = read_tet_mesh(path, &reading)?;
    place(&mut mesh.points, options);
    Ok(SolidFile {
        content: Content::Tets(mesh),
        dressing: Dressing::default(),
        notes: report.sentences(),
        flaws: Vec::new(),
    })
}

fn read_surface_file(path: &Path, options: &FileOptions) -> Result<SolidFile, SolidError> {
    let fail = |source| SolidError::Shape { file: path.display().to_string(), source };
    let file = read_surface(path, &SurfaceOptions { unit: options.unit, up: options.up })?;
    let mut notes = file.found.sentences();
    let missing = file.found.missing.clone();
    let (file, report) = file.repaired(&options.repair).map_err(fail)?;
    let flaws = flaws(&report, &missing);
    notes.extend(report.sentences());
    let TriMesh { mut points, triangles } = file.mesh.clone();
    place(&mut points, options);
    let solid = Solid::new(TriMesh { points, triangles }).map_err(fail)?;
    let dressing = Dressing::of(&file, solid.mesh(), path.parent().unwrap_or(Path::new("")));
    Ok(SolidFile { content: Content::Surface(solid), dressing, notes, flaws })
}

/// What is wrong with a surface and with what it names, in sentences that follow the name of its body.
fn flaws(report: &RepairReport, missing: &[String]) -> Vec<String> {
    let counted = [
        (report.degenerate, "face", "without area, dropped"),
        (report.duplicates, "face", "given twice, dropped"),
        (report.turned, "face", "wound against its neighbours, turned"),
        (report.shells_turned, "part", "inside out, turned"),
        (report.boundary_edges, "edge", "with one face only: it is not closed"),
        (report.non_manifold_edges, "edge", "with three or more faces: parts touch or cross there"),
        (report.one_sided, "part", "with one side only and no inside"),
    ];
    let number = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let found = counted.into_iter().filter(|c| c.0 > 0);
    let mut flaws: Vec<String> =
        found.map(|(count, what, how)| format!("its file has {} {how}", number(count, what))).collect();
    let lost = |name: &String| format!("its file names `{name}`, which could not be read: it is drawn without");
    flaws.extend(missing.iter().map(lost));
    flaws
}

/// Scales and shifts points as the options ask.
fn place(points: &mut [[f64; 3]], options: &FileOptions) {
    let bound = |points: &[[f64; 3]], pick: fn(f64, f64) -> f64, start: f64| -> [f64; 3] {
        std::array::from_fn(|a| points.iter().map(|p| p[a]).fold(start, pick))
    };
    let low = bound(points, f64::min, f64::INFINITY);
    let high = bound(points, f64::max, f64::NEG_INFINITY);
    let tall = high[1] - low[1];
    let scale = options.height.filter(|_| tall > 0.0).map_or(1.0, |height| height / tall);
    let middle: [f64; 3] = std::array::from_fn(|a| 0.5 * (low[a] + high[a]));
    let origin = match options.origin {
        Origin::File => [0.0; 3],
        Origin::Centre => middle,
        Origin::Base => [middle[0], low[1], middle[2]],
    };
    if scale == 1.0 && origin == [0.0; 3] {
        return;
    }
    for p in points {
        *p = std::array::from_fn(|a| (p[a] - origin[a]) * scale);
    }
}
