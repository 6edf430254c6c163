//! The frames of a run in one file, `NAME.frames`, to be drawn later by `phyxel render`.
//!
//! Layout, little endian: magic (8 bytes), then blocks of length (u64), checksum (u64) and that many bytes. The first block
//! tells what does not change (name, frame rate, bodies, floor, outlines, camera), each further one is a frame. Blocks are
//! added while a run goes on, so the file is whole after each; a last block that is cut off counts as not there.

mod codec;
#[cfg(test)]
mod tests;

use crate::checkpoint::checksum;
use crate::file::OutputError;
use phyxel::record::{BodyLayout, Frame};
use phyxel::scene::Camera;
use phyxel_draw::Outline;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Begins with a byte that is not text, and has both line endings, so that a transfer as text shows. The last byte is the
/// version.
const MAGIC: [u8; 8] = *b"\x89FRM\r\n\x1a\x04";

/// What does not change from frame to frame.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Head {
    /// The scene's name.
    pub name: String,
    /// Frames per simulated second [1/s].
    pub frame_rate: f64,
    /// Height of the floor [m], where there is one.
    pub ground: Option<f64>,
    /// Outlines of what bodies hit.
    pub outlines: Vec<Outline>,
    /// The scene's camera, where it has one.
    pub camera: Option<Camera>,
    /// The bodies.
    pub layouts: Vec<BodyLayout>,
}

/// Why frames could not be read.
#[derive(Debug, Error)]
pub enum FramesError {
    /// There is nothing of that name.
    #[error("there is no result `{}`: give the folder of a run, or its .frames file", .path.display())]
    NotThere {
        /// What was asked for.
        path: PathBuf,
    },
    /// A folder without frames.
    #[error("the folder `{}` has no .frames file: run the scene with `frames` among its --formats", .path.display())]
    NoFrames {
        /// The folder.
        path: PathBuf,
    },
    /// A folder with the frames of several runs.
    #[error("the folder `{}` has several results ({names}): name one of them", .path.display())]
    Several {
        /// The folder.
        path: PathBuf,
        /// Their names.
        names: String,
    },
    /// The file could not be read.
    #[error("the result `{}` could not be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Some other file, or one of another version.
    #[error("`{}` is not a result of this version of phyxel: give the .frames file that `phyxel run` wrote", .path.display())]
    NotFrames {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("the result `{}` is damaged at {place}: run the scene again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        place: String,
    },
    /// Nothing was recorded.
    #[error("the result `{}` has no frames: run the scene again", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Where a frame lies in the file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    index: usize,
    time: f64,
    start: u64,
    length: u64,
}

/// A file of frames, open for reading.
pub struct FramesFile {
    path: PathBuf,
    head: Head,
    file: BufReader<File>,
    entries: Vec<Entry>,
    /// Where the last whole block ends.
    end: u64,
}

impl FramesFile {
    /// Opens the result of a run: a `.frames` file, or a folder with one of them.
    pub fn open(result: &Path) -> Result<Self, FramesError> {
        if result.is_dir() {
            return Self::open(&the_one_in(result)?);
        }
        let path = result.to_path_buf();
        let unreadable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => FramesError::NotThere { path: path.clone() },
            _ => FramesError::Unreadable { path: path.clone(), source },
        };
        let file = File::open(&path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut file = BufReader::new(file);
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Err(FramesError::NotFrames { path });
        }
        let damaged = |place: &str| FramesError::Damaged { path: path.clone(), place: place.into() };
        let head = block(&mut file, length - 8).map_err(unreadable)?.ok_or_else(|| damaged("its beginning"))?;
        let head = codec::read_head(&head).ok_or_else(|| damaged("its beginning"))?;
        let mut end = file.stream_position().map_err(unreadable)?;
        let mut entries = Vec::new();
        while let Some(entry) = entry_at(&mut file, end, length).map_err(unreadable)? {
            end = entry.start + 16 + entry.length;
            entries.push(entry);
        }
        Ok(FramesFile { path, head, file, entries, end })
    }

