//! The pieces that a body is in.

use super::flow::Carried;
use super::fragile::{Fragile, Pieces};
use super::tets::TetPieces;
use crate::scene::Fate;
use crate::shape::union_find::UnionFind;

/// A piece of a body. Its number is its place in [`Fragile::fragments`](super::Fragile).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fragment {
    /// The fragment that it broke off from; `None` for the whole body.
    pub parent: Option<u32>,
    /// When [s].
    pub born: f64,
    /// Tetrahedra or phyxels.
    pub elements: u32,
    /// [kg]
    pub mass: f64,
    /// Rest volume [m³].
    pub volume: f64,
    /// What has become of it.
    pub fate: Fate,
}

/// What a piece has of an earlier fragment.
#[derive(Clone, Copy)]
struct Share {
    old: u32,
    volume: f64,
    elements: u32,
}

/// The unbroken body.
pub(super) fn first_fragment(elements: usize, mass: f64, volume: f64) -> Fragment {
    Fragment { parent: None, born: 0.0, elements: elements as u32, mass, volume, fate: Fate::Kept }
}

impl Fragile {
    /// Finds the pieces anew. Of a fragment that has come apart the largest piece goes on under its number.
    pub(super) fn find_fragments(&mut self, density: f64, time: f64) {
        let (piece_of, volumes): (Vec<u32>, &[f64]) = match &self.pieces {
            Pieces::Tets(tets) => (flood(tets, self.origin.len()), &tets.table.volumes),
            Pieces::Points(points) => {
                let mut sets = UnionFind::new(self.origin.len());
                let nodes = 0..self.origin.len() as u32;
                nodes.clone().for_each(|n| points.neighbours(n).iter().for_each(|j| sets.join(n, *j)));
                (nodes.map(|n| sets.find(n)).collect(), &points.table.volumes)
            }
        };
        // Pieces in the order of their first element, and what they have of earlier fragments: volume and elements of each.
        let mut order: Vec<u32> = Vec::new();
        let mut found: Vec<Vec<Share>> = vec![Vec::new(); self.origin.len()];
        for (t, &piece) in piece_of.iter().enumerate() {
            let shares = &mut found[piece as usize];
            if shares.is_empty() {
                order.push(piece);
            }
            let old = self.fragment_of[t];
            match shares.iter_mut().find(|share| share.old == old) {
                Some(share) => (share.volume, share.elements) = (share.volume + volumes[t], share.elements + 1),
                None => shares.push(Share { old, volume: volumes[t], elements: 1 }),
            }
        }
        let mut largest: Vec<(f64, u32)> = vec![(0.0, u32::MAX); self.fragments.len()];
        for &piece in &order {
            for share in &found[piece as usize] {
                let known = &mut largest[share.old as usize];
                if share.volume > known.0 {
                    *known = (share.volume, piece);
                }
            }
        }
        // What has grown together goes on as the largest of its parts.
        for &piece in &order {
            found[piece as usize].sort_by(|a, b| b.volume.total_cmp(&a.volume).then(a.old.cmp(&b.old)));
            for lost in found[piece as usize].iter().skip(1).filter(|s| largest[s.old as usize].1 == piece) {
                let known = &mut self.fragments[lost.old as usize];
                *known = Fragment { elements: 0, mass: 0.0, volume: 0.0, ..*known };
            }
        }
        let mut number = vec![0; self.origin.len()];
        for &piece in &order {
            let shares = &found[piece as usize];
            let (volume, elements) =
                shares.iter().fold((0.0, 0), |sum, share| (sum.0 + share.volume, sum.1 + share.elements));
            let (mass, old) = (volume * density, shares[0].old);
            if largest[old as usize].1 == piece {
                number[piece as usize] = old;
                let known = &mut self.fragments[old as usize];
                *known = Fragment { elements, mass, volume, ..*known };
            } else {
                number[piece as usize] = self.fragments.len() as u32;
                let fate = Fate::Kept;
                self.fragments.push(Fragment { parent: Some(old), born: time, elements, mass, volume, fate });
            }
        }
        self.fragment_of = piece_of.into_iter().map(|piece| number[piece as usize]).collect();
    }
}

impl Fragile {
    /// Finds the pieces of phyxels without a rest shape anew; true when they are others than before.
    pub(super) fn part_by_flow(&mut self, density: f64, time: f64) -> bool {
        if self.flow().is_none() {
            return false;
        }
        let before = self.fragment_of.clone();
        self.find_fragments(density, time);
        let parted = before != self.fragment_of;
        if parted {
            let rule = self.rule;
            self.sort_out(rule.as_ref());
            self.renew_shell();
        }
        let Fragile { pieces: Pieces::Points(points), fragment_of, .. } = self else { return false };
        let melts = points.flow.as_mut().is_some_and(|flow| flow.find_liquid(fragment_of));
        parted || melts
    }

    /// Goes on with what phyxels without a rest shape carried.
    pub(super) fn carry_on(&mut self, carried: Option<Carried>) {
        let Fragile { pieces: Pieces::Points(points), fragment_of, .. } = self else { return };
        points.flow.iter_mut().zip(carried).for_each(|(flow, carried)| flow.set(carried, fragment_of));
    }
}

/// A number for each tetrahedron, the same for those that hang together at nodes.
fn flood(tets: &TetPieces, nodes: usize) -> Vec<u32> {
    const NOBODY: u32 = u32::MAX;
    let count = tets.table.len();
    let (mut piece_of, mut seen) = (vec![NOBODY; count], vec![false; nodes]);
    let (mut front, mut pieces) = (Vec::with_capacity(count), 0);
    for first in 0..count as u32 {
        if piece_of[first as usize] != NOBODY {
            continue;
        }
        front.push(first);
        piece_of[first as usize] = pieces;
        while let Some(t) = front.pop() {
            for n in tets.table.nodes[t as usize] {
                if std::mem::replace(&mut seen[n as usize], true) {
                    continue;
                }
                for other in tets.around(n) {
                    if piece_of[other as usize] == NOBODY {
                        piece_of[other as usize] = pieces;
                        front.push(other);
                    }
                }
            }
        }
        pieces += 1;
    }
    piece_of
}
