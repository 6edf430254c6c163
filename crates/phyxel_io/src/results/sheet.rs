//! The picture sheet of a run: keeps a few frames while they pass, and draws them at the end.

use super::sheet_memory::{forget, recall, remember};
use super::{FrameStats, Run, Writer};
use crate::file::OutputError;
use crate::picture::{Segment, SheetSettings, Snapshot, sheet_of, write_png};
use phyxel::record::Frame;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct SheetWriter {
    run: Arc<Run>,
    settings: SheetSettings,
    /// At most three sheets full.
    kept: Vec<Snapshot>,
    /// The latest frame, unless it is among those.
    latest: Option<Snapshot>,
    /// Frames whose index is a multiple of this are kept, besides those that the whole run will show.
    stride: usize,
}

impl SheetWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let kept = recall(&run.dir, run.resume_from, run.drawables.len());
        if run.resume_from == 0 {
            forget(&run.dir)?;
        }
        let mut writer = SheetWriter { run, settings: SheetSettings::default(), kept, latest: None, stride: 1 };
        writer.thin_out();
        Ok(writer)
    }

    fn tiles(&self) -> usize {
        self.settings.columns * self.settings.rows
    }

    /// Whether the sheet of a run of the expected length shows this frame.
    fn is_shown(&self, index: usize) -> bool {
        let (tiles, last) = (self.tiles() - 1, self.run.expected_frames.saturating_sub(1));
        (0..=tiles).any(|i| (i * last + tiles / 2) / tiles == index)
    }

    /// A run may stop early, so a spread of other frames is kept too; it is thinned out as the run goes on.
    fn thin_out(&mut self) {
        while self.kept.len() > 3 * self.tiles() {
            self.stride *= 2;
            let kept = std::mem::take(&mut self.kept);
            let first = kept.first().map(|f| f.index);
            let stays = |i: usize| i.is_multiple_of(self.stride) || self.is_shown(i) || Some(i) == first;
            self.kept = kept.into_iter().filter(|f| stays(f.index)).collect();
        }
    }
}

impl Writer for SheetWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        let snapshot = Snapshot::of(&self.run.drawables, frame);
        // What another scene left in the folder cannot be drawn with this one's triangles.
        self.kept.retain(|f| f.points.iter().map(Vec::len).eq(snapshot.points.iter().map(Vec::len)));
        let keep = self.kept.is_empty() || frame.index.is_multiple_of(self.stride) || self.is_shown(frame.index);
        if keep {
            self.latest = None;
            self.kept.push(snapshot);
            self.thin_out();
        } else {
            self.latest = Some(snapshot);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        self.kept.extend(self.latest.take());
        if self.kept.is_empty() {
            return Ok(None);
        }
        let next = self.kept.last().map_or(0, |f| f.index + 1);
        if next < self.run.expected_frames {
            remember(&self.run.dir, next, &self.kept)?;
        } else {
            forget(&self.run.dir)?;
        }
        let path = self.run.dir.join("sheet.png");
        write_png(&path, &sheet_of(&self.run.drawables, &self.kept, &self.settings))?;
        Ok(Some(path))
    }

    fn set_ground(&mut self, y: f64) {
        self.settings.ground = Some(y);
    }

    fn set_outlines(&mut self, outlines: &[Segment]) {
        self.settings.outlines = outlines.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_after(pushed: usize, expected_frames: usize) -> SheetWriter {
        let run = Run {
            dir: PathBuf::new(),
            name: String::new(),
            layouts: vec![],
            drawables: vec![],
            frame_rate: 60.0,
            expected_frames,
            resume_from: 0,
        };
        let settings = SheetSettings::default();
        let mut writer = SheetWriter { run: Arc::new(run), settings, kept: vec![], latest: None, stride: 1 };
        for index in 0..pushed {
            writer.push(&Frame { index, ..Frame::default() }, &FrameStats::default()).unwrap();
            assert!(writer.kept.len() <= 36, "memory is bounded");
        }
        writer
    }

    #[test]
    fn a_whole_run_keeps_exactly_the_frames_of_its_sheet_among_others() {
        let writer = kept_after(1000, 1000);
        for tile in 0..12 {
            let wanted = (tile * 999 + 5) / 11;
            assert!(writer.kept.iter().any(|f| f.index == wanted), "frame {wanted}");
        }
    }

    #[test]
    fn a_run_of_another_length_than_expected_is_still_spread_evenly() {
        for (pushed, expected) in [(100, 10_000), (5000, 10), (777, 0)] {
            let writer = kept_after(pushed, expected);
            let mut indices: Vec<usize> = writer.kept.iter().map(|f| f.index).collect();
            indices.extend(writer.latest.iter().map(|f| f.index));
            assert_eq!((indices[0], *indices.last().unwrap()), (0, pushed - 1));
            let widest = indices.windows(2).map(|w| w[1] - w[0]).max().unwrap();
            assert!(widest <= pushed / 11 + 1, "{pushed} of {expected}: a gap of {widest} frames");
        }
    }
}
