//! Frames of a page on their way: each is one line of the finished page, and waits for it in a hidden file.

use super::frame::{First, Meta};
use crate::file::{OutputError, append, each_line, partial_name, remove_if_there};
use crate::input::base64;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const OPENING: &str = "<script type=\"phyxel/frame\" data-meta='";
const CLOSING: &str = "</script>\n";

/// The hidden file.
pub(super) struct Lines {
    path: PathBuf,
}

impl Lines {
    /// Begins anew, or with the lines before `resume_from` that an earlier run left: in its hidden file when it was cut
    /// off, in the finished page otherwise. Also gives the points of the first frame found there. Lines whose first
    /// frame does not fit the bodies are dropped: no later frame could be read without it.
    pub(super) fn create(page: &Path, bodies: usize, resume_from: usize) -> Result<(Self, First), OutputError> {
        let path = partial_name(page).with_extension("frames.partial");
        let resumed = path.with_extension("resumed.partial");
        remove_if_there(&resumed)?;
        let mut first = None;
        if resume_from > 0 {
            let source = if path.exists() { &path } else { page };
            each_line(source, |line| {
                if index_of(line).is_none_or(|index| index >= resume_from) {
                    return Ok(true);
                }
                if first.is_none() {
                    first = content_of(line).and_then(|bytes| First::read(&bytes, bodies));
                }
                if first.is_some() {
                    append(&resumed, |w| w.write_all(line))?;
                }
                Ok(first.is_some())
            })?;
        }
        remove_if_there(&path)?;
        if resumed.exists() {
            std::fs::rename(&resumed, &path).map_err(|e| OutputError::at(&path, e))?;
        }
        Ok((Lines { path }, first.unwrap_or_default()))
    }

    /// Adds a frame.
    pub(super) fn push(&self, bytes: &[u8], meta: &Meta) -> Result<(), OutputError> {
        let packed = pack(bytes).map_err(|e| OutputError::at(&self.path, e))?;
        let meta =
            serde_json::to_string(meta).map_err(|source| OutputError::Json { path: self.path.clone(), source })?;
        append(&self.path, |w| write!(w, "{OPENING}{meta}'>{packed}{CLOSING}"))
    }

    /// Writes all lines.
    pub(super) fn write(&self, w: &mut impl Write) -> io::Result<()> {
        match File::open(&self.path) {
            Ok(mut file) => io::copy(&mut file, w).map(drop),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Removes the hidden file.
    pub(super) fn remove(&self) -> Result<(), OutputError> {
        remove_if_there(&self.path)
    }
}

/// Deflated, as text.
pub(super) fn pack(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(base64::encode(&encoder.finish()?))
}

fn content_of(line: &[u8]) -> Option<Vec<u8>> {
    let start = line.windows(2).position(|w| w == b"'>")? + 2;
    let text = line.get(start..line.len().checked_sub(CLOSING.len())?)?;
    let packed = base64::decode(text, usize::MAX)?;
    let mut bytes = Vec::new();
    ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The frame of a whole line; other lines, and one that was cut off, have none.
fn index_of(line: &[u8]) -> Option<usize> {
    let rest = line.strip_suffix(CLOSING.as_bytes())?.strip_prefix(OPENING.as_bytes())?;
    let digits: Vec<u8> = rest.strip_prefix(b"{\"index\":")?.iter().copied().take_while(u8::is_ascii_digit).collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}
