//! Bodies that were simulated apart, told to the whole, and the other way round.

use super::Simulation;
use crate::fracture::{CrackEvent, Relabel};
use crate::math::Real;
use crate::solver::StepError;
use crate::stencil::block::Stencils;
use std::ops::Range;

/// Some bodies of another simulation that are bodies of this one.
#[derive(Clone, Copy)]
pub struct Apart<'a, R: Real> {
    /// The other one; its bodies are built of the same things.
    pub simulation: &'a Simulation<R>,
    /// Bodies of the other one, each with its number in this one.
    pub bodies: &'a [(usize, usize)],
}

impl<R: Real> Simulation<R> {
    /// Takes over places, velocities, what elements remember, how bodies have broken and where the reference of phyxels without a
    /// rest shape is. Bodies of which nothing is told stay as they are. Time and temperatures are not among it, nor is what
    /// holds or loads bodies that can break.
    pub fn take_over_bodies(&mut self, parts: &[Apart<'_, R>]) -> Result<(), StepError> {
        self.touch();
        let relabel = self.follow_topologies(parts);
        let nodes = self.model.node_count();
        self.state.u.resize(nodes, Default::default());
        self.state.v.resize(nodes, Default::default());
        if let Some(relabel) = &relabel {
            self.move_bodies(&relabel.old);
        }
        let mut moved = false;
        for Apart { simulation, bodies } in parts {
            for &(from, to) in *bodies {
                self.copy_body(simulation, from, to);
                moved |= self.copy_reference(simulation, from, to);
            }
        }
        if let Some(relabel) = relabel {
            let done = self.engine.relabelled(&self.model, &self.state, &relabel);
            done.map_err(|source| StepError::Factor { time: self.state.time, source })?;
        }
        if moved {
            self.engine.rebuild(&mut self.model);
            self.engine.stencils_changed(&self.model);
        }
        self.state.forget();
        Ok(())
    }

    /// Adds what has broken elsewhere to what is told next, each with the number of its body here.
    pub fn add_cracks(&mut self, cracks: Vec<CrackEvent>) {
        self.engine.add_cracks(cracks);
    }

    /// Lets bodies hang together as they do there; how nodes are numbered then, if that differs.
    fn follow_topologies(&mut self, parts: &[Apart<'_, R>]) -> Option<Relabel> {
        let mut topologies = vec![None; self.model.bodies.len()];
        for Apart { simulation, bodies } in parts {
            bodies.iter().for_each(|&(from, to)| topologies[to] = simulation.model.topology(from));
        }
        if topologies.iter().all(Option::is_none) {
            return None;
        }
        let relabel = self.model.set_topologies(topologies)?;
        // What holds and loads other bodies stays with them.
        let moved = |n: &mut u32| {
            let body = relabel.old.partition_point(|nodes| nodes.end <= *n as usize);
            *n = *n - relabel.old[body].start as u32 + relabel.new[body].start as u32;
        };
        self.model.pins.iter_mut().for_each(|pin| pin.nodes.iter_mut().for_each(moved));
        self.model.loads.pressures.iter_mut().for_each(|(face, _)| face.iter_mut().for_each(moved));
        Some(relabel)
    }

    /// Puts the state of nodes where their bodies are now; `old` is where these were.
    fn move_bodies(&mut self, old: &[Range<usize>]) {
        let (u, v) = (self.state.u.clone(), self.state.v.clone());
        for (body, old) in self.model.bodies.iter().zip(old) {
            let kept = old.len().min(body.nodes.len());
            let (to, from) = (body.nodes.start..body.nodes.start + kept, old.start..old.start + kept);
            self.state.u[to.clone()].copy_from_slice(&u[from.clone()]);
            self.state.v[to].copy_from_slice(&v[from]);
        }
    }

    fn blocks_of(&self, body: usize) -> impl Iterator<Item = usize> + '_ {
        self.model.blocks.iter().enumerate().filter(move |(_, block)| block.body == body).map(|(k, _)| k)
    }

    fn copy_body(&mut self, other: &Simulation<R>, from: usize, to: usize) {
        let (theirs, own) = (other.model.bodies[from].nodes.clone(), self.model.bodies[to].nodes.clone());
        self.state.u[own.clone()].copy_from_slice(&other.state.u[theirs.clone()]);
        self.state.v[own].copy_from_slice(&other.state.v[theirs]);
        let blocks: Vec<(usize, usize)> = other.blocks_of(from).zip(self.blocks_of(to)).collect();
        for (from, to) in blocks {
            if let (Some(from), Some(to)) = (other.state.grains.get(from), self.state.grains.get_mut(to)) {
                to.clone_from(from);
            }
        }
        if let (Some(from), Some(to)) = (other.state.rest.get(from), self.state.rest.get_mut(to)) {
            // Who else sleeps with it is known where it is moved.
            *to = crate::solver::Rest { island: to.island, ..*from };
        }
    }

    /// The same of the reference; whether stencils must be rebuilt in it.
    fn copy_reference(&mut self, other: &Simulation<R>, from: usize, to: usize) -> bool {
        if !self.model.is_updated(to) {
            return false;
        }
        let (theirs, own) = (other.model.bodies[from].nodes.clone(), self.model.bodies[to].nodes.clone());
        let same = self.model.rest[own.clone()] == other.model.rest[theirs.clone()];
        self.model.rest[own].copy_from_slice(&other.model.rest[theirs]);
        let blocks: Vec<(usize, usize)> = other.blocks_of(from).zip(self.blocks_of(to)).collect();
        let mut moved = false;
        for (from, to) in blocks {
            if let Stencils::General(general) = &mut self.model.blocks[to].stencils {
                let elastic = other.model.blocks[from].elastic();
                moved |= !(elastic.is_empty() || same && general.elastic == elastic);
                general.elastic = elastic.to_vec();
            }
        }
        moved
    }
}
