//! Rigid bodies and ties where contact is solved by impulses: in position-based and explicit steps.

use super::ledger::{Note, Sum};
use crate::contact::Pose;
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::rigid::RigidState;

/// The rigid bodies of a scene during a step, which go along with the soft ones until rapier takes the step.
#[derive(Clone, Debug, Default)]
pub struct Riding<R> {
    /// Where they are, moved on with every part of the step.
    pub states: Vec<RigidState>,
    /// Inverse mass [1/kg] and inverse inertia [1/(kg m²)].
    inverse: Vec<(R, Mat3<R>)>,
    /// Velocity and spin in the unit of the unknowns, one after the other.
    pub x: Vec<Vec3<R>>,
    /// What the step has done to them so far: linear [N s], and about the centre of mass [N m s].
    pub impulses: Vec<(Vec3<f64>, Vec3<f64>)>,
    /// What they have done to each body [N s]; `None` where they do not touch.
    pub pushed: Vec<Option<Vec3<f64>>>,
    /// Ties that have torn before, or do in this step.
    pub torn: Vec<bool>,
    /// Contacts of the step so far.
    pub notes: Vec<Note>,
    /// Those with colliders that were summed up on the way.
    pub sums: Vec<Sum>,
}

/// A point of a rigid body.
#[derive(Clone, Copy, Debug)]
pub struct Hand<R> {
    /// Which body.
    pub rigid: u32,
    /// From its centre of mass [m].
    pub arm: Vec3<R>,
}

impl<R: Real> Riding<R> {
    /// Starts a step.
    pub fn begin(&mut self, model: &Model<R>, states: &[RigidState], torn: &[bool]) {
        self.states.clear();
        self.states.extend_from_slice(states);
        self.torn.clear();
        self.torn.extend_from_slice(torn);
        self.notes.clear();
        self.sums.clear();
        self.impulses.clear();
        self.impulses.resize(states.len(), Default::default());
        self.pushed.clear();
        self.pushed.resize(model.bodies.len(), None);
    }

    /// Starts a part of `h` in which gravity acts; one unit of the unknowns is a velocity of `1/scale`.
    pub fn begin_part(&mut self, model: &Model<R>, h: f64, scale: f64) {
        let fall = Vec3(model.loads.gravity.to_f64()) * h;
        self.inverse.clear();
        self.x.clear();
        for (state, body) in self.states.iter_mut().zip(&model.rigid) {
            state.velocity += fall;
            let inertia: Mat3<R> = Mat3::of(state.inertia.0);
            let inverse = inertia.inverse().unwrap_or(Mat3::zero());
            self.inverse.push((R::of(1.0 / body.mass.mass), inverse));
            self.x.push(Vec3::of((state.velocity * scale).0));
            self.x.push(Vec3::of((state.spin * scale).0));
        }
    }

    /// Moves the bodies on by `h`.
    pub fn end_part(&mut self, h: f64, scale: f64) {
        for (k, state) in self.states.iter_mut().enumerate() {
            state.velocity = Vec3(self.x[2 * k].to_f64()) * (1.0 / scale);
            state.spin = Vec3(self.x[2 * k + 1].to_f64()) * (1.0 / scale);
            let Pose { rotation, position } = state.pose_after((state.velocity, state.spin), h);
            let turn = rotation * state.pose.rotation.transpose();
            state.inertia = turn * state.inertia * turn.transpose();
            state.center += state.velocity * h;
            state.pose = Pose { rotation, position };
        }
    }

    /// How a point moves, in the unit of the unknowns.
    #[inline]
    pub fn motion(&self, hand: &Hand<R>) -> Vec3<R> {
        let k = 2 * hand.rigid as usize;
        self.x[k] + self.x[k + 1].cross(hand.arm)
    }

    /// How much a point moves for an impulse along a unit vector, and at most for one in any direction.
    pub fn rates(&self, hand: &Hand<R>, normal: Vec3<R>) -> (R, R) {
        let (inverse_mass, inverse) = self.inverse[hand.rigid as usize];
        let turned = hand.arm.cross(normal);
        let most = hand.arm.dot(hand.arm) * inverse.trace();
        (inverse_mass + turned.dot(inverse * turned), inverse_mass + most)
    }

    /// Takes an impulse from a body at a point.
    #[inline]
    pub fn take(&mut self, hand: &Hand<R>, impulse: Vec3<R>) {
        let k = 2 * hand.rigid as usize;
        let (inverse_mass, inverse) = self.inverse[hand.rigid as usize];
        self.x[k] -= impulse * inverse_mass;
        self.x[k + 1] -= inverse * hand.arm.cross(impulse);
    }

    /// Notes an impulse that a part of the step has taken from a body and given to a soft one [N s].
    pub fn note(&mut self, hand: &Hand<R>, body: usize, impulse: Vec3<f64>) {
        let (push, turn) = &mut self.impulses[hand.rigid as usize];
        *push -= impulse;
        *turn -= Vec3(hand.arm.to_f64()).cross(impulse);
        *self.pushed[body].get_or_insert(Vec3::zero()) += impulse;
    }
}
