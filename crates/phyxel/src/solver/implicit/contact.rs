//! Linear solves with contact inside: repeated until the sets of what touches, sticks and slides have settled.

use super::super::press::Settling;
use super::*;
use std::time::Instant;

/// Solves per linearisation until the contact set must have settled: with colliders alone, and among bodies, whose
/// impulses settle more slowly.
const MAX_CONTACT_ROUNDS: usize = 20;
const MAX_PRESS_ROUNDS: usize = 20;
/// Part of the distance kept between surfaces by which one step may miss it.
const MISSED: f64 = 0.05;
/// From this round on it may be missed by so many times as much: large heaps have a pair somewhere that comes late, and the
/// next step mends what is left. Much more would let surfaces pass each other.
const LATE: usize = 8;
const LATE_MISSED: f64 = 4.0;
/// How many times the distance kept the surfaces of solids may be behind each other at the end of a step that has not
/// settled.
const LEFT_BEHIND: f64 = 50.0;
/// By how much a solve that only looks for the contact set brings the residual down from where the last one left it: a part
/// of what the step began with would be nothing to the few nodes at which the set has just changed.
const ROUGH: f64 = 0.03;
/// The mean error of velocities that solves measured by momentum need not go below [m/s]: half of the speed at which bodies
/// count as at rest. `A ≥ M`, so that a residual of the momentum of this speed bounds it. What has come to rest then takes no
/// iterations; otherwise a body would be solved ever more exactly the less it moves.
pub const STILL: f64 = 1e-4;
/// The same among bodies, where a set takes many solves to settle: exactness before that is lost with the next change. Boxes
/// that a ball knocks over take a third of the iterations that [`ROUGH`] takes, in as many solves.
const ROUGH_AMONG: f64 = 0.3;
/// Solves per step where the set of what presses settles by impulses, unless surfaces would be passed, and how rough all but the
/// last are: few ones must tell more each.
const FEW_ROUNDS: usize = 4;
const ROUGH_FEW: f64 = 0.1;

impl<R: Real> Implicit<R> {
    /// Finds the pairs of surface parts that meet if bodies fall freely.
    pub(super) fn begin_press(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        (inertia, settings): (Inertia, &SolverSettings),
        report: &mut StepReport,
    ) {
        if !model.rows_needed() && model.ties.is_empty() {
            return;
        }
        let clock = Instant::now();
        let nodes = model.node_count();
        let fall = if inertia == Inertia::Dynamic { model.loads.gravity * stage.gamma } else { Vec3::zero() };
        let Self { matrix, v, q, riders, .. } = self;
        par::for_each(&mut q[..nodes], |i, q| *q = v[i] + fall);
        q[nodes..].copy_from_slice(&v[nodes..]);
        let mut press = std::mem::take(&mut matrix.press);
        press.settle_by_impulses(inertia == Inertia::Dynamic && settles_by_impulses(model, settings));
        press.begin(model, stage, riders, q, matrix.diagonal());
        matrix.press = press;
        matrix.precondition_rows();
        report.contact_s += clock.elapsed().as_secs_f64();
    }

    /// The length of what the bodies' velocities are to be solved from, in the directions that nothing holds, or of what loads
    /// alone give them within the step: bodies at rest have no momentum to be compared with. Errors of [`STILL`] are none,
    /// whatever part of that they are.
    fn momentum(&mut self, model: &Model<R>, gamma: R, tolerance: f64) -> f64 {
        let Self { rhs, b, held, external, .. } = self;
        let masses = par::sum(model.masses.len(), |i| model.masses[i].to_f64().powi(2)).sqrt();
        rhs.copy_from_slice(b);
        filter(held, rhs);
        let carried = cg::norm(rhs);
        par::for_each(&mut rhs[..model.node_count()], |i, rhs| *rhs = external[i] * gamma);
        carried.max(cg::norm(&rhs[..model.node_count()])).max(masses * STILL / tolerance)
    }

