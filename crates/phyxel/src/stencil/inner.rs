//! The passes over elements that have grains: plastic, or changed by heat.

use super::block::{Block, BlockScratch, Stencils, TangentMix};
use super::general::Penalty;
use crate::material::plastic::{Grain, Inner};
use crate::material::{Curvature, PackedTangent};
use crate::math::{Mat3, Real, Vec3};
use crate::par;

/// Elements per task.
const TASK: usize = 64;

impl<R: Real> Block<R> {
    /// See [`Block::energy`].
    pub(super) fn energy_of_grains(&self, rest: &[Vec3<R>], u: &[Vec3<R>], Inner { grains, dt }: Inner<'_, R>) -> f64 {
        let volumes = self.volumes();
        if let Stencils::General(s) = &self.stencils
            && s.is_still(u)
        {
            return par::sum(volumes.len(), |e| (self.inner.energy(s.base(e), &grains[e], dt) * volumes[e]).to_f64());
        }
        par::sum(volumes.len(), |e| {
            let g = self.gradient(e, u);
            let elastic = self.inner.energy(self.with_base(e, g), &grains[e], dt) * volumes[e];
            let penalty = match &self.stencils {
                Stencils::General(s) if !s.table.penalties.is_empty() => {
                    s.penalty_energy(e, rest, u, g) * (self.penalty_modulus * self.inner.penalty_factor(&grains[e]))
                }
                _ => R::zero(),
            };
            (elastic + penalty).to_f64()
        })
    }

    /// See [`Block::add_forces`].
    pub(super) fn add_forces_of_grains(
        &self,
        rest: &[Vec3<R>],
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        let stress = |e: usize, g: Mat3<R>| {
            let g = self.with_base(e, g);
            self.inner.stress(g, &inner.grains[e], inner.dt) * self.volumes()[e]
        };
        self.accumulate_of_grains((rest, self.penalty_modulus), (u, inner), scratch, out, stress);
    }

    /// See [`Block::add_product_on_the_fly`].
    pub(super) fn add_product_of_grains(
        &self,
        rest: &[Vec3<R>],
        (u, p, inner): (&[Vec3<R>], &[Vec3<R>], Inner<'_, R>),
        (mix, curvature): (TangentMix<R>, Curvature),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        let viscous = self.is_viscous() && mix.viscosity > R::zero();
        let stress = |e: usize, rate: Mat3<R>| {
            let g = self.strain_argument(e, u);
            let mut s = self.inner.stress_change((g, rate), &inner.grains[e], inner.dt, curvature) * mix.stiffness;
            if viscous {
                s += self.viscosity.stress(g, rate) * mix.viscosity;
            }
            s * self.volumes()[e]
        };
        self.accumulate_of_grains((rest, self.penalty_modulus * mix.stiffness), (p, inner), scratch, out, stress);
    }

    fn accumulate_of_grains(
        &self,
        (rest, modulus): (&[Vec3<R>], R),
        (field, inner): (&[Vec3<R>], Inner<'_, R>),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        self.prepare(scratch);
        self.refresh_penalty_factors(inner, scratch);
        match &self.stencils {
            Stencils::Tets(t) => t.accumulate(field, &mut scratch.corner_forces, out, stress),
            Stencils::General(s) => {
                let penalty = Penalty { rest, modulus, factors: &scratch.penalty_factors };
                s.accumulate(penalty, field, &mut scratch.general, out, stress);
            }
        }
    }

    /// The stored tangents of all elements at displacements `u`.
    pub(super) fn tangents_of_grains(
        &self,
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        mix: TangentMix<R>,
        curvature: Curvature,
        tangents: &mut [PackedTangent<R>],
    ) {
        let volumes = self.volumes();
        let viscous = self.is_viscous() && mix.viscosity > R::zero();
        let strain = self.strain_arguments(u);
        par::chunks(tangents, TASK, |start, chunk| {
            for (i, packed) in chunk.iter_mut().enumerate() {
                let e = start + i;
                let g = strain(e);
                let mut tangent = self.inner.tangent(g, &inner.grains[e], inner.dt, curvature);
                tangent.scale(mix.stiffness * volumes[e]);
                if viscous {
                    let mut d = self.viscosity.tangent(g);
                    d.scale(mix.viscosity * volumes[e]);
                    tangent.add(&d);
                }
                *packed = PackedTangent::pack(&tangent);
            }
        });
    }

    /// Sets the factors of the stabilisation from the grains; none where there are none.
    pub(super) fn refresh_penalty_factors(&self, inner: Inner<'_, R>, scratch: &mut BlockScratch<R>) {
        let penalised = matches!(&self.stencils, Stencils::General(s) if !s.table.penalties.is_empty());
        scratch.penalty_factors.clear();
        if penalised && !inner.is_empty() {
            scratch.penalty_factors.extend(inner.grains.iter().map(|g| self.inner.penalty_factor(g)));
        }
    }

    /// Lets every grain flow for `dt` at displacements `u`.
    pub fn settle(&self, u: &[Vec3<R>], grains: &mut [Grain<R>], dt: R) {
        if self.inner.flows() {
            par::chunks(grains, TASK, |start, chunk| {
                for (i, grain) in chunk.iter_mut().enumerate() {
                    self.inner.settle(self.strain_argument(start + i, u), grain, dt);
                }
            });
        }
    }

    #[inline(always)]
    fn with_base(&self, e: usize, g: Mat3<R>) -> Mat3<R> {
        match &self.stencils {
            Stencils::Tets(_) => g,
            Stencils::General(s) => g + s.base(e),
        }
    }
}
