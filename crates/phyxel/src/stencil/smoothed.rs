//! Smoothed tetrahedra: gradients averaged around edges or nodes, which cures locking without new unknowns.
//!
//! Every tetrahedron gives a sixth of its volume to each of its edges, or a quarter to each of its nodes; the weights of
//! the smoothed element are the average of the tetrahedra's, weighted by what they gave.

use super::{StencilTable, TetTable};
use crate::math::Vec3;

/// The six edges of a tetrahedron.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

impl StencilTable<f64> {
    /// One element per edge of the mesh, ordered by the edge's lower, then higher node.
    pub fn edge_smoothed(tets: &TetTable<f64>) -> Self {
        let mut owners = Vec::with_capacity(6 * tets.len());
        for (t, n) in tets.nodes.iter().enumerate() {
            owners.extend(EDGES.map(|[a, b]| {
                let (low, high) = (n[a].min(n[b]) as u64, n[a].max(n[b]) as u64);
                (low << 32 | high, t as u32)
            }));
        }
        smooth(tets, owners, 1.0 / 6.0)
    }

    /// One element per node that belongs to a tetrahedron, ordered by node.
    pub fn node_smoothed(tets: &TetTable<f64>) -> Self {
        let owners = tets.nodes.iter().enumerate();
        let owners = owners.flat_map(|(t, n)| n.map(|node| (node as u64, t as u32))).collect();
        smooth(tets, owners, 0.25)
    }
}

/// One element per distinct key: the average over the tetrahedra listed under it, each with `share` of its volume.
fn smooth(tets: &TetTable<f64>, mut owners: Vec<(u64, u32)>, share: f64) -> StencilTable<f64> {
    owners.sort_unstable();
    let mut table = StencilTable { offsets: vec![0], ..StencilTable::default() };
    let mut gathered = Vec::new();
    for group in owners.chunk_by(|a, b| a.0 == b.0) {
        let volume = gather(tets, group, share, &mut gathered);
        for same_node in gathered.chunk_by(|a, b| a.0 == b.0) {
            let sum = same_node.iter().fold(Vec3::zero(), |s, e| s + e.1);
            table.nodes.push(same_node[0].0);
            table.weights.push(sum * (1.0 / volume));
        }
        table.volumes.push(volume);
        table.offsets.push(table.nodes.len() as u32);
    }
    table
}

/// Collects `(node, volume · d)` of a group, sorted by node; the sort is stable, so sums have a fixed order.
fn gather(tets: &TetTable<f64>, group: &[(u64, u32)], share: f64, into: &mut Vec<(u32, Vec3<f64>)>) -> f64 {
    into.clear();
    let mut volume = 0.0;
    for &(_, t) in group {
        let part = share * tets.volumes[t as usize];
        let d = tets.all_gradients(t as usize);
        into.extend((0..4).map(|k| (tets.nodes[t as usize][k], d[k] * part)));
        volume += part;
    }
    into.sort_by_key(|e| e.0);
    volume
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::mls::tests::assert_complete;

    /// A cube in five tetrahedra, one corner moved.
    fn cube() -> (Vec<[f64; 3]>, TetTable<f64>) {
        let mut points: Vec<[f64; 3]> =
            (0..8).map(|i| [(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64]).collect();
        points[7] = [1.2, 1.1, 1.4];
        let tets = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
        let table = TetTable::build(&points, &tets).unwrap();
        (points, table)
    }

    #[test]
    fn smoothed_elements_are_complete_and_keep_the_volume() {
        let (points, tets) = cube();
        let total: f64 = tets.volumes.iter().sum();
        for table in [StencilTable::edge_smoothed(&tets), StencilTable::node_smoothed(&tets)] {
            assert_complete(&table, &points, 1e-13);
            let sum: f64 = table.volumes.iter().sum();
            assert!((sum - total).abs() < 1e-14 * total);
            for e in 0..table.len() {
                assert!(table.nodes[table.entries(e)].is_sorted_by(|a, b| a < b));
            }
        }
        assert_eq!(StencilTable::edge_smoothed(&tets).len(), 18);
        assert_eq!(StencilTable::node_smoothed(&tets).len(), 8);
    }

    #[test]
    fn an_edge_of_one_tetrahedron_keeps_its_gradients() {
        let (_, tets) = cube();
        let table = StencilTable::edge_smoothed(&tets);
        // The first edge, 0-1, belongs to the first tetrahedron alone.
        assert_eq!(table.nodes[table.entries(0)], [0, 1, 2, 4]);
        let d = tets.all_gradients(0);
        for (k, e) in table.entries(0).enumerate() {
            assert!((table.weights[e] - d[k]).norm() < 1e-15);
        }
        assert_eq!(table.volumes[0], tets.volumes[0] * (1.0 / 6.0));
    }
}
