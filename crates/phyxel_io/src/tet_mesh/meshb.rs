//! MEDIT's `.meshb`: the keywords of `.mesh` as numbers, each with the place of the next one.

use super::Result;
use super::raw::Raw;
use crate::input::{Cursor, Problem, Source, array};
use phyxel::shape::TetMesh;
use std::io::{self, Write};

const DIMENSION: i64 = 3;
const VERTICES: i64 = 4;
const TETRAHEDRA: i64 = 8;
const END: i64 = 54;
const CELLS: [(i64, &str); 7] = [
    (5, "lines"),
    (6, "triangles"),
    (7, "quadrilaterals"),
    (9, "prisms"),
    (10, "hexahedra"),
    (30, "tetrahedra of higher order"),
    (49, "pyramids"),
];

/// Whether a file begins with the number one and a version from 1 to 4, as four bytes each, in either order.
pub(super) fn is_binary(source: &Source) -> bool {
    let head = source.bytes.get(..8);
    head.is_some_and(|b| matches!(b, [1, 0, 0, 0, 1..=4, 0, 0, 0] | [0, 0, 0, 1, 0, 0, 0, 1..=4]))
}

/// Numbers whose widths depend on the version.
struct Reader<'a> {
    cursor: Cursor<'a>,
    big_endian: bool,
    version: i64,
}

/// Reads vertices and tetrahedra, and steps over all other keywords.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    raw.report.format = "MEDIT, binary";
    let mut reader = Reader { cursor: Cursor::new(source).in_bytes(), big_endian: source.bytes[0] == 0, version: 1 };
    reader.integer(4)?;
    reader.version = reader.integer(4)?;
    while !reader.cursor.rest().is_empty() {
        let keyword = reader.integer(4)?;
        let next = reader.integer(if reader.version >= 3 { 8 } else { 4 })?;
        match keyword {
            END => break,
            DIMENSION => reader.check_dimension()?,
            VERTICES => reader.vertices(raw)?,
            TETRAHEDRA => reader.tetrahedra(raw)?,
            _ => reader.skip(keyword, raw)?,
        }
        if next == 0 {
            break;
        }
        // Always forward, so that this ends.
        let place = usize::try_from(next).ok().filter(|n| *n >= reader.cursor.at && *n <= source.bytes.len());
        reader.cursor.at = place.ok_or_else(|| {
            let what = format!("keyword {keyword} says that the next one is at byte {next}");
            reader.cursor.error(Problem::Malformed { what, remedy: "copy or export the file again" })
        })?;
    }
    Ok(())
}

impl Reader<'_> {
    fn integer(&mut self, bytes: usize) -> Result<i64> {
        let taken = self.cursor.take(bytes as u64, "a number")?;
        let mut ordered = [0; 8];
        for i in 0..bytes {
            ordered[i] = if self.big_endian { taken[bytes - 1 - i] } else { taken[i] };
        }
        let wide = i64::from_le_bytes(ordered);
        Ok(if bytes == 4 { i64::from(i32::from_le_bytes(array(&ordered, 0))) } else { wide })
    }

    fn real(&mut self) -> Result<f64> {
        let bits = self.integer(if self.version == 1 { 4 } else { 8 })?;
        Ok(if self.version == 1 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) })
    }

    /// The width of counts, indices and references.
    fn index_bytes(&self) -> usize {
        if self.version == 4 { 8 } else { 4 }
    }

    fn count(&mut self, least: usize, what: &str) -> Result<u64> {
        let count = self.integer(self.index_bytes())?;
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.cursor.need(count, least as u64, what)?;
        Ok(count)
    }

    fn check_dimension(&mut self) -> Result<()> {
        match self.integer(4)? {
            3 => Ok(()),
            n => {
                let what = format!("a mesh in {n} dimensions");
                Err(self.cursor.error(Problem::Unsupported { what, remedy: "give a mesh in three dimensions" }))
            }
        }
    }

    fn vertices(&mut self, raw: &mut Raw) -> Result<()> {
        let real = if self.version == 1 { 4 } else { 8 };
        for _ in 0..self.count(3 * real + self.index_bytes(), "the vertices announced")? {
            let point = [self.real()?, self.real()?, self.real()?];
            raw.node(&self.cursor, point)?;
            self.integer(self.index_bytes())?;
        }
        Ok(())
    }

    fn tetrahedra(&mut self, raw: &mut Raw) -> Result<()> {
        let width = self.index_bytes();
        for _ in 0..self.count(5 * width, "the tetrahedra announced")? {
            let mut tet = [0; 4];
            for node in &mut tet {
                *node = self.integer(width)?.wrapping_sub(1);
            }
            raw.tet(&self.cursor, tet)?;
            self.integer(width)?;
        }
        Ok(())
    }

    fn skip(&mut self, keyword: i64, raw: &mut Raw) -> Result<()> {
        if let Some((_, name)) = CELLS.iter().find(|(number, _)| *number == keyword) {
            let count = self.count(1, name)?;
            raw.skip(name, count as usize);
        }
        Ok(())
    }
}

/// Writes version 2, or version 3 where places need eight bytes; the reference of everything is 1.
pub(super) fn write(w: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    let (points, tets) = (mesh.points.len() as u64, mesh.tets.len() as u64);
    let long = 100 + 28 * points + 20 * tets > i32::MAX as u64;
    let mut at = 8u64;
    put(w, &[1, if long { 3 } else { 2 }])?;
    keyword(w, &mut at, long, DIMENSION, 4)?;
    put(w, &[3])?;
    keyword(w, &mut at, long, VERTICES, 4 + 28 * points)?;
    put(w, &[points as i32])?;
    for p in &mesh.points {
        p.iter().try_for_each(|c| w.write_all(&c.to_le_bytes()))?;
        put(w, &[1])?;
    }
    keyword(w, &mut at, long, TETRAHEDRA, 4 + 20 * tets)?;
    put(w, &[tets as i32])?;
    for tet in &mesh.tets {
        put(w, &tet.map(|n| n as i32 + 1))?;
        put(w, &[1])?;
    }
    put(w, &[END as i32])?;
    if long { w.write_all(&0i64.to_le_bytes()) } else { put(w, &[0]) }
}

fn put(w: &mut impl Write, numbers: &[i32]) -> io::Result<()> {
    numbers.iter().try_for_each(|n| w.write_all(&n.to_le_bytes()))
}

/// A keyword whose data takes so many bytes.
fn keyword(w: &mut impl Write, at: &mut u64, long: bool, number: i64, bytes: u64) -> io::Result<()> {
    put(w, &[number as i32])?;
    *at += 4 + if long { 8 } else { 4 } + bytes;
    if long { w.write_all(&at.to_le_bytes()) } else { put(w, &[*at as i32]) }
}
