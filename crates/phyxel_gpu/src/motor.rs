//! What moves a state on a device: the kernels of one integrator, and the guard that never shows what went wrong.

use crate::ahead::{Ahead, UnderWay};
use crate::bench::KernelTime;
use crate::device::{Device, GpuError};
use crate::driver::DriveError;
use crate::explicit::Explicit;
use crate::free_bodies;
use crate::implicit::Implicit;
use crate::moving::Moving;
use crate::positions::Positions;
use crate::reanchor;
use crate::resident::Resident;
use crate::welds::{Followers, Outcome, Split, Welds};
use phyxel::material::lame;
use phyxel::model::{BodyModel, Model};
use phyxel::scene::{Collider, Integrator, Scene, SolverSettings};
use phyxel::{Simulation, State, StepError, StepReport};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A model on a device, and the kernels that move it.
pub(crate) struct Motor {
    pub(crate) device: Arc<Device>,
    colliders: Vec<Collider>,
    integrator: Integrator,
    pub(crate) resident: Resident,
    pub(crate) mover: Mover,
    pub(crate) moving: Option<Moving>,
    /// The version of the model that is on the device.
    pub(crate) version: u64,
    /// The revision of the simulation whose state the device has, or has gone on from; none while it is being moved, and where
    /// that has failed.
    pub(crate) newest: Option<u64>,
    /// What is on the device is no longer what it was.
    spoiled: AtomicBool,
    /// Steps that nobody has asked for yet.
    pub(crate) ahead: Option<UnderWay>,
    pub(crate) ahead_so_far: Ahead,
    /// The last run went wrong: nothing is submitted ahead until one goes well.
    pub(crate) wary: bool,
}

pub(crate) enum Mover {
    Explicit(Box<Explicit>),
    Implicit(Box<Implicit>),
    Positions(Box<Positions>),
    Welds(Box<Welds>),
}

/// A run of steps is halved at most this often before the simulation gives up.
pub(crate) const MAX_HALVINGS: u32 = 10;
/// Explicit steps are not cut into more parts than this.
const MAX_PARTS: f64 = 1e7;
/// The part of the longest stable step that is taken.
const SAFETY: f64 = 0.9;

