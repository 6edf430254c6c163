//! The state of a model on the device: in, out, kept and rolled back.

use super::Resident;
use crate::device::{GpuError, Ticket};
use phyxel::math::Vec3;

/// One vector per node, in the order of the model.
pub type Vectors = Vec<Vec3<f32>>;

impl Resident {
    /// Replaces the state on the device.
    pub fn set_state(&self, u: &[Vec3<f32>], v: &[Vec3<f32>]) {
        let pack = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
        let places = || self.order.to_model.iter().map(|&n| n as usize);
        let u: Vec<[f32; 4]> = places().zip(&self.masses).map(|(n, m)| pack(u[n].0, *m)).collect();
        let v: Vec<[f32; 4]> = places().zip(&self.tags).map(|(n, tag)| pack(v[n].0, *tag)).collect();
        self.device.write_state(&self.at.u, &u);
        self.device.write_state(&self.at.v, &v);
    }

    /// Displacements and velocities, in the order of the model; waits for them.
    pub fn state(&self) -> Result<(Vectors, Vectors), GpuError> {
        self.request_state().take(self)
    }

    /// Keeps a copy of the state, on the device.
    pub(crate) fn back_up(&mut self) -> Result<(), GpuError> {
        let n = self.node_count();
        if self.backup.is_none() {
            let room = |label| self.device.room::<[f32; 4]>(label, n);
            let grains = self.device.room::<[f32; 4]>("last good grains", self.grains.len())?;
            self.backup = Some([room("last good displacements")?, room("last good velocities")?, grains]);
        }
        self.copy_state(false);
        Ok(())
    }

    /// Goes back to the copy.
    pub(crate) fn roll_back(&self) {
        self.copy_state(true);
    }

    fn copy_state(&self, back: bool) {
        let Some(backup) = &self.backup else { return };
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        let kept = if self.grains.is_empty() { 2 } else { 3 };
        for (state, copy) in [&self.at.u, &self.at.v, &self.at.grains].into_iter().zip(backup).take(kept) {
            let (from, to) = if back { (copy, state) } else { (state, copy) };
            from.copy_to(&mut encoder, to);
        }
        self.device.queue.submit([encoder.finish()]);
    }

    /// Whether numbers stopped being finite since the last call.
    pub(crate) fn take_trouble(&self) -> Result<bool, GpuError> {
        let trouble = self.device.read::<u32>(&self.at.status, 1)?[0] != 0;
        if trouble {
            self.forget_trouble();
        }
        Ok(trouble)
    }

    /// Forgets that numbers were not finite.
    pub(crate) fn forget_trouble(&self) {
        self.device.write(&self.at.status, 0, &[0_u32]);
    }

    /// Asks for the state without waiting for it; steps may go on meanwhile, and several answers may be under way at once.
    pub fn request_state(&self) -> PendingState {
        let bytes = 16 * self.node_count() as u64;
        let encoder = self.device.wgpu.create_command_encoder(&Default::default());
        PendingState { ticket: self.device.ask(encoder, &[(&self.at.u, bytes), (&self.at.v, bytes)]) }
    }

    /// Asks for all that a run of steps has changed: the state, whether its numbers are finite, and what elements remember where
    /// matter flows.
    pub(crate) fn request_run(&self) -> PendingRun {
        let bytes = 16 * self.node_count() as u64;
        let mut wanted = vec![(&self.at.status, 4), (&self.at.u, bytes), (&self.at.v, bytes)];
        if self.flows() {
            wanted.push((&self.at.grains, 16 * self.grains.len() as u64));
        }
        let encoder = self.device.wgpu.create_command_encoder(&Default::default());
        PendingRun { ticket: self.device.ask(encoder, &wanted), grains: self.flows() }
    }

    /// Vectors of the device in the order of the model.
    pub(crate) fn in_model_order(&self, vectors: &[[f32; 4]]) -> Vec<Vec3<f32>> {
        let at = |n: &u32| {
            let [x, y, z, _] = vectors[*n as usize];
            Vec3([x, y, z])
        };
        self.order.to_device.iter().map(at).collect()
    }
}

/// A state on its way back.
pub struct PendingState {
    ticket: Ticket,
}

impl PendingState {
    /// Whether it has arrived, without waiting.
    pub fn ready(&self, resident: &Resident) -> bool {
        self.ticket.ready(&resident.device)
    }

    /// Displacements and velocities in the order of the model; waits until they have arrived, and for nothing that was submitted
    /// later.
    pub fn take(self, resident: &Resident) -> Result<(Vectors, Vectors), GpuError> {
        let arrived = self.ticket.take(&resident.device)?;
        Ok((resident.in_model_order(&arrived.items(0)?), resident.in_model_order(&arrived.items(1)?)))
    }
}

/// What a run of steps leaves, on its way back.
pub(crate) struct PendingRun {
    ticket: Ticket,
    grains: bool,
}

/// What a run of steps has left.
pub(crate) struct Ran {
    /// Numbers stopped being finite.
    pub trouble: bool,
    pub u: Vectors,
    pub v: Vectors,
    /// What elements remember, in the order of the device; where nothing flows, nothing has changed.
    pub grains: Option<Vec<[f32; 4]>>,
}

impl PendingRun {
    /// Waits for it, and for nothing that was submitted later.
    pub(crate) fn take(self, resident: &Resident) -> Result<Ran, GpuError> {
        let arrived = self.ticket.take(&resident.device)?;
        Ok(Ran {
            trouble: arrived.items::<u32>(0)? != [0],
            u: resident.in_model_order(&arrived.items(1)?),
            v: resident.in_model_order(&arrived.items(2)?),
            grains: if self.grains { Some(arrived.items(3)?) } else { None },
        })
    }
}
