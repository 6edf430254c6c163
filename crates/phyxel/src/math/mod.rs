//! The mathematics under the mechanics: small matrices and large systems.

mod bcsr;
pub mod cg;
mod direct;
mod lanes;
mod mat3;
mod real;
mod vec3;

pub use bcsr::Bcsr;
pub use direct::{Direct, FactorError, Factorisation};
pub use lanes::Lanes;
pub use mat3::Mat3;
pub use real::{Real, Scalar};
pub use vec3::Vec3;
