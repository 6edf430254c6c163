//! Surfaces in and out: OBJ, STL, PLY and glTF become triangles in metres with y up.
//!
//! The content decides which format a file is in; its name is asked only where the content says nothing.

mod ears;
mod found;
mod gltf;
mod mtl;
mod obj;
mod ply;
mod polygons;
mod sniff;
mod stl;
#[cfg(test)]
mod tests;
mod write;

pub use found::{Found, SurfaceMaterial};
pub use write::{SurfaceFormat, write_surface, write_surface_as};

use crate::input::{Axes, MeshFileError, Problem, Source, UpAxis};
use phyxel::shape::{RepairReport, RepairSettings, ShapeError, TriMesh, repair};
use sniff::Kind;
use std::path::Path;

/// Why a surface could not be read.
pub type SurfaceError = MeshFileError;

/// What a surface file does not say about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOptions {
    /// Metres per unit of the file.
    pub unit: f64,
    /// The axis of the file that points up.
    pub up: UpAxis,
}

impl Default for SurfaceOptions {
    fn default() -> Self {
        SurfaceOptions { unit: 1.0, up: UpAxis::Y }
    }
}

/// A surface as it was found in a file: not welded, not repaired. Data of corners has three entries per triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceFile {
    /// The triangles [m].
    pub mesh: TriMesh,
    /// Texture coordinates of the corners, v upward; glTF's are turned to that.
    pub uvs: Option<Vec<[[f32; 2]; 3]>>,
    /// Normals of the corners as given.
    pub normals: Option<Vec<[[f32; 3]; 3]>>,
    /// Colours of the corners: red, green, blue, opacity.
    pub colours: Option<Vec<[[u8; 4]; 3]>>,
    /// Materials that triangles name.
    pub materials: Vec<SurfaceMaterial>,
    /// The material of each triangle, an index into `materials`; nothing when the file has none.
    pub material_of: Option<Vec<Option<u32>>>,
    /// The format's name, such as `binary STL`.
    pub format: &'static str,
    /// What the file had, counted.
    pub found: Found,
}

impl SurfaceFile {
    /// Repairs the surface; data of corners and triangles goes along.
    pub fn repaired(self, settings: &RepairSettings) -> Result<(SurfaceFile, RepairReport), ShapeError> {
        let (mesh, report) = repair(self.mesh, settings)?;
        let file = SurfaceFile {
            mesh,
            uvs: self.uvs.map(|d| carried(&d, &report)),
            normals: self.normals.map(|d| turned_normals(carried(&d, &report), &report)),
            colours: self.colours.map(|d| carried(&d, &report)),
            material_of: self.material_of.map(|m| report.origins.iter().map(|o| m[o.triangle as usize]).collect()),
            ..self
        };
        Ok((file, report))
    }
}

/// Data of corners, in the order that faces have after a repair.
fn carried<T: Copy>(data: &[[T; 3]], report: &RepairReport) -> Vec<[T; 3]> {
    let corners = |o: &phyxel::shape::repair::FaceOrigin| {
        let [a, b, c] = data[o.triangle as usize];
        if o.turned { [a, c, b] } else { [a, b, c] }
    };
    report.origins.iter().map(corners).collect()
}

/// Normals of faces that were turned point to the other side now.
fn turned_normals(mut normals: Vec<[[f32; 3]; 3]>, report: &RepairReport) -> Vec<[[f32; 3]; 3]> {
    for (corners, _) in normals.iter_mut().zip(&report.origins).filter(|(_, o)| o.turned) {
        corners.iter_mut().flatten().for_each(|c| *c = -*c);
    }
    normals
}

/// Reads a surface file of any known format.
pub fn read_surface(path: &Path, options: &SurfaceOptions) -> Result<SurfaceFile, SurfaceError> {
    read(&Source::read(path)?, options)
}

/// Reads a surface from bytes; `name` stands in errors, helps to tell the format, and files that the surface refers to
/// are looked for beside it.
pub fn parse_surface(name: &Path, bytes: Vec<u8>, options: &SurfaceOptions) -> Result<SurfaceFile, SurfaceError> {
    read(&Source::new(name, bytes)?, options)
}

fn read(source: &Source, options: &SurfaceOptions) -> Result<SurfaceFile, SurfaceError> {
    let axes = Axes::new(options.unit, options.up).map_err(|p| source.error(p))?;
    let file = match sniff::kind(source)? {
        Kind::Obj => obj::read(source, axes),
        Kind::StlText => stl::read_text(source, axes),
        Kind::StlBinary => stl::read_binary(source, axes),
        Kind::Ply => ply::read(source, axes),
        Kind::Gltf => gltf::read(source, axes),
    }?;
    if file.mesh.triangles.is_empty() {
        let skipped = file.found.skipped_words();
        return Err(source.error(Problem::Nothing {
            what: "triangles",
            skipped,
            remedy: "export the object as a mesh with faces",
        }));
    }
    Ok(file)
}
