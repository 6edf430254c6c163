//! Elements of one body with one law: energy, forces and stiffness products, written once for every stencil.

use super::diagonal::Isotropic;
use super::general::{General, GeneralScratch, Penalty};
use super::slim::{self, Woven};
use super::tets::Tets;
use crate::material::plastic::{Inner, InnerLaw};
use crate::material::{AnyLaw, Curvature, Law, PackedTangent, Viscosity, with_law};
use crate::math::{Mat3, Real, Vec3};
use crate::par;

/// Elements of one body with one law.
#[derive(Clone, Debug)]
pub struct Block<R> {
    /// Which body, by its place in the scene.
    pub body: usize,
    /// The nodes and weights.
    pub stencils: Stencils<R>,
    /// Strain to stress.
    pub law: AnyLaw<R>,
    /// The same for elements that have grains.
    pub inner: InnerLaw<R>,
    /// Kelvin–Voigt viscosity.
    pub viscosity: Viscosity<R>,
    /// Rayleigh's `beta` [s].
    pub rayleigh_stiffness: R,
    /// Multiplies the stabilisation of phyxels [Pa].
    pub penalty_modulus: R,
}

/// The two kinds of stencils.
#[derive(Clone, Debug)]
// There is one per block, and a box would cost every loop a step aside.
#[allow(clippy::large_enum_variant)]
pub enum Stencils<R> {
    /// Four nodes each.
    Tets(Tets<R>),
    /// Any number of nodes.
    General(General<R>),
}

/// The version of a model and the steps that have been taken: between two equal ones nothing has moved.
pub type Moment = (u64, u64);

/// Room for the passes over one block.
#[derive(Clone, Debug)]
pub struct BlockScratch<R: Real> {
    pub(crate) corner_forces: Vec<[Vec3<R>; 4]>,
    pub(super) general: GeneralScratch<R>,
    /// When the forces at the corners of tetrahedra were left here by a look at stresses.
    pub kept: Option<Moment>,
    /// Factor of each element's stabilisation; empty where all are one.
    pub penalty_factors: Vec<R>,
    /// Effective tangent times volume of each element, when implicit.
    pub tangents: Vec<PackedTangent<R>>,
    /// The same side by side, for phyxels of a kernel.
    woven: Vec<Woven<R>>,
    /// The part of it that comes from damping, frozen at the start of the step.
    pub damping: Vec<PackedTangent<R>>,
    /// What the preconditioner takes the tangents for.
    pub isotropic: Vec<Isotropic<R>>,
}

impl<R: Real> Default for BlockScratch<R> {
    fn default() -> Self {
        let (tangents, damping) = (Vec::new(), Vec::new());
        let (corner_forces, penalty_factors) = (Vec::new(), Vec::new());
        let (general, isotropic, woven) = (GeneralScratch::default(), Vec::new(), Vec::new());
        BlockScratch { corner_forces, general, kept: None, penalty_factors, tangents, woven, damping, isotropic }
    }
}

impl<R: Real> BlockScratch<R> {
    /// Whether it holds tangents of phyxels of a kernel.
    pub fn is_of_kernel(&self) -> bool {
        !self.woven.is_empty()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.corner_forces[..])
            + size_of_val(&self.penalty_factors[..])
            + size_of_val(&self.tangents[..])
            + size_of_val(&self.woven[..])
            + size_of_val(&self.damping[..])
            + size_of_val(&self.isotropic[..])
            + self.general.memory_bytes()
    }
}

/// What an effective tangent is made of: `stiffness · C + viscosity · D`.
#[derive(Clone, Copy, Debug)]
pub struct TangentMix<R> {
    /// Factor of the elastic tangent.
    pub stiffness: R,
    /// Factor of the viscous tangent.
    pub viscosity: R,
}

impl<R: Real> Block<R> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        match &self.stencils {
            Stencils::Tets(t) => t.table.volumes.len(),
            Stencils::General(g) => g.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rest volumes [m³].
    pub fn volumes(&self) -> &[R] {
        match &self.stencils {
            Stencils::Tets(t) => &t.table.volumes,
            Stencils::General(g) => &g.table.volumes,
        }
    }

    /// Whether the stiffness is assembled into a matrix; phyxels are not (a two-ring pattern is too dense).
    pub fn is_assembled(&self) -> bool {
        match &self.stencils {
            Stencils::Tets(_) => true,
            Stencils::General(g) => g.assembled,
        }
    }

    /// Whether anything here resists velocity.
    pub fn is_damped(&self) -> bool {
        self.rayleigh_stiffness > R::zero() || self.is_viscous()
    }

    /// Whether there is viscosity; it depends on the deformation, even where the law is linear.
    pub fn is_viscous(&self) -> bool {
        self.viscosity.shear > R::zero() || self.viscosity.bulk > R::zero()
    }

