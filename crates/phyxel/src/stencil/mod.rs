//! Nodes to deformation gradients: `F_e = Σ_k x_k ⊗ d_k`, with `Σ_k d_k = 0` and `Σ_k X_k ⊗ d_k = I`.
//!
//! An element is a list of nodes with a gradient weight each, and a rest volume. Tetrahedra, smoothed tetrahedra and
//! meshless phyxels differ only in how that list is made, which is what this module does; the solver sees arrays.

pub mod block;
pub mod consistency;
pub mod diagonal;
mod error;
pub mod general;
pub mod incidence;
mod inner;
mod kernel;
pub mod mls;
mod nearest;
mod neighbours;
mod packed;
mod seen;
mod slices;
mod slim;
mod smoothed;
mod table;
mod tet;
pub mod tets;
mod updated;

pub use consistency::ConsistencyReport;
pub use error::StencilError;
pub use mls::{MlsReport, MlsStencils};
pub use nearest::mean_nearest_distances;
pub use neighbours::{NeighbourSearch, Neighbours, Radii};
pub use seen::Seen;
pub use table::{StencilTable, TetTable};
pub use updated::{Crowd, Known, Present, Sight, UpdatedStencils};
