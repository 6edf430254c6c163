//! How fast kernels are, beside how fast memory is.

use crate::device::{Access, Device, GpuError, Recipe, Stopwatch, sources};
use std::time::{Duration, Instant};

/// One kernel, timed.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTime {
    /// Which.
    pub name: String,
    /// Median time of one launch [s].
    pub seconds: f64,
    /// Bytes that it must move at least.
    pub bytes: u64,
    /// What its loads and stores alone take [s], where something else bounds it.
    pub traffic: Option<f64>,
}

impl KernelTime {
    /// Bytes per second.
    pub fn bandwidth(&self) -> f64 {
        self.bytes as f64 / self.seconds
    }
}

/// Cards that wait run slowly: they are kept busy for so long before anything counts.
const WARM_UP: Duration = Duration::from_millis(200);

/// Measures again and again until the device has been busy for a while, and gives the last answer; once on software drivers,
/// which are as fast from the start.
pub fn settled<T, E>(device: &Device, mut measure: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let started = Instant::now();
    loop {
        let measured = measure()?;
        if device.summary().kind == "software" || started.elapsed() > WARM_UP {
            return Ok(measured);
        }
    }
}

/// Seconds that a pass takes, the median of some of them; `None` when the device has no clock.
pub(crate) fn time_pass(
    device: &Device,
    repeats: u32,
    launch: impl Fn(&mut wgpu::ComputePass<'_>),
) -> Result<Option<f64>, GpuError> {
    if !device.has_timestamps() {
        return Ok(None);
    }
    let seconds = settled(device, || {
        let Some(mut watch) = Stopwatch::new(device, repeats) else { return Ok(Vec::new()) };
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        for _ in 0..repeats {
            let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: watch.next() };
            launch(&mut encoder.begin_compute_pass(&descriptor));
        }
        watch.resolve(&mut encoder);
        device.queue.submit([encoder.finish()]);
        watch.seconds(device)
    })?;
    Ok(Some(median(seconds)))
}

/// Seconds of one of several launches that follow each other.
pub(crate) fn time_alone(
    device: &Device,
    repeats: u32,
    launch: impl Fn(&mut wgpu::ComputePass<'_>),
) -> Result<Option<f64>, GpuError> {
    let found = time_pass(device, repeats, |pass| (0..COPIES).for_each(|_| launch(pass)))?;
    Ok(found.map(|seconds| seconds / f64::from(COPIES)))
}

/// Takes from launches timed one by one what the clock adds to each: together they take as long as `whole`, which is what they take
/// one after the other under one clock. A card that must note a time waits until it is idle, which a run of launches does not.
pub(crate) fn without_clock(seconds: &mut [f64], whole: f64) {
    let added = (seconds.iter().sum::<f64>() - whole).max(0.0) / seconds.len().max(1) as f64;
    seconds.iter_mut().for_each(|s| *s -= added.min(0.5 * *s));
}

/// The median of some measurements.
pub fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Launches under one clock, because kernels of a run follow each other too.
const COPIES: u32 = 4;

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
    let seconds = settled(device, || {
        let mut watch = Stopwatch::new(device, repeats);
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        for _ in 0..repeats {
            let timestamp_writes = watch.as_mut().and_then(Stopwatch::next);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
            (0..COPIES).for_each(|_| bound.launch(&mut pass, groups, &[]));
        }
        if let Some(watch) = &watch {
            watch.resolve(&mut encoder);
        }
        let started = Instant::now();
        device.queue.submit([encoder.finish()]);
        device.wait()?;
        match &mut watch {
            Some(watch) => Ok(median(watch.seconds(device)?) / f64::from(COPIES)),
            None => Ok(started.elapsed().as_secs_f64() / f64::from(repeats * COPIES)),
        }
    })?;
    Ok(2.0 * 16.0 * count as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::without_clock;

    #[test]
    fn launches_together_take_as_long_as_all_of_them() {
        let mut seconds = [5.0, 2.5, 3.5];
        without_clock(&mut seconds, 8.0);
        assert_eq!(seconds, [4.0, 1.5, 2.5]);
        let mut shorter = [1.0, 2.0];
        without_clock(&mut shorter, 4.0);
        assert_eq!(shorter, [1.0, 2.0], "nothing is taken where the whole takes longer");
    }
}
