//! Rigid bodies: a thin layer over rapier, the only place that names it.
//!
//! Rapier finds and solves contact among rigid bodies and between them and colliders. What soft bodies do to rigid ones
//! is found by the implicit step, in which each rigid body has its velocity and spin as two further unknowns; the impulses
//! of that solve are handed over here before rapier takes the same step.

mod drawn;
mod shapes;
mod world;

pub use drawn::surface;
pub use shapes::{Mass, mass_properties};
pub use world::{Support, World};

use crate::contact::Pose;
use crate::math::{Mat3, Vec3};

/// Where a rigid body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// Its own frame in the world.
    pub pose: Pose,
    /// Centre of mass [m].
    pub center: Vec3<f64>,
    /// Velocity of the centre of mass [m/s].
    pub velocity: Vec3<f64>,
    /// Angular velocity [rad/s].
    pub spin: Vec3<f64>,
    /// Inertia about the centre of mass, in the world's directions [kg m²].
    pub inertia: Mat3<f64>,
}

impl RigidState {
    /// Its frame after `dt` at a velocity and spin.
    pub fn pose_after(&self, (velocity, spin): (Vec3<f64>, Vec3<f64>), dt: f64) -> Pose {
        let turn = crate::shape::Placement { position: [0.0; 3], rotation: (spin * dt).0 }.rotation_matrix();
        let arm = self.pose.position - self.center;
        Pose { rotation: turn * self.pose.rotation, position: self.center + velocity * dt + turn * arm }
    }
}
