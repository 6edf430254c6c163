//! The guard: a step that goes wrong is rolled back and halved, and never shown.

use super::{Solver, forces};
use crate::material::Grain;
use crate::material::plastic::Inners;
use crate::math::{FactorError, Real, Vec3};
use crate::model::Model;
use crate::report::StepReport;
use crate::scene::Integrator;
use crate::state::State;

/// A step is halved at most this often before the simulation gives up.
const MAX_HALVINGS: u32 = 10;
/// A step in which surfaces could not be kept apart is halved at most this often, and then taken as it is.
const MOST_FOR_CONTACT: u32 = 5;
/// No step of a sound simulation multiplies its energy by this.
const EXPLOSION: f64 = 1e3;
/// Share of all energy that one Newton iteration may put in. Implicit Euler solved to the end puts in none, because the
/// end of its step minimises energy plus kinetic distance; one iteration may overshoot where matter is pressed flat.
const GAIN: f64 = 0.01;
/// A step that put in more is taken again with this many iterations,
const ITERATIONS_AGAIN: usize = 20;
/// and if that does not help halved at most this often, and then taken as it is.
const MOST_FOR_GAIN: u32 = 3;

/// Why a simulation cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The state became infinite or exploded, however small the step.
    #[error(
        "body {body:?} became unstable at t = {time:.6} s even with a step of {step:.3e} s \
         (explicit limit now {limit:.3e} s): use a smaller step, an implicit solver, more damping, or a law that \
         survives inversion such as neo-hookean"
    )]
    Unstable {
        /// The body that moved most wildly.
        body: String,
        /// When [s].
        time: f64,
        /// The smallest step that was tried [s].
        step: f64,
        /// The largest stable explicit step at the last good state [s].
        limit: f64,
    },
    /// The system matrix could not be factored.
    #[error("at t = {time:.6} s: {source}")]
    Factor {
        /// When [s].
        time: f64,
        /// Why.
        source: FactorError,
    },
    /// An explicit step would need so many parts that it would never end.
    #[error(
        "body {body:?} needs {parts:.0} explicit sub-steps per step (limit {limit:.3e} s): use an implicit solver, or \
         make its elements larger, softer or heavier"
    )]
    TooStiff {
        /// The body with the smallest limit.
        body: String,
        /// Parts per step.
        parts: f64,
        /// The largest stable step [s].
        limit: f64,
    },
    /// An event could not be carried out.
    #[error(transparent)]
    Event(#[from] crate::model::BuildError),
}

/// Explicit steps are not cut into more parts than this.
const MAX_PARTS: f64 = 1e7;

/// The last good state.
#[derive(Default)]
pub struct Guard<R> {
    u: Vec<Vec3<R>>,
    v: Vec<Vec3<R>>,
    grains: Vec<Vec<Grain<R>>>,
    /// The energy that the last step ended with [J], if nothing has changed since: the model's version, the steps done.
    energy: Option<(u64, u64, f64)>,
}

impl<R: Real> Guard<R> {
    /// Takes a step of `dt` in stable parts.
    pub(super) fn advance(
        &mut self,
        solver: &mut Solver<R>,
        model: &Model<R>,
        state: &mut State<R>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let end = state.time + dt;
        let mut left = self.parts(solver, model, state, dt)?;
        let mut h = dt / left;
        while left > 0.0 {
            self.careful_step(solver, model, state, h, report)?;
            left -= 1.0;
            // Matter that flows, or that is hit, becomes stiffer within a step.
            if left > 0.0 && solver.is_explicit() && solver.stable_step(model, state) < h {
                left = self.parts(solver, model, state, end - state.time)?;
                h = (end - state.time) / left;
            }
        }
        // Rounding of the parts must not make frames drift.
        state.time = end;
        Ok(())
    }

    /// Into how many parts stability cuts a step of `dt`.
    fn parts(&self, solver: &mut Solver<R>, model: &Model<R>, state: &State<R>, dt: f64) -> Result<f64, StepError> {
        if !solver.is_explicit() {
            return Ok(1.0);
        }
        let limit = solver.stable_step(model, state);
        let parts = (dt / limit).ceil().max(1.0);
        if parts.is_nan() || parts > MAX_PARTS {
            let body = solver.stiffest_body(model, state);
            return Err(StepError::TooStiff { body, parts, limit });
        }
        Ok(parts)
    }

