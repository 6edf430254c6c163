//! What a simulation asks of its solver, without knowing which one it has.
//!
//! The one `dyn` of a step. It is also where compiling stops: the loops behind it are built once for each precision, in
//! this crate, and not again in every crate that uses [`Simulation`](crate::Simulation).

use super::{ContactForce, Kept, Solver, StepError, forces};
use crate::fracture::{Breaker, CrackEvent, Edit, Relabel, Slice};
use crate::heat::Heat;
use crate::math::{FactorError, Mat3, Real, Vec3};
use crate::model::{BuildError, Meeting, Model, Reanchor, Warnings};
use crate::report::StepReport;
use crate::rigid::{RigidState, World};
use crate::scene::{Scene, SolverSettings};
use crate::state::State;
use std::sync::OnceLock;

/// Everything of a simulation that has loops over elements in it.
pub trait Engine<R: Real>: Send + Sync {
    /// How steps are taken.
    fn settings(&self) -> &SolverSettings;
    /// See [`Solver::advance`].
    fn advance(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError>;
    /// See [`Solver::stable_step`].
    fn stable_step(&mut self, model: &Model<R>, state: &State<R>) -> f64;
    /// See [`Solver::forces`].
    fn forces(&mut self, model: &Model<R>, state: &State<R>, out: &mut [Vec3<R>]);
    /// Elastic energy [J].
    fn elastic_energy(&self, model: &Model<R>, state: &State<R>) -> f64;
    /// Deformation gradient and Cauchy stress [Pa] of each element of a block.
    fn stresses(&self, model: &Model<R>, block: usize, state: &State<R>) -> Vec<(Mat3<R>, Mat3<R>)>;
    /// Gives phyxels without a rest shape new stencils from where they are now; true when there were any.
    fn reanchor(&mut self, model: &mut Model<R>, state: &mut State<R>) -> Result<bool, BuildError>;
    /// Rebuilds the stencils of such phyxels in their reference, after a snapshot.
    fn rebuild(&mut self, model: &mut Model<R>);
    /// Takes note of stencils that somebody else has rebuilt.
    fn stencils_changed(&mut self, model: &Model<R>);
    /// Breaks what is beyond its strength.
    fn break_up(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        report: &mut StepReport,
    ) -> Result<(), StepError>;
    /// Carries out edits that somebody else has decided on: a device that looks for what breaks by itself.
    fn split(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        edits: &[Edit],
        report: &mut StepReport,
    ) -> Result<(), StepError>;
    /// Cuts a body along a piece of a plane.
    fn cut(&mut self, model: &mut Model<R>, state: &mut State<R>, body: usize, slice: &Slice)
    -> Result<(), BuildError>;
    /// Makes room for nodes that have been relabelled.
    fn relabelled(&mut self, model: &Model<R>, state: &State<R>, relabel: &Relabel) -> Result<(), FactorError>;
    /// What has broken since this was last asked.
    fn take_cracks(&mut self) -> Vec<CrackEvent>;
    /// Adds what has broken elsewhere.
    fn add_cracks(&mut self, cracks: Vec<CrackEvent>);
    /// Lets heat flow for `dt` [s], where there is any.
    fn conduct(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64);
    /// Lets elements have the constants of their present temperature.
    fn warm(&mut self, model: &Model<R>, state: &mut State<R>);
    /// What the next step takes from earlier ones and cannot find in the state.
    fn kept(&self, model: &Model<R>, state: &State<R>) -> Kept<R>;
    /// Goes on with it.
    fn recall(&mut self, model: &Model<R>, state: &State<R>, kept: Kept<R>);
    /// Rigid bodies as they are now.
    fn rigid_states(&self, out: &mut Vec<RigidState>);
    /// Who pressed on whom in the last step.
    fn contacts(&self) -> &[ContactForce];
    /// Bytes held.
    fn memory_bytes(&self) -> usize;
}

/// A scene made ready: its arrays, what was noticed on the way, and what moves them.
pub struct Built<R: Real> {
    /// The arrays.
    pub model: Model<R>,
    /// What was noticed.
    pub warnings: Warnings,
    /// What moves them.
    pub engine: Box<dyn Engine<R>>,
}

/// Takes over simulations in `f32` as they are built.
pub type Divert = Box<dyn Fn(&Scene, Built<f32>) -> Built<f32> + Send + Sync>;

static DIVERT: OnceLock<Divert> = OnceLock::new();

/// Hands every simulation in `f32` that is built from now on to `hook`, which may give it another engine: a device's. Only
/// the first hook of a process counts.
pub fn divert(hook: Divert) {
    let _ = DIVERT.set(hook);
}

/// A scene in `f32`, diverted if somebody has asked for that.
pub(crate) fn build_single(scene: &Scene) -> Result<Built<f32>, BuildError> {
    let built = build(scene)?;
    Ok(match DIVERT.get() {
        Some(hook) => hook(scene, built),
        None => built,
    })
}

/// A solver with the buffers of re-anchoring.
struct Whole<R: Real> {
    solver: Solver<R>,
    reanchors: Vec<Reanchor<R>>,
    meeting: Meeting<R>,
    heat: Heat,
    breaker: Breaker,
}

/// Builds a model and the engine that moves it; called once for each precision.
pub(crate) fn build<R: Real>(scene: &Scene) -> Result<Built<R>, BuildError> {
    let (model, warnings) = Model::build(scene)?;
    let solver = Solver::new(&model, scene.solver, World::new(scene, &model.colliders)).map_err(|_: FactorError| {
        BuildError::Unsupported {
            body: scene.bodies.first().map_or(String::new(), |b| b.name.clone()),
            what: "the factors of its matrix do not fit into memory: use linear = \"cg\"",
        }
    })?;
    let reanchors = (0..model.blocks.len()).map(|block| Reanchor::new(&model, block)).collect();
    let (meeting, heat, breaker) = (Meeting::default(), Heat::default(), Breaker::default());
    let whole = Whole { solver, reanchors, meeting, heat, breaker };
    Ok(Built { model, warnings, engine: Box::new(whole) })
}

impl<R: Real> Whole<R> {
    /// Lets phyxels without a rest shape that have been split look around anew.
    fn look_around(&mut self, model: &mut Model<R>, relabel: &Relabel) {
        for (k, buffers) in self.reanchors.iter_mut().enumerate() {
            let body = model.blocks[k].body;
            if model.is_updated(body) && relabel.sources[body].is_some() {
                buffers.renew(model, k);
                // Points that carried stencils before carry some now.
                let _ = model.rebuild(k, buffers);
            }
        }
    }
}

impl<R: Real> Engine<R> for Whole<R> {
    fn settings(&self) -> &SolverSettings {
        &self.solver.settings
    }

