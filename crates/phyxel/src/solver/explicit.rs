//! Explicit time integration. The caller cuts steps so that they are stable.
//!
//! Contact is a change of velocities before nodes move: those that would pass a surface within the step are stopped at it.

use super::forces;
use super::knock::{Knocks, Tolerances, Unknowns};
use super::ledger::{Note, Partner};
use crate::contact::{Path, Plane};
use crate::math::{Real, Vec3};
use crate::model::{Held, Model};
use crate::par;
use crate::scene::Integrator;
use crate::state::State;
use crate::stencil::block::BlockScratch;

/// How often what sweeps over contact among bodies bring together is looked for, and sweeps each time.
const MAX_ROUNDS: usize = 6;
const MAX_SWEEPS: usize = 30;
/// Sweeps after the second half of Verlet's kick, when pairs have nearly the velocities that they need.
const FEW_SWEEPS: usize = 6;

/// Vectors that explicit steps need.
#[derive(Clone, Debug, Default)]
pub struct Explicit<R> {
    forces: Vec<Vec3<R>>,
    held: Vec<Held<R>>,
    /// Verlet's forces at the end of a step are those at the start of the next, if this is the model's version.
    forces_of: Option<(u64, u64)>,
    stages: Vec<Stage<R>>,
    /// Where a Runge–Kutta step began.
    start: Stage<R>,
    pub(super) knocks: Knocks<R>,
    /// Inverse mass along each axis; zero where held.
    inverse_mass: Vec<Vec3<R>>,
    /// Surfaces have passed each other in the last step.
    passed: bool,
    /// What a collider has done to each run of nodes.
    struck: Vec<Vec<Note>>,
}

/// One stage of a Runge–Kutta method, the rates `(u̇, v̇)`; or a state `(u, v)`.
#[derive(Clone, Debug, Default)]
struct Stage<R> {
    du: Vec<Vec3<R>>,
    dv: Vec<Vec3<R>>,
}

