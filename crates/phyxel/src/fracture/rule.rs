//! Where cracks start and run: looks at stresses and proposes edits.

use super::criterion::{Strength, danger, reaches};
use super::fragile::{Fragile, Pieces};
use super::star::{CrackPlane, one_side, rim};
use super::stress::Feeling;
use super::stress_of_tets::Stresses;
use super::tets::TetPieces;
use super::tip::Tips;
use super::view::View;
use super::{Edit, Held, ahead::side_ahead, point_rule};
use crate::material::{Fracture, Material};
use crate::math::{Real, Vec3};
use crate::par;

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
    /// Stress over strength, or what is at a tip over toughness.
    pub ratio: f64,
    /// What it bears across that crack [Pa].
    pub strength: f64,
    /// Square to the crack that it wants, in the present shape and at rest.
    pub normal: Vec3<f64>,
    pub at_rest: Vec3<f64>,
    /// Where a crack that runs on from its tip goes, likewise; nothing where one starts.
    pub ahead: Option<[Vec3<f64>; 2]>,
}

/// Room for one look at a body. Whoever looks takes one and gives it back, so that breaks find their memory where the last
/// one left it.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    pub stresses: Stresses,
    /// Nodes that may break, and what they feel; body by body.
    pub felt: Vec<(u32, Feeling)>,
    found: Vec<Option<Candidate>>,
    candidates: Vec<Candidate>,
    tips: Tips,
    growth: Growth,
}

/// Nodes that one thread takes at least.
const TASK: usize = 32;

/// Proposes what must break in a body whose nodes feel what was `felt`, with at most `budget` new nodes.
///
/// The worst node goes first, and with it those of its neighbours along the crack that are beyond their strength too and
/// want to break the same way. Every other node around them waits for the next step: the crack has unloaded it.
pub(super) fn propose<R: Real>(
    view: &View<'_, R>,
    budget: usize,
    room: &mut Room,
    felt: &[(u32, Feeling)],
) -> Proposal {
    let View { body, spec, .. } = *view;
    let (Some(fragile), Some(fracture)) = (&spec.fragile, &spec.material.fracture) else { return Proposal::default() };
    let Room { found, candidates, tips, growth, .. } = room;
    found.clear();
    found.resize(felt.len(), None);
    par::chunks(found, TASK, |first, found| {
        for (found, (n, feeling)) in found.iter_mut().zip(&felt[first..]) {
            *found = candidate(fragile, (fracture, &spec.material), (*n, feeling), 1.0);
        }
    });
    candidates.clear();
    candidates.extend(found.iter().flatten());
    tips.look(view, fragile, candidates);
    candidates.sort_unstable_by(|a, b| b.ratio.total_cmp(&a.ratio).then(a.node.cmp(&b.node)));
    if let Pieces::Points(points) = &fragile.pieces {
        return point_rule::propose(view, (fragile, points), candidates, budget);
    }
    if candidates.is_empty() {
        return Proposal::default();
    }
    let place = |n: u32| view.place(n);
    let Pieces::Tets(tets) = &fragile.pieces else { return Proposal::default() };
    growth.begin(candidates, fragile.origin.len());
    let thickness = if fragile.cuts { IN_PLANE * fragile.size } else { f64::INFINITY };
    let mut spread = Spread { body, tets, candidates, growth, budget, thickness, proposal: Proposal::default() };
    spread.run(place);
    spread.proposal
}

/// The node as a candidate, if it is beyond this share of its strength.
pub(super) fn candidate(
    fragile: &Fragile,
    (fracture, material): (&Fracture, &Material),
    (node, feeling): (u32, &Feeling),
    share: f64,
) -> Option<Candidate> {
    let at_tip = fracture.strength_at_tip(material.young_modulus, fragile.size) / fracture.strength;
    let tip = match fragile.has_fronts(fracture) {
        // Toughness decides about tips (`tip.rs`). Small elements around one show more than the strength long before it runs.
        true if at_tip > 1.0 && fragile.is_near_tip(node) => at_tip,
        false if fragile.tips[node as usize] => at_tip,
        _ => 1.0,
    };
    let factor = fragile.strength_of(node) * tip;
    let least = fracture.grain.map_or(1.0, |g| (g.along / fracture.strength).min(1.0)) * fracture.strength * factor;
    let used_up = feeling.plastic / (fracture.plastic_limit * fragile.strength_of(node));
    // What has flowed as far as it can is torn where it is still pulled, and left alone when the tear has unloaded it.
    let yields = used_up >= 1.0 && reaches(&feeling.stress, STILL_PULLED * material.flow_stress());
    if !yields && !reaches(&feeling.stress, ROUNDING * share * least) {
        return None;
    }
    let turned = |g: [f64; 3]| (feeling.gradient * Vec3(g)).normalized();
    let along = fracture.grain.map(|grain| (turned(grain.direction), grain.along * factor));
    let found = danger(&feeling.stress, &Strength { across: fracture.strength * factor, along });
    let ratio = if yields { found.ratio.max(used_up) } else { found.ratio };
    let at_rest = (feeling.gradient.transpose() * found.normal).normalized();
    let strength = found.normal.dot(feeling.stress * found.normal) / found.ratio;
    (ratio >= share).then_some(Candidate { node, ratio, strength, normal: found.normal, at_rest, ahead: None })
}

