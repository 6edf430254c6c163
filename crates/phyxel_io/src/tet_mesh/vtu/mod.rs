//! VTK's XML: unstructured grids in any number of pieces.

mod arrays;
pub(super) mod cells;
mod write;
mod xml;

pub(super) use write::{Arrays, write};

use super::Result;
use super::raw::Raw;
use crate::input::{Cursor, MeshFileError, Problem, Source};
use arrays::{Encoding, Spec};
use xml::{Tag, next_tag};

/// The arrays of one piece.
#[derive(Default)]
struct Piece {
    begin: usize,
    points: Option<Spec>,
    connectivity: Option<Spec>,
    offsets: Option<Spec>,
    types: Option<Spec>,
}

/// Which part of a piece the walk through the tags is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Points,
    Cells,
    Other,
}

/// Reads all pieces.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    raw.report.format = "VTU";
    let mut encoding = Encoding::new(source);
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut at, mut part) = (0, Part::Other);
    while let Some(tag) = next_tag(source, at)? {
        at = tag.end;
        match (tag.name, tag.closes) {
            (b"VTKFile", false) => open_file(source, &tag, &mut encoding)?,
            (b"Piece", false) => pieces.push(Piece { begin: tag.end, ..Piece::default() }),
            (b"Points", closes) => part = if closes { Part::Other } else { Part::Points },
            (b"Cells", closes) => part = if closes { Part::Other } else { Part::Cells },
            (b"DataArray", false) if part != Part::Other => {
                if let Some(piece) = pieces.last_mut() {
                    piece.array(source, &tag, part)?;
                }
            }
            (b"AppendedData", false) => {
                encoding.appended = Some(open_appended(source, &tag)?);
                break;
            }
            _ => {}
        }
    }
    pieces.iter().try_for_each(|piece| piece.add(source, &encoding, raw))
}

fn open_file(source: &Source, tag: &Tag, encoding: &mut Encoding) -> Result<()> {
    let kind = tag.get("type").unwrap_or_default();
    if kind != "UnstructuredGrid" {
        let what = format!("a VTK file of type `{}`", crate::input::shortened(kind.as_bytes()));
        return Err(source.error(Problem::Unsupported { what, remedy: "save it as an unstructured grid (.vtu)" }));
    }
    encoding.big_endian = tag.get("byte_order").as_deref() == Some("BigEndian");
    encoding.long_headers = tag.get("header_type").as_deref() == Some("UInt64");
    if let Some(compressor) = tag.get("compressor").filter(|c| !c.is_empty() && encoding.compressor.is_none()) {
        encoding.deflate(compressor);
    }
    Ok(())
}

/// Appended data begins behind an underscore.
fn open_appended(source: &Source, tag: &Tag) -> Result<(usize, bool)> {
    let underscore = source.bytes[tag.end..].iter().position(|b| *b == b'_');
    let missing = || source.error_on_line(tag.end, Problem::Missing { expected: "`_` before appended data".into() });
    let start = tag.end + underscore.ok_or_else(missing)? + 1;
    Ok((start, tag.get("encoding").as_deref() == Some("base64")))
}

impl Piece {
    fn array(&mut self, source: &Source, tag: &Tag, part: Part) -> Result<()> {
        let slot = match (part, tag.get("Name").unwrap_or_default().as_str()) {
            (Part::Points, _) => &mut self.points,
            (Part::Cells, "connectivity") => &mut self.connectivity,
            (Part::Cells, "offsets") => &mut self.offsets,
            (Part::Cells, "types") => &mut self.types,
            _ => return Ok(()),
        };
        *slot = Some(Spec::of(source, tag)?);
        Ok(())
    }

    fn add(&self, source: &Source, encoding: &Encoding, raw: &mut Raw) -> Result<()> {
        let missing = |what: &str| self.error(source, Problem::Missing { expected: format!("the array of {what}") });
        let values =
            |spec: &Option<Spec>, what: &str| spec.as_ref().ok_or_else(|| missing(what))?.values(source, encoding);
        let base = raw.points.len();
        let mut cursor = Cursor::new(source);
        cursor.at = self.begin;
        let cursor = cursor.in_bytes();
        for p in values(&self.points, "points")?.chunks_exact(3) {
            raw.node(&cursor, [p[0], p[1], p[2]])?;
        }
        let (nodes, offsets) = (values(&self.connectivity, "connectivity")?, values(&self.offsets, "offsets")?);
        let table = cells::Table { nodes, offsets, types: values(&self.types, "types")? };
        cells::add(&cursor, raw, base, &table)
    }

    fn error(&self, source: &Source, problem: Problem) -> MeshFileError {
        source.error_on_line(self.begin, problem)
    }
}
