//! OBJ: the surfaces as text, one object per body, one file per frame; the materials in one MTL beside them.
//!
//! Vertices that have a colour carry it behind their coordinates, as most readers understand.

use super::looks::{LookOf, distinct_parts, look_of};
use super::sequence::Sequence;
use super::textures::Textures;
use super::{FrameStats, Run, Writer};
use crate::drawable::{Drawable, DrawnShape, DrawnSurface};
use crate::file::{AtomicFile, OutputError};
use phyxel::record::{BodyFrame, Frame};
use phyxel_draw::Creases;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MATERIALS: &str = "materials.mtl";

pub(super) struct ObjWriter {
    run: Arc<Run>,
    sequence: Sequence,
    textures: Textures,
    /// The parts of each body that there are materials of, in rising order.
    known: Vec<Vec<u32>>,
}

/// The numbers of the first vertex, texture coordinate and normal of a body: OBJ counts each from one, through the whole
/// file.
struct Firsts {
    vertex: u64,
    texture: u64,
    normal: u64,
}

impl ObjWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let sequence = Sequence::create(&run, "obj", "obj")?;
        let textures = Textures::gather(&run)?;
        let mut known: Vec<Vec<u32>> = run.drawables.iter().map(distinct_parts).collect();
        if run.resume_from > 0 {
            add_earlier(&sequence.folder().join(MATERIALS), &mut known);
        }
        let writer = ObjWriter { run, sequence, textures, known };
        writer.write_materials()?;
        Ok(writer)
    }

    fn write_materials(&self) -> Result<(), OutputError> {
        let path = self.sequence.folder().join(MATERIALS);
        AtomicFile::write(&path, |w| write_materials(&self.run, &self.known, &self.textures, w))
    }

    /// Surfaces found anew may show parts that nobody has seen before.
    fn meet_parts(&mut self, frame: &Frame) -> Result<(), OutputError> {
        let mut is_new = false;
        for (known, body) in self.known.iter_mut().zip(&frame.bodies) {
            for part in body.free.iter().flat_map(|free| &free.parts) {
                if let Err(place) = known.binary_search(part) {
                    known.insert(place, *part);
                    is_new = true;
                }
            }
        }
        if is_new { self.write_materials() } else { Ok(()) }
    }

    fn write(&self, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
        writeln!(w, "# phyxel, frame {}, time {} s\nmtllib {MATERIALS}", frame.index, frame.time)?;
        let mut first = Firsts { vertex: 1, texture: 1, normal: 1 };
        for (body, (drawable, now)) in self.run.drawables.iter().zip(&frame.bodies).enumerate() {
            writeln!(w, "o {}", word(&drawable.name))?;
            match drawable.surface(now) {
                Some(surface) => write_surface(body, drawable, &surface, &mut first, w)?,
                None => write_points(body, drawable, now, &mut first, w)?,
            }
        }
        Ok(())
    }
}

impl Writer for ObjWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        self.meet_parts(frame)?;
        self.sequence.write(frame.index, |w| self.write(frame, w))
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        Ok(Some(self.sequence.folder().to_path_buf()))
    }
}

/// A name without blanks.
fn word(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

/// The name of the material of a part of a body; bodies may have the same name, but not the same number.
fn material(body: usize, drawable: &Drawable, part: u32) -> String {
    format!("{}_{body}_{part}", word(&drawable.name))
}

/// Adds the parts that an earlier run has met.
fn add_earlier(path: &Path, known: &mut [Vec<u32>]) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    for name in text.lines().filter_map(|line| line.strip_prefix("newmtl ")) {
        let mut numbers = name.rsplit('_').map(str::parse);
        let (Some(Ok(part)), Some(Ok(body))) = (numbers.next(), numbers.next()) else { continue };
        let Some(known) = known.get_mut(body as usize) else { continue };
        if let Err(place) = known.binary_search(&part) {
            known.insert(place, part);
        }
    }
}

