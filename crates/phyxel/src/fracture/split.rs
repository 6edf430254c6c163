//! How the pieces of one body change under edits.

use super::cohesion::{Link, rest_area};
use super::fragile::{Fragile, Pieces};
use super::relabel::Sources;
use super::star::{groups, is_one_group, rim};
use super::tets::TetPieces;
use super::{Edit, Held};
use crate::math::Vec3;

/// What splits have changed in a body of tetrahedra; numbers are within the body. It is kept from one break to the next, for
/// its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touched {
    /// Nodes that have been split, each followed by its copy.
    pub nodes: Vec<[u32; 2]>,
    /// Tetrahedra that have got a copy.
    pub tets: Vec<u32>,
    /// Corners of faces that have parted.
    pub bare: Vec<u32>,
    /// Those of them that both sides still have: around these, elements may hang together at nodes alone.
    pub pinched: Vec<u32>,
    /// Room for looking at stars.
    rim: Vec<u32>,
    places: Vec<u8>,
    /// Nodes around which anything can have come apart.
    near: Vec<u32>,
}

impl Touched {
    fn clear(&mut self) {
        self.nodes.clear();
        self.tets.clear();
        self.bare.clear();
        self.pinched.clear();
    }
}

impl Fragile {
    /// Carries out the edits of this body, with at most `left` nodes more than they ask for; where it is `cohesive`, copies
    /// go on holding each other. Returns where nodes come from; what has changed in tetrahedra is left in `touched`.
    pub(super) fn split(
        &mut self,
        edits: &[Edit],
        left: &mut usize,
        (cohesive, touched): (bool, &mut Touched),
    ) -> Sources {
        touched.clear();
        let mut sources = Sources::unchanged(self.origin.len());
        let Fragile { origin, pieces, tips, loose, links, fragment_of, .. } = self;
        match pieces {
            Pieces::Tets(tets) => {
                let links = cohesive.then_some(links);
                Splitting { origin, tets, tips, loose, links, sources, touched }.run(edits, left)
            }
            Pieces::Points(points) => {
                for edit in edits {
                    let Edit::SplitPhyxels { crack, hold, normal, ahead, .. } = edit else { continue };
                    let areas: Vec<f64> = crack.splits.iter().map(|n| points.area(origin, *n, &crack.disc)).collect();
                    let first = origin.len() as u32;
                    for (k, source) in points.crack(origin, crack).into_iter().enumerate() {
                        if let (true, Some(hold)) = (cohesive, hold) {
                            // The copy is on the side that the normal points away from.
                            let (nodes, normal) = ([source, first + k as u32], (-Vec3(*normal)).0);
                            links.push(Link { nodes, area: areas[k], strength: hold.strength, normal, opened: 0.0 });
                        }
                        tips.push(false);
                        tips[source as usize] = false;
                        sources.copy(source);
                        fragment_of.push(fragment_of[source as usize]);
                        // The crack ends, or goes on, at those of its plane that still have matter on both sides.
                        let normal = crack.disc.normal;
                        let goes = |n: &u32| points.is_next(origin, (source, *n), *ahead);
                        let in_plane = |n: &&u32| points.in_plane(origin, (source, **n), normal) && goes(n);
                        for n in points.neighbours(source).iter().filter(in_plane) {
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
    sources: Sources,
    touched: &'a mut Touched,
}

/// The node that an edit splits, the tetrahedra that get its copy, and how both go on.
fn split_of(edit: &Edit) -> Option<(u32, &[u32], Hold)> {
    match edit {
        &Edit::SplitNode { node, ref elements, hold, normal, .. } => Some((node, &elements[..], (hold, Vec3(normal)))),
        Edit::SplitPhyxels { .. } | Edit::CutThrough { .. } => None,
    }
}

impl Splitting<'_> {
    /// Splits nodes; afterwards, elements that hang together at a node alone, or at an edge, are parted too, as far as
    /// the budget goes.
    fn run(mut self, edits: &[Edit], left: &mut usize) -> Sources {
        let splits = || edits.iter().filter_map(split_of);
        for (node, elements, _) in splits() {
            for &n in rim(self.tets, node, elements, |n| !self.tips[n as usize], &mut self.touched.rim) {
                self.tips[n as usize] = true;
            }
        }
        // Before anything parts: neighbours that split in the same step share the faces between them.
        let held = self.links.is_some();
        let areas: Vec<_> =
            splits().filter(|_| held).map(|(node, side, ..)| rest_area(self.tets, node, side)).collect();
        for (k, (node, elements, hold)) in splits().enumerate() {
            let copy = self.copy(node, elements);
            if let Some(area) = areas.get(k) {
                self.link([node, copy], hold, *area);
            }
            self.tips[node as usize] = false;
        }
        // Only around these can anything have come apart: elsewhere the same tetrahedra share the same faces.
        let mut near = std::mem::take(&mut self.touched.near);
        near.clear();
        near.append(self.loose);
        near.extend(self.touched.nodes.as_flattened());
        near.extend(&self.touched.pinched);
        near.sort_unstable();
        near.dedup();
        self.tets.fetch_stars(&near);
        for &node in &near {
            if !self.part_loose(node, left) {
                self.loose.push(node);
            }
        }
        self.touched.near = near;
        self.sources
    }

    /// Lets both copies of a node go on holding each other.
    fn link(&mut self, nodes: [u32; 2], (hold, normal): Hold, (area, out): (f64, Vec3<f64>)) {
        if let (Some(links), Some(hold)) = (self.links.as_mut(), hold) {
            // The copy is on the side that the face points out of.
            let side = -out.dot(Vec3(hold.at_rest)).signum();
            let normal = (normal * side).0;
            links.push(Link { nodes, area, strength: hold.strength, normal, opened: 0.0 });
        }
    }

    /// Gives elements a copy of a node.
    fn copy(&mut self, node: u32, elements: &[u32]) -> u32 {
        let copy = self.tets.split_node(node, elements);
        self.origin.push(self.origin[node as usize]);
        self.tips.push(false);
        if let Some(at) = self.tets.rest.get(node as usize).copied() {
            self.tets.rest.push(at);
        }
        self.sources.copy(node);
        elements.iter().for_each(|t| self.tets.part_faces(*t, copy, self.touched));
        self.touched.nodes.push([node, copy]);
        self.touched.tets.extend(elements);
        copy
    }

    /// Parts what is no longer joined by faces around a node; false when that takes more nodes than are left.
    fn part_loose(&mut self, node: u32, left: &mut usize) -> bool {
        if is_one_group(self.tets, node, &mut self.touched.places) {
            return true;
        }
        let groups = groups(self.tets, node);
        let more = groups.len().saturating_sub(1);
        if more > *left {
            return false;
        }
        *left -= more;
        groups.iter().skip(1).for_each(|group| {
            self.copy(node, group);
        });
        true
    }
}
