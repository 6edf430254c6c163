//! Where cracks start and run among phyxels.

use super::fragile::Fragile;
use super::point_tip::{Advance, advances};
use super::points::{Crack, PointPieces};
use super::rule::{Candidate, ONE_CRACK, Proposal};
use super::view::View;
use super::{Edit, Held};
use crate::math::Real;

/// Phyxels nearer than this to the plane of a crack that runs on, in spacings, lie in it.
const IN_PLANE: f64 = 0.1;
/// They part where they are so deep inside it, in depths at which sight ends.
const DEEP: f64 = 0.5;

/// Lets cracks run on from their fronts where toughness decides about that, and start at candidates, which come worst first;
/// each knows the direction of its crack at rest.
pub(super) fn propose<R: Real>(
    view: &View<'_, R>,
    (fragile, points): (&Fragile, &PointPieces),
    candidates: &[Candidate],
    budget: usize,
) -> Proposal {
    let runs = advances(view, (fragile, points));
    let (mut proposal, mut touched) = (Proposal::default(), Vec::new());
    if runs.is_empty() && candidates.is_empty() {
        return proposal;
    }
    touched.resize(fragile.origin.len(), false);
    let pieces = (points, &fragile.origin[..]);
    run_on(view.body, pieces, &runs, budget, (&mut proposal, &mut touched));
    start(view.body, pieces, candidates, budget, (&mut proposal, &mut touched));
    proposal
}

/// Lets cracks run on. Phyxels in them part, each once; whoever sees them waits for the next step.
fn run_on(
    body: usize,
    (points, origin): (&PointPieces, &[u32]),
    runs: &[Advance],
    budget: usize,
    (proposal, touched): (&mut Proposal, &mut [bool]),
) {
    let (mut parted, mut new_nodes) = (Vec::new(), 0);
    for Advance { from, normal, at_rest, ahead, .. } in runs {
        if new_nodes >= budget {
            proposal.waiting += 1;
            continue;
        }
        let disc = points.disc_ahead(from, *at_rest, *ahead);
        let lies_in = |n: &u32| {
            let x = points.rest(origin[*n as usize]);
            (x - disc.center).dot(disc.normal).abs() < IN_PLANE * from.spacing
                && points.depth(&disc, x).is_some_and(|depth| depth > DEEP)
                && !points.has_parted(origin, *n, disc.normal)
                && points.has_both_sides(origin, *n, disc.normal)
                && !parted.contains(n)
        };
        let splits: Vec<u32> = (0..origin.len() as u32).filter(lies_in).collect();
        new_nodes += splits.len().max(1);
        parted.extend(&splits);
        for node in splits.iter().chain([&from.near]) {
            touched[*node as usize] = true;
            points.neighbours(*node).iter().for_each(|n| touched[*n as usize] = true);
        }
        let crack = Crack { disc, splits, at: from.near };
        let (hold, ahead) = (None, Some(ahead.0));
        proposal.edits.push(Edit::SplitPhyxels { body, at: from.near, crack, hold, normal: normal.0, ahead });
    }
}

/// Starts cracks.
///
/// As with tetrahedra, a crack takes along the neighbours in its plane that are beyond their strength too, and all others
/// that see it wait for the next step.
fn start(
    body: usize,
    (points, origin): (&PointPieces, &[u32]),
    candidates: &[Candidate],
    budget: usize,
    (proposal, touched): (&mut Proposal, &mut [bool]),
) {
    let mut place_of = vec![None; origin.len()];
    for (k, candidate) in candidates.iter().enumerate() {
        place_of[candidate.node as usize] = Some(k);
    }
    for start in 0..candidates.len() {
        let node = candidates[start].node;
        if touched[node as usize] || points.is_at_crack(origin, node) {
            continue;
        }
        let (mut front, mut next) = (vec![start], 0);
        let mut members = Vec::new();
        while next < front.len() {
            let Candidate { node, normal, at_rest, strength, .. } = candidates[front[next]];
            next += 1;
            if !points.has_both_sides(origin, node, at_rest) {
                continue;
            }
            if proposal.edits.len() == budget {
                proposal.waiting += 1;
                continue;
            }
            for &n in points.neighbours(node) {
                let waits = |k: &usize| front.contains(k) || touched[n as usize] || points.is_at_crack(origin, n);
                let Some(k) = place_of[n as usize].filter(|k| !waits(k)) else { continue };
                if candidates[k].at_rest.dot(at_rest).abs() > ONE_CRACK && points.in_plane(origin, (node, n), at_rest) {
                    front.push(k);
                }
            }
            members.push(node);
            let disc = points.disc_at(origin[node as usize], at_rest);
            let crack = Crack { disc, splits: vec![node], at: node };
            let hold = Some(Held { strength, at_rest: at_rest.0 });
            proposal.edits.push(Edit::SplitPhyxels { body, at: node, crack, hold, normal: normal.0, ahead: None });
        }
        for node in members {
            touched[node as usize] = true;
            points.neighbours(node).iter().for_each(|n| touched[*n as usize] = true);
        }
    }
}
