//! Version 2.2: one node per line, one element per line with its own tags; as bytes, elements come in runs of one type.

use super::super::Result;
use super::super::raw::Raw;
use super::kinds::{TETRAHEDRON, kind};
use super::numbers::Numbers;
use super::tags::Tags;
use crate::input::Problem;

/// Reads nodes; `parametric` ones say behind their position where they lie on an entity of the model.
pub(super) fn nodes(numbers: &mut Numbers, raw: &mut Raw, parametric: bool) -> Result<Tags> {
    let least = if numbers.is_text() { 8 } else { 28 };
    let count = numbers.cursor.count("nodes", least)?;
    numbers.begin();
    let mut tags = Vec::with_capacity(count);
    for _ in 0..count {
        let tag = numbers.int("the number of a node")?;
        tags.push(u64::try_from(tag).unwrap_or(u64::MAX));
        let point = numbers.triple()?;
        raw.node(&numbers.cursor, point)?;
        if parametric {
            let dimension = numbers.int("the dimension of an entity")?;
            numbers.int("the tag of an entity")?;
            for _ in 0..if (1..=2).contains(&dimension) { dimension } else { 0 } {
                numbers.real("a parameter of a node")?;
            }
        }
    }
    Tags::new(&numbers.cursor, tags)
}

pub(super) fn elements(numbers: &mut Numbers, tags: &Tags, raw: &mut Raw) -> Result<()> {
    let count = numbers.cursor.count("elements", if numbers.is_text() { 8 } else { 1 })?;
    numbers.begin();
    if numbers.is_text() {
        for _ in 0..count {
            element_line(numbers, tags, raw)?;
        }
        return Ok(());
    }
    let mut read = 0;
    while read < count {
        read += run(numbers, tags, raw)?;
    }
    Ok(())
}

fn element_line(numbers: &mut Numbers, tags: &Tags, raw: &mut Raw) -> Result<()> {
    numbers.int("the number of an element")?;
    let number = numbers.int("the type of an element")?;
    let extra = numbers.int("the number of tags")?;
    let Some((corners, name)) = kind(number) else {
        numbers.cursor.line();
        raw.skip("elements of unknown types", 1);
        return Ok(());
    };
    for _ in 0..extra {
        numbers.int("a tag")?;
    }
    element(numbers, tags, raw, (number, corners, name))
}

/// Elements of one type behind a header of three numbers; gives their number.
fn run(numbers: &mut Numbers, tags: &Tags, raw: &mut Raw) -> Result<usize> {
    let number = numbers.int("the type of elements")?;
    let count = numbers.int("the number of elements")?;
    let extra = numbers.int("the number of tags")?;
    let Some((corners, name)) = kind(number) else {
        let (what, remedy) = (format!("a run of elements of type {number}"), "save the mesh with order 1");
        return Err(numbers.cursor.error(Problem::Unsupported { what, remedy }));
    };
    let (Ok(count), Ok(extra)) = (u64::try_from(count), u64::try_from(extra)) else {
        let what = "a run of elements has a negative length".into();
        return Err(numbers.cursor.error(Problem::Malformed { what, remedy: "export the mesh again" }));
    };
    numbers.cursor.need(count, 4 * (1 + extra + corners as u64), "a run of elements")?;
    if count == 0 {
        let what = "a run of elements is empty".into();
        return Err(numbers.cursor.error(Problem::Malformed { what, remedy: "export the mesh again" }));
    }
    for _ in 0..count {
        numbers.cursor.take(4 * (1 + extra), "the tags of an element")?;
        element(numbers, tags, raw, (number, corners, name))?;
    }
    Ok(count as usize)
}

fn element(
    numbers: &mut Numbers,
    tags: &Tags,
    raw: &mut Raw,
    (number, corners, name): (i64, usize, &str),
) -> Result<()> {
    if number != TETRAHEDRON {
        raw.skip(name, 1);
        return (0..corners).try_for_each(|_| numbers.int("a node of an element").map(|_| ()));
    }
    let mut nodes = [0; 4];
    for node in &mut nodes {
        let tag = numbers.int("a node of a tetrahedron")?;
        *node = tags.place(&numbers.cursor, u64::try_from(tag).unwrap_or(u64::MAX))?;
    }
    raw.tet(&numbers.cursor, nodes)
}
