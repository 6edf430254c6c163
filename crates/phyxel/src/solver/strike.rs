//! What colliders do to nodes in explicit steps.

use super::explicit::Explicit;
use super::ledger::{Note, Partner, Sum};
use crate::contact::{Collider, Path, Plane};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::state::State;

/// What has become of a run of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Struck {
    /// What colliders have done to it: contacts between the same two things that follow each other are summed up at once,
    /// because thousands of nodes lie on the ground.
    sums: Vec<Sum>,
    /// Whether all its numbers are finite.
    finite: bool,
}

/// Some nodes in a row, the first of them, and where they are.
type Run<'a, R> = (usize, &'a [Vec3<R>], &'a mut [Vec3<R>]);

impl<R: Real> Explicit<R> {
    /// Kicks nodes, stops them at surfaces and moves them on in one pass, where nothing holds them and nothing joins them but
    /// forces, which are known: the same as one after the other, but each run of nodes stays near to the processor, and threads
    /// meet once.
    pub(super) fn move_on(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        let h = R::of(dt);
        let State { u, v, time, .. } = state;
        let Self { struck, forces, .. } = self;
        struck.resize_with(v.len().div_ceil(par::GRAIN), Struck::default);
        par::chunks2_with((u, v), par::GRAIN, struck, &|first, u, v, Struck { sums, finite }| {
            sums.clear();
            let own = first..first + v.len();
            for ((v, f), m) in v.iter_mut().zip(&forces[own.clone()]).zip(&model.masses[own]) {
                *v += *f * (h / *m);
            }
            for (c, collider) in model.colliders.iter().enumerate() {
                stop(model, (c, collider), (first, u, v), (*time, h), sums);
            }
            // One NaN or infinity anywhere makes the sum not finite.
            let mut sum = 0.0;
            for (u, v) in u.iter_mut().zip(&*v) {
                *u += *v * h;
                sum += (u.dot(*u) + v.dot(*v)).to_f64();
            }
            *finite = sum.is_finite();
        });
        self.finite = Some(struck.iter().all(|run| run.finite));
        self.note_struck();
    }

    /// Stops nodes that would pass a surface within `dt`.
    pub(super) fn collide(&mut self, model: &Model<R>, state: &mut State<R>, dt: R) {
        for at in model.colliders.iter().enumerate() {
            self.strike(state, |run, time, sums| stop(model, at, run, (time, dt), sums));
        }
    }

    /// Stops nodes that lie on a surface, or in it, from going further in.
    pub(super) fn rest_on_surfaces(&mut self, model: &Model<R>, state: &mut State<R>, dt: R) {
        for at in model.colliders.iter().enumerate() {
            self.strike(state, |run, time, sums| rest_on(model, at, run, (time, dt), sums));
        }
    }

    /// Does something to all nodes, and notes what a collider has done to them, in their order.
    fn strike(&mut self, state: &mut State<R>, blow: impl Fn(Run<'_, R>, f64, &mut Vec<Sum>) + Sync) {
        let State { u, v, time, .. } = state;
        self.struck.resize_with(v.len().div_ceil(par::GRAIN), Struck::default);
        par::chunks_with(v, par::GRAIN, &mut self.struck, &|first, v, struck| {
            struck.sums.clear();
            blow((first, &u[first..first + v.len()], v), *time, &mut struck.sums);
        });
        self.note_struck();
    }

    fn note_struck(&mut self) {
        let Self { struck, knocks, .. } = self;
        struck.iter().for_each(|run| knocks.riding.sums.extend_from_slice(&run.sums));
    }
}

/// Stops those of some nodes that would pass a collider within `dt`.
fn stop<R: Real>(
    model: &Model<R>,
    (c, collider): (usize, &Collider),
    run: Run<'_, R>,
    (time, dt): (f64, R),
    sums: &mut Vec<Sum>,
) {
    let floor = collider.floor::<R>();
    let is_far = |i: usize, u: Vec3<R>, v: Vec3<R>| {
        floor.is_some_and(|floor| floor.is_far((model.rest[i], u), v, (model.contact_radius(i), dt)))
    };
    strike_run(model, c, run, ((time, dt), is_far, sums), |(_, body), (_, v), path| {
        if collider.is_clear(path) || !model.bodies[body].groups.meet(&collider.groups) {
            return v;
        }
        let Some(plane) = collider.meet::<R>(path) else { return v };
        let (friction, bounce) = (model.friction_between(body, c), model.restitution_between(body, c));
        plane.resolve(v, dt, R::of(friction), R::of(bounce))
    });
}

/// Stops those of some nodes that lie on a collider, or in it, from going further in within `dt`.
fn rest_on<R: Real>(
    model: &Model<R>,
    (c, collider): (usize, &Collider),
    run: Run<'_, R>,
    (time, dt): (f64, R),
    sums: &mut Vec<Sum>,
) {
    strike_run(model, c, run, ((time, dt), |_, _, _| false, sums), |(i, body), (u, v), path| {
        if !model.bodies[body].groups.meet(&collider.groups) {
            return v;
        }
        let plane = collider.nearest::<R>(path);
        let next = plane.normal.dot(v) * dt;
        let scale = model.rest[i].norm() + u.norm() + next.abs();
        let rounding = R::EPSILON * R::of(16.0) * scale;
        if plane.gap > rounding {
            return v;
        }
        let friction = R::of(model.friction_between(body, c));
        Plane { gap: R::zero(), ..plane }.resolve(v, R::one(), friction, R::zero())
    });
}

/// Gives those of some nodes that can touch something, and are not far from it, the velocity that `after` makes of their own on a
/// path of `dt`, and notes what the collider `c` has done to them, in the order of nodes.
#[inline(always)]
fn strike_run<R: Real>(
    model: &Model<R>,
    c: usize,
    (first, u, v): Run<'_, R>,
    ((time, dt), is_far, sums): ((f64, R), impl Fn(usize, Vec3<R>, Vec3<R>) -> bool, &mut Vec<Sum>),
    after: impl Fn((usize, usize), (Vec3<R>, Vec3<R>), &Path) -> Vec3<R>,
) {
    let mut body = model.body_index(first);
    for ((i, v), u) in (first..).zip(v).zip(u).filter(|((i, _), _)| model.is_touchable(*i)) {
        let before = *v;
        if is_far(i, *u, before) {
            continue;
        }
        while model.bodies[body].nodes.end <= i {
            body += 1;
        }
        *v = after((i, body), (*u, before), &path(model, i, (*u, before), (time, dt.to_f64())));
        let impulse = (*v - before) * model.masses[i];
        if *v - before != Vec3::zero() {
            Sum::follow(sums, &note(model, (body, c), impulse, &path(model, i, (*u, *v), (time, 0.0))));
        }
    }
}

/// The path of a node from displacement `u` at velocity `v`.
pub(super) fn path<R: Real>(
    model: &Model<R>,
    node: usize,
    (u, v): (Vec3<R>, Vec3<R>),
    (start, dt): (f64, f64),
) -> Path {
    let (from, radius) = (model.place(node, u), model.contact_radius(node));
    Path { from, velocity: Vec3(v.to_f64()), radius, start, dt }
}

/// An impulse that a collider has given to a node of a body, which is on a path now.
fn note<R: Real>(model: &Model<R>, (body, c): (usize, usize), impulse: Vec3<R>, path: &Path) -> Note {
    let plane: Plane<f64> = model.colliders[c].nearest(path);
    let sides = (Partner::Body(body), Partner::Collider(c));
    Note { sides, impulse: Vec3(impulse.to_f64()), point: path.from, normal: plane.normal }
}
