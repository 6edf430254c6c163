//! Linear solves with contact inside: repeated until the sets of what touches, sticks and slides have settled.

use super::*;

/// Solves per linearisation until the contact set must have settled: with colliders alone, and among bodies, whose
/// impulses settle more slowly.
const MAX_CONTACT_ROUNDS: usize = 6;
const MAX_PRESS_ROUNDS: usize = 20;
/// Part of the distance kept between surfaces by which one step may miss it.
const MISSED: f64 = 0.05;

impl<R: Real> Implicit<R> {
    /// Finds the pairs of surface parts that meet if bodies fall freely.
    pub(super) fn begin_press(&mut self, model: &Model<R>, stage: &Stage<'_, R>, inertia: Inertia) {
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

    /// Solves `A v = b` with contact; returns the length of the first residual.
    pub(super) fn solve_with_contact(
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
}

/// The error of a relative velocity that surfaces do not feel [m/s].
pub(super) fn missed<R: Real>(model: &Model<R>, stage: &Stage<'_, R>) -> R {
    R::of(MISSED * model.surface.kept_apart()) / stage.over
}
