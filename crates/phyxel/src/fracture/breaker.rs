//! Breaks what must break after a step.

use super::apply::{apply, place};
use super::cut;
use super::fragile::{Fragile, Pieces};
use super::relabel::Relabel;
use super::rule::{Proposal, propose};
use super::slice::{Slice, Within};
use super::stress::Sampler;
use super::stress_of_tets::Stresses;
use super::{Edit, star};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::record::CrackRecord;
use crate::report::StepReport;
use crate::state::State;
use crate::stencil::block::BlockScratch;
use rayon::prelude::*;

/// Something broke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrackEvent {
    /// When [s].
    pub time: f64,
    /// Which body.
    pub body: usize,
    /// Where [m].
    pub point: [f64; 3],
    /// Square to the crack.
    pub normal: [f64; 3],
    /// Area of the new crack, one of its faces [m²].
    pub area: f64,
    /// Energy that the crack took [J]: its area times the fracture energy of the material.
    pub energy: f64,
}

impl CrackEvent {
    /// For results, with the name of the body.
    pub fn record(&self, body: &str) -> CrackRecord {
        let CrackEvent { time, point, normal, area, energy, .. } = *self;
        CrackRecord { time, body: body.into(), point, normal, area, energy }
    }
}

/// Events that one thread takes at least.
const EVENTS: usize = 16;

/// Looks for what must break; keeps its buffers between steps.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    /// One per body.
    samplers: Vec<Sampler>,
    events: Vec<CrackEvent>,
}

/// What a look at a body needs: buffers, and room for the forces that it finds.
type Look<'a, R> = (&'a mut Sampler, Option<&'a mut BlockScratch<R>>);

impl Breaker {
    /// Breaks what is beyond its strength, with at most `budget` new nodes; how nodes are numbered afterwards, when
    /// anything did. The forces that follow from the stresses are left in `rooms`, one for each block, or for none.
    pub(crate) fn look<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        (budget, rooms): (usize, &mut [BlockScratch<R>]),
        report: &mut StepReport,
    ) -> Option<Relabel> {
        if model.bodies.iter().all(|b| b.fragile.is_none()) {
            return None;
        }
        super::debris::stiffen(model, state);
        model.open_cracks(state);
        self.samplers.resize_with(model.bodies.len(), Sampler::default);
        let (known, felt) = (&*model, &*state);
        let mut looks: Vec<Look<'_, R>> = self.samplers.iter_mut().map(|sampler| (sampler, None)).collect();
        known.blocks.iter().zip(rooms).for_each(|(block, room)| looks[block.body].1 = Some(room));
        let look = |stresses: &mut Stresses, (body, (sampler, room)): (usize, Look<'_, R>)| {
            let asleep = felt.rest.get(body).is_some_and(|rest| rest.asleep);
            let found = match asleep {
                true => Proposal::default(),
                false => propose(sampler, known, felt, (body, budget), (stresses, room)),
            };
            let events: Vec<_> = found.edits.iter().map(|edit| event(known, felt, edit)).collect();
            (found, events)
        };
        // Found in parallel, and taken in the order of bodies, whoever found them.
        let found: Vec<(Proposal, Vec<Option<CrackEvent>>)> =
            looks.into_par_iter().enumerate().map_init(Stresses::default, look).collect();
        let mut edits = Vec::new();
        report.waiting = 0;
        for (body, (mut found, events)) in model.bodies.iter().zip(found) {
            let waiting = body.fragile.as_ref().map_or(0, |f| f.loose.len());
            let beyond = (edits.len() + found.edits.len()).saturating_sub(budget);
            found.edits.truncate(found.edits.len() - beyond);
            report.waiting += waiting + found.waiting + beyond;
            self.events.extend(events.into_iter().take(found.edits.len()).flatten());
            edits.append(&mut found.edits);
        }
        self.carry_out(model, state, (&edits, budget), report)
    }

    /// Cuts a body along a piece of a plane.
    pub(crate) fn cut<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        (body, slice): (usize, &Slice),
    ) -> Option<Relabel> {
        let edits = cut::propose(model, state, body, slice);
        self.events.extend(edits.iter().filter_map(|edit| event(model, state, edit)));
        self.carry_out(model, state, (&edits, usize::MAX), &mut StepReport::default())
    }

    /// Carries out edits that were found elsewhere, in the order of bodies.
    pub(crate) fn split<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        edits: &[Edit],
        report: &mut StepReport,
    ) -> Option<Relabel> {
        let (known, felt) = (&*model, &*state);
        let events = edits.par_iter().with_min_len(EVENTS).filter_map(|edit| event(known, felt, edit));
        self.events.par_extend(events);
        self.carry_out(model, state, (edits, usize::MAX), report)
    }

    fn carry_out<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        (edits, budget): (&[Edit], usize),
        report: &mut StepReport,
    ) -> Option<Relabel> {
        let loose = || model.bodies.iter().any(|b| b.fragile.as_ref().is_some_and(|f| !f.loose.is_empty()));
        if edits.is_empty() && !loose() {
            return None;
        }
        let removed = |model: &Model<R>| -> f64 {
            let with_rule = model.bodies.iter().filter_map(|b| b.fragile.as_ref()).filter(|f| f.rule.is_some());
            with_rule.map(Fragile::removed_mass).sum()
        };
        let (before, gone) = (model.node_count(), removed(model));
        let relabel = apply(model, state, edits, budget);
        report.new_nodes += model.node_count() - before;
        report.waiting += relabel.waiting;
        report.removed_kg += removed(model) - gone;
        Some(relabel)
    }

    /// What has broken since this was last asked.
    pub fn take_events(&mut self) -> Vec<CrackEvent> {
        std::mem::take(&mut self.events)
    }
}

fn event<R: Real>(model: &Model<R>, state: &State<R>, edit: &Edit) -> Option<CrackEvent> {
    let body = edit.body();
    let spec = &model.bodies[body];
    let at = |n: u32| place(model, state, body, n);
    let fragile = spec.fragile.as_ref()?;
    let (node, area, normal) = match (edit, &fragile.pieces) {
        (Edit::SplitNode { node, elements, normal, .. }, Pieces::Tets(tets)) => {
            // Each face of the crack has three corners, each of which is split once and counts a third of it.
            let area = match fragile.cuts {
                true => {
                    let plane =
                        Slice { point: at(*node), normal: Vec3(*normal), within: Within::Radius(f64::INFINITY) };
                    super::refine::area(tets.around(*node).map(|t| tets.table.nodes[t as usize]), &plane, at)
                }
                false => star::area(tets, *node, elements, at),
            };
            (*node, area / 3.0, normal)
        }
        (Edit::SplitPhyxels { at, crack, normal, .. }, Pieces::Points(points)) => {
            (*at, crack.splits.iter().map(|n| points.area(&fragile.origin, *n, &crack.disc)).sum(), normal)
        }
        (Edit::CutThrough { slice, .. }, Pieces::Tets(tets)) => {
            let area = super::refine::area(tets.table.nodes.iter().copied(), slice, at);
            let (point, normal) = (slice.point.0, slice.normal.0);
            return (area > 0.0).then_some(CrackEvent { time: state.time, body, point, normal, area, energy: 0.0 });
        }
        _ => return None,
    };
    let energy = spec.material.fracture.map_or(0.0, |f| f.fracture_energy * area);
    Some(CrackEvent { time: state.time, body, point: at(node).0, normal: *normal, area, energy })
}
