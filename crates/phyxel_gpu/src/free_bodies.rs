//! Momentum of bodies that nothing holds, touches or loads, kept through implicit steps as the CPU keeps it.

use crate::device::GpuError;
use crate::resident::Resident;
use phyxel::State;
use phyxel::math::Vec3;
use phyxel::model::{BodyModel, Model};
use phyxel::scene::{MassKind, SolverSettings};
use phyxel::solver::momentum::{self, Momentum};

/// The momenta of free bodies before a step from `time` of `dt`; empty, and nothing is read back, when none can be free.
pub(crate) fn momenta(
    model: &Model<f32>,
    resident: &Resident,
    settings: &SolverSettings,
    (time, dt): (f64, f64),
) -> Result<Vec<Option<Momentum>>, GpuError> {
    let candidates = candidates(model, settings);
    if !candidates.contains(&true) {
        return Ok(Vec::new());
    }
    let (u, v) = resident.state()?;
    let state = State { u, v, time, ..State::default() };
    let of = |(body, candidate): (&BodyModel, &bool)| {
        (*candidate && is_clear(model, body, &state, dt)).then(|| momentum::of_body(model, body, &state.u, &state.v))
    };
    Ok(model.bodies.iter().zip(&candidates).map(of).collect())
}

/// Whether there may be free bodies whose momenta are kept.
pub(crate) fn may_be(model: &Model<f32>, settings: &SolverSettings) -> bool {
    candidates(model, settings).contains(&true)
}

/// Bodies that nothing but contact keeps from being free.
fn candidates(model: &Model<f32>, settings: &SolverSettings) -> Vec<bool> {
    let free = |(index, body): (usize, &BodyModel)| {
        settings.conserve_momentum
            && !model.loads.loaded_bodies[index]
            && !model.pins.iter().any(|p| p.body == index)
            && body.mass == MassKind::Lumped
            && model.rayleigh_mass[index] == 0.0
    };
    model.bodies.iter().enumerate().map(free).collect()
}

/// Gives free bodies the momenta that they must have after `dt`.
pub(crate) fn restore(
    model: &Model<f32>,
    resident: &Resident,
    before: &[Option<Momentum>],
    dt: f64,
) -> Result<(), GpuError> {
    if before.iter().all(Option::is_none) {
        return Ok(());
    }
    let (mut u, mut v) = resident.state()?;
    let gravity = Vec3(model.loads.gravity.to_f64());
    for (body, before) in model.bodies.iter().zip(before) {
        let Some(before) = before else { continue };
        let now = momentum::of_body(model, body, &u, &v);
        let target = (before.linear + gravity * (before.mass * dt), before.angular, dt);
        momentum::restore(model, std::iter::once(body), &now, (&mut u, &mut v), target);
    }
    resident.set_state(&u, &v);
    Ok(())
}

/// Whether nothing of a body can reach a surface within `dt`, even at twice its present speed.
fn is_clear(model: &Model<f32>, body: &BodyModel, state: &State<f32>, dt: f64) -> bool {
    let fall = Vec3(model.loads.gravity.to_f64()).norm() * dt;
    model.colliders.iter().all(|collider| {
        body.nodes.clone().all(|n| {
            let x = model.place(n, state.u[n]);
            let gap = collider.distance(x, state.time) - model.contact_radius(n);
            2.0 * dt * (f64::from(state.v[n].norm()) + fall) + dt * collider.speed(x) < gap
        })
    })
}
