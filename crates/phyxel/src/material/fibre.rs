//! Springs between two nodes.

use super::{Constraint, Curvature, Law, Tangent};
use crate::math::{Mat3, Real};

/// `Ψ = ½ modulus (‖F‖ − 1)²` for stencils of two nodes, whose `F = l ⊗ t` holds the spring's vector over its rest length.
///
/// Fibres have no unit part: the argument `g` of every method here is `F` itself, not `F − I`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibre<R> {
    /// Stress per stretch, Young's modulus of the fibre [Pa].
    pub modulus: R,
}

impl<R: Real> Fibre<R> {
    /// Stretch `‖F‖` and direction `F / ‖F‖`, which is zero for a spring without length.
    #[inline(always)]
    fn stretch(f: &Mat3<R>) -> (R, Mat3<R>) {
        let stretch = f.norm();
        (stretch, if stretch > R::zero() { *f * (R::one() / stretch) } else { Mat3::zero() })
    }
}

impl<R: Real> Law<R> for Fibre<R> {
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let strain = g.norm() - R::one();
        R::of(0.5) * self.modulus * strain * strain
    }

    #[inline]
    fn stress(&self, g: Mat3<R>) -> Mat3<R> {
        let (stretch, direction) = Self::stretch(&g);
        direction * (self.modulus * (stretch - R::one()))
    }

    #[inline]
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        Tangent::from_changes(|dg| self.stress_change(g, dg, curvature))
    }

    /// `modulus` along the spring and `modulus (1 − 1/‖F‖)` across it: tension stiffens a string, and compression, which
    /// makes it buckle, is what the projection takes out. A spring without length resists nothing.
    #[inline]
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        let (stretch, direction) = Self::stretch(&g);
        if stretch == R::zero() {
            return Mat3::zero();
        }
        let tension = self.modulus * (stretch - R::one()) / stretch.max(R::EPSILON);
        let across = if curvature == Curvature::Psd { tension.max(R::zero()) } else { tension };
        let along = direction * direction.contract(&dg);
        along * self.modulus + (dg - along) * across
    }

    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let (stretch, gradient) = Self::stretch(&g);
        let spring = Constraint { value: stretch - R::one(), gradient, modulus: self.modulus };
        [spring, Constraint::none(), Constraint::none()]
    }
}
