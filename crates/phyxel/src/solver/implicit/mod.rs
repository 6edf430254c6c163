//! Implicit steps: Newton's method on the equations of motion, with pins and contact inside.

mod contact;
mod newton;
pub mod schemes;

pub use contact::STILL;

use super::forces;
use super::riders::Riders;
use super::system::{Scales, SystemMatrix, filter};
use super::touch::{self, Stage, Touch};
use crate::material::{AnyLaw, Curvature};
use crate::math::cg::{self, Stop};
use crate::math::{FactorError, Factorisation, Mat3, Real, Vec3};
use crate::model::{Held, Model};
use crate::par;
use crate::report::StepReport;
use crate::scene::{LinearSolver, RelativeTo, SolverSettings};
use crate::stencil::block::{Block, BlockScratch, TangentMix};

/// Meshes up to this many nodes are factored when every law is linear; beyond, fill-in outgrows iterations.
const MAX_AUTO_DIRECT: usize = 20_000;
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
    /// Rigid bodies, whose velocities and spins stand behind those of the nodes.
    pub riders: Riders<R>,
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
        let all = vec![Vec3::zero(); model.node_count() + 2 * model.rigid.len()];
        Ok(Implicit {
            matrix: SystemMatrix::new(model, direct)?,
            matrix_of: None,
            factored_with: Vec::new(),
            factors_valid: false,
            constant,
            curvature: Curvature::Psd,
            v: all.clone(),
            external: zero.clone(),
            forces: zero.clone(),
            b: all.clone(),
            rhs: all.clone(),
            q: all.clone(),
            u: zero,
            last: all,
            pins: Vec::new(),
            held: Vec::new(),
            touches: Vec::new(),
            settled: true,
            mass_scales: Vec::new(),
            penalty_scales: Vec::new(),
            riders: Riders::default(),
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
        let nodes = model.node_count();
        self.v[nodes..].copy_from_slice(&self.riders.free);
        model.held_by_pins(stage.u, stage.end_time, stage.over.to_f64(), &mut self.pins);
        model.hold_sleepers(self.riders.asleep.iter().copied(), &mut self.pins);
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
                self.begin_press(model, stage, (inertia, settings), report);
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
        let missed = contact::missed(model, stage);
        self.matrix.press.end(&self.v, missed);
        report.contacts = self.touches.len() + self.matrix.press.touching();
        Ok(())
    }

    fn sleeps(&self, block: &Block<R>) -> bool {
        self.riders.asleep.get(block.body).is_some_and(|asleep| *asleep)
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

    /// Contact among bodies, as the last solve left it.
    pub fn press(&self) -> &super::press::Press<R> {
        &self.matrix.press
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
        for (k, (block, scratch)) in model.blocks.iter().zip(scratch).enumerate() {
            if wanted && block.is_damped() {
                let mix = TangentMix { stiffness: stage.gamma * block.rayleigh_stiffness, viscosity: stage.gamma };
                block.freeze_damping((stage.u, stage.inner.of(k)), mix, scratch);
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
        let nodes = model.node_count();
        if !model.rigid.is_empty() {
            self.matrix.set_riders(nodes, &self.riders.masses);
        }
        self.forces.copy_from_slice(&self.external);
        for (k, (block, scratch)) in model.blocks.iter().zip(scratch.iter_mut()).enumerate() {
            if self.sleeps(block) {
                continue;
            }
            block.add_forces(&model.rest, (&self.u, stage.inner.of(k)), scratch, &mut self.forces);
        }
        if iteration > 0 {
            self.matrix.add_holds(&self.v, R::one() / gamma, &mut self.forces);
        }
        if inertia == Inertia::Dynamic {
            model.mass_product(stage.v, &mut self.b[..nodes]);
        } else {
            self.b.fill(Vec3::zero());
        }
        let forces = &self.forces;
        par::for_each(&mut self.b[..nodes], |i, b| *b += forces[i] * gamma);
        let riders = &self.riders;
        for (k, b) in self.b[nodes..].iter_mut().enumerate() {
            *b = riders.masses[k] * riders.free[k];
        }
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
        let nodes = model.node_count();
        par::for_each(&mut b[..nodes], |i, b| *b += q[i]);
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
        for (k, (block, scratch)) in model.blocks.iter().zip(scratch.iter_mut()).enumerate() {
            if self.sleeps(block) && !scratch.tangents.is_empty() {
                continue;
            }
            let dynamic = inertia == Inertia::Dynamic && scratch.damping.is_empty();
            let damping = if dynamic { stage.gamma } else { R::zero() };
            let mix = TangentMix {
                stiffness: stage.gamma * stage.gamma + damping * block.rayleigh_stiffness,
                viscosity: damping,
            };
            block.refresh_tangents((&self.u, stage.inner.of(k)), mix, self.curvature, scratch);
        }
        let scales = Scales { mass: &self.mass_scales, penalty: &self.penalty_scales, gamma: stage.gamma };
        touch::merge(stage, &self.pins, &self.touches, &mut self.held);
        self.matrix.refill(model, (&self.u, &self.held), scratch, scales);
        self.matrix_of = Some(key);
        self.factors_valid = false;
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

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.matrix.memory_bytes() + 8 * size_of::<Vec3<R>>() * self.v.len()
    }
}

/// Whether the matrix stays the same from step to step: linear laws see no rotation, but viscosity does, and updated
/// phyxels get new stencils.
fn is_constant<R: Real>(model: &Model<R>) -> bool {
    let constant = |b: &Block<R>| {
        matches!(b.law, AnyLaw::Linear(_)) && !b.is_viscous() && !model.is_updated(b.body) && !b.inner.returns()
    };
    model.blocks.iter().all(constant) && !model.may_hold()
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
