//! Which device to use, and which there are.

use super::GpuError;

/// Which device is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The fastest graphics card; a software driver only when the environment variable `PHYXEL_SOFTWARE_GPU` is set.
    Fastest,
    /// Any adapter, software drivers included.
    Any,
    /// The adapter with this place in [`adapters`].
    Index(usize),
    /// The first adapter whose name holds this text, in any case.
    Name(String),
}

impl Choice {
    /// `gpu`, a number, or part of a name.
    pub fn parse(word: &str) -> Self {
        match (word, word.parse()) {
            ("gpu", _) => Choice::Any,
            (_, Ok(index)) => Choice::Index(index),
            _ => Choice::Name(word.to_string()),
        }
    }
}

/// An adapter in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterSummary {
    /// Its place among all adapters.
    pub index: usize,
    /// Its name, as the driver gives it.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// The largest buffer [bytes].
    pub max_buffer_bytes: u64,
    /// The most of a buffer that a kernel can see at a time [bytes].
    pub max_binding_bytes: u64,
    /// Buffers that one kernel can see.
    pub max_storage_buffers: u32,
    /// Memory shared by a workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Whether it can time kernels.
    pub timestamps: bool,
}

fn all() -> Vec<(wgpu::Adapter, AdapterSummary)> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    let instance = wgpu::Instance::new(descriptor);
    let mut found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    // Fast ones first; the order of the driver decides among equals.
    found.sort_by_key(|a| rank(a.get_info().device_type));
    found
        .into_iter()
        .enumerate()
        .map(|(index, adapter)| (summary(index, &adapter), adapter))
        .map(|(s, a)| (a, s))
        .collect()
}

fn rank(kind: wgpu::DeviceType) -> u32 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::VirtualGpu => 1,
        wgpu::DeviceType::IntegratedGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn summary(index: usize, adapter: &wgpu::Adapter) -> AdapterSummary {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    AdapterSummary {
        index,
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            wgpu::DeviceType::Cpu => "software",
            wgpu::DeviceType::Other => "other",
        },
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
        name: info.name,
        max_buffer_bytes: limits.max_buffer_size,
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
    }
}

/// Every adapter of this machine, fast ones first.
pub fn adapters() -> Vec<AdapterSummary> {
    all().into_iter().map(|(_, summary)| summary).collect()
}

/// Finds the adapter that is asked for.
pub(super) fn pick(choice: &Choice) -> Result<(wgpu::Adapter, AdapterSummary), GpuError> {
    let found = all();
    if found.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    let known = found.iter().map(|(_, s)| format!("{} {}", s.index, s.name)).collect::<Vec<_>>().join(", ");
    let software_counts = std::env::var_os("PHYXEL_SOFTWARE_GPU").is_some();
    let fits = |s: &AdapterSummary| match choice {
        Choice::Fastest => s.kind != "software" || software_counts,
        Choice::Any => true,
        Choice::Index(index) => s.index == *index,
        Choice::Name(part) => s.name.to_lowercase().contains(&part.to_lowercase()),
    };
    let wanted = match choice {
        Choice::Fastest | Choice::Any => return found.into_iter().find(|(_, s)| fits(s)).ok_or(GpuError::NoAdapter),
        Choice::Index(index) => index.to_string(),
        Choice::Name(name) => name.clone(),
    };
    found.into_iter().find(|(_, s)| fits(s)).ok_or(GpuError::UnknownDevice { wanted, known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_devices() {
        assert_eq!(Choice::parse("gpu"), Choice::Any);
        assert_eq!(Choice::parse("1"), Choice::Index(1));
        assert_eq!(Choice::parse("H200"), Choice::Name("H200".into()));
    }

    #[test]
    fn a_device_that_is_not_there_is_named_in_the_error() {
        match pick(&Choice::Name("no such card".into())) {
            Err(GpuError::UnknownDevice { wanted, .. }) => assert_eq!(wanted, "no such card"),
            Err(GpuError::NoAdapter) => {}
            other => panic!("{:?}", other.map(|(_, s)| s)),
        }
    }
}
