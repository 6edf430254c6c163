//! Implicit steps: Newton's method on the equations of motion, with pins and contact inside.

use super::forces;
use super::system::{Scales, SystemMatrix, filter};
use super::touch::{self, Stage, Touch};
use crate::material::{AnyLaw, Curvature};
use crate::math::cg::{self, Stop};
use crate::math::{FactorError, Factorisation, Mat3, Real, Vec3};
use crate::model::{Held, Model};
use crate::par;
use crate::report::StepReport;
use crate::scene::{LinearSolver, SolverSettings};
use crate::stencil::block::{Block, BlockScratch, TangentMix};

/// Meshes up to this many nodes are factored when every law is linear; beyond, fill-in outgrows iterations.
const MAX_AUTO_DIRECT: usize = 20_000;
/// Solves per linearisation until the contact set must have settled: with colliders alone, and among bodies, whose
/// impulses settle more slowly.
const MAX_CONTACT_ROUNDS: usize = 6;
const MAX_PRESS_ROUNDS: usize = 20;
/// Part of the distance kept between surfaces by which one step may miss it.
const MISSED: f64 = 0.05;

/// Everything that implicit steps keep between steps.
pub struct Implicit<R> {
    matrix: SystemMatrix<R>,
    /// What the present matrix was built from; a constant one is kept.
    matrix_of: Option<(u64, u64, bool)>,
    /// What the present factors were built with.
    factored_with: Vec<(u32, Mat3<R>)>,
    factors_valid: bool,
    /// Whether the matrix does not depend on the state.
    constant: bool,
    /// Which tangents the present matrix is made of.
    curvature: Curvature,
    /// The solution: velocities at the end of the stage.
    pub v: Vec<Vec3<R>>,
    external: Vec<Vec3<R>>,
    forces: Vec<Vec3<R>>,
    b: Vec<Vec3<R>>,
    rhs: Vec<Vec3<R>>,
    q: Vec<Vec3<R>>,
    u: Vec<Vec3<R>>,
    last: Vec<Vec3<R>>,
    /// Nodes held by pins in the last stage.
    pub pins: Vec<Held<R>>,
    held: Vec<Held<R>>,
    /// Nodes in contact.
    pub touches: Vec<Touch<R>>,
    /// Contact among bodies was solved to the end in the last step.
    pub settled: bool,
    mass_scales: Vec<R>,
    penalty_scales: Vec<R>,
}

/// What kind of equations a stage solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inertia {
    /// Motion: mass and damping count.
    Dynamic,
    /// Equilibrium: neither does, and `gamma` is one, so that velocities are displacements.
    Static,
}

impl<R: Real> Implicit<R> {
    /// Room for a model; fails when the chosen direct solver cannot be set up.
    pub fn new(model: &Model<R>, settings: &SolverSettings) -> Result<Self, FactorError> {
        let constant = is_constant(model);
        let assembled = model.blocks.iter().all(|b| b.is_assembled());
        let direct = match settings.linear {
            LinearSolver::Cholesky => Some(Factorisation::Cholesky),
            LinearSolver::Lu => Some(Factorisation::Lu),
            LinearSolver::Auto if constant && assembled && model.node_count() <= MAX_AUTO_DIRECT => {
                Some(Factorisation::Cholesky)
            }
            _ => None,
        };
        let zero = vec![Vec3::zero(); model.node_count()];
        Ok(Implicit {
            matrix: SystemMatrix::new(model, direct)?,
            matrix_of: None,
            factored_with: Vec::new(),
            factors_valid: false,
            constant,
            curvature: Curvature::Psd,
            v: zero.clone(),
            external: zero.clone(),
            forces: zero.clone(),
            b: zero.clone(),
            rhs: zero.clone(),
            q: zero.clone(),
            u: zero.clone(),
            last: zero,
            pins: Vec::new(),
            held: Vec::new(),
            touches: Vec::new(),
            settled: true,
            mass_scales: Vec::new(),
            penalty_scales: Vec::new(),
        })
    }

