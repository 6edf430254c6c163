//! What a solver keeps when bodies break: nodes get other numbers, and there are more of them.

use super::implicit::Implicit;
use super::xpbd::Xpbd;
use super::{Kind, Solver, stable_step};
use crate::fracture::Relabel;
use crate::material::lame;
use crate::math::{FactorError, Real, Vec3};
use crate::model::Model;
use crate::scene::Integrator;
use crate::state::State;
use crate::stencil::block::{BlockScratch, Stencils};

impl<R: Real> Solver<R> {
    /// Makes room for a model whose nodes have been relabelled; what nodes touch is still known afterwards.
    pub(crate) fn relabelled(
        &mut self,
        model: &Model<R>,
        state: &State<R>,
        relabel: &Relabel,
    ) -> Result<(), FactorError> {
        match &mut self.kind {
            // All that it keeps besides forces are buffers, which fit themselves to the model.
            Kind::Explicit(explicit) => explicit.forget_forces(),
            Kind::Positions(xpbd) => **xpbd = Xpbd::new(model),
            Kind::Implicit(implicit) => {
                let mut touches = std::mem::take(&mut implicit.touches);
                touches.iter_mut().for_each(|touch| touch.node = relabel.node(touch.node));
                **implicit = Implicit::new(model, &self.settings)?;
                implicit.recall(touches, Vec::new());
            }
        }
        let explicit = self.is_explicit();
        for (block, scratch) in model.blocks.iter().zip(&mut self.scratch) {
            let fits = explicit && matches!(block.stencils, Stencils::Tets(_));
            // Copies of nodes are where these were: the elements give the same forces, if nothing else has changed.
            let same = scratch.kept.filter(|kept| kept.0 + 1 == model.version && relabel.keeps_elements[block.body]);
            scratch.kept = same.map(|(_, steps)| (model.version, steps));
            if relabel.sources[block.body].is_some() && !fits {
                *scratch = BlockScratch::default();
            }
        }
        if !explicit {
            let nodes = model.node_count();
            self.stage.0.resize(nodes, Vec3::zero());
            self.stage.1.resize(nodes, Vec3::zero());
        }
        self.shorten_stable_step(model, state, relabel);
        Ok(())
    }

    /// Bounds the stable step without an estimate, which would cost as much as a frame: no element vibrates faster in an
    /// assembly than alone (Irons and Treharne 1971). Where that is not known, the next step estimates.
    fn shorten_stable_step(&mut self, model: &Model<R>, state: &State<R>, relabel: &Relabel) {
        let Some((_, _, known)) = self.stable.take().filter(|_| self.is_explicit()) else { return };
        if self.settings.integrator == Integrator::ExplicitEuler || model.blocks.iter().any(|b| b.is_damped()) {
            return;
        }
        let mut limit = known;
        for block in model.blocks.iter().filter(|b| relabel.sources[b.body].is_some()) {
            let Stencils::Tets(_) = &block.stencils else { return };
            let body = &model.bodies[block.body];
            let Some(fragile) = &body.fragile else { return };
            let m = &body.material;
            let (lam, mu) = lame(m.young_modulus, m.poisson_ratio);
            // (2/ω)² with ω² ≤ 4/ρ (2 mu s + lam tr S), S = Σ d dᵀ and s its largest eigenvalue.
            let (largest, trace) = fragile.sharpness;
            let stiffness = 2.0 * mu * largest + (lam + m.volume_stiffness).max(0.0) * trace;
            limit = limit.min(stable_step::SAFETY * (m.density / stiffness).sqrt());
        }
        self.stable = Some((model.version, self.era(model, state), limit));
    }
}
