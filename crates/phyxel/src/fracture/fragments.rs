//! The pieces that a body is in.

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
        // Pieces in the order of their first element: volume, elements, the fragment that they were part of.
        let mut order: Vec<u32> = Vec::new();
        let mut found: Vec<(f64, u32, u32)> = vec![(0.0, 0, 0); self.origin.len()];
        for (t, &piece) in piece_of.iter().enumerate() {
            let entry = &mut found[piece as usize];
            if entry.1 == 0 {
                order.push(piece);
            }
            *entry = (entry.0 + volumes[t], entry.1 + 1, self.fragment_of[t]);
        }
        let mut largest: Vec<(f64, u32)> = vec![(0.0, u32::MAX); self.fragments.len()];
        for &piece in &order {
            let (volume, _, old) = found[piece as usize];
            if volume > largest[old as usize].0 {
                largest[old as usize] = (volume, piece);
            }
        }
        let mut number = vec![0; self.origin.len()];
        for &piece in &order {
            let (volume, elements, old) = found[piece as usize];
            let mass = volume * density;
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
