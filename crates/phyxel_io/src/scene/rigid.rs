//! `[[rigid]]`, `[[attachments]]` and `[[triggers]]`.

use phyxel::scene::{Attachment, Body, RigidBody, Trigger};
use phyxel::shape::Placement;

use super::colliders;
use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::groups::GroupNames;
use super::regions;

const RIGID: &[&str] = &[
    "name",
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "mesh",
    "position",
    "rotation",
    "density",
    "velocity",
    "spin",
    "friction",
    "restitution",
    "groups",
    "touches",
];

const TRIGGER: &[&str] = &[
    "name", "plane", "sphere", "box", "capsule", "cylinder", "heights", "mesh", "position", "rotation", "groups",
    "touches",
];

/// Reads a rigid body.
pub(super) fn body(item: &Field<'_>, groups: &GroupNames) -> Result<RigidBody, SceneError> {
    let fields = item.fields(RIGID)?;
    let (kind, shape) = fields.exactly_one(&RIGID[1..6])?;
    let default = RigidBody::new(name(&fields)?, colliders::shape(kind, &shape)?);
    Ok(RigidBody {
        placement: placement(&fields)?,
        density: fields.number("density", Range::Positive, default.density)?,
        velocity: fields.vector("velocity", default.velocity)?,
        spin: fields.vector("spin", default.spin)?,
        friction: fields.number("friction", Range::NotNegative, default.friction)?,
        restitution: fields.number("restitution", Range::ZeroToOne, default.restitution)?,
        groups: groups.read(&fields)?,
        ..default
    })
}

/// Reads a trigger.
pub(super) fn trigger(item: &Field<'_>, groups: &GroupNames) -> Result<Trigger, SceneError> {
    let fields = item.fields(TRIGGER)?;
    let (kind, shape) = fields.exactly_one(&TRIGGER[1..8])?;
    let shape = colliders::shape(kind, &shape)?;
    Ok(Trigger { name: name(&fields)?, shape, placement: placement(&fields)?, groups: groups.read(&fields)? })
}

/// Reads an attachment between things that the scene has.
pub(super) fn attachment(item: &Field<'_>, bodies: &[Body], rigid: &[RigidBody]) -> Result<Attachment, SceneError> {
    let fields = item.fields(&["body", "box", "sphere", "all", "to", "strength"])?;
    let soft = || bodies.iter().map(|b| &b.name[..]);
    let known = |field: &Field<'_>, names: Vec<&str>| {
        let name = field.text()?;
        if names.contains(&name) { Ok(name.to_string()) } else { Err(field.unknown_word("body", name, names)) }
    };
    let body = fields.require("body", "body = \"…\", whose nodes are tied")?;
    let to = fields.require("to", "to = \"…\", the body or rigid body that they are tied to")?;
    let attachment = Attachment {
        body: known(&body, soft().collect())?,
        region: regions::region(&fields)?,
        to: known(&to, soft().chain(rigid.iter().map(|b| &b.name[..])).collect())?,
        strength: fields.number("strength", Range::Positive, f64::INFINITY)?,
    };
    if attachment.body == attachment.to {
        return Err(to.fail(Problem::Conflict("is the body itself; tie it to another one")));
    }
    Ok(attachment)
}

fn name(fields: &Fields<'_>) -> Result<String, SceneError> {
    let field = fields.require("name", "name = \"…\"")?;
    let name = field.text()?;
    if name.trim().is_empty() {
        return Err(field.fail(Problem::Conflict("is empty; give it a name")));
    }
    Ok(name.into())
}

fn placement(fields: &Fields<'_>) -> Result<Placement, SceneError> {
    Ok(Placement {
        position: fields.vector("position", [0.0; 3])?,
        rotation: fields.vector("rotation", [0.0; 3])?.map(f64::to_radians),
    })
}
