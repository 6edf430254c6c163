//! What has come loose where nodes were split: looks no further than it must.

use super::fragile::{Fragile, Pieces};
use super::fragments::Fragment;
use super::split::Touched;
use super::tets::TetPieces;
use crate::scene::Fate;

/// A part of a fragment that has come apart.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The fragment.
    old: u32,
    /// Its number from now on.
    new: u32,
    elements: u32,
    volume: f64,
}

impl Fragile {
    /// Brings the fragments up to date where nodes were split. True when some have come apart.
    pub(super) fn part_fragments(&mut self, touched: &Touched, density: f64, time: f64) -> bool {
        let Pieces::Tets(tets) = &self.pieces else { return false };
        // Most splits are at the end of a crack: both copies of a node go on having neighbours in common.
        if touched.nodes.iter().all(|&[a, b]| have_common_neighbour(tets, a, b)) {
            return false;
        }
        let Some(piece) = Search::new(tets, self.origin.len()).pieces(touched, &self.fragment_of) else {
            // It would take longer to tell than to look at everything.
            self.find_fragments(density, time);
            return true;
        };
        if piece.is_empty() {
            return false;
        }
        // Tetrahedra of one label were part of one fragment; what keeps 0 is told apart by its fragment.
        let label = |tet: usize| piece[tets.table.nodes[tet][0] as usize] as usize;
        let mut is_broken = vec![false; self.fragments.len()];
        for (tet, fragment) in self.fragment_of.iter().enumerate() {
            is_broken[*fragment as usize] |= label(tet) != 0;
        }
        let mut part_of_label = vec![None; piece.iter().max().map_or(0, |l| *l as usize + 1)];
        let mut part_of_rest = vec![None; self.fragments.len()];
        let mut parts: Vec<Part> = Vec::new();
        for (tet, &old) in self.fragment_of.iter().enumerate().filter(|(_, old)| is_broken[**old as usize]) {
            let part = match label(tet) {
                0 => &mut part_of_rest[old as usize],
                label => &mut part_of_label[label],
            };
            let part = *part.get_or_insert_with(|| {
                parts.push(Part { old, new: old, elements: 0, volume: 0.0 });
                parts.len() - 1
            });
            parts[part].elements += 1;
            parts[part].volume += tets.table.volumes[tet];
        }
        number(&mut parts, &mut self.fragments, density, time);
        for (tet, fragment) in self.fragment_of.iter_mut().enumerate().filter(|(_, f)| is_broken[**f as usize]) {
            let part = match label(tet) {
                0 => part_of_rest[*fragment as usize],
                label => part_of_label[label],
            };
            *fragment = part.map_or(*fragment, |part| parts[part].new);
        }
        true
    }
}

/// Whether a node is in elements around both of two others.
fn have_common_neighbour(tets: &TetPieces, a: u32, b: u32) -> bool {
    let has = |n: u32| tets.around(a).any(|t| tets.table.nodes[t as usize].contains(&n));
    tets.around(b).any(|t| tets.table.nodes[t as usize].iter().any(|n| *n != b && has(*n)))
}

/// Numbers parts, which are in the order of their first tetrahedra: the largest goes on under the number of its fragment.
fn number(parts: &mut [Part], fragments: &mut Vec<Fragment>, density: f64, time: f64) {
    for k in 0..parts.len() {
        let Part { old, volume, elements, .. } = parts[k];
        let larger = |j: usize| {
            let other = &parts[j];
            other.old == old && (other.volume > volume || (other.volume == volume && j < k))
        };
        let mass = volume * density;
        if (0..parts.len()).any(larger) {
            parts[k].new = fragments.len() as u32;
            let fate = Fate::Kept;
            fragments.push(Fragment { parent: Some(old), born: time, elements, mass, volume, fate });
        } else {
            let known = &mut fragments[old as usize];
            *known = Fragment { elements, mass, volume, ..*known };
        }
    }
}

/// Whether two nodes hang together.
enum Way {
    /// They do.
    Found,
    /// They do not; all nodes that hang together with one of them.
    None(Vec<u32>),
    /// That would take too long to tell.
    Unknown,
}

