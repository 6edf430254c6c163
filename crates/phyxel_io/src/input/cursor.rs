//! A place in a file that moves forward: words and lines of text, runs of bytes.

use super::{MeshFileError, Problem, Source};
use std::str::FromStr;

/// A window on a file's bytes, from a place to an end. Cheap to copy: a line is a cursor too.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) source: &'a Source,
    pub(crate) at: usize,
    end: usize,
    /// Where the last word began.
    mark: usize,
    /// The sign that makes the rest of a line a comment.
    comment: Option<u8>,
    /// Errors name the byte, not the line.
    binary: bool,
}

/// A place in a file, kept for an error that may come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) at: usize,
    pub(crate) binary: bool,
}

type Result<T> = std::result::Result<T, MeshFileError>;

impl<'a> Cursor<'a> {
    /// At the beginning of a file.
    pub(crate) fn new(source: &'a Source) -> Self {
        Cursor { source, at: 0, end: source.bytes.len(), mark: 0, comment: None, binary: false }
    }

    /// The same, but words skip comments that begin with `sign`.
    pub(crate) fn with_comments(self, sign: u8) -> Self {
        Cursor { comment: Some(sign), ..self }
    }

    /// The same, but errors name the byte.
    pub(crate) fn in_bytes(self) -> Self {
        Cursor { binary: true, ..self }
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.source.bytes[self.at..self.end]
    }

    /// An error where the last word began.
    pub(crate) fn error(&self, problem: Problem) -> MeshFileError {
        self.source.error_at(self.spot(), problem)
    }

    /// Where the last word began, to be named later.
    pub(crate) fn spot(&self) -> Spot {
        Spot { at: if self.binary { self.at } else { self.mark }, binary: self.binary }
    }

    /// The next line without its end, as a cursor over it; nothing at the end of the file.
    pub(crate) fn line(&mut self) -> Option<Cursor<'a>> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        let line = Cursor { end: self.at + length, mark: self.at, ..*self };
        let ending = if rest[length..].starts_with(b"\r\n") { 2 } else { usize::from(length < rest.len()) };
        self.mark = self.at;
        self.at += length + ending;
        Some(line)
    }

    /// Makes this line reach to the end of a later one.
    pub(crate) fn extend_to(&mut self, later: &Cursor<'a>) {
        self.end = later.end;
    }

    /// The next word, over line ends and comments.
    pub(crate) fn word(&mut self) -> Option<&'a [u8]> {
        loop {
            let blanks = self.rest().iter().position(|b| !b.is_ascii_whitespace());
            let Some(blanks) = blanks else {
                self.at = self.end;
                self.mark = self.at;
                return None;
            };
            self.at += blanks;
            if self.comment.is_none_or(|sign| self.rest()[0] != sign) {
                break;
            }
            self.line();
        }
        let rest = self.rest();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.mark = self.at;
        self.at += length;
        Some(&rest[..length])
    }

    /// The next word, which must be there.
    pub(crate) fn expect(&mut self, expected: &str) -> Result<&'a [u8]> {
        self.word().ok_or_else(|| self.error(Problem::Missing { expected: expected.into() }))
    }

    /// The next word as a number.
    pub(crate) fn number<T: FromStr>(&mut self, expected: &str) -> Result<T> {
        let word = self.expect(expected)?;
        parse(word).ok_or_else(|| self.bad_word(word, expected))
    }

    /// Three numbers.
    pub(crate) fn triple(&mut self, expected: &str) -> Result<[f64; 3]> {
        Ok([self.number(expected)?, self.number(expected)?, self.number(expected)?])
    }

    /// A word that must be this one, in any case.
    pub(crate) fn keyword(&mut self, word: &str) -> Result<()> {
        let expected = format!("`{word}`");
        let found = self.expect(&expected)?;
        if found.eq_ignore_ascii_case(word.as_bytes()) { Ok(()) } else { Err(self.bad_word(found, &expected)) }
    }

    /// The error of a word that does not belong here.
    pub(crate) fn bad_word(&self, word: &[u8], expected: &str) -> MeshFileError {
        self.error(Problem::BadWord { text: shortened(word), expected: expected.into() })
    }

    /// What is left, without blanks at both ends, as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.rest().trim_ascii()).into_owned()
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: u64, what: &str) -> Result<&'a [u8]> {
        self.need(count, 1, what)?;
        let taken = &self.rest()[..count as usize];
        self.at += count as usize;
        Ok(taken)
    }

    /// Proves that `count` things of at least `least` bytes each may still be in the file, before room is made for them.
    pub(crate) fn need(&self, count: u64, least: u64, what: &str) -> Result<()> {
        let (needed, there) = (count.saturating_mul(least), (self.end - self.at) as u64);
        if needed <= there {
            return Ok(());
        }
        Err(self.error(Problem::Truncated { what: what.into(), needed, there }))
    }

    /// A count of `what`, each of which takes at least `least` bytes of what follows.
    pub(crate) fn count(&mut self, what: &str, least: u64) -> Result<usize> {
        let count: u64 = self.number(&format!("the number of {what}"))?;
        self.need(count, least, what)?;
        Ok(count as usize)
    }

    /// Moves behind the next place where `pattern` stands; false when there is none.
    pub(crate) fn skip_past(&mut self, pattern: &[u8]) -> bool {
        let Some(found) = find(self.rest(), pattern) else { return false };
        self.at += found + pattern.len();
        true
    }
}

/// Where `pattern` begins in `bytes`.
pub(crate) fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    let first = *pattern.first()?;
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|b| *b == first) {
        at += next;
        if bytes[at..].starts_with(pattern) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// A number from a word.
pub(crate) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word as text for an error, not too long.
pub(crate) fn shortened(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    let short: String = text.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().count() > 40 { short + "…" } else { short }
}

/// `N` bytes at a place, for `from_le_bytes` and its like. The caller has seen that they are there.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn source(text: &str) -> Source {
        Source::new(Path::new("a.txt"), text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn lines_end_in_every_way() {
        let source = source("a\r\nb\rc\n\nd");
        let mut cursor = Cursor::new(&source);
        let lines: Vec<String> = std::iter::from_fn(|| cursor.line().map(|l| l.text())).collect();
        assert_eq!(lines, ["a", "b", "c", "", "d"]);
    }

    #[test]
    fn words_skip_comments_and_errors_name_the_line() {
        let source = source("1 # two\n\n3 x");
        let mut cursor = Cursor::new(&source).with_comments(b'#');
        assert_eq!(cursor.number::<u32>("a number").unwrap(), 1);
        assert_eq!(cursor.number::<u32>("a number").unwrap(), 3);
        let error = cursor.number::<u32>("a number").unwrap_err().to_string();
        assert_eq!(error, "a.txt, line 3: `x` stands where a number should be; correct the file or export it again");
        assert!(cursor.number::<u32>("a number").unwrap_err().to_string().contains("ends too early"));
    }

    #[test]
    fn announced_bytes_are_compared_with_those_there() {
        let source = source("99999999999999999999 5");
        let mut cursor = Cursor::new(&source);
        assert!(cursor.count("points", 1).is_err(), "no u64");
        assert!(cursor.count("points", 1).is_err(), "nothing left");
        assert!(cursor.need(u64::MAX, u64::MAX, "points").is_err());
    }
}
