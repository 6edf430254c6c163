//! Lines that show a closed mesh that one must see through.

use crate::outline::Segment;
use phyxel::math::Vec3;
use phyxel::shape::TriMesh;
use std::collections::BTreeMap;

/// Cosine of the angle from which an edge is drawn: 30 degrees.
const SHARP: f64 = 0.866;
/// More edges than this are no outline.
const MOST: usize = 4000;
/// Slices along each axis of a mesh that has no edges to draw.
const SLICES: usize = 5;

/// The edges of a mesh that are sharper than 30 degrees; none where there are too many to be seen apart.
pub(crate) fn sharp_edges(mesh: &TriMesh) -> Vec<Segment> {
    let corner = |v: u32| Vec3(mesh.points[v as usize]);
    let mut sides: BTreeMap<[u32; 2], Vec<Vec3<f64>>> = BTreeMap::new();
    for t in &mesh.triangles {
        let [a, b, c] = t.map(corner);
        let normal = (b - a).cross(c - a).normalized();
        for k in 0..3 {
            let (v, w) = (t[k], t[(k + 1) % 3]);
            sides.entry([v.min(w), v.max(w)]).or_default().push(normal);
        }
    }
    let sharp = |normals: &[Vec3<f64>]| !matches!(normals, [a, b] if a.dot(*b) > SHARP);
    let edges: Vec<Segment> =
        sides.iter().filter(|(_, n)| sharp(n)).map(|(e, _)| e.map(|v| mesh.points[v as usize])).collect();
    if edges.len() > MOST { Vec::new() } else { edges }
}

/// Where planes across each axis cut a mesh.
pub(crate) fn contours(mesh: &TriMesh) -> Vec<Segment> {
    let mut segments = Vec::new();
    for axis in 0..3 {
        let along = || mesh.points.iter().map(|p| p[axis]);
        let (low, high) = (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max));
        for k in 0..SLICES {
            let level = low + (high - low) * (k as f64 + 0.5) / SLICES as f64;
            segments.extend(mesh.triangles.iter().filter_map(|t| cut(mesh, t, axis, level)));
        }
    }
    segments
}

/// Where a plane across an axis cuts a triangle.
fn cut(mesh: &TriMesh, triangle: &[u32; 3], axis: usize, level: f64) -> Option<Segment> {
    let corners = triangle.map(|v| mesh.points[v as usize]);
    let mut ends = (0..3).filter_map(|k| {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let crosses = (a[axis] < level) != (b[axis] < level);
        let share = (level - a[axis]) / (b[axis] - a[axis]);
        crosses.then(|| [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * share))
    });
    Some([ends.next()?, ends.next()?])
}
