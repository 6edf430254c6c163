//! Colliders as constraints on nodes: unilateral, with static and sliding friction.
//!
//! A node that meets a surface is kept in front of the plane where it does. What keeps it there is summed up over the
//! sweeps and may shrink again but never pull; friction is summed up likewise and cut to Coulomb's cone around the sum.
//! A node within the cone ends the part of a step exactly where it began, so what sticks does not creep.

use crate::contact::{Path, Plane, REST_SPEED};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::solver::knock::{each, within_cone};
use crate::solver::ledger::{Note, Partner};

/// The part of a step in which nodes move.
#[derive(Clone, Copy)]
pub struct Span<'a, R> {
    /// Displacements at its start [m].
    pub start: &'a [Vec3<R>],
    /// Inverse masses along the axes, zero where held [1/kg].
    pub inverse_mass: &'a [Vec3<R>],
    /// Its length [s].
    pub h: R,
    /// Time at its end [s].
    pub end: f64,
}

/// A node on a collider.
#[derive(Clone, Copy, Debug)]
struct Rest<R> {
    collider: u32,
    node: u32,
    plane: Plane<R>,
    /// The least that the node must move along the normal [m].
    least: R,
    friction: R,
    /// Sums of what the surface has done to the node, times the length of the part [kg m].
    push: R,
    drag: Vec3<R>,
}

/// All nodes on colliders.
#[derive(Clone, Debug, Default)]
pub struct Ground<R> {
    /// Ascending by collider and node.
    rests: Vec<Rest<R>>,
    fresh: Vec<Rest<R>>,
    /// Velocities along normals with which nodes rebound.
    rebounds: Vec<(u32, Vec3<R>, R)>,
}

impl<R: Real> Ground<R> {
    /// Starts a part of a step.
    pub fn begin(&mut self) {
        self.rests.clear();
    }

    /// How many nodes are pressed on a surface.
    pub fn touching(&self) -> usize {
        self.rests.iter().filter(|r| r.push > R::zero()).count()
    }

    /// Brings every node that has met a surface, or meets one on its way to `u`, back in front of it.
    pub fn sweep(&mut self, model: &Model<R>, span: &Span<'_, R>, u: &mut [Vec3<R>]) {
        let mut next = 0;
        for c in 0..model.colliders.len() as u32 {
            for node in model.touchable(0..model.node_count()) {
                let n = node as usize;
                if self.rests.get(next).is_some_and(|r| (r.collider, r.node) == (c, node)) {
                    self.rests[next].solve(span, &mut u[n]);
                    next += 1;
                } else if let Some(mut rest) = meet(model, span, (c, node), u[n]) {
                    rest.solve(span, &mut u[n]);
                    self.fresh.push(rest);
                }
            }
        }
        if !self.fresh.is_empty() {
            self.rests.append(&mut self.fresh);
            self.rests.sort_unstable_by_key(|r| (r.collider, r.node));
        }
    }

    /// Notes what colliders have done to nodes, which are at `u`, in a part of `h`.
    pub fn note(&self, model: &Model<R>, u: &[Vec3<R>], h: f64, notes: &mut Vec<Note>) {
        for rest in self.rests.iter().filter(|r| r.push > R::zero()) {
            let (node, normal) = (rest.node as usize, rest.plane.normal);
            let impulse = Vec3((normal * rest.push + rest.drag).to_f64()) * (1.0 / h);
            let sides = (Partner::Body(model.body_index(node)), Partner::Collider(rest.collider as usize));
            notes.push(Note { sides, impulse, point: model.place(node, u[node]), normal: Vec3(normal.to_f64()) });
        }
    }

    /// Notes which nodes rebound from the velocities `v` with which they came.
    pub fn note_rebounds(&mut self, model: &Model<R>, v: &[Vec3<R>]) {
        self.rebounds.clear();
        for rest in self.rests.iter().filter(|r| r.push > R::zero()) {
            let restitution = R::of(model.restitution_on(rest.node as usize, rest.collider as usize));
            let Plane { normal, velocity, .. } = rest.plane;
            let approach = normal.dot(velocity - v[rest.node as usize]);
            if restitution > R::zero() && approach > R::of(REST_SPEED) {
                self.rebounds.push((rest.node, normal, normal.dot(velocity) + approach * restitution));
            }
        }
    }

    /// Gives rebounding nodes at least the speed that they must have.
    pub fn rebound(&self, v: &mut [Vec3<R>]) {
        for &(node, normal, speed) in &self.rebounds {
            let v = &mut v[node as usize];
            *v += normal * (speed - normal.dot(*v)).max(R::zero());
        }
    }
}

/// The plane in which a node that moves to `u` meets a collider, if it does and would pass it.
fn meet<R: Real>(model: &Model<R>, span: &Span<'_, R>, (c, node): (u32, u32), u: Vec3<R>) -> Option<Rest<R>> {
    let (collider, n) = (&model.colliders[c as usize], node as usize);
    if !model.meets(n, c as usize) {
        return None;
    }
    let Span { start, h, end, .. } = span;
    let moved = u - start[n];
    let path = Path {
        from: model.place(n, start[n]),
        velocity: Vec3((moved * (R::one() / *h)).to_f64()),
        radius: model.contact_radius(n),
        start: end - h.to_f64(),
        dt: h.to_f64(),
    };
    let plane = collider.meet::<R>(&path)?;
    // Matter that was inside at the start rises at a bounded speed.
    let least = plane.least_normal_velocity(*h) * *h;
    let friction = R::of(model.friction_on(n, c as usize));
    (least > plane.normal.dot(moved)).then_some(Rest {
        collider: c,
        node,
        plane,
        least,
        friction,
        push: R::zero(),
        drag: Vec3::zero(),
    })
}

impl<R: Real> Rest<R> {
    /// Moves the node in front of the plane, and back along it as far as friction can.
    fn solve(&mut self, span: &Span<'_, R>, u: &mut Vec3<R>) {
        let (start, w) = (span.start[self.node as usize], span.inverse_mass[self.node as usize]);
        let normal = self.plane.normal;
        let along = normal.dot(each(w, normal));
        if along <= R::zero() {
            return;
        }
        let short = self.least - normal.dot(*u - start);
        let push = (self.push + short / along).max(R::zero());
        *u += each(w, normal) * (push - self.push);
        self.push = push;
        let relative = *u - start - self.plane.velocity * span.h;
        let slip = relative - normal * normal.dot(relative);
        let trial = self.drag - slip * (R::one() / w.0[0].max(w.0[1]).max(w.0[2]));
        let drag = within_cone(trial, self.friction * push);
        *u += each(w, drag - self.drag);
        self.drag = drag;
    }
}
