//! Ctrl-C: the first one asks to stop after the frame, the second one stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static ASKED_TO_STOP: AtomicBool = AtomicBool::new(false);

/// Begins to listen.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if ASKED_TO_STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("stopping after this frame; Ctrl-C again stops at once");
    })
    .map_err(|error| Failure::work(format!("Ctrl-C cannot be handled: {error}")))
}

/// Whether Ctrl-C was pressed.
pub fn asked_to_stop() -> bool {
    ASKED_TO_STOP.load(Ordering::SeqCst)
}
