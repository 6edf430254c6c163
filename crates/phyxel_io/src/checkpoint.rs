//! Checkpoints: everything needed to go on later, in one file that notices when it was damaged.
//!
//! Layout, little endian: magic (8 bytes), version (u32), scene hash (u64), time (f64), frame (u64), step (u64),
//! length of the precision's name (u64) and the name, the same for the payload and for the surfaces, checksum (u64) over
//! everything before it.

use crate::file::{AtomicFile, OutputError};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Begins with a byte that is not text, and has both line endings, so that a transfer as text shows.
const MAGIC: [u8; 8] = *b"\x89PHYX\r\n\x1a";
const VERSION: u32 = 5;

/// A simulation put aside.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Checkpoint {
    /// Hash of the scene that was simulated; going on with another scene makes no sense.
    pub scene_hash: u64,
    /// Precision of the simulation: `f32` or `f64`.
    pub precision: String,
    /// Simulated time [s].
    pub time: f64,
    /// Index of the last frame recorded.
    pub frame: usize,
    /// Steps done.
    pub step: usize,
    /// The state, in the engine's own form.
    pub payload: Vec<u8>,
    /// What the drawn surfaces remember from frame to frame, in their own form; empty where they remember nothing.
    pub surfaces: Vec<u8>,
}

/// Why a checkpoint could not be read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file could not be read at all.
    #[error("the checkpoint `{}` could not be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Some other file.
    #[error("`{}` is not a checkpoint of phyxel: give the file that a run left behind", .path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version of the program.
    #[error("the checkpoint `{}` has version {found}, this program reads version {VERSION}: run without resuming", .path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file ends too early.
    #[error("the checkpoint `{}` is cut off at {length} bytes: run without resuming", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length.
        length: usize,
    },
    /// The checksum does not match.
    #[error("the checkpoint `{}` is damaged (its checksum does not match): run without resuming", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}

/// FNV-1a over 64-bit words with a final avalanche: every single flipped bit changes the sum.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        // The rotation carries high bits down; multiplication alone only moves them up and out.
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(PRIME).rotate_left(29);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

fn encode(checkpoint: &Checkpoint) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(checkpoint.payload.len() + checkpoint.surfaces.len() + 128);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(checkpoint.scene_hash.to_le_bytes());
    bytes.extend(checkpoint.time.to_le_bytes());
    bytes.extend((checkpoint.frame as u64).to_le_bytes());
    bytes.extend((checkpoint.step as u64).to_le_bytes());
    for block in [checkpoint.precision.as_bytes(), &checkpoint.payload, &checkpoint.surfaces] {
        bytes.extend((block.len() as u64).to_le_bytes());
        bytes.extend(block);
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Writes a checkpoint; a previous one at `path` is replaced only by a whole one.
pub fn write_checkpoint(path: &Path, checkpoint: &Checkpoint) -> Result<(), OutputError> {
    let bytes = encode(checkpoint);
    AtomicFile::write(path, |w| {
        w.write_all(&bytes)?;
        w.flush()?;
        // A checkpoint is for the day the machine fails: the data must be on the disk before the name is.
        w.get_ref().sync_all()
    })
}

/// What is left to read; gives nothing beyond the end.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let count = usize::try_from(count).ok()?;
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }
    fn u64(&mut self) -> Option<u64> {
        self.take(8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes)
    }
    /// A length and that many bytes; the length is checked against what is there before anything is allocated.
    fn block(&mut self) -> Option<&'a [u8]> {
        let length = self.u64()?;
        self.take(length)
    }
}

/// Where a well-begun file turned out to be bad.
enum Flaw {
    Short,
    Sum,
}

