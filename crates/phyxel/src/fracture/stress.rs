//! What nodes feel: the stresses of the elements around them, averaged by volume.

use super::alarm::{self, Limits, MARGIN};
use super::criterion::principal_bound;
use super::fragile::{Fragile, Pieces};
use super::stress_of_tets::{Ask, Stresses};
use super::tets::TetPieces;
use super::view::View;
use crate::math::{Mat3, Real};
use crate::par;
use crate::scene::Method;
use crate::stencil::block::{Block, BlockScratch};

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

pub(super) const NOTHING: Feeling =
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

/// A body that can break, and what its elements bear.
fn limits_of<'a, R: Real>(view: &View<'a, R>) -> Option<(&'a Fragile, Limits<'a>)> {
    let (fragile, fracture) = (view.spec.fragile.as_ref()?, view.spec.material.fracture.as_ref()?);
    let limits = Limits {
        least: fracture.least_strength(view.spec.material.young_modulus, fragile.size),
        factors: &fragile.factors,
        weakest: fragile.weakest,
        plastic: fracture.plastic_limit * fragile.weakest,
    };
    Some((fragile, limits))
}

/// A body of tetrahedra that remember nothing: how it hangs together, and its one block.
fn plain<'a, R: Real>(view: &View<'a, R>) -> Option<(&'a TetPieces, &'a Block<R>)> {
    let View { spec, blocks, state, .. } = *view;
    let is_plain = spec.method == Method::Tet && state.inner(0.0).of(view.first_block).is_empty();
    match (&spec.fragile.as_ref()?.pieces, blocks) {
        (Pieces::Tets(pieces), [block]) if is_plain => Some((pieces, block)),
        _ => None,
    }
}

impl Sampler {
    /// Whether any node of a body may break, as far as can be told from the stress of one element at a time. Forces that follow
    /// from the same stresses are left in `room`.
    pub fn raise<R: Real>(&mut self, view: &View<'_, R>, room: Option<&mut BlockScratch<R>>) -> bool {
        let Some((fragile, limits)) = limits_of(view) else { return false };
        match plain(view) {
            Some((_, block)) => {
                let inner = view.state.inner(0.0).of(view.first_block);
                let room = room.map(|scratch| (scratch, view.moment()));
                alarm::raise(block, (&view.state.u, inner), &limits, &mut self.alarms, room)
            }
            None => !view.blocks.is_empty() && self.mark(view, room, (fragile, &limits)),
        }
    }

    /// Adds the nodes that may break, where [`Sampler::raise`] has found any, and what they feel, to `felt`. Elements are averaged
    /// around nodes because one alone is too noisy to tell where a crack begins (Parker and O'Brien 2009).
    pub fn feel<R: Real>(&mut self, view: &View<'_, R>, stresses: &mut Stresses, felt: &mut Vec<(u32, Feeling)>) {
        let View { spec, blocks, state, .. } = *view;
        let (Some((fragile, limits)), Some(fracture)) = (limits_of(view), &spec.material.fracture) else { return };
        if let Some((pieces, block)) = plain(view) {
            let least = |n: u32| MARGIN * limits.least * fragile.strength_of(n);
            let gradients = fracture.grain.is_some() || fracture.softening;
            let ask = Ask { pieces, alarms: &self.alarms, factors: &fragile.factors, gradients };
            let first = felt.len();
            stresses.around(block, &state.u, &ask, least, felt);
            fragile.fetch(felt[first..].iter().map(|(n, _)| *n));
            return;
        }
        let nodes: Vec<u32> = (0..fragile.origin.len() as u32).filter(|n| self.marked[*n as usize]).collect();
        self.slots.clear();
        self.slots.resize(fragile.origin.len(), NOBODY);
        nodes.iter().zip(0..).for_each(|(n, slot)| self.slots[*n as usize] = slot);
        let mut total = vec![NOTHING; nodes.len()];
        for place in 0..blocks.len() {
            let part = self.sum(view, (fragile, place), nodes.len());
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
            let block = &blocks[0];
            for (&n, feeling) in nodes.iter().zip(&mut total) {
                feeling.gradient = points.from_rest(n, Mat3(block.motion(n as usize, &state.u).to_f64()));
            }
        }
        felt.extend(nodes.into_iter().zip(total));
    }

    /// Marks the nodes of elements that may be near to breaking; false when there are none.
    fn mark<R: Real>(
        &mut self,
        view: &View<'_, R>,
        room: Option<&mut BlockScratch<R>>,
        (fragile, limits): (&Fragile, &Limits<'_>),
    ) -> bool {
        let state = view.state;
        let inner = |place: usize| state.inner(0.0).of(view.first_block + place);
        self.marked.clear();
        if let [block] = view.blocks {
            let inner = inner(0);
            let room = room.map(|scratch| (scratch, view.moment()));
            if !alarm::raise(block, (&state.u, inner), limits, &mut self.alarms, room) {
                return false;
            }
            self.marked.resize(fragile.origin.len(), false);
            let method = view.spec.method;
            for e in (0..self.alarms.len()).filter(|e| self.alarms[*e]) {
                owners(fragile, (method, 0), e, |n| self.marked[n as usize] = true);
            }
        } else {
            // Parts of one stress: their bounds add up.
            let (least, limit) = (limits.least * limits.weakest, limits.plastic);
            let worst = |(place, block): (usize, &Block<R>)| {
                let inner = inner(place);
                par::max(block.len(), 0.0, |e| {
                    let bound = principal_bound(&Mat3(block.cauchy_stress(e, &state.u, inner).1.to_f64()));
                    (bound / least).max(inner.grains.get(e).map_or(0.0, |g| g.plastic_strain.to_f64()) / limit)
                })
            };
            if view.blocks.iter().enumerate().map(worst).sum::<f64>() < 1.0 {
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
    fn sum<R: Real>(&self, view: &View<'_, R>, (fragile, place): (&Fragile, usize), count: usize) -> Vec<Feeling> {
        let (state, method, block) = (view.state, view.spec.method, &view.blocks[place]);
        let inner = state.inner(0.0).of(view.first_block + place);
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
