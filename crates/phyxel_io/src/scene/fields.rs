//! Reading checked values out of the tree: every failure names the place.

use super::error::{Problem, SceneError};
use super::tree::{Node, Table, Value};
use super::words::{listed, nearest};

/// Which numbers are allowed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    /// All finite ones.
    Any,
    /// Greater than zero.
    Positive,
    /// Zero or more.
    NotNegative,
    /// A Poisson's ratio: between −1 and 0.5, both excluded.
    PoissonRatio,
    /// Greater than zero and below one.
    Fraction,
    /// Greater than zero and at most one.
    Share,
    /// From zero to one, both included.
    ZeroToOne,
    /// An absolute temperature.
    Kelvin,
}

impl Range {
    fn check(self, value: f64) -> Result<f64, Problem> {
        let (inside, wanted) = match self {
            Range::Any => (true, ""),
            Range::Positive => (value > 0.0, "greater than 0"),
            Range::NotNegative => (value >= 0.0, "0 or more"),
            Range::PoissonRatio => (value > -1.0 && value < 0.5, "greater than -1 and less than 0.5"),
            Range::Fraction => (value > 0.0 && value < 1.0, "greater than 0 and less than 1"),
            Range::ZeroToOne => ((0.0..=1.0).contains(&value), "from 0 to 1"),
            Range::Kelvin => (value >= 0.0, "0 K or more, as nothing is colder than absolute zero (20 C is 293.15 K)"),
            Range::Share => (value > 0.0 && value <= 1.0, "greater than 0 and at most 1"),
        };
        if inside { Ok(value) } else { Err(Problem::OutOfRange { value, wanted }) }
    }
}

/// One value: what it is, what it is called, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pub file: &'a str,
    pub path: String,
    pub node: &'a Node,
}

impl<'a> Field<'a> {
    pub fn fail(&self, problem: Problem) -> SceneError {
        SceneError::new(self.file, self.node.place.clone(), &self.path, problem)
    }

    fn wrong_type(&self, wanted: impl Into<String>) -> SceneError {
        self.fail(Problem::WrongType { wanted: wanted.into(), found: self.node.value.in_words() })
    }

    pub fn number(&self, range: Range) -> Result<f64, SceneError> {
        let value = match self.node.value {
            Value::Integer(value) => value as f64,
            Value::Float(value) => value,
            _ => return Err(self.wrong_type("a number")),
        };
        range.check(value).map_err(|problem| self.fail(problem))
    }

    /// A whole number of at least `least`; `1e6` counts as whole.
    pub fn whole(&self, least: usize) -> Result<usize, SceneError> {
        let value = self.number(Range::Any)?;
        if value.fract() != 0.0 {
            return Err(self.wrong_type("a whole number"));
        }
        if value < least as f64 {
            let wanted = if least == 0 { "0 or more" } else { "1 or more" };
            return Err(self.fail(Problem::OutOfRange { value, wanted }));
        }
        Ok(value as usize)
    }

    pub fn text(&self) -> Result<&'a str, SceneError> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_type("a text in quotes")),
        }
    }

    pub fn flag(&self) -> Result<bool, SceneError> {
        match self.node.value {
            Value::Bool(flag) => Ok(flag),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Result<Vec<Field<'a>>, SceneError> {
        match &self.node.value {
            Value::List(items) => Ok(items
                .iter()
                .enumerate()
                .map(|(i, node)| Field { file: self.file, path: format!("{}[{i}]", self.path), node })
                .collect()),
            _ => Err(self.wrong_type("a list in square brackets")),
        }
    }

    /// Exactly `N` numbers.
    pub fn numbers<const N: usize>(&self, range: Range) -> Result<[f64; N], SceneError> {
        let wanted = || format!("{N} numbers in square brackets");
        let items = self.items().map_err(|_| self.wrong_type(wanted()))?;
        if items.len() != N {
            return Err(self.wrong_type(wanted()));
        }
        let mut out = [0.0; N];
        for (slot, item) in out.iter_mut().zip(&items) {
            *slot = item.number(range)?;
        }
        Ok(out)
    }

    /// One of a few words.
    pub fn word<T: Clone>(&self, what: &'static str, known: &[(&str, T)]) -> Result<T, SceneError> {
        let word = self.text()?;
        match known.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => Ok(value.clone()),
            None => Err(self.unknown_word(what, word, known.iter().map(|(name, _)| *name).collect())),
        }
    }

    pub fn unknown_word(&self, what: &'static str, word: &str, known: Vec<&str>) -> SceneError {
        self.fail(Problem::UnknownWord {
            what,
            word: word.into(),
            suggestion: nearest(word, known.iter().copied()).map(Into::into),
            known: listed(known),
        })
    }

    /// The value as a table of which only the `known` keys may be present.
    pub fn fields(&self, known: &'static [&'static str]) -> Result<Fields<'a>, SceneError> {
        let Value::Table(table) = &self.node.value else {
            return Err(self.wrong_type(format!("a table with {}", listed(known.iter().copied()))));
        };
        let fields = Fields { field: self.clone(), table, known };
        for (key, node) in &table.0 {
            if !known.contains(&key.as_str()) {
                return Err(fields.child(key, node).fail(Problem::UnknownKey {
                    suggestion: nearest(key, known.iter().copied()).map(Into::into),
                    known: listed(known.iter().copied()),
                }));
            }
        }
        Ok(fields)
    }

    /// The value as a table whose keys are names that the user chose.
    pub fn named_entries(&self) -> Result<Vec<(&'a str, Field<'a>)>, SceneError> {
        let Value::Table(table) = &self.node.value else { return Err(self.wrong_type("a table")) };
        let fields = Fields { field: self.clone(), table, known: &[] };
        Ok(table.0.iter().map(|(key, node)| (key.as_str(), fields.child(key, node))).collect())
    }
}

