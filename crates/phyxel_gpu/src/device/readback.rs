//! Results on their way back, without anybody waiting for them: tickets, each with staging buffers and a submission of its own.

use super::{Device, GpuError, Store};
use bytemuck::Pod;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

/// What is on its way.
const UNDER_WAY: u8 = 0;
const HERE: u8 = 1;
const FAILED: u8 = 2;

/// Staging buffers between two uses. Two requests in flight take two sets in turn, and a steady run makes no more than those.
#[derive(Default)]
pub(super) struct Staging {
    idle: Mutex<Vec<wgpu::Buffer>>,
}

/// No more than so many buffers are kept; the one that has waited longest goes first.
const MOST_IDLE: usize = 16;

impl Staging {
    /// A buffer of this size that nobody uses.
    fn take(&self, size: u64) -> Option<wgpu::Buffer> {
        let mut idle = self.idle.lock().ok()?;
        let at = idle.iter().position(|buffer| buffer.size() == size)?;
        Some(idle.remove(at))
    }

    fn put(&self, buffer: wgpu::Buffer) {
        let Ok(mut idle) = self.idle.lock() else { return };
        if idle.len() == MOST_IDLE {
            idle.remove(0);
        }
        idle.push(buffer);
    }
}

/// The first bytes of some stores, as they were when the ticket was drawn. Whatever is submitted later leaves them alone; who drops
/// it unused gives up its buffers.
pub(crate) struct Ticket {
    parts: Vec<Part>,
    submission: wgpu::SubmissionIndex,
}

struct Part {
    buffer: wgpu::Buffer,
    bytes: u64,
    progress: Arc<AtomicU8>,
}

impl Part {
    /// Asks for the bytes; call after the copy was submitted.
    fn ask(&self) {
        let progress = self.progress.clone();
        self.buffer.slice(..self.bytes).map_async(wgpu::MapMode::Read, move |result| {
            progress.store(if result.is_ok() { HERE } else { FAILED }, Ordering::Release);
        });
    }

    fn progress(&self) -> u8 {
        self.progress.load(Ordering::Acquire)
    }
}

impl Ticket {
    /// Whether [`Ticket::take`] would not wait.
    pub(crate) fn ready(&self, device: &Device) -> bool {
        let _ = device.wgpu.poll(wgpu::PollType::Poll);
        self.parts.iter().all(|part| part.progress() != UNDER_WAY)
    }

    /// Waits for the submission of this ticket, and for nothing after it.
    pub(crate) fn take(self, device: &Device) -> Result<Arrived<'_>, GpuError> {
        while self.parts.iter().any(|part| part.progress() == UNDER_WAY) {
            device.wait_for(&self.submission)?;
            // Another thread may be the one that was told of it, and is about to tell.
            std::thread::yield_now();
        }
        if self.parts.iter().any(|part| part.progress() == FAILED) {
            device.check()?;
            return Err(device.lost("reading back failed"));
        }
        Ok(Arrived { device, parts: self.parts })
    }
}

/// What a ticket has brought; its buffers are free again once this is dropped.
pub(crate) struct Arrived<'a> {
    device: &'a Device,
    parts: Vec<Part>,
}

impl Arrived<'_> {
    /// The items of one of the stores that were asked for.
    pub(crate) fn items<T: Pod>(&self, part: usize) -> Result<Vec<T>, GpuError> {
        let lost = || self.device.lost("what was read back is not there");
        let part = self.parts.get(part).ok_or_else(lost)?;
        let view = part.buffer.slice(..part.bytes).get_mapped_range().map_err(|_| lost())?;
        Ok(bytemuck::pod_collect_to_vec(&view[..]))
    }
}

impl Drop for Arrived<'_> {
    fn drop(&mut self) {
        for part in self.parts.drain(..) {
            part.buffer.unmap();
            self.device.staging.put(part.buffer);
        }
    }
}

