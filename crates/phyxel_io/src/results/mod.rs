//! Results: the frames of a simulation, in the forms that other programs read.

mod csv;
mod format;
mod frames;
mod gltf;
mod html;
mod looks;
mod obj;
mod ply;
mod recorder;
mod sequence;
mod textures;
mod usd;
mod usd_looks;
mod usd_parts;
mod vtk;

pub use csv::FrameStats;
pub use format::{Format, FormatError};
pub use recorder::Recorder;

use crate::drawable::Drawable;
use crate::file::OutputError;
use phyxel::record::{BodyLayout, Frame};
use phyxel::scene::Camera;
use phyxel_draw::{Outline, Painter};
use std::path::PathBuf;
use std::sync::Arc;

/// What every writer needs to know of the run.
struct Run {
    dir: PathBuf,
    /// The scene's name, made safe for file names.
    name: String,
    layouts: Vec<BodyLayout>,
    drawables: Vec<Drawable>,
    frame_rate: f64,
    expected_frames: usize,
    /// Frames before this one were recorded by an earlier, interrupted run.
    resume_from: usize,
}

/// One form of result being written.
trait Writer {
    /// Adds a frame, which is known to fit the layouts.
    fn push(&mut self, frame: &Frame, stats: &FrameStats) -> Result<(), OutputError>;
    /// Completes what was pushed, and says where it is; nothing when there is nothing.
    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError>;
    /// The same for a writer that leaves several files.
    fn finish_all(self: Box<Self>) -> Result<Vec<PathBuf>, OutputError> {
        Ok(self.finish()?.into_iter().collect())
    }
    /// Tells where the floor is [m].
    fn set_ground(&mut self, _y: f64) {}
    /// Tells what stands still around the bodies.
    fn set_outlines(&mut self, _outlines: &[Outline]) {}
    /// Tells from where pictures are drawn.
    fn set_camera(&mut self, _camera: Option<Camera>) {}
    /// Gives what draws pictures; a writer that draws none gives it back.
    fn set_painter(&mut self, painter: Box<dyn Painter>) -> Option<Box<dyn Painter>> {
        Some(painter)
    }
}

/// A writer for each format; all that is drawn comes from one.
fn writers(formats: &[Format], run: &Arc<Run>) -> Result<Vec<Box<dyn Writer>>, OutputError> {
    let (drawn, others): (Vec<Format>, Vec<Format>) = formats.iter().partition(|f| f.comes_from_frames());
    let mut writers = others.into_iter().map(|f| writer(f, run)).collect::<Result<Vec<_>, _>>()?;
    if !drawn.is_empty() {
        writers.push(Box::new(frames::FramesWriter::create(Arc::clone(run), drawn)));
    }
    Ok(writers)
}

fn writer(format: Format, run: &Arc<Run>) -> Result<Box<dyn Writer>, OutputError> {
    let run = Arc::clone(run);
    Ok(match format {
        Format::Usd => Box::new(usd::UsdWriter::create(run)?),
        Format::Vtk => Box::new(vtk::VtkWriter::create(run)?),
        Format::Ply => Box::new(ply::PlyWriter::create(run)?),
        Format::Obj => Box::new(obj::ObjWriter::create(run)?),
        Format::Csv => Box::new(csv::CsvWriter::create(run)?),
        Format::Gltf => Box::new(gltf::GltfWriter::create(run)?),
        Format::Html => Box::new(html::HtmlWriter::create(run)?),
        Format::Frames | Format::Png | Format::Gif | Format::Mp4 => {
            Box::new(frames::FramesWriter::create(run, vec![format]))
        }
    })
}