/// A table whose keys are all known.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    pub field: Field<'a>,
    table: &'a Table,
    known: &'static [&'static str],
}

impl<'a> Fields<'a> {
    fn child(&self, key: &str, node: &'a Node) -> Field<'a> {
        let path = if self.field.path.is_empty() { key.into() } else { format!("{}.{key}", self.field.path) };
        Field { file: self.field.file, path, node }
    }

    pub fn fail(&self, problem: Problem) -> SceneError {
        self.field.fail(problem)
    }

    pub fn get(&self, key: &str) -> Option<Field<'a>> {
        debug_assert!(self.known.contains(&key), "`{key}` is read but not in the list of known keys");
        self.table.get(key).map(|node| self.child(key, node))
    }

    pub fn require(&self, key: &'static str, remedy: &'static str) -> Result<Field<'a>, SceneError> {
        self.get(key).ok_or_else(|| self.fail(Problem::Missing { key, remedy }))
    }

    /// The field at `key` through `read`, or the default.
    pub fn or<T>(
        &self,
        key: &str,
        default: T,
        read: impl FnOnce(&Field<'a>) -> Result<T, SceneError>,
    ) -> Result<T, SceneError> {
        self.get(key).map_or(Ok(default), |field| read(&field))
    }

    pub fn number(&self, key: &str, range: Range, default: f64) -> Result<f64, SceneError> {
        self.or(key, default, |field| field.number(range))
    }

    pub fn whole(&self, key: &str, least: usize, default: usize) -> Result<usize, SceneError> {
        self.or(key, default, |field| field.whole(least))
    }

    pub fn flag(&self, key: &str, default: bool) -> Result<bool, SceneError> {
        self.or(key, default, Field::flag)
    }

    pub fn vector(&self, key: &str, default: [f64; 3]) -> Result<[f64; 3], SceneError> {
        self.or(key, default, |field| field.numbers(Range::Any))
    }

    pub fn word<T: Clone>(
        &self,
        key: &str,
        what: &'static str,
        known: &[(&str, T)],
        default: T,
    ) -> Result<T, SceneError> {
        self.or(key, default, |field| field.word(what, known))
    }

    /// The items of a list, or nothing.
    pub fn items(&self, key: &str) -> Result<Vec<Field<'a>>, SceneError> {
        self.or(key, Vec::new(), Field::items)
    }

    /// The one field of `choices` that is there; `None` when none is.
    pub fn at_most_one(&self, choices: &[&'static str]) -> Result<Option<(&'static str, Field<'a>)>, SceneError> {
        let mut found: Vec<_> = choices.iter().filter_map(|&key| self.get(key).map(|field| (key, field))).collect();
        if found.len() > 1 {
            let names = found.iter().map(|(key, _)| *key).collect::<Vec<_>>().join(" and ");
            let problem = Problem::NotOne { choices: listed(choices.iter().copied()), found: names };
            return Err(self.fail(problem).at(found[1].1.node.place.clone()));
        }
        Ok(found.pop())
    }

    /// The one field of `choices` that is there.
    pub fn exactly_one(&self, choices: &[&'static str]) -> Result<(&'static str, Field<'a>), SceneError> {
        self.at_most_one(choices)?.ok_or_else(|| {
            self.fail(Problem::NotOne { choices: listed(choices.iter().copied()), found: "none".into() })
        })
    }
}
