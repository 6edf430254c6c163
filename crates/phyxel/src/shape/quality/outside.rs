//! The outside of a tetrahedral mesh, and what a surface encloses.

use super::FACES;
use super::groups::{Entry, Groups};
use crate::math::Vec3;
use crate::shape::TriMesh;

/// Faces that belong to one tetrahedron only, wound outward, in the order of their tetrahedra.
pub fn boundary_triangles(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces = face_groups(tets);
    let mut places: Vec<u32> = faces.iter().filter(|same| same.len() == 1).map(|same| same[0].tag).collect();
    places.sort_unstable();
    places.iter().map(|at| FACES[(at % 4) as usize].map(|k| tets[(at / 4) as usize][k])).collect()
}

/// All faces, those with the same nodes together; tagged with four times their tetrahedron plus their place in it.
pub(super) fn face_groups(tets: &[[u32; 4]]) -> Groups {
    let entry = |tag: usize| {
        let mut nodes = FACES[tag % 4].map(|k| tets[tag / 4][k]);
        nodes.sort_unstable();
        Entry { first: nodes[0], rest: u64::from(nodes[1]) << 32 | u64::from(nodes[2]), tag: tag as u32 }
    };
    Groups::new(4 * tets.len(), entry)
}

/// Area of a surface [m²].
pub fn surface_area(surface: &TriMesh) -> f64 {
    corners(surface).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).norm()).sum()
}

/// Volume inside a closed surface, positive when it is wound outward [m³].
pub fn enclosed_volume(surface: &TriMesh) -> f64 {
    corners(surface).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

fn corners(surface: &TriMesh) -> impl Iterator<Item = [Vec3<f64>; 3]> + '_ {
    surface.triangles.iter().map(|t| t.map(|n| Vec3(surface.points[n as usize])))
}

/// Every edge is used as often in one direction as in the other, and no triangle is degenerate.
pub fn is_watertight(triangles: &[[u32; 3]]) -> bool {
    if triangles.iter().any(|[a, b, c]| a == b || b == c || c == a) {
        return false;
    }
    let entry = |side: usize| {
        let triangle = triangles[side / 3];
        let (from, to) = (triangle[side % 3], triangle[(side + 1) % 3]);
        Entry { first: from.min(to), rest: u64::from(from.max(to)), tag: u32::from(from < to) }
    };
    let edges = Groups::new(3 * triangles.len(), entry);
    edges.iter().all(|edge| 2 * edge.iter().filter(|side| side.tag == 1).count() == edge.len())
}
