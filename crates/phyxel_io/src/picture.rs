//! Pictures as files; they are drawn by [`phyxel_draw`].

use crate::file::{AtomicFile, OutputError};
use std::path::Path;

pub use phyxel_draw::{Image, Outline, Segment, outlines, scene_outlines};

/// Writes an image as PNG; the file appears only when it is whole.
pub fn write_png(path: &Path, image: &Image) -> Result<(), OutputError> {
    AtomicFile::write(path, |w| phyxel_draw::write_png(image, w))
}

/// Writes an image as a PNG of at most 256 colours, a third of the size.
pub fn write_small_png(path: &Path, image: &Image) -> Result<(), OutputError> {
    AtomicFile::write(path, |w| phyxel_draw::write_indexed_png(image, w))
}
