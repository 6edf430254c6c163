//! Position-based dynamics on springs, tetrahedra and phyxels.
//!
//! XPBD (Macklin et al. 2016) with the laws' own measures of deformation as constraints, whose compliance is
//! `1/(modulus · volume)`: when converged it is implicit Euler on the same energy, whatever the number of sweeps.
//! PBD (Müller et al. 2007) removes a fixed part of each violation, so its stiffness depends on the sweeps; it is
//! here for comparison. Elements of one colour share no node: they are solved in parallel and applied in order.
//! Contact is among the constraints: nodes on colliders (`ground.rs`), and surfaces on each other (`knock.rs`).

mod elements;
mod ground;

use super::colour::{Colouring, colour};
use super::knock::{Knocks, Tolerances, Unknowns};
use crate::material::{AnyLaw, Corotated, lame, with_law};
use crate::math::{Real, Vec3};
use crate::model::{Held, Model};
use crate::par;
use crate::report::StepReport;
use crate::scene::{Integrator, SolverSettings};
use crate::state::State;
use crate::stencil::block::Block;
use elements::{Sweep, sweep_block};
use ground::{Ground, Span};

/// Sweeps over contact alone that end a part of a step, and how often what they bring together is looked for.
const MAX_SWEEPS: usize = 30;
const MAX_ROUNDS: usize = 6;

/// Everything that position-based steps keep between steps.
pub struct Xpbd<R> {
    version: u64,
    colourings: Vec<Colouring>,
    /// Laws that PBD projects on; XPBD takes the blocks' own.
    pbd_laws: Vec<AnyLaw<R>>,
    multipliers: Vec<Vec<[R; 4]>>,
    deltas: Vec<Vec3<R>>,
    start: Vec<Vec3<R>>,
    external: Vec<Vec3<R>>,
    /// Inverse mass along each axis; zero where held.
    inverse_mass: Vec<Vec3<R>>,
    held: Vec<Held<R>>,
    ground: Ground<R>,
    pub(super) knocks: Knocks<R>,
    /// Surfaces were kept apart to the end of the last step.
    pub settled: bool,
}

impl<R: Real> Xpbd<R> {
    /// Room for a model.
    pub fn new(model: &Model<R>) -> Self {
        let zero = vec![Vec3::zero(); model.node_count()];
        let pbd_law = |block: &Block<R>| {
            if block.is_fibre() {
                return block.law;
            }
            let material = &model.bodies[block.body].material;
            let (lam, mu) = lame(material.young_modulus, material.poisson_ratio);
            AnyLaw::Corotated(Corotated { lam: R::of(lam), mu: R::of(mu) })
        };
        Xpbd {
            version: model.version,
            colourings: model.blocks.iter().map(|b| colour(b, model.node_count())).collect(),
            pbd_laws: model.blocks.iter().map(pbd_law).collect(),
            multipliers: model.blocks.iter().map(|b| vec![[R::zero(); 4]; b.len()]).collect(),
            deltas: Vec::new(),
            start: zero.clone(),
            external: zero.clone(),
            inverse_mass: zero,
            held: Vec::new(),
            ground: Ground::default(),
            knocks: Knocks::default(),
            settled: true,
        }
    }

    /// Moves the state on by one step.
    pub fn step(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        settings: &SolverSettings,
        dt: f64,
        report: &mut StepReport,
    ) {
        // Updated phyxels have other neighbours in every step, so other colours too.
        let updated = (0..model.bodies.len()).any(|b| model.is_updated(b));
        if self.version != model.version || updated {
            *self = Xpbd::new(model);
        }
        self.knocks.part();
        self.settled = true;
        let parts = settings.substeps;
        let h = dt / parts as f64;
        for part in 0..parts {
            let end = state.time + (part + 1) as f64 * h;
            self.part(model, state, settings, end, h);
            report.iterations += settings.iterations;
        }
        report.substeps += parts - 1;
        report.contacts = self.ground.touching() + self.knocks.touching();
    }

    fn part(&mut self, model: &Model<R>, state: &mut State<R>, settings: &SolverSettings, end: f64, h: f64) {
        model.held_by_pins(&state.u, end, h, &mut self.held);
        model.hold_sleepers(state.rest.iter().map(|rest| rest.asleep), &mut self.held);
        model.external_forces(&state.u, &mut self.external);
        self.predict(model, state, R::of(h));
        self.multipliers.iter_mut().for_each(|m| m.fill([R::zero(); 4]));
        let pbd = (settings.integrator == Integrator::Pbd).then(|| {
            // A violation that is removed in n sweeps by k' each has 1 − (1 − k')ⁿ of it removed (Müller 2007, 3.3).
            R::of(1.0 - (1.0 - settings.pbd_stiffness).powf(1.0 / settings.iterations as f64))
        });
        self.solve(model, state, settings, (end, h), pbd);
        super::settle(model, state, h);
        self.ground.note_rebounds(model, &state.v);
        let (start, inverse) = (&self.start, R::of(1.0 / h));
        let State { u, v, .. } = state;
        par::for_each(v, |i, v| *v = (u[i] - start[i]) * inverse);
        self.ground.rebound(v);
        for (body, &alpha) in model.bodies.iter().zip(&model.rayleigh_mass) {
            if alpha > R::zero() {
                let keep = R::one() / (R::one() + alpha * R::of(h));
                par::for_each(&mut v[body.nodes.clone()], |_, v| *v = *v * keep);
            }
        }
    }

