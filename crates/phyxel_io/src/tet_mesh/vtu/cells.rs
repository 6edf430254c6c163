//! Numbers and cells as VTK's two families of files share them.

use super::super::Result;
use super::super::raw::Raw;
use crate::input::{Cursor, Problem, array};

/// VTK's number for a four-node tetrahedron.
pub(in crate::tet_mesh) const TETRA: u8 = 10;

/// Cells as three arrays. `f64` holds every index that memory has room for.
pub(in crate::tet_mesh) struct Table {
    /// Where the nodes of each cell end; one more entry, a zero, may stand in front.
    pub(in crate::tet_mesh) offsets: Vec<f64>,
    pub(in crate::tet_mesh) nodes: Vec<f64>,
    pub(in crate::tet_mesh) types: Vec<f64>,
}

/// Adds the tetrahedra among some cells; their nodes are counted from `base`.
pub(in crate::tet_mesh) fn add(cursor: &Cursor, raw: &mut Raw, base: usize, table: &Table) -> Result<()> {
    let malformed =
        |what: &str| cursor.error(Problem::Malformed { what: what.into(), remedy: "export the mesh again" });
    let lead = table.offsets.len().wrapping_sub(table.types.len());
    if lead > 1 {
        return Err(malformed("the cells have not as many types as ends"));
    }
    let mut begin = 0.0;
    for (end, kind) in table.offsets[lead..].iter().zip(&table.types) {
        let range = begin as usize..*end as usize;
        if *kind == f64::from(TETRA) {
            match table.nodes.get(range) {
                Some(&[a, b, c, d]) => raw.tet(cursor, [a, b, c, d].map(|n| n as i64 + base as i64))?,
                _ => return Err(malformed("a tetrahedron has not four nodes")),
            }
        } else {
            raw.skip(name(*kind as u8), 1);
        }
        begin = *end;
    }
    Ok(())
}

fn name(kind: u8) -> &'static str {
    match kind {
        1 | 2 => "points",
        3 | 4 => "lines",
        5 | 6 => "triangles",
        7..=9 => "polygons",
        11 | 12 => "hexahedra",
        13 => "prisms",
        14 => "pyramids",
        24 | 71 | 78 => "tetrahedra of higher order",
        21..=37 => "cells of higher order",
        42 => "polyhedra",
        _ => "cells of other types",
    }
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tet_mesh) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Number {
    /// By the name in a legacy file.
    pub(in crate::tet_mesh) fn of_legacy(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" => Number::I8,
            b"unsigned_char" => Number::U8,
            b"short" => Number::I16,
            b"unsigned_short" => Number::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Number::I32,
            b"unsigned_int" | b"vtktypeuint32" => Number::U32,
            b"long" | b"vtktypeint64" => Number::I64,
            b"unsigned_long" | b"vtktypeuint64" => Number::U64,
            b"float" => Number::F32,
            b"double" => Number::F64,
            _ => return None,
        })
    }

    /// By the name in an XML file.
    pub(super) fn of_xml(name: &str) -> Option<Self> {
        Some(match name {
            "Int8" => Number::I8,
            "UInt8" => Number::U8,
            "Int16" => Number::I16,
            "UInt16" => Number::U16,
            "Int32" => Number::I32,
            "UInt32" => Number::U32,
            "Int64" => Number::I64,
            "UInt64" => Number::U64,
            "Float32" => Number::F32,
            "Float64" => Number::F64,
            _ => return None,
        })
    }

    pub(in crate::tet_mesh) fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::I64 | Number::U64 | Number::F64 => 8,
        }
    }

    /// A number from its bytes.
    pub(in crate::tet_mesh) fn decode(self, b: &[u8], big_endian: bool) -> f64 {
        let n = self.bytes();
        let mut ordered = [0; 8];
        for i in 0..n {
            ordered[i] = if big_endian { b[n - 1 - i] } else { b[i] };
        }
        let b = &ordered;
        match self {
            Number::I8 => f64::from(b[0] as i8),
            Number::U8 => f64::from(b[0]),
            Number::I16 => f64::from(i16::from_le_bytes(array(b, 0))),
            Number::U16 => f64::from(u16::from_le_bytes(array(b, 0))),
            Number::I32 => f64::from(i32::from_le_bytes(array(b, 0))),
            Number::U32 => f64::from(u32::from_le_bytes(array(b, 0))),
            Number::F32 => f64::from(f32::from_le_bytes(array(b, 0))),
            Number::I64 => i64::from_le_bytes(*b) as f64,
            Number::U64 => u64::from_le_bytes(*b) as f64,
            Number::F64 => f64::from_le_bytes(*b),
        }
    }
}
