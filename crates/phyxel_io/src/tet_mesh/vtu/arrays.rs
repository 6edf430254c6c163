//! The arrays of a `.vtu`: words, base64, or bytes behind the XML; plain or deflated.

use super::super::Result;
use super::cells::Number;
use super::xml::Tag;
use crate::input::{MeshFileError, Problem, Source, base64, parse, shortened};
use std::cell::Cell;
use std::io::Read;

/// Deflate makes at most this many bytes of one.
const MOST_INFLATION: u64 = 1032;

/// What holds for all arrays of a file.
pub(super) struct Encoding {
    pub(super) big_endian: bool,
    /// The lengths in front of arrays have eight bytes, not four.
    pub(super) long_headers: bool,
    pub(super) compressor: Option<String>,
    /// Where appended data begins, and whether it is base64.
    pub(super) appended: Option<(usize, bool)>,
    /// Bytes that arrays may still have: pieces that share their arrays could multiply a small file without bound.
    pub(super) left: Cell<u64>,
}

impl Encoding {
    pub(super) fn new(source: &Source) -> Self {
        let left = Cell::new(source.bytes.len() as u64);
        Encoding { big_endian: false, long_headers: false, compressor: None, appended: None, left }
    }

    /// All arrays are deflated: together they cannot be longer than the whole file inflated.
    pub(super) fn deflate(&mut self, compressor: String) {
        self.left.set(self.left.get().saturating_mul(MOST_INFLATION));
        self.compressor = Some(compressor);
    }
}

/// Where an array is.
pub(super) struct Spec {
    number: Number,
    form: Form,
    /// The text between the tags.
    begin: usize,
    end: usize,
}

enum Form {
    Text,
    Base64,
    Appended(u64),
}

impl Spec {
    pub(super) fn of(source: &Source, tag: &Tag) -> Result<Self> {
        let fail = |what: String| {
            let remedy = "save it with known types and formats";
            source.error_on_line(tag.end.saturating_sub(1), Problem::Unsupported { what, remedy })
        };
        let kind = tag.get("type").unwrap_or_default();
        let number =
            Number::of_xml(&kind).ok_or_else(|| fail(format!("an array of type `{}`", shortened(kind.as_bytes()))))?;
        let form = match tag.get("format").as_deref() {
            None | Some("ascii") => Form::Text,
            Some("binary") => Form::Base64,
            Some("appended") => Form::Appended(tag.get("offset").and_then(|o| o.parse().ok()).unwrap_or(u64::MAX)),
            Some(other) => return Err(fail(format!("an array of format `{}`", shortened(other.as_bytes())))),
        };
        let text = source.bytes[tag.end..].iter().position(|b| *b == b'<').unwrap_or(0);
        Ok(Spec { number, form, begin: tag.end, end: tag.end + text })
    }

    /// The numbers.
    pub(super) fn values(&self, source: &Source, encoding: &Encoding) -> Result<Vec<f64>> {
        let bytes = match (&self.form, encoding.appended) {
            (Form::Text, _) => return self.words(source),
            (Form::Base64, _) => Stored { source, at: self.begin, end: self.end, base64: true }.bytes(encoding)?,
            (Form::Appended(offset), Some((start, base64))) => {
                let at = usize::try_from(*offset).ok().and_then(|o| start.checked_add(o));
                let end = source.bytes.len();
                let at = at.filter(|at| *at <= end).ok_or_else(|| self.truncated(source, *offset))?;
                Stored { source, at, end, base64 }.bytes(encoding)?
            }
            (Form::Appended(_), None) => {
                let problem = Problem::Missing { expected: "`<AppendedData>`".into() };
                return Err(source.error_on_line(self.begin, problem));
            }
        };
        let left = encoding.left.get().checked_sub(bytes.len() as u64).ok_or_else(|| {
            let what = "arrays that several pieces share".into();
            source.error_on_line(self.begin, Problem::Unsupported { what, remedy: "export one piece" })
        })?;
        encoding.left.set(left);
        Ok(bytes.chunks_exact(self.number.bytes()).map(|b| self.number.decode(b, encoding.big_endian)).collect())
    }

    fn truncated(&self, source: &Source, needed: u64) -> MeshFileError {
        let there = source.bytes.len() as u64;
        source.error_on_line(self.begin, Problem::Truncated { what: "an appended array".into(), needed, there })
    }

    fn words(&self, source: &Source) -> Result<Vec<f64>> {
        let text = &source.bytes[self.begin..self.end];
        let number = |word: &[u8]| {
            parse(word).ok_or_else(|| {
                let at = self.begin + word.as_ptr().addr() - text.as_ptr().addr();
                let (text, expected) = (shortened(word), "a number".into());
                source.error_on_line(at, Problem::BadWord { text, expected })
            })
        };
        text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(number).collect()
    }
}