    /// Sweeps over elements, pairs of surfaces and colliders in turn.
    fn solve(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        settings: &SolverSettings,
        (end, h): (f64, f64),
        pbd: Option<R>,
    ) {
        let among = model.rows_needed() || !model.ties.is_empty();
        self.ground.begin();
        let scale = h;
        if among {
            self.knocks.begin(model, &self.start, &Tolerances::of(model));
            self.knocks.riding.begin_part(model, h, scale);
            let (start, inverse_mass) = (&self.start[..], &self.inverse_mass[..]);
            let unknowns = Unknowns { model, start: Some(start), inverse_mass, way: 1.0, dt: h };
            self.knocks.add_ties(&unknowns, start);
        }
        for round in 0..settings.iterations {
            self.sweep(model, state, R::of(h), pbd);
            let (start, inverse_mass) = (&self.start[..], &self.inverse_mass[..]);
            let unknowns = Unknowns { model, start: Some(start), inverse_mass, way: 1.0, dt: h };
            let span = Span { start, inverse_mass, h: R::of(h), end };
            if among && round == 0 {
                self.knocks.find(&unknowns, &state.u);
            }
            if among {
                self.knocks.sweep(&unknowns, &mut state.u, round);
            }
            self.ground.sweep(model, &span, &mut state.u);
        }
        if among {
            self.keep_apart(model, &mut state.u, (end, h));
        }
        self.ground.note(model, &state.u, h, &mut self.knocks.riding.notes);
    }

    /// Surfaces have the last word: sweeps over them alone until none comes too near another, on the way or at its end.
    fn keep_apart(&mut self, model: &Model<R>, u: &mut [Vec3<R>], (end, h): (f64, f64)) {
        let start = &self.start;
        let unknowns = Unknowns { model, start: Some(start), inverse_mass: &self.inverse_mass, way: 1.0, dt: h };
        let span = Span { start, inverse_mass: &self.inverse_mass, h: R::of(h), end };
        let near = Tolerances::of(model);
        let mut worst = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            for round in 0..MAX_SWEEPS {
                if self.knocks.worst(&unknowns, u) < near.missed {
                    break;
                }
                self.knocks.sweep(&unknowns, u, round);
                self.ground.sweep(model, &span, u);
            }
            if self.knocks.strayed(&unknowns, u) > near.strayed {
                self.knocks.find(&unknowns, u);
            }
            worst = self.knocks.worst(&unknowns, u);
            if worst < near.missed {
                break;
            }
        }
        self.settled &= worst < near.passed;
        self.knocks.note_joined(model);
        self.knocks.end_part(&unknowns, u);
        self.knocks.riding.end_part(h, h);
    }

    /// The bodies that have pressed on each other in the last step.
    pub fn joined(&self) -> &[(usize, usize)] {
        self.knocks.joined()
    }

    fn predict(&mut self, model: &Model<R>, state: &mut State<R>, h: R) {
        self.start.copy_from_slice(&state.u);
        par::for_each(&mut self.inverse_mass, |i, w| *w = Vec3([R::one() / model.masses[i]; 3]));
        let (external, w) = (&self.external, &self.inverse_mass);
        let State { u, v, .. } = state;
        par::for_each(u, |i, u| *u += (v[i] + external[i] * (h * w[i].0[0])) * h);
        for held in &self.held {
            let n = held.node as usize;
            let moved = state.u[n] - self.start[n];
            let given = held.velocity - held.free * held.velocity;
            state.u[n] = self.start[n] + held.free * moved + given * h;
            for axis in 0..3 {
                self.inverse_mass[n].0[axis] = self.inverse_mass[n].0[axis] * held.free.0[axis][axis];
            }
        }
    }

    fn sweep(&mut self, model: &Model<R>, state: &mut State<R>, h: R, pbd: Option<R>) {
        let State { u, grains, .. } = state;
        for (k, block) in model.blocks.iter().enumerate() {
            let grains = grains.get(k).map_or(&[][..], |g| g);
            let sweep = Sweep { model, grains, inverse_mass: &self.inverse_mass, start: &self.start, h, pbd };
            let law = if pbd.is_some() { &self.pbd_laws[k] } else { &block.law };
            let (colouring, multipliers) = (&self.colourings[k], &mut self.multipliers[k]);
            with_law!(law, law => sweep_block(&sweep, block, law, colouring, multipliers, &mut self.deltas, u));
        }
    }
}
