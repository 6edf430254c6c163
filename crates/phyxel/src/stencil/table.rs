//! Stencils as plain arrays (contract; replaced at merge).
use crate::math::{Real, Vec3};
/// Tetrahedra.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TetTable<R> {
    /// Nodes.
    pub nodes: Vec<[u32; 4]>,
    /// d1, d2, d3.
    pub gradients: Vec<[Vec3<R>; 3]>,
    /// Volumes.
    pub volumes: Vec<R>,
}
/// Stencils.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct StencilTable<R> {
    /// Offsets.
    pub offsets: Vec<u32>,
    /// Nodes.
    pub nodes: Vec<u32>,
    /// Weights.
    pub weights: Vec<Vec3<R>>,
    /// Volumes.
    pub volumes: Vec<R>,
    /// Penalties.
    pub penalties: Vec<R>,
}
impl<R: Real> StencilTable<R> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.volumes.len()
    }
}
