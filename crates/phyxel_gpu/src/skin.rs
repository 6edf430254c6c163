//! The drawn surface on the device: points that follow nodes.

use crate::bench::{KernelTime, time_pass};
use crate::device::{Access, Bound, GpuError, Recipe, Store, sources};
use crate::layout::general::{SLICE, slices};
use crate::resident::Resident;

/// A sparse product: each point is where it was at rest, moved by the weighted displacements of some nodes.
pub struct SkinProduct {
    bound: Bound,
    points: Store,
    count: usize,
    entries: usize,
}

impl SkinProduct {
    /// Points at rest [m], and for each the nodes of the model that carry it with their weights.
    pub fn new(resident: &Resident, rest: &[[f32; 3]], carriers: &[Vec<(u32, f32)>]) -> Result<Self, GpuError> {
        let device = resident.device();
        let lengths: Vec<usize> = carriers.iter().map(Vec::len).collect();
        let (places, room) = slices(&lengths);
        let mut entries = vec![[0_u32; 2]; room];
        for (own, first) in carriers.iter().zip(&places) {
            for (k, (node, weight)) in own.iter().enumerate() {
                entries[first + SLICE * k] = [resident.order.to_device[*node as usize], weight.to_bits()];
            }
        }
        let rows: Vec<[u32; 2]> = places.iter().zip(&lengths).map(|(p, l)| [*p as u32, *l as u32]).collect();
        let rest: Vec<[f32; 4]> = rest.iter().map(|[x, y, z]| [*x, *y, *z, 1.0]).collect();
        let job = device.uniforms("skin", 256);
        device.fill(&job, bytemuck::bytes_of(&[rest.len() as u32, 0, 0, 0]));
        let points = device.room::<[f32; 4]>("skin", rest.len())?;
        let [rows, entries] = [device.upload("skin rows", &rows)?, device.upload("skin entries", &entries)?];
        let at_rest = device.upload("skin at rest", &rest)?;
        let source = sources::skin();
        let bindings = &[Access::Uniform, Access::Read, Access::Read, Access::Read, Access::Read, Access::Write];
        let recipe = Recipe { name: "skin", source: &source, entry: "main", constants: &[], bindings };
        let bound = device.bind(&recipe, &[&job, &resident.at.u, &rows, &entries, &at_rest, &points]);
        Ok(SkinProduct { bound, points, count: rest.len(), entries: lengths.iter().sum() })
    }

    /// Moves the points to where the nodes are now; they stay on the device.
    pub fn update(&self, resident: &Resident) -> Result<(), GpuError> {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        self.bound.launch(&mut encoder.begin_compute_pass(&Default::default()), self.groups(), &[0]);
        device.queue.submit([encoder.finish()]);
        device.check()
    }

    /// The points [m], waiting for them.
    pub fn positions(&self, resident: &Resident) -> Result<Vec<[f32; 3]>, GpuError> {
        let found: Vec<[f32; 4]> = resident.device().read(&self.points, self.count)?;
        Ok(found.into_iter().map(|[x, y, z, _]| [x, y, z]).collect())
    }

    /// Times the product; `None` when the device has no clock.
    pub fn time(&self, resident: &Resident, repeats: u32) -> Result<Option<KernelTime>, GpuError> {
        let launch = |pass: &mut wgpu::ComputePass<'_>| self.bound.launch(pass, self.groups(), &[0]);
        let seconds = time_pass(resident.device(), repeats, launch)?;
        let bytes = (self.count * (8 + 16 + 16) + self.entries * 8 + 16 * resident.node_count()) as u64;
        Ok(seconds.map(|seconds| KernelTime { name: "skin".into(), seconds, bytes, traffic: None }))
    }

    fn groups(&self) -> u32 {
        (self.count as u32).div_ceil(64)
    }
}
