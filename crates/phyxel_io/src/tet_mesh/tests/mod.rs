mod bad;
mod samples;
mod vtk_samples;

use super::*;
use crate::file::OutputError;

pub(super) fn parse(name: &str, bytes: impl AsRef<[u8]>) -> Result<(TetMesh, TetMeshReport)> {
    parse_tet_mesh(Path::new(name), bytes.as_ref().to_vec(), &TetMeshOptions::default())
}

/// The display of the error.
pub(super) fn complaint(name: &str, bytes: impl AsRef<[u8]>) -> String {
    parse(name, bytes).expect_err("a file that cannot be read").to_string()
}

/// Two tetrahedra on a common face, with coordinates that need all their digits.
pub(super) fn two() -> TetMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.1 + 0.2], [1.0 / 3.0, 2.0, 1e-7]];
    TetMesh { points, tets: vec![[0, 1, 2, 3], [1, 4, 2, 3]] }
}

#[test]
fn every_format_gives_back_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    for (i, format) in TetFormat::ALL.into_iter().enumerate() {
        let path = dir.path().join(format!("{i}.{}", format.extension()));
        write_tet_mesh_as(&path, &two(), format).unwrap();
        let (mesh, report) = read_tet_mesh(&path, &TetMeshOptions::default()).unwrap();
        assert_eq!(mesh, two(), "{format:?}");
        assert_eq!((report.nodes, report.tets, report.turned), (5, 2, 0), "{format:?}");
        assert_eq!(report.sentences(), [format!("read 5 nodes and 2 tetrahedra ({})", report.format)]);
    }
    let files = TetFormat::ALL.len() + 1;
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), files, "TetGen has two, and no temporary file is left");
}

#[test]
fn a_larger_mesh_goes_through_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let n = 6u32;
    let at = |x: u32, y: u32, z: u32| (x * (n + 1) + y) * (n + 1) + z;
    let nodes = (0..(n + 1).pow(3)).map(|i| [i / (n + 1).pow(2), i / (n + 1) % (n + 1), i % (n + 1)]);
    let points = nodes.map(|p| p.map(|c| f64::from(c) / 7.0)).collect();
    let mut tets = Vec::new();
    for cell in 0..n.pow(3) {
        let [x, y, z] = [cell / (n * n), cell / n % n, cell % n];
        // Kuhn's six tetrahedra around the diagonal of a cube, every other one given inside out.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut corner = [x, y, z];
            let mut tet = [at(x, y, z); 4];
            for (k, axis) in order.into_iter().enumerate() {
                corner[axis] += 1;
                tet[k + 1] = at(corner[0], corner[1], corner[2]);
            }
            tets.push(tet);
        }
    }
    let given = TetMesh { points, tets };
    let six_volume = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|n| given.points[n as usize]);
        let [u, v, w]: [[f64; 3]; 3] = [b, c, d].map(|p| std::array::from_fn(|k| p[k] - a[k]));
        u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
    };
    for format in TetFormat::ALL {
        let path = dir.path().join(format!("{format:?}.{}", format.extension()));
        write_tet_mesh_as(&path, &given, format).unwrap();
        let (mesh, report) = read_tet_mesh(&path, &TetMeshOptions::default()).unwrap();
        assert_eq!(mesh.points, given.points, "{format:?}");
        assert_eq!(report.turned, given.tets.len() / 2);
        assert!(mesh.tets.iter().all(|t| six_volume(t) > 0.0));
        let volume: f64 = mesh.tets.iter().map(six_volume).sum::<f64>() / 6.0;
        assert!((volume - (6.0_f64 / 7.0).powi(3)).abs() < 1e-13, "{format:?}: {volume}");
    }
}

#[test]
fn the_extension_names_the_format() {
    let dir = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.msh", "Gmsh 2.2, text"),
        ("b.node", "TetGen"),
        ("c.ele", "TetGen"),
        ("d.mesh", "MEDIT"),
        ("d.meshb", "MEDIT, binary"),
        ("e.vtk", "VTK, binary"),
        ("f.VTU", "VTU"),
        ("g.usda", "USD, text"),
    ] {
        let path = dir.path().join(name);
        write_tet_mesh(&path, &two()).unwrap();
        let (mesh, report) = read_tet_mesh(&path, &TetMeshOptions::default()).unwrap();
        assert_eq!((mesh, report.format), (two(), format));
    }
    let error = write_tet_mesh(&dir.path().join("a.stl"), &two()).unwrap_err();
    assert!(matches!(error, OutputError::UnknownExtension { .. }) && error.to_string().contains(".msh"), "{error}");
    let bad = TetMesh { tets: vec![[0, 1, 2, 9]], ..two() };
    let error = write_tet_mesh(&dir.path().join("a.msh"), &bad).unwrap_err();
    assert!(matches!(error, OutputError::BadIndex { index: 9, count: 5, .. }));
}

#[test]
fn unit_and_axis_are_applied_and_a_turn_is_no_mirror() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mesh");
    write_tet_mesh(&path, &two()).unwrap();
    let options = TetMeshOptions { unit: 0.5, up: UpAxis::Z, ..TetMeshOptions::default() };
    let (mesh, report) = read_tet_mesh(&path, &options).unwrap();
    assert_eq!(mesh.points[4], [0.5 / 3.0, 0.5e-7, -1.0]);
    assert_eq!(report.turned, 0);
}
