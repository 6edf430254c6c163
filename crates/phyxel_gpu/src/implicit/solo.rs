//! Conjugate gradients of small systems in one workgroup.

use super::system::System;
use crate::device::{Access, Bound, Recipe, Store, sources};
use crate::resident::Resident;
use Access::{Read, Uniform, Write};

/// Up to so many nodes one workgroup is faster than launches of many.
const MOST_NODES: usize = 2048;

/// All iterations of a solve in one launch.
pub(super) struct Solo {
    bound: Bound,
    job: Store,
    nodes: u32,
}

impl Solo {
    /// For a system of tetrahedra alone that is small enough.
    pub(super) fn new(resident: &Resident, system: &System, slides: bool) -> Option<Self> {
        let (device, nodes) = (resident.device(), resident.node_count());
        if nodes > MOST_NODES || resident.general.elements > 0 || resident.clusters.count == 0 {
            return None;
        }
        let limits = device.handles().0.limits();
        let lanes = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x).min(1024);
        // Halves of halves must be whole; more lanes than nodes only wait.
        let lanes = (1_u32 << lanes.ilog2()).min((nodes as u32).next_power_of_two()).max(32);
        let constants = [("LANES", f64::from(lanes)), ("DRAGS", if slides { 1.0 } else { 0.0 })];
        let bindings = &[Uniform, Write, Write, Write, Write, Write, Read, Read, Read, Read, Read, Read, Read, Write];
        let source = sources::solo();
        let recipe = Recipe { name: "solo", source: &source, entry: "main", constants: &constants, bindings };
        let job = device.uniforms("solo", 256);
        let buffers = [
            &job,
            &system.p,
            &system.x,
            &system.r,
            &system.z,
            &system.q,
            &system.masses,
            &system.rows,
            &system.columns,
            &system.values,
            &system.held_of,
            &system.held,
            &system.inverses,
            &system.scalars,
        ];
        Some(Solo { bound: device.bind(&recipe, &buffers), job, nodes: nodes as u32 })
    }

    /// Takes up to `most` iterations.
    pub(super) fn launch(&self, resident: &Resident, pass: &mut wgpu::ComputePass<'_>, most: usize) {
        resident.device().fill(&self.job, bytemuck::bytes_of(&[self.nodes, most as u32, 0, 0]));
        self.bound.launch(pass, 1, &[0]);
    }
}
