//! What devices that move the state themselves ask for and tell.

use super::Simulation;
use crate::fracture::Edit;
use crate::material::plastic::Grain;
use crate::math::{Mat3, Real, Vec3};
use crate::report::StepReport;
use crate::solver::StepError;
use crate::stencil::block::{Block, Stencils};
use std::sync::atomic::{AtomicU64, Ordering};

impl<R: Real> Simulation<R> {
    /// What [`Simulation::step`] does before anything moves: carries out events that are due. For devices that move the
    /// state themselves.
    pub fn prepare_step(&mut self, dt: f64) -> Result<(), StepError> {
        self.carry_out_events(dt)
    }

    /// Takes over displacements and velocities that a device has moved to `time` in so many steps.
    pub fn take_over(&mut self, u: Vec<Vec3<R>>, v: Vec<Vec3<R>>, time: f64, steps: u64) {
        self.state.u = u;
        self.state.v = v;
        self.state.time = time;
        self.state.steps += steps;
        self.touch();
        self.state.forget();
    }

    /// Takes over what the elements of each block remember, likewise.
    pub fn take_over_grains(&mut self, grains: Vec<Vec<Grain<R>>>) {
        self.state.grains = grains;
        self.touch();
        self.state.forget();
    }

    /// Takes over where a device has moved the reference of phyxels without a rest shape to [m], and the elastic deformation of
    /// each there, block by block; blocks of everything else have none.
    pub fn take_over_reference(&mut self, rest: Vec<Vec3<R>>, elastic: Vec<Vec<Mat3<R>>>) {
        self.model.rest = rest;
        self.touch();
        for (block, elastic) in self.model.blocks.iter_mut().zip(elastic) {
            if let Stencils::General(general) = &mut block.stencils
                && !elastic.is_empty()
            {
                general.elastic = elastic;
            }
        }
        self.engine.rebuild(&mut self.model);
        self.engine.stencils_changed(&self.model);
        self.state.forget();
    }

    /// Gives phyxels without a rest shape that have never been stepped their first stencils, as [`Simulation::step`] does.
    pub fn anchor_phyxels(&mut self) -> Result<(), StepError> {
        let fresh = |block: &Block<R>| self.model.is_updated(block.body) && block.elastic().is_empty();
        if self.model.blocks.iter().any(fresh) {
            self.touch();
            self.reanchor_phyxels()?;
            self.model.version += 1;
        }
        Ok(())
    }

    /// Splits nodes as a device has decided at `time` [s]; `edits` are in the order of bodies, and nodes numbered as they are
    /// now. What is left hanging together at a node or an edge alone is parted as in [`Simulation::step`].
    pub fn split_nodes(&mut self, edits: &[Edit], time: f64, report: &mut StepReport) -> Result<(), StepError> {
        self.touch();
        let now = std::mem::replace(&mut self.state.time, time);
        let done = self.engine.split(&mut self.model, &mut self.state, edits, report);
        self.state.time = now;
        done
    }

    /// A number that changes with everything that is done to model or state, and that no other simulation of this process has had:
    /// who remembers it knows whether what he has seen is still so.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn touch(&mut self) {
        self.revision = next_revision();
    }
}

pub(super) fn next_revision() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
