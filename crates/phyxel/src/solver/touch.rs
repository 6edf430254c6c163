//! Contact inside an implicit step: an active set of nodes on surfaces, each sticking or sliding.
//!
//! A sticking node has its whole velocity given, a sliding one only its normal velocity, with Coulomb's force against
//! its motion. After each linear solve the reactions say which nodes let go, slide or stick; the step ends when
//! nothing changes any more. (Contact among bodies will replace this; half-spaces need no more.)

use super::implicit::Inertia;
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Held, Model};

/// A node on a surface.
#[derive(Clone, Copy, Debug)]
pub struct Touch<R> {
    /// Which node.
    pub node: u32,
    /// Which collider.
    pub collider: u32,
    /// Whether it slides, and where to.
    pub sliding: Option<Vec3<R>>,
    /// Normal impulse of the last solve [N s].
    pub impulse: R,
}

/// Where a step starts and how far it goes: positions will be `u + gamma v`.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a, R> {
    /// Displacements [m].
    pub u: &'a [Vec3<R>],
    /// Velocities [m/s].
    pub v: &'a [Vec3<R>],
    /// [s]
    pub gamma: R,
    /// For how long nodes will have moved at the new velocity when the step is over [s]; pins and surfaces are met then.
    pub over: R,
    /// Time at which pins must be where they belong [s].
    pub end_time: f64,
}

/// Nodes that may go this far below a surface before they count as touching, relative to how far they move.
fn tolerance<R: Real>() -> R {
    R::EPSILON * R::of(16.0)
}

/// Keeps the nodes that touched before and may still, and finds those that would pass a surface if they fell freely
/// from velocities `guess`.
pub fn seed<R: Real>(
    model: &Model<R>,
    (stage, pins): (&Stage<'_, R>, &[Held<R>]),
    guess: &[Vec3<R>],
    inertia: Inertia,
    touches: &mut Vec<Touch<R>>,
) {
    touches.retain(|t| {
        let collider = &model.colliders[t.collider as usize];
        let n = t.node as usize;
        collider.gap(model.rest[n], stage.u[n]) <= R::of(1e-9).max(guess[n].norm() * stage.over) && !is_held(pins, n)
    });
    let fall = if inertia == Inertia::Dynamic { model.loads.gravity * stage.gamma } else { Vec3::zero() };
    add_passing(model, (stage, pins), |n| guess[n] + fall, touches);
}

/// Pins decide alone: their reactions would say nothing about contact.
fn is_held<R: Real>(pins: &[Held<R>], node: usize) -> bool {
    pins.binary_search_by_key(&(node as u32), |h| h.node).is_ok()
}

/// Adds nodes that end up below a surface; true when there were any.
pub fn add_passing<R: Real>(
    model: &Model<R>,
    (stage, pins): (&Stage<'_, R>, &[Held<R>]),
    velocity: impl Fn(usize) -> Vec3<R>,
    touches: &mut Vec<Touch<R>>,
) -> bool {
    let known = touches.len();
    for (c, collider) in model.colliders.iter().enumerate() {
        for n in 0..stage.u.len() {
            let (gap, v) = (collider.gap(model.rest[n], stage.u[n]), velocity(n));
            let least = collider.least_normal_velocity(gap, stage.over);
            let push = least - collider.normal.dot(v);
            let slack = tolerance::<R>() * (collider.normal.dot(v).abs() + least.abs() + R::of(1e-6));
            let is_known = || touches[..known].binary_search_by_key(&(n as u32), |t| t.node).is_ok();
            if push > slack && !is_known() && !is_held(pins, n) {
                let slip = v - collider.normal * collider.normal.dot(v);
                // Friction that can stop a node does.
                let sliding = (slip.norm() > collider.friction * push).then(|| slip.normalized());
                touches.push(Touch { node: n as u32, collider: c as u32, sliding, impulse: push * model.masses[n] });
            }
        }
    }
    let added = touches.len() > known;
    if added {
        // No two are equal, so the order is the only one; a stable sort would need memory.
        touches.sort_unstable_by_key(|t| (t.node, t.collider));
        touches.dedup_by_key(|t| t.node);
    }
    added
}

/// Pins and touching nodes together, ascending.
pub fn merge<R: Real>(
    model: &Model<R>,
    stage: &Stage<'_, R>,
    pins: &[Held<R>],
    touches: &[Touch<R>],
    held: &mut Vec<Held<R>>,
) {
    held.clear();
    held.extend_from_slice(pins);
    for touch in touches {
        let collider = &model.colliders[touch.collider as usize];
        let n = touch.node as usize;
        let least = collider.least_normal_velocity(collider.gap(model.rest[n], stage.u[n]), stage.over);
        let free = match touch.sliding {
            Some(_) => Mat3::identity() - Mat3::outer(collider.normal, collider.normal),
            None => Mat3::zero(),
        };
        held.push(Held { node: touch.node, free, velocity: collider.normal * least });
    }
    held.sort_unstable_by_key(|h| h.node);
}

/// Adds Coulomb's impulse on sliding nodes to the right-hand side.
pub fn add_friction<R: Real>(model: &Model<R>, touches: &[Touch<R>], b: &mut [Vec3<R>]) {
    for touch in touches {
        if let Some(direction) = touch.sliding {
            let friction = model.colliders[touch.collider as usize].friction;
            b[touch.node as usize] -= direction * (friction * touch.impulse.max(R::zero()));
        }
    }
}

/// Lets nodes go, slide or stick according to the reactions `q = A v − b`; true when another round is worth it.
///
/// Friction of sliding nodes lags behind their normal impulse: two rounds bring it near enough, and the next step starts
/// from there. After four rounds nodes neither let go nor start to slide any more, so that the set cannot go round in circles.
pub fn update<R: Real>(
    model: &Model<R>,
    touches: &mut Vec<Touch<R>>,
    v: &[Vec3<R>],
    q: &[Vec3<R>],
    round: usize,
) -> bool {
    let settling = round >= 4;
    let known = touches.len();
    if !settling {
        touches.retain(|t| model.colliders[t.collider as usize].normal.dot(q[t.node as usize]) >= R::zero());
    }
    let mut changed = touches.len() != known;
    for touch in touches {
        let collider = &model.colliders[touch.collider as usize];
        let (reaction, velocity) = (q[touch.node as usize], v[touch.node as usize]);
        let impulse = collider.normal.dot(reaction).max(R::zero());
        let drifted = round < 2 && (impulse - touch.impulse).abs() > R::of(0.05) * impulse;
        touch.impulse = impulse;
        let tangential = reaction - collider.normal * impulse;
        let slip = velocity - collider.normal * collider.normal.dot(velocity);
        match touch.sliding {
            None if !settling && tangential.norm() > collider.friction * impulse => {
                // It would have moved against the reaction that held it.
                touch.sliding = Some(-tangential.normalized());
                changed = true;
            }
            Some(direction) if slip.dot(direction) < R::zero() && collider.friction > R::zero() => {
                touch.sliding = None;
                changed = true;
            }
            Some(_) => {
                touch.sliding = Some(slip.normalized());
                changed |= drifted && collider.friction > R::zero();
            }
            None => {}
        }
    }
    changed
}
