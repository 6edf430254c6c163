//! Updated-Lagrangian phyxels: the present shape becomes the reference, with the elastic deformation remembered.

use super::Model;
use super::melt::Melt;
use crate::fracture::Fragile;
use crate::material::Grain;
use crate::math::{Mat3, Real, Vec3, polar_rotation};
use crate::par;
use crate::scene::{Lagrangian, Method};
use crate::state::State;
use crate::stencil::block::Stencils;
use crate::stencil::{Neighbours, Present, Sight, StencilError, UpdatedStencils};
use std::ops::Range;

/// Phyxels that are molten by this much carry no cracks, and grow together with others that are.
const MOLTEN: f64 = 0.5;

/// Buffers of rebuilding one body's stencils.
#[derive(Clone, Debug, Default)]
pub struct Reanchor<R> {
    stencils: UpdatedStencils<R>,
    radii: Vec<R>,
    volumes: Vec<R>,
    melt: Melt<R>,
}

impl<R: Real> Reanchor<R> {
    /// Buffers for a block of a model that has just been built: how dense its matter is then is what a melt goes back to,
    /// wherever a snapshot makes it go on.
    pub fn new(model: &Model<R>, block: usize) -> Self {
        let mut buffers = Reanchor::default();
        let body = &model.bodies[model.blocks[block].body];
        if model.is_updated(model.blocks[block].body) && body.material.thermal.is_some() {
            buffers.size(model, block);
            // Points that no stencil can be built on are reported when the first step tries to.
            let _ = buffers.melt.measure(&model.rest[body.nodes.clone()], &buffers.volumes, &buffers.radii);
        }
        buffers
    }

    /// Looks anew at how many phyxels there are and what matter they have: some have been duplicated.
    pub(crate) fn renew(&mut self, model: &Model<R>, block: usize) {
        self.radii.clear();
        self.volumes.clear();
        self.size(model, block);
    }

    fn size(&mut self, model: &Model<R>, block: usize) {
        let body = &model.bodies[model.blocks[block].body];
        self.radii.extend(body.supports.iter().map(|&h| R::of(h)));
        self.volumes.extend_from_slice(model.blocks[block].volumes());
    }
}

impl<R: Real> Model<R> {
    /// Whether a body's phyxels are rebuilt every step.
    pub fn is_updated(&self, body: usize) -> bool {
        let body = &self.bodies[body];
        body.method == Method::Mls && body.mls.lagrangian == Lagrangian::Updated
    }

    /// Moves the reference of a block of phyxels to where they are now, and finds their neighbours there
    /// (Zhou et al. 2013, section 3.2), if they have moved since that was last done; false where they have not.
    pub fn reanchor(
        &mut self,
        state: &mut State<R>,
        block: usize,
        buffers: &mut Reanchor<R>,
    ) -> Result<bool, StencilError> {
        if buffers.radii.is_empty() {
            buffers.size(self, block);
        }
        let grains = state.grains.get(block).map_or(&[][..], |g| &g[..]);
        if !self.is_out_of_place(block, &state.u, grains) {
            return Ok(false);
        }
        let body = &mut self.bodies[self.blocks[block].body];
        let nodes = body.nodes.clone();
        let Stencils::General(general) = &mut self.blocks[block].stencils else { return Ok(false) };
        let grains = state.grains.get_mut(block).map_or(&mut [][..], |g| &mut g[..]);
        if let Some(flow) = body.fragile.as_mut().and_then(Fragile::flow) {
            let (general, u) = (&*general, &state.u);
            let back = |e: usize| general.base_inverse.get(e).copied().unwrap_or_else(Mat3::identity);
            flow.go_on(|e| Mat3((Mat3::identity() + general.gradient(e, u) * back(e)).to_f64()));
            flow.melt(grains.iter().map(|g| g.molten.to_f64() >= MOLTEN));
        }
        if general.elastic.is_empty() {
            general.elastic.resize(nodes.len(), Mat3::identity());
        } else {
            general.note_deformation(&state.u, grains);
        }
        for n in nodes.clone() {
            self.rest[n] += state.u[n];
            state.u[n] = Vec3::zero();
        }
        if !grains.is_empty() {
            let sizes = (&buffers.volumes[..], &buffers.radii[..]);
            buffers.melt.press(&self.rest[nodes], sizes, grains, &mut general.elastic)?;
        }
        self.rebuild(block, buffers)?;
        Ok(true)
    }

