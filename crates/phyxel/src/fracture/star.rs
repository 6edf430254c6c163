//! The elements around a node, and how a crack divides them.

use super::fragile::centre;
use super::tets::{ALONE, TetPieces};
use crate::math::Vec3;
use crate::shape::quality::FACES;

/// A plane through a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrackPlane {
    /// A point on it [m].
    pub point: Vec3<f64>,
    /// Square to it.
    pub normal: Vec3<f64>,
}

/// The elements around `node` on the smaller side of a plane; `None` when all are on one side. Elements that never part
/// from each other go together. `heights` is room for how far each is from the plane.
pub(super) fn one_side(
    pieces: &TetPieces,
    node: u32,
    plane: &CrackPlane,
    place: impl Fn(u32) -> Vec3<f64> + Copy,
    heights: &mut Vec<f64>,
) -> Option<Vec<u32>> {
    heights_of(pieces, node, plane, place, heights);
    let star = pieces.corners(node);
    let over = heights.iter().filter(|h| **h > 0.0).count();
    let under = star.len() - over;
    if over == 0 || under == 0 {
        return None;
    }
    let (is_over, count) = (over <= under, over.min(under));
    let mut side = Vec::with_capacity(count);
    side.extend(star.iter().zip(&*heights).filter(|(_, h)| (**h > 0.0) == is_over).map(|(corner, _)| corner / 4));
    Some(side)
}

/// Lists how far the elements around a node are from a plane, times their volume; those that never part have a sum in common.
pub(super) fn heights_of(
    pieces: &TetPieces,
    node: u32,
    plane: &CrackPlane,
    place: impl Fn(u32) -> Vec3<f64> + Copy,
    heights: &mut Vec<f64>,
) {
    let height = |t: u32| {
        let (volume, tet) = (pieces.table.volumes[t as usize], pieces.table.nodes[t as usize]);
        volume * (centre(tet, place) - plane.point).dot(plane.normal)
    };
    let star = pieces.corners(node);
    heights.clear();
    for corner in star {
        heights.push(height(corner / 4));
    }
    if !pieces.cells.is_empty() {
        together(pieces, star, heights);
    }
}

/// Gives elements that never part the sum of their heights; those that come later still have their own.
fn together(pieces: &TetPieces, star: &[u32], heights: &mut [f64]) {
    let cell = |k: usize| pieces.cells[star[k] as usize / 4];
    for k in 0..star.len() {
        heights[k] = match (0..k).rev().find(|j| cell(*j) == cell(k)) {
            Some(known) => heights[known],
            None => (k..star.len()).filter(|j| cell(*j) == cell(k)).map(|j| heights[j]).sum(),
        };
    }
}

/// The `wanted` ones of the nodes besides `node` that elements on both sides have, ascending: the crack ends there, or goes on.
pub(super) fn rim<'a>(
    pieces: &TetPieces,
    node: u32,
    side: &[u32],
    wanted: impl Fn(u32) -> bool,
    both: &'a mut Vec<u32>,
) -> &'a [u32] {
    let (corners, star) = (&pieces.table.nodes, pieces.corners(node));
    let is_beyond = |n: u32| {
        let beyond = |t: u32| corners[t as usize].contains(&n) && !side.contains(&t);
        star.iter().any(|corner| beyond(corner / 4))
    };
    // Stars have few nodes: looking through them is quicker than sorting.
    both.clear();
    for &t in side {
        for n in corners[t as usize] {
            if n != node && wanted(n) && !both.contains(&n) && is_beyond(n) {
                both.push(n);
            }
        }
    }
    both.sort_unstable();
    both
}

/// The faces around `node` that separate a side from the rest, as tetrahedra of the side and three of their corners; also
/// those that have parted at other nodes already.
pub(super) fn between<'a>(
    pieces: &'a TetPieces,
    node: u32,
    side: &'a [u32],
) -> impl Iterator<Item = (u32, [usize; 3])> + 'a {
    let has = move |t: u32| pieces.table.nodes[t as usize].contains(&node);
    side.iter().flat_map(move |&t| {
        let tet = pieces.table.nodes[t as usize];
        let faces = FACES.iter().zip(pieces.mates[t as usize]);
        let separates = move |mate: u32| mate != ALONE && has(mate / 4) && !side.contains(&(mate / 4));
        let faces = faces.filter(move |(corners, mate)| corners.iter().any(|k| tet[*k] == node) && separates(*mate));
        faces.map(move |(corners, _)| (t, *corners))
    })
}

/// Area of the faces around `node` that separate a side from the rest [m²]: of those that [`between`] tells, one after the
/// other, because every break asks for it.
pub(super) fn area(pieces: &TetPieces, node: u32, side: &[u32], place: impl Fn(u32) -> Vec3<f64>) -> f64 {
    let corners = &pieces.table.nodes;
    let mut total = 0.0;
    for &t in side {
        let (tet, mates) = (corners[t as usize], pieces.mates[t as usize]);
        for (face, &mate) in FACES.iter().zip(&mates) {
            if mate == ALONE || side.contains(&(mate / 4)) {
                continue;
            }
            let has = |k: &usize| tet[*k] == node;
            if face.iter().any(has) && corners[mate as usize / 4].contains(&node) {
                let [p, q, r] = [place(tet[face[0]]), place(tet[face[1]]), place(tet[face[2]])];
                total += 0.5 * (q - p).cross(r - p).norm();
            }
        }
    }
    total
}

/// Stars are looked at without memory of their own up to this many elements.
const MOST: usize = 64;