    /// Solves one stage from the first guess in `self.v`; the result is left there.
    pub fn solve(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        settings: &SolverSettings,
        scratch: &mut [BlockScratch<R>],
        report: &mut StepReport,
    ) -> Result<(), FactorError> {
        model.held_by_pins(stage.u, stage.end_time, stage.over.to_f64(), &mut self.pins);
        touch::seed(model, (stage, &self.pins), &self.v, inertia, &mut self.touches);
        self.set_scales(model, stage, inertia);
        let newton =
            if inertia == Inertia::Static { settings.newton_iterations.max(50) } else { settings.newton_iterations };
        let keeps_damping = newton > 1 && inertia == Inertia::Dynamic;
        self.freeze_damping(model, stage, keeps_damping, scratch);
        model.external_forces(stage.u, &mut self.external);
        let mut reference = 0.0;
        let mut exact_failed = false;
        for k in 0..newton {
            report.newton_iterations += 1;
            // Projected tangents always lead downhill, but where rotations are large they make Newton's method crawl:
            // equilibria are approached with the true ones as long as those help.
            let exact = k > 0 && inertia == Inertia::Static && !std::mem::take(&mut exact_failed);
            self.curvature = if exact { Curvature::Exact } else { Curvature::Psd };
            self.linearise(model, stage, k, inertia, scratch);
            if k == 0 {
                self.begin_press(model, stage, inertia);
            } else {
                self.matrix.precondition_rows();
            }
            if k > 0 {
                let residual = self.residual(model, stage, inertia, scratch);
                report.newton_residual = residual / reference;
                if residual <= settings.newton_tolerance * reference || reference == 0.0 {
                    break;
                }
            }
            self.last.copy_from_slice(&self.v);
            // Newton's own tolerance bounds how exact its steps need to be.
            let least = 0.1 * settings.newton_tolerance / settings.tolerance * reference;
            let mut solved = self.solve_with_contact(model, stage, settings, (&mut *scratch, least), report);
            if exact && solved == Err(FactorError::Singular) {
                self.curvature = Curvature::Psd;
                self.linearise(model, stage, k, inertia, scratch);
                solved = self.solve_with_contact(model, stage, settings, (&mut *scratch, least), report);
            }
            let start = solved?;
            if k == 0 {
                reference = start;
            } else if !self.search(model, stage, inertia, scratch) {
                if self.curvature == Curvature::Psd {
                    break;
                }
                exact_failed = true;
            }
        }
        if newton == 1 {
            report.newton_residual = report.residual;
        }
        let missed = missed(model, stage);
        self.matrix.press.end(&self.v, missed);
        report.contacts = self.touches.len() + self.matrix.press.touching();
        Ok(())
    }

    /// Pairs of surface parts that pressed on each other in the last step, with their impulses.
    pub fn presses(&self) -> &[(u64, R, Vec3<R>)] {
        self.matrix.press.memory()
    }

    /// Goes on with the contacts of an earlier step.
    pub fn recall(&mut self, touches: Vec<Touch<R>>, presses: Vec<(u64, R, Vec3<R>)>) {
        self.touches = touches;
        self.matrix.press.recall(presses);
    }

