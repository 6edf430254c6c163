//! Results on their way back, without anybody waiting for them.

use super::{Device, GpuError, Store};
use bytemuck::Pod;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A staging buffer that receives a copy of something on the device.
pub(crate) struct Readback {
    buffer: wgpu::Buffer,
    /// 0: on its way, 1: here, 2: failed.
    state: Arc<AtomicU8>,
    bytes: u64,
}

impl Readback {
    /// Records a copy of the first `bytes` of a store.
    pub(crate) fn new(device: &Device, encoder: &mut wgpu::CommandEncoder, from: &Store, bytes: u64) -> Self {
        let buffer = device.wgpu.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read-back"),
            size: bytes.next_multiple_of(8),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        from.for_each_part(0, bytes, |part, offset, range| {
            encoder.copy_buffer_to_buffer(part, offset, &buffer, range.start, range.end - range.start);
        });
        Readback { buffer, state: Arc::default(), bytes }
    }

    /// Asks for the bytes; call after the copy was submitted.
    pub(crate) fn ask(&self) {
        self.state.store(0, Ordering::Release);
        let state = self.state.clone();
        self.buffer.slice(..self.bytes).map_async(wgpu::MapMode::Read, move |result| {
            state.store(if result.is_ok() { 1 } else { 2 }, Ordering::Release);
        });
    }

    /// Whether the bytes are here, without waiting.
    pub(crate) fn is_here(&self, device: &Device) -> bool {
        let _ = device.wgpu.poll(wgpu::PollType::Poll);
        self.state.load(Ordering::Acquire) != 0
    }

    /// Waits for the bytes and hands them over.
    pub(crate) fn take<T: Pod>(&self, device: &Device) -> Result<Vec<T>, GpuError> {
        while self.state.load(Ordering::Acquire) == 0 {
            device.wait()?;
        }
        let lost = || GpuError::Lost { device: device.summary().name.clone(), why: "reading back failed".into() };
        if self.state.load(Ordering::Acquire) == 2 {
            device.check()?;
            return Err(lost());
        }
        let view = self.buffer.slice(..self.bytes).get_mapped_range().map_err(|_| lost())?;
        let items = bytemuck::pod_collect_to_vec(&view[..]);
        drop(view);
        self.buffer.unmap();
        Ok(items)
    }
}

impl Device {
    /// Reads the first items of a store, waiting for them.
    pub(crate) fn read<T: Pod>(&self, store: &Store, count: usize) -> Result<Vec<T>, GpuError> {
        let bytes = (count * size_of::<T>()) as u64;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let mut encoder = self.wgpu.create_command_encoder(&Default::default());
        let readback = Readback::new(self, &mut encoder, store, bytes);
        self.queue.submit([encoder.finish()]);
        readback.ask();
        readback.take(self)
    }
}
