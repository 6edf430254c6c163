//! What phyxels see through a kernel, beside the table of weights that it makes.

use super::StencilTable;
use super::mls::{ByKernel, Dropped, Entries};
use super::slices::{PerRow, fill_rows};
use crate::math::{Mat3, Real};

/// How the weights of a table come from a kernel: `d_ij = w_ij N_i x_ij`, with the present offsets `x_ij = x_j − x_i`, and
/// `c_ij = κ_i w_ij` where there are penalties. Two numbers per entry then say what four and more did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen<R> {
    /// `w_ij` of each entry; zero for a phyxel itself. Empty where weights come from elsewhere.
    pub kernels: Vec<R>,
    /// What else there is to know, phyxel by phyxel.
    pub phyxels: Vec<SeenPhyxel<R>>,
}

/// What a phyxel makes of what its kernel gives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenPhyxel<R> {
    /// `N_i` [1/m²].
    pub map: Mat3<R>,
    /// `κ_i`, to be multiplied with a modulus [m]; zero without stabilisation.
    pub pull: R,
    /// Whether the gradient is that of least squares in all directions: residuals are then perpendicular to all linear
    /// fields.
    pub exact: bool,
}

impl<R: Real> Seen<R> {
    /// Weights come from elsewhere now.
    pub fn clear(&mut self) {
        self.kernels.clear();
        self.phyxels.clear();
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.phyxels.is_empty()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.kernels[..]) + size_of_val(&self.phyxels[..])
    }

    /// Fills a table of the right size and this together, in parallel; `turns` takes the map from offsets in the local rest
    /// shape to one from present offsets.
    pub(super) fn fill(
        &mut self,
        table: &mut StencilTable<R>,
        turns: &[Mat3<R>],
        fill: impl Fn(usize, Entries<'_, R>, &mut [R]) -> ByKernel<R> + Sync,
    ) -> Dropped {
        self.kernels.resize(table.nodes.len(), R::zero());
        self.phyxels.resize(table.len(), SeenPhyxel::default());
        let StencilTable { offsets, nodes, weights, penalties, .. } = table;
        let stabilised = !penalties.is_empty();
        let penalties = stabilised.then_some(penalties.as_mut_slice());
        let of_table = (nodes.as_mut_slice(), (weights.as_mut_slice(), penalties));
        let data = (of_table, (self.kernels.as_mut_slice(), PerRow(&mut self.phyxels)));
        fill_rows(offsets, data, &|i, ((nodes, (weights, penalties)), (kernels, PerRow(phyxel)))| {
            let ByKernel { dropped, map, pull, exact } = fill(i, Entries { nodes, weights, penalties }, kernels);
            let pull = if stabilised { pull } else { R::zero() };
            phyxel[0] = SeenPhyxel { map: map * turns[i], pull, exact };
            dropped
        })
    }
}
