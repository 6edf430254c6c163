//! What nodes feel: the stresses of the elements around them, averaged by volume.

use super::alarm::{self, Limits, MARGIN};
use super::criterion::principal_bound;
use super::fragile::{Fragile, Pieces};
use super::stress_of_tets::{Ask, Stresses};
use crate::math::{Mat3, Real};
use crate::model::Model;
use crate::par;
use crate::scene::Method;
use crate::state::State;
use crate::stencil::block::{Block, BlockScratch};
use std::ops::Range;

/// What one node feels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feeling {
    /// Cauchy stress [Pa].
    pub stress: Mat3<f64>,
    /// Deformation gradient.
    pub gradient: Mat3<f64>,
    /// Accumulated plastic strain.
    pub plastic: f64,
    /// Rest volume of the elements around it, times how often they count [m³].
    pub volume: f64,
}

const NOTHING: Feeling =
    Feeling { stress: Mat3([[0.0; 3]; 3]), gradient: Mat3([[0.0; 3]; 3]), plastic: 0.0, volume: 0.0 };

/// Buffers of looking at stresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampler {
    /// Elements that must be looked at.
    alarms: Vec<bool>,
    marked: Vec<bool>,
    /// Where each node stands among those that are marked, or [`NOBODY`].
    slots: Vec<u32>,
}

/// Stands for the place of a node that is not marked.
const NOBODY: u32 = u32::MAX;

impl Sampler {
    /// Nodes of a body that may break, ascending, and what they feel. Elements are averaged around nodes because one
    /// alone is too noisy to tell where a crack begins (Parker and O'Brien 2009).
    /// Forces that follow from the same stresses are left in `room`.
    pub fn look<R: Real>(
        &mut self,
        model: &Model<R>,
        state: &State<R>,
        body: usize,
        (stresses, room): (&mut Stresses, Option<&mut BlockScratch<R>>),
    ) -> Vec<(u32, Feeling)> {
        let spec = &model.bodies[body];
        let (Some(fragile), Some(fracture)) = (&spec.fragile, &spec.material.fracture) else { return Vec::new() };
        let blocks = model.blocks_of(body);
        let limits = Limits {
            least: fracture.least_strength(spec.material.young_modulus, fragile.size),
            factors: &fragile.factors,
            weakest: fragile.weakest,
            plastic: fracture.plastic_limit * fragile.weakest,
        };
        let inner = state.inner(0.0).of(blocks.start);
        if let (Pieces::Tets(pieces), true) = (&fragile.pieces, spec.method == Method::Tet && inner.is_empty())
            && blocks.len() == 1
        {
            let block = &model.blocks[blocks.start];
            let room = room.map(|scratch| (scratch, (model.version, state.steps)));
            if !alarm::raise(block, (&state.u, inner), &limits, &mut self.alarms, room) {
                return Vec::new();
            }
            let least = |n: u32| MARGIN * limits.least * fragile.strength_of(n);
            let gradients = fracture.grain.is_some() || fracture.softening;
            let ask = Ask { pieces, alarms: &self.alarms, factors: &fragile.factors, gradients };
            return stresses.around(block, &state.u, &ask, least);
        }
        if blocks.is_empty() || !self.mark(model, state, (blocks.clone(), room), (fragile, &limits)) {
            return Vec::new();
        }
        let nodes: Vec<u32> = (0..fragile.origin.len() as u32).filter(|n| self.marked[*n as usize]).collect();
        self.slots.clear();
        self.slots.resize(fragile.origin.len(), NOBODY);
        nodes.iter().zip(0..).for_each(|(n, slot)| self.slots[*n as usize] = slot);
        let mut total = vec![NOTHING; nodes.len()];
        for (place, k) in blocks.enumerate() {
            let part = self.sum(model, state, k, (fragile, spec.method, place), nodes.len());
            for (sum, part) in total.iter_mut().zip(&part) {
                let share = 1.0 / part.volume.max(f64::MIN_POSITIVE);
                sum.stress += part.stress * share;
                if place == 0 {
                    (sum.gradient, sum.plastic, sum.volume) =
                        (part.gradient * share, part.plastic * share, part.volume);
                }
            }
        }
        if let Pieces::Points(points) = &fragile.pieces
            && points.flow.is_some()
        {
            let block = &model.blocks[model.blocks_of(body).start];
            for (&n, feeling) in nodes.iter().zip(&mut total) {
                feeling.gradient = points.from_rest(n, Mat3(block.motion(n as usize, &state.u).to_f64()));
            }
        }
        nodes.into_iter().zip(total).collect()
    }

