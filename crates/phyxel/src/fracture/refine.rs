//! Cuts elements where a plane passes through them, so that cuts leave the grid.
//!
//! A node is put on every edge that the plane crosses, and each element with such edges is halved at one of them after the
//! other, always at the one with the smallest numbers first: neighbours agree about their common faces without asking
//! each other. No edge crosses the plane then, and cracks follow faces as they always do. Where the plane comes near to the end
//! of an edge it goes through that end, so that no slivers arise.

use super::Edit;
use super::fragile::{Fragile, Pieces};
use super::slice::Slice;
use super::star::{CrackPlane, one_side};
use super::tets::TetPieces;
use crate::math::Vec3;
use crate::stencil::TetTable;
use std::collections::BTreeMap;

/// A cut that comes nearer to the end of an edge than this share of it goes through the end.
const SNAP: f64 = 0.2;
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

/// Cuts the elements of a body where the planes of edits pass through them. `places` are where its nodes are now, and get
/// the new ones. Returns what is left to do, along faces, and the new nodes.
pub(super) fn refine(fragile: &mut Fragile, edits: &[Edit], places: &mut Vec<Vec3<f64>>) -> (Vec<Edit>, Vec<Birth>) {
    let least = SHORTEST * fragile.size;
    let Fragile { pieces: Pieces::Tets(tets), origin, fragment_of, tips, .. } = fragile else {
        return (edits.to_vec(), Vec::new());
    };
    let mut cuts = Cuts::new();
    let mut seen: Vec<Heights> = Vec::new();
    for edit in edits {
        let mut heights = Heights::new();
        match edit {
            Edit::SplitNode { node, normal, .. } => {
                let (from, normal) = (places[*node as usize], Vec3(*normal));
                let star: Vec<u32> = tets.around(*node).collect();
                for n in star.iter().flat_map(|t| tets.table.nodes[*t as usize]) {
                    heights.insert(n, (places[n as usize] - from).dot(normal));
                }
                heights.insert(*node, 0.0);
                find_cuts(tets, &star, (places, least), &mut heights, &mut cuts, |_| true);
            }
            Edit::CutThrough { slice, .. } => {
                heights.extend(places.iter().enumerate().map(|(n, x)| (n as u32, slice.height(*x))));
                let all: Vec<u32> = (0..tets.table.len() as u32).collect();
                find_cuts(tets, &all, (places, least), &mut heights, &mut cuts, |x| slice.reaches(x));
            }
            Edit::SplitPhyxels { .. } => {}
        }
        seen.push(heights);
    }
    let births = put_nodes(tets, &cuts, fragment_of, origin.len() as u32);
    for birth in &births {
        let ([a, b], share) = (birth.ends.map(|n| n as usize), birth.share);
        places.push(places[a] * (1.0 - share) + places[b] * share);
        origin.push(origin[if share < 0.5 { a } else { b }]);
        tips.push(false);
    }
    tets.refresh(origin.len(), false);
    let left = edits.iter().zip(&seen).flat_map(|(edit, heights)| along_faces(tets, edit, heights, places, &births));
    (left.collect(), births)
}

/// Finds the edges of some elements that a plane crosses; nodes that it comes near to get the height zero.
fn find_cuts(
    tets: &TetPieces,
    elements: &[u32],
    (places, least): (&[Vec3<f64>], f64),
    heights: &mut Heights,
    cuts: &mut Cuts,
    reaches: impl Fn(Vec3<f64>) -> bool,
) {
    let edges_of = |t: &u32| {
        let tet = tets.table.nodes[*t as usize];
        EDGES.map(|[a, b]| [tet[a].min(tet[b]), tet[a].max(tet[b])])
    };
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
        if short || !(SNAP..=1.0 - SNAP).contains(&share) {
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
        let mut whole = vec![tets.table.nodes[t]];
        let mut parts = Vec::new();
        while let Some(tet) = whole.pop() {
            let key = |e: &[usize; 2]| [tet[e[0]].min(tet[e[1]]), tet[e[0]].max(tet[e[1]])];
            let cut = EDGES.iter().filter(|e| number.contains_key(&key(e))).min_by_key(|e| key(e));
            let Some(edge) = cut else {
                parts.push(tet);
                continue;
            };
            let middle = number[&key(edge)];
            for k in edge {
                let mut half = tet;
                half[*k] = middle;
                whole.push(half);
            }
        }
        if parts.len() < 2 {
            continue;
        }
        for (k, part) in parts.into_iter().enumerate() {
            let Ok(built) = TetTable::build(&tets.rest, &[part]) else { continue };
            if k == 0 {
                (tets.table.nodes[t], tets.table.gradients[t], tets.table.volumes[t]) =
                    (part, built.gradients[0], built.volumes[0]);
            } else {
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
        Edit::SplitNode { body, node, hold, normal, .. } => {
            let plane = CrackPlane { point: places[*node as usize], normal: Vec3(*normal) };
            let side = one_side(tets, *node, &plane, |n| places[n as usize]);
            let (body, node, hold, normal) = (*body, *node, *hold, *normal);
            side.map(|elements| Edit::SplitNode { body, node, elements, hold, normal }).into_iter().collect()
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
                    edits.push(Edit::SplitNode { body: *body, node, elements, hold: None, normal });
                }
            }
            edits
        }
    }
}

/// Area in which a slice passes through the elements of a body [m²].
pub(super) fn area(tets: &TetPieces, slice: &Slice, place: impl Fn(u32) -> Vec3<f64>) -> f64 {
    let mut total = 0.0;
    for tet in &tets.table.nodes {
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