/// Looks for ways from node to node.
struct Search<'a> {
    tets: &'a TetPieces,
    /// Which end a node was reached from: 1 or 2; 0 for neither.
    seen: Vec<u8>,
    /// A number for each node of a piece that is known to be apart from everything else; 0 for all others. Empty as long as there
    /// are none.
    piece: Vec<u32>,
    /// Nodes that may still be looked at.
    left: usize,
}

/// How often each node may be looked at before all are looked at once.
const PATIENCE: usize = 4;

impl<'a> Search<'a> {
    fn new(tets: &'a TetPieces, nodes: usize) -> Self {
        Search { tets, seen: vec![0; nodes], piece: Vec::new(), left: PATIENCE * nodes }
    }

    /// A number for each node of a piece that has come loose from what keeps 0; empty when none has, and nothing when that would
    /// take too long to tell.
    ///
    /// Each piece of a fragment has one of the nodes that were split, or a copy. Of two pieces that were joined there, one is
    /// found and numbered; what is left of the fragment must hang together, so the ends that are left are looked for from each
    /// other as well.
    fn pieces(mut self, touched: &Touched, fragment_of: &[u32]) -> Option<Vec<u32>> {
        let mut pairs = touched.nodes.clone();
        let mut anchors: Vec<(u32, u32)> = Vec::new();
        let (mut next, mut count) = (0, 0);
        while let Some(&[a, b]) = pairs.get(next) {
            next += 1;
            if self.label(a) == 0 && self.label(b) == 0 {
                match self.way([a, b]) {
                    Way::Found => continue,
                    Way::Unknown => return None,
                    Way::None(nodes) => {
                        count += 1;
                        self.piece.resize(self.seen.len(), 0);
                        nodes.iter().for_each(|n| self.piece[*n as usize] = count);
                    }
                }
            }
            let Some(rest) = [a, b].into_iter().find(|n| self.label(*n) == 0) else { continue };
            let Some(fragment) = self.tets.around(rest).next().map(|t| fragment_of[t as usize]) else { continue };
            match anchors.iter_mut().find(|(of, _)| *of == fragment) {
                Some((_, anchor)) if self.label(*anchor) == 0 => {
                    if *anchor != rest {
                        pairs.push([*anchor, rest]);
                    }
                }
                Some((_, anchor)) => *anchor = rest,
                None => anchors.push((fragment, rest)),
            }
        }
        Some(self.piece)
    }

    fn label(&self, node: u32) -> u32 {
        self.piece.get(node as usize).copied().unwrap_or(0)
    }

    /// Looks for a way between two nodes, from both in turn: they meet after a few steps in matter that goes on around a crack,
    /// and what has come loose is as a rule much smaller than the rest.
    fn way(&mut self, ends: [u32; 2]) -> Way {
        let mut fronts = ends.map(|n| vec![n]);
        ends.iter().zip([1, 2]).for_each(|(n, end)| self.seen[*n as usize] = end);
        let found = self.advance(&mut fronts);
        fronts.iter().flatten().for_each(|n| self.seen[*n as usize] = 0);
        match found {
            Way::None(_) => Way::None(std::mem::take(&mut fronts[0])),
            other => other,
        }
    }

    /// Lets both fronts grow until they meet; one that has come to an end is put first.
    fn advance(&mut self, fronts: &mut [Vec<u32>; 2]) -> Way {
        for next in 0.. {
            for end in 0..2 {
                let Some(&at) = fronts[end].get(next) else {
                    fronts.swap(0, end);
                    return Way::None(Vec::new());
                };
                if self.left == 0 {
                    return Way::Unknown;
                }
                self.left -= 1;
                if self.visit(at, end as u8 + 1, &mut fronts[end]) {
                    return Way::Found;
                }
            }
        }
        Way::Unknown
    }

