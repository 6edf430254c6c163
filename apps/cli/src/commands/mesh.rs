//! `phyxel mesh`: a surface to tetrahedra or phyxels, with a report on what came of it.

use std::path::Path;
use std::time::Instant;

use phyxel::shape::quality::{
    Connection, DihedralHistogram, RadiusRatio, TetQuality, boundary_triangles, connected_components, hausdorff,
};
use phyxel::shape::{Geometry, RepairSettings, Resolution, Solid, TetMesh, TriMesh};
use phyxel_io::solid::{Content, Counted, FileOptions, Filling, fill, outside, read_solid};
use phyxel_io::{SurfaceFormat, TetFormat, write_points, write_surface, write_tet_mesh};
use serde::Serialize;

use crate::args::MeshArgs;
use crate::failure::Failure;
use crate::report;
use crate::threads::with_threads;

/// Elements when nothing is said about them.
const DEFAULT_COUNT: usize = 10_000;

/// What `mesh` tells.
#[derive(Debug, Serialize)]
struct MeshReport {
    input: InputReport,
    method: &'static str,
    nodes: usize,
    elements: usize,
    volume_m3: f64,
    /// Relative to the input's volume.
    volume_error: f64,
    min_dihedral_deg: Option<f64>,
    max_dihedral_deg: Option<f64>,
    /// Radius ratio of the worst tetrahedron, 1 for a regular one.
    min_quality: Option<f64>,
    mean_quality: Option<f64>,
    /// Largest distance between the boundary and the surface, both ways [m].
    hausdorff: Option<f64>,
    watertight: Option<bool>,
    components: Option<usize>,
    /// Edge of the cells, or distance between phyxels, at the surface [m].
    size_m: Option<f64>,
    /// For meshing alone, without reading, measuring and writing.
    seconds: f64,
    notes: Vec<String>,
    outputs: Vec<String>,
}

#[derive(Debug, Serialize)]
struct InputReport {
    triangles: usize,
    closed: bool,
    volume_m3: f64,
}

/// Runs the command.
pub fn mesh(args: &MeshArgs) -> Result<(), Failure> {
    with_threads(args.threads, |_| {
        let filling = filling(args)?;
        check_output(&args.output, filling.as_ref())?;
        let file = read_solid(&args.surface, &options(args)?).map_err(Failure::input)?;
        let (result, histogram) = match file.content {
            Content::Tets(mesh) if filling.is_none() => convert(args, mesh, file.notes)?,
            content => {
                let solid = match content {
                    Content::Surface(solid) => solid,
                    Content::Tets(mesh) => outside(&mesh).map_err(|e| input(&args.surface, e))?,
                };
                let filling = filling.unwrap_or(Filling::Stuffing { grading: true, features: None });
                cut(args, &solid, &filling, file.notes)?
            }
        };
        if args.tell.talks() {
            tell(args, &result, histogram.as_ref());
        }
        report::write(args.tell.json.as_deref(), &result)
    })
}

fn input(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::input(format!("`{}`: {error}", path.display()))
}

fn filling(args: &MeshArgs) -> Result<Option<Filling>, Failure> {
    let positive = |what: &str, value: Option<f64>| match value {
        Some(v) if !(v > 0.0 && v.is_finite()) => {
            Err(Failure::input(format!("--{what} is {v}: give a positive, finite number")))
        }
        _ => Ok(()),
    };
    for (what, value) in
        [("size", args.size), ("unit", Some(args.unit)), ("height", args.height), ("features", args.features)]
    {
        positive(what, value)?;
    }
    if args.count == Some(0) {
        return Err(Failure::input("--count is 0: give at least 1"));
    }
    let name = args.method.as_deref().or(args.features.map(|_| "stuffing"));
    let Some(name) = name else { return Ok(None) };
    let known = Filling::NAMES.join(", ");
    let unknown = || Failure::input(format!("--method {name} is not known; known: {known}"));
    let mut filling = Filling::named(name).ok_or_else(unknown)?;
    match &mut filling {
        Filling::Stuffing { grading, features } => {
            *grading = !args.uniform;
            *features = args.features.map(f64::to_radians);
        }
        _ if args.features.is_some() || args.uniform => {
            return Err(Failure::input(format!("--features and --uniform are for stuffing, not for {name}")));
        }
        Filling::Phyxels { levels, .. } => *levels = args.levels.unwrap_or(*levels),
        Filling::Cover => {}
    }
    Ok(Some(filling))
}

