//! `[[events]]`.

use phyxel::material::Material;
use phyxel::scene::{Action, Body, Event};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::{fracture, heat, materials, regions};

/// Reads the events and returns them in the order in which they happen. A later `set` builds on the earlier ones.
pub(super) fn read_all(items: &[Field<'_>], bodies: &[Body], duration: f64) -> Result<Vec<Event>, SceneError> {
    const KEYS: &[&str] = &["at", "body", "set", "release", "pin", "push", "loads", "gravity", "heat", "cut", "blade"];
    let mut timed = Vec::with_capacity(items.len());
    for item in items {
        let fields = item.fields(KEYS)?;
        let field = fields.require("at", "at = t, the time in seconds")?;
        let at = field.number(Range::Any)?;
        if !(0.0..=duration).contains(&at) {
            return Err(field.fail(Problem::EventOutOfRange { at, duration }));
        }
        timed.push((at, fields));
    }
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut present: Vec<Material> = bodies.iter().map(|body| body.material.clone()).collect();
    let mut events = Vec::with_capacity(timed.len());
    for (at, fields) in timed {
        read(&fields, at, bodies, &mut present, &mut events)?;
    }
    Ok(events)
}

fn read(
    fields: &Fields<'_>,
    at: f64,
    bodies: &[Body],
    present: &mut [Material],
    events: &mut Vec<Event>,
) -> Result<(), SceneError> {
    let target = target(fields, bodies)?;
    let (key, value) =
        fields.exactly_one(&["set", "release", "pin", "push", "loads", "gravity", "heat", "cut", "blade"])?;
    let body = target.map(|index| bodies[index].name.clone());
    let action = match key {
        "set" => {
            // Bodies differ in material, so `set` on all of them becomes an event for each.
            for index in target.map_or(0..bodies.len(), |index| index..index + 1) {
                present[index] = materials::change(&value, &present[index])?;
                let action = Action::SetMaterial(present[index].clone());
                events.push(Event { at, body: Some(bodies[index].name.clone()), action });
            }
            return Ok(());
        }
        "release" if value.flag()? => Action::Release,
        "release" => return Err(value.fail(Problem::Conflict("must be true; leave the event out to keep the pins"))),
        "pin" => Action::Pin(regions::pins(&value)?),
        "push" => Action::Push(value.numbers(Range::Any)?),
        "loads" => Action::SetLoads(regions::loads(&value)?),
        "heat" => Action::SetHeat(heat::loads(&value)?),
        "cut" => Action::Cut(fracture::cut(&value)?),
        "blade" => Action::Sweep(fracture::blade(&value)?),
        _ if body.is_some() => {
            return Err(value.fail(Problem::Conflict("acts on every body; leave out `body` of this event")));
        }
        _ => Action::SetGravity(value.numbers(Range::Any)?),
    };
    events.push(Event { at, body, action });
    Ok(())
}

fn target(fields: &Fields<'_>, bodies: &[Body]) -> Result<Option<usize>, SceneError> {
    let Some(field) = fields.get("body") else { return Ok(None) };
    let name = field.text()?;
    match bodies.iter().position(|body| body.name == name) {
        Some(index) => Ok(Some(index)),
        None => Err(field.unknown_word("body", name, bodies.iter().map(|body| body.name.as_str()).collect())),
    }
}
