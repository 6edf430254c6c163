//! The header of a PLY file.

use super::Result;
use crate::input::{Cursor, Problem};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// Types of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Kind::I8,
            b"uchar" | b"uint8" => Kind::U8,
            b"short" | b"int16" => Kind::I16,
            b"ushort" | b"uint16" => Kind::U16,
            b"int" | b"int32" => Kind::I32,
            b"uint" | b"uint32" => Kind::U32,
            b"float" | b"float32" => Kind::F32,
            b"double" | b"float64" => Kind::F64,
            _ => return None,
        })
    }

    pub(super) fn bytes(self) -> u64 {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    pub(super) fn is_real(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The type of a list's length.
    pub(super) list: Option<Kind>,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// The fewest bytes that one of these can take.
    pub(super) fn least_bytes(&self, encoding: Encoding) -> u64 {
        if encoding == Encoding::Text {
            // A digit and a blank each; the last blank may be missing, and a table of one column has a digit per row.
            return (2 * self.properties.len() as u64).saturating_sub(1);
        }
        self.properties.iter().map(|p| p.list.unwrap_or(p.kind).bytes()).sum()
    }
}

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

impl Header {
    /// Reads up to and with the line `end_header`.
    pub(super) fn read(cursor: &mut Cursor) -> Result<Self> {
        cursor.line();
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            let Some(mut line) = cursor.line() else {
                return Err(cursor.error(Problem::Missing { expected: "`end_header`".into() }));
            };
            match line.word() {
                Some(b"format") => encoding = Some(read_format(&mut line)?),
                Some(b"element") => {
                    let name = String::from_utf8_lossy(line.expect("the name of an element")?).into_owned();
                    let count = line.number("the number of elements")?;
                    elements.push(Element { name, count, properties: Vec::new() });
                }
                Some(b"property") => {
                    let property = read_property(&mut line)?;
                    match elements.last_mut() {
                        Some(element) => element.properties.push(property),
                        None => return Err(line.bad_word(b"property", "`element`")),
                    }
                }
                Some(b"end_header") => break,
                None | Some(b"comment" | b"obj_info") => {}
                Some(word) => return Err(line.bad_word(word, "a line of a PLY header")),
            }
        }
        let missing = || cursor.error(Problem::Missing { expected: "a line `format` in the header".into() });
        Ok(Header { encoding: encoding.ok_or_else(missing)?, elements })
    }
}

fn read_format(line: &mut Cursor) -> Result<Encoding> {
    let expected = "`ascii`, `binary_little_endian` or `binary_big_endian`";
    match line.expect(expected)? {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        other => Err(line.bad_word(other, expected)),
    }
}

fn read_property(line: &mut Cursor) -> Result<Property> {
    let kind = |line: &mut Cursor| {
        let word = line.expect("a type")?;
        Kind::of(word).ok_or_else(|| line.bad_word(word, "a type, such as `float` or `int`"))
    };
    let mut ahead = *line;
    let list = if ahead.word() == Some(b"list") {
        *line = ahead;
        let length = kind(line)?;
        if length.is_real() {
            return Err(line.bad_word(b"float", "an integer type for the length of a list"));
        }
        Some(length)
    } else {
        None
    };
    let kind = kind(line)?;
    let name = String::from_utf8_lossy(line.expect("the name of a property")?).into_owned();
    Ok(Property { name, kind, list })
}
