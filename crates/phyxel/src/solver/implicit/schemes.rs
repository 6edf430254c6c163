//! The time schemes that one implicit stage serves: what is solved for, and what becomes of it.

use super::{Implicit, Inertia};
use crate::math::{FactorError, Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::report::StepReport;
use crate::scene::SolverSettings;
use crate::solver::touch::Stage;
use crate::state::State;
use crate::stencil::block::BlockScratch;

/// Settings, scratch of each block, and room for a base state.
pub type Kit<'a, R> = (&'a SolverSettings, &'a mut [BlockScratch<R>], &'a mut (Vec<Vec3<R>>, Vec<Vec3<R>>));

/// One step of implicit Euler.
pub fn implicit_euler<R: Real>(
    implicit: &mut Implicit<R>,
    model: &Model<R>,
    state: &mut State<R>,
    settings: &SolverSettings,
    scratch: &mut [BlockScratch<R>],
    dt: f64,
    report: &mut StepReport,
) -> Result<(), FactorError> {
    let gamma = R::of(dt);
    implicit.v[..state.v.len()].copy_from_slice(&state.v);
    let stage =
        Stage { u: &state.u, v: &state.v, gamma, over: gamma, end_time: state.time + dt, inner: state.inner(dt) };
    implicit.solve(model, &stage, Inertia::Dynamic, settings, scratch, report)?;
    let v = &implicit.v;
    par::for_each(&mut state.u, |i, u| *u += v[i] * gamma);
    state.v.iter_mut().zip(v).for_each(|(old, new)| *old = *new);
    Ok(())
}

/// Half a step of implicit Euler gives the velocity in the middle; the other half repeats it.
pub fn midpoint<R: Real>(
    implicit: &mut Implicit<R>,
    model: &Model<R>,
    state: &mut State<R>,
    settings: &SolverSettings,
    scratch: &mut [BlockScratch<R>],
    dt: f64,
    report: &mut StepReport,
) -> Result<(), FactorError> {
    let half = R::of(0.5 * dt);
    implicit.v[..state.v.len()].copy_from_slice(&state.v);
    let stage = Stage {
        u: &state.u,
        v: &state.v,
        gamma: half,
        over: half + half,
        end_time: state.time + dt,
        inner: state.inner(dt),
    };
    implicit.solve(model, &stage, Inertia::Dynamic, settings, scratch, report)?;
    let v = &implicit.v;
    par::for_each(&mut state.u, |i, u| *u += v[i] * (half + half));
    par::for_each(&mut state.v, |i, old| *old = v[i] + v[i] - *old);
    // Mirrored on the pin's velocity, that of a held node would swing about it for ever.
    implicit.hold(&mut state.v);
    Ok(())
}

/// Second-order backward differences; the first step, and each after a change of step, is implicit Euler. Its larger
/// error is made once, so the order stays two, and unlike the midpoint rule it does not leave stiff modes ringing.
pub fn bdf2<R: Real>(
    implicit: &mut Implicit<R>,
    model: &Model<R>,
    state: &mut State<R>,
    (settings, scratch, stage): Kit<'_, R>,
    dt: f64,
    report: &mut StepReport,
) -> Result<(), FactorError> {
    let (base_u, base_v) = stage;
    // Steps that differ by rounding alone are equal: starting anew each time would make this implicit Euler.
    let history = (state.before.dt - dt).abs() <= 1e-9 * dt;
    if history {
        let (a, b) = (R::of(4.0 / 3.0), R::of(1.0 / 3.0));
        let State { u, v, before, .. } = &*state;
        par::for_each(base_u, |i, base| *base = u[i] * a - before.u[i] * b);
        par::for_each(base_v, |i, base| *base = v[i] * a - before.v[i] * b);
    }
    state.before.u.clone_from(&state.u);
    state.before.v.clone_from(&state.v);
    state.before.dt = dt;
    if !history {
        return implicit_euler(implicit, model, state, settings, scratch, dt, report);
    }
    let gamma = R::of(dt * 2.0 / 3.0);
    implicit.v[..state.v.len()].copy_from_slice(&state.v);
    let stage = Stage { u: base_u, v: base_v, gamma, over: gamma, end_time: state.time + dt, inner: state.inner(dt) };
    implicit.solve(model, &stage, Inertia::Dynamic, settings, scratch, report)?;
    let v = &implicit.v;
    par::for_each(&mut state.u, |i, u| *u = base_u[i] + v[i] * gamma);
    state.v.iter_mut().zip(v).for_each(|(old, new)| *old = *new);
    Ok(())
}

/// Equilibrium under the loads and pins at the end of the step; velocities are zero.
pub fn equilibrium<R: Real>(
    implicit: &mut Implicit<R>,
    model: &Model<R>,
    state: &mut State<R>,
    (settings, scratch, stage): Kit<'_, R>,
    dt: f64,
    report: &mut StepReport,
) -> Result<(), FactorError> {
    implicit.v.fill(Vec3::zero());
    stage.1.fill(Vec3::zero());
    let goal = Stage {
        u: &state.u,
        v: &stage.1,
        gamma: R::one(),
        over: R::one(),
        end_time: state.time + dt,
        inner: state.inner(dt),
    };
    implicit.solve(model, &goal, Inertia::Static, settings, scratch, report)?;
    let change = &implicit.v;
    par::for_each(&mut state.u, |i, u| *u += change[i]);
    state.v.fill(Vec3::zero());
    Ok(())
}
