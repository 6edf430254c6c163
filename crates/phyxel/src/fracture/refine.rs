//! Cuts elements where a plane passes through them, so that cuts leave the grid.
//!
//! A node is put on every edge that the plane crosses, and each element with such edges is halved at one of them after the
//! other, always at the one with the smallest numbers first: neighbours agree about their common faces without asking
//! each other. No edge crosses the plane then, and cracks follow faces as they always do. Where the plane comes near to the end
//! of an edge it goes through that end, so that no slivers arise; a crack that stress makes goes through ends that are farther
//! away as well, and in the end along faces, where it would leave one all the same.

use super::Edit;
use super::ahead::side_ahead;
use super::fragile::{Fragile, Pieces};
use super::slice::Slice;
use super::star::{CrackPlane, one_side};
use super::tets::TetPieces;
use crate::math::Vec3;
use crate::shape::quality::radius_ratio;
use crate::stencil::TetTable;
use std::collections::BTreeMap;

/// A cut that comes nearer to the end of an edge than this share of it goes through the end.
const SNAP: f64 = 0.2;
/// The same for cracks that stress makes, one after the other until no sliver is left; the last leaves no edge to cut.
const SNAPS: [f64; 3] = [SNAP, 0.35, 0.5];
/// Elements with a smaller ratio of their radii are slivers; those that were worse already must not become worse still.
pub const LEAST_QUALITY: f64 = 0.1;
/// Edges shorter than this share of a typical one are not cut.
const SHORTEST: f64 = 0.4;
/// The six edges of a tetrahedron.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// A node that was put on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Birth {
    /// The node, within the body.
    pub node: u32,
    /// The ends of the edge.
    pub ends: [u32; 2],
    /// How far from the first to the second it is, as a share.
    pub share: f64,
}

/// Where edges are cut: how far from their lower end to their higher one.
type Cuts = BTreeMap<[u32; 2], f64>;

/// How far over a plane nodes are [m]; zero for those that it goes through.
type Heights = BTreeMap<u32, f64>;

/// Cuts the elements of a body where the planes of edits pass through them, with at most `left` nodes more than edits for cracks
/// that stress makes. `places` are where its nodes are now, and get the new ones. Returns what is left to do, along faces, the
/// new nodes, and how many edits wait for the next step.
pub(super) fn refine(
    fragile: &mut Fragile,
    edits: &[Edit],
    places: &mut Vec<Vec3<f64>>,
    left: &mut usize,
) -> (Vec<Edit>, Vec<Birth>, usize) {
    let least = SHORTEST * fragile.size;
    let Fragile { pieces: Pieces::Tets(tets), origin, fragment_of, tips, .. } = fragile else {
        return (edits.to_vec(), Vec::new(), 0);
    };
    let mut cuts = Cuts::new();
    let mut seen: Vec<Option<Heights>> = Vec::new();
    let mut room = left.saturating_add(edits.len());
    for edit in edits {
        let mut heights = Heights::new();
        match edit {
            Edit::SplitNode { node, normal, ahead, .. } => {
                let (from, normal) = (places[*node as usize], Vec3(*normal));
                let reaches = |x: Vec3<f64>| ahead.is_none_or(|ahead| (x - from).dot(Vec3(ahead)) > 0.0);
                let star: Vec<u32> = tets.around(*node).collect();
                for n in star.iter().flat_map(|t| tets.table.nodes[*t as usize]) {
                    heights.insert(n, (places[n as usize] - from).dot(normal));
                }
                heights.insert(*node, 0.0);
                let more = sound_cuts(tets, &star, (places, least, &reaches), &heights, &cuts);
                let count = 1 + more.len() - cuts.len();
                // What does not fit any more waits for the next step; what never would goes along faces.
                if count <= room {
                    (room, cuts) = (room - count, more);
                } else if seen.is_empty() {
                    room -= 1;
                } else {
                    seen.push(None);
                    continue;
                }
            }
            Edit::CutThrough { slice, .. } => {
                heights.extend(places.iter().enumerate().map(|(n, x)| (n as u32, slice.height(*x))));
                let all: Vec<u32> = (0..tets.table.len() as u32).collect();
                find_cuts(tets, &all, (places, least, SNAP), &mut heights, &mut cuts, |x| slice.reaches(x));
            }
            Edit::SplitPhyxels { .. } => {}
        }
        seen.push(Some(heights));
    }
    let births = put_nodes(tets, &cuts, fragment_of, origin.len() as u32);
    for birth in &births {
        let ([a, b], share) = (birth.ends.map(|n| n as usize), birth.share);
        places.push(places[a] * (1.0 - share) + places[b] * share);
        origin.push(origin[if share < 0.5 { a } else { b }]);
        tips.push(false);
    }
    tets.refresh(origin.len(), false);
    *left = room;
    let waiting = seen.iter().filter(|heights| heights.is_none()).count();
    let known = edits.iter().zip(&seen).filter_map(|(edit, heights)| Some((edit, heights.as_ref()?)));
    let along = known.flat_map(|(edit, heights)| along_faces(tets, edit, heights, places, &births));
    (along.collect(), births, waiting)
}

