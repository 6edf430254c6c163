//! How a material breaks, where a body is weak, and cuts.

use phyxel::fracture::Slice;
use phyxel::material::{EdgeStyle, Edges, Fracture, GrainStrength};
use phyxel::scene::{Blade, Cut, Fate, FragmentRule, Method, Weakness};
use phyxel::shape::Geometry;

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::regions;

/// The keys that it has in the table of a material.
pub(super) const KEYS: [&str; 13] = [
    "fracture",
    "strength",
    "tip_strength",
    "toughness",
    "fracture_energy",
    "softening",
    "grain",
    "grain_strength",
    "plastic_limit",
    "strength_scatter",
    "strength_seed",
    "interior",
    "edges",
];

/// The fracture of a table, on top of what the material had.
pub(super) fn read(
    fields: &Fields<'_>,
    base: Option<Fracture>,
    young_modulus: f64,
) -> Result<Option<Fracture>, SceneError> {
    if let Some(field) = fields.get("fracture")
        && !field.flag()?
    {
        return refuse(fields, &KEYS[1..], "contradicts fracture = false; leave one of them out");
    }
    let strength = fields.get("strength").map(|field| field.number(Range::Positive)).transpose()?;
    let limit = fields.get("plastic_limit").map(|field| field.number(Range::Positive)).transpose()?;
    let base = match (base, strength, limit) {
        (Some(base), _, _) => Fracture { strength: strength.unwrap_or(base.strength), ..base },
        (None, Some(strength), _) => Fracture::brittle(strength),
        (None, None, Some(_)) => Fracture::brittle(f64::INFINITY),
        (None, None, None) => {
            return refuse(fields, &KEYS[2..], "has no effect on matter that does not break; add strength in Pa");
        }
    };
    let fracture_energy = match fields.at_most_one(&["toughness", "fracture_energy"])? {
        Some(("toughness", field)) => Fracture::energy_of_toughness(field.number(Range::NotNegative)?, young_modulus),
        Some((_, field)) => field.number(Range::NotNegative)?,
        None => base.fracture_energy,
    };
    Ok(Some(Fracture {
        tip_strength: fields.number("tip_strength", Range::Share, base.tip_strength)?,
        fracture_energy,
        softening: fields.get("softening").map_or(Ok(base.softening), |field| field.flag())?,
        grain: grain(fields, base.grain)?,
        plastic_limit: limit.unwrap_or(base.plastic_limit),
        scatter: fields.number("strength_scatter", Range::Fraction, base.scatter)?,
        seed: fields.whole("strength_seed", 0, base.seed as usize)? as u64,
        interior: fields.whole("interior", 0, base.interior as usize)? as u32,
        edges: fields.get("edges").map_or(Ok(base.edges), |field| edges(&field, base.edges).map(Some))?,
        ..base
    }))
}

/// `edges = { section, randomness, frequency, amplitude, style, seed }`: pairs are horizontal and vertical.
fn edges(field: &Field<'_>, base: Option<Edges>) -> Result<Edges, SceneError> {
    let fields = field.fields(&["section", "randomness", "frequency", "amplitude", "style", "seed"])?;
    let pair = |key: &'static str, range: Range, known: Option<[f64; 2]>| match (fields.get(key), known) {
        (Some(field), _) => field.numbers(range),
        (None, Some(known)) => Ok(known),
        (None, None) => fields.require(key, key)?.numbers(range),
    };
    let frequency = pair("frequency", Range::NotNegative, Some(base.map_or([1.0; 2], |b| b.frequency.map(f64::from))))?;
    let styles = [
        ("jagged", EdgeStyle::Jagged),
        ("splinters", EdgeStyle::Splinters),
        ("steps", EdgeStyle::Steps),
        ("shards", EdgeStyle::Shards),
    ];
    let edges = Edges {
        section: pair("section", Range::Positive, base.map(|b| b.section))?,
        randomness: pair("randomness", Range::ZeroToOne, Some(base.map_or([0.0; 2], |b| b.randomness)))?,
        frequency: frequency.map(|count| count.round() as u32),
        amplitude: pair("amplitude", Range::NotNegative, Some(base.map_or([0.0; 2], |b| b.amplitude)))?,
        style: fields.word("style", "style of edges", &styles, base.map_or(EdgeStyle::Jagged, |b| b.style))?,
        seed: fields.whole("seed", 0, base.map_or(0, |b| b.seed as usize))? as u64,
    };
    if (0..2).any(|k| edges.amplitude[k] > edges.section[k]) {
        let why = "are larger than a section; make amplitude smaller, or section larger";
        return Err(field.fail(Problem::Conflict(why)));
    }
    Ok(edges)
}

fn grain(fields: &Fields<'_>, base: Option<GrainStrength>) -> Result<Option<GrainStrength>, SceneError> {
    let along = fields.get("grain_strength").map(|field| field.number(Range::Positive)).transpose()?;
    let direction = fields.get("grain").map(|field| field.numbers(Range::Any)).transpose()?;
    if direction == Some([0.0; 3])
        && let Some(field) = fields.get("grain")
    {
        return Err(
            field.fail(Problem::Conflict("has no direction; give a vector that is not zero, such as [1, 0, 0]"))
        );
    }
    match (base, direction, along) {
        (Some(base), _, _) => {
            let (direction, along) = (direction.unwrap_or(base.direction), along.unwrap_or(base.along));
            Ok(Some(GrainStrength { direction, along }))
        }
        (None, Some(direction), Some(along)) => Ok(Some(GrainStrength { direction, along })),
        (None, None, None) => Ok(None),
        (None, Some(_), None) => {
            fields.require("grain_strength", "grain_strength, the strength along the grain in Pa").map(|_| None)
        }
        (None, None, Some(_)) => fields.require("grain", "grain = [x, y, z], the direction of the grain").map(|_| None),
    }
}

