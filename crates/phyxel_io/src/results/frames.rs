//! The frames themselves, and the pictures that are drawn of them when a run ends.

use super::{Format, FrameStats, Run, Writer};
use crate::file::{OutputError, partial_name, remove_if_there};
use crate::frames::{FramesFile, FramesOutput, Head};
use crate::render::{RenderError, Which, film_path, render};
use phyxel::record::Frame;
use phyxel::scene::Camera;
use phyxel_draw::movie::Form;
use phyxel_draw::sheet::SheetLayout;
use phyxel_draw::{Outline, Painter, Software, StageSettings};
use std::path::PathBuf;
use std::sync::Arc;

/// Writes `NAME.frames` while a run goes on. Where only pictures are asked for the file is hidden, and goes when the run is
/// complete.
pub(super) struct FramesWriter {
    run: Arc<Run>,
    /// `frames`, `png`, `gif` and `mp4`, as asked for.
    formats: Vec<Format>,
    head: Head,
    output: Option<FramesOutput>,
    path: PathBuf,
    next: usize,
    painter: Box<dyn Painter>,
}

impl FramesWriter {
    pub(super) fn create(run: Arc<Run>, formats: Vec<Format>) -> Self {
        let named = run.dir.join(format!("{}.frames", run.name));
        let path = if formats.contains(&Format::Frames) { named } else { partial_name(&named) };
        let head = Head {
            name: run.name.clone(),
            frame_rate: run.frame_rate,
            layouts: run.layouts.clone(),
            ..Head::default()
        };
        let next = run.resume_from;
        FramesWriter { run, formats, head, output: None, path, next, painter: Box::new(Software) }
    }

    fn draw(&mut self, format: Format) -> Result<PathBuf, OutputError> {
        let (which, output, samples) = match format {
            Format::Png => (Which::Sheet(SheetLayout::default()), self.run.dir.join("sheet.png"), 3),
            Format::Gif => (Which::Film(Form::Gif, None), film_path(&self.run.dir, &self.run.name, Form::Gif), 2),
            _ => (Which::Film(Form::Mp4, None), film_path(&self.run.dir, &self.run.name, Form::Mp4), 2),
        };
        let settings = match format {
            Format::Gif => StageSettings { samples, width: 640, height: 360, ..StageSettings::default() },
            _ => StageSettings { samples, ..StageSettings::default() },
        };
        let fail = |error: RenderError| match error {
            RenderError::Output(error) => error,
            other => OutputError::NotDrawn { path: output.clone(), why: other.to_string() },
        };
        let mut result = FramesFile::open(&self.path).map_err(|e| fail(e.into()))?;
        render(&mut result, settings, which, &output, &mut *self.painter, &mut |_, _| {}).map_err(fail)?;
        Ok(output)
    }
}

impl Writer for FramesWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        let output = match &mut self.output {
            Some(output) => output,
            none => none.insert(FramesOutput::create(&self.path, &self.head, self.run.resume_from)?),
        };
        output.push(frame)?;
        self.next = frame.index + 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        Ok(self.finish_all()?.into_iter().next())
    }

    fn finish_all(mut self: Box<Self>) -> Result<Vec<PathBuf>, OutputError> {
        if self.output.take().is_none() {
            return Ok(Vec::new());
        }
        let mut outcome = Ok(Vec::new());
        for format in self.formats.clone() {
            let drawn = if format == Format::Frames { Ok(self.path.clone()) } else { self.draw(format) };
            match (&mut outcome, drawn) {
                (Ok(paths), Ok(path)) => paths.push(path),
                (Ok(_), Err(error)) => outcome = Err(error),
                (Err(_), _) => {}
            }
        }
        let complete = self.next >= self.run.expected_frames;
        if complete && !self.formats.contains(&Format::Frames) {
            remove_if_there(&self.path)?;
        }
        outcome
    }

    fn set_ground(&mut self, y: f64) {
        self.head.ground = Some(y);
    }

    fn set_outlines(&mut self, outlines: &[Outline]) {
        self.head.outlines = outlines.to_vec();
    }

    fn set_camera(&mut self, camera: Option<Camera>) {
        self.head.camera = camera;
    }

    fn set_painter(&mut self, painter: Box<dyn Painter>) -> Option<Box<dyn Painter>> {
        self.painter = painter;
        None
    }
}