impl<R: Real> Explicit<R> {
    /// Moves the state on by one stable step.
    pub fn step(
        &mut self,
        integrator: Integrator,
        model: &Model<R>,
        state: &mut State<R>,
        scratch: &mut [BlockScratch<R>],
        dt: f64,
    ) {
        // With room for the nodes that cracks may bring.
        self.forces.reserve(model.rest.capacity().saturating_sub(self.forces.len()));
        self.forces.resize(model.node_count(), Vec3::zero());
        self.knocks.part();
        self.passed = false;
        let h = R::of(dt);
        match integrator {
            Integrator::ExplicitEuler => self.euler(model, state, scratch, dt),
            Integrator::SymplecticEuler => {
                forces::total_at_start(model, state, scratch, &mut self.forces);
                self.kick(model, state, h);
                self.constrain(model, state, dt);
                drift(state, h);
            }
            Integrator::LeapFrog => self.leap_frog(model, state, scratch, dt),
            Integrator::Verlet => self.verlet(model, state, scratch, dt),
            Integrator::Rk2 => self.runge_kutta(model, state, scratch, dt, &[(0.0, 0.0), (0.5, 1.0)]),
            _ => {
                let classical = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];
                self.runge_kutta(model, state, scratch, dt, &classical);
            }
        }
    }

    fn euler(&mut self, model: &Model<R>, state: &mut State<R>, scratch: &mut [BlockScratch<R>], dt: f64) {
        forces::total_at_start(model, state, scratch, &mut self.forces);
        // The held nodes get their new velocity before they move, so that they arrive where they must.
        self.constrain(model, state, dt);
        drift(state, R::of(dt));
        self.kick(model, state, R::of(dt));
        self.rest_on_surfaces(model, state, R::of(dt));
        self.hold(state);
    }

    fn leap_frog(&mut self, model: &Model<R>, state: &mut State<R>, scratch: &mut [BlockScratch<R>], dt: f64) {
        let half = R::of(0.5 * dt);
        // Held nodes move evenly over the whole step: with a new velocity for its second half alone, they would
        // have to catch up there what they missed in the first.
        self.find_held(model, state, dt);
        self.hold(state);
        drift(state, half);
        forces::total(model, (&state.u, &state.v, state.inner(0.0)), scratch, &mut self.forces);
        self.kick(model, state, R::of(dt));
        self.collide(model, state, half);
        self.hold(state);
        // Nodes keep this velocity until the middle of the next step.
        self.keep_apart(model, state, dt);
        drift(state, half);
    }

    fn verlet(&mut self, model: &Model<R>, state: &mut State<R>, scratch: &mut [BlockScratch<R>], dt: f64) {
        let half = R::of(0.5 * dt);
        if self.forces_of != Some((model.version, state.steps)) {
            forces::total(model, (&state.u, &state.v, state.inner(0.0)), scratch, &mut self.forces);
        }
        self.kick(model, state, half);
        self.constrain(model, state, dt);
        drift(state, R::of(dt));
        forces::total(model, (&state.u, &state.v, state.inner(0.0)), scratch, &mut self.forces);
        self.kick(model, state, half);
        // The second half of the kick must not leave nodes on a surface with a velocity into it.
        let Self { knocks, inverse_mass, .. } = self;
        knocks.keep_pressing();
        let unknowns = Unknowns { model, start: None, inverse_mass, way: dt, dt };
        (0..FEW_SWEEPS).for_each(|sweep| knocks.sweep(&unknowns, &mut state.v, sweep));
        self.rest_on_surfaces(model, state, R::of(dt));
        self.hold(state);
        self.forces_of = Some((model.version, state.steps + 1));
    }

    /// Explicit Runge–Kutta methods whose stage `i` starts from stage `i − 1` alone: `(c_i, b_i)` per stage.
    fn runge_kutta(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        scratch: &mut [BlockScratch<R>],
        dt: f64,
        tableau: &[(f64, f64)],
    ) {
        // Held nodes have their velocity in every stage: what they do to their neighbours counts for the order.
        self.find_held(model, state, dt);
        self.hold(state);
        self.start.du.clone_from(&state.u);
        self.start.dv.clone_from(&state.v);
        let (start_u, start_v) = (&self.start.du, &self.start.dv);
        self.stages.resize_with(tableau.len(), Stage::default);
        for (i, &(c, _)) in tableau.iter().enumerate() {
            if i > 0 {
                let (h, before) = (R::of(c * dt), &self.stages[i - 1]);
                par::for_each(&mut state.u, |n, u| *u = start_u[n] + before.du[n] * h);
                par::for_each(&mut state.v, |n, v| *v = start_v[n] + before.dv[n] * h);
            }
            forces::total(model, (&state.u, &state.v, state.inner(0.0)), scratch, &mut self.forces);
            let stage = &mut self.stages[i];
            stage.du.clone_from(&state.v);
            stage.dv.clone_from(&self.forces);
            par::for_each(&mut stage.dv, |n, dv| *dv = *dv * (R::one() / model.masses[n]));
            for held in &self.held {
                let dv = &mut stage.dv[held.node as usize];
                *dv = held.free * *dv;
            }
        }
        state.u.copy_from_slice(start_u);
        state.v.copy_from_slice(start_v);
        for (&(_, b), stage) in tableau.iter().zip(&self.stages) {
            let h = R::of(b * dt);
            par::for_each(&mut state.u, |n, u| *u += stage.du[n] * h);
            par::for_each(&mut state.v, |n, v| *v += stage.dv[n] * h);
        }
        self.land(model, state, dt);
    }

    /// Brings held and penetrating nodes where they belong after a step that ignored them.
    fn land(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        self.part_on_the_way(model, state, dt);
        let start = &self.start.du;
        for held in &self.held {
            let n = held.node as usize;
            let given = held.velocity - held.free * held.velocity;
            let moved = state.u[n] - start[n];
            state.u[n] = start[n] + held.free * moved + given * R::of(dt);
            state.v[n] = held.free * state.v[n] + given;
        }
        for (c, collider) in model.colliders.iter().enumerate() {
            for n in model.touchable(0..model.node_count()).map(|n| n as usize) {
                if !model.meets(n, c) {
                    continue;
                }
                let (friction, bounce) = (R::of(model.friction_on(n, c)), R::of(model.restitution_on(n, c)));
                // The whole step was free: what it passed is found along its way.
                let moved = (state.u[n] - start[n]) * R::of(1.0 / dt);
                let Some(plane) = collider.meet::<R>(&path(model, n, (start[n], moved), (state.time, dt))) else {
                    continue;
                };
                let depth = plane.least_normal_velocity(R::of(dt)) - plane.normal.dot(moved);
                if depth > R::zero() {
                    let on_surface = Plane { gap: R::zero(), ..plane };
                    state.v[n] = on_surface.resolve(state.v[n], R::of(dt), friction, bounce);
                    state.u[n] += plane.normal * (depth * R::of(dt));
                }
            }
        }
    }

    /// Keeps surfaces apart after a step that ignored them: the mean velocity of the step is what must not lead them
    /// through each other, and what changes it changes the velocity at the end.
    fn part_on_the_way(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        if !model.rows_needed() && model.ties.is_empty() {
            return;
        }
        let mut end = std::mem::take(&mut state.v);
        let mut start = std::mem::take(&mut self.start.du);
        let inverse = R::of(1.0 / dt);
        // The state as it would be had it moved evenly, and what is then changed about that.
        state.v = (0..start.len()).map(|n| (state.u[n] - start[n]) * inverse).collect();
        let even = state.v.clone();
        std::mem::swap(&mut state.u, &mut start);
        self.keep_apart(model, state, dt);
        std::mem::swap(&mut state.u, &mut start);
        for (n, v) in state.v.iter().enumerate() {
            end[n] += *v - even[n];
            state.u[n] += (*v - even[n]) * R::of(dt);
        }
        state.v = end;
        self.start.du = start;
    }

    /// Stops nodes that would pass a surface within `dt`.
    fn collide(&mut self, model: &Model<R>, state: &mut State<R>, dt: R) {
        for (c, collider) in model.colliders.iter().enumerate() {
            let floor = collider.floor::<R>();
            let is_far = |i: usize, u: Vec3<R>, v: Vec3<R>| {
                floor.is_some_and(|floor| floor.is_far((model.rest[i], u), v, (model.contact_radius(i), dt)))
            };
            self.strike(model, c, state, (dt, is_far), |(_, body), (_, v), path| {
                if collider.is_clear(path) || !model.bodies[body].groups.meet(&collider.groups) {
                    return v;
                }
                let Some(plane) = collider.meet::<R>(path) else { return v };
                let (friction, bounce) = (model.friction_between(body, c), model.restitution_between(body, c));
                plane.resolve(v, dt, R::of(friction), R::of(bounce))
            });
        }
    }

    /// Stops nodes that lie on a surface, or in it, from going further in.
    fn rest_on_surfaces(&mut self, model: &Model<R>, state: &mut State<R>, dt: R) {
        for (c, collider) in model.colliders.iter().enumerate() {
            self.strike(model, c, state, (dt, |_, _, _| false), |(i, body), (u, v), path| {
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
    }

    /// Gives nodes that can touch something, and are not far from it, the velocity that `after` makes of their own on a path of
    /// `dt`, and notes what the collider `c` has done to them, in the order of nodes.
    fn strike(
        &mut self,
        model: &Model<R>,
        c: usize,
        state: &mut State<R>,
        (dt, is_far): (R, impl Fn(usize, Vec3<R>, Vec3<R>) -> bool + Sync),
        after: impl Fn((usize, usize), (Vec3<R>, Vec3<R>), &Path) -> Vec3<R> + Sync,
    ) {
        let State { u, v, time, .. } = state;
        self.struck.resize_with(v.len().div_ceil(par::GRAIN), Vec::new);
        par::chunks_with(v, par::GRAIN, &mut self.struck, &|first, v, notes| {
            notes.clear();
            let mut body = model.body_index(first);
            for (i, v) in (first..).zip(v).filter(|(i, _)| model.is_touchable(*i)) {
                let before = *v;
                if is_far(i, u[i], before) {
                    continue;
                }
                while model.bodies[body].nodes.end <= i {
                    body += 1;
                }
                *v = after((i, body), (u[i], before), &path(model, i, (u[i], before), (*time, dt.to_f64())));
                let impulse = (*v - before) * model.masses[i];
                if *v - before != Vec3::zero() {
                    notes.push(note(model, (body, c), impulse, &path(model, i, (u[i], *v), (*time, 0.0))));
                }
            }
        });
        self.struck.iter().for_each(|notes| self.knocks.riding.notes.extend_from_slice(notes));
    }

    fn kick(&self, model: &Model<R>, state: &mut State<R>, h: R) {
        par::for_each(&mut state.v, |i, v| *v += self.forces[i] * (h / model.masses[i]));
    }

    /// Stops nodes at surfaces and gives held nodes the velocity that brings them where they must be after `dt`.
    fn constrain(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        self.collide(model, state, R::of(dt));
        self.find_held(model, state, dt);
        self.hold(state);
        self.keep_apart(model, state, dt);
    }

    /// Changes velocities so that no two surfaces pass each other within `dt`.
    fn keep_apart(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        if !model.rows_needed() && model.ties.is_empty() {
            return;
        }
        self.note_inverse_mass(model);
        self.knocks.skip_flat_edges(model.has_fine_skins());
        let near = Tolerances::of_velocities(model);
        self.knocks.begin(model, &state.u, &near);
        self.knocks.riding.begin_part(model, dt, 1.0);
        {
            let Self { knocks, inverse_mass, .. } = self;
            knocks.add_ties(&Unknowns { model, start: None, inverse_mass, way: dt, dt }, &state.u);
        }
        for round in 0..MAX_ROUNDS {
            let Self { knocks, inverse_mass, .. } = self;
            let unknowns = Unknowns { model, start: None, inverse_mass, way: dt, dt };
            if round == 0 || knocks.strayed(&unknowns, &state.v) > near.strayed {
                knocks.find(&unknowns, &state.v);
            }
            let worst = knocks.worst(&unknowns, &state.v);
            self.passed = worst > near.passed;
            let tied = round == 0 && !model.ties.is_empty();
            if worst <= near.missed && !tied {
                break;
            }
            for sweep in 0..MAX_SWEEPS {
                knocks.sweep(&unknowns, &mut state.v, sweep);
                if knocks.worst(&unknowns, &state.v) <= near.missed && !tied {
                    break;
                }
            }
            if !model.colliders.is_empty() {
                self.collide(model, state, R::of(dt));
                self.hold(state);
            }
        }
        let Self { knocks, inverse_mass, .. } = self;
        knocks.note_joined(model);
        knocks.end_part(&Unknowns { model, start: None, inverse_mass, way: dt, dt }, &state.u);
        knocks.riding.end_part(dt, 1.0);
    }

    fn note_inverse_mass(&mut self, model: &Model<R>) {
        self.inverse_mass.resize(model.node_count(), Vec3::zero());
        par::for_each(&mut self.inverse_mass, |i, w| *w = Vec3([R::one() / model.masses[i]; 3]));
        for held in &self.held {
            let w = &mut self.inverse_mass[held.node as usize];
            (0..3).for_each(|a| w.0[a] = w.0[a] * held.free.0[a][a]);
        }
    }

    /// Whether surfaces were kept apart in the last step.
    pub fn is_settled(&self) -> bool {
        !self.passed
    }

    /// The bodies that have pressed on each other in the last step.
    pub fn joined(&self) -> &[(usize, usize)] {
        self.knocks.joined()
    }

    fn find_held(&mut self, model: &Model<R>, state: &State<R>, dt: f64) {
        model.held_by_pins(&state.u, state.time + dt, dt, &mut self.held);
        model.hold_sleepers(state.rest.iter().map(|rest| rest.asleep), &mut self.held);
    }

    /// Verlet's forces, if the next step would use them; empty otherwise.
    pub fn kept_forces(&self, model: &Model<R>, state: &State<R>) -> &[Vec3<R>] {
        if self.forces_of == Some((model.version, state.steps)) { &self.forces } else { &[] }
    }

    /// Goes on with forces from [`Explicit::kept_forces`].
    pub fn recall_forces(&mut self, model: &Model<R>, state: &State<R>, forces: Vec<Vec3<R>>) {
        self.forces_of = (!forces.is_empty()).then_some((model.version, state.steps));
        self.forces = forces;
    }

    /// The next step must not use the forces of the last one.
    pub fn forget_forces(&mut self) {
        self.forces_of = None;
    }

    fn hold(&self, state: &mut State<R>) {
        for held in &self.held {
            let n = held.node as usize;
            state.v[n] = held.free * state.v[n] + held.velocity - held.free * held.velocity;
        }
    }
}

/// The path of a node from displacement `u` at velocity `v`.
fn path<R: Real>(model: &Model<R>, node: usize, (u, v): (Vec3<R>, Vec3<R>), (start, dt): (f64, f64)) -> Path {
    let (from, radius) = (model.place(node, u), model.contact_radius(node));
    Path { from, velocity: Vec3(v.to_f64()), radius, start, dt }
}

/// An impulse that a collider has given to a node of a body, which is on a path now.
fn note<R: Real>(model: &Model<R>, (body, c): (usize, usize), impulse: Vec3<R>, path: &Path) -> Note {
    let plane: Plane<f64> = model.colliders[c].nearest(path);
    let sides = (Partner::Body(body), Partner::Collider(c));
    Note { sides, impulse: Vec3(impulse.to_f64()), point: path.from, normal: plane.normal }
}

fn drift<R: Real>(state: &mut State<R>, h: R) {
    let State { u, v, .. } = state;
    par::for_each(u, |i, u| *u += v[i] * h);
}
