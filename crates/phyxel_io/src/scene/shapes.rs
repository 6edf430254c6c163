//! `shape`, and how finely it is cut.

use std::path::Path;

use phyxel::scene::Method;
use phyxel::shape::{Resolution, Shape};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};

/// Nodes of a body that says nothing about its resolution.
const DEFAULT_COUNT: usize = 1000;

/// More nodes than this are refused: about a hundred gigabytes.
pub(super) const MOST_NODES: f64 = 5e7;

/// Working memory of a node with its share of stencils, matrices and results, a rough mean over the methods [bytes].
pub(super) const BYTES_PER_NODE: f64 = 2000.0;

/// Reads a shape: a table with one key, the kind.
pub(super) fn shape(field: &Field<'_>) -> Result<Shape, SceneError> {
    const KINDS: &[&str] = &["box", "sphere", "cylinder", "torus", "cloth", "rope", "wall", "file"];
    let (kind, value) = field.fields(KINDS)?.exactly_one(KINDS)?;
    let length = |fields: &Fields<'_>, key, remedy| fields.require(key, remedy)?.number(Range::Positive);
    Ok(match kind {
        "box" => Shape::Box { size: value.numbers(Range::Positive)? },
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
        "wall" => return Err(value.fail(Problem::NotYet("walls"))),
        _ => return Err(surface_file(&value)?),
    })
}

/// Surfaces are not read yet, but a missing file is told first: it would be wrong in any version.
fn surface_file(field: &Field<'_>) -> Result<SceneError, SceneError> {
    let folder = Path::new(field.file).parent().unwrap_or(Path::new(""));
    let path = folder.join(field.text()?);
    let problem = if path.is_file() { Problem::NotYet("surfaces from files") } else { Problem::MissingFile(path) };
    Ok(field.fail(problem))
}

/// Springs for what is thin, phyxels for what is solid.
pub(super) fn default_method(shape: &Shape) -> Method {
    match shape {
        Shape::Cloth { .. } | Shape::Rope { .. } => Method::Spring,
        _ => Method::Mls,
    }
}

/// Reads `size`, `count` or `cells`.
pub(super) fn resolution(body: &Fields<'_>) -> Result<Resolution, SceneError> {
    Ok(match body.at_most_one(&["size", "count", "cells"])? {
        None => Resolution::Count(DEFAULT_COUNT),
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

/// About how many nodes a shape will have; computed in `f64`, so that absurd sizes give absurd numbers, not overflow.
pub(super) fn estimated_nodes(shape: &Shape, resolution: &Resolution) -> f64 {
    use std::f64::consts::PI;
    match *resolution {
        Resolution::Count(count) => count as f64,
        Resolution::Cells(cells) => cells.iter().map(|&cell| cell as f64 + 1.0).product(),
        Resolution::Size(size) => match *shape {
            Shape::Box { size: edges } => edges.iter().map(|edge| edge / size + 1.0).product(),
            Shape::Sphere { radius } => 4.0 / 3.0 * PI * (radius / size).powi(3),
            Shape::Cylinder { radius, height } => PI * (radius / size).powi(2) * (height / size + 1.0),
            Shape::Torus { major_radius, minor_radius } => {
                2.0 * PI * PI * (major_radius / size) * (minor_radius / size).powi(2)
            }
            Shape::Cloth { size: edges, .. } => edges.iter().map(|edge| edge / size + 1.0).product(),
            Shape::Rope { length, .. } => length / size + 1.0,
        },
    }
}
