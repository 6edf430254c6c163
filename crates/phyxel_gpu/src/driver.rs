//! Moves a simulation on a device: events, stable steps and results stay with the simulation.

use crate::ahead::{Ahead, Order};
use crate::balance::balanced;
use crate::bench::KernelTime;
use crate::device::{Device, GpuError};
use crate::motor::{Motor, parts_of};
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
/// every call the simulation has the state; until then it stays on the device, and nobody uploads it again unless something else
/// than the driver has changed it.
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

    /// How often steps were submitted ahead, see [`Driver::advance_with_next`].
    pub fn ahead(&self) -> Ahead {
        self.whole().motor.ahead_so_far
    }

    /// The model on the device, to be looked at; its state may be that of the next frame already (see
    /// [`Driver::advance_with_next`]).
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
        self.advance_with_next(simulation, time, None)
    }

    /// The same, and tells where the call after this one will go. Steps until then are submitted before the state at `time` is
    /// waited for, where nothing can come in between: the device takes them while the processor looks at this state. What is
    /// calculated is the same, bit for bit. Whoever changes the simulation before the next call, or goes elsewhere with it, loses
    /// nothing but what the device has done in vain.
    pub fn advance_with_next(
        &mut self,
        simulation: &mut Simulation<f32>,
        time: f64,
        next: Option<f64>,
    ) -> Result<StepReport, DriveError> {
        match &mut self.kind {
            Kind::Whole(whole) => whole.advance_to(simulation, time, next),
            Kind::Shared(shared) => shared.advance_to(simulation, time, next),
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
        let mut motor = Motor::new(device, scene, simulation.model(), simulation.state())?;
        motor.newest = Some(simulation.revision());
        Ok(Whole { motor })
    }

    pub(crate) fn advance_to(
        &mut self,
        simulation: &mut Simulation<f32>,
        time: f64,
        next: Option<f64>,
    ) -> Result<StepReport, DriveError> {
        let mut report = StepReport::default();
        let step = simulation.settings().step;
        let Some((dt, mut left)) = steps_to(simulation.time(), time, step) else { return Ok(report) };
        while left > 0 {
            simulation.anchor_phyxels()?;
            if until_event(simulation, simulation.time(), dt).is_none() {
                simulation.prepare_step(dt)?;
                let integrator = simulation.settings().integrator;
                if let Some(why) = why_not_break(integrator, simulation.model()) {
                    return Err(DriveError::Unsupported(why));
                }
            }
            // All steps until the next event run together.
            let until = until_event(simulation, simulation.time(), dt).unwrap_or(1);
            let count = until.min(left).min(self.steps_at_once(simulation, dt));
            let next = next.filter(|_| count == left);
            let taken = self.run(simulation, (dt, count), next)?;
            left -= (taken.steps as u64).min(left);
            report.merge(&taken);
        }
        Ok(report)
    }

    /// Whether the stable step is looked at again before long: matter that flows stiffens, or has other neighbours than before.
    fn stiffens(&self, simulation: &Simulation<f32>) -> bool {
        simulation.is_explicit() && (self.motor.resident.flows() || self.motor.moving.is_some())
    }

    fn steps_at_once(&self, simulation: &mut Simulation<f32>, dt: f64) -> u64 {
        match self.stiffens(simulation) {
            true => (SUBSTEPS_OF_FLOW * simulation.stable_step() / dt).max(1.0) as u64,
            false => u64::MAX,
        }
    }

    /// Takes some steps; what comes after them goes until `next`.
    fn run(
        &mut self,
        simulation: &mut Simulation<f32>,
        (dt, count): (f64, u64),
        next: Option<f64>,
    ) -> Result<StepReport, DriveError> {
        let limit = if simulation.is_explicit() { simulation.stable_step() } else { f64::INFINITY };
        if self.motor.breaks() {
            return self.motor.run_and_break(simulation, limit, (dt, count));
        }
        self.motor.follow(simulation)?;
        if self.motor.runs_blind(simulation.model(), simulation.settings()) {
            let parts = parts_of(simulation.model(), dt, limit)?;
            let order = Order { start: simulation.time(), dt, count, parts };
            let next = next.and_then(|next| self.order_after(simulation, &order, next, limit));
            if let Some(report) = self.motor.run_blind(simulation, order, next)? {
                return Ok(report);
            }
            // The same again, with a look at each part.
            self.motor.bring_state(simulation.state());
        }
        self.run_and_look(simulation, limit, (dt, count))
    }

    /// What will be asked for when a run is done and the time `next` is to be reached, as far as it can be told now. The stable
    /// step may turn out to be another one then.
    fn order_after(&self, simulation: &Simulation<f32>, run: &Order, next: f64, limit: f64) -> Option<Order> {
        if self.stiffens(simulation) {
            return None;
        }
        let start = run.end();
        let (dt, left) = steps_to(start, next, simulation.settings().step)?;
        let count = until_event(simulation, start, dt)?.min(left);
        let parts = parts_of(simulation.model(), dt, limit).ok()?;
        Some(Order { start, dt, count, parts })
    }

    /// Takes steps that the processor looks after.
    fn run_and_look(
        &mut self,
        simulation: &mut Simulation<f32>,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        let (mut state, settings) = (simulation.state().clone(), *simulation.settings());
        let before = state.steps;
        let outcome = self.motor.run(simulation.model(), &mut state, &settings, limit, (dt, count));
        let failed = matches!(outcome, Err(DriveError::Device(_)));
        if failed && self.motor.moving.is_some() {
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
        self.motor.newest = (!failed).then(|| simulation.revision());
        outcome
    }
}

/// Length and number of the steps from `now` to `time`; none where that is reached. As [`Simulation::advance_to`] has them.
fn steps_to(now: f64, time: f64, step: f64) -> Option<(f64, u64)> {
    let rest = time - now;
    if rest <= 1e-9 * step {
        return None;
    }
    let parts = (rest / step - 0.01).ceil().max(1.0);
    let equal = rest / parts;
    let dt = if (equal - step).abs() <= 1e-9 * step { step } else { equal };
    Some((dt, parts as u64))
}

/// How many steps from `now` there are until the next event is due; none where it is due at once.
fn until_event(simulation: &Simulation<f32>, now: f64, dt: f64) -> Option<u64> {
    match simulation.next_event() {
        None => Some(u64::MAX),
        Some(at) if at <= now + 0.5 * dt => None,
        Some(at) => Some(((at - now) / dt - 0.5).ceil().max(1.0) as u64),
    }
}
