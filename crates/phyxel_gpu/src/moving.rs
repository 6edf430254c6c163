//! Steps of phyxels without a rest shape: before each, their stencils are found anew where they have moved too far.

use crate::device::{GpuError, Store};
use crate::driver::DriveError;
use crate::motor::{MAX_HALVINGS, Motor, Mover, parts_of, unstable};
use crate::reanchor::{Outcome, Reanchor, Reference};
use crate::resident::Resident;
use phyxel::model::Model;
use phyxel::stencil::StencilTable;
use phyxel::stencil::block::Stencils;
use phyxel::stencil::general::General;
use phyxel::{State, StepReport};

/// What phyxels without a rest shape have on a device.
pub(crate) struct Moving {
    reanchor: Reanchor,
    /// The model with its nodes at the reference of the device, for what the processor decides: who touches what, who is free.
    /// Stencils are not in it.
    pub places: Box<Model<f32>>,
    /// Entries that rows shall have room for when the model is next brought there.
    pub room: usize,
    /// How often bodies have got new stencils.
    pub times: usize,
}

impl Moving {
    /// Of a model whose rows have got `room`; none where all phyxels have a rest shape.
    pub(crate) fn new(resident: &Resident, model: &Model<f32>, room: usize) -> Result<Option<Self>, GpuError> {
        let reanchor = Reanchor::new(resident, model, room)?;
        Ok(reanchor.map(|reanchor| Moving { reanchor, places: Box::new(hollow(model)), room, times: 0 }))
    }

    /// Sums of the penalties of the element that each node is the centre of.
    pub(crate) fn springs(&self) -> &Store {
        &self.reanchor.springs
    }
}

/// A model without the tables of its stencils.
fn hollow(model: &Model<f32>) -> Model<f32> {
    let mut hollow = model.clone();
    for block in &mut hollow.blocks {
        if matches!(block.stencils, Stencils::General(_)) {
            let empty = StencilTable { offsets: vec![0], ..StencilTable::default() };
            block.stencils = Stencils::General(General::new(empty, 0..0, false));
        }
    }
    hollow
}

impl Motor {
    /// Finds stencils anew where phyxels have moved too far; false where there is no room for them, which there will be when
    /// the model is next brought to the device.
    pub(crate) fn reanchor(&mut self) -> Result<bool, GpuError> {
        let Some(moving) = &mut self.moving else { return Ok(true) };
        match moving.reanchor.update(&self.resident)? {
            Outcome::Still => {}
            Outcome::Full(needed) => {
                moving.room = needed + needed / 2;
                self.version = u64::MAX;
                return Ok(false);
            }
            Outcome::Moved => {
                moving.times = moving.reanchor.times;
                // Explicit steps ask the processor for nothing.
                if matches!(self.mover, Mover::Implicit(_)) {
                    moving.places.rest = moving.reanchor.rest(&self.resident)?;
                }
            }
        }
        Ok(true)
    }

    /// Where the reference of phyxels has moved to; none if it has not since this was last asked.
    pub(crate) fn take_reference(&mut self, model: &Model<f32>) -> Result<Option<Reference>, GpuError> {
        match &mut self.moving {
            Some(moving) => moving.reanchor.take_reference(&self.resident, model),
            None => Ok(None),
        }
    }

    /// Explicit steps, each in parts no longer than `limit` and halved where it goes wrong. Fewer are taken where stencils need
    /// more room.
    pub(crate) fn run_moving(
        &mut self,
        model: &Model<f32>,
        state: &mut State<f32>,
        limit: f64,
        (dt, count): (f64, u64),
    ) -> Result<StepReport, DriveError> {
        let parts = parts_of(model, dt, limit)?;
        let (mut report, start) = (StepReport::default(), state.time);
        let mut failed = None;
        for step in 0..count {
            if !self.reanchor()? {
                break;
            }
            match self.halved(start + dt * step as f64, dt, parts)? {
                Ok(taken) => report.merge(&taken),
                Err(smallest) => {
                    failed = Some(smallest);
                    break;
                }
            }
        }
        // What came before a bad step is good.
        (state.u, state.v) = self.resident.state()?;
        self.resident.read_grains(&mut state.grains)?;
        state.time = start + dt * report.steps as f64;
        state.steps += report.substeps as u64;
        match failed {
            None => Ok(report),
            Some(smallest) => Err(unstable(model, state, smallest, limit).into()),
        }
    }

    /// One step; or the smallest part of it that was tried in vain.
    fn halved(&mut self, time: f64, dt: f64, mut parts: f64) -> Result<Result<StepReport, f64>, GpuError> {
        self.resident.back_up()?;
        let Mover::Explicit(explicit) = &self.mover else { return Ok(Err(dt)) };
        for rollbacks in 0..=MAX_HALVINGS as usize {
            explicit.run(&self.resident, time, dt / parts, parts as usize)?;
            if !self.resident.take_trouble()? {
                let substeps = parts as usize;
                return Ok(Ok(StepReport { dt, steps: 1, substeps, rollbacks, ..StepReport::default() }));
            }
            self.resident.roll_back();
            parts *= 2.0;
        }
        Ok(Err(dt / parts))
    }
}

#[cfg(test)]
mod tests {
    use crate::device::{Choice, Device};
    use crate::driver::Whole;
    use phyxel::scene::{Body, Integrator, Lagrangian, Method, Scene};
    use phyxel::shape::Geometry;
    use phyxel::shape::structured::box_points;
    use phyxel::{Material, Simulation};

    /// Rows that become longer than they have room for get more, and nothing is lost on the way.
    #[test]
    fn rows_grow_when_they_must() {
        let Ok(device) = Device::open(&Choice::Any) else { return };
        let points = box_points([5; 3], [0.0; 3], [0.2; 3]).expect("points");
        let mut body = Body::new("b", Geometry::Points(points), Method::Mls, Material::default());
        body.mls.lagrangian = Lagrangian::Updated;
        body.mls.reanchor = 0.0;
        body.spin = [3.0, 1.0, 0.0];
        let mut scene = Scene { bodies: vec![body], ..Scene::default() };
        scene.solver.integrator = Integrator::LeapFrog;
        scene.solver.step = 1e-4;
        let run = |narrow: bool| {
            let mut simulation = Simulation::<f32>::build(&scene).expect("a body");
            let mut whole = Whole::new(&device, &scene, &simulation).expect("a device");
            whole.advance_to(&mut simulation, 5e-4, None).expect("steps");
            if let Some(moving) = whole.motor.moving.as_mut().filter(|_| narrow) {
                moving.reanchor.room = 8;
            }
            let report = whole.advance_to(&mut simulation, 20e-4, None).expect("steps");
            assert_eq!(report.steps, 15);
            let room = whole.motor.moving.as_ref().map_or(0, |m| m.reanchor.room);
            (simulation.state().v.clone(), room)
        };
        let (grown, plain) = (run(true), run(false));
        // There is as much room again as there is for whoever was never without.
        assert_eq!(grown.1, plain.1);
        assert!(plain.1 > 8);
        // Nodes of a row are in another order when the model is brought again, which rounding sees.
        let apart = grown.0.iter().zip(&plain.0).map(|(a, b)| (*a - *b).norm()).fold(0.0, f32::max);
        assert!(apart < 1e-5, "{apart}");
    }
}
