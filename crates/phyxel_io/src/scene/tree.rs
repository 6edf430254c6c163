//! A TOML file as a tree whose every value knows the line on which it stands.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, Problem, SceneError};

/// Beyond this, sums of squares of positions or stiffnesses leave the range of `f32`-based results and soon of `f64`.
const GREATEST_NUMBER: f64 = 1e30;

/// A value and where it was written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub place: Place,
    pub value: Value,
}

/// The kinds of values that scenes use.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

impl Value {
    /// What this is, for error messages.
    pub fn in_words(&self) -> String {
        match self {
            Value::Text(text) => format!("the text \"{text}\""),
            Value::Integer(number) => format!("the number {number}"),
            Value::Float(number) => format!("the number {number}"),
            Value::Bool(flag) => format!("{flag}"),
            Value::Date => "a date".into(),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".into(),
        }
    }
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Table(pub Vec<(String, Node)>);

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Replaces or appends.
    pub fn set(&mut self, key: &str, node: Node) {
        match self.get_mut(key) {
            Some(old) => *old = node,
            None => self.0.push((key.into(), node)),
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }
}

/// Parses a whole file.
pub(super) fn parse(text: &str, file: &str) -> Result<Node, SceneError> {
    let lines = LineStarts::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or(Place::File, |span| Place::Line(lines.line_of(span.start)));
        SceneError::new(file, place, "", Problem::Syntax(one_line(error.message())))
    })?;
    let reader = Reader { file, place_of: &|start| Place::Line(lines.line_of(start)) };
    Ok(Node { place: Place::File, value: reader.table("", table.into_inner())? })
}

/// Parses the value of an override: TOML where it is TOML, a bare word otherwise.
pub(super) fn parse_override(key: &str, text: &str, file: &str) -> Result<Node, SceneError> {
    let place = Place::Override(format!("{key}={text}"));
    let reader = Reader { file, place_of: &|_| place.clone() };
    match DeValue::parse(text.trim()) {
        Ok(value) => reader.node(key, value, 0),
        Err(_) => Ok(Node { place, value: Value::Text(text.into()) }),
    }
}

/// Byte offsets at which lines start.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        LineStarts(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start <= offset)
    }
}

struct Reader<'a> {
    file: &'a str,
    place_of: &'a dyn Fn(usize) -> Place,
}

impl Reader<'_> {
    fn table(&self, path: &str, table: DeTable<'_>) -> Result<Value, SceneError> {
        let mut entries: Vec<_> = table.into_iter().collect();
        // The parser sorts keys by name; messages should follow the file.
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut out = Table::default();
        for (key, value) in entries {
            let start = key.span().start;
            let name = key.into_inner().into_owned();
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            out.0.push((name, self.node(&path, value, start)?));
        }
        Ok(Value::Table(out))
    }

    fn node(&self, path: &str, value: Spanned<DeValue<'_>>, start: usize) -> Result<Node, SceneError> {
        let place = (self.place_of)(start);
        let value = match value.into_inner() {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(whole) => Value::Integer(whole),
                Err(_) => self.float(path, &place, number.as_str())?,
            },
            DeValue::Float(number) => self.float(path, &place, number.as_str())?,
            DeValue::Boolean(flag) => Value::Bool(flag),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => Value::List(
                items
                    .into_iter()
                    .enumerate()
                    .map(|(i, item)| {
                        let start = item.span().start;
                        self.node(&format!("{path}[{i}]"), item, start)
                    })
                    .collect::<Result<_, _>>()?,
            ),
            DeValue::Table(table) => self.table(path, table)?,
        };
        Ok(Node { place, value })
    }

    fn float(&self, path: &str, place: &Place, text: &str) -> Result<Value, SceneError> {
        let value: f64 = text.parse().unwrap_or(f64::NAN);
        if value.abs() < GREATEST_NUMBER {
            return Ok(Value::Float(value));
        }
        Err(SceneError::new(self.file, place.clone(), path, Problem::NotFinite { value }))
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