    fn advance(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.solver.advance(model, state, dt, report)
    }

    fn stable_step(&mut self, model: &Model<R>, state: &State<R>) -> f64 {
        self.solver.stable_step(model, state)
    }

    fn forces(&mut self, model: &Model<R>, state: &State<R>, out: &mut [Vec3<R>]) {
        self.solver.forces(model, state, out);
    }

    fn elastic_energy(&self, model: &Model<R>, state: &State<R>) -> f64 {
        forces::elastic_energy(model, &state.u, state.inner(0.0))
    }

    fn stresses(&self, model: &Model<R>, block: usize, state: &State<R>) -> Vec<(Mat3<R>, Mat3<R>)> {
        let inner = state.inner(0.0).of(block);
        let block = &model.blocks[block];
        (0..block.len()).map(|e| block.cauchy_stress(e, &state.u, inner)).collect()
    }

    fn reanchor(&mut self, model: &mut Model<R>, state: &mut State<R>) -> Result<bool, BuildError> {
        let mut any = false;
        let name = |model: &Model<R>, block: usize| model.bodies[model.blocks[block].body].name.clone();
        let met = model.fuse(state, &mut self.meeting);
        met.map_err(|source| BuildError::Stencil { body: name(model, 0), source })?;
        let mut together = std::mem::take(&mut self.meeting.together);
        for k in 0..self.reanchors.len() {
            if !model.is_updated(model.blocks[k].body) {
                continue;
            }
            model.blocks_together(k, &mut together);
            // The first of a union speaks for all.
            if together[0] != k {
                continue;
            }
            let named = |model: &Model<R>, source| BuildError::Stencil { body: name(model, k), source };
            let rebuilt = model.reanchor(state, &together, &mut self.reanchors);
            let rebuilt = rebuilt.map_err(|source| named(model, source))?;
            any |= rebuilt;
            let body = model.blocks[k].body;
            if let Some(relabel) = rebuilt.then(|| model.regroup(body, state.time)).flatten() {
                let buffers = &mut self.reanchors[k];
                buffers.renew(model, k);
                model.rebuild(k, buffers).map_err(|source| named(model, source))?;
                let what = "the factors of its matrix do not fit into memory once it has parted: use linear = \"cg\"";
                let done = self.solver.relabelled(model, state, &relabel);
                done.map_err(|_| BuildError::Unsupported { body: model.bodies[body].name.clone(), what })?;
            }
        }
        self.meeting.together = together;
        model.tell_contact();
        if any {
            self.solver.stencils_changed(model);
        }
        Ok(any)
    }