/// Where the edges of the elements around a node are cut by a crack, beside those that are cut already: nowhere that leaves a
/// sliver.
fn sound_cuts(
    tets: &TetPieces,
    star: &[u32],
    (places, least, reaches): (&[Vec3<f64>], f64, &impl Fn(Vec3<f64>) -> bool),
    heights: &Heights,
    known: &Cuts,
) -> Cuts {
    for snap in SNAPS {
        let mut cuts = known.clone();
        find_cuts(tets, star, (places, least, snap), &mut heights.clone(), &mut cuts, reaches);
        let new = cuts.keys().filter(|edge| !known.contains_key(*edge));
        // Others than those around the node have the same edges.
        let mut beside: Vec<u32> =
            new.flat_map(|[a, b]| tets.around(*a).filter(|t| tets.table.nodes[*t as usize].contains(b))).collect();
        beside.sort_unstable();
        beside.dedup();
        if beside.iter().all(|t| leaves_no_sliver(tets, *t, &cuts)) {
            return cuts;
        }
    }
    known.clone()
}

/// Whether the parts of an element are no slivers, or no worse than it is itself.
fn leaves_no_sliver(tets: &TetPieces, t: u32, cuts: &Cuts) -> bool {
    let tet = tets.table.nodes[t as usize];
    let first = tets.rest.len() as u32;
    let new: Vec<([u32; 2], f64)> =
        EDGES.iter().map(|e| key(tet, e)).filter_map(|e| Some((e, *cuts.get(&e)?))).collect();
    let number = |edge: [u32; 2]| new.iter().position(|(e, _)| *e == edge).map(|k| first + k as u32);
    let rest = |n: u32| Vec3(tets.rest[n as usize]);
    let place = |n: u32| match new.get((n as usize).wrapping_sub(first as usize)) {
        Some(([a, b], share)) => (rest(*a) * (1.0 - share) + rest(*b) * *share).0,
        None => rest(n).0,
    };
    let quality = |tet: [u32; 4]| radius_ratio(tet.map(place));
    let least = quality(tet).min(LEAST_QUALITY);
    parts_of((tet, [false; 4]), number).into_iter().all(|(part, _)| quality(part) >= least)
}

/// An edge of an element, its lower end first.
fn key(tet: [u32; 4], e: &[usize; 2]) -> [u32; 2] {
    [tet[e[0]].min(tet[e[1]]), tet[e[0]].max(tet[e[1]])]
}

/// An element, and which of its faces, each opposite to its corner, are of the outside.
type Part = ([u32; 4], [bool; 4]);

