//! Gmsh's MSH, versions 2.2 and 4.1, as text and as bytes.

mod kinds;
mod numbers;
mod tags;
mod v2;
mod v4;
mod write;

pub(super) use write::{write_2, write_4};

use super::Result;
use super::raw::Raw;
use crate::input::{Cursor, Problem, Source, shortened};
use numbers::{Mode, Numbers};
use tags::Tags;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Four,
}

/// Reads the sections that matter and steps over all others.
pub(super) fn read(source: &Source, raw: &mut Raw) -> Result<()> {
    let mut cursor = Cursor::new(source);
    let mut format = None;
    let mut tags: Option<Tags> = None;
    while let Some(word) = cursor.word() {
        let Some(name) = word.strip_prefix(b"$") else {
            return Err(cursor.bad_word(word, "the beginning of a section (`$` and a name)"));
        };
        if name == b"MeshFormat" {
            let (version, mode) = read_format(&mut cursor, raw)?;
            format = Some((version, mode));
            if mode != Mode::Text {
                cursor = cursor.in_bytes();
            }
            end(&mut cursor, b"MeshFormat")?;
            continue;
        }
        let Some((version, mode)) = format else {
            skip(&mut cursor, name)?;
            continue;
        };
        let mut numbers = Numbers { cursor, mode };
        match (name, version) {
            (b"Nodes", Version::Two) => tags = Some(v2::nodes(&mut numbers, raw, false)?),
            (b"ParametricNodes", Version::Two) => tags = Some(v2::nodes(&mut numbers, raw, true)?),
            (b"Nodes", Version::Four) => tags = Some(v4::nodes(&mut numbers, raw)?),
            (b"Elements", _) => {
                let missing =
                    || numbers.cursor.error(Problem::Missing { expected: "`$Nodes` before `$Elements`".into() });
                let tags = tags.as_ref().ok_or_else(missing)?;
                match version {
                    Version::Two => v2::elements(&mut numbers, tags, raw)?,
                    Version::Four => v4::elements(&mut numbers, tags, raw)?,
                }
            }
            _ => {
                skip(&mut cursor, name)?;
                continue;
            }
        }
        cursor = numbers.cursor;
        end(&mut cursor, name)?;
    }
    let missing = || cursor.error(Problem::Missing { expected: "`$MeshFormat`".into() });
    format.map(|_| ()).ok_or_else(missing)
}

fn read_format(cursor: &mut Cursor, raw: &mut Raw) -> Result<(Version, Mode)> {
    let version: f64 = cursor.number("the version")?;
    let is_binary = cursor.number::<u32>("0 (text) or 1 (bytes)")? == 1;
    let size: u32 = cursor.number("the size of a number")?;
    let known = if version == 4.1 {
        Some(Version::Four)
    } else if (2.0..3.0).contains(&version) {
        Some(Version::Two)
    } else {
        None
    };
    let unsupported = |what: String| {
        let remedy = "save it as version 4.1 or 2.2 (gmsh -format msh41)";
        cursor.error(Problem::Unsupported { what, remedy })
    };
    let version = known.ok_or_else(|| unsupported(format!("version {version} of Gmsh's format")))?;
    if size != 8 {
        return Err(unsupported(format!("a Gmsh file with numbers of {size} bytes")));
    }
    raw.report.format = match (version, is_binary) {
        (Version::Two, false) => "Gmsh 2.2, text",
        (Version::Two, true) => "Gmsh 2.2, binary",
        (Version::Four, false) => "Gmsh 4.1, text",
        (Version::Four, true) => "Gmsh 4.1, binary",
    };
    if !is_binary {
        return Ok((version, Mode::Text));
    }
    cursor.line();
    let one = cursor.take(4, "the number one that tells the order of bytes")?;
    match one {
        [1, 0, 0, 0] => Ok((version, Mode::LittleEndian)),
        [0, 0, 0, 1] => Ok((version, Mode::BigEndian)),
        _ => Err(cursor.bad_word(one, "the number one, as four bytes")),
    }
}

fn end(cursor: &mut Cursor, name: &[u8]) -> Result<()> {
    cursor.keyword(&format!("$End{}", shortened(name)))
}

fn skip(cursor: &mut Cursor, name: &[u8]) -> Result<()> {
    let ending = [b"$End", name].concat();
    if cursor.skip_past(&ending) {
        return Ok(());
    }
    Err(cursor.error(Problem::Missing { expected: format!("`{}`", shortened(&ending)) }))
}
