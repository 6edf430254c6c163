use super::*;
use crate::file::OutputError;
use phyxel::shape::TriMesh;

#[test]
fn what_is_written_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut mesh = super::stl::corner();
    mesh.points[1] = [0.1 + 0.2, 1e-7, -1.0 / 3.0];
    let formats = [
        (SurfaceFormat::Obj, "OBJ", "a.obj"),
        (SurfaceFormat::Stl, "binary STL", "a.stl"),
        (SurfaceFormat::StlText, "text STL", "b.stl"),
        (SurfaceFormat::Ply, "binary PLY", "a.ply"),
        (SurfaceFormat::PlyText, "text PLY", "b.ply"),
    ];
    for (format, name, file) in formats {
        let path = dir.path().join(file);
        write_surface_as(&path, &mesh, format).unwrap();
        let read = read_surface(&path, &SurfaceOptions::default()).unwrap();
        assert_eq!(read.format, name);
        let soup: Vec<[f64; 3]> = mesh.triangles.iter().flatten().map(|v| mesh.points[*v as usize]).collect();
        match format {
            SurfaceFormat::Stl => {
                let rounded: Vec<[f64; 3]> = soup.iter().map(|p| p.map(|c| f64::from(c as f32))).collect();
                assert_eq!(read.mesh.points, rounded);
            }
            SurfaceFormat::StlText => assert_eq!(read.mesh.points, soup),
            _ => assert_eq!(read.mesh, mesh),
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), formats.len(), "no temporary file is left");
}

#[test]
fn unknown_extensions_and_bad_indices_are_refused() {
    let mesh = super::stl::corner();
    let error = write_surface(Path::new("a.xyz"), &mesh).unwrap_err();
    assert!(matches!(error, OutputError::UnknownExtension { .. }));
    assert!(error.to_string().contains(".obj, .stl and .ply"));
    let bad = TriMesh { triangles: vec![[0, 1, 9]], ..mesh };
    assert!(matches!(write_surface(Path::new("a.obj"), &bad), Err(OutputError::BadIndex { index: 9, .. })));
}
