//! Faces wound one way: neighbours agree, and the whole looks outward.

use super::volume::by_divergence;
use crate::math::Vec3;
use crate::shape::TriMesh;
use rayon::slice::ParallelSliceMut;

/// Share of a part's area above which its odd faces are no mistakes but noise: then its volume decides which way is out.
const NOISE: f64 = 0.3;

/// An edge as one of its triangles sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Its two ends, the lower one in the upper half.
    ends: u64,
    triangle: u32,
    /// It runs from the lower end to the higher one.
    forward: bool,
}

/// Turns faces until they agree; gives back whether the surface is closed.
pub(super) fn orient(mesh: &mut TriMesh) -> bool {
    let sides = sides(mesh.triangles.iter().copied());
    let sides = if closed(&sides) && agree(&sides) { sides } else { welded_sides(mesh) };
    let mut closed = closed(&sides);
    if !agree(&sides) {
        turn_odd_faces(mesh, &sides);
        closed = self::closed(&welded_sides(mesh));
    }
    if by_divergence(mesh) < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    closed
}

/// All sides of all triangles, those of the same edge together.
fn sides(triangles: impl Iterator<Item = [u32; 3]>) -> Vec<Side> {
    let mut sides = Vec::new();
    for (i, [a, b, c]) in triangles.enumerate() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let ends = u64::from(from.min(to)) << 32 | u64::from(from.max(to));
            if from != to {
                sides.push(Side { ends, triangle: i as u32, forward: from < to });
            }
        }
    }
    sides.par_sort_unstable();
    sides
}

/// Sides, where vertices at the same place count as one: loose triangles find their neighbours.
fn welded_sides(mesh: &TriMesh) -> Vec<Side> {
    // Adding zero makes the two zeros the same.
    let place = |n: u32| mesh.points[n as usize].map(|c| c + 0.0);
    let mut order: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let compare = |a: &u32, b: &u32| {
        let (p, q) = (place(*a), place(*b));
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
    };
    order.par_sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
    let mut first = vec![0; mesh.points.len()];
    for same in order.chunk_by(|a, b| compare(a, b).is_eq()) {
        for n in same {
            first[*n as usize] = same[0];
        }
    }
    sides(mesh.triangles.iter().map(|t| t.map(|n| first[n as usize])))
}

fn edges(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|a, b| a.ends == b.ends)
}

fn closed(sides: &[Side]) -> bool {
    edges(sides).all(|edge| 2 * edge.iter().filter(|s| s.forward).count() == edge.len())
}

/// Where two triangles meet they run along their edge in opposite directions.
fn agree(sides: &[Side]) -> bool {
    edges(sides).all(|edge| edge.len() != 2 || edge[0].forward != edge[1].forward)
}

/// Turns the smaller share of each part that can be wound one way at all; a Klein bottle is left as it is.
fn turn_odd_faces(mesh: &mut TriMesh, sides: &[Side]) {
    let mut parts = Parts::new(mesh.triangles.len());
    for edge in edges(sides).filter(|edge| edge.len() == 2) {
        parts.join(edge[0].triangle, edge[1].triangle, edge[0].forward == edge[1].forward);
    }
    let places: Vec<(u32, bool)> = (0..mesh.triangles.len() as u32).map(|t| parts.root(t)).collect();
    let mut even_odd = vec![[0.0; 2]; places.len()];
    let mut volumes = vec![0.0; places.len()];
    let middle = super::volume::middle(mesh);
    for (t, &(root, odd)) in mesh.triangles.iter().zip(&places) {
        let [a, b, c] = t.map(|n| Vec3(mesh.points[n as usize]) - middle);
        even_odd[root as usize][usize::from(odd)] += (b - a).cross(c - a).norm();
        volumes[root as usize] += a.dot(b.cross(c)) * if odd { -1.0 } else { 1.0 };
    }
    for (t, &(root, odd)) in mesh.triangles.iter_mut().zip(&places) {
        let [even, other] = even_odd[root as usize];
        let noisy = even.min(other) > NOISE * (even + other);
        let turn_odd = if noisy { volumes[root as usize] >= 0.0 } else { even >= other };
        if !parts.twisted[root as usize] && odd == turn_odd && even.min(other) > 0.0 {
            t.swap(1, 2);
        }
    }
}

/// Sets of triangles with a way round for each, as disjoint sets with parity.
struct Parts {
    /// Parent, and whether the way round differs from it.
    above: Vec<(u32, bool)>,
    /// Parts that no winding satisfies, by root.
    twisted: Vec<bool>,
}

impl Parts {
    fn new(count: usize) -> Self {
        Parts { above: (0..count as u32).map(|i| (i, false)).collect(), twisted: vec![false; count] }
    }

    /// The root of a triangle, and whether it is wound the other way.
    fn root(&mut self, mut i: u32) -> (u32, bool) {
        let mut odd = false;
        loop {
            let (parent, differs) = self.above[i as usize];
            if parent == i {
                return (i, odd);
            }
            let (grand, more) = self.above[parent as usize];
            self.above[i as usize] = (grand, differs ^ more);
            odd ^= differs;
            i = parent;
        }
    }

    fn join(&mut self, a: u32, b: u32, differ: bool) {
        let ((a, odd_a), (b, odd_b)) = (self.root(a), self.root(b));
        let differ = differ ^ odd_a ^ odd_b;
        if a == b {
            self.twisted[a as usize] |= differ;
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.above[high as usize] = (low, differ);
        self.twisted[low as usize] |= self.twisted[high as usize];
    }
}
