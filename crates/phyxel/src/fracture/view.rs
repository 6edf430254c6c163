//! One body as those see it who look for what must break.

use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::state::State;
use crate::stencil::block::{Block, Moment};

/// A body, where its nodes are, and when that is.
pub(super) struct View<'a, R> {
    /// Which body.
    pub body: usize,
    pub spec: &'a BodyModel,
    /// Its blocks, and the number of the first of them.
    pub blocks: &'a [Block<R>],
    pub first_block: usize,
    /// All nodes at rest.
    pub rest: &'a [Vec3<R>],
    pub state: &'a State<R>,
    /// Of the model.
    pub version: u64,
}

impl<'a, R: Real> View<'a, R> {
    /// A body of a model.
    pub fn of(model: &'a Model<R>, state: &'a State<R>, body: usize) -> Self {
        let blocks = model.blocks_of(body);
        View {
            body,
            spec: &model.bodies[body],
            first_block: blocks.start,
            blocks: &model.blocks[blocks],
            rest: &model.rest,
            state,
            version: model.version,
        }
    }

    /// Where a node of the body is now [m].
    #[inline(always)]
    pub fn place(&self, node: u32) -> Vec3<f64> {
        let n = self.spec.nodes.start + node as usize;
        Vec3(self.rest[n].to_f64()) + Vec3(self.state.u[n].to_f64())
    }

    /// Now.
    pub fn moment(&self) -> Moment {
        (self.version, self.state.steps)
    }
}
