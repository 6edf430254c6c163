//! What can be wrong with a scene file: where, and what to do about it.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;

use phyxel::material::MaterialError;
use phyxel::shape::ShapeError;

use crate::solid::SolidError;

/// A scene that cannot be simulated. Its display is one sentence: the file, the line, the key, the problem, the remedy.
///
/// The fields are those of [`Fault`].
#[derive(Debug)]
pub struct SceneError(Box<Fault>);

/// What is wrong, and where.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The scene file, as the caller named it.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// The dotted key, such as `solver.step` or `bodies[0].size`; empty when the whole file is meant.
    pub key: String,
    /// What is wrong there.
    pub problem: Problem,
}

impl SceneError {
    pub(super) fn new(file: &str, place: Place, key: &str, problem: Problem) -> Self {
        SceneError(Box::new(Fault { file: file.into(), place, key: key.into(), problem }))
    }

    /// The same fault, found elsewhere.
    pub(super) fn at(mut self, place: Place) -> Self {
        self.0.place = place;
        self
    }
}

impl Deref for SceneError {
    type Target = Fault;
    fn deref(&self) -> &Fault {
        &self.0
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file, self.place)?;
        if !self.key.is_empty() {
            write!(f, ", {}", self.key)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for SceneError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The cause is part of the sentence already; naming it as a source too would print it twice.
        None
    }
}

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    File,
    /// On this line, counted from 1.
    Line(usize),
    /// In this override, `key=value`.
    Override(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(f, ", line {line}"),
            Place::Override(text) => write!(f, ", --set {text}"),
        }
    }
}

/// What is wrong with a scene.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be opened or read.
    #[error("cannot be read ({0}); check the path and the permissions")]
    Unreadable(std::io::Error),
    /// Far longer than any scene.
    #[error("has {bytes} bytes, more than the {limit} that a scene may have; is this the right file?")]
    TooLong {
        /// Length of the file.
        bytes: u64,
        /// The longest file that is read.
        limit: u64,
    },
    /// Not text.
    #[error("is not text; a scene is a TOML file in UTF-8")]
    NotText,
    /// Nothing in the file.
    #[error("is empty; a scene needs at least one [[bodies]] table with a name and a shape")]
    Empty,
    /// Not TOML.
    #[error("is not valid TOML here ({0}); correct the line")]
    Syntax(String),
    /// A key that nothing reads.
    #[error("is not a known key{}; known here: {known}", did_you_mean(.suggestion))]
    UnknownKey {
        /// The nearest known key, when one is near.
        suggestion: Option<String>,
        /// All known keys of this table.
        known: String,
    },
    /// A name or a choice that does not exist.
    #[error("\"{word}\" is not a known {what}{}; known: {known}", did_you_mean(.suggestion))]
    UnknownWord {
        /// What the word should name.
        what: &'static str,
        /// The word in the file.
        word: String,
        /// The nearest valid word, when one is near.
        suggestion: Option<String>,
        /// All valid words.
        known: String,
    },
    /// A value of the wrong kind.
    #[error("is {found}; write {wanted}")]
    WrongType {
        /// What is wanted, with an example.
        wanted: String,
        /// What was found.
        found: String,
    },
    /// A key that must be there.
    #[error("has no `{key}`; add {remedy}")]
    Missing {
        /// The key.
        key: &'static str,
        /// What to write.
        remedy: &'static str,
    },
    /// Not a number, infinite, or so great that sums of squares overflow.
    #[error("is {value}; every number must be finite and below 1e30")]
    NotFinite {
        /// The number.
        value: f64,
    },
    /// A number outside its range.
    #[error("is {value}, but must be {wanted}")]
    OutOfRange {
        /// The number.
        value: f64,
        /// The range, in words.
        wanted: &'static str,
    },
    /// A vector that should have a direction.
    #[error("has length zero; give it a direction, such as [0, 1, 0]")]
    NoDirection,
    /// A table that wants exactly one of several keys.
    #[error("has {found} of {choices}; write exactly one of them")]
    NotOne {
        /// The keys.
        choices: String,
        /// Which of them were there.
        found: String,
    },
    /// Two bodies of one name.
    #[error("\"{name}\" is also the name of an earlier body; give every body a name of its own")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Nothing to simulate.
    #[error("has no bodies; add a [[bodies]] table with a name and a shape")]
    NoBodies,
    /// An event that would never happen.
    #[error("is {at} s, outside the simulated time of 0 to {duration} s; change it or the duration")]
    EventOutOfRange {
        /// When it should happen [s].
        at: f64,
        /// How long the scene lasts [s].
        duration: f64,
    },
    /// More nodes than can be simulated.
    #[error(
        "asks for about {nodes:.1e} nodes, which would need about {} of memory; at most {limit:.1e} nodes are \
         possible, so choose a coarser size or a lower count", bytes_in_words(*.bytes)
    )]
    TooLarge {
        /// Estimated number of nodes, of this body and those before it.
        nodes: f64,
        /// Estimated memory.
        bytes: f64,
        /// The greatest number that is accepted.
        limit: f64,
    },
    /// More frames or steps than anyone can wait for.
    #[error("makes {count:.1e} {what}, more than the limit of {limit:.1e}; shorten the duration or lower the rate")]
    TooManySteps {
        /// Frames or steps.
        what: &'static str,
        /// How many there would be.
        count: f64,
        /// The most that is accepted.
        limit: f64,
    },
    /// A file that the scene names and that is not there.
    #[error("names the file {}, which does not exist; the path is relative to the scene file", .0.display())]
    MissingFile(PathBuf),
    /// A region without nodes.
    #[error("holds no node of the body, which reaches from {min:?} to {max:?} m; move the region or make it larger")]
    RegionEmpty {
        /// Lowest corner of the body [m].
        min: [f64; 3],
        /// Highest corner of the body [m].
        max: [f64; 3],
    },
    /// An override that leads nowhere.
    #[error("{0}")]
    Override(String),
    /// Two choices that exclude each other.
    #[error("{0}")]
    Conflict(&'static str),
    /// A material that no solver can use.
    #[error("{0}")]
    Material(MaterialError),
    /// A file that did not become a body.
    #[error("{0}")]
    Solid(SolidError),
    /// A shape that cannot be cut into pieces.
    #[error("{0}")]
    Shape(ShapeError),
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|word| format!(" (did you mean `{word}`?)")).unwrap_or_default()
}

fn bytes_in_words(bytes: f64) -> String {
    const UNITS: [&str; 7] = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let unit = UNITS[unit];
    match value {
        v if v < 10.0 => format!("{v:.1} {unit}"),
        v if v < 1e6 => format!("{v:.0} {unit}"),
        v => format!("{v:.1e} {unit}"),
    }
}
