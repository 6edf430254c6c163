//! From nodes to deformation: every elastic thing is a list of nodes with gradient weights and a rest volume.

pub mod general;
pub mod incidence;
mod table;
pub mod tets;

pub use table::{StencilTable, TetTable};
