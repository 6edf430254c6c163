//! TetGen's pair of files: `.node` with the points, `.ele` with the tetrahedra.

use super::Result;
use super::raw::Raw;
use crate::input::{Cursor, Problem, Source};
use phyxel::shape::TetMesh;
use std::io::{self, Write};

/// Reads both files, whichever is given.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    raw.report.format = "TetGen";
    let other_extension = if source.extension() == "node" { "ele" } else { "node" };
    let path = source.path.with_extension(other_extension);
    let other = Source::read(&path)
        .map_err(|error| source.error(Problem::Companion { file: path.clone(), reason: error.problem.to_string() }))?;
    let (nodes, elements) = if other_extension == "ele" { (source, &other) } else { (&other, source) };
    let first = read_nodes(nodes, raw)?;
    let before = raw.points.len();
    read_elements(elements, raw, first, before)
}

/// Reads the points; gives the number of the first one, zero or one.
fn read_nodes(source: &Source, raw: &mut Raw) -> Result<i64> {
    let mut cursor = Cursor::new(source).with_comments(b'#');
    let count: u64 = cursor.number("the number of nodes")?;
    let dimension: u32 = cursor.number("the dimension, 3")?;
    if dimension != 3 {
        let what = format!("a mesh in {dimension} dimensions");
        return Err(cursor.error(Problem::Unsupported { what, remedy: "give a mesh in three dimensions" }));
    }
    // Attributes and markers behind the coordinates are not needed: they are what is left of a line.
    cursor.line();
    cursor.need(count, 7, "the nodes announced")?;
    let mut first = 0;
    for i in 0..count {
        let mut line = content_line(&mut cursor, "a node")?;
        let number: i64 = line.number("the number of a node")?;
        if i == 0 {
            first = number;
        }
        expect_number(&line, number, first + i as i64)?;
        let point = line.triple("a coordinate of a node")?;
        raw.node(&line, point)?;
    }
    Ok(first)
}

fn read_elements(source: &Source, raw: &mut Raw, first: i64, nodes: usize) -> Result<()> {
    let mut cursor = Cursor::new(source).with_comments(b'#');
    let count: u64 = cursor.number("the number of tetrahedra")?;
    let corners: u32 = cursor.number("the number of nodes per tetrahedron")?;
    cursor.line();
    cursor.need(count, 9, "the tetrahedra announced")?;
    if corners != 4 {
        raw.skip(&format!("tetrahedra of {corners} nodes"), count as usize);
        return Ok(());
    }
    for _ in 0..count {
        let mut line = content_line(&mut cursor, "a tetrahedron")?;
        line.number::<i64>("the number of a tetrahedron")?;
        let mut tet = [0; 4];
        for node in &mut tet {
            let number: i64 = line.number("a node of a tetrahedron")?;
            *node = number.wrapping_sub(first);
            if !(0..nodes as i64).contains(node) {
                return Err(line.error(Problem::OutOfRange { what: "node", index: number, count: nodes }));
            }
        }
        raw.tet(&line, tet)?;
    }
    Ok(())
}

/// The next line that has more than blanks and comments.
fn content_line<'a>(cursor: &mut Cursor<'a>, expected: &str) -> Result<Cursor<'a>> {
    while let Some(line) = cursor.line() {
        let mut ahead = line;
        if ahead.word().is_some() {
            return Ok(line);
        }
    }
    Err(cursor.error(Problem::Missing { expected: expected.into() }))
}

fn expect_number(line: &Cursor, found: i64, expected: i64) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let what = format!("node {found} stands where node {expected} should be");
    Err(line.error(Problem::Malformed { what, remedy: "number the nodes one by one" }))
}

/// Writes the points, counted from zero.
pub(super) fn write_nodes(w: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(w, "{} 3 0 0", mesh.points.len())?;
    for (i, [x, y, z]) in mesh.points.iter().enumerate() {
        writeln!(w, "{i} {x:?} {y:?} {z:?}")?;
    }
    Ok(())
}

/// Writes the tetrahedra.
pub(super) fn write_elements(w: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(w, "{} 4 0", mesh.tets.len())?;
    for (i, [a, b, c, d]) in mesh.tets.iter().enumerate() {
        writeln!(w, "{i} {a} {b} {c} {d}")?;
    }
    Ok(())
}
