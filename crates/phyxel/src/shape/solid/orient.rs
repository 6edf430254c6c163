//! Faces wound one way: neighbours agree, and the whole looks outward.

use super::tree::Triangle;
use super::volume::by_divergence;
use super::winding::solid_angle;
use crate::math::Vec3;
use crate::shape::TriMesh;
use rayon::slice::ParallelSliceMut;
use std::f64::consts::PI;

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

/// A surface wound outward.
pub(super) struct Oriented {
    pub closed: bool,
    /// The connected part of each triangle.
    pub parts: Vec<u32>,
    pub part_count: usize,
}

/// Turns faces until they agree and look outward.
pub(super) fn orient(mesh: &mut TriMesh) -> Oriented {
    let sides = sides(mesh.triangles.iter().copied());
    let sides = if is_closed(&sides) && agree(&sides) { sides } else { welded_sides(mesh) };
    let mut parts = Parts::new(mesh.triangles.len());
    for edge in edges(&sides) {
        for pair in edge.windows(2) {
            // Where more than two faces meet, none knows which of the others it goes on in.
            let differ = edge.len() == 2 && pair[0].forward == pair[1].forward;
            parts.join(pair[0].triangle, pair[1].triangle, differ);
        }
    }
    let mut closed = is_closed(&sides);
    if !agree(&sides) {
        turn_odd_faces(mesh, &mut parts);
        closed = is_closed(&welded_sides(mesh));
    }
    turn_inward_parts(mesh, &mut parts);
    let (parts, part_count) = parts.numbered();
    Oriented { closed, parts, part_count }
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

fn is_closed(sides: &[Side]) -> bool {
    edges(sides).all(|edge| 2 * edge.iter().filter(|s| s.forward).count() == edge.len())
}

/// Where two triangles meet they run along their edge in opposite directions.
fn agree(sides: &[Side]) -> bool {
    edges(sides).all(|edge| edge.len() != 2 || edge[0].forward != edge[1].forward)
}

/// Turns the smaller share of each part that can be wound one way at all; a Klein bottle is left as it is.
fn turn_odd_faces(mesh: &mut TriMesh, parts: &mut Parts) {
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

/// Turns what is wound inward: the whole, or single parts, unless another part is around them and they are the walls of a cavity.
fn turn_inward_parts(mesh: &mut TriMesh, parts: &mut Parts) {
    let (labels, count) = parts.numbered();
    let inward = if count > 1 { inward_parts(mesh, &labels, count) } else { Vec::new() };
    for part in inward.iter().filter(|_| inward.len() <= MANY) {
        if in_another(mesh, &labels, count, *part) {
            continue;
        }
        let own = mesh.triangles.iter_mut().zip(&labels).filter(|(_, label)| *label == part);
        own.for_each(|(t, _)| t.swap(1, 2));
    }
    if by_divergence(mesh) < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
}

/// More parts wound inward than this are left to the sum of all.
const MANY: usize = 64;

/// Parts with a negative volume about their own middle.
fn inward_parts(mesh: &TriMesh, labels: &[u32], count: usize) -> Vec<u32> {
    let corners = |t: &[u32; 3]| t.map(|n| Vec3(mesh.points[n as usize]));
    let mut middles = vec![(Vec3::zero(), 0.0); count];
    for (t, label) in mesh.triangles.iter().zip(labels) {
        let [a, b, c] = corners(t);
        let middle = &mut middles[*label as usize];
        *middle = (middle.0 + a + b + c, middle.1 + 3.0);
    }
    let mut sums = vec![(0.0, 0.0); count];
    for (t, label) in mesh.triangles.iter().zip(labels) {
        let (sum, number) = middles[*label as usize];
        let [a, b, c] = corners(t).map(|corner| corner - sum * (1.0 / number));
        let of_part = &mut sums[*label as usize];
        *of_part = (of_part.0 + a.dot(b.cross(c)) / 6.0, of_part.1 + 0.5 * (b - a).cross(c - a).norm());
    }
    let inward = |(volume, area): (f64, f64)| volume < -1e-6 * area.powf(1.5);
    (0..count as u32).filter(|part| inward(sums[*part as usize])).collect()
}

/// Whether another part goes around the first corner of this one, either way round.
fn in_another(mesh: &TriMesh, labels: &[u32], count: usize, part: u32) -> bool {
    let Some(first) = labels.iter().position(|label| *label == part) else { return false };
    let p = Vec3(mesh.points[mesh.triangles[first][0] as usize]);
    let mut winding = vec![0.0; count];
    for (i, (t, label)) in mesh.triangles.iter().zip(labels).enumerate() {
        let corners = t.map(|n| Vec3(mesh.points[n as usize]));
        winding[*label as usize] += solid_angle(&Triangle { corners, index: i as u32 }, p);
    }
    winding.iter().enumerate().any(|(other, angle)| other != part as usize && angle.abs() > 2.0 * PI)
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

    /// Numbers the parts in the order of their first triangles.
    fn numbered(&mut self) -> (Vec<u32>, usize) {
        let mut numbers = vec![u32::MAX; self.above.len()];
        let (mut count, len) = (0, self.above.len() as u32);
        let number = |t: u32| {
            let root = self.root(t).0 as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = count;
                count += 1;
            }
            numbers[root]
        };
        let parts = (0..len).map(number).collect();
        (parts, count as usize)
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
