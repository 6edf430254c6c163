//! Legacy VTK: unstructured grids as text or as big-endian bytes, in the layouts before and after version 5.

use super::Result;
use super::raw::Raw;
use super::vtu::cells::{self, TETRA};
use crate::input::{Cursor, Problem, Source};
use phyxel::shape::TetMesh;
use std::io::{self, Write};

/// A reader of arrays.
struct Reader<'a> {
    cursor: Cursor<'a>,
    binary: bool,
}

/// Reads up to the types of cells; fields behind them are not needed.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    let mut cursor = Cursor::new(source);
    cursor.line();
    cursor.line();
    let binary = match cursor.expect("`ASCII` or `BINARY`")? {
        word if word.eq_ignore_ascii_case(b"ascii") => false,
        word if word.eq_ignore_ascii_case(b"binary") => true,
        word => return Err(cursor.bad_word(word, "`ASCII` or `BINARY`")),
    };
    raw.report.format = if binary { "VTK, binary" } else { "VTK, text" };
    let mut reader = Reader { cursor: if binary { cursor.in_bytes() } else { cursor }, binary };
    let mut table = None;
    while let Some(word) = reader.cursor.word() {
        match word.to_ascii_lowercase().as_slice() {
            b"dataset" => reader.check_dataset()?,
            b"points" => reader.points(raw)?,
            b"cells" => table = Some(reader.cells()?),
            b"cell_types" => {
                let count = reader.cursor.count("cell types", 1)?;
                let types = reader.array(count as u64, b"int")?;
                let missing =
                    || reader.cursor.error(Problem::Missing { expected: "`CELLS` before `CELL_TYPES`".into() });
                let (offsets, nodes) = table.ok_or_else(missing)?;
                return cells::add(&reader.cursor, raw, 0, &cells::Table { offsets, nodes, types });
            }
            b"field" => reader.skip_field()?,
            b"metadata" => reader.skip_metadata(),
            _ => return Err(reader.cursor.bad_word(word, "`POINTS`, `CELLS` or `CELL_TYPES`")),
        }
    }
    Err(reader.cursor.error(Problem::Missing { expected: "`CELL_TYPES`".into() }))
}

impl Reader<'_> {
    fn check_dataset(&mut self) -> Result<()> {
        let word = self.cursor.expect("`UNSTRUCTURED_GRID`")?;
        if word.eq_ignore_ascii_case(b"unstructured_grid") {
            return Ok(());
        }
        let what = format!("a VTK dataset of type `{}`", crate::input::shortened(word));
        Err(self.cursor.error(Problem::Unsupported { what, remedy: "save it as an unstructured grid" }))
    }

    fn points(&mut self, raw: &mut Raw) -> Result<()> {
        let count = self.cursor.count("points", 1)? as u64;
        let kind = self.cursor.expect("a type")?;
        let numbers = self.array(count.saturating_mul(3), kind)?;
        numbers.chunks_exact(3).try_for_each(|p| raw.node(&self.cursor, [p[0], p[1], p[2]]))
    }

    /// Ends of cells (the first is zero) and their nodes.
    fn cells(&mut self) -> Result<(Vec<f64>, Vec<f64>)> {
        let [first, second] = [self.cursor.number::<u64>("the number of cells")?, self.cursor.number("a count")?];
        let mut ahead = self.cursor;
        if ahead.word().is_some_and(|w| w.eq_ignore_ascii_case(b"offsets")) {
            self.cursor = ahead;
            let kind = self.cursor.expect("a type")?;
            let offsets = self.array(first, kind)?;
            self.cursor.keyword("CONNECTIVITY")?;
            let kind = self.cursor.expect("a type")?;
            return Ok((offsets, self.array(second, kind)?));
        }
        let list = self.array(second, b"int")?;
        let (mut offsets, mut nodes) = (vec![0.0], Vec::with_capacity(list.len()));
        let mut at = 0;
        for _ in 0..first {
            let size = list.get(at).copied().filter(|n| *n >= 0.0).unwrap_or(f64::INFINITY) as usize;
            let Some(cell) = list.get(at + 1..(at + 1).saturating_add(size)) else {
                let what = "the list of cells is shorter than its counts say".into();
                return Err(self.cursor.error(Problem::Malformed { what, remedy: "export the mesh again" }));
            };
            nodes.extend_from_slice(cell);
            offsets.push(nodes.len() as f64);
            at += 1 + size;
        }
        Ok((offsets, nodes))
    }

    /// The numbers of an array that begins on the next line.
    fn array(&mut self, count: u64, kind: &[u8]) -> Result<Vec<f64>> {
        if !self.binary {
            self.cursor.need(count, 1, "an array")?;
            return (0..count).map(|_| self.cursor.number("a number")).collect();
        }
        self.cursor.line();
        let Some(number) = cells::Number::of_legacy(kind) else {
            return Err(self.cursor.bad_word(kind, "a type, such as `float` or `vtktypeint64`"));
        };
        let bytes = self.cursor.take(count.saturating_mul(number.bytes() as u64), "an array")?;
        Ok(bytes.chunks_exact(number.bytes()).map(|b| number.decode(b, true)).collect())
    }

    /// `FIELD name arrays`, each array with its name, components, tuples and type.
    fn skip_field(&mut self) -> Result<()> {
        self.cursor.expect("the name of a field")?;
        let arrays: u64 = self.cursor.number("the number of arrays")?;
        for _ in 0..arrays {
            self.cursor.expect("the name of an array")?;
            let [components, tuples]: [u64; 2] = [self.cursor.number("a count")?, self.cursor.number("a count")?];
            let kind = self.cursor.expect("a type")?;
            self.array(components.saturating_mul(tuples), kind)?;
        }
        Ok(())
    }

    /// Lines up to an empty one.
    fn skip_metadata(&mut self) {
        self.cursor.line();
        while self.cursor.line().is_some_and(|line| !line.rest().trim_ascii().is_empty()) {}
    }
}

/// Writes version 3.0, which every program reads.
pub(super) fn write(w: &mut impl Write, mesh: &TetMesh, binary: bool) -> io::Result<()> {
    let encoding = if binary { "BINARY" } else { "ASCII" };
    writeln!(w, "# vtk DataFile Version 3.0\nphyxel, metres, y up\n{encoding}\nDATASET UNSTRUCTURED_GRID")?;
    writeln!(w, "POINTS {} double", mesh.points.len())?;
    for p in &mesh.points {
        if binary {
            p.iter().try_for_each(|c| w.write_all(&c.to_be_bytes()))?;
        } else {
            writeln!(w, "{:?} {:?} {:?}", p[0], p[1], p[2])?;
        }
    }
    let end = if binary { "\n" } else { "" };
    writeln!(w, "{end}CELLS {} {}", mesh.tets.len(), 5 * mesh.tets.len())?;
    for tet in &mesh.tets {
        if binary {
            [4].iter().chain(tet).try_for_each(|n: &u32| w.write_all(&n.to_be_bytes()))?;
        } else {
            writeln!(w, "4 {} {} {} {}", tet[0], tet[1], tet[2], tet[3])?;
        }
    }
    writeln!(w, "{end}CELL_TYPES {}", mesh.tets.len())?;
    for _ in &mesh.tets {
        if binary { w.write_all(&i32::from(TETRA).to_be_bytes())? } else { writeln!(w, "{TETRA}")? }
    }
    write!(w, "{end}")
}
