//! How fast kernels are, beside how fast memory is.

use crate::device::{Access, Device, GpuError, Recipe, Stopwatch, sources};
use std::time::Instant;

/// One kernel, timed.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTime {
    /// Which.
    pub name: String,
    /// Median time of one launch [s].
    pub seconds: f64,
    /// Bytes that it must move at least.
    pub bytes: u64,
}

impl KernelTime {
    /// Bytes per second.
    pub fn bandwidth(&self) -> f64 {
        self.bytes as f64 / self.seconds
    }
}

/// Bytes per second that a plain copy of `bytes` reads and writes together.
pub fn copy_bandwidth(device: &Device, bytes: u64) -> Result<f64, GpuError> {
    let count = (bytes.min(device.part_bytes()) / 16) as usize;
    let (from, to) = (device.room::<[f32; 4]>("from", count)?, device.room::<[f32; 4]>("to", count)?);
    let source = sources::copy();
    let bindings = &[Access::Read, Access::Write];
    let recipe = Recipe { name: "copy", source: &source, entry: "main", constants: &[], bindings };
    let bound = device.bind(&recipe, &[&from, &to]);
    let groups = (count as u32).div_ceil(256);
    let repeats = 12;
    let mut watch = Stopwatch::new(device, repeats);
    let mut encoder = device.wgpu.create_command_encoder(&Default::default());
    for _ in 0..repeats {
        let timestamp_writes = watch.as_mut().and_then(Stopwatch::next);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        bound.launch(&mut pass, groups, &[]);
    }
    if let Some(watch) = &watch {
        watch.resolve(&mut encoder);
    }
    let started = Instant::now();
    device.queue.submit([encoder.finish()]);
    device.wait()?;
    let mut seconds = match &mut watch {
        Some(watch) => watch.seconds(device)?,
        None => vec![started.elapsed().as_secs_f64() / f64::from(repeats)],
    };
    seconds.sort_by(f64::total_cmp);
    Ok(2.0 * 16.0 * count as f64 / seconds[seconds.len() / 2])
}