impl Motor {
    /// Brings a model and its state to a device.
    pub(crate) fn new(
        device: &Arc<Device>,
        scene: &Scene,
        model: &Model<f32>,
        state: &State<f32>,
    ) -> Result<Self, GpuError> {
        let (colliders, integrator) = (scene.colliders.clone(), scene.solver.integrator);
        let (resident, mover, moving) = bring(device, (model, state), &colliders, (integrator, 0))?;
        Ok(Motor {
            device: device.clone(),
            colliders,
            integrator,
            resident,
            mover,
            moving,
            version: model.version,
            newest: None,
            spoiled: AtomicBool::new(false),
            ahead: None,
            ahead_so_far: Ahead::default(),
            wary: false,
        })
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Brings to the device what it does not have: the model after an edit, or the state where somebody else has changed it. What
    /// was submitted ahead is of no use then.
    pub(crate) fn follow(&mut self, simulation: &Simulation<f32>) -> Result<(), GpuError> {
        let spoiled = self.spoiled.swap(false, Ordering::Relaxed);
        let newest = self.newest.take() == Some(simulation.revision()) && !spoiled;
        // Who has moved phyxels without a rest shape, or what breaks, may have changed the model.
        if !newest && (self.moving.is_some() || self.breaks()) {
            self.version = u64::MAX;
        }
        if newest && simulation.model().version == self.version {
            return Ok(());
        }
        self.throw_away();
        if !self.refresh(simulation.model(), simulation.state())? {
            self.bring_state(simulation.state());
        }
        Ok(())
    }

    /// Brings model and state to the device again after an edit of the model; whether there was one.
    pub(crate) fn refresh(&mut self, model: &Model<f32>, state: &State<f32>) -> Result<bool, GpuError> {
        if model.version == self.version {
            return Ok(false);
        }
        let how = (self.integrator, self.moving.as_ref().map_or(0, |m| m.room));
        (self.resident, self.mover, self.moving) = bring(&self.device, (model, state), &self.colliders, how)?;
        self.version = model.version;
        Ok(true)
    }

    /// Brings a state to the device.
    pub(crate) fn bring_state(&self, state: &State<f32>) {
        self.resident.set_state(&state.u, &state.v);
        self.resident.set_grains(&state.grains);
        self.resident.forget_trouble();
    }

    /// Reads what elements remember, where steps change it.
    fn read_grains(&self, state: &mut State<f32>) -> Result<(), GpuError> {
        match self.resident.flows() || self.moving.is_some() {
            true => self.resident.read_grains(&mut state.grains),
            false => Ok(()),
        }
    }

    /// Takes `count` steps of `dt` from a state that the device has; explicit ones in parts no longer than `limit`. The state is
    /// left as it was when they fail.
    pub(crate) fn run(
        &mut self,
        model: &Model<f32>,
        state: &mut State<f32>,
        settings: &SolverSettings,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        match &self.mover {
            Mover::Explicit(_) if settings.integrator == Integrator::ExplicitEuler => {
                self.run_and_restore(model, state, settings, limit, (dt, count))
            }
            Mover::Explicit(_) if self.moving.is_some() => self.run_moving(model, state, limit, (dt, count)),
            Mover::Explicit(_) => self.run_explicit(model, state, limit, (dt, count)),
            _ => self.run_guarded(model, state, settings, limit, (dt, count)),
        }
    }

    /// Explicit steps of a kind that does not keep momenta by itself: free bodies get theirs back after each.
    fn run_and_restore(
        &mut self,
        model: &Model<f32>,
        state: &mut State<f32>,
        settings: &SolverSettings,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        let mut report = StepReport::default();
        for _ in 0..count {
            let free = free_bodies::momenta(model, &self.resident, settings, (state.time, dt))?;
            report.merge(&self.run_explicit(model, state, limit, (dt, 1))?);
            free_bodies::restore(model, &self.resident, &free, dt)?;
            (state.u, state.v) = self.resident.state()?;
        }
        Ok(report)
    }

    fn run_explicit(
        &mut self,
        model: &Model<f32>,
        state: &mut State<f32>,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        let mut parts = parts_of(model, dt, limit)?;
        let Mover::Explicit(explicit) = &self.mover else { return Ok(StepReport::default()) };
        for halving in 0..=MAX_HALVINGS {
            let steps = count * parts as u64;
            explicit.run(&self.resident, state.time, dt / parts, steps as usize)?;
            let ran = self.resident.request_run().take(&self.resident)?;
            if ran.trouble {
                self.bring_state(state);
                parts *= 2.0;
                continue;
            }
            (state.u, state.v) = (ran.u, ran.v);
            if let Some(vectors) = ran.grains {
                self.resident.grains.unpack(&vectors, &mut state.grains);
            }
            state.time += dt * count as f64;
            state.steps += steps;
            return Ok(StepReport {
                dt: dt * count as f64,
                steps: count as usize,
                substeps: steps as usize,
                rollbacks: halving as usize,
                ..StepReport::default()
            });
        }
        Err(unstable(model, state, dt / parts, limit).into())
    }

    /// Whether bodies break on the device.
    pub(crate) fn breaks(&self) -> bool {
        matches!(self.mover, Mover::Welds(_))
    }

    /// Takes `count` steps of `dt`, in parts no longer than `limit` and no longer than the shards of the bodies allow; what breaks
    /// does so after each step, and the simulation is told about it. Where more may break in a step than the budget of new nodes
    /// allows, the processor takes these steps instead: bodies break side by side on the device, and the budget is for all.
    pub(crate) fn run_and_break(
        &mut self,
        simulation: &mut Simulation<f32>,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        let time = simulation.time();
        let waits = |b: &BodyModel| b.fragile.as_ref().is_some_and(|f| !f.loose.is_empty());
        if simulation.model().bodies.iter().any(waits) {
            return on_cpu(simulation, (dt, count));
        }
        self.follow(simulation)?;
        let limit = stable_step_of_shards(simulation.model()).min(limit);
        let mut parts = parts_of(simulation.model(), dt, limit)?;
        for halving in 0..=MAX_HALVINGS {
            let Mover::Welds(welds) = &self.mover else { break };
            welds.run(time, dt / parts, (count as usize, parts as usize))?;
            let outcome = welds.read()?;
            if outcome.trouble {
                self.version = u64::MAX;
                self.refresh(simulation.model(), simulation.state())?;
                parts *= 2.0;
                continue;
            }
            if !within_budget(simulation, &outcome) {
                self.version = u64::MAX;
                return on_cpu(simulation, (dt, count));
            }
            let substeps = count * parts as u64;
            let mut report = StepReport {
                dt: dt * count as f64,
                steps: count as usize,
                substeps: substeps as usize,
                rollbacks: halving as usize,
                ..StepReport::default()
            };
            // After which of the steps each body has been told.
            let mut after = vec![0; simulation.model().bodies.len()];
            for splits in outcome.splits.chunk_by(|a, b| a.step == b.step) {
                let next = splits[0].step + 1;
                // Cracks are told where their nodes were at that time, or nearly so.
                let mut u = std::mem::take(&mut simulation.state_mut().u);
                for own in splits.chunk_by(|a, b| a.body == b.body) {
                    let at = std::mem::replace(&mut after[own[0].body], next);
                    let part = f64::from(next - at) / (count as f64 - f64::from(at));
                    welds.move_on(simulation.model(), (own[0].body, part as f32), &outcome, &mut u);
                }
                let now = time + dt * f64::from(next);
                let state = simulation.state_mut();
                (state.u, state.time) = (u, now);
                let edits = welds.edits(simulation.model(), splits);
                simulation.split_nodes(&edits, now, &mut report)?;
            }
            let told = welds.vectors(simulation.model(), &outcome);
            let [u, v] = told.ok_or_else(|| self.lost("what broke on it does not fit to what breaks here"))?;
            simulation.take_over(u, v, time + dt * count as f64, substeps);
            self.version = simulation.model().version;
            self.newest = Some(simulation.revision());
            return Ok(report);
        }
        Err(unstable(simulation.model(), simulation.state(), dt / parts, limit).into())
    }

    /// Step by step, each halved where it goes wrong.
    fn run_guarded(
        &mut self,
        model: &Model<f32>,
        state: &mut State<f32>,
        settings: &SolverSettings,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        let mut report = StepReport::default();
        let start = state.time;
        let mut outcome = Ok(());
        for step in 0..count {
            match self.reanchor() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    outcome = Err(self.remember(error));
                    break;
                }
            }
            match self.guarded_step(model, settings, (start + dt * step as f64, dt)) {
                Ok(taken) => report.merge(&taken),
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        if matches!(outcome, Err(Some(_))) || outcome.is_ok() {
            // What came before a bad step is good.
            (state.u, state.v) = self.resident.state()?;
            self.read_grains(state)?;
            state.time = start + dt * report.steps as f64;
            state.steps += report.substeps as u64;
        }
        match outcome {
            Ok(()) => Ok(report),
            Err(Some(step)) => Err(unstable(model, state, step, limit).into()),
            Err(None) => {
                Err(self.device.check().err().map_or_else(|| self.lost("a step did not come back"), DriveError::Device))
            }
        }
    }

    fn lost(&self, why: &str) -> DriveError {
        DriveError::Device(self.device.lost(why))
    }

    /// One step, halved as long as its numbers are not finite. Fails with the smallest step tried, or with nothing where
    /// the device failed.
    fn guarded_step(
        &mut self,
        model: &Model<f32>,
        settings: &SolverSettings,
        (start, dt): (f64, f64),
    ) -> Result<StepReport, Option<f64>> {
        let mut report = StepReport { dt, steps: 1, ..StepReport::default() };
        self.resident.back_up().map_err(|e| self.remember(e))?;
        for halvings in 0..=MAX_HALVINGS {
            let parts = 1_u64 << halvings;
            let h = dt / parts as f64;
            let mut sound = true;
            for part in 0..parts {
                let at = (start + h * part as f64, h);
                sound = self.part(model, settings, at, &mut report).map_err(|e| self.remember(e))?;
                if !sound {
                    break;
                }
            }
            if sound {
                return Ok(report);
            }
            self.resident.roll_back();
            report.rollbacks += 1;
        }
        Err(Some(dt / f64::from(1 << MAX_HALVINGS)))
    }

    /// One part of a step; false when its numbers are not finite.
    fn part(
        &mut self,
        model: &Model<f32>,
        settings: &SolverSettings,
        at: (f64, f64),
        report: &mut StepReport,
    ) -> Result<bool, GpuError> {
        let model = self.moving.as_ref().map_or(model, |moving| &moving.places);
        let free = free_bodies::momenta(model, &self.resident, settings, at)?;
        let implicit = match &mut self.mover {
            Mover::Explicit(_) | Mover::Welds(_) => return Ok(true),
            Mover::Implicit(implicit) => implicit,
            Mover::Positions(positions) => {
                positions.step(&self.resident, at, settings)?;
                if self.resident.take_trouble()? {
                    return Ok(false);
                }
                report.substeps += settings.substeps;
                report.iterations += settings.substeps * settings.iterations;
                return free_bodies::restore(model, &self.resident, &free, at.1).map(|()| true);
            }
        };
        let solved = implicit.step(&self.resident, model, at, settings)?;
        if !solved.finite {
            implicit.forgive(&self.resident);
            return Ok(false);
        }
        free_bodies::restore(model, &self.resident, &free, at.1)?;
        implicit.settle(&self.resident);
        report.substeps += 1;
        report.newton_iterations += 1;
        report.iterations += solved.iterations;
        report.residual = report.residual.max(solved.residual);
        report.newton_residual = report.residual;
        report.stopped_early += solved.stopped_early;
        report.contacts = solved.contacts;
        Ok(true)
    }

    /// Keeps an error for whoever asks the device next.
    fn remember(&self, error: GpuError) -> Option<f64> {
        self.device.note(error);
        None
    }

    /// Times the kernels on the present state, which they spoil.
    pub(crate) fn time_kernels(&self) -> Result<Vec<KernelTime>, GpuError> {
        self.spoiled.store(true, Ordering::Relaxed);
        match &self.mover {
            Mover::Explicit(explicit) => explicit.time_kernels(&self.resident, 0.0, 8),
            Mover::Implicit(implicit) => implicit.time_kernels(&self.resident, 8),
            Mover::Welds(welds) => welds.time_kernels(0.0, 8),
            Mover::Positions(_) => Ok(Vec::new()),
        }
    }
}

/// The stable step of bodies in as many shards as they have cells [s]: no element vibrates faster in an assembly than alone
/// (Irons and Treharne 1971).
fn stable_step_of_shards(model: &Model<f32>) -> f64 {
    let alone = |body: &phyxel::model::BodyModel| {
        let (largest, trace) = body.fragile.as_ref()?.sharpness;
        let m = &body.material;
        let (lam, mu) = lame(m.young_modulus, m.poisson_ratio);
        let stiffness = 2.0 * mu * largest + (lam + m.volume_stiffness).max(0.0) * trace;
        Some(SAFETY * (m.density / stiffness).sqrt())
    };
    model.bodies.iter().filter_map(alone).fold(f64::INFINITY, f64::min)
}

/// Into how many parts stability cuts a step.
pub(crate) fn parts_of(model: &Model<f32>, dt: f64, limit: f64) -> Result<f64, StepError> {
    let parts = (dt / limit).ceil().max(1.0);
    match parts.is_nan() || parts > MAX_PARTS {
        true => Err(StepError::TooStiff { body: model.bodies[0].name.clone(), parts, limit }),
        false => Ok(parts),
    }
}

pub(crate) fn unstable(model: &Model<f32>, state: &State<f32>, step: f64, limit: f64) -> StepError {
    let speed = |b: &phyxel::model::BodyModel| state.v[b.nodes.clone()].iter().map(|v| v.norm()).fold(0.0, f32::max);
    let wildest = model.bodies.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)));
    let body = wildest.map_or(String::new(), |b| b.name.clone());
    StepError::Unstable { body, time: state.time, step, limit }
}

