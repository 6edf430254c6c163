//! What can go wrong with a picture.

use std::io;
use std::path::PathBuf;

/// Why something could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A picture without pixels, or with more than any screen has.
    #[error("a picture of {width} x {height} pixels cannot be drawn: choose 1 to {most} pixels for each side", most = DrawError::MOST_PIXELS)]
    Size {
        /// [pixels]
        width: usize,
        /// [pixels]
        height: usize,
    },
    /// A camera that looks nowhere.
    #[error("the camera cannot see anything: {why}")]
    Camera {
        /// What is wrong with it.
        why: String,
    },
    /// A range of colours that is none.
    #[error("the range of colours {low} to {high} is empty: the first number must be the smaller one")]
    Range {
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// A frame whose bodies are not those of the layouts.
    #[error("frame {frame} does not fit its bodies: {what}")]
    Frame {
        /// The frame's index.
        frame: usize,
        /// What does not fit.
        what: String,
    },
    /// Something asked for that the result does not have.
    #[error("there is nothing to show as {what} in this result: {remedy}")]
    Missing {
        /// What was asked for.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A texture that cannot be read.
    #[error("the texture `{}` cannot be used: {why}", .path.display())]
    Texture {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A film in a form that needs a program which is not there.
    #[error("{format} cannot be written: {why}")]
    Encoder {
        /// The form.
        format: &'static str,
        /// What is missing, and what to do.
        why: String,
    },
    /// The system failed.
    #[error("the picture could not be written: {0}")]
    Io(#[from] io::Error),
    /// The graphics device failed.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] phyxel_gpu::GpuError),
}

impl DrawError {
    /// The longest side of a picture [pixels].
    pub const MOST_PIXELS: usize = 8192;

    /// Refuses sizes that nothing can be drawn in.
    pub fn check_size(width: usize, height: usize) -> Result<(), DrawError> {
        let fits = |n: usize| (1..=Self::MOST_PIXELS).contains(&n);
        if fits(width) && fits(height) { Ok(()) } else { Err(DrawError::Size { width, height }) }
    }
}
