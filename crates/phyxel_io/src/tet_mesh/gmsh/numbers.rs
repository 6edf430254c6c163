//! Numbers as words or as bytes.

use super::super::Result;
use crate::input::{Cursor, array};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Text,
    LittleEndian,
    BigEndian,
}

/// A cursor that reads numbers in the mode of the file.
pub(super) struct Numbers<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) mode: Mode,
}

impl Numbers<'_> {
    pub(super) fn is_text(&self) -> bool {
        self.mode == Mode::Text
    }

    /// Steps behind the line that a section of bytes follows.
    pub(super) fn begin(&mut self) {
        if !self.is_text() {
            self.cursor.line();
        }
    }

    /// A number of four bytes.
    pub(super) fn int(&mut self, what: &str) -> Result<i64> {
        if self.is_text() {
            return self.cursor.number(what);
        }
        let bytes: [u8; 4] = array(self.cursor.take(4, what)?, 0);
        let value = if self.mode == Mode::BigEndian { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) };
        Ok(i64::from(value))
    }

    /// A count or a tag of eight bytes.
    pub(super) fn size(&mut self, what: &str) -> Result<u64> {
        if self.is_text() { self.cursor.number(what) } else { Ok(self.eight(what)?) }
    }

    /// A real number.
    pub(super) fn real(&mut self, what: &str) -> Result<f64> {
        if self.is_text() { self.cursor.number(what) } else { Ok(f64::from_bits(self.eight(what)?)) }
    }

    fn eight(&mut self, what: &str) -> Result<u64> {
        let bytes: [u8; 8] = array(self.cursor.take(8, what)?, 0);
        Ok(if self.mode == Mode::BigEndian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// Three real numbers.
    pub(super) fn triple(&mut self) -> Result<[f64; 3]> {
        let what = "a coordinate of a node";
        Ok([self.real(what)?, self.real(what)?, self.real(what)?])
    }
}