fn bring(
    device: &Arc<Device>,
    (model, state): (&Model<f32>, &State<f32>),
    colliders: &[Collider],
    (integrator, room): (Integrator, usize),
) -> Result<(Resident, Mover, Option<Moving>), GpuError> {
    let room = reanchor::row_room(model, room);
    let resident = Resident::with_room(device, model, state, room)?;
    let mut mover = match integrator {
        Integrator::ImplicitEuler => Mover::Implicit(Box::new(Implicit::new(&resident, model, colliders)?)),
        Integrator::Xpbd => Mover::Positions(Box::new(Positions::new(&resident, model, colliders)?)),
        _ if model.bodies.iter().any(|b| b.fragile.is_some()) => {
            Mover::Welds(Box::new(Welds::new(device, (model, state), colliders, integrator)?))
        }
        _ => Mover::Explicit(Box::new(Explicit::new(&resident, model, colliders, integrator)?)),
    };
    let moving = Moving::new(&resident, model, room)?;
    if let (Mover::Implicit(implicit), Some(moving)) = (&mut mover, &moving) {
        implicit.follow(&resident, moving.springs(), model.bodies.len())?;
    }
    Ok((resident, mover, moving))
}

/// Steps on the processor.
fn on_cpu(simulation: &mut Simulation<f32>, (dt, count): (f64, u64)) -> Result<StepReport, DriveError> {
    let mut report = StepReport::default();
    for _ in 0..count {
        report.merge(&simulation.step(dt)?);
    }
    Ok(report)
}

