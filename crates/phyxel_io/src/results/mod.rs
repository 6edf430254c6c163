//! Results: the frames of a simulation, in the forms that other programs read.

mod creases;
mod csv;
mod format;
mod gltf;
mod html;
mod looks;
mod obj;
mod ply;
mod recorder;
mod sequence;
mod sheet;
mod sheet_memory;
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
use crate::picture::Segment;
use phyxel::record::{BodyLayout, Frame};
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
    /// Tells where the floor is [m].
    fn set_ground(&mut self, _y: f64) {}
    /// Tells what stands still around the bodies.
    fn set_outlines(&mut self, _outlines: &[Segment]) {}
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
        Format::Png => Box::new(sheet::SheetWriter::create(run)?),
    })
}