impl Device {
    /// Submits commands, and copies of the first bytes of some stores after them; these are on their way when it returns.
    pub(crate) fn ask(&self, mut encoder: wgpu::CommandEncoder, wanted: &[(&Store, u64)]) -> Ticket {
        let copy = |&(from, bytes): &(&Store, u64)| {
            let buffer = self.staging_buffer(bytes.next_multiple_of(8));
            from.for_each_part(0, bytes, |part, offset, range| {
                encoder.copy_buffer_to_buffer(part, offset, &buffer, range.start, range.end - range.start);
            });
            self.traffic.read_back(bytes);
            Part { buffer, bytes, progress: Arc::default() }
        };
        let parts: Vec<Part> = wanted.iter().map(copy).collect();
        let submission = self.queue.submit([encoder.finish()]);
        parts.iter().for_each(Part::ask);
        Ticket { parts, submission }
    }

    fn staging_buffer(&self, size: u64) -> wgpu::Buffer {
        self.staging.take(size).unwrap_or_else(|| {
            self.traffic.made_staging_buffer();
            self.wgpu.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read-back"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })
    }

    /// Reads the first items of a store, waiting for them.
    pub(crate) fn read<T: Pod>(&self, store: &Store, count: usize) -> Result<Vec<T>, GpuError> {
        let bytes = (count * size_of::<T>()) as u64;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let encoder = self.wgpu.create_command_encoder(&Default::default());
        self.ask(encoder, &[(store, bytes)]).take(self)?.items(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Choice;

    /// One of its own, because it counts; there may be none.
    fn device() -> Option<Arc<Device>> {
        Device::open(&Choice::Any).ok()
    }

    /// Two tickets of one store that has changed in between.
    fn two(device: &Device, store: &Store, count: u32) -> [Ticket; 2] {
        [0, 1000].map(|first| {
            device.write(store, 0, &(first..first + count).collect::<Vec<u32>>());
            let encoder = device.wgpu.create_command_encoder(&Default::default());
            device.ask(encoder, &[(store, 4 * u64::from(count)), (store, 4)])
        })
    }

    fn numbers(ticket: Ticket, device: &Device) -> (Vec<u32>, Vec<u32>) {
        let arrived = ticket.take(device).expect("numbers");
        (arrived.items(0).expect("many"), arrived.items(1).expect("one"))
    }

    #[test]
    fn two_tickets_bring_what_was_there_when_they_were_drawn_in_either_order() {
        let Some(device) = device() else { return };
        let store = device.room::<u32>("numbers", 777).expect("room");
        let expected = |first: u32| ((first..first + 777).collect::<Vec<u32>>(), vec![first]);
        let [a, b] = two(&device, &store, 777);
        assert_eq!(numbers(a, &device), expected(0));
        assert_eq!(numbers(b, &device), expected(1000));
        let [a, b] = two(&device, &store, 777);
        assert_eq!(numbers(b, &device), expected(1000));
        assert!(a.ready(&device), "what is submitted first is there first");
        assert_eq!(numbers(a, &device), expected(0));
    }

    #[test]
    fn staging_buffers_are_used_again() {
        let Some(device) = device() else { return };
        let store = device.room::<u32>("numbers", 64).expect("room");
        for round in 0..20 {
            let [a, b] = two(&device, &store, 64).map(|ticket| numbers(ticket, &device).1[0]);
            assert_eq!((a, b), (0, 1000));
            assert_eq!(device.traffic().staging_buffers, 4, "in round {round}");
        }
        // Tickets that nobody wants any more do no harm.
        drop(two(&device, &store, 64));
        assert_eq!(two(&device, &store, 64).map(|ticket| numbers(ticket, &device).1[0]), [0, 1000]);
        device.check().expect("nothing is wrong");
    }

    #[test]
    fn many_sizes_do_not_pile_up() {
        let Some(device) = device() else { return };
        let store = device.room::<u32>("numbers", 200).expect("room");
        (1..100).for_each(|i| drop(device.read::<u32>(&store, 2 * i).expect("numbers")));
        assert_eq!(device.staging.idle.lock().expect("no panic").len(), MOST_IDLE);
    }

    #[test]
    fn a_device_that_is_lost_in_between_is_told() {
        let Some(device) = device() else { return };
        let store = device.room::<u32>("numbers", 64).expect("room");
        let [a, b] = two(&device, &store, 64);
        assert_eq!(numbers(a, &device).1, [0]);
        device.wgpu.destroy();
        let error = b.take(&device).err();
        assert!(matches!(error, Some(GpuError::Lost { .. })), "{error:?}");
        let again = device.read::<u32>(&store, 1).err();
        assert!(matches!(again, Some(GpuError::Lost { .. })), "{again:?}");
    }
}
