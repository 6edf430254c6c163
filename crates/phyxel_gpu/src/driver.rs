//! Moves a simulation on a device: events, stable steps and results stay with the simulation.

use crate::bench::KernelTime;
use crate::device::{Device, GpuError};
use crate::motor::Motor;
use crate::resident::Resident;
use crate::support::{why_not, why_not_matter};
use phyxel::scene::Scene;
use phyxel::{Simulation, StepError, StepReport};
use std::sync::Arc;

/// Why a simulation could not be moved on a device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DriveError {
    /// The scene holds something that devices cannot do.
    #[error("{0}")]
    Unsupported(String),
    /// The device failed; the simulation still has its last good state.
    #[error(transparent)]
    Device(#[from] GpuError),
    /// The motion itself failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Moves one simulation on one device. After every call the simulation has the state; until then it stays on the device.
pub struct Driver {
    motor: Motor,
}

impl Driver {
    /// Brings a simulation of `scene` to a device.
    pub fn new(device: &Arc<Device>, scene: &Scene, simulation: &Simulation<f32>) -> Result<Self, DriveError> {
        if let Some(why) = why_not(scene, simulation.model()) {
            return Err(DriveError::Unsupported(why));
        }
        Ok(Driver { motor: Motor::new(device, scene, simulation.model(), simulation.state())? })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        self.motor.device()
    }

    /// The model on the device.
    pub fn resident(&self) -> &Resident {
        &self.motor.resident
    }

    /// How long each kernel takes on the present state, which stays as it is; empty when the device has no clock.
    pub fn time_kernels(&self, simulation: &Simulation<f32>) -> Result<Vec<KernelTime>, GpuError> {
        let times = self.motor.time_kernels();
        self.resident().set_state(&simulation.state().u, &simulation.state().v);
        times
    }

    /// Takes steps of the scene's size until `time`, as [`Simulation::advance_to`] does.
    pub fn advance_to(&mut self, simulation: &mut Simulation<f32>, time: f64) -> Result<StepReport, DriveError> {
        let mut report = StepReport::default();
        let step = simulation.settings().step;
        let rest = time - simulation.time();
        if rest <= 1e-9 * step {
            return Ok(report);
        }
        let parts = (rest / step - 0.01).ceil().max(1.0);
        let equal = rest / parts;
        let dt = if (equal - step).abs() <= 1e-9 * step { step } else { equal };
        let mut left = parts as u64;
        while left > 0 {
            let now = simulation.time();
            if simulation.next_event().is_some_and(|at| at <= now + 0.5 * dt) {
                simulation.prepare_step(dt)?;
                if let Some(why) = why_not_matter(simulation.model()) {
                    return Err(DriveError::Unsupported(why));
                }
            }
            // All steps until the next event run together.
            let until = simulation.next_event().map_or(left, |at| (((at - now) / dt - 0.5).ceil().max(1.0)) as u64);
            let count = until.min(left);
            report.merge(&self.run(simulation, dt, count)?);
            left -= count;
        }
        Ok(report)
    }

    fn run(&mut self, simulation: &mut Simulation<f32>, dt: f64, count: u64) -> Result<StepReport, DriveError> {
        let limit = if simulation.is_explicit() { simulation.stable_step() } else { f64::INFINITY };
        let (mut state, settings) = (simulation.state().clone(), *simulation.settings());
        self.motor.refresh(simulation.model(), &state)?;
        let before = state.steps;
        let outcome = self.motor.run(simulation.model(), &mut state, &settings, limit, (dt, count));
        let (time, steps) = (state.time, state.steps - before);
        simulation.take_over(state.u, state.v, time, steps);
        outcome
    }
}
