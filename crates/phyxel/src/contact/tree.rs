//! A tree of boxes over the parts of a surface: built once, refitted in every step.

use crate::math::Vec3;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner [m].
    pub min: [f64; 3],
    /// Highest corner [m].
    pub max: [f64; 3],
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds::EMPTY
    }
}

impl Bounds {
    /// Around nothing.
    pub const EMPTY: Bounds = Bounds { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// Around points.
    pub fn around(points: impl IntoIterator<Item = Vec3<f64>>) -> Self {
        points.into_iter().fold(Bounds::EMPTY, |b, p| b.with(&Bounds { min: p.0, max: p.0 }))
    }

    /// Around both.
    #[inline]
    pub fn with(&self, other: &Bounds) -> Bounds {
        Bounds {
            min: std::array::from_fn(|a| self.min[a].min(other.min[a])),
            max: std::array::from_fn(|a| self.max[a].max(other.max[a])),
        }
    }

    /// Larger on every side.
    pub fn grown(&self, by: f64) -> Bounds {
        Bounds { min: self.min.map(|c| c - by), max: self.max.map(|c| c + by) }
    }

    /// Whether they share a point.
    #[inline]
    pub fn touches(&self, other: &Bounds) -> bool {
        (0..3).all(|a| self.min[a] <= other.max[a] && other.min[a] <= self.max[a])
    }
}

/// A binary tree over items; its leaves hold a few items each.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Items in the order of the leaves.
    items: Vec<u32>,
    /// Inner nodes and leaves in depth-first order.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    first: u32,
    count: u32,
    /// The node after this one and everything below it.
    skip: u32,
}

/// Items per leaf.
const LEAF: usize = 4;

impl Tree {
    /// Builds a tree over boxes; splits at the middle of the longest side.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut tree = Tree { items: (0..boxes.len() as u32).collect(), nodes: Vec::new() };
        if !boxes.is_empty() {
            let mut items = std::mem::take(&mut tree.items);
            tree.split(boxes, &mut items, 0);
            tree.items = items;
            tree.refit(boxes);
        }
        tree
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn split(&mut self, boxes: &[Bounds], items: &mut [u32], first: usize) {
        let own = self.nodes.len();
        self.nodes.push(Node { bounds: Bounds::EMPTY, first: first as u32, count: items.len() as u32, skip: 0 });
        if items.len() > LEAF {
            let center = |i: u32| Vec3(boxes[i as usize].min) + Vec3(boxes[i as usize].max);
            let all = Bounds::around(items.iter().map(|&i| center(i)));
            let side = |a: usize| all.max[a] - all.min[a];
            let axis = (1..3).fold(0, |best, a| if side(a) > side(best) { a } else { best });
            let middle = items.len() / 2;
            // Ties are broken by the item, so that the tree is the same on every machine.
            items.select_nth_unstable_by(middle, |&i, &j| center(i)[axis].total_cmp(&center(j)[axis]).then(i.cmp(&j)));
            let (low, high) = items.split_at_mut(middle);
            self.split(boxes, low, first);
            self.split(boxes, high, first + middle);
            self.nodes[own].count = 0;
        }
        self.nodes[own].skip = self.nodes.len() as u32;
    }

    /// Fits the tree to boxes that have moved.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        for k in (0..self.nodes.len()).rev() {
            let node = self.nodes[k];
            self.nodes[k].bounds = if node.count > 0 {
                let own = &self.items[node.first as usize..(node.first + node.count) as usize];
                own.iter().fold(Bounds::EMPTY, |b, &i| b.with(&boxes[i as usize]))
            } else {
                let low = &self.nodes[k + 1];
                low.bounds.with(&self.nodes[low.skip as usize].bounds)
            };
        }
    }

    /// Calls `found` for every item in a leaf whose box touches `query`; ends early when nothing does.
    pub fn visit(&self, query: &Bounds, mut found: impl FnMut(u32)) {
        let mut k = 0;
        while let Some(node) = self.nodes.get(k) {
            if !node.bounds.touches(query) {
                k = node.skip as usize;
                continue;
            }
            let own = &self.items[node.first as usize..(node.first + node.count) as usize];
            own.iter().for_each(|&i| found(i));
            k += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(shift: f64) -> Vec<Bounds> {
        let at = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 997) as f64 / 997.0;
        (0..500)
            .map(|i| {
                let min = [at(i, 1) + shift, at(i, 2), at(i, 3)];
                Bounds { min, max: min.map(|c| c + 0.05) }
            })
            .collect()
    }

    #[test]
    fn every_box_that_touches_is_visited_also_after_moving() {
        let mut tree = Tree::new(&boxes(0.0));
        for shift in [0.0, 0.3] {
            let boxes = boxes(shift);
            tree.refit(&boxes);
            for query in boxes.iter().step_by(7) {
                let mut found = Vec::new();
                tree.visit(query, |i| found.push(i as usize));
                for (i, b) in boxes.iter().enumerate() {
                    assert!(!b.touches(query) || found.contains(&i));
                }
                assert!(found.len() < 100);
            }
        }
    }
}
