//! Things that do not deform, and what is tied to what.

use super::{ColliderShape, Groups, Region};
use crate::shape::Placement;

/// A body that moves and turns but never deforms.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// Unique among all bodies of the scene.
    pub name: String,
    /// Its shape; half-spaces and height fields have no mass and cannot move.
    pub shape: ColliderShape,
    /// Where it stands at the start.
    pub placement: Placement,
    /// [kg/m³]
    pub density: f64,
    /// Velocity of its centre of mass at the start [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity at the start [rad/s].
    pub spin: [f64; 3],
    /// Coulomb friction coefficient; between two things the geometric mean counts.
    pub friction: f64,
    /// Part of the approach speed with which things leave, 0 to 1; of two things the larger one counts.
    pub restitution: f64,
    /// What it touches.
    pub groups: Groups,
}

impl RigidBody {
    /// At rest at the origin, as heavy as water, with friction 0.5 and no restitution.
    pub fn new(name: impl Into<String>, shape: ColliderShape) -> Self {
        RigidBody {
            name: name.into(),
            shape,
            placement: Placement::default(),
            density: 1000.0,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            friction: 0.5,
            restitution: 0.0,
            groups: Groups::default(),
        }
    }
}

/// Ties nodes of a body to something else, which pulls back as hard.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// The body, by name.
    pub body: String,
    /// Its nodes that are tied.
    pub region: Region,
    /// What they are tied to, by name: another body, or a rigid one.
    pub to: String,
    /// The pull of one node at which it tears off [N]; infinite when it never does.
    pub strength: f64,
}

/// A region that notices who is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Named in what it reports.
    pub name: String,
    /// Its shape.
    pub shape: ColliderShape,
    /// Where it is.
    pub placement: Placement,
    /// Whom it notices.
    pub groups: Groups,
}
