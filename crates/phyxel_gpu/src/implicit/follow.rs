//! Phyxels without a rest shape: the linear system goes with their reference.

use super::Implicit;
use crate::device::{Access, Bound, GpuError, Recipe, Store, sources};
use crate::explicit;
use crate::resident::Resident;
use Access::{Read, Uniform, Write};

/// What writes places and springs into a system.
pub(super) struct Follow {
    kernel: Bound,
}

impl Follow {
    pub(super) fn launch(&self, resident: &Resident) {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        self.kernel.launch(&mut encoder.begin_compute_pass(&Default::default()), explicit::groups(resident), &[0]);
        device.queue.submit([encoder.finish()]);
    }
}

impl Implicit {
    /// From now on, each step looks anew at where the reference of phyxels is and how their springs, one sum per node, pull.
    pub(crate) fn follow(&mut self, resident: &Resident, springs: &Store, bodies: usize) -> Result<(), GpuError> {
        let device = resident.device();
        let job = device.uniforms("follow", 256);
        device.fill(&job, bytemuck::bytes_of(&[resident.node_count() as u32, bodies as u32, 0, 0]));
        let (at, system) = (&resident.at, &self.system);
        let bindings = &[Uniform, Read, Read, Read, Read, Write, Write, Write];
        let source = sources::follow();
        let recipe = Recipe { name: "follow", source: &source, entry: "main", constants: &[], bindings };
        let buffers = [&job, &at.v, &at.rest, &at.bodies, springs, &system.offsets, &system.moduli, &system.bodies];
        self.follow = Some(Follow { kernel: device.bind(&recipe, &buffers) });
        device.check()
    }
}