/// Whether the elements around a node are one group; see [`groups`]. `places` is room for where each tetrahedron stands.
pub(super) fn is_one_group(pieces: &TetPieces, node: u32, places: &mut Vec<u8>) -> bool {
    if !pieces.splittable[node as usize] {
        return true;
    }
    let star = pieces.corners(node);
    if star.len() > MOST {
        return groups(pieces, node).len() < 2;
    }
    // What goes together is one unit: a cell, or an element.
    let unit = |t: usize| pieces.cells.get(t).copied().unwrap_or(t as u32);
    let (mut units, mut count) = ([0; MOST], 0);
    places.resize(places.len().max(pieces.twins.len()), 0);
    for t in star.iter().map(|corner| *corner as usize / 4) {
        // Elements of a cell follow each other.
        let known = units[..count].iter().rposition(|own| *own == unit(t));
        let place = known.unwrap_or(count);
        (units[place], count) = (unit(t), count.max(place + 1));
        places[t] = place as u8;
    }
    let mut beside = [0u64; MOST];
    for corner in star {
        let (t, own) = (*corner as usize / 4, *corner as usize % 4);
        // Faces are opposite to the corner of their place: all but one have the node, and so has what is behind them.
        for (face, twin) in pieces.twins[t].iter().enumerate() {
            if face != own && *twin != ALONE {
                beside[places[t] as usize] |= 1 << places[*twin as usize / 4];
            }
        }
    }
    let (mut reached, mut left) = (1u64, 1u64);
    while left != 0 {
        let more = beside[left.trailing_zeros() as usize] & !reached;
        left = (left & (left - 1)) | more;
        reached |= more;
    }
    reached.count_ones() as usize == count
}

/// The elements around a node in groups that hang together by faces, or because they never part; the largest group first,
/// and the one with the first element among equals.
pub(super) fn groups(pieces: &TetPieces, node: u32) -> Vec<Vec<u32>> {
    let mut left: Vec<u32> = pieces.around(node).collect();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while let Some(&first) = left.first() {
        let mut group = vec![first];
        left.remove(0);
        let mut next = 0;
        while next < group.len() {
            let at = group[next];
            next += 1;
            left.retain(|&t| {
                let with = pieces.hang_together(at, t);
                if with {
                    group.push(t);
                }
                !with
            });
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups.sort_by_key(|g| (std::cmp::Reverse(g.len()), g[0]));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::{CubeSplit, box_tets};
    use crate::stencil::TetTable;

    fn pieces() -> (TetPieces, Vec<[f64; 3]>) {
        let mesh = box_tets([2, 2, 2], [0.0; 3], [2.0; 3], CubeSplit::Five).expect("a block");
        let table = TetTable::build(&mesh.points, &mesh.tets).expect("sound");
        (TetPieces::new(table, Vec::new(), false, mesh.points.len()), mesh.points)
    }

    fn sum_of(
        faces: impl Iterator<Item = (u32, [usize; 3])>,
        pieces: &TetPieces,
        place: impl Fn(u32) -> Vec3<f64>,
    ) -> f64 {
        let corners = |(t, face): (u32, [usize; 3])| face.map(|k| place(pieces.table.nodes[t as usize][k]));
        faces.map(corners).map(|[p, q, r]| 0.5 * (q - p).cross(r - p).norm()).sum()
    }

    #[test]
    fn a_plane_through_the_middle_divides_the_star_along_faces() {
        let (pieces, points) = pieces();
        let place = |n: u32| Vec3(points[n as usize]);
        let middle = 13;
        assert_eq!(points[middle as usize], [1.0; 3]);
        let plane = CrackPlane { point: Vec3([1.0; 3]), normal: Vec3([1.0, 0.0, 0.0]) };
        let side = one_side(&pieces, middle, &plane, place, &mut Vec::new()).expect("two sides");
        assert_eq!(2 * side.len(), pieces.around(middle).count());
        // The faces between the sides lie in the plane, and their other corners as well.
        let mut room = Vec::new();
        let rim = rim(&pieces, middle, &side, |_| true, &mut room);
        assert!(!rim.is_empty() && rim.iter().all(|n| points[*n as usize][0] == 1.0));
        // Each of the four squares around the node gives it a triangle, or two.
        let cut = area(&pieces, middle, &side, place);
        assert_eq!(cut, sum_of(between(&pieces, middle, &side), &pieces, place));
        assert!((cut - 4.0).abs() < 1e-12 || (cut - 2.0).abs() < 1e-12, "{cut}");
        let beside = CrackPlane { point: Vec3([5.0, 0.0, 0.0]), ..plane };
        assert!(one_side(&pieces, middle, &beside, place, &mut Vec::new()).is_none());
    }

    #[test]
    fn a_whole_star_is_one_group() {
        let (pieces, points) = pieces();
        for n in 0..points.len() as u32 {
            assert_eq!(groups(&pieces, n).len(), 1, "node {n}");
            assert!(is_one_group(&pieces, n, &mut Vec::new()), "node {n}");
        }
    }

    #[test]
    fn elements_that_touch_at_an_edge_are_apart() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
        let tets = [[0, 1, 2, 3], [0, 1, 4, 5]];
        let table = TetTable::build(&points, &tets).expect("sound");
        let mut pieces = TetPieces::new(table, Vec::new(), false, 6);
        assert_eq!(groups(&pieces, 0), [[0], [1]]);
        assert!(!is_one_group(&pieces, 0, &mut Vec::new()));
        pieces.cells = vec![7, 7];
        assert_eq!(groups(&pieces, 0), [[0, 1]]);
        assert!(is_one_group(&pieces, 0, &mut Vec::new()));
    }
}
