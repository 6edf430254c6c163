//! Stuffs a surface with tetrahedra and says how good they are: `cargo run --release --example stuff -- bunny.obj 50000`.

use phyxel::shape::quality::{
    Connection, Hausdorff, RadiusRatio, TetQuality, boundary_triangles, connected_components, hausdorff, is_watertight,
};
use phyxel::shape::stuffing::{Fineness, StuffingSettings, stuff};
use phyxel::shape::{Solid, TriMesh};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, count, more @ ..] = &arguments[..] else { return Err("give a file and a number of tetrahedra".into()) };
    let surface = read(&std::fs::read_to_string(path)?)?;
    let start = Instant::now();
    let solid = Solid::new(surface)?;
    let taken = start.elapsed().as_secs_f64();
    let number: f64 = count.parse()?;
    let fineness = if number < 16.0 { Fineness::Size(number) } else { Fineness::Tets(number as usize) };
    let mut settings = StuffingSettings::new(fineness);
    settings.grading = !more.iter().any(|m| m == "uniform");
    if let Some(times) = more.iter().find_map(|m| m.strip_prefix("repeat=")) {
        return repeat(solid.mesh(), &settings, times.parse()?);
    }
    let start = Instant::now();
    let (mesh, report) = stuff(&solid, &settings)?;
    println!("solid {taken:.4} s, stuffing {:.4} s", start.elapsed().as_secs_f64());
    println!("{} tetrahedra, {} nodes, {report:?}", mesh.tets.len(), mesh.points.len());
    if more.iter().any(|m| m == "quiet") {
        return Ok(());
    }
    let quality = TetQuality::of(&mesh);
    let volume = solid.volume();
    println!("volume {:.6e} of {volume:.6e}: off by {:.3} %", quality.volume, 100.0 * (quality.volume / volume - 1.0));
    let degrees = [quality.min_dihedral, quality.max_dihedral].map(f64::to_degrees);
    println!("dihedral angles {degrees:?}, least volume {:e}", quality.min_volume);
    let start = Instant::now();
    let watertight = is_watertight(&boundary_triangles(&mesh.tets));
    println!("boundary found in {:.4} s, watertight {watertight}", start.elapsed().as_secs_f64());
    let boundary = TriMesh { points: mesh.points.clone(), triangles: boundary_triangles(&mesh.tets) };
    let Hausdorff { to_surface, from_surface, .. } = hausdorff(&boundary, &solid, 0.2 * report.size);
    let [to, from] = [to_surface, from_surface].map(|d| d / report.size);
    println!("{} boundary triangles; in cells: boundary to surface {to:.3}, back {from:.3}", boundary.triangles.len());
    let (_, faces) = connected_components(&mesh.tets, Connection::Faces);
    let (_, nodes) = connected_components(&mesh.tets, Connection::Nodes);
    println!("{faces} pieces by faces, {nodes} by nodes; {:?}", RadiusRatio::of(&mesh));
    assert!(watertight && quality.min_volume > 0.0 && degrees[0] > 10.0 && degrees[1] < 165.0);
    Ok(())
}

/// Says how many tetrahedra come out per second of all threads' time, the surface's tree included (Linux).
fn repeat(surface: &TriMesh, settings: &StuffingSettings, times: usize) -> Result<(), Box<dyn std::error::Error>> {
    let ticks = || -> Result<f64, Box<dyn std::error::Error>> {
        let stat = std::fs::read_to_string("/proc/self/stat")?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        Ok(fields[11].parse::<f64>()? + fields[12].parse::<f64>()?)
    };
    let (before, mut tets) = (ticks()?, 0);
    for _ in 0..times {
        tets += stuff(&Solid::new(surface.clone())?, settings)?.0.tets.len();
    }
    let seconds = (ticks()? - before) / 100.0;
    println!("{} tetrahedra in {:.4} s: {:.0} per second", tets / times, seconds / times as f64, tets as f64 / seconds);
    Ok(())
}

/// Vertices and faces of an OBJ file.
fn read(text: &str) -> Result<TriMesh, Box<dyn std::error::Error>> {
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f64> = words.take(3).map(str::parse).collect::<Result<_, _>>()?;
                mesh.points.push([numbers[0], numbers[1], numbers[2]]);
            }
            Some("f") => {
                let index = |w: &str| w.split('/').next().unwrap_or("").parse::<u32>().map(|i| i - 1);
                let face: Vec<u32> = words.map(index).collect::<Result<_, _>>()?;
                mesh.triangles.extend((2..face.len()).map(|k| [face[0], face[k - 1], face[k]]));
            }
            _ => {}
        }
    }
    Ok(mesh)
}