    /// Marks the nodes of elements that may be near to breaking; false when there are none.
    fn mark<R: Real>(
        &mut self,
        model: &Model<R>,
        state: &State<R>,
        (blocks, room): (Range<usize>, Option<&mut BlockScratch<R>>),
        (fragile, limits): (&Fragile, &Limits<'_>),
    ) -> bool {
        self.marked.clear();
        if blocks.len() == 1 {
            let (block, inner) = (&model.blocks[blocks.start], state.inner(0.0).of(blocks.start));
            let room = room.map(|scratch| (scratch, (model.version, state.steps)));
            if !alarm::raise(block, (&state.u, inner), limits, &mut self.alarms, room) {
                return false;
            }
            self.marked.resize(fragile.origin.len(), false);
            let method = model.bodies[block.body].method;
            for e in (0..self.alarms.len()).filter(|e| self.alarms[*e]) {
                owners(fragile, (method, 0), e, |n| self.marked[n as usize] = true);
            }
        } else {
            // Parts of one stress: their bounds add up.
            let (least, limit) = (limits.least * limits.weakest, limits.plastic);
            let worst = |k: usize| {
                let (block, inner) = (&model.blocks[k], state.inner(0.0).of(k));
                par::max(block.len(), 0.0, |e| {
                    let bound = principal_bound(&Mat3(block.cauchy_stress(e, &state.u, inner).1.to_f64()));
                    (bound / least).max(inner.grains.get(e).map_or(0.0, |g| g.plastic_strain.to_f64()) / limit)
                })
            };
            if blocks.map(worst).sum::<f64>() < 1.0 {
                return false;
            }
            self.marked.resize(fragile.origin.len(), true);
        }
        if let Pieces::Tets(tets) = &fragile.pieces {
            self.marked.iter_mut().zip(&tets.splittable).for_each(|(marked, splittable)| *marked &= splittable);
        }
        self.marked.contains(&true)
    }

    /// The elements of a block around marked nodes, ascending.
    fn wanted(&self, fragile: &Fragile, (method, place): (Method, usize), count: usize) -> Vec<u32> {
        let is_wanted = |e: &u32| {
            let mut wanted = false;
            owners(fragile, (method, place), *e as usize, |n| wanted |= self.marked[n as usize]);
            wanted
        };
        (0..count as u32).filter(is_wanted).collect()
    }

    /// Sums over the elements of a block around each marked node.
    fn sum<R: Real>(
        &self,
        model: &Model<R>,
        state: &State<R>,
        k: usize,
        (fragile, method, place): (&Fragile, Method, usize),
        count: usize,
    ) -> Vec<Feeling> {
        let (block, inner): (&Block<R>, _) = (&model.blocks[k], state.inner(0.0).of(k));
        let mut sums = vec![NOTHING; count];
        for &e in &self.wanted(fragile, (method, place), block.len()) {
            let e = e as usize;
            let (gradient, stress) = block.cauchy_stress(e, &state.u, inner);
            let stress = Mat3(stress.to_f64()).symmetric_part();
            if !stress.is_finite() {
                continue; // pressed flat: there is no area for a stress to act on
            }
            let (gradient, volume) = (Mat3(gradient.to_f64()), block.volumes()[e].to_f64());
            let plastic = inner.grains.get(e).map_or(0.0, |g| g.plastic_strain.to_f64());
            owners(fragile, (method, place), e, |n| {
                let Some(sum) = sums.get_mut(self.slots[n as usize] as usize) else { return };
                sum.stress += stress * volume;
                sum.gradient += gradient * volume;
                sum.plastic += plastic * volume;
                sum.volume += volume;
            });
        }
        sums
    }
}

/// Calls `visit` with the nodes whose stress the element `e` of a body's `place`-th block is part of.
fn owners(fragile: &Fragile, (method, place): (Method, usize), e: usize, mut visit: impl FnMut(u32)) {
    let Pieces::Tets(tets) = &fragile.pieces else { return visit(e as u32) };
    match (method, place) {
        (Method::Edge, _) | (Method::Selective, 0) => tets.edges[e].into_iter().for_each(visit),
        (Method::Node, _) | (Method::Selective, _) => visit(e as u32),
        _ => tets.table.nodes[e].into_iter().for_each(visit),
    }
}
