//! Kernels timed by the device itself.

use super::{Device, GpuError, Store};

/// Timestamps around passes.
pub(crate) struct Stopwatch {
    queries: wgpu::QuerySet,
    resolved: Store,
    marks: u32,
    used: u32,
}

impl Stopwatch {
    /// Room for `passes`; `None` when the device has no timestamps.
    pub(crate) fn new(device: &Device, passes: u32) -> Option<Self> {
        if !device.has_timestamps() {
            return None;
        }
        let marks = 2 * passes;
        let queries = device.wgpu.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("stopwatch"),
            ty: wgpu::QueryType::Timestamp,
            count: marks,
        });
        let resolved = device.wgpu.create_buffer(&wgpu::BufferDescriptor {
            label: Some("stopwatch"),
            size: 8 * u64::from(marks),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Stopwatch { queries, resolved: Store::of(resolved), marks, used: 0 })
    }

    /// What to put into the next pass.
    pub(crate) fn next(&mut self) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        if self.used + 2 > self.marks {
            return None;
        }
        self.used += 2;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(self.used - 2),
            end_of_pass_write_index: Some(self.used - 1),
        })
    }

    /// Records the end of a measurement.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.used, &self.resolved.parts[0], 0);
    }

    /// How long each pass took [s].
    pub(crate) fn seconds(&mut self, device: &Device) -> Result<Vec<f64>, GpuError> {
        let ticks: Vec<u64> = device.read(&self.resolved, self.used as usize)?;
        let period = f64::from(device.queue.get_timestamp_period()) * 1e-9;
        self.used = 0;
        Ok(ticks.chunks_exact(2).map(|t| t[1].wrapping_sub(t[0]) as f64 * period).collect())
    }
}
