//! phyxel: solids that deform, yield, melt and break in real time.

pub mod material;
pub mod math;
pub mod record;
pub mod scene;
pub mod shape;
pub mod stencil;

pub use scene::Scene;
