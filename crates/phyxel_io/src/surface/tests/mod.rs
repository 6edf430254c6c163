mod bad;
mod gltf;
mod obj;
mod ply;
mod stl;
mod written;

use super::*;
use phyxel::shape::quality::{enclosed_volume, is_watertight};

pub(super) fn parse(name: &str, bytes: impl AsRef<[u8]>) -> Result<SurfaceFile, SurfaceError> {
    parse_surface(Path::new(name), bytes.as_ref().to_vec(), &SurfaceOptions::default())
}

/// The display of the error.
pub(super) fn complaint(name: &str, bytes: impl AsRef<[u8]>) -> String {
    parse(name, bytes).expect_err("a file that cannot be read").to_string()
}

/// A box of 1 by 2 by 3 as quads, wound outward; its first corner is the origin.
pub(super) const BOX_OBJ: &str = "\
# a box
o box
v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0
v 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
";

/// Closed, wound outward, and of the volume 6.
pub(super) fn assert_box(file: &SurfaceFile) {
    let (file, report) = file.clone().repaired(&RepairSettings::default()).unwrap();
    assert_eq!((file.mesh.points.len(), file.mesh.triangles.len()), (8, 12));
    assert!(is_watertight(&file.mesh.triangles) && report.closed);
    assert!((enclosed_volume(&file.mesh) - 6.0).abs() < 1e-12);
}