    /// `Σ p ⊗ d` of element `e`.
    #[inline(always)]
    pub fn gradient(&self, e: usize, field: &[Vec3<R>]) -> Mat3<R> {
        match &self.stencils {
            Stencils::Tets(t) => t.gradient(e, field),
            Stencils::General(g) => g.gradient(e, field),
        }
    }

    /// What the law of element `e` sees under displacements `u`: `F − I`, or `F` for fibres.
    #[inline(always)]
    pub fn strain_argument(&self, e: usize, u: &[Vec3<R>]) -> Mat3<R> {
        match &self.stencils {
            Stencils::Tets(t) => t.gradient(e, u),
            Stencils::General(g) => g.gradient(e, u) + g.base(e),
        }
    }

    /// The gradient of what has happened to element `e` since its stencil was built.
    pub fn motion(&self, e: usize, u: &[Vec3<R>]) -> Mat3<R> {
        match &self.stencils {
            Stencils::General(g) if !g.base_inverse.is_empty() => {
                Mat3::identity() + g.gradient(e, u) * g.base_inverse[e]
            }
            _ => Mat3::identity() + self.strain_argument(e, u),
        }
    }

    /// [`Block::strain_argument`] of every element; nothing is summed where stencils have just been rebuilt.
    #[inline(always)]
    pub fn strain_arguments<'a>(&'a self, u: &'a [Vec3<R>]) -> impl Fn(usize) -> Mat3<R> + Sync + 'a {
        let still = matches!(&self.stencils, Stencils::General(g) if g.is_still(u));
        move |e| match &self.stencils {
            Stencils::General(g) if still => g.base(e),
            _ => self.strain_argument(e, u),
        }
    }

    /// Whether the law sees `F` itself instead of `F − I`.
    pub fn is_fibre(&self) -> bool {
        matches!(self.law, AnyLaw::Fibre(_))
    }

    /// Elastic energy under displacements `u` [J].
    pub fn energy(&self, rest: &[Vec3<R>], u: &[Vec3<R>], inner: Inner<'_, R>) -> f64 {
        self.strain_energy(u, inner) + self.residual_energy(rest, u, inner)
    }

    /// The part of it that the law stores [J].
    pub fn strain_energy(&self, u: &[Vec3<R>], inner: Inner<'_, R>) -> f64 {
        if !inner.is_empty() {
            return self.energy_of_grains(u, inner);
        }
        let volumes = self.volumes();
        let strain = self.strain_arguments(u);
        with_law!(&self.law, law => par::sum_few(volumes.len(), |e| (law.energy(strain(e)) * volumes[e]).to_f64()))
    }

    /// The part of it that stabilisation stores, in what stencils do not see [J].
    pub fn residual_energy(&self, rest: &[Vec3<R>], u: &[Vec3<R>], inner: Inner<'_, R>) -> f64 {
        let Stencils::General(s) = &self.stencils else { return 0.0 };
        if s.table.penalties.is_empty() || s.is_still(u) {
            return 0.0;
        }
        let factor = |e: usize| inner.grains.get(e).map_or(R::one(), |grain| self.inner.penalty_factor(grain));
        par::sum_few(s.len(), |e| {
            let modulus = self.penalty_modulus * factor(e);
            (s.penalty_energy(e, rest, u, s.gradient(e, u)) * modulus).to_f64()
        })
    }

    /// Adds elastic forces to `out` [N].
    pub fn add_forces(
        &self,
        rest: &[Vec3<R>],
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        if !inner.is_empty() {
            return self.add_forces_of_grains(rest, (u, inner), scratch, out);
        }
        self.prepare(scratch);
        with_law!(&self.law, law => match &self.stencils {
            Stencils::Tets(t) => self.add_forces_of_tets(t, u, scratch, &mut out[t.nodes()]),
            Stencils::General(s) => {
                let stress = |e: usize, g: Mat3<R>| law.stress(g + s.base(e)) * s.table.volumes[e];
                let penalty = Penalty { rest, modulus: self.penalty_modulus, factors: &[] };
                s.accumulate(penalty, u, &mut scratch.general, out, stress);
            }
        });
    }

    /// Adds the elastic forces of tetrahedra that remember nothing to those of their `own` nodes [N].
    pub fn add_own_forces(&self, u: &[Vec3<R>], scratch: &mut BlockScratch<R>, own: &mut [Vec3<R>]) {
        if let Stencils::Tets(tets) = &self.stencils {
            self.prepare(scratch);
            self.add_forces_of_tets(tets, u, scratch, own);
        }
    }