fn refuse(fields: &Fields<'_>, keys: &[&str], why: &'static str) -> Result<Option<Fracture>, SceneError> {
    let given = keys.iter().find_map(|key| fields.get(key));
    given.map_or(Ok(None), |field| Err(field.fail(Problem::Conflict(why))))
}

/// `weak = [{ box = …, factor = 0.5 }]` of a body.
pub(super) fn weaknesses(field: &Field<'_>) -> Result<Vec<Weakness>, SceneError> {
    let weakness = |item: &Field<'_>| {
        let fields = item.fields(&["box", "sphere", "all", "factor"])?;
        let factor =
            fields.require("factor", "factor, which multiplies the strength there")?.number(Range::Positive)?;
        Ok(Weakness { region: regions::region(&fields)?, factor })
    };
    field.items()?.iter().map(weakness).collect()
}

/// `fragments = { smaller_than = v, become = "rigid" }` of a body.
pub(super) fn fragments(field: &Field<'_>) -> Result<FragmentRule, SceneError> {
    let fields = field.fields(&["smaller_than", "become"])?;
    let smaller_than = fields.require("smaller_than", "smaller_than, the volume of small fragments in m³")?;
    fields.require("become", "become = \"rigid\", \"removed\" or \"kept\"")?;
    let fates = [("kept", Fate::Kept), ("rigid", Fate::Rigid), ("removed", Fate::Removed)];
    let fate = fields.word("become", "fate of small fragments", &fates, Fate::Kept)?;
    Ok(FragmentRule { smaller_than: smaller_than.number(Range::Positive)?, fate })
}

/// `whole_cubes = true` of a body: each five tetrahedra of its box stay together.
pub(super) fn whole_cells(fields: &Fields<'_>, geometry: &Geometry, method: Method) -> Result<Vec<u32>, SceneError> {
    let Some(field) = fields.get("whole_cubes") else { return Ok(Vec::new()) };
    if !field.flag()? {
        return Ok(Vec::new());
    }
    let is_box = fields.get("shape").is_some_and(|shape| {
        shape.named_entries().is_ok_and(|entries| entries.iter().any(|(key, _)| matches!(*key, "box" | "wall")))
    });
    let split = fields.word("split", "split", &[("five", 5), ("six", 6)], 5)?;
    match geometry {
        Geometry::Tets(mesh) if is_box && mesh.tets.len().is_multiple_of(split) => {
            Ok((0..mesh.tets.len()).map(|t| (t / split) as u32).collect())
        }
        _ if method == Method::Mls => {
            Err(field.fail(Problem::Conflict("is about cubes of tetrahedra; write method = \"tet\", or leave it out")))
        }
        _ => Err(field.fail(Problem::Conflict("needs a box or wall of tetrahedra; leave it out for other shapes"))),
    }
}

/// `cut = { point, normal, radius }` of an event.
pub(super) fn cut(field: &Field<'_>) -> Result<Cut, SceneError> {
    let fields = field.fields(&["point", "normal", "radius"])?;
    let normal_field = fields.require("normal", "normal = [x, y, z], square to the plane of the cut")?;
    let normal: [f64; 3] = normal_field.numbers(Range::Any)?;
    if normal == [0.0; 3] {
        return Err(normal_field.fail(Problem::Conflict("has no direction; give a vector that is not zero")));
    }
    let point = fields.require("point", "point = [x, y, z] on the plane of the cut, in metres")?;
    let radius = fields.number("radius", Range::Positive, f64::INFINITY)?;
    Ok(Cut { point: point.numbers(Range::Any)?, normal, radius })
}

/// `blade = { from = [[…], […]], to = [[…], […]], duration }` of an event.
pub(super) fn blade(field: &Field<'_>) -> Result<Blade, SceneError> {
    let fields = field.fields(&["from", "to", "duration"])?;
    let edge = |key: &'static str, what: &'static str| -> Result<[[f64; 3]; 2], SceneError> {
        let field = fields.require(key, what)?;
        let ends = field.items()?;
        let [a, b] = &ends[..] else {
            return Err(field.fail(Problem::Conflict("needs both ends of the edge: [[x, y, z], [x, y, z]]")));
        };
        Ok([a.numbers(Range::Any)?, b.numbers(Range::Any)?])
    };
    let blade = Blade {
        from: edge("from", "from = [[x, y, z], [x, y, z]], the ends of the edge at the start, in metres")?,
        to: edge("to", "to = [[x, y, z], [x, y, z]], the ends of the edge when it has arrived, in metres")?,
        duration: fields.require("duration", "duration, the time that it takes in seconds")?.number(Range::Positive)?,
    };
    if Slice::swept(&blade, 0.0, (0.0, blade.duration)).is_none() {
        let why = "cuts nothing; let its edge have a length, and move across it";
        return Err(field.fail(Problem::Conflict(why)));
    }
    Ok(blade)
}
