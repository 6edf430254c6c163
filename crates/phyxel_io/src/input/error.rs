//! What can be wrong with a mesh file: where, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A mesh file that cannot be read. Its display is one sentence: the file, the place, the problem, the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{}{place}: {problem}", file.display())]
pub struct MeshFileError {
    /// The file, as the caller named it.
    pub file: PathBuf,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    pub problem: Box<Problem>,
}

impl MeshFileError {
    pub(crate) fn new(file: &Path, place: Place, problem: Problem) -> Self {
        MeshFileError { file: file.to_path_buf(), place, problem: Box::new(problem) }
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    File,
    /// On this line, counted from 1.
    Line(usize),
    /// At this byte, counted from 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(f, ", line {line}"),
            Place::Byte(byte) => write!(f, ", byte {byte}"),
        }
    }
}

/// What is wrong with a mesh file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be opened or read.
    #[error("cannot be read ({0}); check the path and the permissions")]
    Unreadable(io::Error),
    /// A folder.
    #[error("is a folder; name a file in it")]
    Folder,
    /// A device or a pipe.
    #[error("is not a regular file; copy the mesh into a file first")]
    NotAFile,
    /// More bytes than memory has room for.
    #[error("has {bytes} bytes, more than memory has room for; simplify the mesh first")]
    TooLarge {
        /// Length of the file.
        bytes: u64,
    },
    /// Nothing in it.
    #[error("is empty; export the mesh again")]
    Empty,
    /// Content that belongs to no format that is read.
    #[error("is not a {what} that can be read{}; known: {known}", named(.extension))]
    UnknownFormat {
        /// `surface` or `tetrahedral mesh`.
        what: &'static str,
        /// The extension of the file, empty when it has none.
        extension: String,
        /// The formats that are read.
        known: &'static str,
    },
    /// Bytes that a header or a count announces are missing.
    #[error("ends too early: {what} needs {needed} bytes, {there} are left; copy or export the file again")]
    Truncated {
        /// What is incomplete.
        what: String,
        /// Bytes announced; the least possible number for text.
        needed: u64,
        /// Bytes left.
        there: u64,
    },
    /// The text ends where a word was expected.
    #[error("ends too early: {expected} is missing; copy or export the file again")]
    Missing {
        /// What was expected.
        expected: String,
    },
    /// A word that does not belong here.
    #[error("`{text}` stands where {expected} should be; correct the file or export it again")]
    BadWord {
        /// The word, shortened.
        text: String,
        /// What was expected.
        expected: String,
    },
    /// A coordinate that is not a number.
    #[error("a coordinate is {value}; correct the vertex, every coordinate must be a finite number")]
    NotFinite {
        /// The coordinate.
        value: f64,
    },
    /// A coordinate beyond any body.
    #[error("a coordinate is {value:e} m, beyond the limit of {limit:e} m; correct it, or give the file's unit")]
    TooFar {
        /// The coordinate [m].
        value: f64,
        /// The largest that is read [m].
        limit: f64,
    },
    /// An index without its thing.
    #[error("{what} {index} is used, but the file has {count}; correct the index or export the mesh again")]
    OutOfRange {
        /// What is counted.
        what: &'static str,
        /// The index as the file has it.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A face with two corners or fewer.
    #[error("a face has {corners} corner(s); remove it, a face needs three or more")]
    FewCorners {
        /// How many it has.
        corners: usize,
    },
    /// A polygon that would take too long to cut.
    #[error("a face has {corners} corners and is not convex (at most {limit}); triangulate the mesh when exporting it")]
    ManyCorners {
        /// How many it has.
        corners: usize,
        /// The most that a polygon which is not convex may have.
        limit: usize,
    },
    /// Something that breaks the rules of the format.
    #[error("{what}; {remedy}")]
    Malformed {
        /// What is wrong.
        what: String,
        /// What helps.
        remedy: &'static str,
    },
    /// Something that the format allows and phyxel does not read.
    #[error("{what} cannot be read; {remedy}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What helps.
        remedy: &'static str,
    },
    /// A file without what was looked for.
    #[error("has no {what}{}; {remedy}", beside(.skipped))]
    Nothing {
        /// What was looked for.
        what: &'static str,
        /// What was found instead; empty when nothing.
        skipped: String,
        /// What helps.
        remedy: &'static str,
    },
    /// More vertices than indices of 32 bits can name, or copies beyond reason.
    #[error("would become {count} {what}, more than the limit of {limit}; simplify or split the mesh")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many there would be.
        count: u64,
        /// The most that are read.
        limit: u64,
    },
    /// A tetrahedron without volume.
    #[error("tetrahedron {tet} is flat (6V = {six_volume:e} m³); drop flat tetrahedra, or mesh the body again")]
    FlatTet {
        /// The tetrahedron, counted from zero in the order of the file.
        tet: usize,
        /// Six times its volume [m³].
        six_volume: f64,
    },
    /// A file that belongs to this one cannot be read.
    #[error("needs the file `{}`, which cannot be read ({reason}); put it beside this one", .file.display())]
    Companion {
        /// The other file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A unit that is not a positive number.
    #[error("the unit of the file is given as {value} m; give a positive, finite number of metres")]
    BadUnit {
        /// The unit [m].
        value: f64,
    },
}

fn named(extension: &str) -> String {
    if extension.is_empty() { String::new() } else { format!(", although it is called .{extension}") }
}

fn beside(skipped: &str) -> String {
    if skipped.is_empty() { String::new() } else { format!(" (only {skipped})") }
}