fn options(args: &MeshArgs) -> Result<FileOptions, Failure> {
    Ok(FileOptions {
        unit: args.unit,
        up: args.up.into(),
        height: args.height,
        origin: args.origin.into(),
        repair: if args.no_repair { RepairSettings::NONE } else { RepairSettings::default() },
    })
}

/// Refuses an output before the work is done, not after.
fn check_output(path: &Path, filling: Option<&Filling>) -> Result<(), Failure> {
    let phyxels = matches!(filling, Some(Filling::Phyxels { .. }));
    let known = if phyxels {
        matches!(extension(path).as_str(), "ply" | "csv" | "vtk")
    } else {
        TetFormat::of(path).is_some() || SurfaceFormat::of(path).is_some()
    };
    if known {
        return Ok(());
    }
    let formats = if phyxels {
        ".ply, .csv or .vtk"
    } else {
        ".msh, .node, .mesh, .vtk, .vtu or .usda (or .obj, .stl, .ply for the boundary alone)"
    };
    Err(Failure::input(format!("--output `{}` has no known extension: use {formats}", path.display())))
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase()
}

type Outcome = (MeshReport, Option<DihedralHistogram>);

fn cut(args: &MeshArgs, solid: &Solid, filling: &Filling, mut notes: Vec<String>) -> Result<Outcome, Failure> {
    let resolution = match (args.size, args.count) {
        (Some(size), _) => Resolution::Size(size),
        (None, count) => Resolution::Count(count.unwrap_or(DEFAULT_COUNT)),
    };
    let volume = solid.volume();
    let start = Instant::now();
    let filled = fill(solid, filling, &resolution, Counted::Elements).map_err(|e| input(&args.surface, e))?;
    let seconds = start.elapsed().as_secs_f64();
    notes.extend(filled.notes);
    let given = InputReport { triangles: solid.mesh().triangles.len(), closed: solid.closed(), volume_m3: volume };
    match filled.geometry {
        Geometry::Tets(mesh) => {
            measured(args, mesh, (given, Some(solid)), ("stuffing", seconds, notes), (None, filled.size))
        }
        Geometry::Embedded(body) => {
            let inside = body.volume();
            measured(args, body.mesh, (given, None), ("cover", seconds, notes), (Some(inside), None))
        }
        Geometry::Points(sampling) => {
            write_points(&args.output, &sampling).map_err(Failure::work)?;
            let inside: f64 = sampling.volumes.iter().sum();
            let result = MeshReport {
                method: args
                    .method
                    .as_deref()
                    .and_then(|m| Filling::NAMES.into_iter().find(|n| *n == m))
                    .unwrap_or("voxels"),
                nodes: sampling.points.len(),
                elements: sampling.points.len(),
                volume_m3: inside,
                volume_error: (inside - volume).abs() / volume,
                min_dihedral_deg: None,
                max_dihedral_deg: None,
                min_quality: None,
                mean_quality: None,
                hausdorff: None,
                watertight: None,
                components: None,
                size_m: Some(sampling.spacing),
                seconds,
                notes,
                outputs: vec![args.output.display().to_string()],
                input: given,
            };
            Ok((result, None))
        }
        Geometry::Springs(_) => Err(Failure::work("a surface is never filled with springs")),
    }
}

fn convert(args: &MeshArgs, mesh: TetMesh, notes: Vec<String>) -> Result<Outcome, Failure> {
    let triangles = boundary_triangles(&mesh.tets);
    let quality = TetQuality::of(&mesh);
    let given = InputReport { triangles: triangles.len(), closed: quality.watertight, volume_m3: quality.volume };
    measured(args, mesh, (given, None), ("as given", 0.0, notes), (None, None))
}

