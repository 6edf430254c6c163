//! Rigid bodies as an implicit step sees them: two unknowns each, behind those of the nodes.

use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::rigid::{RigidState, Support, World};

/// What a step needs to know of rigid bodies and ties.
#[derive(Clone, Debug, Default)]
pub struct Riders<R> {
    /// The bodies at the start of the step.
    pub states: Vec<RigidState>,
    /// Where they touch each other and the world.
    pub supports: Vec<Support>,
    /// Bodies that are left alone.
    pub asleep: Vec<bool>,
    /// Ties that have torn.
    pub torn: Vec<bool>,
    /// Mass and inertia of each, two matrices one after the other.
    pub masses: Vec<Mat3<R>>,
    /// Velocity and spin of each at the end of the step if nothing soft touches it.
    pub free: Vec<Vec3<R>>,
}

impl<R: Real> Riders<R> {
    /// Takes the bodies as they are in the world, to be moved for `gamma` [s].
    pub fn refresh(&mut self, world: Option<&World>, model: &Model<R>, torn: &[bool], gamma: f64) {
        self.torn.clear();
        self.torn.extend_from_slice(torn);
        let Some(world) = world else { return };
        world.states(&mut self.states);
        world.supports(&mut self.supports);
        self.masses.clear();
        self.free.clear();
        for (state, body) in self.states.iter().zip(&model.rigid) {
            self.masses.push(Mat3::scaled_identity(R::of(body.mass.mass)));
            self.masses.push(Mat3::of(state.inertia.0));
            let fall = Vec3(model.loads.gravity.to_f64()) * gamma;
            self.free.push(Vec3::of((state.velocity + fall).0));
            self.free.push(Vec3::of(state.spin.0));
        }
    }

    /// What rigid bodies that move at `v` have beyond their free motion, as kinetic energy [J].
    pub fn distance(&self, v: &[Vec3<R>]) -> f64 {
        let of = |k: usize| {
            let off = v[k] - self.free[k];
            0.5 * off.dot(self.masses[k] * off).to_f64()
        };
        (0..self.free.len()).map(of).sum()
    }
}
