//! The recorder: takes frames one by one, and leaves files that are whole whenever it is told to stop.

use super::{Format, FrameStats, Run, Writer, writers};
use crate::drawable::{Drawable, check_frame};
use crate::file::{OutputError, writable_folder};
use phyxel::record::{BodyLayout, Frame};
use phyxel::scene::Camera;
use phyxel_draw::{Outline, Painter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes the frames of a run in several formats at once.
///
/// Memory does not grow with the number of frames. [`Recorder::finish`] may be called at any time, and leaves complete
/// files of the frames pushed so far. A recorder dropped without it leaves the frames of the sequences, and hidden
/// `.partial` files that a resumed run picks up.
pub struct Recorder {
    run: Arc<Run>,
    writers: Vec<Box<dyn Writer>>,
    next: usize,
}

impl Recorder {
    /// Prepares to record into the folder `dir`, which is made when missing and proven to be writable.
    ///
    /// `frame_rate` is in frames per simulated second. `expected_frames` counts all frames of the whole run, the initial
    /// one included; it decides which frames the picture sheet shows. With `resume_from` above zero, the frames before
    /// it that an interrupted run left in `dir` are kept, and the first frame pushed is the one with that index.
    pub fn create(
        dir: &Path,
        scene_name: &str,
        formats: &[Format],
        layouts: &[BodyLayout],
        frame_rate: f64,
        expected_frames: usize,
        resume_from: usize,
    ) -> Result<Recorder, OutputError> {
        if !(frame_rate > 0.0 && frame_rate.is_finite()) {
            return Err(OutputError::FrameRate { rate: frame_rate });
        }
        let drawables = layouts.iter().map(Drawable::of).collect::<Result<Vec<_>, _>>()?;
        writable_folder(dir)?;
        let run = Arc::new(Run {
            dir: dir.to_path_buf(),
            name: file_stem(scene_name),
            layouts: layouts.to_vec(),
            drawables,
            frame_rate,
            expected_frames,
            resume_from,
        });
        let mut chosen = formats.to_vec();
        chosen.sort();
        chosen.dedup();
        let writers = writers(&chosen, &run)?;
        Ok(Recorder { run, writers, next: resume_from })
    }

    /// Tells the pictures where the floor is: `y` [m] of the lowest plane that bodies rest on. Without it, the floor is
    /// drawn under the lowest point of all bodies.
    #[must_use]
    pub fn with_ground(mut self, y: f64) -> Self {
        self.writers.iter_mut().for_each(|w| w.set_ground(y));
        self
    }

    /// Gives the pictures the outlines of what bodies hit: moulds, walls, steps, and what moves.
    #[must_use]
    pub fn with_outlines(mut self, outlines: &[Outline]) -> Self {
        self.writers.iter_mut().for_each(|w| w.set_outlines(outlines));
        self
    }

    /// Tells from where pictures are drawn; without it, from where all is seen.
    #[must_use]
    pub fn with_camera(mut self, camera: Option<Camera>) -> Self {
        self.writers.iter_mut().for_each(|w| w.set_camera(camera));
        self
    }

    /// Gives what draws pictures; without it, the processor does.
    #[must_use]
    pub fn with_painter(mut self, painter: Box<dyn Painter>) -> Self {
        let mut painter = Some(painter);
        for writer in &mut self.writers {
            painter = painter.and_then(|p| writer.set_painter(p));
        }
        self
    }

    /// Records a frame; frames come in the order of their indices.
    pub fn push(&mut self, frame: &Frame, stats: &FrameStats) -> Result<(), OutputError> {
        if frame.index < self.next {
            return Err(OutputError::FrameOrder { frame: frame.index, expected: self.next });
        }
        check_frame(&self.run.drawables, frame)?;
        self.writers.iter_mut().try_for_each(|w| w.push(frame, stats))?;
        self.next = frame.index + 1;
        Ok(())
    }

    /// Completes all files, and says which they are: one path per format, a folder where there is one file per frame.
    ///
    /// When one format fails, the others are still completed, and the first failure is returned.
    pub fn finish(self) -> Result<Vec<PathBuf>, OutputError> {
        let results: Vec<_> = self.writers.into_iter().map(Writer::finish_all).collect();
        let paths = results.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(paths.into_iter().flatten().collect())
    }
}

/// A scene's name as the beginning of a file name: no separators, no leading dot, never empty.
fn file_stem(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = name.trim().trim_start_matches('.').chars().take(80).map(safe).collect();
    if stem.is_empty() { "scene".into() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_safe_for_files() {
        assert_eq!(file_stem("jelly"), "jelly");
        assert_eq!(file_stem("../a b/c"), "_a_b_c");
        assert_eq!(file_stem(" . "), "scene");
    }
}
