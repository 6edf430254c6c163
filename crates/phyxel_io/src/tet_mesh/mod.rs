//! Tetrahedral meshes in and out: Gmsh, TetGen, MEDIT, VTK, VTU and USD.
//!
//! The content decides which format a file is in, and the extension only for TetGen's pair of files, which have no mark.
//! Cells that are no four-node tetrahedra are counted and left out.

mod format;
mod gmsh;
mod medit;
mod meshb;
mod raw;
mod report;
#[cfg(test)]
mod tests;
mod tetgen;
mod usd;
mod vtk;
mod vtu;
mod write;

pub use format::TetFormat;
pub use report::TetMeshReport;
pub use write::{write_tet_mesh, write_tet_mesh_as};

use crate::input::{Axes, MeshFileError, Problem, Source, UpAxis, find};
use phyxel::shape::TetMesh;
use raw::Raw;
use std::path::Path;

/// Why a tetrahedral mesh could not be read.
pub type TetMeshError = MeshFileError;

type Result<T> = std::result::Result<T, MeshFileError>;

/// What a mesh file does not say about itself, and what is done about flat tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetMeshOptions {
    /// Metres per unit of the file. USD says it itself (`metersPerUnit`); this is a factor on top.
    pub unit: f64,
    /// The axis of the file that points up. Where USD says z itself, this is not asked.
    pub up: UpAxis,
    /// Leave out tetrahedra without volume, counted, instead of refusing the file.
    pub drop_flat: bool,
}

impl Default for TetMeshOptions {
    fn default() -> Self {
        TetMeshOptions { unit: 1.0, up: UpAxis::Y, drop_flat: false }
    }
}

const KNOWN: &str = "Gmsh .msh, TetGen .node/.ele, MEDIT .mesh and .meshb, VTK .vtk and .vtu, USD .usda";

/// Reads a tetrahedral mesh of any known format; of TetGen's two files either may be named.
///
/// Inverted tetrahedra are turned, duplicates and nodes that nothing uses are dropped, all counted in the report.
pub fn read_tet_mesh(path: &Path, options: &TetMeshOptions) -> Result<(TetMesh, TetMeshReport)> {
    read(&Source::read(path)?, options)
}

/// Reads a tetrahedral mesh from bytes; `name` stands in errors, and TetGen's other file is looked for beside it.
pub fn parse_tet_mesh(name: &Path, bytes: Vec<u8>, options: &TetMeshOptions) -> Result<(TetMesh, TetMeshReport)> {
    read(&Source::new(name, bytes)?, options)
}

fn read(source: &Source, options: &TetMeshOptions) -> Result<(TetMesh, TetMeshReport)> {
    let axes = Axes::new(options.unit, options.up).map_err(|problem| source.error(problem))?;
    let mut raw = Raw::new(axes);
    read_raw(source, &mut raw)?;
    raw.finish(source, options.drop_flat)
}

fn read_raw(source: &Source, raw: &mut Raw) -> Result<()> {
    let bytes = &source.bytes[..];
    let start = bytes.trim_ascii_start();
    let extension = source.extension();
    if start.starts_with(b"$") {
        gmsh::read(source, raw)
    } else if start.starts_with(b"# vtk DataFile") {
        vtk::read(source, raw)
    } else if start.starts_with(b"<") && find(&bytes[..bytes.len().min(4096)], b"<VTKFile").is_some() {
        vtu::read(source, raw)
    } else if start.starts_with(b"#usda") {
        usd::read(source, raw)
    } else if start.starts_with(b"PXR-USDC") || (start.starts_with(b"PK") && extension == "usdz") {
        let remedy = "save it as text (usdcat scene.usdc -o scene.usda)";
        Err(source.error(Problem::Unsupported { what: "binary or packed USD".into(), remedy }))
    } else if medit::is_text(source) {
        medit::read(source, raw)
    } else if meshb::is_binary(source) {
        meshb::read(source, raw)
    } else if matches!(extension.as_str(), "node" | "ele") && source.is_text() {
        tetgen::read(source, raw)
    } else {
        Err(source.error(Problem::UnknownFormat { what: "tetrahedral mesh", extension, known: KNOWN }))
    }
}
