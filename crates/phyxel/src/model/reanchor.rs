//! Updated-Lagrangian phyxels: the present shape becomes the reference, with the elastic deformation remembered.

use super::Model;
use super::melt::Melt;
use super::unions::{MOLTEN, Mixed};
use crate::fracture::Fragile;
use crate::material::Grain;
use crate::math::{Mat3, Real, Vec3, polar_rotation};
use crate::par;
use crate::scene::{Lagrangian, Method};
use crate::state::State;
use crate::stencil::block::Stencils;
use crate::stencil::{Crowd, Known, Neighbours, Present, Sight, StencilError, UpdatedStencils};
use std::ops::Range;

/// Buffers of rebuilding one body's stencils.
#[derive(Clone, Debug, Default)]
pub struct Reanchor<R> {
    stencils: UpdatedStencils<R>,
    radii: Vec<R>,
    volumes: Vec<R>,
    /// Who was near at rest and where, in solid matter that tears.
    first: (Neighbours, Vec<Vec3<R>>),
    melt: Melt<R>,
    /// The body with those of others that it sees, where it has run into any.
    mixed: Mixed<R>,
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
        if self.radii.is_empty() {
            let body = &model.bodies[model.blocks[block].body];
            self.radii.extend(body.supports.iter().map(|&h| R::of(h)));
            self.volumes.extend_from_slice(model.blocks[block].volumes());
        }
    }
}

/// Everybody that the phyxels of a body may see, whose own are at `positions`.
fn crowd<'a, R: Real>(
    positions: &'a [Vec3<R>],
    (volumes, radii): (&'a [R], &'a [R]),
    mixed: &'a Mixed<R>,
) -> Crowd<'a, R> {
    if mixed.is_empty() { Crowd { positions, volumes, radii, sees: &[] } } else { mixed.crowd() }
}

impl<R: Real> Model<R> {
    /// Whether a body's phyxels are rebuilt every step.
    pub fn is_updated(&self, body: usize) -> bool {
        let body = &self.bodies[body];
        body.method == Method::Mls && body.mls.lagrangian == Lagrangian::Updated
    }

    /// Moves the reference of blocks of phyxels, of a body or of all that are one piece of matter, to where they are now, and
    /// finds their neighbours there (Zhou et al. 2013, section 3.2), if they have moved since that was last done; false where
    /// they have not. There are `buffers` for each block of the model.
    pub fn reanchor(
        &mut self,
        state: &mut State<R>,
        blocks: &[usize],
        buffers: &mut [Reanchor<R>],
    ) -> Result<bool, StencilError> {
        blocks.iter().for_each(|&k| buffers[k].size(self, k));
        if !self.are_out_of_place(blocks, state) {
            return Ok(false);
        }
        // Stencils are about displacements of all of them: none may be counted anew before every strain is noted.
        for &block in blocks {
            self.note_deformation(state, block);
        }
        for &block in blocks {
            self.move_reference(state, block);
        }
        for &block in blocks {
            let grains = state.grains.get(block).map_or(&[][..], |g| &g[..]);
            self.press(block, grains, &mut buffers[block])?;
            self.rebuild(block, &mut buffers[block])?;
        }
        if blocks.len() > 1 {
            self.part(blocks);
        }
        Ok(true)
    }

    /// Remembers how phyxels are strained now.
    fn note_deformation(&mut self, state: &mut State<R>, block: usize) {
        let phyxels = self.blocks[block].len();
        let body = &mut self.bodies[self.blocks[block].body];
        let Stencils::General(general) = &mut self.blocks[block].stencils else { return };
        let grains = state.grains.get_mut(block).map_or(&mut [][..], |g| &mut g[..]);
        if let Some(flow) = body.fragile.as_mut().and_then(Fragile::flow) {
            let (general, u) = (&*general, &state.u);
            let back = |e: usize| general.base_inverse.get(e).copied().unwrap_or_else(Mat3::identity);
            flow.go_on(|e| Mat3((Mat3::identity() + general.gradient(e, u) * back(e)).to_f64()));
            flow.melt(grains.iter().map(|g| g.molten.to_f64() >= MOLTEN));
        }
        if general.elastic.is_empty() {
            general.elastic.resize(phyxels, Mat3::identity());
        } else {
            general.note_deformation(&state.u, grains);
        }
    }

    /// Makes where phyxels are now the place from which displacements are counted.
    fn move_reference(&mut self, state: &mut State<R>, block: usize) {
        for n in self.bodies[self.blocks[block].body].nodes.clone() {
            self.rest[n] += state.u[n];
            state.u[n] = Vec3::zero();
        }
    }

    /// Gives melts the volume that their density tells.
    fn press(&mut self, block: usize, grains: &[Grain<R>], buffers: &mut Reanchor<R>) -> Result<(), StencilError> {
        if grains.is_empty() {
            return Ok(());
        }
        self.mix(block, &mut buffers.mixed);
        let Self { bodies, blocks, rest, .. } = self;
        let nodes = bodies[blocks[block].body].nodes.clone();
        let Stencils::General(general) = &mut blocks[block].stencils else { return Ok(()) };
        let Reanchor { melt, volumes, radii, mixed, .. } = buffers;
        melt.press(&crowd(&rest[nodes], (volumes, radii), mixed), grains, &mut general.elastic)
    }

