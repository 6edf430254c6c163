//! Where cracks start and run among phyxels.

use super::points::{Crack, PointPieces};
use super::rule::{Candidate, ONE_CRACK, Proposal};
use super::{Edit, Held};

/// Lets cracks grow through the candidates, which come worst first; each knows the direction of its crack at rest.
///
/// As with tetrahedra, a crack takes along the neighbours in its plane that are beyond their strength too, and all others
/// that see it wait for the next step.
pub(super) fn spread(
    body: usize,
    (points, origin): (&PointPieces, &[u32]),
    candidates: &[Candidate],
    budget: usize,
) -> Proposal {
    let mut place_of = vec![None; origin.len()];
    for (k, candidate) in candidates.iter().enumerate() {
        place_of[candidate.node as usize] = Some(k);
    }
    let mut touched = vec![false; origin.len()];
    let mut proposal = Proposal::default();
    for start in 0..candidates.len() {
        if touched[candidates[start].node as usize] {
            continue;
        }
        let (mut front, mut next) = (vec![start], 0);
        let mut members = Vec::new();
        while next < front.len() {
            let Candidate { node, normal, at_rest, strength, ahead, .. } = candidates[front[next]];
            next += 1;
            if !points.has_both_sides(origin, node, at_rest) {
                continue;
            }
            if proposal.edits.len() == budget {
                proposal.waiting += 1;
                continue;
            }
            for &n in points.neighbours(node) {
                let Some(k) = place_of[n as usize].filter(|k| !front.contains(k) && !touched[n as usize]) else {
                    continue;
                };
                if candidates[k].at_rest.dot(at_rest).abs() > ONE_CRACK && points.in_plane(origin, (node, n), at_rest) {
                    front.push(k);
                }
            }
            members.push(node);
            let ahead = ahead.map(|[_, at_rest]| at_rest);
            let disc = match ahead {
                Some(ahead) => points.disc_ahead(origin[node as usize], at_rest, ahead),
                None => points.disc_at(origin[node as usize], at_rest),
            };
            let crack = Crack { disc, splits: vec![node], at: node };
            let hold = Some(Held { strength, at_rest: at_rest.0 });
            proposal.edits.push(Edit::SplitPhyxels {
                body,
                at: node,
                crack,
                hold,
                normal: normal.0,
                ahead: ahead.map(|a| a.0),
            });
        }
        for node in members {
            touched[node as usize] = true;
            points.neighbours(node).iter().for_each(|n| touched[*n as usize] = true);
        }
    }
    proposal
}