    fn careful_step(
        &mut self,
        solver: &mut Solver<R>,
        model: &Model<R>,
        state: &mut State<R>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let (mut done, mut halvings, mut again) = (0.0, 0, false);
        let start = state.time;
        let explicit = solver.is_explicit();
        while done < dt * (1.0 - 1e-12) {
            let h = (dt / f64::from(1u32 << halvings)).min(dt - done);
            rayon::join(|| keep(&mut self.u, &state.u), || keep(&mut self.v, &state.v));
            self.grains.clone_from(&state.grains);
            let steps = state.steps;
            // Energies cost a pass over the elements; explicit steps are checked by their numbers alone.
            let before = if explicit { 0.0 } else { self.energy_before(model, state) };
            let potential = gains_show(solver, model).then(|| model.potential_energy(&state.u));
            solver
                .patient_step(model, state, (h, if again { ITERATIONS_AGAIN } else { 1 }), report)
                .map_err(|source| StepError::Factor { time: start + done, source })?;
            let settled = solver.is_settled() || halvings >= MOST_FOR_CONTACT;
            let sound = solver.is_finite(state) && settled && (explicit || self.is_sound(model, state, before, h));
            let bearable = again && halvings >= MOST_FOR_GAIN;
            let gained = sound && !bearable && potential.is_some_and(|p| self.gained(model, state, (before, p), h));
            if sound && !gained {
                done += h;
                solver.accept(model, state, (&self.u, &self.v), h);
                continue;
            }
            state.u.clone_from(&self.u);
            state.v.clone_from(&self.v);
            state.grains.clone_from(&self.grains);
            self.energy = None;
            solver.forget_contacts();
            (state.time, state.steps) = (start + done, steps);
            state.forget();
            report.rollbacks += 1;
            if gained && !again {
                again = true;
                continue;
            }
            halvings += 1;
            if halvings > MAX_HALVINGS {
                let body = wildest(model, state);
                let limit = solver.stable_step(model, state);
                return Err(StepError::Unstable { body, time: state.time, step: h, limit });
            }
        }
        Ok(())
    }

    /// The energy now; that of the end of the last step when nothing came between: stencils that are rebuilt keep what laws
    /// store.
    fn energy_before(&self, model: &Model<R>, state: &State<R>) -> f64 {
        match self.energy {
            // Heat changes the constants of matter between steps.
            Some((version, steps, energy))
                if (version, steps) == (model.version, state.steps) && state.enthalpy.is_empty() =>
            {
                energy
            }
            _ => super::explosive_energy(model, state),
        }
    }

    /// Whether the energy after a step can have come from the energy before it.
    fn is_sound(&mut self, model: &Model<R>, state: &State<R>, before: f64, dt: f64) -> bool {
        let after = super::explosive_energy(model, state);
        self.energy = Some((model.version, state.steps, after));
        !exploded(model, before, after, dt)
    }

    /// Whether a step from these energies of motion and deformation, and of gravity, has put in more than it may.
    fn gained(&self, model: &Model<R>, state: &State<R>, (before, potential): (f64, f64), dt: f64) -> bool {
        let after = self.energy.map_or(0.0, |energy| energy.2);
        let work = potential - model.potential_energy(&state.u);
        // Matter at rest has no energy to compare with: allow what gravity could give it.
        let mass: f64 = model.masses.iter().map(|m| m.to_f64()).sum();
        let fall = Vec3(model.loads.gravity.to_f64()).norm() * dt;
        let gain = after - (before + work + GAIN * (before + mass * fall * fall));
        // What stabilisation had stored may have become motion; that is asked for only where it matters.
        gain > 0.0 && {
            let stored = forces::residual_energy(model, &self.u, Inners { grains: &self.grains, dt: R::zero() });
            let left = forces::residual_energy(model, &state.u, state.inner(0.0));
            gain + left > (1.0 + GAIN) * stored
        }
    }
}

/// Copies values, with room for as many as there may come to be: a step after a break allocates nothing.
fn keep<T: Copy>(kept: &mut Vec<T>, values: &Vec<T>) {
    kept.reserve(values.capacity().saturating_sub(kept.len()));
    kept.clone_from(values);
}

/// Whether energy that a step puts in can be told from the work of something outside.
fn gains_show<R: Real>(solver: &Solver<R>, model: &Model<R>) -> bool {
    solver.settings.integrator == Integrator::ImplicitEuler
        && solver.settings.newton_iterations < ITERATIONS_AGAIN
        && model.rigid.is_empty()
        // Bodies that overlap are pushed apart, which takes energy.
        && !model.rows_needed()
        && model.loads.pressures.is_empty()
        && !model.pins.iter().any(|p| p.moves())
        && !model.colliders.iter().any(|c| c.moves())
}

/// Energy out of nowhere: far more than before and than loads can have done in one step.
fn exploded<R: Real>(model: &Model<R>, before: f64, after: f64, dt: f64) -> bool {
    // Pins and loads may do work on a body that was at rest: allow what moving everything at their speed would take.
    let mass: f64 = model.masses.iter().map(|m| m.to_f64()).sum();
    let pins =
        model.pins.iter().map(|p| Vec3(p.motion.velocity).norm() + Vec3(p.motion.spin).norm()).fold(0.0, f64::max);
    let gravity = Vec3(model.loads.gravity.to_f64()).norm() * dt;
    let allowance = mass * (pins + gravity + 1.0).powi(2);
    let loaded = !model.loads.pressures.is_empty() || model.loads.loaded_bodies.contains(&true);
    !after.is_finite() || (!loaded && model.pins.iter().all(|p| !p.moves()) && after > EXPLOSION * (before + allowance))
}

fn wildest<R: Real>(model: &Model<R>, state: &State<R>) -> String {
    let speed =
        |b: &crate::model::BodyModel| state.v[b.nodes.clone()].iter().map(|v| v.norm().to_f64()).fold(0.0, f64::max);
    let fastest = model.bodies.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)));
    fastest.map_or(String::new(), |b| b.name.clone())
}
