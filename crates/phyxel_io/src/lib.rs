//! Every file that phyxel reads or writes.

pub mod checkpoint;
mod drawable;
mod file;
pub mod json;
pub mod picture;
pub mod results;
pub mod scene;

pub use checkpoint::{Checkpoint, CheckpointError, read_checkpoint, write_checkpoint};
pub use file::OutputError;
pub use json::write_json;
pub use results::{Format, FormatError, FrameStats, Recorder};
pub use scene::{SceneError, parse_scene, read_scene};