    /// What does not change.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number that a frame had in its run, and its time [s].
    pub fn label(&self, at: usize) -> (usize, f64) {
        self.entries.get(at).map_or((0, 0.0), |e| (e.index, e.time))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a file without frames.
    pub fn not_empty(&self) -> Result<(), FramesError> {
        if self.is_empty() { Err(FramesError::Empty { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Reads a frame, by its place in the file.
    pub fn read(&mut self, at: usize) -> Result<Frame, FramesError> {
        let damaged = || FramesError::Damaged { path: self.path.clone(), place: format!("frame {at}") };
        let entry = *self.entries.get(at).ok_or_else(damaged)?;
        let unreadable = |source| FramesError::Unreadable { path: self.path.clone(), source };
        self.file.seek(SeekFrom::Start(entry.start)).map_err(unreadable)?;
        let bytes = block(&mut self.file, 16 + entry.length).map_err(unreadable)?.ok_or_else(damaged)?;
        codec::read_frame(&bytes).ok_or_else(damaged)
    }
}

fn the_one_in(folder: &Path) -> Result<PathBuf, FramesError> {
    let path = folder.to_path_buf();
    let unreadable = |source| FramesError::Unreadable { path: path.clone(), source };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let is_one = |p: &PathBuf| {
        let hidden = p.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        p.extension().is_some_and(|e| e == "frames") && !hidden
    };
    let mut found: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(is_one).collect();
    found.sort();
    match found.len() {
        0 => Err(FramesError::NoFrames { path }),
        1 => Ok(found.remove(0)),
        _ => {
            let name = |p: &PathBuf| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            Err(FramesError::Several { path, names: found.iter().map(name).collect::<Vec<_>>().join(", ") })
        }
    }
}

/// A block of at most `left` bytes; nothing when it is cut off or damaged.
fn block(file: &mut BufReader<File>, left: u64) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 16];
    if left < 16 || file.read_exact(&mut head).is_err() {
        return Ok(None);
    }
    let [length, sum] = [0, 8].map(|at| u64::from_le_bytes(*head[at..].first_chunk().unwrap_or(&[0; 8])));
    if length > left - 16 {
        return Ok(None);
    }
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes)?;
    Ok((checksum(&bytes) == sum).then_some(bytes))
}

/// What the block at `start` is called; nothing when it is not all there.
fn entry_at(file: &mut BufReader<File>, start: u64, length: u64) -> io::Result<Option<Entry>> {
    const NEEDED: u64 = 32;
    if start + NEEDED > length {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = [0; NEEDED as usize];
    file.read_exact(&mut bytes)?;
    let word = |at: usize| bytes[at..].first_chunk().copied().unwrap_or([0; 8]);
    let size = u64::from_le_bytes(word(0));
    let fits = size >= 16 && start.checked_add(16 + size).is_some_and(|end| end <= length);
    let entry = || Entry {
        index: u64::from_le_bytes(word(16)) as usize,
        time: f64::from_le_bytes(word(24)),
        start,
        length: size,
    };
    Ok(fits.then(entry))
}

/// A file of frames being written.
pub(crate) struct FramesOutput {
    path: PathBuf,
    file: BufWriter<File>,
}

impl FramesOutput {
    /// Begins a file, or goes on with the one that is there, after its frames before `resume_from`, if it tells of the same
    /// bodies.
    pub(crate) fn create(path: &Path, head: &Head, resume_from: usize) -> Result<Self, OutputError> {
        let fail = |e| OutputError::at(path, e);
        let earlier = (resume_from > 0).then(|| FramesFile::open(path).ok()).flatten();
        if let Some(earlier) = earlier.filter(|file| codec::write_head(&file.head) == codec::write_head(head)) {
            let after = earlier.entries.iter().find(|e| e.index >= resume_from).map_or(earlier.end, |e| e.start);
            drop(earlier);
            let mut file = File::options().write(true).open(path).map_err(fail)?;
            file.set_len(after).and_then(|()| file.seek(SeekFrom::End(0))).map_err(fail)?;
            return Ok(FramesOutput { path: path.to_path_buf(), file: BufWriter::new(file) });
        }
        let mut output =
            FramesOutput { path: path.to_path_buf(), file: BufWriter::new(File::create(path).map_err(fail)?) };
        output.file.write_all(&MAGIC).map_err(fail)?;
        output.block(&codec::write_head(head))?;
        Ok(output)
    }

    pub(crate) fn push(&mut self, frame: &Frame) -> Result<(), OutputError> {
        self.block(&codec::write_frame(frame))
    }

    fn block(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let mut write = || {
            self.file.write_all(&(bytes.len() as u64).to_le_bytes())?;
            self.file.write_all(&checksum(bytes).to_le_bytes())?;
            self.file.write_all(bytes)?;
            self.file.flush()
        };
        write().map_err(|e| OutputError::at(&self.path, e))
    }
}
