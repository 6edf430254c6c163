//! Room for the nodes that cracks will make, so that the first break allocates no more than any other.

use super::fragile::{Fragile, Pieces};
use crate::math::Real;
use crate::model::Model;
use crate::state::State;
use crate::stencil::block::Stencils;

/// Lets an array grow by so much without moving. The room is written to once, or the first to use it would have to wait for
/// the system to hand it out.
pub(super) fn make_room<T: Clone>(values: &mut Vec<T>, more: usize) {
    if let Some(last) = values.last().cloned() {
        let count = values.len();
        values.resize(count + more, last);
        values.truncate(count);
    }
}

impl<R: Real> Model<R> {
    /// Makes room for as many nodes again in every body that can break.
    pub(crate) fn make_room_for_cracks(&mut self) {
        let more = self.nodes_to_come();
        make_room(&mut self.rest, more);
        make_room(&mut self.masses, more);
        make_room(&mut self.at_surface, more);
        make_room(&mut self.radii, more);
        make_room(&mut self.loads.dead, more);
        for block in &mut self.blocks {
            if let (Stencils::Tets(tets), Some(_)) = (&mut block.stencils, &self.bodies[block.body].fragile) {
                tets.make_room();
            }
        }
        self.bodies.iter_mut().filter_map(|b| b.fragile.as_mut()).for_each(Fragile::make_room);
    }

    /// The same in a state.
    pub(crate) fn make_room_in(&self, state: &mut State<R>) {
        let more = self.nodes_to_come();
        make_room(&mut state.u, more);
        make_room(&mut state.v, more);
    }

    fn nodes_to_come(&self) -> usize {
        self.bodies.iter().filter(|b| b.fragile.is_some()).map(|b| b.nodes.len()).sum()
    }
}

impl Fragile {
    fn make_room(&mut self) {
        let more = self.origin.len();
        make_room(&mut self.origin, more);
        make_room(&mut self.tips, more);
        if let Pieces::Tets(tets) = &mut self.pieces {
            tets.make_room(more);
        }
    }
}
