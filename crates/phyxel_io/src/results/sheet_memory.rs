//! What an interrupted run puts aside of its picture sheet, so that the resumed one can show the beginning too.
//!
//! The container is a checkpoint, for its checksum; the payload holds, per frame, index (u64), time (f64), and per body
//! the number of points (u64) and three f32 each.

use crate::checkpoint::{Checkpoint, read_checkpoint, write_checkpoint};
use crate::file::{OutputError, remove_if_there};
use crate::picture::Snapshot;
use std::path::{Path, PathBuf};

fn place(dir: &Path) -> PathBuf {
    dir.join(".sheet.frames.partial")
}

/// Puts the frames aside; `next` is the frame that a resumed run begins with.
pub(super) fn remember(dir: &Path, next: usize, frames: &[Snapshot]) -> Result<(), OutputError> {
    let mut payload = Vec::new();
    for frame in frames {
        payload.extend((frame.index as u64).to_le_bytes());
        payload.extend(frame.time.to_le_bytes());
        for body in &frame.points {
            payload.extend((body.len() as u64).to_le_bytes());
            payload.extend(body.iter().flatten().flat_map(|c| c.to_le_bytes()));
        }
    }
    write_checkpoint(&place(dir), &Checkpoint { frame: next, payload, ..Checkpoint::default() })
}

/// Removes what was put aside.
pub(super) fn forget(dir: &Path) -> Result<(), OutputError> {
    remove_if_there(&place(dir))
}

/// The frames before `resume_from` that were put aside. A sheet without its beginning is no reason to refuse to go on,
/// so what cannot be read counts as nothing.
pub(super) fn recall(dir: &Path, resume_from: usize, bodies: usize) -> Vec<Snapshot> {
    let Ok(checkpoint) = read_checkpoint(&place(dir)) else { return vec![] };
    let mut rest = checkpoint.payload.as_slice();
    let mut frames = Vec::new();
    while let Some(frame) = read_frame(&mut rest, bodies) {
        if frame.index < resume_from {
            frames.push(frame);
        }
    }
    frames
}

fn read_frame(rest: &mut &[u8], bodies: usize) -> Option<Snapshot> {
    let index = usize::try_from(u64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?)).ok()?;
    let time = f64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?);
    let points = (0..bodies).map(|_| read_points(rest)).collect::<Option<_>>()?;
    Some(Snapshot { index, time, points })
}

fn read_points(rest: &mut &[u8]) -> Option<Vec<[f32; 3]>> {
    let count = usize::try_from(u64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?)).ok()?;
    let bytes = rest.split_off(..count.checked_mul(12)?)?;
    let float = |p: &[u8], k: usize| f32::from_le_bytes([p[k], p[k + 1], p[k + 2], p[k + 3]]);
    Some(bytes.chunks_exact(12).map(|p| [float(p, 0), float(p, 4), float(p, 8)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let frame = |index: usize| Snapshot {
            index,
            time: index as f64 / 7.0,
            points: vec![vec![[index as f32, 0.5, -1.0]; 3], vec![], vec![[0.1, 0.2, 0.3]]],
        };
        remember(dir.path(), 3, &[frame(0), frame(1), frame(2)]).unwrap();
        let back = recall(dir.path(), 2, 3);
        assert_eq!(back.len(), 2, "frame 2 is simulated again");
        assert_eq!((back[1].index, back[1].time, &back[1].points), (1, 1.0 / 7.0, &frame(1).points));
        forget(dir.path()).unwrap();
        assert!(recall(dir.path(), 2, 3).is_empty());
    }
}
