//! Every simulation in f32 on a device, without its owner knowing: for validation, where cases build their own.

use crate::device::Device;
use crate::driver::DriveError;
use crate::motor::Motor;
use crate::support::why_not;
use phyxel::fracture::{CrackEvent, Edit, Relabel, Slice};
use phyxel::math::{FactorError, Mat3, Vec3};
use phyxel::model::{BuildError, Model};
use phyxel::rigid::RigidState;
use phyxel::scene::SolverSettings;
use phyxel::solver::{Built, ContactForce, Engine, Kept};
use phyxel::{State, StepError, StepReport};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many simulations were built since, on the device and on the CPU.
#[derive(Debug, Default)]
pub struct Diverted {
    /// On the device.
    pub on_device: AtomicUsize,
    /// On the CPU, because the device cannot do what they need.
    pub on_cpu: AtomicUsize,
}

/// Moves all simulations in f32 that are built from now on to a device, where it can do what they need.
pub fn divert_all(device: &Arc<Device>) -> Arc<Diverted> {
    let counts = Arc::new(Diverted::default());
    let (device, counted) = (device.clone(), counts.clone());
    phyxel::solver::divert(Box::new(move |scene, built| {
        let mut state = State::at_rest(built.model.node_count());
        built.model.add_grains(&mut state);
        // What breaks on a device is told to simulations, and engines have none.
        let breaks = built.model.bodies.iter().any(|b| b.fragile.is_some());
        // So is where the reference of phyxels without a rest shape has moved to.
        let moves = (0..built.model.bodies.len()).any(|b| built.model.is_updated(b));
        let motor = match why_not(scene, &built.model) {
            None if !breaks && !moves => Motor::new(&device, scene, &built.model, &state).ok(),
            _ => None,
        };
        let Some(motor) = motor else {
            counted.on_cpu.fetch_add(1, Ordering::Relaxed);
            return built;
        };
        counted.on_device.fetch_add(1, Ordering::Relaxed);
        Built { engine: Box::new(OnDevice { inner: built.engine, motor }), ..built }
    }));
    counts
}

/// An engine that moves on the device and asks the CPU's for everything else.
struct OnDevice {
    inner: Box<dyn Engine<f32>>,
    motor: Motor,
}

impl OnDevice {
    fn limit(&mut self, model: &Model<f32>, state: &State<f32>) -> f64 {
        let explicit = crate::explicit::has(self.inner.settings().integrator);
        if explicit { self.inner.stable_step(model, state) } else { f64::INFINITY }
    }
}

impl Engine<f32> for OnDevice {
    fn settings(&self) -> &SolverSettings {
        self.inner.settings()
    }

    fn advance(
        &mut self,
        model: &Model<f32>,
        state: &mut State<f32>,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let settings = *self.inner.settings();
        let limit = self.limit(model, state);
        let moved = self.motor.refresh(model, state).map_err(DriveError::from).and_then(|fresh| {
            // Nobody tells engines whether others have changed the state.
            if !fresh {
                self.motor.bring_state(state);
            }
            self.motor.run(model, state, &settings, limit, (dt, 1))
        });
        match moved {
            Ok(taken) => {
                report.merge(&taken);
                Ok(())
            }
            Err(DriveError::Step(error)) => Err(error),
            // The state is as it was: the CPU takes the step.
            Err(_) => self.inner.advance(model, state, dt, report),
        }
    }

    fn stable_step(&mut self, model: &Model<f32>, state: &State<f32>) -> f64 {
        self.inner.stable_step(model, state)
    }

    fn forces(&mut self, model: &Model<f32>, state: &State<f32>, out: &mut [Vec3<f32>]) {
        self.inner.forces(model, state, out);
    }

    fn elastic_energy(&self, model: &Model<f32>, state: &State<f32>) -> f64 {
        self.inner.elastic_energy(model, state)
    }

    fn stresses(&self, model: &Model<f32>, block: usize, state: &State<f32>) -> Vec<(Mat3<f32>, Mat3<f32>)> {
        self.inner.stresses(model, block, state)
    }

    fn reanchor(&mut self, model: &mut Model<f32>, state: &mut State<f32>) -> Result<bool, BuildError> {
        self.inner.reanchor(model, state)
    }

    fn rebuild(&mut self, model: &mut Model<f32>) {
        self.inner.rebuild(model);
    }

    fn stencils_changed(&mut self, model: &Model<f32>) {
        self.inner.stencils_changed(model);
    }

    fn break_up(
        &mut self,
        model: &mut Model<f32>,
        state: &mut State<f32>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.inner.break_up(model, state, report)
    }

    fn split(
        &mut self,
        model: &mut Model<f32>,
        state: &mut State<f32>,
        edits: &[Edit],
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.inner.split(model, state, edits, report)
    }

    fn cut(
        &mut self,
        model: &mut Model<f32>,
        state: &mut State<f32>,
        body: usize,
        slice: &Slice,
    ) -> Result<(), BuildError> {
        self.inner.cut(model, state, body, slice)
    }

    fn relabelled(&mut self, model: &Model<f32>, state: &State<f32>, relabel: &Relabel) -> Result<(), FactorError> {
        self.inner.relabelled(model, state, relabel)
    }

    fn add_cracks(&mut self, cracks: Vec<CrackEvent>) {
        self.inner.add_cracks(cracks);
    }

    fn take_cracks(&mut self) -> Vec<CrackEvent> {
        self.inner.take_cracks()
    }

    fn conduct(&mut self, model: &Model<f32>, state: &mut State<f32>, dt: f64) {
        self.inner.conduct(model, state, dt);
    }

    fn warm(&mut self, model: &Model<f32>, state: &mut State<f32>) {
        self.inner.warm(model, state);
    }

    fn kept(&self, model: &Model<f32>, state: &State<f32>) -> Kept<f32> {
        self.inner.kept(model, state)
    }

    fn recall(&mut self, model: &Model<f32>, state: &State<f32>, kept: Kept<f32>) {
        self.inner.recall(model, state, kept);
    }

    fn rigid_states(&self, out: &mut Vec<RigidState>) {
        self.inner.rigid_states(out);
    }

    fn contacts(&self) -> &[ContactForce] {
        self.inner.contacts()
    }

    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }
}
