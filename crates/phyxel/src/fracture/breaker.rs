//! Breaks what must break after a step.

use super::apply::{Changed, Changes, FAIR_SHARE, Ground, Task, apply, change_body, follow_faces};
use super::cut;
use super::fragile::{Fragile, Pieces};
use super::pool::Pool;
use super::relabel::Relabel;
use super::rule::{Proposal, Room, propose};
use super::slice::{Slice, Within};
use super::split::Touched;
use super::stress::{Feeling, Sampler};
use super::view::View;
use super::{Edit, star};
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::par;
use crate::record::CrackRecord;
use crate::report::StepReport;
use crate::state::State;
use crate::stencil::block::{Block, BlockScratch};
use std::ops::Range;

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
    /// What threads look with, and what they note when they part tetrahedra.
    rooms: Pool<Room>,
    touched: Pool<Touched>,
}

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
        let may_break = model.bodies.iter().filter(|b| b.fragile.is_some()).count();
        if may_break == 0 {
            return None;
        }
        super::debris::stiffen(model, state);
        model.open_cracks(state);
        self.samplers.resize_with(model.bodies.len(), Sampler::default);
        let gone = removed_mass(model);
        // Found in parallel, and taken in the order of bodies, whoever found them.
        let share = budget / may_break;
        let outcomes = self.look_at_all(model, state, (budget, share), rooms);
        let at_once = |outcome: &Outcome<R>| outcome.changed.as_ref().map_or(0, Changed::new_nodes);
        let budget = budget.saturating_sub(outcomes.iter().map(at_once).sum());
        let (mut edits, mut changes) = (Vec::new(), Vec::with_capacity(outcomes.len()));
        report.waiting = 0;
        for (body, Outcome { mut found, events, changed }) in outcomes.into_iter().enumerate() {
            report.waiting += found.waiting;
            match changed {
                Some(changed) => {
                    self.events.extend(events.into_iter().flatten());
                    changes.push((body, changed));
                }
                None => {
                    let beyond = (edits.len() + found.edits.len()).saturating_sub(budget);
                    found.edits.truncate(found.edits.len() - beyond);
                    report.waiting += model.bodies[body].fragile.as_ref().map_or(0, |f| f.loose.len()) + beyond;
                    self.events.extend(events.into_iter().take(found.edits.len()).flatten());
                    edits.append(&mut found.edits);
                }
            }
        }
        self.carry_out(model, state, (&edits, budget, changes), gone, report)
    }

    /// Looks at every body, on all threads. Whoever has found something breaks it at once, as long as it is no more than the
    /// `share` of the budget that every body has: everything around it is still near to the processor.
    fn look_at_all<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &State<R>,
        (budget, share): (usize, usize),
        rooms: &mut [BlockScratch<R>],
    ) -> Vec<Outcome<R>> {
        let follow_faces = follow_faces(model);
        let Model { bodies, blocks, rest, version, .. } = model;
        let ground = Ground { rest, state, version: *version, follow_faces };
        let (mut blocks, mut rooms, mut first_block) = (&mut blocks[..], rooms.iter_mut(), 0);
        let works = bodies.iter_mut().zip(&mut self.samplers).enumerate().map(|(body, (spec, sampler))| {
            let count = blocks.iter().take_while(|b| b.body == body).count();
            let (own, others) = std::mem::take(&mut blocks).split_at_mut(count);
            blocks = others;
            first_block += count;
            let forces = rooms.by_ref().take(count).last();
            Work::new((body, spec, sampler), (own, first_block - count, forces))
        });
        let mut works: Vec<Work<'_, R>> = works.collect();
        let (rooms, touched) = (&self.rooms, &self.touched);
        let run = works.len().div_ceil(SHARES * rayon::current_num_threads()).clamp(1, RUN);
        par::chunks(&mut works, run, |_, works| {
            rooms.with(|room| touched.with(|touched| look_at(works, (room, touched), &ground, (budget, share))));
        });
        works.into_iter().map(|work| work.outcome).collect()
    }

    /// Cuts a body along a piece of a plane.
    pub(crate) fn cut<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        (body, slice): (usize, &Slice),
    ) -> Option<Relabel> {
        let edits = cut::propose(model, state, body, slice);
        let view = View::of(model, state, body);
        self.events.extend(edits.iter().filter_map(|edit| event(&view, edit)));
        let gone = removed_mass(model);
        self.carry_out(model, state, (&edits, usize::MAX, Vec::new()), gone, &mut StepReport::default())
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
        let tell = |edit: &Edit| event(&View::of(known, felt, edit.body()), edit);
        self.events.extend(events_of(edits, tell).into_iter().flatten());
        let gone = removed_mass(model);
        self.carry_out(model, state, (edits, usize::MAX, Vec::new()), gone, report)
    }

    /// Carries out edits, with at most so many new nodes, and brings everything in line with what has changed already; `gone` is
    /// the mass that had been removed before.
    fn carry_out<R: Real>(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        (edits, budget, changes): (&[Edit], usize, Changes<R>),
        gone: f64,
        report: &mut StepReport,
    ) -> Option<Relabel> {
        let loose = || model.bodies.iter().any(|b| b.fragile.as_ref().is_some_and(|f| !f.loose.is_empty()));
        if edits.is_empty() && changes.is_empty() && !loose() {
            return None;
        }
        let before = model.node_count();
        let relabel = apply(model, state, (edits, budget, changes), &self.touched);
        report.new_nodes += model.node_count() - before;
        report.waiting += relabel.waiting;
        report.removed_kg += removed_mass(model) - gone;
        Some(relabel)
    }

    /// Adds what has broken elsewhere.
    pub fn add_events(&mut self, events: Vec<CrackEvent>) {
        self.events.extend(events);
    }

    /// What has broken since this was last asked.
    pub fn take_events(&mut self) -> Vec<CrackEvent> {
        std::mem::take(&mut self.events)
    }
}

