//! Values of nodes on surfaces that have more vertices than the body has nodes.

use crate::drawable::spacing;
use std::collections::HashMap;

/// Nodes that a vertex takes its value from.
const NEAREST: usize = 4;

/// Nodes sorted into cubes of space, for finding those near a point.
pub(super) struct NodeGrid<'a> {
    nodes: &'a [[f64; 3]],
    side: f64,
    cubes: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> NodeGrid<'a> {
    pub(super) fn of(nodes: &'a [[f64; 3]]) -> Self {
        let side = 1.2 * spacing(nodes);
        let mut grid = NodeGrid { nodes, side, cubes: HashMap::new() };
        for (i, node) in nodes.iter().enumerate() {
            grid.cubes.entry(grid.cube(*node)).or_default().push(i as u32);
        }
        grid
    }

    fn cube(&self, point: [f64; 3]) -> [i64; 3] {
        point.map(|c| (c / self.side).floor() as i64)
    }

    /// The nodes nearest to a point with their weights, which fall with the square of the distance; nothing where the
    /// body has no nodes.
    pub(super) fn near(&self, point: [f64; 3]) -> Vec<(usize, f64)> {
        let middle = self.cube(point);
        let mut found: Vec<(f64, usize)> = Vec::new();
        // A skin lies within a cell or two of its nodes; what lies farther away takes any node at all.
        for reach in 1..=3i64 {
            found.clear();
            let range = || -reach..=reach;
            for (i, j, k) in range().flat_map(|i| range().flat_map(move |j| range().map(move |k| (i, j, k)))) {
                let cube = [middle[0].saturating_add(i), middle[1].saturating_add(j), middle[2].saturating_add(k)];
                let there = self.cubes.get(&cube).into_iter().flatten();
                found.extend(there.map(|&n| (square(self.nodes[n as usize], point), n as usize)));
            }
            if found.len() >= NEAREST {
                break;
            }
        }
        if found.is_empty() {
            let all = self.nodes.iter().enumerate().map(|(n, p)| (square(*p, point), n));
            found.extend(all.min_by(|a, b| a.0.total_cmp(&b.0)));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.truncate(NEAREST);
        let weight = |d: f64| 1.0 / (d + 1e-6 * self.side * self.side);
        let sum: f64 = found.iter().map(|(d, _)| weight(*d)).sum();
        found.into_iter().map(|(d, n)| (n, weight(d) / sum)).collect()
    }
}

fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice() -> Vec<[f64; 3]> {
        (0..512).map(|i| [i % 8, i / 8 % 8, i / 64].map(|c| 0.1 * f64::from(c))).collect()
    }

    #[test]
    fn a_point_on_a_node_takes_its_value() {
        let nodes = lattice();
        let near = NodeGrid::of(&nodes).near(nodes[100]);
        assert!(near[0].0 == 100 && near[0].1 > 0.999, "{near:?}");
    }

    #[test]
    fn weights_add_up_and_points_far_away_find_something() {
        let nodes = lattice();
        let grid = NodeGrid::of(&nodes);
        for point in [[0.33, 0.21, 0.47], [-0.05, 0.3, 0.3], [9.0, 9.0, 9.0], [f64::NAN; 3]] {
            let near = grid.near(point);
            assert!(!near.is_empty() && near.iter().all(|n| n.0 < 512), "{point:?}");
            assert!(point[0].is_nan() || (near.iter().map(|n| n.1).sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert!(NodeGrid::of(&[]).near([0.0; 3]).is_empty());
    }
}
