//! Version 4.1: nodes and elements come in blocks, one per entity of the model.

use super::super::Result;
use super::super::raw::Raw;
use super::kinds::{TETRAHEDRON, kind};
use super::numbers::Numbers;
use super::tags::Tags;
use crate::input::Problem;

pub(super) fn nodes(numbers: &mut Numbers, raw: &mut Raw) -> Result<Tags> {
    let blocks = header(numbers)?;
    let mut tags = Vec::new();
    for _ in 0..blocks {
        let dimension = numbers.int("the dimension of an entity")?;
        numbers.int("the tag of an entity")?;
        let parametric = numbers.int("0 or 1 (parametric)")?;
        let count = numbers.size("the number of nodes in a block")?;
        let least = if numbers.is_text() { 7 } else { 32 };
        numbers.cursor.need(count, least, "a block of nodes")?;
        for _ in 0..count {
            tags.push(numbers.size("the tag of a node")?);
        }
        for _ in 0..count {
            let point = numbers.triple()?;
            raw.node(&numbers.cursor, point)?;
            // Where a node lies on its curve or surface.
            for _ in 0..if parametric == 0 { 0 } else { dimension.clamp(0, 3) } {
                numbers.real("a parameter of a node")?;
            }
        }
    }
    Tags::new(&numbers.cursor, tags)
}

pub(super) fn elements(numbers: &mut Numbers, tags: &Tags, raw: &mut Raw) -> Result<()> {
    for _ in 0..header(numbers)? {
        numbers.int("the dimension of an entity")?;
        numbers.int("the tag of an entity")?;
        let number = numbers.int("the type of elements")?;
        let count = numbers.size("the number of elements in a block")?;
        block(numbers, tags, raw, (number, count))?;
    }
    Ok(())
}

/// Four counts, of which only the number of blocks is needed.
fn header(numbers: &mut Numbers) -> Result<u64> {
    numbers.begin();
    let blocks = numbers.size("the number of blocks")?;
    for what in ["the number of all", "the smallest tag", "the largest tag"] {
        numbers.size(what)?;
    }
    Ok(blocks)
}

fn block(numbers: &mut Numbers, tags: &Tags, raw: &mut Raw, (number, count): (i64, u64)) -> Result<()> {
    let known = kind(number);
    let each = known.map_or(0, |k| k.0 as u64) + 1;
    numbers.cursor.need(count, if numbers.is_text() { 2 * each - 1 } else { 8 * each }, "a block of elements")?;
    let Some((corners, name)) = known else {
        if !numbers.is_text() {
            let (what, remedy) = (format!("a block of elements of type {number}"), "save the mesh with order 1");
            return Err(numbers.cursor.error(Problem::Unsupported { what, remedy }));
        }
        numbers.cursor.line();
        for _ in 0..count {
            numbers.cursor.line();
        }
        raw.skip("elements of unknown types", count as usize);
        return Ok(());
    };
    for _ in 0..count {
        numbers.size("the tag of an element")?;
        let mut nodes = [0; 4];
        for k in 0..corners {
            let tag = numbers.size("a node of an element")?;
            if number == TETRAHEDRON {
                nodes[k] = tags.place(&numbers.cursor, tag)?;
            }
        }
        if number == TETRAHEDRON {
            raw.tet(&numbers.cursor, nodes)?;
        }
    }
    if number != TETRAHEDRON {
        raw.skip(name, count as usize);
    }
    Ok(())
}
