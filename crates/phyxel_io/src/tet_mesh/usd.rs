//! USD as text: `TetMesh` prims, all of them in one mesh. Transforms are counted, not applied.

use super::Result;
use super::raw::Raw;
use crate::input::{Axes, Cursor, Problem, Source, UpAxis, find, parse};
use phyxel::shape::TetMesh;
use phyxel::shape::quality::boundary_triangles;
use std::io::{self, Write};

/// Reads every prim that is defined as a `TetMesh`.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    raw.report.format = "USD, text";
    raw.axes = stage_axes(source, raw.axes)?;
    let mut cursor = Cursor::new(source);
    while cursor.skip_past(b"def TetMesh") {
        read_prim(&mut cursor, raw)?;
    }
    let mut rest = Cursor::new(source);
    while rest.skip_past(b"xformOpOrder") {
        raw.report.transforms += 1;
    }
    Ok(())
}

/// Unit and axis that the stage's metadata state.
fn stage_axes(source: &Source, given: Axes) -> Result<Axes> {
    let head = &source.bytes[..find(&source.bytes, b"def ").unwrap_or(source.bytes.len())];
    let value = |key: &[u8]| {
        let rest = &head[find(head, key)? + key.len()..];
        let rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        rest.split(|b| b.is_ascii_whitespace() || *b == b')').next()
    };
    let unit: f64 = value(b"metersPerUnit").and_then(parse).unwrap_or(1.0);
    let up = match value(b"upAxis") {
        Some(b"\"Z\"") => UpAxis::Z,
        _ => given.up,
    };
    Axes::new(unit * given.unit, up).map_err(|problem| source.error(problem))
}

/// Walks through the properties of one prim; the cursor stands behind its type.
fn read_prim(cursor: &mut Cursor, raw: &mut Raw) -> Result<()> {
    // The name, and metadata in parentheses, which may have braces of their own.
    loop {
        match next_sign(cursor) {
            Some(b'"') => skip_string(cursor),
            Some(b'(') => skip_group(cursor, b'(', b')'),
            Some(b'{') => break,
            Some(_) => {}
            None => return Err(cursor.error(Problem::Missing { expected: "`{` of a prim".into() })),
        }
    }
    let (mut points, mut tets) = (None, None);
    let (mut name_begin, mut value) = (cursor.at, false);
    loop {
        let Some(sign) = next_sign(cursor) else {
            return Err(cursor.error(Problem::Missing { expected: "`}` of a prim".into() }));
        };
        match sign {
            b'}' => break,
            b'"' => skip_string(cursor),
            b'(' => skip_group(cursor, b'(', b')'),
            b'=' => {
                let name = &cursor.source.bytes[name_begin..cursor.at - 1];
                if is_named(name, b"points") && points.is_none() {
                    points = Some(numbers::<3>(cursor)?);
                } else if is_named(name, b"tetVertexIndices") && tets.is_none() {
                    tets = Some(numbers::<4>(cursor)?);
                }
                value = true;
            }
            b'{' => skip_group(cursor, b'{', b'}'),
            b'\n' => (name_begin, value) = (cursor.at, false),
            b'[' if value => skip_group(cursor, b'[', b']'),
            _ => {}
        }
    }
    add(cursor, raw, points.unwrap_or_default(), tets.unwrap_or_default())
}

/// Whether a declaration such as `point3f[] points.timeSamples ` declares this property.
fn is_named(declaration: &[u8], name: &[u8]) -> bool {
    let word = declaration.trim_ascii().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    word.strip_suffix(b".timeSamples").unwrap_or(word) == name
}

fn add(cursor: &Cursor, raw: &mut Raw, points: Vec<[f64; 3]>, tets: Vec<[f64; 4]>) -> Result<()> {
    let (base, count) = (raw.points.len() as i64, points.len());
    for point in points {
        raw.node(cursor, point)?;
    }
    for tet in tets {
        if let Some(bad) = tet.iter().find(|n| !(**n >= 0.0 && **n < count as f64)) {
            return Err(cursor.error(Problem::OutOfRange { what: "node", index: *bad as i64, count }));
        }
        raw.tet(cursor, tet.map(|n| base + n as i64))?;
    }
    Ok(())
}

/// The next byte that is not a blank, taken; comments are skipped, and the line's end counts.
fn next_sign(cursor: &mut Cursor) -> Option<u8> {
    loop {
        let sign = *cursor.rest().first()?;
        cursor.at += 1;
        match sign {
            b'#' => {
                while cursor.rest().first().is_some_and(|b| *b != b'\n') {
                    cursor.at += 1;
                }
            }
            b' ' | b'\t' | b'\r' => {}
            _ => return Some(sign),
        }
    }
}

