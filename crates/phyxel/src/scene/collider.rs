//! What bodies hit.

use super::Groups;
use crate::contact::HeightField;
use crate::shape::{Placement, Solid};
use std::sync::Arc;

/// Something that bodies hit, and that they do not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its shape.
    pub shape: ColliderShape,
    /// Where it stands at the start.
    pub placement: Placement,
    /// How it moves.
    pub motion: Motion,
    /// Coulomb friction coefficient; with a body whose material has one of its own the geometric mean counts.
    pub friction: f64,
    /// Part of the approach speed with which things leave, 0 to 1.
    pub restitution: f64,
    /// What it touches.
    pub groups: Groups,
    /// Its temperature, if bodies exchange heat with it [K].
    pub temperature: Option<f64>,
}

impl Collider {
    /// At the origin, at rest, with friction 0.5 and no restitution.
    pub fn new(shape: ColliderShape) -> Self {
        let (placement, motion, groups) = (Placement::default(), Motion::default(), Groups::default());
        Collider { shape, placement, motion, friction: 0.5, restitution: 0.0, groups, temperature: None }
    }
}

/// The shapes of colliders; all but the half-space are centred at their origin, long ones along y.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Everything with `normal · x < offset` is solid.
    HalfSpace {
        /// Points out of the solid; any length but zero.
        normal: [f64; 3],
        /// Distance of the surface from the origin along the unit normal [m].
        offset: f64,
    },
    /// A ball.
    Sphere {
        /// [m]
        radius: f64,
    },
    /// A block.
    Box {
        /// Edge lengths [m].
        size: [f64; 3],
    },
    /// A cylinder with round ends.
    Capsule {
        /// [m]
        radius: f64,
        /// From end to end, at least twice the radius [m].
        height: f64,
    },
    /// A cylinder.
    Cylinder {
        /// [m]
        radius: f64,
        /// Length along y [m].
        height: f64,
    },
    /// Terrain: everything below it is solid.
    HeightField(Arc<HeightField>),
    /// A closed surface, met through a distance field.
    Mesh {
        /// The surface.
        solid: Arc<Solid>,
        /// Size of the field's finest cells [m]; `None` for a 64th of the longest side.
        cell: Option<f64>,
    },
}

/// How a scripted thing moves: along a path, and around a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Translation [m/s].
    pub velocity: [f64; 3],
    /// Axis times rate, about `center` [rad/s].
    pub spin: [f64; 3],
    /// What it turns about, at the start [m].
    pub center: [f64; 3],
    /// When velocity and spin end [s].
    pub until: f64,
    /// Shifts at given times, straight in between: `(time [s], shift [m])`, ascending; added to the above.
    pub keys: Vec<(f64, [f64; 3])>,
}

impl Default for Motion {
    fn default() -> Self {
        Motion { velocity: [0.0; 3], spin: [0.0; 3], center: [0.0; 3], until: f64::INFINITY, keys: Vec::new() }
    }
}
