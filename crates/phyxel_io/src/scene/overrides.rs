//! `--set key=value`: changes to the tree before anything is read from it.

use phyxel::material::Material;

use super::error::{Place, Problem, SceneError};
use super::tree::{self, Node, Table, Value};
use super::words::listed;

/// Applies overrides in order; later ones win.
pub(super) fn apply(root: &mut Node, overrides: &[(String, String)], file: &str) -> Result<(), SceneError> {
    overrides.iter().try_for_each(|(key, text)| apply_one(root, key, text, file))
}

fn apply_one(root: &mut Node, key: &str, text: &str, file: &str) -> Result<(), SceneError> {
    let value = tree::parse_override(key, text, file)?;
    let place = value.place.clone();
    let fail = |message: String| SceneError::new(file, place.clone(), "", Problem::Override(message));
    let steps: Vec<&str> = key.split('.').map(str::trim).collect();
    if steps.iter().any(|step| step.is_empty()) {
        return Err(fail("the key has an empty part; write it with dots, such as solver.step=0.001".into()));
    }
    let (last, way) = steps.split_last().expect("splitting a text gives at least one part");
    let mut node = &mut *root;
    for (depth, step) in way.iter().enumerate() {
        node = descend(node, step, depth == 1 && way[0] == "materials", &place).map_err(&fail)?;
    }
    match &mut node.value {
        Value::Table(table) => {
            if way.len() == 2 && way[0] == "bodies" {
                forget_other_resolution(table, last);
            }
            table.set(last, value);
        }
        Value::List(items) => {
            let at = find_item(items, last).map_err(&fail)?;
            items[at] = value;
        }
        _ => {
            return Err(fail(format!(
                "`{}` is a single value and has no `{last}`; leave that part out",
                way.join(".")
            )));
        }
    }
    Ok(())
}

/// One step down. Tables that are not there yet are made, except materials, which must exist or be presets: a new one
/// would be used by no body, and the override would silently do nothing.
fn descend<'a>(node: &'a mut Node, step: &str, is_material: bool, place: &Place) -> Result<&'a mut Node, String> {
    match &mut node.value {
        Value::Table(table) => {
            if table.get(step).is_none() {
                let mut fresh = Table::default();
                if is_material {
                    if Material::preset(step).is_none() {
                        let names = listed(table.0.iter().map(|(name, _)| name.as_str()));
                        return Err(format!("there is no material `{step}` in this scene; it has: {names}"));
                    }
                    fresh.set("preset", Node { place: place.clone(), value: Value::Text(step.into()) });
                }
                table.set(step, Node { place: place.clone(), value: Value::Table(fresh) });
            }
            Ok(table.get_mut(step).expect("it was just made where it was missing"))
        }
        Value::List(items) => {
            let at = find_item(items, step)?;
            Ok(&mut items[at])
        }
        _ => Err(format!("`{step}` leads into a single value; leave that part out")),
    }
}

/// An item of a list by its `name`, or by its index counted from 0.
fn find_item(items: &[Node], step: &str) -> Result<usize, String> {
    let names: Vec<Option<&str>> = items.iter().map(name_of).collect();
    if let Some(at) = names.iter().position(|name| *name == Some(step)) {
        return Ok(at);
    }
    match step.parse::<usize>() {
        Ok(at) if at < items.len() => Ok(at),
        Ok(at) => Err(format!("there is no item {at}; the list has {}, counted from 0", items.len())),
        Err(_) => {
            let known = listed(names.into_iter().flatten());
            let known = if known.is_empty() { format!("indices below {}", items.len()) } else { known };
            Err(format!("nothing in the list is called `{step}`; there is: {known}"))
        }
    }
}

fn name_of(item: &Node) -> Option<&str> {
    match &item.value {
        Value::Table(table) => match &table.get("name")?.value {
            Value::Text(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// `count=5000` on a body that was given by `size` means count instead of size.
fn forget_other_resolution(body: &mut Table, key: &str) {
    const CHOICES: [&str; 3] = ["size", "count", "cells"];
    if CHOICES.contains(&key) {
        CHOICES.iter().filter(|choice| **choice != key).for_each(|choice| body.remove(choice));
    }
}