    /// Finds the neighbours of a block's phyxels in its reference, with the elastic deformation that they had there.
    pub fn rebuild(&mut self, block: usize, buffers: &mut Reanchor<R>) -> Result<(), StencilError> {
        buffers.size(self, block);
        self.mix(block, &mut buffers.mixed);
        let Self { bodies, blocks, rest, .. } = self;
        let body = &mut bodies[blocks[block].body];
        let nodes = body.nodes.clone();
        let Stencils::General(general) = &mut blocks[block].stencils else { return Ok(()) };
        let Reanchor { stencils, volumes, radii, first, mixed, .. } = buffers;
        let positions = &rest[nodes.clone()];
        let mut fragile = body.fragile.as_mut();
        let tears = body.material.tears() && fragile.as_mut().is_some_and(|f| f.list_first(first));
        let known = tears.then_some(Known { near: &first.0, rest: &first.1 });
        let present = Present {
            positions,
            elastic: &general.elastic,
            known,
            volumes,
            radii,
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
        let among = crowd(positions, (volumes, radii), mixed);
        stencils.rebuild_among(&present, (&among, sight), (&mut general.table, &mut seen))?;
        if let Some(fragile) = fragile {
            fragile.follow(&general.table);
        }
        let number = |n: u32| mixed.nodes.get(n as usize).copied().unwrap_or(n + nodes.start as u32);
        par::for_each(&mut general.table.nodes, |_, n| *n = number(*n));
        let covered = if mixed.is_empty() { nodes.clone() } else { covered(&general.table.nodes, &nodes) };
        let alone = covered == nodes;
        general.cover(covered);
        if alone {
            // What is known of kernels is known of one body.
            general.seen = seen;
        }
        general.rebase();
        Ok(())
    }

    /// Whether phyxels have moved too far from where their stencils were built. A motion of all of them counts for nothing:
    /// its gradients are those of a rotation, which every law takes for one.
    fn are_out_of_place(&self, blocks: &[usize], state: &State<R>) -> bool {
        let body_of = |block: &usize| &self.bodies[self.blocks[*block].body];
        let must = |block: &usize| {
            // The volume of a melt is that of its present density.
            let flows = || state.grains.get(*block).is_some_and(|g| g.iter().any(|g| g.molten > R::zero()));
            self.blocks[*block].elastic().is_empty() || body_of(block).mls.reanchor == 0.0 || flows()
        };
        if blocks.iter().any(must) {
            return true;
        }
        let motion = Rigid::fit(&self.rest, &state.u, blocks.iter().map(|block| body_of(block).nodes.clone()));
        blocks.iter().any(|block| {
            let (body, volumes) = (body_of(block), self.blocks[*block].volumes());
            let start = body.nodes.start;
            // Cubes, since the spacing is the cube root of a volume.
            let off = |n: usize| {
                let missed = motion.missed(self.place(n, Vec3::zero()), Vec3(state.u[n].to_f64()));
                let volume = volumes[n - start].to_f64();
                // Pieces that are not deformed any more have no stencils to be rebuilt.
                if volume > 0.0 { missed * missed * missed / volume } else { 0.0 }
            };
            par::max(body.nodes.len(), 0.0, |i| off(start + i)) > body.mls.reanchor.powi(3)
        })
    }
}

/// From the first to the last node that stencils are about, their own body's at least.
fn covered(nodes: &[u32], own: &Range<usize>) -> Range<usize> {
    nodes.iter().fold(own.clone(), |all, &n| all.start.min(n as usize)..all.end.max(n as usize + 1))
}

/// The rigid motion that takes a body's reference nearest to where it is.
struct Rigid {
    from: Vec3<f64>,
    shift: Vec3<f64>,
    rotation: Mat3<f64>,
}

impl Rigid {
    fn fit<R: Real>(rest: &[Vec3<R>], u: &[Vec3<R>], nodes: impl Iterator<Item = Range<usize>> + Clone) -> Self {
        let at = |n: usize| (Vec3(rest[n].to_f64()), Vec3(u[n].to_f64()));
        let share = 1.0 / nodes.clone().map(|range| range.len()).sum::<usize>().max(1) as f64;
        let sums = |range: Range<usize>| {
            range.map(at).fold((Vec3::zero(), Vec3::zero()), |sum, (x, u)| (sum.0 + x, sum.1 + u))
        };
        let add = |a: (Vec3<f64>, Vec3<f64>), b: (Vec3<f64>, Vec3<f64>)| (a.0 + b.0, a.1 + b.1);
        let bodies = nodes.clone().map(|range| par::fold_ranges(range, &sums, &add));
        let (from, shift) = bodies.fold((Vec3::zero(), Vec3::zero()), add);
        let (from, shift) = (from * share, shift * share);
        let moment = |range: Range<usize>| {
            range.map(at).fold(Mat3::zero(), |sum, (x, u)| sum + Mat3::outer(x + u - from - shift, x - from))
        };
        let moment =
            nodes.map(|range| par::fold_ranges(range, &moment, &|a, b| a + b)).fold(Mat3::zero(), |a, b| a + b);
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
        let motion = Rigid::fit(&rest, &u, std::iter::once(0..60));
        assert!((0..60).all(|i| motion.missed(rest[i], u[i]) < 1e-12));
        u[30] += Vec3([0.0, 0.0, 0.02]);
        let motion = Rigid::fit(&rest, &u, std::iter::once(0..60));
        assert!((motion.missed(rest[30], u[30]) - 0.02).abs() < 1e-3);
        assert!((0..60).filter(|i| *i != 30).all(|i| motion.missed(rest[i], u[i]) < 2e-3));
    }
}
