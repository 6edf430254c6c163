//! Mesh files as bytes: read whole, walked with a cursor that never leaves them, and errors that know where they are.
//!
//! No reader allocates by what a header announces before it has seen that so many bytes are there, so memory is bounded
//! by a small multiple of the file's size.

mod axes;
pub(crate) mod base64;
mod cursor;
mod error;

pub use axes::{MAX_COORDINATE, UpAxis};
pub use error::{MeshFileError, Place, Problem};

pub(crate) use axes::Axes;
pub(crate) use cursor::{Cursor, Spot, array, find, parse, shortened};

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file in memory.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Source {
    /// Reads a whole file; refuses folders, devices and pipes, which might never end, and files without content.
    pub(crate) fn read(path: &Path) -> Result<Self, MeshFileError> {
        let fail = |problem| MeshFileError::new(path, Place::File, problem);
        let about = fs::metadata(path).map_err(|e| fail(Problem::Unreadable(e)))?;
        if about.is_dir() {
            return Err(fail(Problem::Folder));
        }
        if !about.is_file() {
            return Err(fail(Problem::NotAFile));
        }
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(usize::try_from(about.len()).unwrap_or(usize::MAX));
        reserved.map_err(|_| fail(Problem::TooLarge { bytes: about.len() }))?;
        File::open(path)
            .and_then(|file| file.take(about.len()).read_to_end(&mut bytes))
            .map_err(|e| fail(Problem::Unreadable(e)))?;
        Source::new(path, bytes)
    }

    /// Bytes that came from elsewhere, under a name.
    pub(crate) fn new(path: &Path, mut bytes: Vec<u8>) -> Result<Self, MeshFileError> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        if bytes.is_empty() {
            return Err(MeshFileError::new(path, Place::File, Problem::Empty));
        }
        Ok(Source { path: path.to_path_buf(), bytes })
    }

    /// An error about the file as a whole.
    pub(crate) fn error(&self, problem: Problem) -> MeshFileError {
        MeshFileError::new(&self.path, Place::File, problem)
    }

    /// An error in text: its line is counted only now.
    pub(crate) fn error_on_line(&self, at: usize, problem: Problem) -> MeshFileError {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let lone_returns = before.windows(2).filter(|w| w[0] == b'\r' && w[1] != b'\n').count();
        let line = 1 + before.iter().filter(|b| **b == b'\n').count() + lone_returns;
        MeshFileError::new(&self.path, Place::Line(line), problem)
    }

    /// An error in bytes that are not text.
    pub(crate) fn error_at_byte(&self, at: usize, problem: Problem) -> MeshFileError {
        MeshFileError::new(&self.path, Place::Byte(at as u64), problem)
    }

    /// An error at a place that a cursor has kept.
    pub(crate) fn error_at(&self, spot: Spot, problem: Problem) -> MeshFileError {
        if spot.binary { self.error_at_byte(spot.at, problem) } else { self.error_on_line(spot.at, problem) }
    }

    /// The extension in lower case; empty when there is none.
    pub(crate) fn extension(&self) -> String {
        extension(&self.path)
    }

    /// Whether the beginning looks like text: no zero bytes in it.
    pub(crate) fn is_text(&self) -> bool {
        !self.bytes[..self.bytes.len().min(4096)].contains(&0)
    }
}

/// The extension of a path in lower case; empty when there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
