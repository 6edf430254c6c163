//! From numbers at nodes to numbers anywhere near them: the mean of the four nearest nodes, weighted by inverse squared
//! distance, which is exact at the nodes and smooth enough for colours.

use std::collections::HashMap;

/// How many nodes are averaged.
const COUNT: usize = 4;

/// Weights over nodes; they add up to one, or to zero where there are no nodes.
pub type Weights = [(u32, f32); COUNT];

/// Nodes sorted into cells.
pub struct Near<'a> {
    nodes: &'a [[f64; 3]],
    cell: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> Near<'a> {
    /// `cell` is about the distance between nodes [m].
    pub fn new(nodes: &'a [[f64; 3]], cell: f64) -> Self {
        let cell = cell.max(1e-12) * 1.5;
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        for (i, p) in nodes.iter().enumerate().filter(|(_, p)| p.iter().all(|c| c.is_finite())) {
            cells.entry(p.map(|c| (c / cell).floor() as i64)).or_default().push(i as u32);
        }
        Near { nodes, cell, cells }
    }

    /// The weights at a point [m].
    pub fn weights(&self, at: [f64; 3]) -> Weights {
        let mut found: Vec<(f64, u32)> = Vec::new();
        if self.cells.is_empty() || at.iter().any(|c| !c.is_finite()) {
            return Weights::default();
        }
        let middle = at.map(|c| (c / self.cell).floor() as i64);
        for ring in 1..=3 {
            found.clear();
            self.collect(middle, ring, at, &mut found);
            if found.len() >= COUNT {
                break;
            }
        }
        if found.is_empty() {
            // Far from everything, which is rare: all nodes are asked.
            found.extend((0..self.nodes.len() as u32).map(|i| (square(self.nodes[i as usize], at), i)));
            found.retain(|(d, _)| d.is_finite());
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut weights = Weights::default();
        let least = (1e-6 * self.cell).powi(2);
        for (slot, (d, i)) in weights.iter_mut().zip(&found) {
            *slot = (*i, (least / (d + least)) as f32);
        }
        let total: f32 = weights.iter().map(|w| w.1).sum();
        weights.map(|(i, w)| (i, if total > 0.0 { w / total } else { 0.0 }))
    }

    fn collect(&self, middle: [i64; 3], ring: i64, at: [f64; 3], found: &mut Vec<(f64, u32)>) {
        for dz in -ring..=ring {
            for dy in -ring..=ring {
                for dx in -ring..=ring {
                    let key = [middle[0] + dx, middle[1] + dy, middle[2] + dz];
                    let nodes = self.cells.get(&key).into_iter().flatten();
                    found.extend(nodes.map(|&i| (square(self.nodes[i as usize], at), i)));
                }
            }
        }
    }
}

fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

/// The number at a place with these weights.
pub fn number(weights: &Weights, of: &[f32]) -> f32 {
    weights.iter().map(|&(i, w)| if w > 0.0 { w * of.get(i as usize).copied().unwrap_or(f32::NAN) } else { 0.0 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_at_nodes_and_between_them_elsewhere() {
        let nodes: Vec<[f64; 3]> = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|c| c as f64 * 0.1)).collect();
        let heights: Vec<f32> = nodes.iter().map(|p| p[1] as f32).collect();
        let near = Near::new(&nodes, 0.1);
        for (node, height) in nodes.iter().zip(&heights) {
            assert!((number(&near.weights(*node), &heights) - height).abs() < 1e-4);
        }
        let between = number(&near.weights([0.21, 0.25, 0.2]), &heights);
        assert!((0.2..=0.3).contains(&between), "{between}");
        let far = number(&near.weights([50.0, 0.4, 0.2]), &heights);
        assert!((0.3..=0.4).contains(&far), "{far}");
        assert_eq!(Near::new(&[], 1.0).weights([0.0; 3]), Weights::default());
    }
}
