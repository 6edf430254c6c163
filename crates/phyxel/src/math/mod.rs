//! The mathematics under the mechanics: small matrices and large systems.

mod lanes;
mod mat3;
mod real;
mod vec3;

pub use lanes::Lanes;
pub use mat3::Mat3;
pub use real::{Real, Scalar};
pub use vec3::Vec3;
