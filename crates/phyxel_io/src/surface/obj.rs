//! Wavefront OBJ. Lines, points and free-form curves are counted and left out.

use super::polygons::{Attribute, NONE, Polygons, index};
use super::{SurfaceFile, SurfaceMaterial, mtl};
use crate::input::{Axes, Cursor, MeshFileError, Problem, Source, parse, shortened};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, MeshFileError>;

/// Reads an OBJ file, and the colours of the material library beside it.
pub(super) fn read(source: &Source, axes: Axes) -> Result<SurfaceFile> {
    let mut reader = Reader::new(source, axes);
    let mut cursor = Cursor::new(source);
    while let Some(line) = logical_line(&mut cursor) {
        reader.statement(line)?;
    }
    reader.finish()
}

/// A line with those that a backslash at its end appends.
fn logical_line<'a>(cursor: &mut Cursor<'a>) -> Option<Cursor<'a>> {
    let mut line = cursor.line()?;
    while line.rest().ends_with(b"\\") {
        match cursor.line() {
            Some(more) => line.extend_to(&more),
            None => break,
        }
    }
    Some(line)
}

/// The largest index seen and where: faces may name vertices that come later.
#[derive(Clone, Copy, Default)]
struct Largest {
    index: u32,
    at: usize,
}

struct Reader<'a> {
    source: &'a Source,
    axes: Axes,
    surface: Polygons,
    colours: usize,
    largest: [Largest; 3],
    material: u32,
    by_name: HashMap<String, u32>,
    libraries: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, axes: Axes) -> Self {
        Reader {
            source,
            axes,
            surface: Polygons::default(),
            colours: 0,
            largest: [Largest::default(); 3],
            material: NONE,
            by_name: HashMap::new(),
            libraries: Vec::new(),
        }
    }

    fn statement(&mut self, mut line: Cursor<'a>) -> Result<()> {
        match line.obj_word() {
            Some(b"v") => self.vertex(line),
            Some(b"vt") => {
                let [u, v] = [line.obj_number("a texture coordinate")?, line.obj_number("").unwrap_or(0.0)];
                self.surface.uvs.values.push([u as f32, v as f32]);
                Ok(())
            }
            Some(b"vn") => {
                let n = [0; 3].map(|_| line.obj_number("a coordinate of a normal"));
                let [x, y, z] = n;
                self.surface.normals.values.push([x? as f32, y? as f32, z? as f32]);
                Ok(())
            }
            Some(b"f") => self.face(line),
            Some(b"usemtl") => {
                self.use_material(line.text());
                Ok(())
            }
            Some(b"mtllib") => {
                self.name_library(line.text());
                Ok(())
            }
            Some(b"l") => self.skip("lines"),
            Some(b"p") => self.skip("points"),
            Some(b"curv" | b"curv2" | b"surf") => self.skip("free-form curves and surfaces"),
            _ => Ok(()),
        }
    }

    fn skip(&mut self, what: &'static str) -> Result<()> {
        self.surface.found.skip(what, 1);
        Ok(())
    }

    fn vertex(&mut self, mut line: Cursor<'a>) -> Result<()> {
        let expected = "a coordinate (three numbers after `v`)";
        let p = [line.obj_number(expected)?, line.obj_number(expected)?, line.obj_number(expected)?];
        let point = self.axes.point(p).map_err(|problem| line.error(problem))?;
        // Up to here `x y z`; `w` may follow, or red, green and blue, or all of them.
        let more: Vec<f64> = std::iter::from_fn(|| line.obj_word().and_then(parse)).take(4).collect();
        let colour = match more[..] {
            [r, g, b] | [_, r, g, b] => {
                self.colours += 1;
                [r, g, b, 1.0].map(|c| (255.0 * c.clamp(0.0, 1.0)).round() as u8)
            }
            _ => [255; 4],
        };
        self.surface.colours.values.push(colour);
        self.surface.points.push(point);
        index(self.surface.points.len(), "vertices").map_err(|p| line.error(p))?;
        Ok(())
    }

    fn face(&mut self, mut line: Cursor<'a>) -> Result<()> {
        let counts = [self.surface.points.len(), self.surface.uvs.values.len(), self.surface.normals.values.len()];
        while let Some(word) = line.obj_word() {
            let mut parts = word.split(|b| *b == b'/');
            let mut named = [NONE; 3];
            for k in 0..3 {
                let part = parts.next().unwrap_or(b"");
                if !part.is_empty() || k == 0 {
                    named[k] = self.resolve(part, k, counts[k], &line)?;
                }
            }
            self.surface.corners.push(named[0]);
            self.surface.uvs.of_corner.push(named[1]);
            self.surface.normals.of_corner.push(named[2]);
        }
        self.surface.close_face().map_err(|problem| line.error(problem))?;
        self.surface.material_of.push(self.material);
        Ok(())
    }

    /// From an index of the file (from one, or backward from minus one) to ours.
    fn resolve(&mut self, word: &[u8], k: usize, count: usize, line: &Cursor) -> Result<u32> {
        let what = WHAT[k];
        let number: Option<i64> = parse(word);
        let Some(number) = number.filter(|n| *n != 0) else {
            let text = shortened(word);
            let expected = format!("the index of a {what} (from 1, or from -1 backward)");
            return Err(line.error(Problem::BadWord { text, expected }));
        };
        let zero_based = if number > 0 { number - 1 } else { count as i64 + number };
        let found = u32::try_from(zero_based).ok().filter(|i| *i < NONE);
        let Some(found) = found else {
            return Err(line.error(Problem::OutOfRange { what, index: number, count }));
        };
        if found >= self.largest[k].index {
            self.largest[k] = Largest { index: found, at: line.at };
        }
        Ok(found)
    }

    /// Each library once, and not without end.
    fn name_library(&mut self, name: String) {
        if self.libraries.len() < MOST_LIBRARIES && !self.libraries.contains(&name) {
            self.libraries.push(name);
        }
    }

    fn use_material(&mut self, name: String) {
        let materials = &mut self.surface.materials;
        self.material = *self.by_name.entry(name).or_insert_with_key(|name| {
            materials.push(SurfaceMaterial { name: name.clone(), ..Default::default() });
            materials.len() as u32 - 1
        });
    }

    fn finish(mut self) -> Result<SurfaceFile> {
        let counts = [self.surface.points.len(), self.surface.uvs.values.len(), self.surface.normals.values.len()];
        for k in 0..3 {
            let Largest { index, at } = self.largest[k];
            if index as usize >= counts[k] && at > 0 {
                let problem = Problem::OutOfRange { what: WHAT[k], index: i64::from(index) + 1, count: counts[k] };
                return Err(self.source.error_on_line(at, problem));
            }
        }
        if self.colours == 0 {
            self.surface.colours = Attribute::default();
        }
        for k in 1..3 {
            // Values that no corner names are no data.
            if self.largest[k].at == 0 {
                if k == 1 {
                    self.surface.uvs = Attribute::default()
                } else {
                    self.surface.normals = Attribute::default()
                }
            }
        }
        self.read_libraries();
        self.surface.finish(self.source, self.axes, "OBJ")
    }

    fn read_libraries(&mut self) {
        for library in std::mem::take(&mut self.libraries) {
            let Some(materials) = mtl::read(&self.source.path.with_file_name(&library)) else {
                self.surface.found.missing.push(library);
                continue;
            };
            for material in materials {
                if let Some(&known) = self.by_name.get(&material.name) {
                    self.surface.materials[known as usize] = material;
                }
            }
        }
    }
}

/// More material libraries than any file needs.
const MOST_LIBRARIES: usize = 64;
const WHAT: [&str; 3] = ["vertex", "texture coordinate", "normal"];

impl<'a> Cursor<'a> {
    /// A word of a logical line: a backslash is a blank, and a comment ends the line.
    fn obj_word(&mut self) -> Option<&'a [u8]> {
        loop {
            match self.word()? {
                b"\\" => {}
                word if word.starts_with(b"#") => return None,
                word => return Some(word.strip_suffix(b"\\").unwrap_or(word)),
            }
        }
    }

    fn obj_number(&mut self, expected: &str) -> Result<f64> {
        match self.obj_word() {
            Some(word) => parse(word).ok_or_else(|| self.bad_word(word, expected)),
            None => Err(self.error(Problem::Missing { expected: expected.into() })),
        }
    }
}
