//! The mathematics under the mechanics: small matrices and large systems.

mod bcsr;
pub mod cg;
mod direct;
mod eigen;
mod jacobi;
mod lanes;
mod mat3;
mod polar;
mod psd;
mod real;
mod registers;
mod svd;
#[cfg(test)]
pub(crate) mod test_input;
mod twin;
mod vec3;

pub use bcsr::Bcsr;
pub use direct::{Direct, FactorError, Factorisation};
pub use eigen::{eigen_symmetric, pseudo_inverse_symmetric};
pub use lanes::Lanes;
pub use mat3::Mat3;
pub use polar::{Polar, green_strain, polar, polar_rotation};
pub use psd::{project_psd_3, project_psd_9};
pub use real::{Quad, Real, Scalar};
pub use registers::{Registered, Registers};
pub use svd::{Svd, svd};
pub use twin::Twin;
pub use vec3::Vec3;
