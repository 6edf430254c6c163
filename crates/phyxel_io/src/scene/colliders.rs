//! `[[colliders]]`.

use std::sync::Arc;

use phyxel::contact::HeightField;
use phyxel::scene::{Collider, ColliderShape, Motion};
use phyxel::shape::Placement;

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::files;
use super::groups::GroupNames;
use crate::solid::{Content, SolidError, outside, read_solid};

const SHAPES: &[&str] = &["plane", "sphere", "box", "capsule", "cylinder", "heights", "mesh"];

const KEYS: &[&str] = &[
    "plane",
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "heights",
    "mesh",
    "friction",
    "restitution",
    "position",
    "rotation",
    "velocity",
    "spin",
    "center",
    "until",
    "keys",
    "groups",
    "touches",
    "temperature",
];

/// Reads a collider.
pub(super) fn read(item: &Field<'_>, groups: &GroupNames) -> Result<Collider, SceneError> {
    let fields = item.fields(KEYS)?;
    let (kind, field) = fields.exactly_one(SHAPES)?;
    let default = Collider::new(shape(kind, &field)?);
    let placement = Placement {
        position: fields.vector("position", [0.0; 3])?,
        rotation: fields.vector("rotation", [0.0; 3])?.map(f64::to_radians),
    };
    Ok(Collider {
        placement,
        motion: motion(&fields, placement.position)?,
        friction: fields.number("friction", Range::NotNegative, default.friction)?,
        restitution: fields.number("restitution", Range::ZeroToOne, default.restitution)?,
        groups: groups.read(&fields)?,
        temperature: fields.get("temperature").map(|field| field.number(Range::Kelvin)).transpose()?,
        ..default
    })
}

/// The shape of a collider, a rigid body or a trigger.
pub(super) fn shape(kind: &str, field: &Field<'_>) -> Result<ColliderShape, SceneError> {
    let length = |fields: &Fields<'_>, key, remedy| fields.require(key, remedy)?.number(Range::Positive);
    Ok(match kind {
        "plane" => {
            let plane = field.fields(&["normal", "offset"])?;
            let normal = plane.vector("normal", [0.0, 1.0, 0.0])?;
            if normal == [0.0; 3] {
                return Err(plane.get("normal").unwrap_or(field.clone()).fail(Problem::NoDirection));
            }
            ColliderShape::HalfSpace { normal, offset: plane.number("offset", Range::Any, 0.0)? }
        }
        "sphere" => ColliderShape::Sphere { radius: field.number(Range::Positive)? },
        "box" => ColliderShape::Box { size: field.numbers(Range::Positive)? },
        "heights" => heights(field)?,
        "mesh" => mesh(field)?,
        _ => {
            let fields = field.fields(&["radius", "height"])?;
            let radius = length(&fields, "radius", "radius = r in metres")?;
            let height = length(&fields, "height", "height = h in metres")?;
            if kind == "cylinder" {
                return Ok(ColliderShape::Cylinder { radius, height });
            }
            if height <= 2.0 * radius {
                return Err(field.fail(Problem::Conflict("is no longer than it is wide; use a sphere, or add height")));
            }
            ColliderShape::Capsule { radius, height }
        }
    })
}

fn heights(field: &Field<'_>) -> Result<ColliderShape, SceneError> {
    let fields = field.fields(&["spacing", "rows"])?;
    let spacing = fields.require("spacing", "spacing = s in metres")?.number(Range::Positive)?;
    let rows = fields.require("rows", "rows = [[y, y, …], …], one list for each z")?;
    let mut heights = Vec::new();
    let items = rows.items()?;
    let mut width = None;
    for row in &items {
        let values = row.items()?;
        if *width.get_or_insert(values.len()) != values.len() || values.len() < 2 {
            return Err(row.fail(Problem::Conflict("must be as long as the first row, and at least 2 numbers")));
        }
        for value in values {
            heights.push(value.number(Range::Any)?);
        }
    }
    if items.len() < 2 {
        return Err(rows.fail(Problem::Conflict("needs at least 2 rows")));
    }
    let counts = [width.unwrap_or(0), items.len()];
    Ok(ColliderShape::HeightField(Arc::new(HeightField { counts, spacing, heights })))
}

fn mesh(field: &Field<'_>) -> Result<ColliderShape, SceneError> {
    const KEYS: &[&str] = &["file", "unit", "up", "height", "origin", "cell"];
    let fields = field.fields(KEYS)?;
    let (file, path) = files::path(&fields)?;
    let options = files::options(&fields)?;
    let fail = |error: SolidError| file.fail(Problem::Solid(error));
    let solid = match read_solid(&path, &options).map_err(fail)?.content {
        Content::Surface(solid) => solid,
        Content::Tets(mesh) => {
            let name = path.display().to_string();
            outside(&mesh).map_err(|source| fail(SolidError::Shape { file: name, source }))?
        }
    };
    if !solid.closed() {
        return Err(
            file.fail(Problem::Conflict("is an open surface; a collider needs a closed one, so close its holes"))
        );
    }
    let cell = fields.or("cell", None, |field| field.number(Range::Positive).map(Some))?;
    Ok(ColliderShape::Mesh { solid: Arc::new(solid), cell })
}

fn motion(fields: &Fields<'_>, position: [f64; 3]) -> Result<Motion, SceneError> {
    let mut keys: Vec<(f64, [f64; 3])> = Vec::new();
    for item in fields.items("keys")? {
        let [t, x, y, z] = item.numbers(Range::Any)?;
        if keys.last().is_some_and(|last| last.0 >= t) {
            return Err(item.fail(Problem::Conflict("comes no later than the key before it; sort the keys by time")));
        }
        keys.push((t, [x, y, z]));
    }
    Ok(Motion {
        velocity: fields.vector("velocity", [0.0; 3])?,
        spin: fields.vector("spin", [0.0; 3])?,
        center: fields.vector("center", position)?,
        until: fields.number("until", Range::Positive, f64::INFINITY)?,
        keys,
    })
}
