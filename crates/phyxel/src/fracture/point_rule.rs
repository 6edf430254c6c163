//! Where cracks start and run among phyxels.

use super::fragile::Fragile;
use super::point_tip::{Advance, advances};
use super::points::{Crack, PointPieces};
use super::rule::{Candidate, ONE_CRACK, Proposal, candidate};
use super::stress::{Feeling, NOTHING};
use super::tip::Around;
use super::view::View;
use super::{Edit, Held};
use crate::math::Real;

/// Phyxels nearer than this to the plane of a crack that runs on, in spacings, lie in it.
const IN_PLANE: f64 = 0.1;
/// They part where they are so deep inside it, in depths at which sight ends.
const DEEP: f64 = 0.5;
/// Where toughness decides, a crack that starts takes along what bears this share of its strength.
///
/// A crack starts at once over a finite area, wherever stress is as good as the strength (Leguillon 2002): the first phyxel to break is
/// ahead of its neighbours by no more than chance and waves. Alone it would be a crack far too short for its toughness, and they would
/// wait for it in vain.
const ALONG: f64 = 0.9;

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
    start(view, (fragile, points), candidates, budget, (&mut proposal, &mut touched));
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
fn start<R: Real>(
    view: &View<'_, R>,
    (fragile, points): (&Fragile, &PointPieces),
    candidates: &[Candidate],
    budget: usize,
    (proposal, touched): (&mut Proposal, &mut [bool]),
) {
    let origin = &fragile.origin[..];
    let mut place_of = vec![None; origin.len()];
    for (k, candidate) in candidates.iter().enumerate() {
        place_of[candidate.node as usize] = Some(k);
    }
    for first in candidates {
        if touched[first.node as usize] || points.is_at_crack(origin, first.node) {
            continue;
        }
        let (mut front, mut next) = (vec![*first], 0);
        let mut members = Vec::new();
        while next < front.len() {
            let Candidate { node, normal, at_rest, strength, .. } = front[next];
            next += 1;
            if !points.has_both_sides(origin, node, at_rest) {
                continue;
            }
            if proposal.edits.len() == budget {
                proposal.waiting += 1;
                continue;
            }
            for &n in points.neighbours(node) {
                let waits = touched[n as usize] || points.is_at_crack(origin, n) || front.iter().any(|c| c.node == n);
                if waits || !points.in_plane(origin, (node, n), at_rest) {
                    continue;
                }
                let found = match place_of[n as usize] {
                    Some(k) => Some(candidates[k]),
                    None => nearly(view, (fragile, points), n),
                };
                front.extend(found.filter(|c| c.at_rest.dot(at_rest).abs() > ONE_CRACK));
            }
            members.push(node);
            let disc = points.disc_at(origin[node as usize], at_rest);
            let crack = Crack { disc, splits: vec![node], at: node };
            let (body, hold) = (view.body, Some(Held { strength, at_rest: at_rest.0 }));
            proposal.edits.push(Edit::SplitPhyxels { body, at: node, crack, hold, normal: normal.0, ahead: None });
        }
        for node in members {
            touched[node as usize] = true;
            points.neighbours(node).iter().for_each(|n| touched[*n as usize] = true);
        }
    }
}

/// A phyxel that a crack takes along though it is not beyond its strength.
fn nearly<R: Real>(view: &View<'_, R>, (fragile, points): (&Fragile, &PointPieces), node: u32) -> Option<Candidate> {
    let material = &view.spec.material;
    let fracture = material.fracture.as_ref().filter(|_| points.fronts.is_some())?;
    let (gradient, stress) = Around { view, fragile, fracture }.feel((0, node as usize))?;
    candidate(fragile, (fracture, material), (node, &Feeling { stress, gradient, ..NOTHING }), ALONG)
}
