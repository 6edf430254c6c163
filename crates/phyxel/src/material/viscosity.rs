//! Kelvin–Voigt viscosity: stress from the rate of strain, in parallel with the law's.

use super::{Material, Tangent};
use crate::math::{Mat3, Real};

/// `P = F (2 η Ė + ζ tr(Ė) I)` with the rate of Green strain `Ė = sym(Fᵀ Ḟ)`; blind to rigid motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscosity<R> {
    /// `η` [Pa s].
    pub shear: R,
    /// `ζ` [Pa s].
    pub bulk: R,
}

impl<R: Real> Viscosity<R> {
    /// The viscosities of a material.
    pub fn new(material: &Material) -> Self {
        Viscosity { shear: R::of(material.viscosity), bulk: R::of(material.bulk_viscosity) }
    }

    /// Whether it does nothing.
    pub fn is_zero(&self) -> bool {
        self.shear == R::zero() && self.bulk == R::zero()
    }

    /// First Piola–Kirchhoff stress at `F = I + G` that changes at the rate `Ḟ` [1/s]; in [Pa].
    #[inline]
    pub fn stress(&self, g: Mat3<R>, rate: Mat3<R>) -> Mat3<R> {
        let f = Mat3::identity() + g;
        let strain_rate = (f.transpose() * rate).symmetric_part();
        f * (strain_rate * (self.shear + self.shear) + Mat3::scaled_identity(self.bulk * strain_rate.trace()))
    }

    /// `∂P/∂Ḟ` at fixed `F` [Pa s]: symmetric and positive semi-definite, and the stress is its product with `Ḟ`.
    #[inline]
    pub fn tangent(&self, g: Mat3<R>) -> Tangent<R> {
        Tangent::from_changes(|rate| self.stress(g, rate))
    }
}
