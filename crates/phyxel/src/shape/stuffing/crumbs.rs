//! Pieces that hang on nothing.

use super::band::NO_TRIANGLE;
use super::warp::{Nodes, Side};
use crate::shape::Solid;
use crate::shape::union_find::UnionFind;

/// A piece of less than this share of the largest piece of its part is a crumb.
const CRUMB: f64 = 0.05;

/// What became of the parts of the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pieces {
    pub components: usize,
    pub crumbs: usize,
    /// [m³]
    pub crumb_volume: f64,
    pub lost_parts: usize,
}

/// Removes crumbs: pieces that touch only parts of the surface that have a much larger piece. Thin features that the lattice resolves
/// here and there leave them. Pieces are connected through faces: a common node or edge would be a hinge.
pub(super) fn sweep(solid: &Solid, nodes: &Nodes, tets: &mut Vec<[u32; 4]>) -> Pieces {
    let (labels, count) = label(nodes, tets);
    let mut volumes = vec![0.0; count];
    for (tet, label) in tets.iter().zip(&labels) {
        let [a, b, c, d] = tet.map(|n| nodes.positions[n as usize]);
        volumes[*label as usize] += (b - a).dot((c - a).cross(d - a)) / 6.0;
    }
    let touches = touched_parts(solid, nodes, tets, &labels);
    let mut largest = vec![0.0_f64; solid.part_count()];
    for &(piece, part) in &touches {
        largest[part as usize] = largest[part as usize].max(volumes[piece as usize]);
    }
    let mut crumb = vec![true; count];
    for &(piece, part) in &touches {
        crumb[piece as usize] &= volumes[piece as usize] < CRUMB * largest[part as usize];
    }
    if crumb.contains(&true) {
        let mut labels = labels.iter();
        tets.retain(|_| labels.next().is_some_and(|label| !crumb[*label as usize]));
    }
    let crumbs = crumb.iter().filter(|c| **c).count();
    let crumb_volume = (0..count).filter(|c| crumb[*c]).map(|c| volumes[c]).fold(0.0, |sum, volume| sum + volume);
    let lost_parts = largest.iter().filter(|volume| **volume == 0.0).count();
    Pieces { components: count - crumbs, crumbs, crumb_volume, lost_parts }
}

/// Pairs of pieces and parts of the surface that they touch, each once.
fn touched_parts(solid: &Solid, nodes: &Nodes, tets: &[[u32; 4]], labels: &[u32]) -> Vec<(u32, u32)> {
    let mut touches = Vec::new();
    let mut seen = vec![false; nodes.positions.len()];
    for (tet, label) in tets.iter().zip(labels) {
        for n in tet.iter().map(|n| *n as usize).filter(|n| nodes.triangles[*n] != NO_TRIANGLE) {
            // A node on the surface belongs to one piece nearly always; where it is a hinge, the first one speaks.
            if !std::mem::replace(&mut seen[n], true) {
                touches.push((*label, solid.part_of(nodes.triangles[n])));
            }
        }
    }
    touches.sort_unstable();
    touches.dedup();
    touches
}

/// Numbers the pieces; gives back the number of each tetrahedron's piece, and how many there are.
///
/// Every tetrahedron has a node inside. Around a node inside all tetrahedra hang together through faces, so that pieces are sets of such
/// nodes, joined by tetrahedra that have several of them, and by faces that lie on the surface with all their nodes.
fn label(nodes: &Nodes, tets: &[[u32; 4]]) -> (Vec<u32>, usize) {
    let inside = |n: &u32| nodes.sides.get(*n as usize) == Some(&Side::Inside);
    let mut pieces = UnionFind::new(nodes.sides.len());
    let mut faces = Vec::new();
    for tet in tets {
        let mut of_tet = tet.iter().filter(|n| inside(n));
        let first = *of_tet.next().unwrap_or(&0);
        let mut others = 0;
        for n in of_tet {
            pieces.join(first, *n);
            others += 1;
        }
        if others == 0 && tet.iter().all(|n| (*n as usize) < nodes.sides.len()) {
            let mut face = *tet;
            face.sort_unstable_by_key(|n| (*n == first, *n));
            faces.push(([face[0], face[1], face[2]], first));
        }
    }
    faces.sort_unstable();
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        pieces.join(pair[0].1, pair[1].1);
    }
    let mut numbers = vec![u32::MAX; nodes.sides.len()];
    let mut count = 0;
    let labels = tets.iter().map(|tet| {
        let node = *tet.iter().find(|n| inside(n)).unwrap_or(&0);
        let number = &mut numbers[pieces.find(node) as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        *number
    });
    (labels.collect(), count as usize)
}
