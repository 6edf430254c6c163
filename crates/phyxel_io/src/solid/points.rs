//! Phyxels out: PLY, CSV and legacy VTK, each with position, volume, spacing and whether it is at the surface.

use crate::OutputError;
use crate::file::AtomicFile;
use phyxel::shape::PointSampling;
use std::io::{self, Write};
use std::path::Path;

/// Writes phyxels in the format of the extension: `.ply` and `.vtk` for viewers, anything else as CSV.
///
/// # Errors
/// When the file cannot be written; nothing half-written is left.
pub fn write_points(path: &Path, sampling: &PointSampling) -> Result<(), OutputError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    AtomicFile::write(path, |out| match extension.as_str() {
        "ply" => ply(out, sampling),
        "vtk" => vtk(out, sampling),
        _ => csv(out, sampling),
    })
}

/// Position, volume, spacing, boundary of each phyxel.
fn rows(sampling: &PointSampling) -> impl Iterator<Item = ([f64; 3], f64, f64, u8)> + '_ {
    (0..sampling.points.len()).map(|i| {
        let spacing = sampling.spacings.get(i).copied().unwrap_or(sampling.spacing);
        (sampling.points[i], sampling.volumes[i], spacing, u8::from(sampling.boundary[i]))
    })
}

fn csv(out: &mut dyn Write, sampling: &PointSampling) -> io::Result<()> {
    writeln!(out, "x_m,y_m,z_m,volume_m3,spacing_m,boundary")?;
    rows(sampling).try_for_each(|([x, y, z], volume, spacing, b)| writeln!(out, "{x},{y},{z},{volume},{spacing},{b}"))
}

fn ply(out: &mut dyn Write, sampling: &PointSampling) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", sampling.points.len())?;
    for name in ["x", "y", "z", "volume", "spacing"] {
        writeln!(out, "property double {name}")?;
    }
    writeln!(out, "property uchar boundary\nend_header")?;
    for ([x, y, z], volume, spacing, boundary) in rows(sampling) {
        for number in [x, y, z, volume, spacing] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&[boundary])?;
    }
    Ok(())
}

fn vtk(out: &mut dyn Write, sampling: &PointSampling) -> io::Result<()> {
    let count = sampling.points.len();
    writeln!(out, "# vtk DataFile Version 3.0\nphyxels\nASCII\nDATASET POLYDATA\nPOINTS {count} double")?;
    for [x, y, z] in &sampling.points {
        writeln!(out, "{x} {y} {z}")?;
    }
    writeln!(out, "VERTICES {count} {}", 2 * count)?;
    for i in 0..count {
        writeln!(out, "1 {i}")?;
    }
    writeln!(out, "POINT_DATA {count}")?;
    for (name, column) in [("volume", 0), ("spacing", 1), ("boundary", 2)] {
        writeln!(out, "SCALARS {name} double 1\nLOOKUP_TABLE default")?;
        for (_, volume, spacing, boundary) in rows(sampling) {
            writeln!(out, "{}", [volume, spacing, f64::from(boundary)][column])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel::shape::structured::box_points;

    #[test]
    fn every_phyxel_is_in_every_format() {
        let sampling = box_points([2, 2, 2], [0.0; 3], [1.0; 3]).expect("a block");
        let folder = tempfile::tempdir().expect("a folder");
        let text = |name: &str| {
            let path = folder.path().join(name);
            write_points(&path, &sampling).expect("written");
            std::fs::read(path).expect("there")
        };
        let csv = String::from_utf8(text("a.csv")).expect("text");
        assert_eq!(csv.lines().count(), 28);
        let volume: f64 =
            csv.lines().skip(1).filter_map(|l| l.split(',').nth(3)).map(|v| v.parse::<f64>().unwrap()).sum();
        assert!((volume - 1.0).abs() < 1e-12);
        let ply = text("a.ply");
        let header = ply.windows(11).position(|w| w == b"end_header\n").expect("a header") + 11;
        assert_eq!(ply.len() - header, 27 * 41);
        let vtk = String::from_utf8(text("a.vtk")).expect("text");
        assert!(vtk.contains("POINTS 27 double") && vtk.contains("SCALARS boundary"));
    }
}
