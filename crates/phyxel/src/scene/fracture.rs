//! What a scene says about breaking beside the material.

use super::Region;

/// A part of a body that breaks more easily, or less, than its material.
#[derive(Clone, Debug, PartialEq)]
pub struct Weakness {
    /// Which nodes.
    pub region: Region,
    /// Multiplies the strength there; above zero.
    pub factor: f64,
}

/// A plane that cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// A point on it [m].
    pub point: [f64; 3],
    /// Square to it, of any length but zero.
    pub normal: [f64; 3],
    /// How far from the point it reaches [m]; infinite for all the way.
    pub radius: f64,
}

impl Cut {
    /// A plane without end.
    pub fn plane(point: [f64; 3], normal: [f64; 3]) -> Self {
        Cut { point, normal, radius: f64::INFINITY }
    }
}
