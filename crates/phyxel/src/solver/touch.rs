//! Contact with colliders inside an implicit step: an active set of nodes on surfaces, each sticking or sliding.
//!
//! A sticking node has its whole velocity given, a sliding one only its normal velocity, and Coulomb's friction linearised
//! about the slip of the last solve: a given force against it, and a drag across it, which turns the force with the slip.
//! Such a force would push nodes that hardly move to and fro; for them friction is a drag in every direction that has
//! Coulomb's size at the last slip. One that turns back within the step sticks, and if that fails is dragged too. After each linear solve the reactions say which nodes
//! let go or slide; the step ends when nothing changes any more, and what hardly moved sticks in the next one. A node in an
//! edge or corner between surfaces touches each of them.

use super::implicit::Inertia;
use crate::contact::tree::Bounds;
use crate::contact::{Path, Plane, REST_SPEED};
use crate::material::plastic::Inners;
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Held, Model};

/// A node on a surface.
#[derive(Clone, Copy, Debug)]
pub struct Touch<R> {
    /// Which node.
    pub node: u32,
    /// Which collider.
    pub collider: u32,
    /// Where they meet.
    pub plane: Plane<R>,
    /// Least normal velocity with which it rebounds [m/s]; very negative when it does not.
    pub rebound: R,
    /// Friction's impulse per slip velocity, when it slides [kg]: in every direction, or across `ahead`.
    pub drag: Option<R>,
    /// Where it slides to, while friction along it is a given force; zero while friction is a drag alone.
    pub ahead: Vec3<R>,
    /// It has turned back within this step.
    pub turned: bool,
    /// Normal impulse of the last solve [N s].
    pub impulse: R,
    /// The whole impulse of the last solve, friction included [N s].
    pub reaction: Vec3<R>,
    /// Coulomb's coefficient.
    pub friction: R,
}

impl<R: Real> Touch<R> {
    /// A touch without a past.
    pub fn new(node: u32, collider: u32, friction: R) -> Self {
        let plane = Plane { normal: Vec3::zero(), gap: R::zero(), velocity: Vec3::zero() };
        let (rebound, impulse) = (R::of(NO_REBOUND), R::zero());
        let (ahead, reaction) = (Vec3::zero(), Vec3::zero());
        Touch { node, collider, plane, rebound, drag: None, ahead, turned: false, impulse, reaction, friction }
    }

    /// How the node moves along the surface, relative to it.
    fn slip(&self, velocity: Vec3<R>) -> Vec3<R> {
        let relative = velocity - self.plane.velocity;
        relative - self.plane.normal * self.plane.normal.dot(relative)
    }

    /// The drag of a sliding node per direction of the surface [kg].
    fn drags(&self, drag: R) -> Mat3<R> {
        let normal = self.plane.normal;
        (Mat3::identity() - Mat3::outer(normal, normal) - Mat3::outer(self.ahead, self.ahead)) * drag
    }

    /// Friction's impulse on a node that slides in this way [N s].
    fn friction_at(&self, drag: R, slip: Vec3<R>) -> Vec3<R> {
        let across = slip - self.ahead * self.ahead.dot(slip);
        -(self.ahead * (self.friction * self.impulse) + across * drag)
    }

    /// Linearises friction about a slip; it has Coulomb's size there.
    fn linearise(&mut self, slip: Vec3<R>) {
        let (speed, limit) = (slip.norm(), self.friction * self.impulse);
        let cap = R::of(STOPPED) * self.impulse * R::of(2.0);
        self.drag = Some(if speed > R::zero() { (limit / speed).min(cap) } else { cap });
        let given = speed > R::of(HARDLY) && !self.turned;
        self.ahead = if given { slip * (R::one() / speed) } else { Vec3::zero() };
    }

    fn least_normal_velocity(&self, over: R) -> R {
        self.plane.least_normal_velocity(over).max(self.rebound)
    }
}

/// A normal velocity that asks for nothing [m/s].
const NO_REBOUND: f64 = -1e30;

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
    /// What elements remember.
    pub inner: Inners<'a, R>,
}

impl<R: Real> Stage<'_, R> {
    /// The path of a node that moves at a velocity.
    fn path(&self, model: &Model<R>, node: usize, velocity: Vec3<R>) -> Path {
        let dt = self.over.to_f64();
        Path {
            from: model.place(node, self.u[node]),
            velocity: Vec3(velocity.to_f64()),
            radius: model.contact_radius(node),
            start: self.end_time - dt,
            dt,
        }
    }
}

/// The most surfaces that one node touches at a time: three hold it in every direction.
const MOST_PLANES: usize = 3;

