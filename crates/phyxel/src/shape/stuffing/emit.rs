//! Tetrahedra between the cells.

use super::band::Band;
use super::key_map::KeyMap;
use super::lattice::{add, edge_between, pack};
use super::octree::Leaf;
use super::stencil::{self, Source};
use super::warp::{Nodes, Side};
use crate::math::Vec3;
use rayon::prelude::*;

/// Cells per task.
const CHUNK: usize = 1024;

/// The corners of the face of a cell across each axis on its lower side, anticlockwise seen from above; those of the upper side have
/// the bit of the axis added.
const FACES: [[usize; 4]; 3] = [[0, 2, 6, 4], [0, 4, 5, 1], [0, 1, 3, 2]];

struct Emitter<'a> {
    band: &'a Band,
    nodes: &'a Nodes,
    leaves: &'a [Leaf],
    /// From centres to leaves.
    places: KeyMap,
    /// Which points are corners of leaves; the band has more.
    corners: Vec<bool>,
}

/// All tetrahedra, cell by cell; nodes are lattice points first, then cuts.
pub(super) fn tets(band: &Band, nodes: &Nodes, leaves: &[Leaf]) -> Vec<[u32; 4]> {
    let mut places = KeyMap::with_room(leaves.len());
    let mut corners = vec![false; band.points.len()];
    for (i, leaf) in leaves.iter().enumerate() {
        places.insert(pack(leaf.centre), i as u32);
        leaf.nodes[..8].iter().for_each(|n| corners[*n as usize] = true);
    }
    let emitter = Emitter { band, nodes, leaves, places, corners };
    let of_chunk = |chunk: &[Leaf]| {
        let mut out = Vec::with_capacity(12 * chunk.len());
        chunk.iter().for_each(|leaf| emitter.emit(leaf, &mut out));
        out
    };
    let parts: Vec<Vec<[u32; 4]>> = leaves.par_chunks(CHUNK).map(of_chunk).collect();
    parts.concat()
}

impl Emitter<'_> {
    /// Tetrahedra between a cell and its neighbours: those of its own size above it, and the larger ones on all sides.
    fn emit(&self, leaf: &Leaf, out: &mut Vec<[u32; 4]>) {
        for axis in 0..3 {
            for upper in [false, true] {
                let mut step = [0; 3];
                step[axis] = if upper { 2 * leaf.half } else { -2 * leaf.half };
                let across = add(leaf.centre, step);
                let corners = FACES[axis].map(|k| leaf.nodes[k | usize::from(upper) << axis]);
                if let Some(other) = self.places.get(pack(across)) {
                    if upper {
                        self.between_equals(leaf, &self.leaves[other as usize], corners, out);
                    }
                } else if let Some(other) = self.larger(leaf, across) {
                    self.between_sizes(leaf, other, corners, upper, out);
                }
            }
        }
    }

    /// The neighbour of twice the size that holds a point.
    fn larger(&self, leaf: &Leaf, point: [i32; 3]) -> Option<&Leaf> {
        let edge = 4 * leaf.half;
        let centre = point.map(|c| c / edge * edge + 2 * leaf.half);
        self.places.get(pack(centre)).map(|i| &self.leaves[i as usize])
    }

    /// Four tetrahedra around the line between two centres; eight or less where smaller cells halve edges of the face.
    fn between_equals(&self, low: &Leaf, high: &Leaf, corners: [u32; 4], out: &mut Vec<[u32; 4]>) {
        let (a, b) = (low.nodes[8], high.nodes[8]);
        for k in 0..4 {
            let (c, d) = (corners[k], corners[(k + 1) % 4]);
            let tet = [a, b, c, d];
            if tet.iter().all(|n| self.side(*n) == Side::Inside) {
                match self.middle(low.half, c, d) {
                    None => out.push(tet),
                    Some(m) => out.extend([[a, b, c, m], [a, b, m, d]]),
                }
            } else {
                stencil::stuff(self, tet, out);
            }
        }
    }

    /// The node in the middle of an edge, where a smaller cell has made one.
    fn middle(&self, half: i32, c: u32, d: u32) -> Option<u32> {
        if half == 1 {
            return None;
        }
        let (p, q) = (self.point(c), self.point(d));
        let middle = self.band.vertices.get(pack([0, 1, 2].map(|a| (p[a] + q[a]) / 2)));
        middle.filter(|n| self.corners[*n as usize])
    }

    /// A small cell at a quarter of a large one's face: the diagonal from the middle of that face halves the pyramids on both sides.
    fn between_sizes(&self, small: &Leaf, large: &Leaf, corners: [u32; 4], upper: bool, out: &mut Vec<[u32; 4]>) {
        let middle = |n: u32| {
            let p = self.point(n);
            (0..3).filter(|a| p[*a] == large.centre[*a]).count() == 2
        };
        let Some(first) = corners.iter().position(|n| middle(*n)) else { return };
        let [p, q, r, s] = [0, 1, 2, 3].map(|k| corners[(first + k) % 4]);
        let (small, large) = (small.nodes[8], large.nodes[8]);
        let (below, above) = if upper { (small, large) } else { (large, small) };
        out.extend([[p, q, r, above], [p, r, s, above], [p, r, q, below], [p, s, r, below]]);
    }
}

impl Source for Emitter<'_> {
    #[inline]
    fn side(&self, node: u32) -> Side {
        self.nodes.sides[node as usize]
    }

    fn cut(&self, a: u32, b: u32) -> Option<u32> {
        let (key, _) = edge_between(self.point(a), self.point(b));
        self.band.cut_of.get(key).map(|c| self.band.points.len() as u32 + c)
    }

    fn position(&self, node: u32) -> Vec3<f64> {
        self.nodes.positions[node as usize]
    }

    fn point(&self, node: u32) -> [i32; 3] {
        self.band.points[node as usize]
    }
}
