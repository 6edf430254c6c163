//! From forces to motion: explicit, implicit, quasi-static and position-based steps.

mod aftermath;
mod coarse;
pub mod colour;
pub(crate) mod engine;
mod explicit;
pub mod forces;
mod gather;
mod guard;
mod implicit;
mod knock;
mod ledger;
pub mod momentum;
mod press;
mod regrow;
mod riders;
mod riding;
mod row;
mod sleep;
pub mod stable_step;
mod stretch;
mod strike;
mod system;
pub mod touch;
mod xpbd;

pub use engine::{Built, Divert, Engine, divert};
pub use guard::StepError;
pub use implicit::{Inertia, STILL};
pub use ledger::{ContactForce, Partner};
pub use sleep::Rest;
pub use touch::Touch;

use crate::material::plastic::{FROZEN, Grain};
use crate::math::cg::dot;
use crate::math::{FactorError, Mat3, Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::report::StepReport;
use crate::rigid::{RigidState, World};
use crate::scene::{Integrator, SolverSettings};
use crate::state::State;
use crate::stencil::block::BlockScratch;
use explicit::Explicit;
use implicit::Implicit;
use implicit::schemes::{bdf2, equilibrium, implicit_euler, midpoint};
use ledger::Ledger;
use momentum::Momentum;
use riding::Riding;
use sleep::Sleep;
use stable_step::Lanczos;
use stretch::Speeds;
use xpbd::Xpbd;

/// Explicit steps between two estimates of the stable step.
const STEPS_PER_ESTIMATE: u64 = 1024;
/// The same for matter that flows, whose elements become shorter and shorter.
const STEPS_PER_ESTIMATE_OF_FLOW: u64 = 128;
/// By how much the logarithm of the stiffness of rebuilt stencils may exceed that of an estimate: the stable step is then a
/// twentieth shorter. Where they have become softer, steps that are a sixth too short do no harm.
const SAME_STIFFNESS: f64 = 0.1;
const SOFTER: f64 = 0.3;

/// Moves a state; keeps everything that is worth keeping between steps.
pub struct Solver<R: Real> {
    /// How.
    pub settings: SolverSettings,
    scratch: Vec<BlockScratch<R>>,
    kind: Kind<R>,
    stage: (Vec<Vec3<R>>, Vec<Vec3<R>>),
    stable: Option<(u64, u64, f64)>,
    /// How stiff rebuilt stencils were when the stable step was found; see [`stable_step::stiffness_of_stencils`].
    stencils: f64,
    /// How fast matter was then.
    speeds: Speeds,
    lanczos: Lanczos<R>,
    /// Momentum of each body at the start of the step, if nothing but gravity and other bodies can change it.
    momenta: Vec<Option<Momentum>>,
    /// For each body the first of those that it hangs together with by contact.
    clusters: Vec<usize>,
    guard: guard::Guard<R>,
    /// Rigid bodies, if there are any.
    world: Option<World>,
    /// What the present solve has done to each rigid body: impulses, linear and about its centre of mass.
    rigid_impulses: Vec<(Vec3<f64>, Vec3<f64>)>,
    /// What rigid bodies have done to each body [N s]; `None` where they do not touch.
    from_rigid: Vec<Option<Vec3<f64>>>,
    ledger: Ledger,
    sleep: Sleep,
    /// Bodies that pressed on each other in the last accepted part of a step.
    touching: Vec<(usize, usize)>,
}

/// What a step takes from earlier ones and cannot find in the state; part of every snapshot.
#[derive(Debug)]
pub struct Kept<R> {
    /// The stable step of this era [s].
    pub stable: Option<f64>,
    /// How stiff the stencils were for which it was found, where they are rebuilt.
    pub stencils: f64,
    /// How fast each body was then, over the speed of waves.
    pub speeds: Vec<f64>,
    /// Verlet's forces at the end of the last step [N]; empty for everything else.
    pub forces: Vec<Vec3<R>>,
    /// Nodes that touched something in the last implicit step.
    pub touches: Vec<Touch<R>>,
    /// Pairs of surface parts that pressed on each other then, with their impulses [N s].
    pub presses: Vec<(u64, R, Vec3<R>)>,
    /// The world of the rigid bodies.
    pub world: Vec<u8>,
}

enum Kind<R> {
    Explicit(Box<Explicit<R>>),
    Implicit(Box<Implicit<R>>),
    Positions(Box<Xpbd<R>>),
}

impl<R: Real> Kind<R> {
    /// Rigid bodies and ties, where contact is solved by impulses.
    fn riding(&self) -> Option<&Riding<R>> {
        match self {
            Kind::Implicit(_) => None,
            Kind::Positions(xpbd) => Some(&xpbd.knocks.riding),
            Kind::Explicit(explicit) => Some(&explicit.knocks.riding),
        }
    }
}

impl<R: Real> Solver<R> {
    /// A solver for a model.
    pub fn new(model: &Model<R>, settings: SolverSettings, world: Option<World>) -> Result<Self, FactorError> {
        let kind = match settings.integrator {
            Integrator::ImplicitEuler | Integrator::ImplicitMidpoint | Integrator::Bdf2 | Integrator::QuasiStatic => {
                Kind::Implicit(Box::new(Implicit::new(model, &settings)?))
            }
            Integrator::Pbd | Integrator::Xpbd => Kind::Positions(Box::new(Xpbd::new(model))),
            _ => Kind::Explicit(Box::default()),
        };
        let zero = vec![Vec3::zero(); model.node_count()];
        Ok(Solver {
            settings,
            scratch: model.blocks.iter().map(|_| BlockScratch::default()).collect(),
            kind,
            stage: (zero.clone(), zero),
            stable: None,
            stencils: 0.0,
            speeds: Speeds::default(),
            lanczos: Lanczos::default(),
            momenta: Vec::new(),
            clusters: Vec::new(),
            guard: guard::Guard::default(),
            world,
            rigid_impulses: vec![Default::default(); model.rigid.len()],
            from_rigid: Vec::new(),
            ledger: Ledger::default(),
            sleep: Sleep::default(),
            touching: Vec::new(),
        })
    }

    /// Takes one step of `dt`, in as many parts as stability demands; a part that goes wrong is rolled back and
    /// halved.
    pub fn advance(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let mut guard = std::mem::take(&mut self.guard);
        self.ledger.clear();
        let sleeps = self.settings.sleep_speed > 0.0 && self.settings.integrator != Integrator::QuasiStatic;
        if sleeps {
            self.sleep.wake(model, state, dt);
        }
        let result = if sleeps && self.everything_sleeps(state) {
            state.time += dt;
            state.steps += 1;
            report.contacts = self.sleep.resting().iter().map(|f| f.places).sum();
            Ok(())
        } else {
            guard.advance(self, model, state, dt, report)
        };
        self.guard = guard;
        self.ledger.close(dt, self.sleep.resting());
        if sleeps {
            let (forces, speed) = (self.ledger.forces(), self.settings.sleep_speed);
            self.sleep.after(model, state, forces, &self.touching, (speed, dt));
        }
        report.steps += 1;
        report.dt += dt;
        result
    }

    /// The largest stable explicit step now [s]; estimated anew from time to time, because stretched matter stiffens.
    pub fn stable_step(&mut self, model: &Model<R>, state: &State<R>) -> f64 {
        let era = self.era(model, state);
        self.speeds.look(model, state);
        let known = self.stable.filter(|(version, known_era, _)| (*version, *known_era) == (model.version, era));
        if let Some((.., limit)) = known.filter(|_| !self.speeds.have_risen()) {
            return limit;
        }
        self.speeds.note(known.is_some());
        let Self { settings, scratch, lanczos, speeds, .. } = self;
        let now =
            stable_step::stable_step(model, (&state.u, state.inner(FROZEN)), scratch, lanczos, settings.integrator);
        let stretched = stable_step::when_stretched(model, state, speeds, scratch, lanczos, settings.integrator);
        let limit = now.min(stretched);
        self.stable = Some((model.version, era, limit));
        limit
    }

    /// Takes note of stencils that were built anew: forces on them are others, and perhaps the stable step.
    pub(crate) fn stencils_changed(&mut self, model: &Model<R>) {
        if let Kind::Explicit(explicit) = &mut self.kind {
            explicit.forget_forces();
            let now = stable_step::stiffness_of_stencils(model, &mut self.lanczos);
            if now - self.stencils > SAME_STIFFNESS || self.stencils - now > SOFTER {
                self.stencils = now;
            }
        }
    }

    /// Within one era the stable step is not estimated anew. It ends where plastic flow has shortened elements, or where
    /// rebuilt stencils have become stiffer, so much that the stable step is a twentieth shorter.
    fn era(&self, model: &Model<R>, state: &State<R>) -> u64 {
        let flow = |grains: &Vec<Grain<R>>| {
            par::max(grains.len(), 0.0, |e| (Mat3::identity() + grains[e].offset).norm().to_f64())
        };
        // What flows in phyxels without a rest shape is shown by their stencils.
        let kept = model.blocks.iter().zip(&state.grains).filter(|(block, _)| !model.is_updated(block.body));
        let largest = kept.map(|(_, grains)| flow(grains)).fold(0.0, f64::max);
        if largest == 0.0 && state.enthalpy.is_empty() {
            return (state.steps / STEPS_PER_ESTIMATE).wrapping_add(self.stencils.to_bits());
        }
        let growth = (largest.max(1.0).ln() / 0.05) as u64;
        (state.steps / STEPS_PER_ESTIMATE_OF_FLOW * 10_000 + growth).wrapping_add(self.stencils.to_bits())
    }

    fn stiffest_body(&mut self, model: &Model<R>, state: &State<R>) -> String {
        stable_step::stiffest_body(model, (&state.u, state.inner(FROZEN)), &mut self.scratch)
    }

    /// What the next step takes from earlier ones and cannot find in the state.
    pub(crate) fn kept(&self, model: &Model<R>, state: &State<R>) -> Kept<R> {
        let era = self.era(model, state);
        let stable = self.stable.filter(|s| (s.0, s.1) == (model.version, era)).map(|s| s.2);
        let forces = match &self.kind {
            Kind::Explicit(explicit) => explicit.kept_forces(model, state).to_vec(),
            _ => Vec::new(),
        };
        let touches = match &self.kind {
            Kind::Implicit(implicit) => implicit.touches.clone(),
            _ => Vec::new(),
        };
        let presses = match &self.kind {
            Kind::Implicit(implicit) => implicit.presses().to_vec(),
            _ => Vec::new(),
        };
        let world = self.world.as_ref().map_or(Vec::new(), World::to_bytes);
        Kept { stable, stencils: self.stencils, speeds: self.speeds.known.clone(), forces, touches, presses, world }
    }

    /// Goes on with what [`Solver::kept`] gave at this state.
    pub(crate) fn recall(&mut self, model: &Model<R>, state: &State<R>, kept: Kept<R>) {
        if let Some(world) = &mut self.world {
            world.restore(&kept.world);
        }
        (self.stencils, self.speeds.known) = (kept.stencils, kept.speeds);
        self.stable = kept.stable.map(|limit| (model.version, self.era(model, state), limit));
        match &mut self.kind {
            Kind::Explicit(explicit) => explicit.recall_forces(model, state, kept.forces),
            Kind::Implicit(implicit) => implicit.recall(kept.touches, kept.presses),
            Kind::Positions(_) => {}
        }
    }

    /// Sets `out` to all forces now [N].
    pub fn forces(&mut self, model: &Model<R>, state: &State<R>, out: &mut [Vec3<R>]) {
        forces::total(model, (&state.u, &state.v, state.inner(0.0)), &mut self.scratch, out);
    }

    /// Room for the forces at the end of a step, where the next one begins with them; empty where it does not.
    pub(crate) fn rooms_for_forces(&mut self) -> &mut [BlockScratch<R>] {
        match self.settings.integrator {
            Integrator::SymplecticEuler | Integrator::ExplicitEuler => &mut self.scratch,
            _ => &mut [],
        }
    }

    /// Rigid bodies as they are now.
    pub fn rigid_states(&self, out: &mut Vec<RigidState>) {
        if let Some(world) = &self.world {
            world.states(out);
        }
    }

    /// Who pressed on whom in the last step.
    pub fn contacts(&self) -> &[ContactForce] {
        self.ledger.forces()
    }

    /// Whether contact among bodies was solved to the end in the last step; if not, surfaces may have passed each other.
    fn is_settled(&self) -> bool {
        match &self.kind {
            Kind::Implicit(implicit) => implicit.settled,
            Kind::Positions(xpbd) => xpbd.settled,
            Kind::Explicit(explicit) => explicit.is_settled(),
        }
    }

    /// Whether every number of the state is finite after a step.
    fn is_finite(&self, state: &State<R>) -> bool {
        let flow = |g: &Vec<Grain<R>>| par::sum(g.len(), |e| g[e].offset.contract(&g[e].offset).to_f64()).is_finite();
        let looked_at = match &self.kind {
            Kind::Explicit(explicit) if self.momenta.is_empty() => explicit.finite,
            _ => None,
        };
        // One NaN or infinity anywhere makes both sums not finite.
        let all = || dot(&state.u, &state.u).is_finite() && dot(&state.v, &state.v).is_finite();
        looked_at.unwrap_or_else(all) && state.grains.iter().all(flow)
    }

    /// Forgets the contacts of a step that was rolled back.
    fn forget_contacts(&mut self) {
        if let Kind::Implicit(implicit) = &mut self.kind {
            implicit.recall(Vec::new(), Vec::new());
        }
    }

    /// Whether steps must be cut to stay stable.
    pub fn is_explicit(&self) -> bool {
        matches!(self.kind, Kind::Explicit(_))
    }

    /// One step of `dt` with at least so many Newton iterations, without any guard.
    fn patient_step(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        (dt, iterations): (f64, usize),
        report: &mut StepReport,
    ) -> Result<(), FactorError> {
        let asked = self.settings.newton_iterations;
        self.settings.newton_iterations = asked.max(iterations);
        let result = self.plain_step(model, state, dt, report);
        self.settings.newton_iterations = asked;
        result
    }

    /// One step of `dt`, without any guard.
    fn plain_step(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), FactorError> {
        self.note_momenta(model, state, dt);
        self.rigid_impulses.fill(Default::default());
        self.from_rigid.clear();
        let times = self.times();
        let Self { settings, scratch, kind, stage, .. } = self;
        match kind {
            Kind::Implicit(implicit) => {
                implicit.riders.asleep.clear();
                implicit.riders.asleep.extend(state.rest.iter().map(|rest| rest.asleep));
                implicit.riders.refresh(self.world.as_ref(), model, &state.torn, dt / times);
            }
            Kind::Positions(xpbd) => xpbd.knocks.riding.begin(model, &state.rigid, &state.torn),
            Kind::Explicit(explicit) => explicit.knocks.riding.begin(model, &state.rigid, &state.torn),
        }
        match kind {
            Kind::Explicit(explicit) => explicit.step(settings.integrator, model, state, scratch, dt),
            Kind::Positions(xpbd) => xpbd.step(model, state, settings, dt, report),
            Kind::Implicit(implicit) => match settings.integrator {
                Integrator::ImplicitMidpoint => midpoint(implicit, model, state, settings, scratch, dt, report)?,
                Integrator::Bdf2 => bdf2(implicit, model, state, (settings, scratch, stage), dt, report)?,
                Integrator::QuasiStatic => equilibrium(implicit, model, state, (settings, scratch, stage), dt, report)?,
                _ => implicit_euler(implicit, model, state, settings, scratch, dt, report)?,
            },
        }
        if !matches!(kind, Kind::Positions(_)) {
            settle(model, state, dt);
        }
        if let Kind::Explicit(explicit) = kind
            && model.blocks.iter().any(|b| b.inner.flows() && !b.inner.returns())
        {
            // What was absorbed at the end of the step must not push at the start of the next.
            explicit.forget_forces();
        }
        self.collect_rigid_impulses(model);
        report.substeps += 1;
        state.time += dt;
        state.steps += 1;
        self.restore_momenta(model, state, dt);
        Ok(())
    }

    /// Whether nothing needs to be looked at in a step.
    fn everything_sleeps(&self, state: &State<R>) -> bool {
        let rigid = self.world.as_ref().is_none_or(|w| (0..state.rigid.len()).all(|body| w.sleeps(body)));
        rigid && !state.rest.is_empty() && state.rest.iter().all(|rest| rest.asleep)
    }

    /// Notes the momenta that each free body must have after `dt`.
    fn note_momenta(&mut self, model: &Model<R>, state: &State<R>, dt: f64) {
        self.momenta.clear();
        // Symplectic methods keep both by themselves; equilibrium has none.
        let needless =
            self.settings.integrator == Integrator::QuasiStatic || (self.is_symplectic(model) && !model.rows_needed());
        if !self.settings.conserve_momentum || needless {
            return;
        }
        for (index, body) in model.bodies.iter().enumerate() {
            let free = !state.rest.get(index).is_some_and(|rest| rest.asleep)
                && !model.loads.loaded_bodies[index]
                && !model.pins.iter().any(|p| p.body == index)
                && body.mass == crate::scene::MassKind::Lumped
                && body.fragile.as_ref().is_none_or(|f| f.debris.is_empty())
                && model.rayleigh_mass[index] == R::zero()
                && clear_of_colliders(model, body, state, dt);
            self.momenta.push(free.then(|| momentum::of_body(model, body, &state.u, &state.v)));
        }
    }

    /// Gives bodies, or clusters of bodies that press on each other, the momenta that they must have after `dt`.
    fn restore_momenta(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        if self.momenta.is_empty() {
            return;
        }
        self.find_clusters(model);
        let gravity = Vec3(model.loads.gravity.to_f64());
        let State { u, v, .. } = state;
        let symplectic = self.is_symplectic(model);
        let (clusters, momenta) = (&self.clusters, &self.momenta);
        for first in 0..clusters.len() {
            let members = || (first..clusters.len()).filter(move |&b| clusters[b] == first);
            let alone = members().count() < 2;
            if members().next() != Some(first) || members().any(|b| momenta[b].is_none()) || (symplectic && alone) {
                continue;
            }
            let join = |sum: Option<Momentum>, m: Momentum| Some(sum.map_or(m, |sum| sum.join(&m)));
            let before = members().filter_map(|b| momenta[b]).fold(None, join);
            let now = members().map(|b| momentum::of_body(model, &model.bodies[b], u, v)).fold(None, join);
            if let (Some(before), Some(now)) = (before, now) {
                let pushes = || members().filter_map(|b| self.from_rigid.get(b).copied().flatten());
                let pushed = pushes().fold(before.linear, |sum, push| sum + push);
                // What a rigid body does to the spin is left as the solve found it.
                let angular = if pushes().next().is_some() { now.angular } else { before.angular };
                let target = (pushed + gravity * (before.mass * dt), angular, dt);
                momentum::restore(model, members().map(|b| &model.bodies[b]), &now, (u, v), target);
            }
        }
    }

    /// Notes which bodies press on each other.
    fn find_clusters(&mut self, model: &Model<R>) {
        self.find_touching(model);
        let Self { clusters, touching, .. } = self;
        clusters.clear();
        clusters.extend(0..model.bodies.len());
        for &(a, b) in touching.iter() {
            let (low, high) = (clusters[a].min(clusters[b]), clusters[a].max(clusters[b]));
            if low != high {
                clusters.iter_mut().filter(|c| **c == high).for_each(|c| *c = low);
            }
        }
    }

    /// Whether steps keep both momenta of a body by themselves, as long as nothing touches it. Rayleigh's damping takes
    /// spin from a strained body.
    fn is_symplectic(&self, model: &Model<R>) -> bool {
        let symplectic =
            matches!(self.settings.integrator, Integrator::SymplecticEuler | Integrator::LeapFrog | Integrator::Verlet);
        symplectic && !model.blocks.iter().any(|b| b.is_damped())
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let tangents: usize = self.scratch.iter().map(BlockScratch::memory_bytes).sum();
        let kind = match &self.kind {
            Kind::Implicit(implicit) => implicit.memory_bytes(),
            _ => 2 * size_of::<Vec3<R>>() * self.stage.0.len(),
        };
        tangents + kind + 4 * size_of::<Vec3<R>>() * self.stage.0.len()
    }
}

/// Whether nothing of a body can reach a surface within `dt`, even at twice its present speed.
fn clear_of_colliders<R: Real>(model: &Model<R>, body: &crate::model::BodyModel, state: &State<R>, dt: f64) -> bool {
    let first = body.nodes.start;
    let fall = Vec3(model.loads.gravity.to_f64()).norm() * dt;
    model.colliders.iter().all(|collider| {
        let closest = par::max(body.nodes.len(), f64::NEG_INFINITY, |i| {
            let n = first + i;
            let x = model.place(n, state.u[n]);
            let gap = collider.distance(x, state.time) - model.contact_radius(n);
            2.0 * dt * (state.v[n].norm().to_f64() + fall) + dt * collider.speed(x) - gap
        });
        closest < 0.0
    })
}

/// Lets the elements that remember something flow for `dt` at the end of a step.
fn settle<R: Real>(model: &Model<R>, state: &mut State<R>, dt: f64) {
    let State { u, grains, .. } = state;
    for (block, grains) in model.blocks.iter().zip(grains) {
        if !grains.is_empty() {
            block.settle(u, grains, R::of(dt));
        }
    }
}

/// Total energy that can go wrong: kinetic plus what laws store [J]. The little that stabilisation stores is left out: it
/// would take as long to find as all the rest, in every step.
fn explosive_energy<R: Real>(model: &Model<R>, state: &State<R>) -> f64 {
    let soft = model.kinetic_energy(&state.v) + forces::strain_energy(model, &state.u, state.inner(0.0));
    soft + rigid_kinetic_energy(model, &state.rigid)
}

/// Energy of the motion of rigid bodies [J].
pub(crate) fn rigid_kinetic_energy<R: Real>(model: &Model<R>, states: &[RigidState]) -> f64 {
    let of = |(body, state): (&crate::model::RigidModel, &RigidState)| {
        0.5 * (body.mass.mass * state.velocity.norm_squared() + state.spin.dot(state.inertia * state.spin))
    };
    model.rigid.iter().zip(states).map(of).sum()
}
