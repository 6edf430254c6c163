//! Which bodies have something to remember.

use super::Model;
use crate::material::Grain;
use crate::math::Real;
use crate::state::State;

impl<R: Real> Model<R> {
    /// Gives the elements of bodies that yield or have a temperature their grains; those that have some keep them.
    pub fn add_grains(&self, state: &mut State<R>) {
        for (k, block) in self.blocks.iter().enumerate() {
            if self.bodies[block.body].material.plastic.is_none() && !self.is_heated(block.body) {
                continue;
            }
            if state.grains.len() < self.blocks.len() {
                state.grains.resize_with(self.blocks.len(), Vec::new);
            }
            state.grains[k].resize(block.len(), Grain::default());
        }
    }
}
