//! Buffers that threads share: whoever needs one takes it and gives it back, so that nothing is allocated twice.

use std::sync::{Mutex, PoisonError};

/// Buffers that nobody is using. Which of them somebody gets makes no difference to the results.
#[derive(Debug, Default)]
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Clone for Pool<T> {
    /// Buffers hold nothing that is worth copying.
    fn clone(&self) -> Self {
        Pool(Mutex::default())
    }
}

impl<T: Default> Pool<T> {
    /// Does something with one of the buffers. It is taken out meanwhile, because a thread that waits may begin other work,
    /// which needs one of its own.
    pub fn with<O>(&self, work: impl FnOnce(&mut T) -> O) -> O {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = free().pop().unwrap_or_default();
        let done = work(&mut buffer);
        free().push(buffer);
        done
    }
}
