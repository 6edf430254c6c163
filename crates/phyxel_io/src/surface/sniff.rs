//! Which format a surface file is in.

use crate::input::{Cursor, MeshFileError, Problem, Source, array};

/// How a surface file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Obj,
    StlText,
    StlBinary,
    Ply,
    Gltf,
}

const KNOWN: &str =
    "OBJ, STL, PLY, glTF and GLB (tetrahedral meshes, such as .msh, are read as bodies, not as surfaces)";
/// What lines of an OBJ file begin with.
const OBJ_WORDS: [&[u8]; 14] =
    [b"v", b"vt", b"vn", b"vp", b"f", b"o", b"g", b"s", b"l", b"p", b"mtllib", b"usemtl", b"mg", b"cstype"];

/// Decides by content, then by extension.
pub(super) fn kind(source: &Source) -> Result<Kind, MeshFileError> {
    let bytes = &source.bytes[..];
    let extension = source.extension();
    if bytes.starts_with(b"glTF") || bytes.trim_ascii_start().starts_with(b"{") {
        return Ok(Kind::Gltf);
    }
    if bytes.starts_with(b"ply") && bytes.get(3).is_none_or(u8::is_ascii_whitespace) {
        return Ok(Kind::Ply);
    }
    // Some programs begin binary files with the word that belongs to the text form: the length tells them apart.
    if binary_stl_length(bytes) == Some(bytes.len() as u64) {
        return Ok(Kind::StlBinary);
    }
    if source.is_text() {
        match first_word(source) {
            Some(word) if word.eq_ignore_ascii_case(b"solid") => return Ok(Kind::StlText),
            Some(word) if OBJ_WORDS.contains(&word) => return Ok(Kind::Obj),
            None if extension == "obj" => return Ok(Kind::Obj),
            _ => {}
        }
    }
    // A binary STL whose length does not fit: shorter than announced, or with something behind it.
    if extension == "stl" && (!source.is_text() || bytes.starts_with(b"solid")) {
        return Ok(Kind::StlBinary);
    }
    Err(source.error(Problem::UnknownFormat { what: "surface", extension, known: KNOWN }))
}

/// The length that the count in the header of a binary STL announces.
fn binary_stl_length(bytes: &[u8]) -> Option<u64> {
    (bytes.len() >= 84).then(|| 84 + 50 * u64::from(u32::from_le_bytes(array(bytes, 80))))
}

/// The first word of the text that is not a comment.
fn first_word(source: &Source) -> Option<&[u8]> {
    Cursor::new(source).with_comments(b'#').word()
}