    /// Adds the forces that a look at stresses has left behind to those of the block's `own` nodes [N], if they are of this
    /// moment; false if they are not.
    pub fn add_kept_forces(&self, now: Moment, scratch: &mut BlockScratch<R>, own: &mut [Vec3<R>]) -> bool {
        match &self.stencils {
            Stencils::Tets(tets) if scratch.kept == Some(now) => {
                scratch.kept = None;
                tets.gather(&scratch.corner_forces, own);
                true
            }
            _ => false,
        }
    }

    fn add_forces_of_tets(&self, t: &Tets<R>, u: &[Vec3<R>], scratch: &mut BlockScratch<R>, own: &mut [Vec3<R>]) {
        with_law!(&self.law, law => {
            t.accumulate_wide(u, &mut scratch.corner_forces, own, |g| law.stress_wide(g), |g| law.stress(g));
        });
    }

    /// Adds the forces of Rayleigh's `beta` and of viscosity at velocities `v` to `out` [N].
    pub fn add_damping_forces(
        &self,
        rest: &[Vec3<R>],
        (u, v, inner): (&[Vec3<R>], &[Vec3<R>], Inner<'_, R>),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        if !self.is_damped() {
            return;
        }
        let mix = TangentMix { stiffness: self.rayleigh_stiffness, viscosity: R::one() };
        self.add_product_on_the_fly(rest, (u, v, inner), (mix, Curvature::Psd), scratch, out);
    }

