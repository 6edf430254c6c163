//! Surfaces out: OBJ, STL and PLY.

use crate::file::{AtomicFile, OutputError};
use crate::input::extension;
use phyxel::shape::TriMesh;
use std::io::{self, Write};
use std::path::Path;

/// How a surface is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFormat {
    /// Wavefront OBJ, exact.
    Obj,
    /// STL as bytes: rounded to `f32`, each triangle with corners of its own.
    Stl,
    /// STL as text, exact, each triangle with corners of its own.
    StlText,
    /// PLY as bytes, exact.
    Ply,
    /// PLY as text, exact.
    PlyText,
}

impl SurfaceFormat {
    /// The format that an extension stands for.
    pub fn of(path: &Path) -> Option<Self> {
        Some(match extension(path).as_str() {
            "obj" => SurfaceFormat::Obj,
            "stl" => SurfaceFormat::Stl,
            "ply" => SurfaceFormat::Ply,
            _ => return None,
        })
    }
}

/// Writes a surface in the format of the extension: `.obj`, `.stl` or `.ply`.
pub fn write_surface(path: &Path, surface: &TriMesh) -> Result<(), OutputError> {
    let unknown = || OutputError::UnknownExtension { path: path.to_path_buf(), known: ".obj, .stl and .ply" };
    write_surface_as(path, surface, SurfaceFormat::of(path).ok_or_else(unknown)?)
}

/// Writes a surface in a given format, whatever the file is called.
pub fn write_surface_as(path: &Path, surface: &TriMesh, format: SurfaceFormat) -> Result<(), OutputError> {
    check(path, surface)?;
    AtomicFile::write(path, |w| match format {
        SurfaceFormat::Obj => write_obj(w, surface),
        SurfaceFormat::Stl => write_stl(w, surface),
        SurfaceFormat::StlText => write_stl_text(w, surface),
        SurfaceFormat::Ply => write_ply(w, surface, false),
        SurfaceFormat::PlyText => write_ply(w, surface, true),
    })
}

fn check(path: &Path, surface: &TriMesh) -> Result<(), OutputError> {
    let count = surface.points.len();
    match surface.triangles.iter().flatten().find(|v| **v as usize >= count) {
        None => Ok(()),
        Some(&index) => {
            let body = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(OutputError::BadIndex { body, what: "triangles", index, count })
        }
    }
}

fn write_obj(w: &mut impl Write, surface: &TriMesh) -> io::Result<()> {
    writeln!(w, "# phyxel, metres, y up")?;
    for [x, y, z] in &surface.points {
        writeln!(w, "v {x:?} {y:?} {z:?}")?;
    }
    for t in &surface.triangles {
        let [a, b, c] = t.map(|v| u64::from(v) + 1);
        writeln!(w, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// Corners of each triangle with the unit normal in front.
fn records(surface: &TriMesh) -> impl Iterator<Item = [[f64; 3]; 4]> + '_ {
    surface.triangles.iter().map(|t| {
        let [a, b, c] = t.map(|v| surface.points[v as usize]);
        let (u, v): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let length = n.iter().map(|c| c * c).sum::<f64>().sqrt();
        let n = if length > 0.0 { n.map(|c| c / length) } else { [0.0; 3] };
        [n, a, b, c]
    })
}

fn write_stl(w: &mut impl Write, surface: &TriMesh) -> io::Result<()> {
    // The header must not begin with the word `solid`, which is how text begins.
    let mut header = [b' '; 80];
    let words = b"phyxel, metres, y up";
    header[..words.len()].copy_from_slice(words);
    w.write_all(&header)?;
    w.write_all(&(surface.triangles.len() as u32).to_le_bytes())?;
    for record in records(surface) {
        for number in record.as_flattened() {
            w.write_all(&(*number as f32).to_le_bytes())?;
        }
        w.write_all(&[0; 2])?;
    }
    Ok(())
}

fn write_stl_text(w: &mut impl Write, surface: &TriMesh) -> io::Result<()> {
    writeln!(w, "solid phyxel")?;
    for [n, corners @ ..] in records(surface) {
        writeln!(w, "  facet normal {:e} {:e} {:e}\n    outer loop", n[0], n[1], n[2])?;
        for [x, y, z] in corners {
            writeln!(w, "      vertex {x:e} {y:e} {z:e}")?;
        }
        writeln!(w, "    endloop\n  endfacet")?;
    }
    writeln!(w, "endsolid phyxel")
}

fn write_ply(w: &mut impl Write, surface: &TriMesh, text: bool) -> io::Result<()> {
    let encoding = if text { "ascii" } else { "binary_little_endian" };
    writeln!(w, "ply\nformat {encoding} 1.0\ncomment phyxel, metres, y up\nelement vertex {}", surface.points.len())?;
    writeln!(w, "property double x\nproperty double y\nproperty double z")?;
    writeln!(w, "element face {}\nproperty list uchar int vertex_indices\nend_header", surface.triangles.len())?;
    for p in &surface.points {
        if text {
            writeln!(w, "{:?} {:?} {:?}", p[0], p[1], p[2])?;
        } else {
            p.iter().try_for_each(|c| w.write_all(&c.to_le_bytes()))?;
        }
    }
    for t in &surface.triangles {
        if text {
            writeln!(w, "3 {} {} {}", t[0], t[1], t[2])?;
        } else {
            w.write_all(&[3])?;
            t.iter().try_for_each(|v| w.write_all(&v.to_le_bytes()))?;
        }
    }
    Ok(())
}
