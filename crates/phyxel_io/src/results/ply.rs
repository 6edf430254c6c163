//! PLY: the surfaces of all bodies in one binary file per frame.

use super::sequence::Sequence;
use super::{FrameStats, Run, Writer};
use crate::drawable::DrawnShape;
use crate::file::OutputError;
use phyxel::record::Frame;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct PlyWriter {
    run: Arc<Run>,
    sequence: Sequence,
}

impl PlyWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let sequence = Sequence::create(&run, "ply", "ply")?;
        Ok(PlyWriter { run, sequence })
    }

    fn write(&self, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
        self.write_header(frame, w)?;
        for (body, (drawable, now)) in self.run.drawables.iter().zip(&frame.bodies).enumerate() {
            for point in drawable.points(now) {
                for &c in point {
                    w.write_all(&(c as f32).to_le_bytes())?;
                }
                w.write_all(&(body as i32).to_le_bytes())?;
            }
        }
        let mut first = 0;
        for (drawable, now) in self.run.drawables.iter().zip(&frame.bodies) {
            if let DrawnShape::Triangles(triangles) = &drawable.shape {
                for triangle in triangles {
                    w.write_all(&[3])?;
                    for &v in triangle {
                        w.write_all(&(first + v).to_le_bytes())?;
                    }
                }
            }
            first += drawable.points(now).len() as u32;
        }
        Ok(())
    }

    fn write_header(&self, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
        let (mut vertices, mut faces) = (0, 0);
        for (drawable, now) in self.run.drawables.iter().zip(&frame.bodies) {
            vertices += drawable.points(now).len();
            if let DrawnShape::Triangles(triangles) = &drawable.shape {
                faces += triangles.len();
            }
        }
        writeln!(
            w,
            "ply\nformat binary_little_endian 1.0\ncomment phyxel, frame {}, time {} s",
            frame.index, frame.time
        )?;
        for (body, drawable) in self.run.drawables.iter().enumerate() {
            writeln!(w, "comment body {body} {}", drawable.name.escape_default())?;
        }
        writeln!(w, "element vertex {vertices}\nproperty float x\nproperty float y\nproperty float z")?;
        writeln!(w, "property int body\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header")
    }
}

impl Writer for PlyWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        self.sequence.write(frame.index, |w| self.write(frame, w))
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        Ok(Some(self.sequence.folder().to_path_buf()))
    }
}
