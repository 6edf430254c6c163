//! The temperature of bodies and what heats them.

use phyxel::scene::{BodyHeat, HeatKind, HeatLoad};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::regions;

/// The heat of a body; none when it has no temperature.
pub(super) fn body(fields: &Fields<'_>) -> Result<Option<BodyHeat>, SceneError> {
    let Some(temperature) = fields.get("temperature") else {
        for key in ["convection", "ambient", "conductance", "heat"] {
            if let Some(field) = fields.get(key) {
                let why = "has no effect on a body without a temperature; add temperature = T in kelvin";
                return Err(field.fail(Problem::Conflict(why)));
            }
        }
        return Ok(None);
    };
    let default = BodyHeat::default();
    Ok(Some(BodyHeat {
        temperature: temperature.number(Range::Kelvin)?,
        convection: fields.number("convection", Range::NotNegative, default.convection)?,
        ambient: fields.number("ambient", Range::Kelvin, default.ambient)?,
        conductance: fields.number("conductance", Range::NotNegative, default.conductance)?,
        loads: fields.or("heat", Vec::new(), loads)?,
    }))
}

/// A list of heat loads.
pub(super) fn loads(field: &Field<'_>) -> Result<Vec<HeatLoad>, SceneError> {
    field.items()?.iter().map(load).collect()
}

fn load(field: &Field<'_>) -> Result<HeatLoad, SceneError> {
    const KINDS: [&str; 5] = ["temperature", "program", "power", "flux", "convection"];
    let fields =
        field.fields(&["box", "sphere", "all", "temperature", "program", "power", "flux", "convection", "ambient"])?;
    let (key, value) = fields.exactly_one(&KINDS)?;
    let kind = match key {
        "temperature" => HeatKind::Temperature(value.number(Range::Kelvin)?),
        "program" => HeatKind::Program(
            value
                .items()?
                .iter()
                .map(|row| row.numbers::<2>(Range::NotNegative).map(|[t, k]| (t, k)))
                .collect::<Result<_, _>>()?,
        ),
        "power" => HeatKind::Power(value.number(Range::Any)?),
        "flux" => HeatKind::Flux(value.number(Range::Any)?),
        _ => HeatKind::Convection {
            coefficient: value.number(Range::NotNegative)?,
            ambient: fields.number("ambient", Range::Kelvin, BodyHeat::default().ambient)?,
        },
    };
    Ok(HeatLoad { region: regions::region(&fields)?, kind })
}
