//! Tetrahedral meshes out, each file under a temporary name until it is whole.

use super::{TetFormat, gmsh, medit, meshb, tetgen, usd, vtk, vtu};
use crate::file::{AtomicFile, OutputError};
use phyxel::shape::TetMesh;
use std::path::Path;

const KNOWN: &str = ".msh (Gmsh), .node or .ele (TetGen), .mesh or .meshb (MEDIT), .vtk, .vtu and .usda";

/// Writes a mesh in the format of the extension; TetGen's two files lie side by side.
pub fn write_tet_mesh(path: &Path, mesh: &TetMesh) -> Result<(), OutputError> {
    let unknown = || OutputError::UnknownExtension { path: path.to_path_buf(), known: KNOWN };
    write_tet_mesh_as(path, mesh, TetFormat::of(path).ok_or_else(unknown)?)
}

/// Writes a mesh in a given format, whatever the file is called (TetGen's are always `.node` and `.ele`).
pub fn write_tet_mesh_as(path: &Path, mesh: &TetMesh, format: TetFormat) -> Result<(), OutputError> {
    check(path, mesh)?;
    if format == TetFormat::TetGen {
        AtomicFile::write(&path.with_extension("node"), |w| tetgen::write_nodes(w, mesh))?;
        return AtomicFile::write(&path.with_extension("ele"), |w| tetgen::write_elements(w, mesh));
    }
    AtomicFile::write(path, |w| match format {
        TetFormat::Gmsh2 => gmsh::write_2(w, mesh, false),
        TetFormat::Gmsh2Binary => gmsh::write_2(w, mesh, true),
        TetFormat::Gmsh4 => gmsh::write_4(w, mesh, false),
        TetFormat::Gmsh4Binary => gmsh::write_4(w, mesh, true),
        TetFormat::TetGen => Ok(()),
        TetFormat::Medit => medit::write(w, mesh),
        TetFormat::MeditBinary => meshb::write(w, mesh),
        TetFormat::Vtk => vtk::write(w, mesh, true),
        TetFormat::VtkText => vtk::write(w, mesh, false),
        TetFormat::Vtu => vtu::write(w, mesh, vtu::Arrays::Appended),
        TetFormat::VtuText => vtu::write(w, mesh, vtu::Arrays::Text),
        TetFormat::VtuBase64 => vtu::write(w, mesh, vtu::Arrays::Base64),
        TetFormat::Usd => usd::write(w, mesh),
    })
}

fn check(path: &Path, mesh: &TetMesh) -> Result<(), OutputError> {
    let count = mesh.points.len();
    match mesh.tets.iter().flatten().find(|n| **n as usize >= count) {
        None => Ok(()),
        Some(&index) => {
            let body = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(OutputError::BadIndex { body, what: "tetrahedra", index, count })
        }
    }
}
