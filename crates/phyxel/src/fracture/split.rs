//! How the pieces of one body change under edits.

use super::Edit;
use super::fragile::{Fragile, Pieces, TetPieces};
use super::star::{groups, rim};

impl Fragile {
    /// Carries out the edits of this body, with at most `left` nodes more than they ask for. Returns the old node of each
    /// new one.
    pub(super) fn split(&mut self, edits: &[Edit], left: &mut usize) -> Vec<u32> {
        let sources: Vec<u32> = (0..self.origin.len() as u32).collect();
        let Fragile { origin, pieces, tips, loose, fragment_of, .. } = self;
        match pieces {
            Pieces::Tets(tets) => Splitting { origin, tets, tips, loose, sources }.run(edits, left),
            Pieces::Points(points) => {
                let mut sources = sources;
                for edit in edits {
                    let Edit::SplitPhyxels { crack, .. } = edit else { continue };
                    for source in points.crack(origin, crack) {
                        tips.push(false);
                        tips[source as usize] = false;
                        sources.push(sources[source as usize]);
                        fragment_of.push(fragment_of[source as usize]);
                        // The crack ends, or goes on, at those of its plane that still have matter on both sides.
                        let normal = crack.disc.normal;
                        let ahead = |n: &&u32| points.in_plane(origin, (source, **n), normal);
                        for n in points.neighbours(source).iter().filter(ahead) {
                            tips[*n as usize] = points.has_both_sides(origin, *n, normal);
                        }
                    }
                }
                sources
            }
        }
    }
}

/// Tetrahedra being parted.
struct Splitting<'a> {
    origin: &'a mut Vec<u32>,
    tets: &'a mut TetPieces,
    tips: &'a mut Vec<bool>,
    loose: &'a mut Vec<u32>,
    sources: Vec<u32>,
}

impl Splitting<'_> {
    /// Splits nodes; afterwards, elements that hang together at a node alone, or at an edge, are parted too, as far as
    /// the budget goes.
    fn run(mut self, edits: &[Edit], left: &mut usize) -> Vec<u32> {
        let splits: Vec<(u32, &[u32])> = edits
            .iter()
            .filter_map(|edit| match edit {
                Edit::SplitNode { node, elements, .. } => Some((*node, &elements[..])),
                Edit::SplitPhyxels { .. } => None,
            })
            .collect();
        let mut touched = std::mem::take(self.loose);
        for (node, elements) in &splits {
            for n in rim(self.tets, *node, elements) {
                self.tips[n as usize] = true;
            }
            touched.extend(self.tets.around(*node).flat_map(|t| self.tets.table.nodes[t as usize]));
        }
        for (node, elements) in &splits {
            let copy = self.copy(*node, elements);
            self.tips[*node as usize] = false;
            touched.extend([*node, copy]);
        }
        while !touched.is_empty() && *left > 0 {
            let before = *left;
            touched = self.part_loose(touched, left);
            // What is left of the budget may be too little for any of them.
            if *left == before {
                break;
            }
        }
        touched.sort_unstable();
        touched.dedup();
        *self.loose = touched;
        self.sources
    }

    /// Gives elements a copy of a node.
    fn copy(&mut self, node: u32, elements: &[u32]) -> u32 {
        let copy = self.origin.len() as u32;
        self.origin.push(self.origin[node as usize]);
        self.tips.push(false);
        self.sources.push(self.sources[node as usize]);
        for t in elements {
            self.tets.table.nodes[*t as usize].iter_mut().filter(|n| **n == node).for_each(|n| *n = copy);
        }
        copy
    }

    /// Parts what is no longer joined by faces around these nodes; returns the nodes around which that may have changed more.
    fn part_loose(&mut self, mut nodes: Vec<u32>, left: &mut usize) -> Vec<u32> {
        nodes.sort_unstable();
        nodes.dedup();
        self.tets.refresh(self.origin.len(), false);
        let mut again = Vec::new();
        for node in nodes {
            let groups = groups(self.tets, node);
            if groups.len() > *left + 1 {
                again.push(node);
                continue;
            }
            *left -= groups.len().saturating_sub(1);
            for group in groups.iter().skip(1) {
                let corners = group.iter().flat_map(|t| self.tets.table.nodes[*t as usize]);
                again.extend(corners.filter(|n| *n != node));
                again.push(self.copy(node, group));
            }
        }
        again
    }
}
