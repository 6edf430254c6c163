//! What is left open, joined or twisted.

use super::RepairReport;
use super::edges::{Edges, ends, is_forward};
use super::orient::Patches;
use crate::shape::union_find::UnionFind;

/// Fills in what the report says about the surface as it is now.
pub(super) fn measure(points: &[[f64; 3]], triangles: &[[u32; 3]], patches: &Patches, report: &mut RepairReport) {
    report.vertices = points.len();
    report.faces = triangles.len();
    report.one_sided = patches.orientable.iter().filter(|o| !**o).count();
    report.closed = !triangles.is_empty();
    let mut sets = UnionFind::new(triangles.len());
    let mut rim = Vec::new();
    Edges::of(points.len(), triangles).for_each(|edge| {
        let forward = edge.iter().filter(|(_, half)| is_forward(triangles, *half)).count();
        report.closed &= 2 * forward == edge.len();
        match edge.len() {
            1 => rim.push(edge[0].1),
            2 => report.inconsistent_edges += usize::from(forward != 1),
            _ => report.non_manifold_edges += 1,
        }
        edge[1..].iter().for_each(|(_, half)| sets.join(edge[0].1 / 3, half / 3));
    });
    report.closed &= !triangles.iter().any(|[a, b, c]| a == b || b == c || c == a);
    report.components = sets.numbered().1;
    report.boundary_edges = rim.len();
    report.boundary_loops = loops(points.len(), triangles, &rim);
}

/// The number of closed lines that the open edges form; lines that touch in a vertex count as one.
fn loops(vertices: usize, triangles: &[[u32; 3]], rim: &[u32]) -> usize {
    let mut sets = UnionFind::new(vertices);
    for &half in rim {
        let (a, b) = ends(triangles, half);
        sets.join(a, b);
    }
    let mut roots: Vec<u32> = rim.iter().map(|&half| sets.find(ends(triangles, half).0)).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.len()
}