/// Stands for the place of a node that is no candidate.
const NOBODY: u32 = u32::MAX;

/// Room for cracks that grow through a body.
#[derive(Clone, Debug, Default)]
struct Growth {
    /// Where each node stands among the candidates, or [`NOBODY`]; that is all of them between two looks.
    place_of: Vec<u32>,
    /// Nodes whose elements have been changed, or are next to such; none of them between two looks.
    touched: Vec<bool>,
    /// Candidates that a crack has come to.
    met: Vec<bool>,
    /// Candidates of the crack that is growing,
    front: Vec<usize>,
    /// and those of their nodes that it splits.
    members: Vec<u32>,
    heights: Vec<f64>,
    rim: Vec<u32>,
}

impl Growth {
    fn begin(&mut self, candidates: &[Candidate], nodes: usize) {
        self.place_of.resize(nodes.max(self.place_of.len()), NOBODY);
        candidates.iter().zip(0..).for_each(|(c, k)| self.place_of[c.node as usize] = k);
        self.touched.resize(nodes.max(self.touched.len()), false);
        self.met.clear();
        self.met.resize(candidates.len(), false);
    }

    /// Where a node stands among the candidates, if it is one.
    fn place_of(&self, node: u32) -> Option<usize> {
        let place = self.place_of[node as usize];
        (place != NOBODY).then_some(place as usize)
    }
}

/// Cracks growing through the candidates of one body.
struct Spread<'a> {
    body: usize,
    tets: &'a TetPieces,
    candidates: &'a [Candidate],
    growth: &'a mut Growth,
    budget: usize,
    /// How far nodes of one crack are from its plane at most [m].
    thickness: f64,
    proposal: Proposal,
}

impl Spread<'_> {
    fn run(&mut self, place: impl Fn(u32) -> Vec3<f64> + Copy) {
        for k in 0..self.candidates.len() {
            if !self.growth.touched[self.candidates[k].node as usize] {
                self.crack(k, place);
            }
        }
        self.candidates.iter().for_each(|c| self.growth.place_of[c.node as usize] = NOBODY);
        for edit in &self.proposal.edits {
            let Edit::SplitNode { node, .. } = edit else { continue };
            mark(self.tets, *node, &mut self.growth.touched, false);
        }
    }

    /// Splits a candidate, and those that it leads to.
    fn crack(&mut self, start: usize, place: impl Fn(u32) -> Vec3<f64> + Copy) {
        self.growth.front.clear();
        self.growth.front.push(start);
        self.growth.met[start] = true;
        self.growth.members.clear();
        let mut next = 0;
        while let Some(&k) = self.growth.front.get(next) {
            let Candidate { node, normal, strength, at_rest, ahead, .. } = self.candidates[k];
            let hold = Some(Held { strength, at_rest: at_rest.0 });
            next += 1;
            let plane = CrackPlane { point: place(node), normal };
            let (tets, heights) = (self.tets, &mut self.growth.heights);
            let side = match ahead {
                Some([ahead, _]) => side_ahead(tets, node, (&plane, ahead), place, heights),
                None => one_side(tets, node, &plane, place, heights),
            };
            let Some(elements) = side else { continue };
            if self.proposal.edits.len() == self.budget {
                self.proposal.waiting += 1;
                continue;
            }
            self.go_on(node, &elements, &plane, place);
            self.growth.members.push(node);
            let (body, normal, ahead) = (self.body, normal.0, ahead.map(|[now, _]| now.0));
            self.proposal.edits.push(Edit::SplitNode { body, node, elements, hold, normal, ahead });
        }
        let Growth { members, touched, .. } = &mut *self.growth;
        members.iter().for_each(|n| mark(self.tets, *n, touched, true));
    }

    /// Adds those candidates to the front that a crack through `node` leads to.
    fn go_on(&mut self, node: u32, side: &[u32], plane: &CrackPlane, place: impl Fn(u32) -> Vec3<f64>) {
        let mut room = std::mem::take(&mut self.growth.rim);
        let same = |n: u32| {
            let growth = &*self.growth;
            growth.place_of(n).filter(|&k| {
                self.candidates[k].normal.dot(plane.normal).abs() > ONE_CRACK
                    && (place(n) - plane.point).dot(plane.normal).abs() <= self.thickness
                    && !growth.met[k]
                    && !growth.touched[n as usize]
            })
        };
        let on = rim(self.tets, node, side, |n| same(n).is_some(), &mut room);
        for &n in on {
            if let Some(k) = self.growth.place_of(n) {
                self.growth.met[k] = true;
                self.growth.front.push(k);
            }
        }
        self.growth.rim = room;
    }
}

/// Notes that what is around a node is next to a crack, or that it is not.
fn mark(tets: &TetPieces, node: u32, touched: &mut [bool], is: bool) {
    for t in tets.around(node) {
        tets.table.nodes[t as usize].iter().for_each(|n| touched[*n as usize] = is);
    }
}