/// New nodes for each body below which bodies take from one budget, one after the other; as in `fracture/apply.rs` of the engine.
const FAIR_SHARE: usize = 64;

/// Whether the budget of new nodes lets everything break that has broken.
fn within_budget(simulation: &Simulation<f32>, outcome: &Outcome) -> bool {
    let may_break = simulation.model().bodies.iter().filter(|b| b.fragile.is_some()).count();
    is_enough(simulation.settings().max_new_nodes, may_break, (&outcome.splits, &outcome.followers))
}

/// Whether a budget lets everything break among so many bodies, as `fracture/breaker.rs` and `fracture/apply.rs` of the engine share it:
/// bodies that ask for less than each could have take their share at once, and the others take from what is left.
fn is_enough(budget: usize, may_break: usize, (splits, followers): (&[Split], &[Followers])) -> bool {
    let share = budget / may_break.max(1);
    let mut followers = followers.iter().peekable();
    splits.chunk_by(|a, b| a.step == b.step).all(|splits| {
        let (mut left, mut waiting) = (Some(budget), Vec::new());
        for own in splits.chunk_by(|a, b| a.body == b.body) {
            let (edits, place) = (own.len(), (own[0].step, own[0].body));
            // Nothing follows where nothing was split.
            let follow = followers.next_if(|f| (f.step, f.body) == place).map_or(0, |f| f.nodes);
            let at_once = share >= FAIR_SHARE.max(edits);
            if at_once && edits + follow > share {
                return false;
            }
            left = left.and_then(|left| left.checked_sub(if at_once { edits + follow } else { edits }));
            if !at_once {
                waiting.push(follow);
            }
        }
        let Some(left) = left else { return false };
        let (all, most) = (waiting.iter().sum::<usize>(), waiting.iter().copied().max().unwrap_or(0));
        let share = left / waiting.len().max(1);
        if share < FAIR_SHARE { all <= left } else { most <= share }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many splits and followers of bodies, all in one step.
    fn is_enough_for(budget: usize, may_break: usize, bodies: &[(usize, usize)]) -> bool {
        let split = |body: usize| Split { step: 3, body, node: 0, mask: 1, normal: [0.0; 3] };
        let all = || bodies.iter().enumerate();
        let splits: Vec<Split> = all().flat_map(|(b, (splits, _))| (0..*splits).map(move |_| split(b))).collect();
        let followed = all().filter(|(_, (_, nodes))| *nodes > 0);
        let followers: Vec<Followers> =
            followed.map(|(body, &(_, nodes))| Followers { step: 3, body, nodes }).collect();
        is_enough(budget, may_break, (&splits, &followers))
    }

    #[test]
    fn a_budget_is_shared_as_the_engine_shares_it() {
        // One of fifty may have 81 nodes at once.
        assert!(is_enough_for(4096, 50, &[(60, 21)]));
        assert!(!is_enough_for(4096, 50, &[(60, 22)]));
        // Who asks for more than that waits for the others, and takes from what they leave.
        assert!(is_enough_for(4096, 50, &[(60, 21), (100, 3915)]));
        assert!(!is_enough_for(4096, 50, &[(60, 21), (100, 3916)]));
        // Shares of a thousand would be small: they take from one budget.
        assert!(is_enough_for(4096, 1000, &[(4000, 95), (1, 0)]));
        assert!(!is_enough_for(4096, 1000, &[(4000, 95), (1, 1)]));
        assert!(!is_enough_for(3, 2, &[(2, 0), (2, 0)]));
        assert!(is_enough_for(3, 2, &[]));
    }
}
