//! The rows of a PLY table.

use super::Result;
use super::header::{Element, Encoding, Kind};
use crate::input::{Cursor, Problem, array};

/// One row: the numbers of all its properties in a line, lists included. `f64` holds every number that PLY has.
pub(super) struct Row {
    numbers: Vec<f64>,
    /// Where the numbers of each property begin and end.
    ranges: Vec<(usize, usize)>,
}

impl Row {
    pub(super) fn new(properties: usize) -> Self {
        Row { numbers: Vec::new(), ranges: Vec::with_capacity(properties) }
    }

    /// Takes the next row from the file.
    pub(super) fn read(&mut self, cursor: &mut Cursor, element: &Element, encoding: Encoding) -> Result<()> {
        self.numbers.clear();
        self.ranges.clear();
        for property in &element.properties {
            let first = self.numbers.len();
            let count = match property.list {
                Some(kind) => length(cursor, kind, property.kind, encoding)?,
                None => 1,
            };
            if encoding == Encoding::Text {
                for _ in 0..count {
                    self.numbers.push(cursor.number("a number of the table")?);
                }
            } else {
                let size = property.kind.bytes();
                let bytes = cursor.take(count * size, "a row of the table")?;
                self.numbers.extend(bytes.chunks_exact(size as usize).map(|b| decode(b, property.kind, encoding)));
            }
            self.ranges.push((first, self.numbers.len()));
        }
        Ok(())
    }

    /// The number of a property; zero when there is no such property.
    pub(super) fn value(&self, column: Option<usize>) -> f64 {
        self.list(column).first().copied().unwrap_or(0.0)
    }

    /// The list of a property; empty when there is no such property.
    pub(super) fn list(&self, column: Option<usize>) -> &[f64] {
        column.map_or(&[], |c| {
            let (first, end) = self.ranges[c];
            &self.numbers[first..end]
        })
    }
}

/// The length of a list that is really there.
fn length(cursor: &mut Cursor, kind: Kind, of: Kind, encoding: Encoding) -> Result<u64> {
    let number: f64 = if encoding == Encoding::Text {
        cursor.number("the length of a list")?
    } else {
        decode(cursor.take(kind.bytes(), "the length of a list")?, kind, encoding)
    };
    if !(number >= 0.0 && number.fract() == 0.0) {
        let what = format!("a list has the length {number}");
        return Err(cursor.error(Problem::Malformed { what, remedy: "export the mesh again" }));
    }
    let count = number as u64;
    let least = if encoding == Encoding::Text { 1 } else { of.bytes() };
    cursor.need(count, least, "a list")?;
    Ok(count)
}

fn decode(b: &[u8], kind: Kind, encoding: Encoding) -> f64 {
    let ordered = |n: usize| {
        let mut bytes = [0; 8];
        for i in 0..n {
            bytes[i] = if encoding == Encoding::BigEndian { b[n - 1 - i] } else { b[i] };
        }
        bytes
    };
    match kind {
        Kind::I8 => f64::from(b[0] as i8),
        Kind::U8 => f64::from(b[0]),
        Kind::I16 => f64::from(i16::from_le_bytes(array(&ordered(2), 0))),
        Kind::U16 => f64::from(u16::from_le_bytes(array(&ordered(2), 0))),
        Kind::I32 => f64::from(i32::from_le_bytes(array(&ordered(4), 0))),
        Kind::U32 => f64::from(u32::from_le_bytes(array(&ordered(4), 0))),
        Kind::F32 => f64::from(f32::from_le_bytes(array(&ordered(4), 0))),
        Kind::F64 => f64::from_le_bytes(ordered(8)),
    }
}