/// Mass of the pieces of all bodies that have been removed [kg].
fn removed_mass<R: Real>(model: &Model<R>) -> f64 {
    let with_rule = model.bodies.iter().filter_map(|b| b.fragile.as_ref()).filter(|f| f.rule.is_some());
    with_rule.map(Fragile::removed_mass).sum()
}

/// Bodies that one thread looks at together at most, and how many such shares each thread has at least.
const RUN: usize = 16;
const SHARES: usize = 2;

/// Looks at some bodies, at all of them in one way before the next: what that takes of the program is fetched once, instead of
/// once for each body that breaks, which took as long as the breaks.
fn look_at<R: Real>(
    works: &mut [Work<'_, R>],
    (room, touched): (&mut Room, &mut Touched),
    ground: &Ground<'_, R>,
    (budget, share): (usize, usize),
) {
    works.iter_mut().for_each(|work| work.raise_alarms(ground));
    let mut felt = std::mem::take(&mut room.felt);
    felt.clear();
    works.iter_mut().for_each(|work| work.feel(ground, room, &mut felt));
    works.iter_mut().for_each(|work| work.propose(ground, budget, room, &felt));
    room.felt = felt;
    works.iter_mut().for_each(|work| work.tell(ground));
    works.iter_mut().for_each(|work| work.change(ground, share, touched));
}

/// What a thread needs to look at a body, and to break it.
struct Work<'a, R: Real> {
    body: usize,
    spec: &'a mut BodyModel,
    blocks: &'a mut [Block<R>],
    first_block: usize,
    sampler: &'a mut Sampler,
    /// Room for the forces that it finds.
    forces: Option<&'a mut BlockScratch<R>>,
    /// Whether it is not asleep, and whether anything in it may be beyond its strength.
    is_awake: bool,
    alarm: bool,
    /// Where what its nodes feel stands among what all do.
    felt: Range<usize>,
    outcome: Outcome<R>,
}

/// What has come of it.
struct Outcome<R> {
    /// What is still to be done.
    found: Proposal,
    events: Vec<Option<CrackEvent>>,
    /// What has been done.
    changed: Option<Changed<R>>,
}

