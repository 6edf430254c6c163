//! Memory on the device. What is larger than one binding may be lies in several buffers, and kernels are rewritten to see
//! them as one (see [`split`](super::split)).

use super::{Device, GpuError};
use bytemuck::Pod;
use wgpu::BufferUsages;

const STORAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// An array on the device, in as many buffers as its size asks for.
pub(crate) struct Store {
    /// All but the last have the same size, [`Device::part_bytes`].
    pub(super) parts: Vec<wgpu::Buffer>,
    part_bytes: u64,
    bytes: u64,
}

impl Store {
    /// One buffer.
    pub(super) fn of(buffer: wgpu::Buffer) -> Self {
        let bytes = buffer.size();
        Store { parts: vec![buffer], part_bytes: bytes.max(1), bytes }
    }

    /// How large it is [bytes].
    pub(crate) fn size(&self) -> u64 {
        self.bytes
    }

    /// How many buffers it takes.
    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Records a copy of all of it.
    pub(crate) fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, to: &Store) {
        for (from, to) in self.parts.iter().zip(&to.parts) {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size().min(to.size()));
        }
    }

    /// Calls `f(buffer, offset within it, range of bytes of the whole)` for each part of the first `bytes` bytes.
    pub(super) fn for_each_part(
        &self,
        start: u64,
        bytes: u64,
        mut f: impl FnMut(&wgpu::Buffer, u64, std::ops::Range<u64>),
    ) {
        let end = start + bytes;
        for (i, part) in self.parts.iter().enumerate() {
            let first = i as u64 * self.part_bytes;
            let (from, to) = (start.max(first), end.min(first + part.size()));
            if from < to {
                f(part, from - first, from..to);
            }
        }
    }
}

impl Device {
    /// Room for `count` items, zeroed; at least one, because no binding may be empty.
    pub(crate) fn room<T: Pod>(&self, label: &str, count: usize) -> Result<Store, GpuError> {
        let bytes = (count.max(1) * size_of::<T>()).next_multiple_of(16) as u64;
        let mut parts = Vec::new();
        let mut left = bytes;
        while left > 0 {
            let size = left.min(self.part_bytes);
            let descriptor =
                wgpu::BufferDescriptor { label: Some(label), size, usage: STORAGE, mapped_at_creation: false };
            parts.push(self.wgpu.create_buffer(&descriptor));
            self.check()?;
            left -= size;
        }
        Ok(Store { parts, part_bytes: self.part_bytes, bytes })
    }

    /// A copy of `data` on the device.
    pub(crate) fn upload<T: Pod>(&self, label: &str, data: &[T]) -> Result<Store, GpuError> {
        let store = self.room::<T>(label, data.len())?;
        self.write(&store, 0, data);
        Ok(store)
    }

    /// Writes items, starting at item `first`.
    pub(crate) fn write<T: Pod>(&self, store: &Store, first: usize, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let start = (first * size_of::<T>()) as u64;
        self.traffic.uploaded(bytes.len() as u64);
        store.for_each_part(start, bytes.len() as u64, |buffer, offset, range| {
            let part = &bytes[(range.start - start) as usize..(range.end - start) as usize];
            // Pieces, so that staging memory stays small beside large meshes.
            for (i, piece) in part.chunks(PIECE).enumerate() {
                self.queue.write_buffer(buffer, offset + (i * PIECE) as u64, piece);
                if part.len() > PIECE {
                    self.queue.submit([]);
                }
            }
        });
    }

    /// The same with a part of the state, which is counted: it shall stay where it is.
    pub(crate) fn write_state<T: Pod>(&self, store: &Store, data: &[T]) {
        self.traffic.state_uploaded(size_of_val(data) as u64);
        self.write(store, 0, data);
    }

    /// A copy of a part of the state on the device.
    pub(crate) fn upload_state<T: Pod>(&self, label: &str, data: &[T]) -> Result<Store, GpuError> {
        let store = self.room::<T>(label, data.len())?;
        self.write_state(&store, data);
        Ok(store)
    }

    /// Small blocks for uniform bindings, each aligned so that a dynamic offset can point at it.
    pub(crate) fn uniforms(&self, label: &str, bytes: usize) -> Store {
        Store::of(self.wgpu.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.max(256) as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }))
    }
}

/// Bytes that are staged at a time.
const PIECE: usize = 64 << 20;

/// Distance between uniform blocks that every device accepts [bytes].
pub(crate) const UNIFORM_STRIDE: usize = 256;

/// Blocks at [`UNIFORM_STRIDE`] from each other.
pub(crate) fn strided<T: Pod>(blocks: &[T]) -> Vec<u8> {
    let mut bytes = vec![0_u8; blocks.len().max(1) * UNIFORM_STRIDE];
    for (block, place) in blocks.iter().zip(bytes.chunks_mut(UNIFORM_STRIDE)) {
        place[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(block));
    }
    bytes
}
