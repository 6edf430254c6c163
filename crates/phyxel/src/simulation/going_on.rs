//! Leaving off and going on: snapshots.

use super::Simulation;
use crate::events;
use crate::math::Real;
use crate::record::{self, Progress, SnapshotError};
use crate::scene::Action;
use crate::stencil::block::Stencils;

impl<R: Real> Simulation<R> {
    /// Everything that the next step depends on, as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let progress = Progress { next_event: self.next_event, initial_energy: self.initial_energy };
        record::encode(&self.model, &self.state, &self.engine.kept(&self.model, &self.state), progress)
    }

    /// Goes on from a snapshot of the same scene, earlier or later, bit for bit as the simulation that made it.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut model = self.model.clone();
        let relabel = model.set_topologies(record::decode_topologies(bytes, &model)?);
        let restored = record::decode(bytes, &model)?;
        let Progress { next_event, initial_energy } = restored.progress;
        if next_event > self.events.len() {
            let (found, expected) = (format!("{next_event} events"), format!("{}", self.events.len()));
            return Err(SnapshotError::Mismatch { found, expected });
        }
        self.model = model;
        self.touch();
        if let Some(relabel) = relabel {
            self.engine.relabelled(&self.model, &restored.state, &relabel).map_err(|_| SnapshotError::NoRoom)?;
        }
        (self.state, self.model.rest) = (restored.state, restored.rest);
        (self.model.pins, self.model.loads, self.model.heat) = (restored.pins, restored.loads, restored.heat);
        (self.next_event, self.initial_energy) = (next_event, initial_energy);
        for (block, elastic) in self.model.blocks.iter_mut().zip(restored.elastic) {
            if let Stencils::General(general) = &mut block.stencils {
                if elastic.is_empty() && !general.elastic.is_empty() {
                    // Before its first step, such a body has not moved.
                    general.base.clear();
                    general.base_inverse.clear();
                    general.seen.clear();
                }
                general.elastic = elastic;
            }
        }
        self.model.bodies.iter_mut().zip(restored.fused).for_each(|(body, fused)| body.fused = fused);
        self.engine.rebuild(&mut self.model);
        self.restore_materials();
        // Nothing that was computed for another state may survive.
        self.model.version += 1;
        self.engine.recall(&self.model, &self.state, restored.kept);
        self.engine.rigid_states(&mut self.state.rigid);
        self.watch.forget(&self.model, &self.state);
        Ok(())
    }

    /// The materials that the scene began with, and what the events so far have made of them.
    fn restore_materials(&mut self) {
        for (body, material) in self.materials.iter().enumerate() {
            events::set_material(&mut self.model, body, material);
        }
        for event in &self.events[..self.next_event] {
            if let Action::SetMaterial(material) = &event.action {
                for body in events::bodies(event, &self.model) {
                    events::set_material(&mut self.model, body, material);
                }
            }
        }
    }
}