fn decode(body: &[u8]) -> Result<Checkpoint, Flaw> {
    let mut reader = Reader(&body[12..]);
    let mut fields = || {
        let (scene_hash, time) = (reader.u64()?, f64::from_bits(reader.u64()?));
        let (frame, step) = (reader.u64()?, reader.u64()?);
        let blocks = [reader.block()?, reader.block()?, reader.block()?];
        Some((scene_hash, time, frame, step, blocks, reader.u64()?))
    };
    let (scene_hash, time, frame, step, [precision, payload, surfaces], sum) = fields().ok_or(Flaw::Short)?;
    let whole = reader.0.is_empty() && checksum(&body[..body.len() - 8]) == sum;
    let precision = std::str::from_utf8(precision).ok().filter(|_| whole).ok_or(Flaw::Sum)?;
    Ok(Checkpoint {
        scene_hash,
        precision: precision.to_string(),
        time,
        frame: usize::try_from(frame).map_err(|_| Flaw::Sum)?,
        step: usize::try_from(step).map_err(|_| Flaw::Sum)?,
        payload: payload.to_vec(),
        surfaces: surfaces.to_vec(),
    })
}

/// Reads a checkpoint that [`write_checkpoint`] wrote.
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let path_buf = path.to_path_buf();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(source) => return Err(CheckpointError::Unreadable { path: path_buf, source }),
    };
    let shared = bytes.len().min(MAGIC.len());
    if bytes.is_empty() || bytes[..shared] != MAGIC[..shared] {
        return Err(CheckpointError::NotACheckpoint { path: path_buf });
    }
    let Some(version) = bytes.get(8..12).and_then(|v| v.try_into().ok()).map(u32::from_le_bytes) else {
        return Err(CheckpointError::Truncated { path: path_buf, length: bytes.len() });
    };
    if version != VERSION {
        return Err(CheckpointError::OtherVersion { path: path_buf, found: version });
    }
    decode(&bytes).map_err(|flaw| match flaw {
        Flaw::Short => CheckpointError::Truncated { path: path_buf, length: bytes.len() },
        Flaw::Sum => CheckpointError::Damaged { path: path_buf },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Checkpoint {
        Checkpoint {
            scene_hash: 0x0123_4567_89ab_cdef,
            precision: "f64".into(),
            time: 1.0 / 3.0,
            frame: 20,
            step: 163,
            payload: (0..1003u32).map(|i| (i * 37 % 251) as u8).collect(),
            surfaces: vec![7; 31],
        }
    }

    fn read(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        fs::write(&path, bytes).unwrap();
        read_checkpoint(&path)
    }

    #[test]
    fn a_round_trip_keeps_every_field() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint");
        for checkpoint in [sample(), Checkpoint::default()] {
            write_checkpoint(&path, &checkpoint).unwrap();
            assert_eq!(read_checkpoint(&path).unwrap(), checkpoint);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn every_cut_is_noticed() {
        let bytes = encode(&sample());
        for length in (1..bytes.len()).step_by(7) {
            assert!(matches!(read(&bytes[..length]), Err(CheckpointError::Truncated { .. })), "cut at {length}");
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = encode(&sample());
        for at in (0..bytes.len()).step_by(3) {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << (at % 8);
            assert!(read(&bad).is_err(), "byte {at}");
        }
        let mut bad = bytes.clone();
        bad[200] ^= 0x80;
        assert!(matches!(read(&bad), Err(CheckpointError::Damaged { .. })));
    }

    #[test]
    fn a_huge_length_allocates_nothing() {
        let mut bytes = encode(&sample());
        bytes[44..52].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(read(&bytes), Err(CheckpointError::Truncated { .. })));
    }

    #[test]
    fn other_files_and_other_versions_are_told_apart() {
        assert!(matches!(read(b"name = \"jelly\"\n"), Err(CheckpointError::NotACheckpoint { .. })));
        assert!(matches!(read(b""), Err(CheckpointError::NotACheckpoint { .. })));
        let mut bytes = encode(&sample());
        bytes[8] = 9;
        assert!(matches!(read(&bytes), Err(CheckpointError::OtherVersion { found: 9, .. })));
        let missing = read_checkpoint(Path::new("no/such/checkpoint"));
        assert!(matches!(missing, Err(CheckpointError::Unreadable { .. })));
    }
}
