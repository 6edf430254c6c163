//! Faces that know which way their neighbours are wound.

use super::edges::{Edges, Half, is_forward};
use crate::shape::union_find::UnionFind;

const NONE: u32 = u32::MAX;

/// Faces joined through edges that have exactly two faces: within a patch one face decides for all.
pub(super) struct Patches {
    /// Half-edges of the faces as they were when the patches were made.
    pub(super) edges: Edges,
    /// The patch of each face.
    pub(super) of_face: Vec<u32>,
    /// How many patches there are.
    pub(super) count: usize,
    /// Whether a face is wound against the first face of its patch.
    against: Vec<bool>,
    /// Whether a patch has two sides.
    pub(super) orientable: Vec<bool>,
}

/// Finds the patches and the relative winding of their faces.
pub(super) fn patches(vertices: usize, triangles: &[[u32; 3]]) -> Patches {
    let edges = Edges::of(vertices, triangles);
    let mut sets = UnionFind::new(triangles.len());
    let mut mates = vec![NONE; 3 * triangles.len()];
    edges.for_each(|edge| {
        if let [(_, a), (_, b)] = *edge {
            mates[a as usize] = b;
            mates[b as usize] = a;
            sets.join(a / 3, b / 3);
        }
    });
    let (of_face, count) = sets.numbered();
    let against = spread(triangles, &mates);
    let mut orientable = vec![true; count];
    for (a, &b) in mates.iter().enumerate().filter(|(_, b)| **b != NONE) {
        let (f, g) = (a / 3, b as usize / 3);
        if (against[f] != against[g]) != alike(triangles, a as Half, b) {
            orientable[of_face[f] as usize] = false;
        }
    }
    Patches { edges, of_face, count, against, orientable }
}

/// Two faces that run along their edge in the same direction are wound against each other.
fn alike(triangles: &[[u32; 3]], a: Half, b: Half) -> bool {
    is_forward(triangles, a) == is_forward(triangles, b)
}

/// Walks from face to face through shared edges.
fn spread(triangles: &[[u32; 3]], mates: &[u32]) -> Vec<bool> {
    let mut against = vec![false; triangles.len()];
    let mut seen = vec![false; triangles.len()];
    let mut open: Vec<u32> = Vec::new();
    for first in 0..triangles.len() as u32 {
        if seen[first as usize] {
            continue;
        }
        seen[first as usize] = true;
        open.push(first);
        while let Some(face) = open.pop() {
            for half in 3 * face..3 * face + 3 {
                let mate = mates[half as usize];
                if mate != NONE && !seen[mate as usize / 3] {
                    seen[mate as usize / 3] = true;
                    against[mate as usize / 3] = against[face as usize] != alike(triangles, half, mate);
                    open.push(mate / 3);
                }
            }
        }
    }
    against
}

/// Turns the minority of each patch that has two sides, and gives the number of faces turned. When the two windings are
/// equally many, the first face is right. Patches with one side (a Möbius strip) stay as they are.
pub(super) fn orient(patches: &Patches, triangles: &mut [[u32; 3]], turned: &mut [bool]) -> usize {
    // How many more faces are wound like the first one than against it.
    let mut majority = vec![0i64; patches.count];
    for (face, against) in patches.against.iter().enumerate() {
        majority[patches.of_face[face] as usize] += if *against { -1 } else { 1 };
    }
    let mut count = 0;
    for face in 0..triangles.len() {
        let patch = patches.of_face[face] as usize;
        let minority = patches.against[face] == (majority[patch] >= 0);
        if patches.orientable[patch] && minority {
            turn(face, triangles, turned);
            count += 1;
        }
    }
    count
}

/// Turns one face.
pub(super) fn turn(face: usize, triangles: &mut [[u32; 3]], turned: &mut [bool]) {
    triangles[face].swap(1, 2);
    turned[face] = !turned[face];
}

/// The name that a half-edge of [`Patches::edges`] has now: turning a face swaps its first and last half-edge.
pub(super) fn current(half: Half, turned: &[bool]) -> Half {
    let face = half / 3;
    if turned[face as usize] { 3 * face + 2 - half % 3 } else { half }
}
