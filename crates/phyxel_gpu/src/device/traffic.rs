//! What goes to and fro between memory and device, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// What has gone to and fro since a device was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Everything that was uploaded: models, states, and the small blocks that steer steps [bytes].
    pub uploaded: u64,
    /// Displacements, velocities and what elements remember among it [bytes].
    pub state_uploaded: u64,
    /// What came back [bytes].
    pub read_back: u64,
    /// Buffers that were made to receive it; they are used again.
    pub staging_buffers: u64,
}

impl std::ops::Sub for Traffic {
    type Output = Traffic;

    /// What has gone since `earlier`.
    fn sub(self, earlier: Traffic) -> Traffic {
        Traffic {
            uploaded: self.uploaded - earlier.uploaded,
            state_uploaded: self.state_uploaded - earlier.state_uploaded,
            read_back: self.read_back - earlier.read_back,
            staging_buffers: self.staging_buffers - earlier.staging_buffers,
        }
    }
}

/// The counters; any thread may count.
#[derive(Default)]
pub(super) struct Counters {
    uploaded: AtomicU64,
    state_uploaded: AtomicU64,
    read_back: AtomicU64,
    staging_buffers: AtomicU64,
}

impl Counters {
    pub(super) fn uploaded(&self, bytes: u64) {
        self.uploaded.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn state_uploaded(&self, bytes: u64) {
        self.state_uploaded.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn read_back(&self, bytes: u64) {
        self.read_back.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn made_staging_buffer(&self) {
        self.staging_buffers.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn now(&self) -> Traffic {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            uploaded: of(&self.uploaded),
            state_uploaded: of(&self.state_uploaded),
            read_back: of(&self.read_back),
            staging_buffers: of(&self.staging_buffers),
        }
    }
}
