//! MEDIT's `.mesh` as text: keywords, each with a count and rows of numbers.

use super::Result;
use super::raw::Raw;
use crate::input::{Cursor, Problem, Source};
use phyxel::shape::TetMesh;
use std::io::{self, Write};

const CELLS: [(&[u8], &str); 10] = [
    (b"edges", "lines"),
    (b"triangles", "triangles"),
    (b"quadrilaterals", "quadrilaterals"),
    (b"hexahedra", "hexahedra"),
    (b"prisms", "prisms"),
    (b"pentahedra", "prisms"),
    (b"pyramids", "pyramids"),
    (b"tetrahedrap2", "tetrahedra of higher order"),
    (b"trianglesp2", "triangles of higher order"),
    (b"hexahedraq2", "hexahedra of higher order"),
];

/// Whether the first word is MEDIT's.
pub(super) fn is_text(source: &Source) -> bool {
    Cursor::new(source).with_comments(b'#').word().is_some_and(|w| w.eq_ignore_ascii_case(b"MeshVersionFormatted"))
}

/// Reads vertices and tetrahedra; numbers behind other keywords are stepped over.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    raw.report.format = "MEDIT";
    let mut cursor = Cursor::new(source).with_comments(b'#');
    while let Some(word) = cursor.word() {
        let key = word.to_ascii_lowercase();
        match &key[..] {
            b"dimension" => check_dimension(&mut cursor)?,
            b"vertices" => read_vertices(&mut cursor, raw)?,
            b"tetrahedra" => read_tetrahedra(&mut cursor, raw)?,
            b"end" => break,
            _ if !key[0].is_ascii_alphabetic() => {}
            _ => {
                let name = CELLS.iter().find(|(cell, _)| *cell == key).map(|(_, name)| *name);
                if let Some(name) = name {
                    let count: u64 = cursor.number("a count")?;
                    cursor.need(count, 2, name)?;
                    raw.skip(name, count as usize);
                }
            }
        }
    }
    Ok(())
}

fn check_dimension(cursor: &mut Cursor) -> Result<()> {
    match cursor.number::<u32>("the dimension, 3")? {
        3 => Ok(()),
        n => {
            let what = format!("a mesh in {n} dimensions");
            Err(cursor.error(Problem::Unsupported { what, remedy: "give a mesh in three dimensions" }))
        }
    }
}

fn read_vertices(cursor: &mut Cursor, raw: &mut Raw) -> Result<()> {
    let count = cursor.count("vertices", 7)?;
    for _ in 0..count {
        let point = cursor.triple("a coordinate of a vertex")?;
        raw.node(cursor, point)?;
        cursor.number::<f64>("the reference of a vertex")?;
    }
    Ok(())
}

fn read_tetrahedra(cursor: &mut Cursor, raw: &mut Raw) -> Result<()> {
    let count = cursor.count("tetrahedra", 9)?;
    for _ in 0..count {
        let mut tet = [0; 4];
        for node in &mut tet {
            let number: i64 = cursor.number("a vertex of a tetrahedron")?;
            *node = number.wrapping_sub(1);
        }
        raw.tet(cursor, tet)?;
        cursor.number::<f64>("the reference of a tetrahedron")?;
    }
    Ok(())
}

/// Writes a mesh with the reference 1 for everything.
pub(super) fn write(w: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(w, "MeshVersionFormatted 2\nDimension 3\n\nVertices\n{}", mesh.points.len())?;
    for [x, y, z] in &mesh.points {
        writeln!(w, "{x:?} {y:?} {z:?} 1")?;
    }
    writeln!(w, "\nTetrahedra\n{}", mesh.tets.len())?;
    for tet in &mesh.tets {
        let [a, b, c, d] = tet.map(|n| u64::from(n) + 1);
        writeln!(w, "{a} {b} {c} {d} 1")?;
    }
    writeln!(w, "\nEnd")
}
