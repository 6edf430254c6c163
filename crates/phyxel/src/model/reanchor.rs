//! Updated-Lagrangian phyxels: the present shape becomes the reference, with the elastic deformation remembered.

use super::Model;
use super::melt::Melt;
use crate::math::{Mat3, Real, Vec3};
use crate::scene::{Lagrangian, Method};
use crate::state::State;
use crate::stencil::block::Stencils;
use crate::stencil::{Present, StencilError, UpdatedStencils};

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
    /// (Zhou et al. 2013, section 3.2).
    pub fn reanchor(
        &mut self,
        state: &mut State<R>,
        block: usize,
        buffers: &mut Reanchor<R>,
    ) -> Result<(), StencilError> {
        if buffers.radii.is_empty() {
            buffers.size(self, block);
        }
        let body = &self.bodies[self.blocks[block].body];
        let nodes = body.nodes.clone();
        for n in nodes.clone() {
            self.rest[n] += state.u[n];
            state.u[n] = Vec3::zero();
        }
        let Stencils::General(general) = &mut self.blocks[block].stencils else { return Ok(()) };
        if general.elastic.is_empty() {
            general.elastic.resize(nodes.len(), Mat3::identity());
        }
        if let Some(grains) = state.grains.get(block).filter(|g| !g.is_empty()) {
            let sizes = (&buffers.volumes[..], &buffers.radii[..]);
            buffers.melt.press(&self.rest[nodes.clone()], sizes, grains, &mut general.elastic)?;
        }
        let present = Present {
            positions: &self.rest[nodes.clone()],
            elastic: &general.elastic,
            volumes: &buffers.volumes,
            radii: &buffers.radii,
            mutual: body.mls.support.is_mutual(),
            kernel: body.mls.kernel,
            stabilisation: body.mls.stabilisation,
        };
        buffers.stencils.rebuild(&present, &mut general.table)?;
        general.table.nodes.iter_mut().for_each(|n| *n += nodes.start as u32);
        general.table_changed();
        general.rebase();
        Ok(())
    }
}
