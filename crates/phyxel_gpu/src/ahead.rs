//! Runs of steps that nobody looks at on the way: they are submitted as a whole, and the next one before the state of this one is
//! waited for, so that the device works while the processor does something else with what it got.

use crate::device::GpuError;
use crate::driver::DriveError;
use crate::free_bodies;
use crate::motor::{Motor, Mover};
use crate::resident::{PendingRun, Ran};
use phyxel::model::Model;
use phyxel::scene::{Integrator, SolverSettings};
use phyxel::{Simulation, StepReport};

/// Runs of steps that were submitted before anybody asked for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// How many there were.
    pub submitted: usize,
    /// How many were asked for later.
    pub taken: usize,
    /// How many were of no use: something was changed in between, steps became shorter, or the run before went wrong.
    pub thrown_away: usize,
}

/// A run of steps: `count` of `dt`, each in so many parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Order {
    pub start: f64,
    pub dt: f64,
    pub count: u64,
    pub parts: f64,
}

impl Order {
    /// The time after it.
    pub(crate) fn end(&self) -> f64 {
        self.start + self.dt * self.count as f64
    }
}

/// A run that was submitted.
pub(crate) struct UnderWay {
    order: Order,
    answer: PendingRun,
}

impl Motor {
    /// Whether steps need nothing from the processor while they are taken. Implicit ones do: it decides when a solve is done and
    /// who touches. So does whoever keeps the momentum of free bodies, finds stencils anew, or breaks.
    pub(crate) fn runs_blind(&self, model: &Model<f32>, settings: &SolverSettings) -> bool {
        match &self.mover {
            Mover::Explicit(_) => settings.integrator != Integrator::ExplicitEuler && self.moving.is_none(),
            Mover::Positions(_) => !free_bodies::may_be(model, settings),
            Mover::Implicit(_) | Mover::Welds(_) => false,
        }
    }

    /// Takes a run, with the `next` one submitted before this one is waited for. None where its numbers are not finite; the
    /// simulation is as it was then, and the device is not.
    pub(crate) fn run_blind(
        &mut self,
        simulation: &mut Simulation<f32>,
        order: Order,
        next: Option<Order>,
    ) -> Result<Option<StepReport>, DriveError> {
        let settings = *simulation.settings();
        let run = match self.ahead.take_if(|ahead| ahead.order == order) {
            Some(run) => {
                self.ahead_so_far.taken += 1;
                run
            }
            None => {
                if self.throw_away() {
                    self.bring_state(simulation.state());
                }
                self.submit(order, &settings)?
            }
        };
        // What went wrong may do so again.
        if let Some(next) = next.filter(|_| !self.wary) {
            self.ahead = Some(self.submit(next, &settings)?);
            self.ahead_so_far.submitted += 1;
        }
        let ran = run.answer.take(&self.resident)?;
        self.wary = ran.trouble;
        if ran.trouble {
            self.throw_away();
            return Ok(None);
        }
        Ok(Some(self.tell(simulation, order, ran, &settings)))
    }

    /// Forgets what was submitted ahead; whether there was anything. The device has gone on with it.
    pub(crate) fn throw_away(&mut self) -> bool {
        let any = self.ahead.take().is_some();
        self.ahead_so_far.thrown_away += usize::from(any);
        any
    }

    /// Submits a run and asks for what it leaves.
    fn submit(&self, order: Order, settings: &SolverSettings) -> Result<UnderWay, GpuError> {
        let Order { start, dt, count, parts } = order;
        match &self.mover {
            Mover::Explicit(explicit) => {
                explicit.run(&self.resident, start, dt / parts, (count * parts as u64) as usize)?;
            }
            Mover::Positions(positions) => {
                for step in 0..count {
                    positions.step(&self.resident, (start + dt * step as f64, dt), settings)?;
                }
            }
            Mover::Implicit(_) | Mover::Welds(_) => {}
        }
        Ok(UnderWay { order, answer: self.resident.request_run() })
    }

    /// Tells the simulation what a run has left.
    fn tell(
        &mut self,
        simulation: &mut Simulation<f32>,
        order: Order,
        ran: Ran,
        settings: &SolverSettings,
    ) -> StepReport {
        let steps = order.count as usize;
        let (substeps, iterations) = match &self.mover {
            Mover::Positions(_) => (steps * settings.substeps, steps * settings.substeps * settings.iterations),
            _ => (steps * order.parts as usize, 0),
        };
        simulation.take_over(ran.u, ran.v, order.end(), substeps as u64);
        if let Some(vectors) = ran.grains {
            let mut grains = simulation.state().grains.clone();
            self.resident.grains.unpack(&vectors, &mut grains);
            simulation.take_over_grains(grains);
        }
        self.newest = Some(simulation.revision());
        StepReport { dt: order.dt * order.count as f64, steps, substeps, iterations, ..StepReport::default() }
    }
}