    /// The bodies that press on each other, pair after pair.
    pub fn touching_bodies<'a>(&'a self, model: &'a Model<R>) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.matrix.press.touching_bodies(model)
    }

    /// Finds the pairs of surface parts that meet if bodies fall freely.
    fn begin_press(&mut self, model: &Model<R>, stage: &Stage<'_, R>, inertia: Inertia) {
        if !model.surface.is_needed() {
            return;
        }
        let fall = if inertia == Inertia::Dynamic { model.loads.gravity * stage.gamma } else { Vec3::zero() };
        let Self { matrix, v, q, .. } = self;
        par::for_each(q, |i, q| *q = v[i] + fall);
        let mut press = std::mem::take(&mut matrix.press);
        press.begin(model, stage, q, matrix.diagonal());
        matrix.press = press;
        matrix.precondition_rows();
    }

    /// Looks for pairs that the present velocities bring together and that are not watched yet.
    fn add_meeting(&mut self, model: &Model<R>, stage: &Stage<'_, R>) -> bool {
        let Self { matrix, v, .. } = self;
        let mut press = std::mem::take(&mut matrix.press);
        let added = press.add_meeting(model, stage, v, matrix.diagonal());
        matrix.press = press;
        added
    }

    /// Gives pinned nodes the velocity of their pins over the last stage.
    pub fn hold(&self, v: &mut [Vec3<R>]) {
        for pin in &self.pins {
            let v = &mut v[pin.node as usize];
            *v = pin.free * *v + pin.velocity - pin.free * pin.velocity;
        }
    }

    fn set_scales(&mut self, model: &Model<R>, stage: &Stage<'_, R>, inertia: Inertia) {
        let gamma = stage.gamma;
        let dynamic = if inertia == Inertia::Dynamic { R::one() } else { R::zero() };
        self.mass_scales.clear();
        self.mass_scales.extend(model.rayleigh_mass.iter().map(|&alpha| dynamic * (R::one() + gamma * alpha)));
        self.penalty_scales.clear();
        let penalty = |b: &Block<R>| gamma * gamma + dynamic * gamma * b.rayleigh_stiffness;
        self.penalty_scales.extend(model.blocks.iter().map(penalty));
    }

    /// With several Newton iterations the damping must stay what it was at the start of the step.
    fn freeze_damping(&self, model: &Model<R>, stage: &Stage<'_, R>, wanted: bool, scratch: &mut [BlockScratch<R>]) {
        for (block, scratch) in model.blocks.iter().zip(scratch) {
            if wanted && block.is_damped() {
                let mix = TangentMix { stiffness: stage.gamma * block.rayleigh_stiffness, viscosity: stage.gamma };
                block.freeze_damping(stage.u, mix, scratch);
            } else {
                scratch.damping.clear();
            }
        }
    }

    /// Brings the matrix and the forces to the present iterate, and sets `b` so that `A v⁺ = b`.
    fn linearise(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        iteration: usize,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) {
        let (gamma, v) = (stage.gamma, &self.v);
        if iteration == 0 {
            self.u.copy_from_slice(stage.u);
        } else {
            par::for_each(&mut self.u, |i, u| *u = stage.u[i] + v[i] * gamma);
        }
        self.refresh_matrix(model, stage, inertia, scratch);
        self.forces.copy_from_slice(&self.external);
        for (block, scratch) in model.blocks.iter().zip(scratch.iter_mut()) {
            block.add_forces(&model.rest, &self.u, scratch, &mut self.forces);
        }
        if inertia == Inertia::Dynamic {
            model.mass_product(stage.v, &mut self.b);
        } else {
            self.b.fill(Vec3::zero());
        }
        let forces = &self.forces;
        par::for_each(&mut self.b, |i, b| *b += forces[i] * gamma);
        if iteration > 0 {
            self.add_linearisation_point(model, stage, inertia, scratch);
        }
    }

    /// `b += γ² K v_k`, which is `A v_k` without its mass and damping.
    fn add_linearisation_point(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) {
        let Self { matrix, v, q, b, mass_scales, penalty_scales, .. } = self;
        let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
        matrix.multiply(model, scratch, scales, v, q);
        subtract_inertia(model, inertia, scales, v, scratch, q);
        par::for_each(b, |i, b| *b += q[i]);
    }

    fn refresh_matrix(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) {
        let key = (model.version, stage.gamma.bits(), inertia == Inertia::Dynamic);
        if self.matrix_of.is_none_or(|known| known.0 != model.version) {
            self.constant = is_constant(model);
        }
        if self.constant && self.matrix_of == Some(key) {
            return;
        }
        for (block, scratch) in model.blocks.iter().zip(scratch.iter_mut()) {
            let dynamic = inertia == Inertia::Dynamic && scratch.damping.is_empty();
            let damping = if dynamic { stage.gamma } else { R::zero() };
            let mix = TangentMix {
                stiffness: stage.gamma * stage.gamma + damping * block.rayleigh_stiffness,
                viscosity: damping,
            };
            block.refresh_tangents(&self.u, mix, self.curvature, scratch);
        }
        let scales = Scales { mass: &self.mass_scales, penalty: &self.penalty_scales, gamma: stage.gamma };
        self.matrix.refill(model, scratch, scales);
        self.matrix_of = Some(key);
        self.factors_valid = false;
    }

    /// Solves `A v = b` with contact; returns the length of the first residual.
    fn solve_with_contact(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        settings: &SolverSettings,
        (scratch, least_reference): (&mut [BlockScratch<R>], f64),
        report: &mut StepReport,
    ) -> Result<f64, FactorError> {
        let SolverSettings { tolerance, max_iterations, .. } = *settings;
        let mut stop = Stop { tolerance, max_iterations, least_reference, most_reference: f64::INFINITY };
        let mut first = 0.0;
        let among = model.surface.is_needed();
        let missed = missed(model, stage);
        let rounds = if among { MAX_PRESS_ROUNDS } else { MAX_CONTACT_ROUNDS };
        self.settled = !among;
        for round in 0..rounds {
            touch::merge(stage, &self.pins, &self.touches, &mut self.held);
            self.factor_if_needed()?;
            let Self { matrix, pins, held, v, b, rhs, q, touches, mass_scales, penalty_scales, .. } = self;
            rhs.copy_from_slice(b);
            if !matrix.press.is_empty() {
                stop.most_reference = cg::norm(b);
            }
            touch::add_friction(model, touches, rhs);
            matrix.press.add_impulses(rhs);
            for h in held.iter() {
                let n = h.node as usize;
                v[n] = h.free * v[n] + h.velocity - h.free * h.velocity;
            }
            let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
            let linear = matrix.solve(model, scratch, scales, held, (rhs, v), stop);
            report.iterations += linear.iterations;
            report.residual = report.residual.max(linear.residual);
            report.stopped_early += !linear.converged as usize;
            if round == 0 {
                first = linear.reference;
                stop.least_reference = first;
            }
            if model.colliders.is_empty() && !among {
                break;
            }
            matrix.multiply(model, scratch, scales, v, q);
            par::for_each(q, |i, q| *q -= rhs[i]);
            let changed = touch::update(model, touches, v, q, (round, stage.over));
            let added = touch::add_passing(model, (stage, pins), |n| v[n], touches);
            let pressing = matrix.press.update(v, missed);
            let mut more = changed || added || pressing;
            if among && (round == 0 || !more) {
                more |= self.add_meeting(model, stage);
            }
            if !more {
                self.settled = true;
                break;
            }
            self.matrix.precondition_rows();
        }
        if !self.settled {
            // Not to the last digit, but near enough if nothing meets that is not watched and no surface is passed.
            let passed = missed * R::of(1.0 / MISSED);
            self.settled = !self.add_meeting(model, stage) && self.matrix.press.worst(&self.v) < passed;
        }
        Ok(first)
    }

    fn factor_if_needed(&mut self) -> Result<(), FactorError> {
        if !self.matrix.is_direct() {
            return Ok(());
        }
        let same = self.factored_with.len() == self.held.len()
            && self.factored_with.iter().zip(&self.held).all(|(a, b)| a.0 == b.node && a.1 == b.free);
        if self.factors_valid && same {
            return Ok(());
        }
        self.factored_with.clear();
        self.factored_with.extend(self.held.iter().map(|h| (h.node, h.free)));
        self.matrix.factor(&self.held)?;
        self.factors_valid = true;
        Ok(())
    }

    /// Length of the residual of the equations of motion at the present iterate, in the free directions.
    fn residual(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) -> f64 {
        let Self { v, q, forces, held, touches, mass_scales, penalty_scales, .. } = self;
        let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
        if inertia == Inertia::Dynamic {
            model.mass_product(stage.v, q);
        } else {
            q.fill(Vec3::zero());
        }
        par::for_each(q, |i, q| *q += forces[i] * stage.gamma);
        subtract_inertia(model, inertia, scales, v, scratch, q);
        touch::add_friction(model, touches, q);
        self.matrix.press.add_reactions(v, q);
        filter(held, q);
        cg::norm(q)
    }

    /// Shortens the Newton step from `self.last` to `self.v` until the incremental potential decreases; false when no
    /// step helps any more.
    fn search(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) -> bool {
        let target = std::mem::take(&mut self.q);
        let mut target = target;
        target.copy_from_slice(&self.v);
        // From where contact and pins are satisfied too: the way there is no choice of the search.
        for h in &self.held {
            let n = h.node as usize;
            self.last[n] = h.free * self.last[n] + h.velocity - h.free * h.velocity;
        }
        self.v.copy_from_slice(&self.last);
        let (before, size) = self.potential(model, stage, inertia, scratch);
        // The potential is a difference of larger parts; near the solution their rounding is all that it shows.
        let slack = size * R::EPSILON.to_f64() * 16.0;
        let mut length = 1.0;
        let mut accepted = false;
        while length > 1e-3 && !accepted {
            let (s, last) = (R::of(length), &self.last);
            par::for_each(&mut self.v, |i, v| *v = last[i] + (target[i] - last[i]) * s);
            accepted = self.potential(model, stage, inertia, scratch).0 <= before + slack;
            length *= 0.5;
        }
        if !accepted {
            self.v.copy_from_slice(&self.last);
        }
        self.q = target;
        accepted
    }

    /// What an implicit step minimises: kinetic distance, elastic energy, damping and the work of the loads [J]; and the
    /// sum of their sizes.
    fn potential(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) -> (f64, f64) {
        let Self { v, u, rhs, external, touches, mass_scales, penalty_scales, .. } = self;
        par::for_each(u, |i, u| *u = stage.u[i] + v[i] * stage.gamma);
        let elastic = forces::elastic_energy(model, u);
        rhs.fill(Vec3::zero());
        touch::add_friction(model, touches, rhs);
        let work = par::sum(v.len(), |i| (external[i] * stage.gamma + rhs[i]).dot(v[i]).to_f64());
        let pressed = self.matrix.press.potential(v);
        let (mut energy, mut size) = (elastic - work + pressed, elastic.abs() + work.abs() + pressed.abs());
        if inertia == Inertia::Dynamic {
            rhs.fill(Vec3::zero());
            let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
            subtract_inertia(model, inertia, scales, v, scratch, rhs);
            // rhs is now −(M + γ C) v.
            let kinetic = -0.5 * cg::dot(rhs, v);
            model.mass_product(stage.v, rhs);
            let carried = cg::dot(rhs, v);
            energy += kinetic - carried;
            size += kinetic.abs() + carried.abs();
        }
        (energy, size)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.matrix.memory_bytes() + 8 * size_of::<Vec3<R>>() * self.v.len()
    }
}