/// Steps behind the end of a string whose first quotation mark was taken.
fn skip_string(cursor: &mut Cursor) {
    let end: &[u8] = if cursor.rest().starts_with(b"\"\"") { b"\"\"\"" } else { b"\"" };
    cursor.at += end.len() - 1;
    while let Some(sign) = cursor.rest().first() {
        if *sign != b'\\' && cursor.rest().starts_with(end) {
            cursor.at += end.len();
            return;
        }
        cursor.at += if *sign == b'\\' { 2.min(cursor.rest().len()) } else { 1 };
    }
}

/// Steps behind the end of a group whose beginning was taken.
fn skip_group(cursor: &mut Cursor, open: u8, close: u8) {
    let mut depth = 1;
    while depth > 0 {
        match next_sign(cursor) {
            Some(b'"') => skip_string(cursor),
            Some(sign) if sign == open => depth += 1,
            Some(sign) if sign == close => depth -= 1,
            Some(_) => {}
            None => return,
        }
    }
}

/// The numbers of the next array, in groups of `N`: a value, or the first of several in time.
fn numbers<const N: usize>(cursor: &mut Cursor) -> Result<Vec<[f64; N]>> {
    let (begin, missing) = (*cursor, |what: &str| Problem::Missing { expected: what.into() });
    let line = |at: usize, problem| begin.source.error_on_line(at, problem);
    let timed = cursor.rest().trim_ascii_start().starts_with(b"{");
    let open = cursor.rest().iter().position(|b| matches!(b, b'[' | b'}')).map(|i| cursor.at + i);
    let open = open.filter(|at| cursor.source.bytes[*at] == b'[').ok_or_else(|| line(begin.at, missing("`[`")))?;
    let text = &cursor.source.bytes[open + 1..];
    let length = text.iter().position(|b| *b == b']').ok_or_else(|| line(open, missing("`]`")))?;
    let mut groups = Vec::new();
    let (mut group, mut filled) = ([0.0; N], 0);
    let blank = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b',');
    let mut at = open + 1;
    for word in text[..length].split(blank) {
        if !word.is_empty() {
            let bad = || Problem::BadWord { text: crate::input::shortened(word), expected: "a number".into() };
            group[filled] = parse(word).ok_or_else(|| line(at, bad()))?;
            filled += 1;
            if filled == N {
                groups.push(group);
                filled = 0;
            }
        }
        at += word.len() + 1;
    }
    if filled != 0 {
        let what = format!("an array does not consist of groups of {N} numbers");
        return Err(line(open, Problem::Malformed { what, remedy: "export the mesh again" }));
    }
    cursor.at = open + 1 + length + 1;
    if timed {
        skip_group(cursor, b'{', b'}');
    }
    Ok(groups)
}

/// Writes one prim, with the triangles of its outside, which renderers draw.
pub(super) fn write(w: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(w, "#usda 1.0\n(\n    defaultPrim = \"Body\"\n    doc = \"Written by phyxel\"")?;
    writeln!(w, "    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\ndef TetMesh \"Body\"\n{{")?;
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (k, p) in mesh.points.iter().flat_map(|p| p.iter().enumerate()) {
        (low[k], high[k]) = (low[k].min(*p), high[k].max(*p));
    }
    if !mesh.points.is_empty() {
        writeln!(w, "    float3[] extent = [{}, {}]", tuple(&low), tuple(&high))?;
    }
    write_array(w, "uniform token orientation = \"rightHanded\"\n    point3f[] points", mesh.points.iter())?;
    write_array(w, "int3[] surfaceFaceVertexIndices", boundary_triangles(&mesh.tets).iter())?;
    write_array(w, "int4[] tetVertexIndices", mesh.tets.iter())?;
    writeln!(w, "}}")
}

fn write_array<'a, const N: usize, T: std::fmt::Debug + 'a>(
    w: &mut impl Write,
    declaration: &str,
    groups: impl Iterator<Item = &'a [T; N]>,
) -> io::Result<()> {
    write!(w, "    {declaration} = [")?;
    for (i, group) in groups.enumerate() {
        write!(w, "{}{}", if i > 0 { ", " } else { "" }, tuple(group))?;
    }
    writeln!(w, "]")
}

fn tuple<T: std::fmt::Debug>(values: &[T]) -> String {
    let words: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    format!("({})", words.join(", "))
}
