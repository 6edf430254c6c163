//! `shape`, and how finely it is cut.

use phyxel::material::Material;
use phyxel::scene::Method;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::shape::{Geometry, Placement, Resolution, Shape};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};

/// Nodes of a body that says nothing about its resolution.
pub(super) const DEFAULT_COUNT: usize = 1000;

/// Reads a shape: a table with one key, the kind.
pub(super) fn shape(field: &Field<'_>) -> Result<Shape, SceneError> {
    const KINDS: &[&str] = &["box", "sphere", "cylinder", "torus", "figure", "cloth", "rope", "wall", "file"];
    let (kind, value) = field.fields(KINDS)?.exactly_one(KINDS)?;
    let length = |fields: &Fields<'_>, key, remedy| fields.require(key, remedy)?.number(Range::Positive);
    Ok(match kind {
        "box" | "wall" => Shape::Box { size: value.numbers(Range::Positive)? },
        "sphere" => match value.number(Range::Positive) {
            Ok(radius) => Shape::Sphere { radius },
            Err(error) if matches!(error.problem, Problem::OutOfRange { .. }) => return Err(error),
            Err(_) => {
                let fields = value.fields(&["radius"])?;
                Shape::Sphere { radius: length(&fields, "radius", "radius = r in metres")? }
            }
        },
        "cylinder" => {
            let fields = value.fields(&["radius", "height"])?;
            Shape::Cylinder {
                radius: length(&fields, "radius", "radius = r in metres")?,
                height: length(&fields, "height", "height = h in metres")?,
            }
        }
        "torus" => {
            let fields = value.fields(&["major_radius", "minor_radius"])?;
            Shape::Torus {
                major_radius: length(&fields, "major_radius", "major_radius, the radius of the ring in metres")?,
                minor_radius: length(&fields, "minor_radius", "minor_radius, the radius of the tube in metres")?,
            }
        }
        "figure" => Shape::Figure { height: value.number(Range::Positive)? },
        "cloth" => {
            let fields = value.fields(&["size", "thickness"])?;
            Shape::Cloth {
                size: fields.require("size", "size = [x, z] in metres")?.numbers(Range::Positive)?,
                thickness: length(&fields, "thickness", "thickness = t in metres")?,
            }
        }
        "rope" => {
            let fields = value.fields(&["length", "radius"])?;
            Shape::Rope {
                length: length(&fields, "length", "length = l in metres")?,
                radius: length(&fields, "radius", "radius = r in metres")?,
            }
        }
        _ => return Err(value.fail(Problem::Conflict("is for files"))),
    })
}

/// How fine a body is that does not say so: a wall is made of cubes as thick as itself, everything else of about a thousand
/// nodes.
pub(super) fn usual_resolution(field: &Field<'_>, shape: &Shape) -> Resolution {
    let is_wall = field.named_entries().is_ok_and(|entries| entries.iter().any(|(key, _)| *key == "wall"));
    match shape {
        Shape::Box { size } if is_wall => Resolution::Size(size.iter().copied().fold(f64::INFINITY, f64::min)),
        _ => Resolution::Count(DEFAULT_COUNT),
    }
}

/// Springs for what is thin, phyxels for what is solid.
pub(super) fn default_method(shape: &Shape) -> Method {
    match shape {
        Shape::Cloth { .. } | Shape::Rope { .. } => Method::Spring,
        _ => Method::Mls,
    }
}

/// Reads `size`, `count` or `cells`.
pub(super) fn resolution(body: &Fields<'_>, usual: Resolution) -> Result<Resolution, SceneError> {
    Ok(match body.at_most_one(&["size", "count", "cells"])? {
        None => usual,
        Some(("size", field)) => Resolution::Size(field.number(Range::Positive)?),
        Some(("count", field)) => Resolution::Count(field.whole(1)?),
        Some((_, field)) => {
            let cells: [f64; 3] = field.numbers(Range::Positive)?;
            for item in field.items()? {
                item.whole(1)?;
            }
            Resolution::Cells(cells.map(|cell| cell as usize))
        }
    })
}

/// Where a body stands.
pub(super) fn placement(body: &Fields<'_>) -> Result<Placement, SceneError> {
    Ok(Placement {
        position: body.vector("position", [0.0; 3])?,
        rotation: body.vector("rotation", [0.0; 3])?.map(f64::to_radians),
    })
}

/// Cuts a shape into pieces. `split` is about boxes of tetrahedra alone; other methods leave it unread, so that a scene
/// can be tried with each.
pub(super) fn discretise(
    body: &Fields<'_>,
    shape: &Shape,
    method: Method,
    resolution: &Resolution,
    material: &Material,
) -> Result<Geometry, SceneError> {
    let placement = placement(body)?;
    let fail = |error| body.get("shape").unwrap_or(body.field.clone()).fail(Problem::Shape(error));
    let split = body.word("split", "split", &[("five", CubeSplit::Five), ("six", CubeSplit::Six)], CubeSplit::Five)?;
    if let Shape::Box { size } = shape
        && split == CubeSplit::Six
        && !matches!(method, Method::Mls | Method::Spring)
    {
        let Resolution::Cells(cells) = *resolution else {
            let field = body.get("split").unwrap_or(body.field.clone());
            return Err(field.fail(Problem::Conflict("is six, which needs cells; write cells = [i, j, k]")));
        };
        let mut mesh = box_tets(cells, size.map(|s| -0.5 * s), size.map(|s| 0.5 * s), split).map_err(fail)?;
        placement.apply(&mut mesh.points);
        return Ok(Geometry::Tets(mesh));
    }
    shape.discretise(method, resolution, &placement, material).map_err(fail)
}
