//! Bodies at rest are left alone until something disturbs them.
//!
//! A body is calm while none of its nodes is faster than the scene's `sleep_speed`. When everything that hangs together by
//! contact has been calm for a while, all of it falls asleep: its nodes are held, its elements are not looked at, and the
//! forces of its last step go on being reported. It wakes, all together, when something that is not calm touches it, when
//! a moving collider comes near, or when an event or a caller changes anything.

use super::ledger::{ContactForce, Partner};
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::par;
use crate::state::State;

/// How long things must be calm before they sleep [s].
const CALM_FOR: f64 = 0.5;
/// A rigid body wakes what it touches when it is so many times faster than calm things.
const RIGID_WAKES: f64 = 20.0;

/// Whether a body sleeps, and how it got there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rest {
    /// For how long it has been calm [s].
    pub calm: f64,
    /// It is asleep.
    pub asleep: bool,
    /// The first of the bodies that fell asleep with it.
    pub island: u32,
}

/// What is kept about sleepers.
#[derive(Clone, Debug, Default)]
pub struct Sleep {
    /// The model that bodies fell asleep in.
    version: Option<u64>,
    /// What sleepers last felt.
    resting: Vec<ContactForce>,
}

impl Sleep {
    /// Forces that sleepers go on feeling.
    pub fn resting(&self) -> &[ContactForce] {
        &self.resting
    }

    /// Wakes what must not sleep through the step that is about to be taken.
    pub fn wake<R: Real>(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        if self.version != Some(model.version) {
            self.version = Some(model.version);
            state.rest.iter_mut().for_each(|rest| *rest = Rest::default());
        }
        for (index, body) in model.bodies.iter().enumerate() {
            if state.rest[index].asleep && disturbed(model, body, state, dt) {
                wake_island(state, index);
            }
        }
        self.forget_woken(state);
    }

    /// After a step: counts calm time, wakes what was touched, and lets islands fall asleep. `pairs` are the bodies that
    /// press on each other.
    pub fn after<R: Real>(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        forces: &[ContactForce],
        pairs: &[(usize, usize)],
        (speed, dt): (f64, f64),
    ) {
        for (index, body) in model.bodies.iter().enumerate() {
            let may_sleep = !model.loads.loaded_bodies[index] && model.pins.iter().all(|p| p.body != index);
            let calm = may_sleep && fastest(&state.v[body.nodes.clone()]) < speed;
            let rest = &mut state.rest[index];
            rest.calm = if calm { rest.calm + dt } else { 0.0 };
            if rest.asleep && !calm {
                wake_island(state, index);
            }
        }
        for &(a, b) in pairs {
            for (sleeper, other) in [(a, b), (b, a)] {
                if state.rest[sleeper].asleep && !state.rest[other].asleep && state.rest[other].calm == 0.0 {
                    wake_island(state, sleeper);
                }
            }
        }
        let rigid_moves = |r: usize| state.rigid[r].velocity.norm() > RIGID_WAKES * speed;
        let touched = |f: &ContactForce| match (f.first, f.second) {
            (Partner::Body(b), Partner::Rigid(r)) if rigid_moves(r) => Some(b),
            _ => None,
        };
        for body in forces.iter().filter_map(touched).collect::<Vec<_>>() {
            state.rest[body].calm = 0.0;
            wake_island(state, body);
        }
        self.settle(state, forces, pairs);
        self.forget_woken(state);
    }

    /// Puts islands to sleep of which every body has been calm for long enough.
    fn settle<R: Real>(&mut self, state: &mut State<R>, forces: &[ContactForce], pairs: &[(usize, usize)]) {
        if !state.rest.iter().any(|r| !r.asleep && r.calm >= CALM_FOR) {
            return;
        }
        let mut island: Vec<usize> = (0..state.rest.len()).collect();
        for &(a, b) in pairs {
            let (low, high) = (island[a].min(island[b]), island[a].max(island[b]));
            island.iter_mut().filter(|i| **i == high).for_each(|i| *i = low);
        }
        for first in 0..island.len() {
            let members = || (0..island.len()).filter(|&b| island[b] == first);
            let ready = |b: usize| state.rest[b].asleep || state.rest[b].calm >= CALM_FOR;
            if !members().all(ready) || members().all(|b| state.rest[b].asleep) {
                continue;
            }
            let fell: Vec<usize> = members().filter(|&b| !state.rest[b].asleep).collect();
            for &b in &fell {
                (state.rest[b].asleep, state.rest[b].island) = (true, first as u32);
            }
            let fallen = |p: &Partner| matches!(p, Partner::Body(b) if fell.contains(b));
            self.resting.extend(forces.iter().filter(|f| fallen(&f.first) || fallen(&f.second)));
        }
    }

    fn forget_woken<R: Real>(&mut self, state: &State<R>) {
        let asleep = |p: &Partner| !matches!(p, Partner::Body(b) if !state.rest[*b].asleep);
        self.resting.retain(|f| asleep(&f.first) && asleep(&f.second));
    }
}

/// Whether a collider that moves comes near a body.
fn disturbed<R: Real>(model: &Model<R>, body: &BodyModel, state: &State<R>, dt: f64) -> bool {
    model.colliders.iter().filter(|c| c.moves()).any(|collider| {
        let (start, end) = (collider.pose(state.time), collider.pose(state.time + dt));
        start != end && {
            let first = body.nodes.start;
            let least = par::max(body.nodes.len(), f64::NEG_INFINITY, |i| {
                let x = model.place(first + i, state.u[first + i]);
                let way = (end.to_world(start.to_local(x)) - x).norm();
                2.0 * way + model.contact_radius(first + i) - collider.distance(x, state.time)
            });
            least > 0.0
        }
    })
}

fn fastest<R: Real>(v: &[Vec3<R>]) -> f64 {
    par::max(v.len(), 0.0, |i| v[i].norm_squared().to_f64()).sqrt()
}

fn wake_island<R: Real>(state: &mut State<R>, body: usize) {
    if !state.rest[body].asleep {
        return;
    }
    let island = state.rest[body].island;
    for rest in state.rest.iter_mut().filter(|r| r.asleep && r.island == island) {
        *rest = Rest::default();
    }
}