/// Bytes with a length in front.
struct Stored<'a> {
    source: &'a Source,
    at: usize,
    end: usize,
    base64: bool,
}

impl Stored<'_> {
    fn bytes(&self, encoding: &Encoding) -> Result<Vec<u8>> {
        let long = if encoding.long_headers { 8 } else { 4 };
        match encoding.compressor.as_deref() {
            None => {
                let length = self.header(encoding, 1)?[0];
                let whole = self.take((long as u64).saturating_add(length))?;
                Ok(whole[long..].to_vec())
            }
            Some("vtkZLibDataCompressor") => self.inflated(encoding, long),
            Some(other) => {
                let what = format!("data compressed by `{}`", shortened(other.as_bytes()));
                Err(self.source.error(Problem::Unsupported { what, remedy: "save it with zlib, or not compressed" }))
            }
        }
    }

    /// The number of blocks, the size of a block, that of the last one when it is smaller, and the compressed sizes.
    fn inflated(&self, encoding: &Encoding, long: usize) -> Result<Vec<u8>> {
        let blocks = self.header(encoding, 1)?[0];
        if blocks == 0 {
            return Ok(Vec::new());
        }
        let header = self.header(encoding, blocks.saturating_add(3))?;
        let (size, last, stored) = (header[1], header[2], &header[3..]);
        let total = stored.iter().fold(0u64, |sum, s| sum.saturating_add(*s));
        // Announced sizes are believed only as far as the bytes there can be inflated.
        let whole = (blocks - 1).saturating_mul(size).saturating_add(if last > 0 { last } else { size });
        if whole > total.saturating_mul(MOST_INFLATION) {
            return Err(self.truncated(whole));
        }
        let data = self.data_behind(header.len() * long, total)?;
        let (mut bytes, mut at) = (Vec::new(), 0);
        for (block, &length) in stored.iter().enumerate() {
            let expected = if block + 1 == stored.len() && last > 0 { last } else { size };
            let length = length as usize;
            let read = flate2::read::ZlibDecoder::new(&data[at..at + length]).take(expected).read_to_end(&mut bytes);
            if read.ok() != usize::try_from(expected).ok() {
                let what = "a compressed array is damaged".into();
                return Err(self.error(Problem::Malformed { what, remedy: "copy or export the file again" }));
            }
            at += length;
        }
        Ok(bytes)
    }

    fn header(&self, encoding: &Encoding, count: u64) -> Result<Vec<u64>> {
        let number = if encoding.long_headers { Number::U64 } else { Number::U32 };
        let bytes = self.take(count.saturating_mul(number.bytes() as u64))?;
        Ok(bytes.chunks_exact(number.bytes()).map(|b| number.decode(b, encoding.big_endian) as u64).collect())
    }

    /// The first bytes, header included.
    fn take(&self, count: u64) -> Result<Vec<u8>> {
        let raw = &self.source.bytes[self.at..self.end];
        let available = if self.base64 { raw.len() as u64 / 4 * 3 + 3 } else { raw.len() as u64 };
        if count > available {
            return Err(self.truncated(count));
        }
        let count = count as usize;
        if !self.base64 {
            return Ok(raw[..count].to_vec());
        }
        let text = &raw[..raw.iter().position(|b| *b == b'<').unwrap_or(raw.len())];
        match base64::decode(text, count) {
            Some(bytes) if bytes.len() == count => Ok(bytes),
            Some(_) => Err(self.truncated(count as u64)),
            None => {
                let what = "an array is not in base64".into();
                Err(self.error(Problem::Malformed { what, remedy: "copy or export the file again" }))
            }
        }
    }

    /// `count` bytes behind a header, which in base64 is a run of its own, padded to whole groups.
    fn data_behind(&self, header: usize, count: u64) -> Result<Vec<u8>> {
        let skipped = if self.base64 { header.div_ceil(3) * 4 } else { header };
        let mut at = self.at;
        let mut left = skipped;
        while left > 0 && at < self.end {
            left -= usize::from(!self.base64 || !self.source.bytes[at].is_ascii_whitespace());
            at += 1;
        }
        Stored { at, ..*self }.take(count)
    }

    fn error(&self, problem: Problem) -> MeshFileError {
        self.source.error_at_byte(self.at, problem)
    }

    fn truncated(&self, needed: u64) -> MeshFileError {
        let there = (self.end - self.at) as u64;
        self.error(Problem::Truncated { what: "an array".into(), needed, there })
    }
}