/// The error of a relative velocity that surfaces do not feel [m/s].
fn missed<R: Real>(model: &Model<R>, stage: &Stage<'_, R>) -> R {
    R::of(MISSED * model.surface.kept_apart()) / stage.over
}

/// Whether the matrix stays the same from step to step: linear laws see no rotation, but viscosity does, and updated
/// phyxels get new stencils.
fn is_constant<R: Real>(model: &Model<R>) -> bool {
    let constant = |b: &Block<R>| matches!(b.law, AnyLaw::Linear(_)) && !b.is_viscous() && !model.is_updated(b.body);
    model.blocks.iter().all(constant)
}

/// `q −= (a M + D) v` with the scaled masses and the frozen damping.
fn subtract_inertia<R: Real>(
    model: &Model<R>,
    inertia: Inertia,
    scales: Scales<'_, R>,
    v: &[Vec3<R>],
    scratch: &mut [BlockScratch<R>],
    q: &mut [Vec3<R>],
) {
    if inertia == Inertia::Static {
        return;
    }
    for (body, &scale) in model.bodies.iter().zip(scales.mass) {
        let first = body.nodes.start;
        par::for_each(&mut q[body.nodes.clone()], |i, q| *q -= v[first + i] * (model.masses[first + i] * scale));
    }
    for &(row, column, mass) in &model.consistent_mass {
        let body = model.bodies.partition_point(|b| b.nodes.end <= row as usize);
        q[row as usize] -= v[column as usize] * (mass * scales.mass[body]);
    }
    for (block, scratch) in model.blocks.iter().zip(scratch) {
        if !scratch.damping.is_empty() {
            // Of the stabilisation, only Rayleigh's share is damping.
            let share = scales.gamma * block.rayleigh_stiffness;
            block.add_frozen_damping(&model.rest, v, share, scratch, q);
        }
    }
}
