//! Where cracks start and run: looks at stresses and proposes edits.

use super::criterion::{Strength, danger, reaches};
use super::fragile::{Fragile, Pieces};
use super::star::{CrackPlane, one_side, rim};
use super::stress::{Feeling, Sampler};
use super::stress_of_tets::Stresses;
use super::tets::TetPieces;
use super::{Edit, Held, point_rule};
use crate::material::{Fracture, Material};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
use crate::stencil::block::BlockScratch;

/// Cosine between the planes of two neighbours above which they are one crack.
pub(super) const ONE_CRACK: f64 = 0.8;

/// Where cracks go through elements, they go on at once only to nodes that are nearer to their plane than this share of an
/// edge; others are near to new nodes in it.
const IN_PLANE: f64 = 0.2;

/// Matter that has flowed as far as it can breaks under this share of the stress at which it began to flow.
const STILL_PULLED: f64 = 0.5;

/// What is beyond its strength by rounding alone is left to a closer look.
const ROUNDING: f64 = 1.0 - 1e-9;

/// What a rule has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposal {
    /// In the order in which they are to be carried out; each node is split once at most.
    pub edits: Vec<Edit>,
    /// Nodes that would break, but wait because the budget is used up.
    pub waiting: usize,
}

/// A node that is beyond its strength.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub node: u32,
    ratio: f64,
    /// What it bears across that crack [Pa].
    pub strength: f64,
    /// Square to the crack that it wants, in the present shape and at rest.
    pub normal: Vec3<f64>,
    pub at_rest: Vec3<f64>,
}

/// Proposes what must break in a body, with at most `budget` new nodes; see [`Sampler::look`] for `room`.
///
/// The worst node goes first, and with it those of its neighbours along the crack that are beyond their strength too and
/// want to break the same way. Every other node around them waits for the next step: the crack has unloaded it.
pub(super) fn propose<R: Real>(
    sampler: &mut Sampler,
    model: &Model<R>,
    state: &State<R>,
    (body, budget): (usize, usize),
    room: (&mut Stresses, Option<&mut BlockScratch<R>>),
) -> Proposal {
    let spec = &model.bodies[body];
    let (Some(fragile), Some(fracture)) = (&spec.fragile, &spec.material.fracture) else { return Proposal::default() };
    let felt = sampler.look(model, state, body, room);
    let beyond = felt.iter().filter_map(|(n, feeling)| candidate(fragile, (fracture, &spec.material), *n, feeling));
    let mut candidates: Vec<Candidate> = beyond.collect();
    if candidates.is_empty() {
        return Proposal::default();
    }
    candidates.sort_by(|a, b| b.ratio.total_cmp(&a.ratio).then(a.node.cmp(&b.node)));
    let first = spec.nodes.start;
    let place = |n: u32| model.place(first + n as usize, state.u[first + n as usize]);
    let tets = match &fragile.pieces {
        Pieces::Tets(tets) => tets,
        Pieces::Points(points) => return point_rule::spread(body, (points, &fragile.origin), &candidates, budget),
    };
    let mut spread = Spread::new(body, tets, candidates, fragile.origin.len(), budget);
    spread.thickness = if fragile.cuts { IN_PLANE * fragile.size } else { f64::INFINITY };
    spread.run(place);
    spread.proposal
}

