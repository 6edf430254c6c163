//! glTF: one binary file (`.glb`) with the animation of a run, for viewers, engines and the web.
//!
//! A body that keeps its triangles is one mesh. If it only turns and travels, so does its node; if it deforms, each frame
//! is a morph target, and the weights go from one to the next. A surface found anew is a mesh of its own in each frame,
//! which has a size in that frame alone. Viewers hold all morph targets in memory at once, so of a long run only every
//! n-th frame is kept: about [`MOST_FRAMES`], with straight lines between them.

mod bin;
mod document;
mod materials;
mod plan;
mod rigid;
mod shape;
mod store;

use super::{FrameStats, Run, Writer};
use crate::file::{AtomicFile, OutputError, partial_name, remove_if_there};
use bin::Bin;
use document::Document;
use phyxel::record::Frame;
use plan::Plan;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use store::{Drawn, Record, Store};

/// About how many frames of a run are kept.
const MOST_FRAMES: usize = 120;

pub(super) struct GltfWriter {
    run: Arc<Run>,
    path: PathBuf,
    store: Store,
    /// Frames whose index is a multiple of this are kept.
    stride: usize,
    /// The latest frame, unless it is among those.
    latest: Option<Record>,
    next: usize,
}

impl GltfWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let path = run.dir.join(format!("{}.glb", run.name));
        let stride = run.expected_frames.div_ceil(MOST_FRAMES).max(1);
        let hidden = partial_name(&path).with_extension("frames.partial");
        let resume_from = run.resume_from;
        let store = Store::create(hidden, run.drawables.len(), |i| i < resume_from && i.is_multiple_of(stride))?;
        Ok(GltfWriter { run, path, store, stride, latest: None, next: resume_from })
    }

    /// All frames of the file, one after the other.
    fn each(&self, mut visit: impl FnMut(&Record) -> Result<(), OutputError>) -> Result<(), OutputError> {
        self.store.each(|record| visit(&record))?;
        self.latest.as_ref().map_or(Ok(()), visit)
    }

    fn write(&self, head: &[u8], bin: &Bin, plan: &Plan, w: &mut impl Write) -> Result<(), OutputError> {
        let failed = |e| OutputError::at(&self.path, e);
        write_opening(head, bin, w).map_err(failed)?;
        let mut seen = vec![false; plan.bodies.len()];
        self.each(|record| {
            for (body, drawn) in record.bodies.iter().enumerate() {
                match drawn {
                    Drawn::Free(surface) => write_free(body, surface, &self.run, w).map_err(failed)?,
                    Drawn::Own(points) => {
                        let own = plan.bodies[body].own.as_ref().filter(|own| own.morphs() && seen[body]);
                        seen[body] = true;
                        let Some(own) = own else { continue };
                        write_triples(&own.differences(points), w).map_err(failed)?;
                        write_triples(&own.normal_differences(points).unwrap_or_default(), w).map_err(failed)?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// The heads of the file and of its two chunks, the description, and what of the second chunk is in memory.
fn write_opening(head: &[u8], bin: &Bin, w: &mut impl Write) -> io::Result<()> {
    let length = 12 + 8 + head.len() as u64 + 8 + bin.length;
    w.write_all(b"glTF")?;
    for number in [2, length as u32, head.len() as u32] {
        w.write_all(&number.to_le_bytes())?;
    }
    w.write_all(b"JSON")?;
    w.write_all(head)?;
    w.write_all(&(bin.length as u32).to_le_bytes())?;
    w.write_all(b"BIN\0")?;
    w.write_all(&bin.held)
}

fn write_free(body: usize, surface: &store::Surface, run: &Run, w: &mut impl Write) -> io::Result<()> {
    if surface.triangles.is_empty() {
        return Ok(());
    }
    write_triples(&surface.points, w)?;
    write_triples(&surface.normals, w)?;
    let [r, g, b, _] = super::looks::look_of(body, &run.drawables[body], 0).colour;
    match surface.colours.is_empty() {
        true => write_triples(&vec![[r, g, b]; surface.points.len()], w)?,
        false => write_triples(&surface.colours, w)?,
    }
    surface.triangles.iter().flatten().try_for_each(|v| w.write_all(&v.to_le_bytes()))
}

fn write_triples(values: &[[f32; 3]], w: &mut impl Write) -> io::Result<()> {
    values.iter().flatten().try_for_each(|c| w.write_all(&c.to_le_bytes()))
}

impl Writer for GltfWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        let record = Record::of(&self.run.drawables, frame);
        self.next = frame.index + 1;
        self.latest = None;
        if frame.index.is_multiple_of(self.stride) {
            return self.store.push(&record);
        }
        self.latest = Some(record);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        let mut plan = Plan::new(self.run.drawables.len());
        self.each(|record| {
            plan.add(&self.run.drawables, record);
            Ok(())
        })?;
        let (json, bin) = Document::of(&self.run.name, &self.run.drawables, &plan);
        let mut head =
            serde_json::to_vec(&json).map_err(|source| OutputError::Json { path: self.path.clone(), source })?;
        head.resize(head.len().next_multiple_of(4), b' ');
        if bin.length + head.len() as u64 + 28 > u64::from(u32::MAX) {
            return Err(OutputError::TooLarge { path: self.path.clone(), instead: "usd" });
        }
        let mut failure = None;
        AtomicFile::write(&self.path, |w| {
            self.write(&head, &bin, &plan, w).map_err(|e| {
                failure = Some(e);
                io::Error::other("a frame could not be written")
            })
        })
        .map_err(|e| failure.take().unwrap_or(e))?;
        // A run that ended early may be resumed, and then needs its frames again.
        if self.next >= self.run.expected_frames {
            remove_if_there(self.store.path())?;
        }
        Ok(Some(self.path))
    }
}
