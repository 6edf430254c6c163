//! OBJ: the surfaces as text, one object per body, one file per frame.

use super::sequence::Sequence;
use super::{FrameStats, Run, Writer};
use crate::drawable::DrawnShape;
use crate::file::OutputError;
use phyxel::record::Frame;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct ObjWriter {
    run: Arc<Run>,
    sequence: Sequence,
}

impl ObjWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let sequence = Sequence::create(&run, "obj", "obj")?;
        Ok(ObjWriter { run, sequence })
    }

    fn write(&self, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
        writeln!(w, "# phyxel, frame {}, time {} s", frame.index, frame.time)?;
        // OBJ counts vertices from one, through the whole file.
        let mut first = 1;
        for (drawable, now) in self.run.drawables.iter().zip(&frame.bodies) {
            writeln!(w, "o {}", drawable.name.replace(char::is_whitespace, "_"))?;
            let points = drawable.points(now);
            for [x, y, z] in points.iter().map(|p| p.map(|c| c as f32)) {
                writeln!(w, "v {x} {y} {z}")?;
            }
            match &drawable.shape {
                DrawnShape::Triangles(triangles) => {
                    for [a, b, c] in triangles.iter().map(|t| t.map(|v| first + u64::from(v))) {
                        writeln!(w, "f {a} {b} {c}")?;
                    }
                }
                DrawnShape::Segments(segments) => {
                    for [a, b] in segments.iter().map(|s| s.map(|v| first + u64::from(v))) {
                        writeln!(w, "l {a} {b}")?;
                    }
                }
                DrawnShape::Spheres => {
                    for vertex in first..first + points.len() as u64 {
                        writeln!(w, "p {vertex}")?;
                    }
                }
            }
            first += points.len() as u64;
        }
        Ok(())
    }
}

impl Writer for ObjWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        self.sequence.write(frame.index, |w| self.write(frame, w))
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        Ok(Some(self.sequence.folder().to_path_buf()))
    }
}
