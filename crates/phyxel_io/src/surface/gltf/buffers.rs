//! The bytes that a glTF file refers to: in a GLB's second chunk, in the JSON itself, or in files beside it.

use super::document::Buffer;
use crate::input::{MeshFileError, Problem, Source, array, base64};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

type Result<T> = std::result::Result<T, MeshFileError>;

const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

/// The JSON of a file and, in a GLB, its chunk of bytes.
pub(super) fn split(source: &Source) -> Result<(&[u8], Option<&[u8]>)> {
    let bytes = &source.bytes[..];
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let mut cursor = crate::input::Cursor::new(source).in_bytes();
    let header = cursor.take(12, "the header of a GLB")?;
    let version = u32::from_le_bytes(array(header, 4));
    if version != 2 {
        let what = format!("version {version} of GLB");
        return Err(cursor.error(Problem::Unsupported { what, remedy: "export as glTF 2.0" }));
    }
    let (mut json, mut binary) = (None, None);
    while cursor.rest().len() >= 8 {
        let header = cursor.take(8, "the header of a chunk")?;
        let (length, kind) = (u32::from_le_bytes(array(header, 0)), u32::from_le_bytes(array(header, 4)));
        let chunk = cursor.take(u64::from(length), "a chunk of the GLB")?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(chunk),
            BINARY_CHUNK if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
    }
    let missing = || source.error(Problem::Missing { expected: "the JSON chunk of the GLB".into() });
    Ok((json.ok_or_else(missing)?, binary))
}

/// The bytes of a buffer, as many as it announces.
pub(super) fn load<'a>(source: &'a Source, buffer: &Buffer, chunk: Option<&'a [u8]>) -> Result<Cow<'a, [u8]>> {
    let bytes: Cow<[u8]> = match &buffer.uri {
        None => {
            let missing = || source.error(Problem::Missing { expected: "the binary chunk that a buffer needs".into() });
            Cow::Borrowed(chunk.ok_or_else(missing)?)
        }
        Some(uri) if uri.starts_with("data:") => Cow::Owned(inline(source, uri)?),
        Some(uri) => Cow::Owned(companion(source, uri, buffer.byte_length)?),
    };
    if (bytes.len() as u64) < buffer.byte_length {
        let (needed, there) = (buffer.byte_length, bytes.len() as u64);
        return Err(source.error(Problem::Truncated { what: "a buffer".into(), needed, there }));
    }
    Ok(bytes)
}

fn inline(source: &Source, uri: &str) -> Result<Vec<u8>> {
    let encoded = uri.split_once(";base64,").map(|(_, text)| text);
    let decoded = encoded.and_then(|text| base64::decode(text.as_bytes(), usize::MAX));
    decoded.ok_or_else(|| {
        let what = "a data URI is not in base64".into();
        source.error(Problem::Malformed { what, remedy: "export the file again" })
    })
}

/// Reads no more of a file beside this one than the buffer announces, and only from regular files.
fn companion(source: &Source, uri: &str, length: u64) -> Result<Vec<u8>> {
    if uri.contains("://") {
        let what = format!("a buffer at `{}`", crate::input::shortened(uri.as_bytes()));
        return Err(source.error(Problem::Unsupported { what, remedy: "store it beside the file, or export as .glb" }));
    }
    let path = source.path.with_file_name(decoded(uri));
    let fail = |reason: String| source.error(Problem::Companion { file: path.clone(), reason });
    let about = fs::metadata(&path).map_err(|e| fail(e.to_string()))?;
    if !about.is_file() {
        return Err(fail("it is not a regular file".into()));
    }
    read_at_most(&path, length).map_err(|e| fail(e.to_string()))
}

fn read_at_most(path: &Path, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A URI with `%20` and the like replaced.
pub(super) fn decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        match hex.filter(|_| bytes[at] == b'%') {
            Some(byte) => plain.push(byte),
            None => plain.push(bytes[at]),
        }
        at += if hex.is_some() && bytes[at] == b'%' { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}
