//! A graphics card, ready to work.

mod buffers;
mod choice;
mod error;
mod kernel;
mod readback;
pub(crate) mod sources;
mod split;
mod timing;
mod traffic;
mod unroll;

pub(crate) use buffers::{Store, strided};
pub use choice::{AdapterSummary, Choice, adapters};
pub use error::GpuError;
pub(crate) use kernel::{Access, Bound, Kernel, Recipe};
pub(crate) use readback::Ticket;
pub(crate) use timing::Stopwatch;
pub use traffic::Traffic;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A device that was opened, its queue, and the kernels compiled for it so far.
pub struct Device {
    pub(crate) wgpu: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    summary: AdapterSummary,
    /// Arrays are cut into buffers of this size, a power of two [bytes].
    part_bytes: u64,
    /// Whether lanes write for each other, two and two.
    paired: bool,
    /// The first thing that went wrong outside of a call that could say so.
    trouble: Arc<Mutex<Option<GpuError>>>,
    /// Whether the device was lost.
    gone: Arc<AtomicBool>,
    kernels: Mutex<HashMap<String, Arc<Kernel>>>,
    staging: readback::Staging,
    traffic: traffic::Counters,
}

impl Device {
    /// Opens the device that is asked for, with all of its limits: the defaults of wgpu are those of browsers.
    pub fn open(choice: &Choice) -> Result<Arc<Self>, GpuError> {
        Device::open_within(choice, u64::MAX)
    }

    /// Opens a device and lets kernels see no more than so many bytes of an array at a time, at least 4 KiB, and lanes nothing of
    /// each other, as small devices do.
    pub fn open_within(choice: &Choice, most_bytes: u64) -> Result<Arc<Self>, GpuError> {
        let (adapter, summary) = choice::pick(choice)?;
        let most = most_bytes.min(summary.max_buffer_bytes).min(summary.max_binding_bytes).max(4096);
        let part_bytes = 1 << most.ilog2();
        let features = adapter.features() & (wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP);
        let pairs = features.contains(wgpu::Features::SUBGROUP) && adapter.get_info().subgroup_min_size > 1;
        let request = wgpu::DeviceDescriptor {
            label: Some("phyxel"),
            required_features: features,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&request));
        let (wgpu, queue) =
            opened.map_err(|e| GpuError::Refused { device: summary.name.clone(), why: e.to_string() })?;
        let trouble = Arc::new(Mutex::new(None));
        let (on_error, on_loss) = (trouble.clone(), trouble.clone());
        let gone = Arc::new(AtomicBool::new(false));
        let goes = gone.clone();
        let (name, failing) = (summary.name.clone(), summary.name.clone());
        wgpu.on_uncaptured_error(Arc::new(move |error| note(&on_error, GpuError::of(error, &failing))));
        wgpu.set_device_lost_callback(move |_, message| {
            goes.store(true, Ordering::Release);
            note(&on_loss, GpuError::Lost { device: name.clone(), why: message });
        });
        Ok(Arc::new(Device {
            wgpu,
            queue,
            summary,
            part_bytes,
            paired: pairs && most_bytes == u64::MAX,
            trouble,
            gone,
            kernels: Mutex::default(),
            staging: Default::default(),
            traffic: Default::default(),
        }))
    }

    /// The device and its queue, for other work than that of this crate.
    pub fn handles(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.wgpu, &self.queue)
    }

    /// What kind of device this is.
    pub fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// What has gone to and fro since it was opened.
    pub fn traffic(&self) -> Traffic {
        self.traffic.now()
    }

    /// The most of an array that one buffer holds [bytes].
    pub(crate) fn part_bytes(&self) -> u64 {
        self.part_bytes
    }

    /// Whether lanes can exchange numbers, and so write for each other.
    pub(crate) fn is_paired(&self) -> bool {
        self.paired
    }

    /// Whether kernels can be timed on the device itself.
    pub fn has_timestamps(&self) -> bool {
        self.wgpu.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// What went wrong since the last call, if anything did.
    pub fn check(&self) -> Result<(), GpuError> {
        let take = || self.trouble.lock().ok().and_then(|mut t| t.take());
        match take() {
            // Nothing on a lost device is valid any more, and that may be noticed before the loss is told.
            Some(error @ GpuError::Invalid { .. }) => {
                let _ = self.wgpu.poll(wgpu::PollType::Poll);
                let later = take().filter(|later| matches!(later, GpuError::Lost { .. }));
                Err(later.unwrap_or_else(|| self.explain(error)))
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// A loss is told once, and others that use the device may have heard of it.
    fn explain(&self, error: GpuError) -> GpuError {
        match self.gone.load(Ordering::Acquire) {
            true => self.lost("it does not answer any more"),
            false => error,
        }
    }

    /// Remembers that something went wrong, unless something else already has.
    pub(crate) fn note(&self, error: GpuError) {
        note(&self.trouble, error);
    }

    /// Waits until everything that was submitted is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.poll(wgpu::PollType::wait_indefinitely())
    }

    /// Waits until one submission is done, and those before it; others may go on.
    fn wait_for(&self, submission: &wgpu::SubmissionIndex) -> Result<(), GpuError> {
        self.poll(wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: None })?;
        // Nothing that a lost device owes will ever come, and its loss may have been told to somebody else.
        match self.gone.load(Ordering::Acquire) {
            true => Err(self.lost("it does not answer any more")),
            false => Ok(()),
        }
    }

    fn poll(&self, how: wgpu::PollType) -> Result<(), GpuError> {
        let waited = self.wgpu.poll(how);
        self.check()?;
        waited.map(|_| ()).map_err(|e| self.lost(&e.to_string()))
    }

    /// That the device is gone.
    pub(crate) fn lost(&self, why: &str) -> GpuError {
        GpuError::Lost { device: self.summary.name.clone(), why: why.into() }
    }

    /// Writes the first bytes of a uniform store.
    pub(crate) fn fill(&self, store: &Store, bytes: &[u8]) {
        self.write(store, 0, bytes);
    }

    /// A kernel, compiled on its first use and kept.
    pub(crate) fn kernel(&self, recipe: &Recipe<'_>, parts: &[usize]) -> Arc<Kernel> {
        let key = recipe.key(parts);
        let mut kernels = self.kernels.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        kernels.entry(key).or_insert_with(|| Arc::new(Kernel::new(&self.wgpu, recipe, parts, self.part_bytes))).clone()
    }
}

fn note(trouble: &Mutex<Option<GpuError>>, error: GpuError) {
    if let Ok(mut first) = trouble.lock() {
        first.get_or_insert(error);
    }
}
