//! The formats that tetrahedral meshes are written in.

use crate::input::extension;
use std::path::Path;

/// How a tetrahedral mesh is written. All keep every bit of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TetFormat {
    /// Gmsh 2.2 as text: the form that every program reads.
    Gmsh2,
    /// Gmsh 2.2 as bytes.
    Gmsh2Binary,
    /// Gmsh 4.1 as text.
    Gmsh4,
    /// Gmsh 4.1 as bytes.
    Gmsh4Binary,
    /// TetGen's `.node` and `.ele`, counted from zero.
    TetGen,
    /// MEDIT as text.
    Medit,
    /// MEDIT as bytes.
    MeditBinary,
    /// Legacy VTK as bytes.
    Vtk,
    /// Legacy VTK as text.
    VtkText,
    /// VTK's XML with raw bytes appended.
    Vtu,
    /// VTK's XML with numbers as text.
    VtuText,
    /// VTK's XML with base64 in its place.
    VtuBase64,
    /// USD as text: a `TetMesh` prim.
    Usd,
}

impl TetFormat {
    /// Every format.
    pub const ALL: [TetFormat; 13] = [
        TetFormat::Gmsh2,
        TetFormat::Gmsh2Binary,
        TetFormat::Gmsh4,
        TetFormat::Gmsh4Binary,
        TetFormat::TetGen,
        TetFormat::Medit,
        TetFormat::MeditBinary,
        TetFormat::Vtk,
        TetFormat::VtkText,
        TetFormat::Vtu,
        TetFormat::VtuText,
        TetFormat::VtuBase64,
        TetFormat::Usd,
    ];

    /// The format that an extension stands for: the first of those that share it.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = extension(path);
        let matches = |f: &TetFormat| f.extension() == extension || (*f == TetFormat::TetGen && extension == "ele");
        TetFormat::ALL.into_iter().find(matches)
    }

    /// The usual extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            TetFormat::Gmsh2 | TetFormat::Gmsh2Binary | TetFormat::Gmsh4 | TetFormat::Gmsh4Binary => "msh",
            TetFormat::TetGen => "node",
            TetFormat::Medit => "mesh",
            TetFormat::MeditBinary => "meshb",
            TetFormat::Vtk | TetFormat::VtkText => "vtk",
            TetFormat::Vtu | TetFormat::VtuText | TetFormat::VtuBase64 => "vtu",
            TetFormat::Usd => "usda",
        }
    }
}
