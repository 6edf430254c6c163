//! What a scene says about breaking beside the material.

use super::Region;
use crate::math::Vec3;

/// A part of a body that breaks more easily, or less, than its material.
#[derive(Clone, Debug, PartialEq)]
pub struct Weakness {
    /// Which nodes.
    pub region: Region,
    /// Multiplies the strength there; above zero.
    pub factor: f64,
}

/// What becomes of small pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FragmentRule {
    /// Pieces with less rest volume than this are small [m³].
    pub smaller_than: f64,
    /// What becomes of them.
    pub fate: Fate,
}

/// What becomes of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is deformed and breaks like any other.
    #[default]
    Kept,
    /// It moves as a rigid body and does not break any more.
    Rigid,
    /// It is gone: not drawn, not touched. Its mass is told in the report.
    Removed,
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

/// A blade: a straight edge that moves through matter and parts what it passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    /// Both ends of its edge at the start [m].
    pub from: [[f64; 3]; 2],
    /// Both ends when it has arrived [m]; they move evenly, along straight lines.
    pub to: [[f64; 3]; 2],
    /// How long that takes [s].
    pub duration: f64,
}

impl Blade {
    /// How fast its faster end moves [m/s].
    pub fn speed(&self) -> f64 {
        let way = |k: usize| (Vec3(self.to[k]) - Vec3(self.from[k])).norm();
        way(0).max(way(1)) / self.duration
    }
}
