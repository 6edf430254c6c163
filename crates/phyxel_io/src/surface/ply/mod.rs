//! PLY: a header that describes its own tables, then the tables as text or as bytes of either order.
//!
//! Vertices, faces and triangle strips are read; other elements are stepped over.

mod header;
mod table;

use super::SurfaceFile;
use super::polygons::{Polygons, index};
use crate::input::{Axes, Cursor, MeshFileError, Problem, Source};
use header::{Element, Encoding, Header};
use table::Row;

type Result<T> = std::result::Result<T, MeshFileError>;

/// Reads a PLY file.
pub(super) fn read(source: &Source, axes: Axes) -> Result<SurfaceFile> {
    let mut cursor = Cursor::new(source);
    let header = Header::read(&mut cursor)?;
    if header.encoding != Encoding::Text {
        cursor = cursor.in_bytes();
    }
    let mut reader = Reader { surface: Polygons::default(), axes, largest: (0, None), strips: Vec::new() };
    for element in &header.elements {
        reader.element(&mut cursor, element, header.encoding)?;
    }
    reader.finish(source, header.encoding)
}

struct Reader {
    surface: Polygons,
    axes: Axes,
    /// The largest vertex named and, as soon as there is one, where.
    largest: (u32, Option<usize>),
    /// Strips wait for the end: their corners become faces of their own.
    strips: Vec<i64>,
}

impl Reader {
    fn element(&mut self, cursor: &mut Cursor, element: &Element, encoding: Encoding) -> Result<()> {
        let what = format!("the {} elements `{}` announced", element.count, element.name);
        cursor.need(element.count, element.least_bytes(encoding), &what)?;
        if element.properties.is_empty() {
            return Ok(());
        }
        let columns = Columns::of(element);
        if element.name == "vertex" {
            columns.check(cursor)?;
            self.surface.points.reserve(element.count as usize);
        }
        let mut row = Row::new(element.properties.len());
        for _ in 0..element.count {
            row.read(cursor, element, encoding)?;
            match element.name.as_str() {
                "vertex" => self.vertex(cursor, &row, &columns)?,
                "face" => self.face(cursor, &row, &columns)?,
                "tristrips" => self.strips.extend(row.list(columns.indices).iter().map(|v| *v as i64).chain([-1])),
                _ => {}
            }
        }
        if !["vertex", "face", "tristrips"].contains(&element.name.as_str()) {
            self.surface.found.skip("elements of other kinds", element.count as usize);
        }
        Ok(())
    }

    fn vertex(&mut self, cursor: &Cursor, row: &Row, columns: &Columns) -> Result<()> {
        let value = |column: Option<usize>| row.value(column);
        let point = self.axes.point(columns.position.map(value)).map_err(|problem| cursor.error(problem))?;
        self.surface.points.push(point);
        index(self.surface.points.len(), "vertices").map_err(|problem| cursor.error(problem))?;
        if columns.normal[0].is_some() {
            self.surface.normals.values.push(columns.normal.map(|c| value(c) as f32));
        }
        if columns.uv[0].is_some() {
            self.surface.uvs.values.push(columns.uv.map(|c| value(c) as f32));
        }
        if columns.colour[0].is_some() {
            let scale = if columns.colour_is_real { 255.0 } else { 1.0 };
            let byte = |c: Option<usize>| c.map_or(255, |_| (scale * value(c)).clamp(0.0, 255.0).round() as u8);
            self.surface.colours.values.push(columns.colour.map(byte));
        }
        Ok(())
    }

