//! What full Newton steps need: residuals, and a line search on the incremental potential.

use super::*;

impl<R: Real> Implicit<R> {
    /// Length of the residual of the equations of motion at the present iterate, in the free directions.
    pub(super) fn residual(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        inertia: Inertia,
        scratch: &mut [BlockScratch<R>],
    ) -> f64 {
        let Self { v, q, forces, held, touches, mass_scales, penalty_scales, riders, .. } = self;
        let nodes = model.node_count();
        let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
        if inertia == Inertia::Dynamic {
            model.mass_product(stage.v, &mut q[..nodes]);
        } else {
            q.fill(Vec3::zero());
        }
        par::for_each(&mut q[..nodes], |i, q| *q += forces[i] * stage.gamma);
        for (k, q) in q[nodes..].iter_mut().enumerate() {
            *q = riders.masses[k] * (riders.free[k] - v[nodes + k]);
        }
        subtract_inertia(model, inertia, scales, v, scratch, q);
        touch::add_friction(touches, v, q);
        self.matrix.press.add_reactions(v, q);
        filter(held, q);
        cg::norm(q)
    }

    /// Shortens the Newton step from `self.last` to `self.v` until the incremental potential decreases; false when no
    /// step helps any more.
    pub(super) fn search(
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
        let elastic = forces::elastic_energy(model, u, stage.inner);
        let work = par::sum(u.len(), |i| (external[i] * stage.gamma).dot(v[i]).to_f64());
        let nodes = u.len();
        let pressed = self.matrix.press.potential(v)
            + self.matrix.stored_in_holds(v)
            + touch::potential(touches, v)
            + self.riders.distance(&v[nodes..]);
        let (mut energy, mut size) = (elastic - work + pressed, elastic.abs() + work.abs() + pressed.abs());
        if inertia == Inertia::Dynamic {
            rhs.fill(Vec3::zero());
            let scales = Scales { mass: mass_scales, penalty: penalty_scales, gamma: stage.gamma };
            subtract_inertia(model, inertia, scales, v, scratch, rhs);
            // rhs is now −(M + γ C) v.
            let kinetic = -0.5 * cg::dot(rhs, v);
            model.mass_product(stage.v, &mut rhs[..nodes]);
            let carried = cg::dot(rhs, v);
            energy += kinetic - carried;
            size += kinetic.abs() + carried.abs();
        }
        (energy, size)
    }
}
