//! Sharp edges and corners of a surface.

use super::reach::Target;
use crate::math::Vec3;
use crate::shape::{Solid, TriMesh};

/// Distance of targets along a sharp edge, in cells.
const SPACING: f64 = 0.5;

/// Points on edges where the surface turns by more than `angle` [rad], and the corners where they end or bend.
pub(super) fn targets(solid: &Solid, angle: f64, size: f64) -> Vec<Target> {
    let mesh = solid.mesh();
    let sharp = sharp_edges(mesh, angle.cos());
    let place = |n: u32| Vec3(mesh.points[n as usize]);
    let mut ends: Vec<(u32, Vec3<f64>)> = Vec::new();
    for &[a, b] in &sharp {
        let along = (place(b) - place(a)).normalized();
        ends.extend([(a, along), (b, -along)]);
    }
    ends.sort_by_key(|end| end.0);
    let mut targets = Vec::new();
    for at in ends.chunk_by(|x, y| x.0 == y.0) {
        let straight = at.len() == 2 && at[0].1.dot(at[1].1) < -angle.cos();
        targets.push(Target { point: place(at[0].0), rank: if straight { 1 } else { 2 } });
    }
    for [a, b] in sharp {
        let (a, b) = (place(a), place(b));
        let parts = ((b - a).norm() / (SPACING * size)).ceil().clamp(1.0, 1e6) as usize;
        let inner = (1..parts).map(|k| a + (b - a) * (k as f64 / parts as f64));
        targets.extend(inner.map(|point| Target { point, rank: 1 }));
    }
    targets
}

/// Edges between two triangles whose normals have a smaller cosine between them.
fn sharp_edges(mesh: &TriMesh, cosine: f64) -> Vec<[u32; 2]> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, [a, b, c]) in mesh.triangles.iter().enumerate() {
        sides.extend([(a, b), (b, c), (c, a)].map(|(a, b)| ([*a.min(b), *a.max(b)], t as u32)));
    }
    sides.sort_unstable();
    let normal = |t: u32| {
        let [a, b, c] = mesh.triangles[t as usize].map(|n| Vec3(mesh.points[n as usize]));
        (b - a).cross(c - a).normalized()
    };
    let sharp = |edge: &&[([u32; 2], u32)]| edge.len() == 2 && normal(edge[0].1).dot(normal(edge[1].1)) < cosine;
    sides.chunk_by(|a, b| a.0 == b.0).filter(sharp).map(|edge| edge[0].0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::box_skin;

    #[test]
    fn a_box_has_eight_corners_and_twelve_edges() {
        let solid = Solid::new(box_skin([2; 3], [0.0; 3], [1.0; 3]).unwrap()).unwrap();
        let found = targets(&solid, 0.5, 0.25);
        assert_eq!(found.iter().filter(|t| t.rank == 2).count(), 8);
        // Every edge of the box is four edges of its skin, with three vertices between the corners, and one target within each.
        assert_eq!(found.iter().filter(|t| t.rank == 1).count(), 12 * (3 + 4));
        let round = |c: f64| c == 0.0 || c == 1.0;
        assert!(found.iter().all(|t| t.point.0.iter().filter(|c| round(**c)).count() >= 2));
    }
}