    /// `out −= A p` with `A` of the given mix at displacements `u`, nothing stored per element.
    ///
    /// The exact curvature costs most laws a few products, the projected one a singular value decomposition.
    pub fn add_product_on_the_fly(
        &self,
        rest: &[Vec3<R>],
        (u, p, inner): (&[Vec3<R>], &[Vec3<R>], Inner<'_, R>),
        (mix, curvature): (TangentMix<R>, Curvature),
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        if !inner.is_empty() {
            return self.add_product_of_grains(rest, (u, p, inner), (mix, curvature), scratch, out);
        }
        self.prepare(scratch);
        let volumes = self.volumes();
        let viscous = self.is_viscous() && mix.viscosity > R::zero();
        with_law!(&self.law, law => {
            let stress = |e: usize, rate: Mat3<R>| {
                let g = self.strain_argument(e, u);
                let mut s = law.stress_change(g, rate, curvature) * mix.stiffness;
                if viscous {
                    s += self.viscosity.stress(g, rate) * mix.viscosity;
                }
                s * volumes[e]
            };
            match &self.stencils {
                Stencils::Tets(t) => t.accumulate(p, &mut scratch.corner_forces, out, stress),
                Stencils::General(s) => {
                    let penalty = Penalty { rest, modulus: self.penalty_modulus * mix.stiffness, factors: &[] };
                    s.accumulate(penalty, p, &mut scratch.general, out, stress);
                }
            }
        });
    }

    /// Stores the effective tangent of every element at displacements `u`, on top of the frozen damping part if
    /// there is one.
    pub fn refresh_tangents(
        &self,
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        mix: TangentMix<R>,
        curvature: Curvature,
        scratch: &mut BlockScratch<R>,
    ) {
        self.refresh_penalty_factors(inner, scratch);
        let BlockScratch { tangents, damping, .. } = scratch;
        tangents.resize(self.len(), PackedTangent::zero());
        self.tangents_into((u, inner), mix, curvature, tangents);
        if !damping.is_empty() {
            par::for_each(tangents, |e, t| t.add(&damping[e]));
        }
        let BlockScratch { tangents, woven, .. } = scratch;
        let groups = if self.is_of_kernel() { tangents.len().div_ceil(slim::GROUP) } else { 0 };
        woven.resize_with(groups, || Woven::of(&[]));
        par::chunks(woven, 16, |start, woven| {
            for (woven, group) in woven.iter_mut().zip(tangents.chunks(slim::GROUP).skip(start)) {
                *woven = Woven::of(group);
            }
        });
    }

    /// Whether weights come from a kernel; see [`Seen`](super::Seen).
    pub fn is_of_kernel(&self) -> bool {
        matches!(&self.stencils, Stencils::General(s) if !s.seen.is_empty())
    }

    /// Freezes the damping part of the tangent at displacements `u`.
    pub fn freeze_damping(
        &self,
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        mix: TangentMix<R>,
        scratch: &mut BlockScratch<R>,
    ) {
        scratch.damping.resize(self.len(), PackedTangent::zero());
        self.tangents_into((u, inner), mix, Curvature::Psd, &mut scratch.damping);
    }

    fn tangents_into(
        &self,
        (u, inner): (&[Vec3<R>], Inner<'_, R>),
        mix: TangentMix<R>,
        curvature: Curvature,
        tangents: &mut [PackedTangent<R>],
    ) {
        if !inner.is_empty() {
            return self.tangents_of_grains((u, inner), mix, curvature, tangents);
        }
        let volumes = self.volumes();
        let viscous = self.is_viscous() && mix.viscosity > R::zero();
        let strain = self.strain_arguments(u);
        with_law!(&self.law, law => par::chunks(tangents, 64, |start, chunk| {
            for (i, packed) in chunk.iter_mut().enumerate() {
                let e = start + i;
                let g = strain(e);
                let mut tangent = law.tangent(g, curvature);
                tangent.scale(mix.stiffness * volumes[e]);
                if viscous {
                    let mut d = self.viscosity.tangent(g);
                    d.scale(mix.viscosity * volumes[e]);
                    tangent.add(&d);
                }
                *packed = PackedTangent::pack(&tangent);
            }
        }));
    }

    /// `out −= A p` with the stored tangents; `penalty_scale` multiplies the stabilisation.
    pub fn add_product(
        &self,
        rest: &[Vec3<R>],
        p: &[Vec3<R>],
        penalty_scale: R,
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        self.prepare(scratch);
        let BlockScratch { tangents, woven, corner_forces, general, penalty_factors, .. } = scratch;
        let penalty = Penalty { rest, modulus: self.penalty_modulus * penalty_scale, factors: penalty_factors };
        match &self.stencils {
            Stencils::General(s) if !woven.is_empty() => {
                s.accumulate_woven(penalty, p, general, (out, R::one()), woven)
            }
            Stencils::Tets(t) => t.accumulate(p, corner_forces, out, |e, g| tangents[e].apply(&g)),
            Stencils::General(s) => s.accumulate(
                penalty,
                p,
                general,
                out,
                #[inline(always)]
                |e, g| tangents[e].apply(&g),
            ),
        }
    }

    /// `out += A p` with the stored tangents of phyxels of a kernel, as [`Block::add_product`] subtracts it; false, and nothing
    /// done, for other elements.
    pub fn add_product_of_kernel(
        &self,
        rest: &[Vec3<R>],
        p: &[Vec3<R>],
        penalty_scale: R,
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) -> bool {
        let BlockScratch { woven, general, penalty_factors, .. } = scratch;
        let penalty = Penalty { rest, modulus: self.penalty_modulus * penalty_scale, factors: penalty_factors };
        match &self.stencils {
            Stencils::General(s) if !woven.is_empty() => {
                s.accumulate_woven(penalty, p, general, (out, R::of(-1.0)), woven);
                true
            }
            _ => false,
        }
    }

    /// `out −= D v` with the frozen damping tangents.
    pub fn add_frozen_damping(
        &self,
        rest: &[Vec3<R>],
        v: &[Vec3<R>],
        penalty_scale: R,
        scratch: &mut BlockScratch<R>,
        out: &mut [Vec3<R>],
    ) {
        let woven = std::mem::take(&mut scratch.woven);
        std::mem::swap(&mut scratch.tangents, &mut scratch.damping);
        self.add_product(rest, v, penalty_scale, scratch, out);
        std::mem::swap(&mut scratch.tangents, &mut scratch.damping);
        scratch.woven = woven;
    }

    pub(crate) fn prepare(&self, scratch: &mut BlockScratch<R>) {
        scratch.kept = None;
        if let Stencils::Tets(_) = &self.stencils {
            scratch.corner_forces.resize(self.len(), [Vec3::zero(); 4]);
        }
    }

    /// Calls `f(nodes, weights)` with the entries of element `e`.
    #[inline(always)]
    pub fn with_entries<T>(&self, e: usize, f: impl FnOnce(&[u32], &[Vec3<R>]) -> T) -> T {
        match &self.stencils {
            Stencils::Tets(t) => f(&t.nodes_of(e), &t.weights(e)),
            Stencils::General(s) => f(&s.table.nodes[s.entries(e)], &s.table.weights[s.entries(e)]),
        }
    }

    /// Deformation gradient and Cauchy stress `P Fᵀ / det F` [Pa] of element `e`; for springs, the axial stress.
    pub fn cauchy_stress(&self, e: usize, u: &[Vec3<R>], inner: Inner<'_, R>) -> (Mat3<R>, Mat3<R>) {
        let g = self.strain_argument(e, u);
        let stress = match inner.grains.get(e) {
            Some(grain) => self.inner.stress(g, grain, inner.dt),
            None => self.law.stress(g),
        };
        if self.is_fibre() {
            return (g, stress * g.transpose());
        }
        let f = Mat3::identity() + g;
        (f, stress * f.transpose() * (R::one() / f.det()))
    }

    /// Elastic deformation that updated-Lagrangian phyxels remember.
    pub fn elastic(&self) -> &[Mat3<R>] {
        match &self.stencils {
            Stencils::General(general) => &general.elastic,
            Stencils::Tets(_) => &[],
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        match &self.stencils {
            Stencils::Tets(t) => t.memory_bytes(),
            Stencils::General(g) => g.memory_bytes(),
        }
    }
}