/// The node as a candidate, if it is beyond its strength.
fn candidate(
    fragile: &Fragile,
    (fracture, material): (&Fracture, &Material),
    node: u32,
    feeling: &Feeling,
) -> Option<Candidate> {
    let at_tip = fracture.strength_at_tip(material.young_modulus, fragile.size) / fracture.strength;
    // Toughness alone decides in the field of a tip, which reaches beyond the tip itself.
    let in_field = fragile.tips[node as usize] || (fracture.fracture_energy > 0.0 && fragile.is_near_tip(node));
    let tip = if in_field { at_tip } else { 1.0 };
    let factor = fragile.strength_of(node) * tip;
    let least = fracture.grain.map_or(1.0, |g| (g.along / fracture.strength).min(1.0)) * fracture.strength * factor;
    let used_up = feeling.plastic / (fracture.plastic_limit * fragile.strength_of(node));
    // What has flowed as far as it can is torn where it is still pulled, and left alone when the tear has unloaded it.
    let yields = used_up >= 1.0 && reaches(&feeling.stress, STILL_PULLED * material.flow_stress());
    if !yields && !reaches(&feeling.stress, ROUNDING * least) {
        return None;
    }
    let turned = |g: [f64; 3]| (feeling.gradient * Vec3(g)).normalized();
    let along = fracture.grain.map(|grain| (turned(grain.direction), grain.along * factor));
    let found = danger(&feeling.stress, &Strength { across: fracture.strength * factor, along });
    let ratio = if yields { found.ratio.max(used_up) } else { found.ratio };
    let at_rest = (feeling.gradient.transpose() * found.normal).normalized();
    let strength = found.normal.dot(feeling.stress * found.normal) / found.ratio;
    (ratio >= 1.0).then_some(Candidate { node, ratio, strength, normal: found.normal, at_rest })
}

/// Cracks growing through the candidates of one body.
struct Spread<'a> {
    body: usize,
    tets: &'a TetPieces,
    candidates: Vec<Candidate>,
    /// Nodes, ascending, and where they stand among the candidates.
    place_of: Vec<(u32, u32)>,
    /// Nodes whose elements have been changed, or are next to such.
    touched: Vec<bool>,
    /// Candidates that a crack has come to.
    met: Vec<bool>,
    budget: usize,
    /// How far nodes of one crack are from its plane at most [m].
    thickness: f64,
    proposal: Proposal,
}

impl<'a> Spread<'a> {
    fn new(body: usize, tets: &'a TetPieces, candidates: Vec<Candidate>, nodes: usize, budget: usize) -> Self {
        let mut place_of: Vec<(u32, u32)> = candidates.iter().zip(0..).map(|(c, k)| (c.node, k)).collect();
        place_of.sort_unstable();
        let (proposal, met) = (Proposal::default(), vec![false; candidates.len()]);
        Spread {
            body,
            tets,
            candidates,
            place_of,
            touched: vec![false; nodes],
            met,
            budget,
            thickness: f64::INFINITY,
            proposal,
        }
    }

    fn run(&mut self, place: impl Fn(u32) -> Vec3<f64> + Copy) {
        for k in 0..self.candidates.len() {
            if !self.touched[self.candidates[k].node as usize] {
                self.crack(k, place);
            }
        }
    }

    /// Splits a candidate, and those that it leads to.
    fn crack(&mut self, start: usize, place: impl Fn(u32) -> Vec3<f64> + Copy) {
        let mut front = vec![start];
        self.met[start] = true;
        let mut members: Vec<u32> = Vec::new();
        let mut next = 0;
        while next < front.len() {
            let Candidate { node, normal, strength, at_rest, .. } = self.candidates[front[next]];
            let hold = Some(Held { strength, at_rest: at_rest.0 });
            next += 1;
            let plane = CrackPlane { point: place(node), normal };
            let Some(elements) = one_side(self.tets, node, &plane, place) else { continue };
            if self.proposal.edits.len() == self.budget {
                self.proposal.waiting += 1;
                continue;
            }
            let place_of = |n: u32| self.place_of.binary_search_by_key(&n, |p| p.0).ok().map(|k| self.place_of[k].1);
            let goes_on = |n: u32| {
                place_of(n).map(|k| k as usize).filter(|k| {
                    let same = self.candidates[*k].normal.dot(normal).abs() > ONE_CRACK
                        && (place(n) - plane.point).dot(normal).abs() <= self.thickness;
                    same && !self.met[*k] && !self.touched[n as usize]
                })
            };
            let on: Vec<u32> = rim(self.tets, node, &elements, |n| goes_on(n).is_some());
            let on: Vec<usize> = on.into_iter().filter_map(goes_on).collect();
            for k in on {
                self.met[k] = true;
                front.push(k);
            }
            members.push(node);
            self.proposal.edits.push(Edit::SplitNode { body: self.body, node, elements, hold, normal: normal.0 });
        }
        for n in members {
            for t in self.tets.around(n) {
                self.tets.table.nodes[t as usize].iter().for_each(|&m| self.touched[m as usize] = true);
            }
        }
    }
}