fn measured(
    args: &MeshArgs,
    mesh: TetMesh,
    (given, solid): (InputReport, Option<&Solid>),
    (method, seconds, notes): (&'static str, f64, Vec<String>),
    (inside, size): (Option<f64>, Option<f64>),
) -> Result<Outcome, Failure> {
    let quality = TetQuality::of(&mesh);
    let ratio = RadiusRatio::of(&mesh);
    let boundary = TriMesh { points: mesh.points.clone(), triangles: boundary_triangles(&mesh.tets) };
    let spacing = (quality.surface_area / boundary.triangles.len().max(1) as f64).sqrt();
    let distance = solid.map(|solid| {
        let both = hausdorff(&boundary, solid, 0.5 * spacing);
        both.to_surface.max(both.from_surface)
    });
    let volume = inside.unwrap_or(quality.volume);
    if TetFormat::of(&args.output).is_some() {
        write_tet_mesh(&args.output, &mesh).map_err(Failure::work)?;
    } else {
        write_surface(&args.output, &compact(&boundary)).map_err(Failure::work)?;
    }
    let (_, components) = connected_components(&mesh.tets, Connection::Faces);
    let histogram = DihedralHistogram::of(&mesh);
    let result = MeshReport {
        method,
        nodes: mesh.points.len(),
        elements: mesh.tets.len(),
        volume_m3: volume,
        volume_error: (volume - given.volume_m3).abs() / given.volume_m3,
        min_dihedral_deg: Some(quality.min_dihedral.to_degrees()),
        max_dihedral_deg: Some(quality.max_dihedral.to_degrees()),
        min_quality: Some(ratio.min),
        mean_quality: Some(ratio.mean),
        hausdorff: distance,
        watertight: Some(quality.watertight),
        components: Some(components),
        size_m: size,
        seconds,
        notes,
        outputs: vec![args.output.display().to_string()],
        input: given,
    };
    Ok((result, Some(histogram)))
}

/// A surface with the vertices that its triangles use, and no others.
fn compact(surface: &TriMesh) -> TriMesh {
    let mut place = vec![u32::MAX; surface.points.len()];
    let mut points = Vec::new();
    let mut renumber = |n: u32| {
        if place[n as usize] == u32::MAX {
            place[n as usize] = points.len() as u32;
            points.push(surface.points[n as usize]);
        }
        place[n as usize]
    };
    let triangles = surface.triangles.iter().map(|t| t.map(&mut renumber)).collect();
    TriMesh { points, triangles }
}

fn tell(args: &MeshArgs, result: &MeshReport, histogram: Option<&DihedralHistogram>) {
    let InputReport { triangles, closed, volume_m3 } = &result.input;
    let state = if *closed { "closed" } else { "open" };
    println!("{}: {triangles} triangles, {state}, {volume_m3:.6} m³", args.surface.display());
    result.notes.iter().for_each(|note| println!("  {note}"));
    println!(
        "{}: {} nodes, {} elements, {:.6} m³ ({:+.3} %), {:.3} s",
        result.method,
        result.nodes,
        result.elements,
        result.volume_m3,
        100.0 * (result.volume_m3 - volume_m3) / volume_m3,
        result.seconds
    );
    if let (Some(least), Some(most), Some(worst), Some(mean)) =
        (result.min_dihedral_deg, result.max_dihedral_deg, result.min_quality, result.mean_quality)
    {
        println!("dihedral angles {least:.1}° to {most:.1}°, radius ratio {worst:.3} to 1, {mean:.3} on average");
    }
    if let Some(distance) = result.hausdorff {
        let cells = result.size_m.map(|size| format!(", {:.2} of a cell", distance / size)).unwrap_or_default();
        println!("boundary and surface are at most {distance:.3e} m apart{cells}");
    }
    if let Some(histogram) = histogram {
        print!("{}", bars(histogram));
    }
    println!("written to {}", args.output.display());
}

/// The histogram as bars, ten degrees a line.
fn bars(histogram: &DihedralHistogram) -> String {
    const WIDTH: u64 = 50;
    let tens: Vec<u64> = histogram.counts.chunks(2).map(|pair| pair.iter().sum()).collect();
    let most = tens.iter().copied().max().unwrap_or(0).max(1);
    let line = |(k, count): (usize, &u64)| {
        let length = (count * WIDTH).div_ceil(most) as usize;
        format!("  {:>3}° to {:>3}°  {:>10}  {}\n", 10 * k, 10 * (k + 1), count, "#".repeat(length))
    };
    tens.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_longest() {
        let mut counts = [0; 36];
        (counts[12], counts[13], counts[18]) = (30, 20, 25);
        let text = bars(&DihedralHistogram { counts });
        let bar = |k: usize| text.lines().nth(k).map_or(0, |l| l.matches('#').count());
        assert_eq!((bar(6), bar(9), bar(0)), (50, 25, 0));
    }
}
