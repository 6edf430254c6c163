//! The picture sheet of a run: keeps a few frames while they pass, and draws them at the end.

use super::{FrameStats, Run, Writer};
use crate::file::OutputError;
use crate::picture::{SheetSettings, Snapshot, sheet_of, write_png};
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
        Ok(SheetWriter { run, settings: SheetSettings::default(), kept: vec![], latest: None, stride: 1 })
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
        let path = self.run.dir.join("sheet.png");
        write_png(&path, &sheet_of(&self.run.drawables, &self.kept, &self.settings))?;
        Ok(Some(path))
    }

    fn set_ground(&mut self, y: f64) {
        self.settings.ground = Some(y);
    }
}
