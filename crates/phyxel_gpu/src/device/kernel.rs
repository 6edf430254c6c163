//! A compute kernel, its bindings, and how it is launched.

use super::buffers::UNIFORM_STRIDE;
use super::split::split;
use super::unroll::unrolled;
use super::{Device, GpuError, Store};

/// How a kernel uses a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A uniform block at a dynamic offset.
    Uniform,
    /// Storage that is only read.
    Read,
    /// Storage that is written.
    Write,
}

/// What a kernel is made of.
pub(crate) struct Recipe<'a> {
    /// For people and error messages.
    pub name: &'a str,
    /// WGSL.
    pub source: &'a str,
    /// The entry point.
    pub entry: &'a str,
    /// Overridable constants.
    pub constants: &'a [(&'a str, f64)],
    /// The bindings of group 0, in order.
    pub bindings: &'a [Access],
}

impl Recipe<'_> {
    pub(super) fn key(&self, parts: &[usize]) -> String {
        format!("{} {} {:?} {:?} {parts:?}", self.name, self.entry, self.constants, self.bindings)
    }
}

/// A compiled kernel.
pub(crate) struct Kernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    uniforms: usize,
}

/// A kernel with the buffers that it works on.
pub(crate) struct Bound {
    kernel: std::sync::Arc<Kernel>,
    group: wgpu::BindGroup,
}

impl Kernel {
    /// Compiles a kernel whose bindings have so many buffers each.
    pub(super) fn new(device: &wgpu::Device, recipe: &Recipe<'_>, parts: &[usize], part_bytes: u64) -> Self {
        let source = unrolled(recipe.source);
        let source = match parts.iter().all(|p| *p == 1) {
            true => source.into(),
            false => split(&source, parts, part_bytes).into(),
        };
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(recipe.name),
            source: wgpu::ShaderSource::Wgsl(source),
        });
        let all = recipe.bindings.iter().zip(parts).flat_map(|(access, count)| std::iter::repeat_n(*access, *count));
        let entries: Vec<_> = all.enumerate().map(|(i, access)| entry(i as u32, access)).collect();
        let layout = device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(recipe.name), entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(recipe.name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(recipe.name),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(recipe.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: recipe.constants,
                // Every kernel writes its shared memory before it reads it.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        let uniforms = recipe.bindings.iter().filter(|a| **a == Access::Uniform).count();
        Kernel { pipeline, layout, uniforms }
    }
}

fn entry(binding: u32, access: Access) -> wgpu::BindGroupLayoutEntry {
    let ty = match access {
        Access::Uniform => wgpu::BufferBindingType::Uniform,
        Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
        Access::Write => wgpu::BufferBindingType::Storage { read_only: false },
    };
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: access == Access::Uniform, min_binding_size: None },
        count: None,
    }
}

impl Device {
    /// Gives a kernel its buffers; those of uniform bindings are seen 256 bytes at a time.
    pub(crate) fn bind(&self, recipe: &Recipe<'_>, stores: &[&Store]) -> Bound {
        let parts: Vec<usize> = stores.iter().map(|store| store.part_count()).collect();
        let storage: usize = recipe.bindings.iter().zip(&parts).filter(|b| *b.0 != Access::Uniform).map(|b| b.1).sum();
        let most = self.wgpu.limits().max_storage_buffers_per_shader_stage;
        if storage > most as usize {
            let (device, what) = (self.summary.name.clone(), "storage buffers per kernel");
            self.note(GpuError::TooSmall { device, what, has: most.into(), needed: storage as u64 });
        }
        let kernel = self.kernel(recipe, &parts);
        let block = std::num::NonZeroU64::new(UNIFORM_STRIDE as u64);
        let buffers =
            recipe.bindings.iter().zip(stores).flat_map(|(access, s)| s.parts.iter().map(move |p| (access, p)));
        let resources = buffers.map(|(access, buffer)| match access {
            Access::Uniform => wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: block }),
            _ => buffer.as_entire_binding(),
        });
        let entries: Vec<_> =
            resources.enumerate().map(|(i, resource)| wgpu::BindGroupEntry { binding: i as u32, resource }).collect();
        let group = self.wgpu.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(recipe.name),
            layout: &kernel.layout,
            entries: &entries,
        });
        Bound { kernel, group }
    }
}

/// The most workgroups along one axis.
const MOST_GROUPS: u32 = 65_535;

impl Bound {
    /// Launches `groups` workgroups; `offsets` chooses the block of each uniform binding.
    pub(crate) fn launch(&self, pass: &mut wgpu::ComputePass<'_>, groups: u32, offsets: &[usize]) {
        if groups == 0 {
            return;
        }
        let bytes: Vec<u32> =
            (0..self.kernel.uniforms).map(|i| (offsets.get(i).copied().unwrap_or(0) * UNIFORM_STRIDE) as u32).collect();
        pass.set_pipeline(&self.kernel.pipeline);
        pass.set_bind_group(0, &self.group, &bytes);
        // Kernels count their workgroups row by row.
        let rows = groups.div_ceil(MOST_GROUPS);
        pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
    }
}
