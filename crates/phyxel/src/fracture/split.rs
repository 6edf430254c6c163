//! How the pieces of one body change under edits.

use super::cohesion::{Link, rest_area};
use super::fragile::{Fragile, Pieces};
use super::star::{groups, rim};
use super::tets::TetPieces;
use super::{Edit, Held};
use crate::math::Vec3;

impl Fragile {
    /// Carries out the edits of this body, with at most `left` nodes more than they ask for; where it is `cohesive`, copies
    /// go on holding each other. Returns the old node of each new one.
    pub(super) fn split(&mut self, edits: &[Edit], left: &mut usize, cohesive: bool) -> Vec<u32> {
        let sources: Vec<u32> = (0..self.origin.len() as u32).collect();
        let Fragile { origin, pieces, tips, loose, links, fragment_of, .. } = self;
        match pieces {
            Pieces::Tets(tets) => {
                Splitting { origin, tets, tips, loose, links: cohesive.then_some(links), sources }.run(edits, left)
            }
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

/// How a split node goes on holding, and the normal of its crack now.
type Hold = (Option<Held>, Vec3<f64>);

/// Tetrahedra being parted.
struct Splitting<'a> {
    origin: &'a mut Vec<u32>,
    tets: &'a mut TetPieces,
    tips: &'a mut Vec<bool>,
    loose: &'a mut Vec<u32>,
    links: Option<&'a mut Vec<Link>>,
    sources: Vec<u32>,
}

impl Splitting<'_> {
    /// Splits nodes; afterwards, elements that hang together at a node alone, or at an edge, are parted too, as far as
    /// the budget goes.
    fn run(mut self, edits: &[Edit], left: &mut usize) -> Vec<u32> {
        let splits: Vec<(u32, &[u32], Hold)> = edits
            .iter()
            .filter_map(|edit| match edit {
                Edit::SplitNode { node, elements, hold, normal, .. } => {
                    Some((*node, &elements[..], (*hold, Vec3(*normal))))
                }
                Edit::SplitPhyxels { .. } | Edit::CutThrough { .. } => None,
            })
            .collect();
        let mut touched = std::mem::take(self.loose);
        for (node, elements, _) in &splits {
            for n in rim(self.tets, *node, elements) {
                self.tips[n as usize] = true;
            }
            touched.extend(self.tets.around(*node).flat_map(|t| self.tets.table.nodes[t as usize]));
        }
        // Before anything parts: neighbours that split in the same step share the faces between them.
        let areas: Vec<_> = splits.iter().map(|(node, side, ..)| rest_area(self.tets, *node, side)).collect();
        for ((node, elements, (hold, normal)), (area, out)) in splits.iter().zip(areas) {
            let copy = self.copy(*node, elements);
            if let (Some(links), Some(hold)) = (self.links.as_mut(), hold) {
                // The copy is on the side that the face points out of.
                let side = -out.dot(Vec3(hold.at_rest)).signum();
                let (nodes, normal) = ([*node, copy], (*normal * side).0);
                links.push(Link { nodes, area, strength: hold.strength, normal, opened: 0.0 });
            }
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
        if let Some(at) = self.tets.rest.get(node as usize).copied() {
            self.tets.rest.push(at);
        }
        self.sources.push(self.sources[node as usize]);
        for t in elements {
            self.tets.table.nodes[*t as usize].iter_mut().filter(|n| **n == node).for_each(|n| *n = copy);
        }
        elements.iter().for_each(|t| self.tets.part_faces(*t));
        copy
    }

    /// Parts what is no longer joined by faces around these nodes; returns the nodes around which that may have changed more.
    fn part_loose(&mut self, mut nodes: Vec<u32>, left: &mut usize) -> Vec<u32> {
        nodes.sort_unstable();
        nodes.dedup();
        self.tets.refresh_around(self.origin.len());
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