/// Planes that differ by less than this angle [rad] count as one.
const SAME_PLANE: f64 = 0.05;

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
    touches.retain_mut(|t| {
        let (collider, n) = (&model.colliders[t.collider as usize], t.node as usize);
        let path = stage.path(model, n, guess[n]);
        t.plane = collider.meet(&path).unwrap_or_else(|| collider.nearest(&path));
        t.rebound = R::of(NO_REBOUND);
        // What hardly moved sticks until it turns out that it cannot.
        t.drag = t.drag.filter(|drag| *drag < R::of(STOPPED) * t.impulse);
        t.turned = false;
        if t.drag.is_some() {
            t.linearise(t.slip(guess[n]));
        }
        let reach = (guess[n] - t.plane.velocity).norm() * stage.over;
        t.plane.gap <= R::of(1e-9).max(reach) && !is_held(pins, n)
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
    let time = (stage.end_time - stage.over.to_f64(), stage.over.to_f64());
    for body in &model.bodies {
        let own = || model.touchable(body.nodes.clone());
        let mut around = None;
        for (c, collider) in model.colliders.iter().enumerate() {
            if !body.groups.meet(&collider.groups) {
                continue;
            }
            let floor = collider.floor::<R>();
            let surround = || surround(own().map(|n| stage.path(model, n as usize, velocity(n as usize))));
            // A floor tells node by node who is far, at less than what a ball around all of them costs.
            if floor.is_none() && !collider.may_meet(*around.get_or_insert_with(surround), time) {
                continue;
            }
            for node in own() {
                let n = node as usize;
                let v = velocity(n);
                let reach = (model.contact_radius(n), stage.over);
                if floor.is_some_and(|floor| floor.is_far((model.rest[n], stage.u[n]), v, reach)) {
                    continue;
                }
                let key = (node, c as u32);
                let is_known = || touches[..known].binary_search_by_key(&key, |t| (t.node, t.collider)).is_ok();
                if let Some(touch) = passing(model, stage, key, v).filter(|_| !is_known() && !is_held(pins, n)) {
                    touches.push(touch);
                }
            }
        }
    }
    let added = touches.len() > known;
    if added {
        // No two are equal, so the order is the only one; a stable sort would need memory.
        touches.sort_unstable_by_key(|t| (t.node, t.collider));
    }
    added
}

/// A ball around paths: its centre and radius [m].
fn surround(paths: impl Iterator<Item = Path>) -> (Vec3<f64>, f64) {
    let (mut around, mut reach) = (Bounds::EMPTY, 0.0f64);
    for path in paths {
        around = around.with(&Bounds { min: path.from.0, max: path.from.0 });
        reach = reach.max(path.velocity.norm() * path.dt + path.radius);
    }
    let (low, high) = (Vec3(around.min), Vec3(around.max));
    ((low + high) * 0.5, (high - low).norm() * 0.5 + reach)
}

/// The touch of a node that ends up below a surface, if it does.
fn passing<R: Real>(
    model: &Model<R>,
    stage: &Stage<'_, R>,
    (node, collider): (u32, u32),
    v: Vec3<R>,
) -> Option<Touch<R>> {
    let (n, c) = (node as usize, collider as usize);
    let plane = model.colliders[c].meet::<R>(&stage.path(model, n, v))?;
    let mut touch = Touch { plane, ..Touch::new(node, collider, R::of(model.friction_on(n, c))) };
    let least = plane.least_normal_velocity(stage.over);
    let push = least - plane.normal.dot(v);
    let slack = tolerance::<R>() * (plane.normal.dot(v).abs() + least.abs() + R::of(1e-6));
    if push <= slack {
        return None;
    }
    let approach = plane.normal.dot(plane.velocity - stage.v[n]);
    let restitution = R::of(model.restitution_on(n, c));
    if restitution > R::zero() && approach > R::of(REST_SPEED) {
        touch.rebound = plane.normal.dot(plane.velocity) + approach * restitution;
    }
    let relative = v - plane.velocity;
    let slip = relative - plane.normal * plane.normal.dot(relative);
    // Friction that can stop a node does.
    let (speed, most) = (slip.norm(), touch.friction * push);
    touch.impulse = push * model.masses[n];
    if speed > most {
        touch.linearise(slip * (R::one() - most / speed));
    }
    Some(touch)
}

/// The independent normals of the planes at a node, made orthogonal one after the other.
struct Frame<R> {
    directions: [Vec3<R>; MOST_PLANES],
    /// Which touch of the group each belongs to.
    owners: [usize; MOST_PLANES],
    count: usize,
}

impl<R: Real> Frame<R> {
    fn new(group: &[Touch<R>]) -> Self {
        let mut frame = Frame { directions: [Vec3::zero(); MOST_PLANES], owners: [0; MOST_PLANES], count: 0 };
        for (i, touch) in group.iter().enumerate() {
            let mut rest = touch.plane.normal;
            for e in &frame.directions[..frame.count] {
                rest -= *e * e.dot(rest);
            }
            if frame.count < MOST_PLANES && rest.norm() > R::of(SAME_PLANE) {
                frame.directions[frame.count] = rest.normalized();
                frame.owners[frame.count] = i;
                frame.count += 1;
            }
        }
        frame
    }

    /// The velocity in the span of the normals with which each plane is just kept.
    fn velocity(&self, group: &[Touch<R>], over: R) -> Vec3<R> {
        let mut w = Vec3::zero();
        for (e, &i) in self.directions[..self.count].iter().zip(&self.owners) {
            let n = group[i].plane.normal;
            w += *e * ((group[i].least_normal_velocity(over) - n.dot(w)) / n.dot(*e));
        }
        w
    }

    /// The parts of a reaction along the planes' normals, one per touch of the group, and what is left of it.
    fn split(&self, group: &[Touch<R>], reaction: Vec3<R>, parts: &mut [R]) -> Vec3<R> {
        let mut rest = reaction;
        for (e, &i) in self.directions[..self.count].iter().zip(&self.owners).rev() {
            let n = group[i].plane.normal;
            parts[i] = rest.dot(*e) / n.dot(*e);
            rest -= n * parts[i];
        }
        rest
    }

    fn free(&self) -> Mat3<R> {
        self.directions[..self.count].iter().fold(Mat3::identity(), |free, e| free - Mat3::outer(*e, *e))
    }
}

/// Pins and touching nodes together, ascending.
pub fn merge<R: Real>(stage: &Stage<'_, R>, pins: &[Held<R>], touches: &[Touch<R>], held: &mut Vec<Held<R>>) {
    held.clear();
    held.extend_from_slice(pins);
    for group in touches.chunk_by(|a, b| a.node == b.node) {
        let frame = Frame::new(group);
        let (mut velocity, mut free) = (frame.velocity(group, stage.over), frame.free());
        if let Some(sticking) = group.iter().find(|t| t.drag.is_none()) {
            velocity += free * sticking.plane.velocity;
            free = Mat3::zero();
        }
        held.push(Held { node: group[0].node, free, velocity });
    }
    held.sort_unstable_by_key(|h| h.node);
}

/// Lists what the drag of sliding nodes puts on their diagonal blocks, and adds what friction does whatever they do to the
/// right-hand side.
pub fn add_drags<R: Real>(touches: &[Touch<R>], blocks: &mut Vec<(u32, Mat3<R>)>, b: &mut [Vec3<R>]) {
    blocks.clear();
    for touch in touches {
        if let Some(drag) = touch.drag.filter(|d| *d > R::zero()) {
            blocks.push((touch.node, touch.drags(drag)));
            b[touch.node as usize] += touch.friction_at(drag, touch.slip(Vec3::zero()));
        }
    }
}

/// Adds the impulses of friction on sliding nodes that move at `v`.
pub fn add_friction<R: Real>(touches: &[Touch<R>], v: &[Vec3<R>], q: &mut [Vec3<R>]) {
    for touch in touches {
        if let Some(drag) = touch.drag {
            q[touch.node as usize] += touch.friction_at(drag, touch.slip(v[touch.node as usize]));
        }
    }
}

/// What friction on sliding nodes adds to the incremental potential [J].
pub fn potential<R: Real>(touches: &[Touch<R>], v: &[Vec3<R>]) -> f64 {
    let of = |touch: &Touch<R>| {
        let slip = touch.slip(v[touch.node as usize]);
        let given = touch.ahead.dot(slip) * touch.friction * touch.impulse;
        touch.drag.map_or(0.0, |drag| (given + slip.dot(touch.drags(drag) * slip) * R::of(0.5)).to_f64())
    };
    touches.iter().map(of).sum()
}

/// Lets nodes go or slide according to the reactions `q = A v − b`; true when another round is worth it: when the impulses
/// that were wrong are more than a small part of all impulses on a body.
///
/// After four rounds nodes only start to slide, and do not let go any more, so that the set cannot go round in circles; how
/// far slip spreads through a body that hardly holds takes as many rounds as it takes.
pub fn update<R: Real>(
    model: &Model<R>,
    touches: &mut Vec<Touch<R>>,
    (v, q): (&[Vec3<R>], &[Vec3<R>]),
    diagonal: &[Mat3<R>],
    (round, over, exact): (usize, R, bool),
) -> bool {
    let allowed = R::of(if exact { WRONG } else { ROUGHLY_WRONG });
    let mut changed = false;
    for own in touches.chunk_by_mut(|a, b| model.body_index(a.node as usize) == model.body_index(b.node as usize)) {
        let (mut wrong, mut all) = (R::zero(), R::zero());
        for group in own.chunk_by_mut(|a, b| a.node == b.node) {
            let node = group[0].node as usize;
            let resistance = diagonal[node].trace() * R::of(1.0 / 3.0);
            wrong += update_node(group, (v[node], q[node]), resistance, round);
            for touch in group.iter() {
                all += touch.reaction.norm();
                wrong += if goes(touch, (round, over)) { -touch.impulse } else { R::zero() };
            }
        }
        changed |= wrong > allowed * all;
    }
    touches.retain(|t| !goes(t, (round, over)));
    touches.iter_mut().for_each(|t| t.impulse = t.impulse.max(R::zero()));
    changed
}

/// Whether a node lets go: one that would have to be pulled onto a surface from afar always does.
fn goes<R: Real>(touch: &Touch<R>, (round, over): (usize, R)) -> bool {
    let lies_on_it = touch.plane.gap < R::of(PULL_SPEED) * over;
    touch.impulse < R::zero() && (round < SETTLED || !lies_on_it)
}

/// Part of all impulses on a body that may be wrong without a further solve, and without a further rough one.
const WRONG: f64 = 0.002;
const ROUGHLY_WRONG: f64 = 0.02;
/// From this round on nodes on a surface do not let go.
const SETTLED: usize = 4;
/// Part of Coulomb's limit by which rounding may exceed it.
const STUCK: f64 = 1e-6;
/// The fastest that a settled node may be pulled onto a surface [m/s].
const PULL_SPEED: f64 = 1e-3;
/// Drag over normal impulse beyond which a node no longer slides [s/m]: with friction 0.5, slower than 5 µm/s.
const STOPPED: f64 = 1e5;
/// Slips slower than this need no friction that is exact [m/s].
const HARDLY: f64 = 1e-4;
/// Part of Coulomb's limit by which friction may be wrong where nodes hardly move.
const DRIFT: f64 = 0.1;
/// Rounds in which friction that changes asks for another solve.
const MOST_DRAGS: usize = 8;

/// [`update`] for all touches of one node; returns by how much impulses were wrong [N s].
fn update_node<R: Real>(
    group: &mut [Touch<R>],
    (velocity, reaction): (Vec3<R>, Vec3<R>),
    resistance: R,
    round: usize,
) -> R {
    let mut wrong = R::zero();
    let mut impulses = [R::zero(); 8];
    let count = group.len().min(impulses.len());
    let tangential = Frame::new(&group[..count]).split(&group[..count], reaction, &mut impulses);
    let mut most = R::zero();
    for (touch, impulse) in group.iter().zip(&impulses) {
        most += touch.friction * impulse.max(R::zero());
    }
    let share = R::one() / R::of(count as f64);
    let held = tangential.norm();
    for (touch, &impulse) in group.iter_mut().zip(&impulses) {
        let normal = touch.plane.normal;
        let slip = touch.slip(velocity);
        // With the normal impulse that the solve had.
        let dragged = touch.drag.map_or(tangential * share, |drag| touch.friction_at(drag, slip));
        touch.reaction = normal * impulse + dragged;
        let sliding = touch.drag.is_some();
        touch.impulse = impulse;
        if !sliding && held > most * R::of(1.0 + STUCK) {
            // It would move at about what exceeds Coulomb's limit, over what resists.
            touch.drag = Some(most * resistance / (held - most));
            wrong += (held - most) * share;
        } else if sliding {
            let missed = follow(touch, slip, dragged);
            wrong += if round < MOST_DRAGS { missed } else { R::zero() };
        }
    }
    wrong
}

/// Linearises the friction of a sliding node anew after a solve; returns by how much it was wrong [N s].
fn follow<R: Real>(touch: &mut Touch<R>, slip: Vec3<R>, dragged: Vec3<R>) -> R {
    let (speed, pressed) = (slip.norm(), touch.impulse > R::zero());
    let turned = touch.ahead.dot(slip) < R::zero();
    touch.turned |= turned;
    let given = touch.ahead != Vec3::zero();
    let impulse = touch.impulse;
    touch.impulse = impulse.max(R::zero());
    if turned {
        // Friction that turns a node back is enough to hold it.
        (touch.drag, touch.ahead) = (None, Vec3::zero());
    } else {
        touch.linearise(slip);
    }
    touch.impulse = impulse;
    let limit = touch.friction * impulse;
    let right = if speed > R::zero() { slip * (-limit / speed) } else { Vec3::zero() };
    let missed = (right - dragged).norm();
    let moves = speed > R::of(HARDLY) || dragged.norm() > limit * R::of(1.0 + DRIFT);
    let matters = turned || (moves && (given || missed > limit * R::of(DRIFT)));
    if pressed && matters { missed } else { R::zero() }
}
