//! Models that the field uses, when they lie beside the repository.

use phyxel::shape::quality::enclosed_volume;
use phyxel::shape::{RepairReport, RepairSettings, TriMesh, repair};
use phyxel_io::surface::{SurfaceOptions, read_surface};
use std::path::Path;

/// Reads and repairs a model; nothing, with a line that says so, when it is not there.
fn model(name: &str) -> Option<(TriMesh, RepairReport)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if !path.is_file() {
        eprintln!("skipped: {name} is not beside the repository");
        return None;
    }
    let file = read_surface(&path, &SurfaceOptions::default()).unwrap();
    let (file, report) = file.repaired(&RepairSettings::default()).unwrap();
    eprintln!("{name}: {}", report.sentences().join("; "));
    Some((file.mesh, report))
}

#[test]
fn closed_models_are_closed_and_wound_outward() {
    for (name, faces) in [("armadillo.obj", 17_296), ("max-planck.obj", 19_996), ("spot.obj", 5_856)] {
        let Some((mesh, report)) = model(name) else { continue };
        assert_eq!(report.faces, faces, "{name}");
        assert!(report.closed, "{name}");
        assert_eq!((report.boundary_edges, report.non_manifold_edges, report.one_sided), (0, 0, 0), "{name}");
        assert!(enclosed_volume(&mesh) > 0.0, "{name}");
    }
}

#[test]
fn the_bunny_keeps_its_five_holes() {
    let Some((_, report)) = model("stanford-bunny.obj") else { return };
    assert_eq!((report.faces, report.boundary_edges, report.boundary_loops), (69_451, 223, 5));
    assert!(!report.closed);
}

#[test]
fn a_bunny_inside_out_is_turned_in_spite_of_its_holes() {
    let Some((mesh, _)) = model("stanford-bunny.obj") else { return };
    let inside_out = mesh.triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let given = TriMesh { points: mesh.points.clone(), triangles: inside_out };
    let (turned, report) = repair(given, &RepairSettings::default()).unwrap();
    assert_eq!((report.shells_turned, turned), (1, mesh));
}