    fn rebuild(&mut self, model: &mut Model<R>) {
        for (k, buffers) in self.reanchors.iter_mut().enumerate() {
            if model.is_updated(model.blocks[k].body) {
                buffers.renew(model, k);
            }
            if !model.blocks[k].elastic().is_empty() {
                // The same points have carried stencils before.
                let _ = model.rebuild(k, buffers);
            }
        }
        model.tell_contact();
    }

    fn stencils_changed(&mut self, model: &Model<R>) {
        self.solver.stencils_changed(model);
    }

    fn break_up(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let budget = self.solver.settings.max_new_nodes;
        let rooms = self.solver.rooms_for_forces();
        if let Some(relabel) = self.breaker.look(model, state, (budget, rooms), report) {
            self.look_around(model, &relabel);
            let done = self.solver.relabelled(model, state, &relabel);
            done.map_err(|source| StepError::Factor { time: state.time, source })?;
        }
        Ok(())
    }

    fn split(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        edits: &[Edit],
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if let Some(relabel) = self.breaker.split(model, state, edits, report) {
            self.look_around(model, &relabel);
            let done = self.solver.relabelled(model, state, &relabel);
            done.map_err(|source| StepError::Factor { time: state.time, source })?;
        }
        Ok(())
    }

    fn cut(
        &mut self,
        model: &mut Model<R>,
        state: &mut State<R>,
        body: usize,
        slice: &Slice,
    ) -> Result<(), BuildError> {
        if let Some(relabel) = self.breaker.cut(model, state, (body, slice)) {
            self.look_around(model, &relabel);
            let what = "the factors of its matrix do not fit into memory once it is cut: use linear = \"cg\"";
            let name = || model.bodies[body].name.clone();
            let done = self.solver.relabelled(model, state, &relabel);
            done.map_err(|_| BuildError::Unsupported { body: name(), what })?;
        }
        Ok(())
    }

    fn relabelled(&mut self, model: &Model<R>, state: &State<R>, relabel: &Relabel) -> Result<(), FactorError> {
        self.solver.relabelled(model, state, relabel)
    }

    fn add_cracks(&mut self, cracks: Vec<CrackEvent>) {
        self.breaker.add_events(cracks);
    }

    fn take_cracks(&mut self) -> Vec<CrackEvent> {
        self.breaker.take_events()
    }

    fn conduct(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        self.heat.conduct(model, state, dt);
    }

    fn warm(&mut self, model: &Model<R>, state: &mut State<R>) {
        self.heat.warm(model, state);
    }

    fn kept(&self, model: &Model<R>, state: &State<R>) -> Kept<R> {
        self.solver.kept(model, state)
    }

    fn recall(&mut self, model: &Model<R>, state: &State<R>, kept: Kept<R>) {
        self.solver.recall(model, state, kept);
    }

    fn rigid_states(&self, out: &mut Vec<RigidState>) {
        self.solver.rigid_states(out);
    }

    fn contacts(&self) -> &[ContactForce] {
        self.solver.contacts()
    }

    fn memory_bytes(&self) -> usize {
        self.solver.memory_bytes()
    }
}