    /// Finds the neighbours of a block's phyxels in its reference, with the elastic deformation that they had there.
    pub fn rebuild(&mut self, block: usize, buffers: &mut Reanchor<R>) -> Result<(), StencilError> {
        if buffers.radii.is_empty() {
            buffers.size(self, block);
        }
        let body = &mut self.bodies[self.blocks[block].body];
        let nodes = body.nodes.clone();
        let Stencils::General(general) = &mut self.blocks[block].stencils else { return Ok(()) };
        let mut fragile = body.fragile.as_mut();
        let present = Present {
            positions: &self.rest[nodes.clone()],
            elastic: &general.elastic,
            volumes: &buffers.volumes,
            radii: &buffers.radii,
            mutual: body.mls.support.is_mutual(),
            kernel: body.mls.kernel,
            stabilisation: body.mls.stabilisation,
        };
        let mut seen = std::mem::take(&mut general.seen);
        if let Some(flow) = fragile.as_mut().and_then(|f| f.flow()) {
            flow.place(present.positions);
        }
        let parted = fragile.as_mut().filter(|f| f.may_hide());
        let mut look = parted.map(|f| move |near: &Neighbours, shares: &mut Vec<R>| f.shares(near, shares));
        let sight = look.as_mut().map(|look| look as Sight<'_, R>);
        buffers.stencils.rebuild_seen(&present, sight, (&mut general.table, &mut seen))?;
        if let Some(fragile) = fragile {
            fragile.follow(&general.table);
        }
        par::for_each(&mut general.table.nodes, |_, n| *n += nodes.start as u32);
        general.table_changed();
        general.seen = seen;
        general.rebase();
        Ok(())
    }

    /// Whether phyxels have moved too far from where their stencils were built. A motion of the whole body counts for nothing:
    /// its gradients are those of a rotation, which every law takes for one.
    fn is_out_of_place(&self, block: usize, u: &[Vec3<R>], grains: &[Grain<R>]) -> bool {
        let body = &self.bodies[self.blocks[block].body];
        let Stencils::General(general) = &self.blocks[block].stencils else { return false };
        // The volume of a melt is that of its present density.
        let flows = || grains.iter().any(|g| g.molten > R::zero());
        if general.elastic.is_empty() || body.mls.reanchor == 0.0 || flows() {
            return true;
        }
        let motion = Rigid::fit(&self.rest, u, body.nodes.clone());
        let start = body.nodes.start;
        // Cubes, since the spacing is the cube root of a volume.
        let off = |n: usize| {
            let missed = motion.missed(self.place(n, Vec3::zero()), Vec3(u[n].to_f64()));
            let volume = general.table.volumes[n - start].to_f64();
            // Pieces that are not deformed any more have no stencils to be rebuilt.
            if volume > 0.0 { missed * missed * missed / volume } else { 0.0 }
        };
        par::max(body.nodes.len(), 0.0, |i| off(start + i)) > body.mls.reanchor.powi(3)
    }
}

/// The rigid motion that takes a body's reference nearest to where it is.
struct Rigid {
    from: Vec3<f64>,
    shift: Vec3<f64>,
    rotation: Mat3<f64>,
}

impl Rigid {
    fn fit<R: Real>(rest: &[Vec3<R>], u: &[Vec3<R>], nodes: Range<usize>) -> Self {
        let at = |n: usize| (Vec3(rest[n].to_f64()), Vec3(u[n].to_f64()));
        let share = 1.0 / nodes.len().max(1) as f64;
        let sums = |range: Range<usize>| {
            range.map(at).fold((Vec3::zero(), Vec3::zero()), |sum, (x, u)| (sum.0 + x, sum.1 + u))
        };
        let (from, shift) = par::fold_ranges(nodes.clone(), &sums, &|a, b| (a.0 + b.0, a.1 + b.1));
        let (from, shift) = (from * share, shift * share);
        let moment = |range: Range<usize>| {
            range.map(at).fold(Mat3::zero(), |sum, (x, u)| sum + Mat3::outer(x + u - from - shift, x - from))
        };
        let moment = par::fold_ranges(nodes, &moment, &|a, b| a + b);
        let size = moment.norm();
        let rotation = if size > 0.0 { polar_rotation(&(moment * (1.0 / size))) } else { Mat3::identity() };
        Rigid { from, shift, rotation }
    }

    /// How far from where the motion takes it a node at `x` is that has moved by `u` [m].
    fn missed(&self, x: Vec3<f64>, u: Vec3<f64>) -> f64 {
        let arm = x - self.from;
        (arm + u - self.shift - self.rotation * arm).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_motion_is_found_and_what_is_off_it_is_told() {
        let rest: Vec<Vec3<f64>> = (0..60).map(|i| Vec3([i % 3, i / 3 % 4, i / 12].map(|c| c as f64 * 0.1))).collect();
        let turn = Mat3([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        let mut u: Vec<Vec3<f64>> = rest.iter().map(|x| turn * *x + Vec3([1.0, 2.0, 3.0]) - *x).collect();
        let motion = Rigid::fit(&rest, &u, 0..60);
        assert!((0..60).all(|i| motion.missed(rest[i], u[i]) < 1e-12));
        u[30] += Vec3([0.0, 0.0, 0.02]);
        let motion = Rigid::fit(&rest, &u, 0..60);
        assert!((motion.missed(rest[30], u[30]) - 0.02).abs() < 1e-3);
        assert!((0..60).filter(|i| *i != 30).all(|i| motion.missed(rest[i], u[i]) < 2e-3));
    }
}