    fn face(&mut self, cursor: &Cursor, row: &Row, columns: &Columns) -> Result<()> {
        let corners = row.list(columns.indices);
        for &corner in corners {
            let vertex = self.corner(corner as i64).map_err(|problem| cursor.error(problem))?;
            if self.largest.1.is_none() || vertex > self.largest.0 {
                self.largest = (vertex, Some(cursor.at.saturating_sub(1)));
            }
        }
        self.surface.close_face().map_err(|problem| cursor.error(problem))?;
        // MeshLab writes texture coordinates per corner as one list of u v u v …
        let wedge = row.list(columns.wedge_uvs);
        if columns.wedge_uvs.is_some() {
            for k in 0..corners.len() {
                let uv = [2 * k, 2 * k + 1].map(|i| wedge.get(i).copied().unwrap_or(0.0) as f32);
                self.surface.uvs.of_corner.push(self.surface.uvs.values.len() as u32);
                self.surface.uvs.values.push(uv);
            }
        }
        Ok(())
    }

    fn corner(&mut self, vertex: i64) -> std::result::Result<u32, Problem> {
        let count = self.surface.points.len();
        let problem = Problem::OutOfRange { what: "vertex", index: vertex, count };
        let found = u32::try_from(vertex).map_err(|_| problem)?;
        self.surface.corners.push(found);
        Ok(found)
    }

    fn finish(mut self, source: &Source, encoding: Encoding) -> Result<SurfaceFile> {
        let count = self.surface.points.len();
        if let (vertex, Some(at)) = self.largest {
            let problem = || Problem::OutOfRange { what: "vertex", index: i64::from(vertex), count };
            match encoding {
                _ if (vertex as usize) < count => {}
                Encoding::Text => return Err(source.error_on_line(at, problem())),
                _ => return Err(source.error_at_byte(at, problem())),
            }
        }
        let strips = std::mem::take(&mut self.strips);
        if !strips.is_empty() && !self.surface.uvs.of_corner.is_empty() {
            self.surface.uvs = Default::default();
        }
        for strip in strips.split(|v| *v < 0) {
            self.strip(strip, count).map_err(|problem| source.error(problem))?;
        }
        let format = if encoding == Encoding::Text { "text PLY" } else { "binary PLY" };
        self.surface.finish(source, self.axes, format)
    }

    fn strip(&mut self, strip: &[i64], count: usize) -> std::result::Result<(), Problem> {
        for (k, w) in strip.windows(3).enumerate() {
            let [a, b, c] = if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] };
            if a == b || b == c || c == a {
                continue;
            }
            for vertex in [a, b, c] {
                if vertex as usize >= count {
                    return Err(Problem::OutOfRange { what: "vertex", index: vertex, count });
                }
                self.corner(vertex)?;
            }
            self.surface.close_face()?;
        }
        Ok(())
    }
}

/// Which property of an element is what.
struct Columns {
    position: [Option<usize>; 3],
    normal: [Option<usize>; 3],
    uv: [Option<usize>; 2],
    colour: [Option<usize>; 4],
    colour_is_real: bool,
    indices: Option<usize>,
    wedge_uvs: Option<usize>,
}

impl Columns {
    fn of(element: &Element) -> Self {
        let find = |names: &[&str], list: bool| {
            element.properties.iter().position(|p| p.list.is_some() == list && names.contains(&p.name.as_str()))
        };
        let one = |name: &str| find(&[name], false);
        let colour = [
            find(&["red", "r", "diffuse_red"], false),
            find(&["green", "g", "diffuse_green"], false),
            find(&["blue", "b", "diffuse_blue"], false),
            find(&["alpha", "a"], false),
        ];
        Columns {
            position: ["x", "y", "z"].map(one),
            normal: ["nx", "ny", "nz"].map(one),
            uv: [find(&["u", "s", "texture_u"], false), find(&["v", "t", "texture_v"], false)],
            colour_is_real: colour[0].is_some_and(|c| element.properties[c].kind.is_real()),
            colour,
            indices: find(&["vertex_indices", "vertex_index"], true),
            wedge_uvs: find(&["texcoord"], true),
        }
    }

    fn check(&self, cursor: &Cursor) -> Result<()> {
        if self.position.iter().all(Option::is_some) {
            return Ok(());
        }
        let what = "the element `vertex` has no properties `x`, `y` and `z`".into();
        Err(cursor.error(Problem::Malformed { what, remedy: "export the mesh again with positions" }))
    }
}