    /// Adds the neighbours of a node to a front; true when one of them was reached from the other end.
    fn visit(&mut self, at: u32, end: u8, front: &mut Vec<u32>) -> bool {
        for t in self.tets.around(at) {
            for n in self.tets.table.nodes[t as usize] {
                match &mut self.seen[n as usize] {
                    seen @ 0 => {
                        *seen = end;
                        front.push(n);
                    }
                    seen if *seen != end => return true,
                    _ => {}
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Edit;
    use super::super::star::{groups, is_one_group};
    use super::*;
    use crate::material::{Fracture, Material};
    use crate::math::test_input::Numbers;
    use crate::scene::{Body, Method};
    use crate::shape::Geometry;
    use crate::shape::structured::{CubeSplit, box_tets};
    use crate::stencil::TetTable;

    fn block() -> Fragile {
        let mesh = box_tets([5, 3, 2], [0.0; 3], [5.0, 3.0, 2.0], CubeSplit::Six).expect("a block");
        let table = TetTable::build(&mesh.points, &mesh.tets).expect("sound");
        let material = Material { fracture: Some(Fracture::brittle(1.0)), ..Material::default() };
        Fragile::of_tets(&Body::new("block", Geometry::Tets(mesh), Method::Tet, material), table, false)
    }

    #[test]
    fn a_look_around_splits_finds_what_a_look_at_everything_does() {
        let mut numbers = Numbers::new(11);
        let mut quick = block();
        let mut below = |end: usize| ((numbers.matrix(1.0).0[0][0].abs() * 1e6) as usize) % end;
        for round in 0..400 {
            let Pieces::Tets(tets) = &quick.pieces else { panic!("tetrahedra") };
            // One or two nodes at once, each with a random part of its star.
            let mut nodes: Vec<u32> = (0..1 + below(2)).map(|_| below(quick.origin.len()) as u32).collect();
            nodes.dedup();
            let splits = nodes.into_iter().filter_map(|node| {
                let star: Vec<u32> = tets.around(node).collect();
                let elements: Vec<u32> = star.iter().copied().filter(|_| below(2) == 0).collect();
                let both = !elements.is_empty() && elements.len() < star.len();
                both.then_some(Edit::SplitNode {
                    body: 0,
                    node,
                    elements,
                    hold: None,
                    normal: [1.0, 0.0, 0.0],
                    ahead: None,
                })
            });
            let edits: Vec<Edit> = splits.collect();
            let mut touched = Touched::default();
            quick.split(&edits, &mut 1000, (false, &mut touched));
            let mut thorough = quick.clone();
            quick.part_fragments(&touched, 2.0, round as f64);
            thorough.find_fragments(2.0, round as f64);
            assert_eq!(quick.fragments, thorough.fragments, "round {round}");
            assert_eq!(quick.fragment_of, thorough.fragment_of, "round {round}");
            let Pieces::Tets(tets) = &quick.pieces else { panic!("tetrahedra") };
            let mut places = Vec::new();
            for n in 0..quick.origin.len() as u32 {
                assert_eq!(is_one_group(tets, n, &mut places), groups(tets, n).len() < 2, "round {round}, node {n}");
            }
        }
        assert!(quick.fragment_count() > 20, "{} pieces", quick.fragment_count());
    }

    #[test]
    fn what_follows_a_split_is_what_a_new_look_would_find() {
        let mut broken = block();
        let Pieces::Tets(tets) = &broken.pieces else { panic!("tetrahedra") };
        let node = (0..broken.origin.len() as u32).find(|n| tets.around(*n).count() > 12).expect("an inner node");
        let elements: Vec<u32> = tets.around(node).take(6).collect();
        broken.split(
            &[Edit::SplitNode { body: 0, node, elements, hold: None, normal: [1.0, 0.0, 0.0], ahead: None }],
            &mut 9,
            (false, &mut Touched::default()),
        );
        let mut anew = broken.clone();
        let nodes = anew.origin.len();
        let Pieces::Tets(tets) = &mut anew.pieces else { panic!("tetrahedra") };
        tets.set_nodes(tets.table.nodes.clone(), nodes, false);
        assert_eq!(broken, anew);
        assert!(nodes > broken.strength.len());
    }
}
