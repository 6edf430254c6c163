//! As much of XML as VTK's files use.

use crate::input::{MeshFileError, Problem, Source, find};

/// A tag with its attributes.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    /// It begins with a slash.
    pub(super) closes: bool,
    attributes: Vec<(&'a [u8], &'a [u8])>,
    /// The byte behind it.
    pub(super) end: usize,
}

impl Tag<'_> {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let found = self.attributes.iter().find(|(n, _)| *n == name.as_bytes());
        found.map(|(_, value)| String::from_utf8_lossy(value.trim_ascii()).into_owned())
    }
}

/// The next tag at or behind a byte; comments and declarations are stepped over.
pub(super) fn next_tag(source: &Source, mut from: usize) -> Result<Option<Tag<'_>>, MeshFileError> {
    let bytes = &source.bytes[..];
    let unfinished = |at| source.error_on_line(at, Problem::Missing { expected: "the end of an XML tag".into() });
    loop {
        let Some(begin) = bytes[from..].iter().position(|b| *b == b'<').map(|i| from + i) else { return Ok(None) };
        let rest = &bytes[begin + 1..];
        let end_sign: &[u8] = if rest.starts_with(b"!--") {
            b"-->"
        } else if rest.starts_with(b"?") {
            b"?>"
        } else {
            return tag(bytes, begin).map(Some).ok_or_else(|| unfinished(begin));
        };
        from = begin + find(&bytes[begin..], end_sign).ok_or_else(|| unfinished(begin))? + end_sign.len();
    }
}

fn tag(bytes: &[u8], begin: usize) -> Option<Tag<'_>> {
    let closes = bytes.get(begin + 1) == Some(&b'/');
    let mut at = begin + 1 + usize::from(closes);
    let name_end = at + bytes[at..].iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))?;
    let mut tag = Tag { name: &bytes[at..name_end], closes, attributes: Vec::new(), end: 0 };
    at = name_end;
    loop {
        at += bytes[at..].iter().position(|b| !b.is_ascii_whitespace() && *b != b'/')?;
        if bytes[at] == b'>' {
            tag.end = at + 1;
            return Some(tag);
        }
        let equals = at + bytes[at..].iter().position(|b| matches!(b, b'=' | b'>'))?;
        let open = equals + bytes[equals..].iter().position(|b| matches!(b, b'"' | b'\'' | b'>'))?;
        if bytes[open] == b'>' {
            return None;
        }
        let close = open + 1 + bytes[open + 1..].iter().position(|b| *b == bytes[open])?;
        tag.attributes.push((bytes[at..equals].trim_ascii(), &bytes[open + 1..close]));
        at = close + 1;
    }
}
