//! `pins` and `loads`: parts of bodies, and what is done to them.

use phyxel::scene::{Load, LoadKind, Pin, Region};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};

const REGIONS: [&str; 3] = ["box", "sphere", "all"];
const FORCES: [&str; 4] = ["force", "total_force", "traction", "pressure"];

/// A list of pins.
pub(super) fn pins(field: &Field<'_>) -> Result<Vec<Pin>, SceneError> {
    field.items()?.iter().map(pin).collect()
}

/// A list of loads.
pub(super) fn loads(field: &Field<'_>) -> Result<Vec<Load>, SceneError> {
    field.items()?.iter().map(load).collect()
}

/// Checks that each region of a list holds at least one of the body's nodes.
pub(super) fn check_not_empty<'r>(
    field: Option<Field<'_>>,
    regions: impl Iterator<Item = &'r Region>,
    points: &[[f64; 3]],
) -> Result<(), SceneError> {
    let Some(field) = field else { return Ok(()) };
    let (min, max) = bounds(points);
    let tolerance = 1e-9 * (0..3).map(|i| max[i] - min[i]).fold(0.0, f64::max);
    for (item, region) in field.items()?.iter().zip(regions) {
        if !points.iter().any(|point| contains(region, *point, tolerance)) {
            return Err(item.fail(Problem::RegionEmpty { min, max }));
        }
    }
    Ok(())
}

fn pin(field: &Field<'_>) -> Result<Pin, SceneError> {
    let fields = field.fields(&["box", "sphere", "all", "velocity", "spin", "center", "axes", "until"])?;
    let still = Pin::hold(region(&fields)?);
    Ok(Pin {
        velocity: fields.vector("velocity", still.velocity)?,
        spin: fields.vector("spin", still.spin)?,
        center: fields.vector("center", still.center)?,
        axes: fields.or("axes", still.axes, axes)?,
        until: fields.number("until", Range::NotNegative, still.until)?,
        region: still.region,
    })
}

fn axes(field: &Field<'_>) -> Result<[bool; 3], SceneError> {
    let mut held = [false; 3];
    for item in field.items()? {
        held[item.word("axis", &[("x", 0), ("y", 1), ("z", 2)])?] = true;
    }
    if held == [false; 3] {
        return Err(field.fail(Problem::Conflict("holds no direction; name some of \"x\", \"y\", \"z\"")));
    }
    Ok(held)
}

fn load(field: &Field<'_>) -> Result<Load, SceneError> {
    let fields = field.fields(&["box", "sphere", "all", "force", "total_force", "traction", "pressure"])?;
    let (key, value) = fields.exactly_one(&FORCES)?;
    let kind = match key {
        "force" => LoadKind::ForcePerNode(value.numbers(Range::Any)?),
        "total_force" => LoadKind::TotalForce(value.numbers(Range::Any)?),
        "traction" => LoadKind::Traction(value.numbers(Range::Any)?),
        _ => LoadKind::Pressure(value.number(Range::Any)?),
    };
    Ok(Load { region: region(&fields)?, kind })
}

/// The one region of a table.
pub(super) fn region(fields: &Fields<'_>) -> Result<Region, SceneError> {
    let (key, value) = fields.exactly_one(&REGIONS)?;
    match key {
        "box" => box_region(&value),
        "sphere" => {
            let sphere = value.fields(&["center", "radius"])?;
            let center = sphere.require("center", "center = [x, y, z] in metres")?.numbers(Range::Any)?;
            let radius = sphere.require("radius", "radius = r in metres")?.number(Range::Positive)?;
            Ok(Region::Sphere { center, radius })
        }
        _ if value.flag()? => Ok(Region::All),
        _ => Err(value.fail(Problem::Conflict("must be true; for a part of the body write box or sphere instead"))),
    }
}

fn box_region(field: &Field<'_>) -> Result<Region, SceneError> {
    let fields = field.fields(&["min", "max"])?;
    let min: [f64; 3] = fields.require("min", "min = [x, y, z] in metres")?.numbers(Range::Any)?;
    let max: [f64; 3] = fields.require("max", "max = [x, y, z] in metres")?.numbers(Range::Any)?;
    if (0..3).any(|i| min[i] > max[i]) {
        return Err(field.fail(Problem::Conflict("has a min above its max; swap the two")));
    }
    Ok(Region::Box { min, max })
}

fn contains(region: &Region, point: [f64; 3], tolerance: f64) -> bool {
    match region {
        Region::All => true,
        Region::Box { min, max } => (0..3).all(|i| min[i] - tolerance <= point[i] && point[i] <= max[i] + tolerance),
        Region::Sphere { center, radius } => {
            (0..3).map(|i| (point[i] - center[i]).powi(2)).sum::<f64>().sqrt() <= radius + tolerance
        }
        Region::Nodes(nodes) => !nodes.is_empty(),
    }
}

fn bounds(points: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let mut min = [f64::INFINITY; 3];
    let mut max = [f64::NEG_INFINITY; 3];
    for point in points {
        for i in 0..3 {
            min[i] = min[i].min(point[i]);
            max[i] = max[i].max(point[i]);
        }
    }
    (min, max)
}