/// A body with its number and its buffers.
type Own<'a> = (usize, &'a mut BodyModel, &'a mut Sampler);
/// Its blocks, the number of the first, and room for their forces.
type OwnBlocks<'a, R> = (&'a mut [Block<R>], usize, Option<&'a mut BlockScratch<R>>);

impl<'a, R: Real> Work<'a, R> {
    fn new((body, spec, sampler): Own<'a>, (blocks, first_block, forces): OwnBlocks<'a, R>) -> Self {
        let outcome = Outcome { found: Proposal::default(), events: Vec::new(), changed: None };
        let (is_awake, alarm, felt) = (true, false, 0..0);
        Work { body, spec, blocks, first_block, sampler, forces, is_awake, alarm, felt, outcome }
    }

    fn raise_alarms(&mut self, ground: &Ground<'_, R>) {
        let Work { body, spec, blocks, first_block, sampler, forces, .. } = self;
        self.is_awake = !ground.state.rest.get(*body).is_some_and(|rest| rest.asleep);
        if self.is_awake {
            let view = ground.view((*body, &**spec), (&**blocks, *first_block));
            self.alarm = sampler.raise(&view, forces.take());
        }
    }

    fn feel(&mut self, ground: &Ground<'_, R>, room: &mut Room, felt: &mut Vec<(u32, Feeling)>) {
        let Work { body, spec, blocks, first_block, sampler, .. } = self;
        let first = felt.len();
        if self.alarm {
            let view = ground.view((*body, &**spec), (&**blocks, *first_block));
            sampler.feel(&view, &mut room.stresses, felt);
        }
        self.felt = first..felt.len();
    }

    fn propose(&mut self, ground: &Ground<'_, R>, budget: usize, room: &mut Room, felt: &[(u32, Feeling)]) {
        if self.is_awake {
            let found = propose(&self.view(ground), budget, room, &felt[self.felt.clone()]);
            self.outcome.found = found;
        }
    }

    fn tell(&mut self, ground: &Ground<'_, R>) {
        if !self.outcome.found.edits.is_empty() {
            let view = self.view(ground);
            self.outcome.events = events_of(&self.outcome.found.edits, |edit| event(&view, edit));
        }
    }

    fn change(&mut self, ground: &Ground<'_, R>, share: usize, touched: &mut Touched) {
        let Work { body, spec, blocks, outcome, .. } = self;
        let waits = spec.fragile.as_ref().is_none_or(|f| !f.loose.is_empty());
        let edits = &mut outcome.found.edits;
        if waits || edits.is_empty() || share < FAIR_SHARE.max(edits.len()) {
            return;
        }
        let run = std::mem::take(edits);
        let task = Task { body: *body, spec, block: blocks.first_mut(), run: &run };
        outcome.changed = change_body(task, ground, &mut (share - run.len()), touched);
    }

    fn view<'b>(&'b self, ground: &Ground<'b, R>) -> View<'b, R> {
        ground.view((self.body, &*self.spec), (&*self.blocks, self.first_block))
    }
}

impl<'a, R: Real> Ground<'a, R> {
    /// A body and its blocks, the number of the first beside each.
    fn view(
        &self,
        (body, spec): (usize, &'a BodyModel),
        (blocks, first_block): (&'a [Block<R>], usize),
    ) -> View<'a, R> {
        let Ground { rest, state, version, .. } = *self;
        View { body, spec, blocks, first_block, rest, state, version }
    }
}

/// What is told of each edit.
fn events_of(edits: &[Edit], tell: impl Fn(&Edit) -> Option<CrackEvent> + Sync) -> Vec<Option<CrackEvent>> {
    let mut events = vec![None; edits.len()];
    par::chunks(&mut events, EVENTS, |first, events| {
        events.iter_mut().zip(&edits[first..]).for_each(|(told, edit)| *told = tell(edit));
    });
    events
}

fn event<R: Real>(view: &View<'_, R>, edit: &Edit) -> Option<CrackEvent> {
    let View { body, spec, state, .. } = *view;
    let at = |n: u32| view.place(n);
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
        (Edit::SplitPhyxels { crack, normal, ahead: Some(_), .. }, Pieces::Points(points)) => {
            return super::point_tip::event(view, (points, crack), *normal);
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
