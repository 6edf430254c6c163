//! PLY: the surfaces of all bodies in one binary file per frame, with normals and colours; surfels in files of their own.

use super::html::srgb_byte;
use super::looks::look_of;
use super::sequence::Sequence;
use super::{FrameStats, Run, Writer};
use crate::drawable::Drawable;
use crate::file::OutputError;
use phyxel::record::{BodyFrame, Frame, Surfels};
use phyxel_draw::vertex_normals;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

const VERTEX: &str = "property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n\
    property float nz\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty int body\n";

pub(super) struct PlyWriter {
    run: Arc<Run>,
    sequence: Sequence,
    /// Made when there are surfels.
    surfels: Option<Sequence>,
}

/// What a file holds of a body.
struct Shown<'a> {
    points: &'a [[f64; 3]],
    /// Empty for points and lines.
    normals: Cow<'a, [[f64; 3]]>,
    colours: &'a [[f32; 3]],
    colour: [f32; 3],
    triangles: &'a [[u32; 3]],
}

impl<'a> Shown<'a> {
    fn of(body: usize, drawable: &'a Drawable, now: &'a BodyFrame) -> Self {
        let [r, g, b, _] = look_of(body, drawable, 0).colour;
        let colour = [r, g, b];
        let Some(surface) = drawable.surface(now) else {
            let points = drawable.points(now);
            return Shown { points, normals: Cow::Borrowed(&[]), colours: &[], colour, triangles: &[] };
        };
        let normals = match surface.normals {
            [] => Cow::Owned(vertex_normals(surface.points, surface.triangles)),
            given => Cow::Borrowed(given),
        };
        let (points, colours, triangles) = (surface.points, surface.colours, surface.triangles);
        Shown { points, normals, colours, colour, triangles }
    }

    fn write_vertices(&self, body: usize, w: &mut impl Write) -> io::Result<()> {
        for (i, point) in self.points.iter().enumerate() {
            let normal = self.normals.get(i).copied().unwrap_or_default();
            let colour = self.colours.get(i).copied().unwrap_or(self.colour);
            write_vertex(point, &normal, colour, body, w)?;
        }
        Ok(())
    }
}

fn write_vertex(
    point: &[f64; 3],
    normal: &[f64; 3],
    colour: [f32; 3],
    body: usize,
    w: &mut impl Write,
) -> io::Result<()> {
    for &c in point.iter().chain(normal) {
        w.write_all(&(c as f32).to_le_bytes())?;
    }
    w.write_all(&colour.map(srgb_byte))?;
    w.write_all(&(body as i32).to_le_bytes())
}

impl PlyWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let sequence = Sequence::create(&run, "ply", "ply")?;
        // What an earlier run left must not be taken for this one's.
        let earlier = run.dir.join("surfels").is_dir();
        let surfels = if earlier { Some(Sequence::create(&run, "surfels", "ply")?) } else { None };
        Ok(PlyWriter { run, sequence, surfels })
    }

    fn write(&self, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
        let bodies = || self.run.drawables.iter().zip(&frame.bodies).enumerate();
        let shown: Vec<Shown<'_>> = bodies().map(|(i, (drawable, now))| Shown::of(i, drawable, now)).collect();
        let vertices: usize = shown.iter().map(|s| s.points.len()).sum();
        let faces: usize = shown.iter().map(|s| s.triangles.len()).sum();
        self.write_header(frame, vertices, w)?;
        writeln!(w, "{VERTEX}element face {faces}\nproperty list uchar int vertex_indices\nend_header")?;
        for (body, shown) in shown.iter().enumerate() {
            shown.write_vertices(body, w)?;
        }
        let mut first = 0;
        for shown in &shown {
            for triangle in shown.triangles {
                w.write_all(&[3])?;
                for &v in triangle {
                    w.write_all(&(first + v).to_le_bytes())?;
                }
            }
            first += shown.points.len() as u32;
        }
        Ok(())
    }

    /// All surfels of a frame: discs, each a point with a normal and a radius [m].
    fn write_surfels(&self, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
        let bodies = || frame.bodies.iter().enumerate().filter_map(|(i, b)| Some((i, b.surfels.as_ref()?)));
        let count = bodies().map(|(_, s)| s.points.len()).sum();
        self.write_header(frame, count, w)?;
        writeln!(w, "{VERTEX}property float radius\nend_header")?;
        for (body, surfels) in bodies() {
            let [r, g, b, _] = look_of(body, &self.run.drawables[body], 0).colour;
            for i in 0..surfels.points.len() {
                let colour = surfels.colours.get(i).copied().unwrap_or([r, g, b]);
                write_vertex(&surfels.points[i], &surfels.normals[i], colour, body, w)?;
                w.write_all(&radius(surfels, i).to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn write_header(&self, frame: &Frame, vertices: usize, w: &mut impl Write) -> io::Result<()> {
        writeln!(
            w,
            "ply\nformat binary_little_endian 1.0\ncomment phyxel, frame {}, time {} s",
            frame.index, frame.time
        )?;
        for (body, drawable) in self.run.drawables.iter().enumerate() {
            writeln!(w, "comment body {body} {}", drawable.name.escape_default())?;
        }
        writeln!(w, "element vertex {vertices}")
    }
}

/// Of a disc with the area of the ellipse [m].
fn radius(surfels: &Surfels, i: usize) -> f32 {
    let length = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [u, v] = surfels.tangents[i];
    (length(u) * length(v)).sqrt() as f32
}

impl Writer for PlyWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        self.sequence.write(frame.index, |w| self.write(frame, w))?;
        if frame.bodies.iter().any(|b| b.surfels.as_ref().is_some_and(|s| !s.points.is_empty())) {
            if self.surfels.is_none() {
                self.surfels = Some(Sequence::create(&self.run, "surfels", "ply")?);
            }
            if let Some(sequence) = &self.surfels {
                sequence.write(frame.index, |w| self.write_surfels(frame, w))?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        Ok(Some(self.sequence.folder().to_path_buf()))
    }
}
