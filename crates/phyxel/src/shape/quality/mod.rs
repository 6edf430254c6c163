//! How good a mesh is: angles, volumes, pieces, its outside, and how far that is from a surface.

mod groups;
mod hausdorff;
mod histogram;
mod outside;
mod pieces;

pub use hausdorff::{Hausdorff, hausdorff};
pub use histogram::{DihedralHistogram, RadiusRatio, radius_ratio};
pub use outside::{boundary_triangles, enclosed_volume, is_watertight, surface_area};
pub use pieces::{Connection, connected_components};

use super::structured::six_volume;
use super::{TetMesh, TriMesh};
use crate::math::Vec3;

/// The faces of a tetrahedron, each opposite to the node of its place, wound outward.
pub(crate) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Measures of a tetrahedral mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetQuality {
    /// Smallest angle between two faces of a tetrahedron [rad].
    pub min_dihedral: f64,
    /// Largest angle between two faces of a tetrahedron [rad].
    pub max_dihedral: f64,
    /// Volume of the smallest tetrahedron; negative when one is inside out [m³].
    pub min_volume: f64,
    /// Volume of all [m³].
    pub volume: f64,
    /// Area of the outside [m²].
    pub surface_area: f64,
    /// Every edge of the outside has a face on both sides.
    pub watertight: bool,
}

impl TetQuality {
    /// Measures a mesh; its indices must be in range.
    pub fn of(mesh: &TetMesh) -> Self {
        let outside = TriMesh { points: mesh.points.clone(), triangles: boundary_triangles(&mesh.tets) };
        let mut quality = TetQuality {
            min_dihedral: f64::INFINITY,
            max_dihedral: 0.0,
            min_volume: f64::INFINITY,
            volume: 0.0,
            surface_area: surface_area(&outside),
            watertight: is_watertight(&outside.triangles),
        };
        for tet in &mesh.tets {
            let volume = six_volume(&mesh.points, *tet) / 6.0;
            quality.min_volume = quality.min_volume.min(volume);
            quality.volume += volume;
            for angle in dihedral_angles(tet.map(|n| mesh.points[n as usize])) {
                quality.min_dihedral = quality.min_dihedral.min(angle);
                quality.max_dihedral = quality.max_dihedral.max(angle);
            }
        }
        quality
    }
}

/// The six angles between the faces of a tetrahedron [rad].
pub fn dihedral_angles(corners: [[f64; 3]; 4]) -> [f64; 6] {
    dihedral_cosines(corners).map(f64::acos)
}

/// Cosines of the six angles between the faces of a tetrahedron.
pub(crate) fn dihedral_cosines(corners: [[f64; 3]; 4]) -> [f64; 6] {
    let p = corners.map(Vec3);
    let normals = FACES.map(|[a, b, c]| (p[b] - p[a]).cross(p[c] - p[a]).normalized());
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| (-normals[i].dot(normals[j])).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_tetrahedron_has_angles_of_acos_a_third() {
        let corners = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];
        for angle in dihedral_angles(corners) {
            assert!((angle - (1.0_f64 / 3.0).acos()).abs() < 1e-14);
        }
    }

    #[test]
    fn the_outside_of_one_tetrahedron_is_its_four_faces() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let quality = TetQuality::of(&TetMesh { points: points.clone(), tets: vec![[0, 1, 2, 3]] });
        assert!(quality.watertight);
        assert!((quality.volume - 1.0 / 6.0).abs() < 1e-16);
        assert!((quality.surface_area - (1.5 + 0.75_f64.sqrt())).abs() < 1e-15);
        let outside = TriMesh { points, triangles: boundary_triangles(&[[0, 1, 2, 3]]) };
        assert!((enclosed_volume(&outside) - 1.0 / 6.0).abs() < 1e-16);
        assert!(!is_watertight(&outside.triangles[1..]));
    }

    #[test]
    fn a_shared_face_is_inside() {
        let outside = boundary_triangles(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(outside.len(), 6);
        assert!(!outside.iter().any(|t| !t.contains(&0) && !t.contains(&4)));
    }
}