    /// Looks for pairs that the present velocities bring together and that are not watched yet.
    fn add_meeting(&mut self, model: &Model<R>, stage: &Stage<'_, R>) -> bool {
        let Self { matrix, v, riders, .. } = self;
        let mut press = std::mem::take(&mut matrix.press);
        let added = press.add_meeting(model, stage, riders, v, matrix.diagonal());
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
        let mut stop = Stop { tolerance, max_iterations, rough: false, least_reference, most_reference: f64::INFINITY };
        let mut first = 0.0;
        let mut momentum = 0.0;
        let among = model.rows_needed() || !model.ties.is_empty();
        let missed = missed(model, stage);
        let solid = model.surface.parts.iter().all(|p| p.solid);
        let passed = missed * R::of(if solid { LEFT_BEHIND } else { 1.0 } / MISSED);
        let few = among && self.matrix.press.settles_by_impulses();
        let rounds = if among { MAX_PRESS_ROUNDS } else { MAX_CONTACT_ROUNDS };
        self.settled = !among;
        // Which rows press and what they carry is found with rough solves, each of which starts where the last one ended.
        let settles = if among { !self.matrix.press.is_empty() } else { !self.touches.is_empty() };
        let rough = if few {
            ROUGH_FEW
        } else if among {
            ROUGH_AMONG
        } else {
            ROUGH
        };
        let mut exact = !settles || self.matrix.is_direct();
        for round in 0..rounds {
            exact |= round + 1 == rounds || (few && round + 1 == FEW_ROUNDS);
            stop.tolerance = if exact { tolerance } else { tolerance.max(rough) };
            stop.rough = !exact;
            touch::merge(stage, &self.pins, &self.touches, &mut self.held);
            if round == 0 && settings.relative_to == RelativeTo::Momentum {
                momentum = self.momentum(model, stage.gamma, tolerance);
            }
            let reference = f64::max(first, momentum);
            let least = if exact { reference } else { reference * tolerance / stop.tolerance };
            stop.least_reference = least.max(least_reference);
            self.factor_if_needed()?;
            let Self { matrix, pins, held, v, b, rhs, q, touches, mass_scales, penalty_scales, .. } = self;
            rhs.copy_from_slice(b);
            if !matrix.press.is_empty() {
                stop.most_reference = cg::norm(b);
            }
            touch::add_drags(touches, &mut matrix.drags, rhs);
            matrix.precondition_rows();
            matrix.press.add_impulses(rhs);
            for h in held.iter() {
                let n = h.node as usize;
                v[n] = h.free * v[n] + h.velocity - h.free * h.velocity;
            }
            let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
            if round == 0 && !matrix.is_direct() {
                // A better start is no reason to solve more exactly.
                let start = matrix.drop_free_bodies(model, scratch, scales, held, rhs, [v, q]);
                stop.least_reference = stop.least_reference.max(start);
            }
            let linear = matrix.solve(model, scratch, scales, held, (rhs, v), stop);
            report.iterations += linear.iterations;
            report.solves += 1;
            if exact {
                report.residual = report.residual.max(linear.residual);
                report.stopped_early += !linear.converged as usize;
            }
            if round == 0 {
                first = linear.reference;
            }
            if model.colliders.is_empty() && !among {
                break;
            }
            let clock = Instant::now();
            matrix.reactions(model, scratch, scales, (rhs, v), q);
            let changed = touch::update(model, touches, (v, q), matrix.diagonal(), (round, stage.over, exact));
            let added = touch::add_passing(model, (stage, pins), |n| v[n], touches);
            let allowed = if round < LATE { missed } else { missed * R::of(LATE_MISSED) };
            let rows = matrix.press.update(v, allowed, round);
            // Rough velocities say who presses, not how hard.
            let pressing = if exact { rows != Settling::Done } else { rows == Settling::Changed };
            let mut more = changed || added || pressing;
            if among && (round == 0 || (!more && !few)) {
                more |= self.add_meeting(model, stage);
            }
            report.contact_s += clock.elapsed().as_secs_f64();
            let enough = few && (!more || round + 1 >= FEW_ROUNDS) && self.matrix.press.worst(&self.v) < passed;
            if exact && (if few { enough } else { !more }) {
                self.settled = true;
                break;
            }
            // Once it has been exact it stays so: a set that changes in the last digits would never settle otherwise.
            exact |= !more;
        }
        if !self.settled {
            // Not to the last digit, but near enough if no surface is passed. What is behind that of a solid is brought out
            // again in later steps; sheets have no behind, so there nothing new may meet either.
            let met = self.add_meeting(model, stage);
            self.settled = (solid || !met) && self.matrix.press.worst(&self.v) < passed;
        }
        Ok(first)
    }
}

/// Whether a few solves per step will do for contact among bodies: where velocities are as exact as the momentum of bodies asks
/// for, and what a step leaves behind a surface is brought out again in the next.
fn settles_by_impulses<R: Real>(model: &Model<R>, settings: &SolverSettings) -> bool {
    // The springs of few solves are for skins finer than nodes; on those of tetrahedra they would give way.
    let alone = model.ties.is_empty() && model.rigid.is_empty();
    settings.relative_to == RelativeTo::Momentum && model.has_fine_skins() && alone
}

/// The error of a relative velocity that surfaces do not feel [m/s].
pub(super) fn missed<R: Real>(model: &Model<R>, stage: &Stage<'_, R>) -> R {
    R::of(MISSED * model.surface.kept_apart()) / stage.over
}