/// An element halved at every edge that has a node on it, the one with the smallest numbers first.
fn parts_of(part: Part, number: impl Fn([u32; 2]) -> Option<u32>) -> Vec<Part> {
    let (mut whole, mut parts) = (vec![part], Vec::new());
    while let Some((tet, outside)) = whole.pop() {
        let cut = EDGES.iter().filter_map(|e| Some((key(tet, e), e, number(key(tet, e))?))).min();
        let Some((_, &[a, b], middle)) = cut else {
            parts.push((tet, outside));
            continue;
        };
        for (moved, kept) in [(a, b), (b, a)] {
            let mut half = (tet, outside);
            half.0[moved] = middle;
            // Opposite to the end that it keeps, it lies on the other half.
            half.1[kept] = false;
            whole.push(half);
        }
    }
    parts
}

/// Finds the edges of some elements that a plane crosses; nodes that it comes near to get the height zero.
fn find_cuts(
    tets: &TetPieces,
    elements: &[u32],
    (places, least, snap): (&[Vec3<f64>], f64, f64),
    heights: &mut Heights,
    cuts: &mut Cuts,
    reaches: impl Fn(Vec3<f64>) -> bool,
) {
    let edges_of = |t: &u32| EDGES.map(|e| key(tets.table.nodes[*t as usize], &e));
    // How far along an edge the plane crosses it, if it does so within reach.
    let crossing = |[a, b]: [u32; 2], heights: &Heights| {
        let (up, down) = (heights[&a], heights[&b]);
        let share = up / (up - down);
        let at = places[a as usize] * (1.0 - share) + places[b as usize] * share;
        (up * down < 0.0).then(|| (share, reaches(at)))
    };
    // Only elements that the plane passes all the way through.
    let passed = |t: &&u32, heights: &Heights| edges_of(t).iter().all(|e| crossing(*e, heights).is_none_or(|c| c.1));
    let elements: Vec<u32> = elements.iter().filter(|t| passed(t, heights)).copied().collect();
    let edges = || elements.iter().flat_map(edges_of);
    let mut near: Vec<u32> = Vec::new();
    for edge in edges() {
        let Some((share, _)) = crossing(edge, heights) else { continue };
        let short = (places[edge[0] as usize] - places[edge[1] as usize]).norm() < least;
        if short || share < snap || share > 1.0 - snap || snap == 0.5 {
            near.push(edge[(share > 0.5) as usize]);
        }
    }
    heights.extend(near.into_iter().map(|n| (n, 0.0)));
    for edge in edges() {
        if let Some((share, _)) = crossing(edge, heights) {
            cuts.entry(edge).or_insert(share);
        }
    }
}

/// Puts nodes on edges and halves the elements that have these edges. The first half of an element keeps its number.
fn put_nodes(tets: &mut TetPieces, cuts: &Cuts, fragment_of: &mut Vec<u32>, first: u32) -> Vec<Birth> {
    let mut births = Vec::with_capacity(cuts.len());
    let mut number = BTreeMap::new();
    for (k, (&ends, &share)) in cuts.iter().enumerate() {
        let node = first + k as u32;
        number.insert(ends, node);
        births.push(Birth { node, ends, share });
        let [a, b] = ends.map(|n| Vec3(tets.rest[n as usize]));
        tets.rest.push((a * (1.0 - share) + b * share).0);
    }
    for t in 0..tets.table.len() {
        let parts = parts_of((tets.table.nodes[t], tets.outside[t]), |edge| number.get(&edge).copied());
        if parts.len() < 2 {
            continue;
        }
        for (k, (part, outside)) in parts.into_iter().enumerate() {
            let Ok(built) = TetTable::build(&tets.rest, &[part]) else { continue };
            if k == 0 {
                (tets.table.nodes[t], tets.table.gradients[t], tets.table.volumes[t]) =
                    (part, built.gradients[0], built.volumes[0]);
                tets.outside[t] = outside;
            } else {
                tets.outside.push(outside);
                tets.table.nodes.push(part);
                tets.table.gradients.push(built.gradients[0]);
                tets.table.volumes.push(built.volumes[0]);
                fragment_of.push(fragment_of[t]);
            }
        }
    }
    let nodes = tets.table.nodes.clone();
    tets.set_nodes(nodes, first as usize + births.len(), false);
    births
}

