//! A simulation whose precision is chosen at run time.

use crate::record::{BodyLayout, Frame, SnapshotError};
use crate::rigid::RigidState;
use crate::{
    BodySummary, BuildError, ContactForce, CrackEvent, Energy, Fragment, Scene, Simulation, StepError, StepReport,
};

/// The size of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Precision {
    /// Four bytes: twice as fast, seven digits.
    #[default]
    F32,
    /// Eight bytes: sixteen digits.
    F64,
}

impl Precision {
    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

/// A [`Simulation`] in either precision.
pub enum AnySimulation {
    /// In four bytes.
    F32(Box<Simulation<f32>>),
    /// In eight bytes.
    F64(Box<Simulation<f64>>),
}

macro_rules! either {
    ($self:expr, $s:ident => $body:expr) => {
        match $self {
            AnySimulation::F32($s) => $body,
            AnySimulation::F64($s) => $body,
        }
    };
}

impl AnySimulation {
    /// See [`Simulation::build`].
    pub fn build(scene: &Scene, precision: Precision) -> Result<Self, BuildError> {
        Ok(match precision {
            Precision::F32 => AnySimulation::F32(Box::new(Simulation::build(scene)?)),
            Precision::F64 => AnySimulation::F64(Box::new(Simulation::build(scene)?)),
        })
    }
    /// See [`Simulation::step`].
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        either!(self, s => s.step(dt))
    }
    /// See [`Simulation::advance_to`].
    pub fn advance_to(&mut self, time: f64) -> Result<StepReport, StepError> {
        either!(self, s => s.advance_to(time))
    }
    /// See [`Simulation::time`].
    pub fn time(&self) -> f64 {
        either!(self, s => s.time())
    }
    /// See [`Simulation::frame`].
    pub fn frame(&self, index: usize) -> Frame {
        either!(self, s => s.frame(index))
    }
    /// See [`Simulation::take_frame`].
    pub fn take_frame(&mut self, index: usize) -> Frame {
        either!(self, s => s.take_frame(index))
    }
    /// See [`Simulation::contacts`].
    pub fn contacts(&self) -> &[ContactForce] {
        either!(self, s => s.contacts())
    }
    /// See [`Simulation::rigid_bodies`].
    pub fn rigid_bodies(&self) -> &[RigidState] {
        either!(self, s => s.rigid_bodies())
    }
    /// See [`Simulation::fragments`].
    pub fn fragments(&self, body: usize) -> &[Fragment] {
        either!(self, s => s.fragments(body))
    }
    /// See [`Simulation::take_cracks`].
    pub fn take_cracks(&mut self) -> Vec<CrackEvent> {
        either!(self, s => s.take_cracks())
    }
    /// See [`Simulation::is_asleep`].
    pub fn is_asleep(&self, body: usize) -> bool {
        either!(self, s => s.is_asleep(body))
    }
    /// See [`Simulation::layouts`].
    pub fn layouts(&self) -> Vec<BodyLayout> {
        either!(self, s => s.layouts())
    }
    /// See [`Simulation::bodies`].
    pub fn bodies(&self) -> Vec<BodySummary> {
        either!(self, s => s.bodies())
    }
    /// See [`Simulation::energy`].
    pub fn energy(&self) -> Energy {
        either!(self, s => s.energy())
    }
    /// See [`Simulation::smallest_determinant`].
    pub fn smallest_determinant(&self) -> f64 {
        either!(self, s => s.smallest_determinant())
    }
    /// See [`Simulation::momentum`].
    pub fn momentum(&self) -> [f64; 3] {
        either!(self, s => s.momentum())
    }
    /// See [`Simulation::angular_momentum`].
    pub fn angular_momentum(&self) -> [f64; 3] {
        either!(self, s => s.angular_momentum())
    }
    /// See [`Simulation::state_hash`].
    pub fn state_hash(&self) -> u64 {
        either!(self, s => s.state_hash())
    }
    /// See [`Simulation::snapshot`].
    pub fn snapshot(&self) -> Vec<u8> {
        either!(self, s => s.snapshot())
    }
    /// See [`Simulation::restore`].
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        either!(self, s => s.restore(bytes))
    }
    /// See [`Simulation::warnings`].
    pub fn warnings(&self) -> &[String] {
        either!(self, s => s.warnings())
    }
    /// See [`Simulation::stable_step`].
    pub fn stable_step(&mut self) -> f64 {
        either!(self, s => s.stable_step())
    }
    /// See [`Simulation::memory_bytes`].
    pub fn memory_bytes(&self) -> usize {
        either!(self, s => s.memory_bytes())
    }
}
