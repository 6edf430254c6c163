//! The passes over elements that have grains: plastic, or changed by heat.

use super::block::{Block, BlockScratch, Stencils, TangentMix};
use super::general::Penalty;
use super::slim::GROUP;
use crate::material::plastic::{Grain, Inner};
use crate::material::{Curvature, PackedTangent};
use crate::math::{Lanes, Mat3, Real, Vec3};
use crate::{par, vectorised};
use std::ops::Range;

impl<R: Real> Block<R> {
    /// See [`Block::strain_energy`].
    pub(super) fn energy_of_grains(&self, u: &[Vec3<R>], Inner { grains, dt }: Inner<'_, R>) -> f64 {
        let still = matches!(&self.stencils, Stencils::General(s) if s.is_still(u));
        let of_range = |range: Range<usize>| {
            let mut sum = 0.0;
            vectorised(
                #[inline(always)]
                || {
                    for first in range.clone().step_by(GROUP) {
                        let group = Inner { grains: &grains[first..range.end.min(first + GROUP)], dt };
                        sum += self.energy_of_group(u, still, first, group);
                    }
                },
            );
            sum
        };
        par::fold_runs(0..self.len(), par::FEW, &of_range, &|a, b| a + b)
    }

    /// The energy of a few elements from `first` on, with their grains [J]; in `still` stencils nothing has moved.
    #[inline(always)]
    fn energy_of_group(&self, u: &[Vec3<R>], still: bool, first: usize, Inner { grains, dt }: Inner<'_, R>) -> f64 {
        let mut strains = Mat3::<Lanes<R, GROUP>>::zero();
        for lane in 0..grains.len() {
            let e = first + lane;
            let g = if still { Mat3::zero() } else { self.gradient(e, u) };
            strains.set_lane(lane, &self.with_base(e, g));
        }
        let (elastic, volumes) = (self.inner.energy_wide(&strains, grains, dt), self.volumes());
        (0..grains.len()).map(|k| (elastic.0[k] * volumes[first + k]).to_f64()).sum()
    }

    /// See [`Block::add_forces`].
    pub(super) fn add_forces_of_grains(
        &self,
        rest: &[Vec3<R>],
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        if let Stencils::General(s) = &self.stencils {
            self.prepare(scratch);
            self.refresh_penalty_factors(inner, scratch);
            let penalty = Penalty { rest, modulus: self.penalty_modulus, factors: &scratch.penalty_factors };
            let done = s.accumulate_groups(
                penalty,
                u,
                &mut scratch.general,
                out,
                #[inline(always)]
                |group, g| self.stress_of_group(group, g, inner),
            );
            if done {
                return;
            }
        }
        let stress = |e: usize, g: Mat3<R>| {
            let g = self.with_base(e, g);
            self.inner.stress(g, &inner.grains[e], inner.dt) * self.volumes()[e]
        };
        self.accumulate_of_grains((rest, self.penalty_modulus), (u, inner), scratch, out, stress);
    }

    /// Stress times volume of a group of elements whose displacements have the gradients `g`.
    #[inline(always)]
    fn stress_of_group(
        &self,
        group: usize,
        mut g: Mat3<Lanes<R, GROUP>>,
        inner: Inner<'_, R>,
    ) -> Mat3<Lanes<R, GROUP>> {
        let first = group * GROUP;
        let grains = &inner.grains[first..inner.grains.len().min(first + GROUP)];
        let mut volumes = Lanes::<R, GROUP>::default();
        for lane in 0..grains.len() {
            volumes.0[lane] = self.volumes()[first + lane];
            let with_base = self.with_base(first + lane, g.lane(lane));
            g.set_lane(lane, &with_base);
        }
        self.inner.stress_wide(&g, grains, inner.dt) * volumes
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
        par::chunks(tangents, par::FEW, |start, chunk| {
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
        let factors = if penalised { inner.grains.len() } else { 0 };
        scratch.penalty_factors.resize(factors, R::zero());
        par::for_each(&mut scratch.penalty_factors, |e, factor| *factor = self.inner.penalty_factor(&inner.grains[e]));
    }

    /// Lets every grain flow for `dt` at displacements `u`.
    pub fn settle(&self, u: &[Vec3<R>], grains: &mut [Grain<R>], dt: R) {
        if self.inner.flows() {
            par::chunks(grains, par::FEW, |start, chunk| {
                vectorised(
                    #[inline(always)]
                    || {
                        for (k, grains) in chunk.chunks_mut(GROUP).enumerate() {
                            let mut g = Mat3::<Lanes<R, GROUP>>::zero();
                            for lane in 0..grains.len() {
                                g.set_lane(lane, &self.strain_argument(start + k * GROUP + lane, u));
                            }
                            self.inner.settle_wide(&g, grains, dt);
                        }
                    },
                );
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