/// What an edit still has to do when elements have been cut for it.
fn along_faces(tets: &TetPieces, edit: &Edit, heights: &Heights, places: &[Vec3<f64>], births: &[Birth]) -> Vec<Edit> {
    match edit {
        Edit::SplitPhyxels { .. } => vec![edit.clone()],
        &Edit::SplitNode { body, node, hold, normal, ahead, .. } => {
            let plane = CrackPlane { point: places[node as usize], normal: Vec3(normal) };
            let at = |n: u32| places[n as usize];
            let side = match ahead {
                Some(ahead) => side_ahead(tets, node, (&plane, Vec3(ahead)), at, &mut Vec::new()),
                None => one_side(tets, node, &plane, at, &mut Vec::new()),
            };
            side.map(|elements| Edit::SplitNode { body, node, elements, hold, normal, ahead }).into_iter().collect()
        }
        Edit::CutThrough { body, slice } => {
            let own = births.iter().filter(|b| slice.reaches(places[b.node as usize])).map(|b| b.node);
            let through = heights.iter().filter(|(n, h)| **h == 0.0 && slice.reaches(places[**n as usize]));
            // New nodes lie in the plane; what came from it before may be off by rounding.
            let height = |n: u32| heights.get(&n).copied().unwrap_or(0.0);
            let over = |t: &u32| tets.table.nodes[*t as usize].iter().map(|n| height(*n)).sum::<f64>() > 0.0;
            let straddles = |t: u32| {
                let heights = tets.table.nodes[t as usize].map(height);
                heights.iter().any(|h| *h > 0.0) && heights.iter().any(|h| *h < 0.0)
            };
            let mut edits = Vec::new();
            // The front of a cut that goes on is left alone until elements there have been cut.
            let nodes = through.map(|(n, _)| *n).chain(own);
            for node in nodes.filter(|n| !tets.around(*n).any(straddles)) {
                let (elements, under): (Vec<u32>, Vec<u32>) = tets.around(node).partition(over);
                if !elements.is_empty() && !under.is_empty() {
                    let normal = slice.normal.0;
                    edits.push(Edit::SplitNode { body: *body, node, elements, hold: None, normal, ahead: None });
                }
            }
            edits
        }
    }
}

/// Area in which a slice passes through elements [m²].
pub(super) fn area(tets: impl Iterator<Item = [u32; 4]>, slice: &Slice, place: impl Fn(u32) -> Vec3<f64>) -> f64 {
    let mut total = 0.0;
    for tet in tets {
        let x = tet.map(&place);
        let (over, under): (Vec<Vec3<f64>>, Vec<Vec3<f64>>) = x.iter().partition(|x| slice.height(**x) > 0.0);
        // In an order that goes around the section, which has three corners or four.
        let pairs: Vec<(Vec3<f64>, Vec3<f64>)> = match (&over[..], &under[..]) {
            (&[a, b], &[c, d]) => vec![(a, c), (a, d), (b, d), (b, c)],
            _ => over.iter().flat_map(|a| under.iter().map(|b| (*a, *b))).collect(),
        };
        let corners: Vec<Vec3<f64>> = pairs
            .into_iter()
            .map(|(a, b)| a + (b - a) * (slice.height(a) / (slice.height(a) - slice.height(b))))
            .collect();
        let Some(&first) = corners.first() else { continue };
        let middle = corners.iter().fold(Vec3::zero(), |sum, x| sum + *x) * (1.0 / corners.len() as f64);
        if slice.reaches(middle) {
            let fans = corners.windows(2).map(|w| 0.5 * (w[0] - first).cross(w[1] - first).norm());
            total += fans.sum::<f64>();
        }
    }
    total
}
