//! Moves a simulation on a device: events, stable steps and results stay with the simulation.

use crate::balance::balanced;
use crate::bench::KernelTime;
use crate::device::{Device, GpuError};
use crate::motor::Motor;
use crate::resident::Resident;
use crate::shared::Shared;
use crate::support::{why_not, why_not_break};
use phyxel::scene::{Place, Scene};
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

/// After so many stable steps the stable step of matter that flows is asked for again.
const SUBSTEPS_OF_FLOW: f64 = 128.0;

/// Moves one simulation on one device, or on the device and the processor at once where bodies never touch each other. After
/// every call the simulation has the state; until then it stays on the device.
pub struct Driver {
    kind: Kind,
}

#[allow(clippy::large_enum_variant)] // there is one
enum Kind {
    Whole(Whole),
    Shared(Box<Shared>),
}

impl Driver {
    /// Brings a simulation of `scene` to a device, or as much of it as the device can do.
    pub fn new(device: &Arc<Device>, scene: &Scene, simulation: &Simulation<f32>) -> Result<Self, DriveError> {
        let why = why_not(scene, simulation.model()).or_else(|| {
            let asked = scene.bodies.iter().find(|b| b.place == Place::Cpu)?;
            Some(format!("body {:?} is to be on the CPU", asked.name))
        });
        let kind = match why {
            None => Kind::Whole(Whole::new(device, scene, simulation)?),
            Some(why) => Kind::Shared(Box::new(Shared::new(device, scene, simulation, &why)?)),
        };
        Ok(Driver { kind })
    }

    /// The same with each body where it is fastest: every group of bodies that can touch is watched for some steps on the
    /// processor and on the device, from copies of the present state. Bodies whose [`Place`] is told stay there. Because
    /// clocks decide, two runs may differ in their last digits.
    pub fn balanced(device: &Arc<Device>, scene: &Scene, simulation: &Simulation<f32>) -> Result<Self, DriveError> {
        let told = balanced(device, scene, simulation)?;
        if told.bodies.iter().all(|b| b.place == Place::Cpu) {
            return Err(DriveError::Unsupported("the processor alone is faster".into()));
        }
        Driver::new(device, &told, simulation)
    }

    fn whole(&self) -> &Whole {
        match &self.kind {
            Kind::Whole(whole) => whole,
            Kind::Shared(shared) => &shared.driver,
        }
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        self.whole().motor.device()
    }

    /// How often bodies whose phyxels have no rest shape have got new stencils there.
    pub fn reanchorings(&self) -> usize {
        self.whole().motor.moving.as_ref().map_or(0, |moving| moving.times)
    }

    /// Whether the processor moves some of the bodies.
    pub fn is_shared(&self) -> bool {
        matches!(self.kind, Kind::Shared(_))
    }

    /// The model on the device.
    pub fn resident(&self) -> &Resident {
        &self.whole().motor.resident
    }

    /// How long each kernel takes on the present state, which stays as it is; empty when the device has no clock.
    pub fn time_kernels(&self) -> Result<Vec<KernelTime>, GpuError> {
        let (u, v) = self.resident().state()?;
        let times = self.whole().motor.time_kernels();
        self.resident().set_state(&u, &v);
        times
    }

    /// Takes steps of the scene's size until `time`, as [`Simulation::advance_to`] does.
    pub fn advance_to(&mut self, simulation: &mut Simulation<f32>, time: f64) -> Result<StepReport, DriveError> {
        match &mut self.kind {
            Kind::Whole(whole) => whole.advance_to(simulation, time),
            Kind::Shared(shared) => shared.advance_to(simulation, time),
        }
    }
}

/// Moves a whole simulation on a device.
pub(crate) struct Whole {
    pub(crate) motor: Motor,
}

impl Whole {
    /// Brings a simulation that devices can do to one.
    pub(crate) fn new(device: &Arc<Device>, scene: &Scene, simulation: &Simulation<f32>) -> Result<Self, DriveError> {
        Ok(Whole { motor: Motor::new(device, scene, simulation.model(), simulation.state())? })
    }

    pub(crate) fn advance_to(&mut self, simulation: &mut Simulation<f32>, time: f64) -> Result<StepReport, DriveError> {
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
            simulation.anchor_phyxels()?;
            let now = simulation.time();
            if simulation.next_event().is_some_and(|at| at <= now + 0.5 * dt) {
                simulation.prepare_step(dt)?;
                let integrator = simulation.settings().integrator;
                if let Some(why) = why_not_break(integrator, simulation.model()) {
                    return Err(DriveError::Unsupported(why));
                }
            }
            // All steps until the next event run together.
            let until = simulation.next_event().map_or(left, |at| (((at - now) / dt - 0.5).ceil().max(1.0)) as u64);
            let count = until.min(left).min(self.steps_at_once(simulation, dt));
            let taken = self.run(simulation, dt, count)?;
            left -= (taken.steps as u64).min(left);
            report.merge(&taken);
        }
        Ok(report)
    }

    /// Matter that flows stiffens, or has other neighbours than before: its stable step is looked at again before long.
    fn steps_at_once(&self, simulation: &mut Simulation<f32>, dt: f64) -> u64 {
        if !(simulation.is_explicit() && (self.motor.resident.flows() || self.motor.moving.is_some())) {
            return u64::MAX;
        }
        (SUBSTEPS_OF_FLOW * simulation.stable_step() / dt).max(1.0) as u64
    }

    fn run(&mut self, simulation: &mut Simulation<f32>, dt: f64, count: u64) -> Result<StepReport, DriveError> {
        let limit = if simulation.is_explicit() { simulation.stable_step() } else { f64::INFINITY };
        if self.motor.breaks() {
            return self.motor.run_and_break(simulation, limit, (dt, count));
        }
        let (mut state, settings) = (simulation.state().clone(), *simulation.settings());
        self.motor.refresh(simulation.model(), &state)?;
        let before = state.steps;
        let outcome = self.motor.run(simulation.model(), &mut state, &settings, limit, (dt, count));
        if let (Err(DriveError::Device(_)), Some(_)) = (&outcome, &self.motor.moving) {
            // The reference of the simulation is older than that of the state.
            self.motor.version = u64::MAX;
            return outcome;
        }
        if let Some((rest, elastic)) = self.motor.take_reference(simulation.model())? {
            simulation.take_over_reference(rest, elastic);
        }
        let (time, steps) = (state.time, state.steps - before);
        simulation.take_over(state.u, state.v, time, steps);
        simulation.take_over_grains(state.grains);
        self.motor.left = (simulation.time(), simulation.state().steps);
        outcome
    }
}
