//! What elements remember.

use crate::math::{Mat3, Real};

/// What one element remembers besides where its nodes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain<R> {
    /// `F_p⁻¹ − I`; where the law is linear, minus the plastic strain; for springs, a multiple of the identity.
    pub offset: Mat3<R>,
    /// Equivalent plastic strain, accumulated.
    pub plastic_strain: R,
    /// Plastic work that has not yet become heat [J/m³ of rest volume].
    pub work: R,
    /// Thermal strain of each length.
    pub expansion: R,
    /// Stiffness over its cold value.
    pub stiffness: R,
    /// Yield stress or strain over its cold value.
    pub strength: R,
    /// How many times faster than cold matter it relaxes.
    pub fluidity: R,
    /// Molten share, 0 to 1.
    pub molten: R,
}

impl<R: Real> Default for Grain<R> {
    /// Virgin and cold.
    fn default() -> Self {
        let (zero, one) = (R::zero(), R::one());
        Grain {
            offset: Mat3::zero(),
            plastic_strain: zero,
            work: zero,
            expansion: zero,
            stiffness: one,
            strength: one,
            fluidity: one,
            molten: zero,
        }
    }
}

/// A time for which nothing flows at all, not even what does not care how long it has.
pub const FROZEN: f64 = -1.0;

/// The grains of one block, and for how long they may flow in this step.
#[derive(Clone, Copy, Debug)]
pub struct Inner<'a, R> {
    /// One per element; none for matter that has nothing to remember.
    pub grains: &'a [Grain<R>],
    /// [s]
    pub dt: R,
}

impl<R: Real> Inner<'_, R> {
    /// Of matter that has nothing to remember.
    pub fn none() -> Self {
        Inner { grains: &[], dt: R::zero() }
    }

    /// Whether there is nothing to remember.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.grains.is_empty()
    }
}

/// The grains of all blocks, and for how long they may flow in this step.
#[derive(Clone, Copy, Debug)]
pub struct Inners<'a, R> {
    /// Per block; bodies that remember nothing have none.
    pub grains: &'a [Vec<Grain<R>>],
    /// [s]
    pub dt: R,
}

impl<'a, R: Real> Inners<'a, R> {
    /// Of the `k`-th block.
    #[inline(always)]
    pub fn of(&self, k: usize) -> Inner<'a, R> {
        Inner { grains: self.grains.get(k).map_or(&[], |g| &g[..]), dt: self.dt }
    }
}
