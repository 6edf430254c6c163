//! The state of a model on the device: in, out, kept and rolled back.

use super::Resident;
use crate::device::{GpuError, Readback};
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
        self.device.write(&self.at.u, 0, &u);
        self.device.write(&self.at.v, 0, &v);
    }

    /// Displacements and velocities, in the order of the model; waits for them.
    pub fn state(&self) -> Result<(Vectors, Vectors), GpuError> {
        let n = self.node_count();
        let (u, v) = (self.device.read::<[f32; 4]>(&self.at.u, n)?, self.device.read::<[f32; 4]>(&self.at.v, n)?);
        Ok((self.in_model_order(&u), self.in_model_order(&v)))
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
            self.device.write(&self.at.status, 0, &[0_u32]);
        }
        Ok(trouble)
    }

    /// Asks for the state without waiting for it; steps may go on meanwhile, and two answers may be under way at once.
    pub fn request_state(&self) -> PendingState {
        let bytes = 16 * self.node_count() as u64;
        let parts = [&self.at.u, &self.at.v].map(|buffer| {
            let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
            let readback = Readback::new(&self.device, &mut encoder, buffer, bytes);
            self.device.queue.submit([encoder.finish()]);
            readback.ask();
            readback
        });
        PendingState { parts }
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
    parts: [Readback; 2],
}

impl PendingState {
    /// Whether it has arrived.
    pub fn is_here(&self, resident: &Resident) -> bool {
        self.parts.iter().all(|part| part.is_here(&resident.device))
    }

    /// Displacements and velocities in the order of the model; waits for what has not arrived yet.
    pub fn take(self, resident: &Resident) -> Result<(Vectors, Vectors), GpuError> {
        let [u, v] = &self.parts;
        let (u, v) = (u.take::<[f32; 4]>(&resident.device)?, v.take::<[f32; 4]>(&resident.device)?);
        Ok((resident.in_model_order(&u), resident.in_model_order(&v)))
    }
}