fn write_materials(run: &Run, known: &[Vec<u32>], textures: &Textures, w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "# phyxel")?;
    for (body, drawable) in run.drawables.iter().enumerate() {
        for &part in &known[body] {
            let LookOf { colour: [r, g, b, opacity], texture } = look_of(body, drawable, part);
            writeln!(w, "\nnewmtl {}\nKd {r} {g} {b}\nd {opacity}\nillum 2", material(body, drawable, part))?;
            if let Some(texture) = texture {
                writeln!(w, "map_Kd {}", textures.place(texture, "../"))?;
            }
        }
    }
    Ok(())
}

fn write_vertices(points: &[[f64; 3]], colours: &[[f32; 3]], w: &mut impl Write) -> io::Result<()> {
    for (i, [x, y, z]) in points.iter().map(|p| p.map(|c| c as f32)).enumerate() {
        match colours.get(i) {
            Some([r, g, b]) => writeln!(w, "v {x} {y} {z} {r} {g} {b}")?,
            None => writeln!(w, "v {x} {y} {z}")?,
        }
    }
    Ok(())
}

fn write_surface(
    body: usize,
    drawable: &Drawable,
    surface: &DrawnSurface<'_>,
    first: &mut Firsts,
    w: &mut impl Write,
) -> io::Result<()> {
    let DrawnSurface { points, triangles, parts, is_free, .. } = *surface;
    write_vertices(points, surface.colours, w)?;
    let uvs = if is_free { &[][..] } else { &drawable.look.uvs[..] };
    for [u, v] in uvs.iter().flatten() {
        writeln!(w, "vt {u} {v}")?;
    }
    let given = if is_free { &[][..] } else { &drawable.look.normals[..] };
    // Each file stands for itself, whatever frames came before: edges are the input's, normals those of the triangles.
    let creases = surface.normals.is_empty().then(|| Creases::of(points, triangles, given).by_area());
    let found = creases.as_ref().map(|c| c.normals(points, triangles)).unwrap_or_default();
    let normals = if creases.is_some() { &found[..] } else { surface.normals };
    for [x, y, z] in normals.iter().map(|n| n.map(|c| c as f32)) {
        writeln!(w, "vn {x} {y} {z}")?;
    }
    let mut last_part = None;
    for (t, corners) in triangles.iter().enumerate() {
        let part = parts.get(t).copied().unwrap_or(0);
        if last_part.replace(part) != Some(part) {
            writeln!(w, "usemtl {}", material(body, drawable, part))?;
        }
        let normal = creases.as_ref().map_or(*corners, |c| c.corners[t]);
        write!(w, "f")?;
        for k in 0..3 {
            let (v, n) = (first.vertex + u64::from(corners[k]), first.normal + u64::from(normal[k]));
            match uvs.is_empty() {
                true => write!(w, " {v}//{n}")?,
                false => write!(w, " {v}/{}/{n}", first.texture + (3 * t + k) as u64)?,
            }
        }
        writeln!(w)?;
    }
    first.vertex += points.len() as u64;
    first.texture += 3 * uvs.len() as u64;
    first.normal += normals.len() as u64;
    Ok(())
}

/// Bodies of lines and of points.
fn write_points(
    body: usize,
    drawable: &Drawable,
    now: &BodyFrame,
    first: &mut Firsts,
    w: &mut impl Write,
) -> io::Result<()> {
    let points = drawable.points(now);
    write_vertices(points, &[], w)?;
    writeln!(w, "usemtl {}", material(body, drawable, 0))?;
    if let DrawnShape::Segments(segments) = &drawable.shape {
        for [a, b] in segments.iter().map(|s| s.map(|v| first.vertex + u64::from(v))) {
            writeln!(w, "l {a} {b}")?;
        }
    } else {
        for vertex in first.vertex..first.vertex + points.len() as u64 {
            writeln!(w, "p {vertex}")?;
        }
    }
    first.vertex += points.len() as u64;
    Ok(())
}
