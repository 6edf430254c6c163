//! What a material does with heat.

use phyxel::material::{Melting, Table, Thermal};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};

/// The keys that it has in the table of a material.
pub(super) const KEYS: [&str; 13] = [
    "conductivity",
    "specific_heat",
    "thermal_expansion",
    "reference_temperature",
    "work_to_heat",
    "melting_point",
    "solidus",
    "liquidus",
    "latent_heat",
    "melt_viscosity",
    "stiffness_over_temperature",
    "strength_over_temperature",
    "fluidity_over_temperature",
];

/// The thermal constants of a table, on top of what the material had.
pub(super) fn read(fields: &Fields<'_>, base: Option<Thermal>) -> Result<Option<Thermal>, SceneError> {
    if KEYS.iter().all(|key| fields.get(key).is_none()) {
        return Ok(base);
    }
    if base.is_none() {
        fields.require("conductivity", "conductivity = k in W/(m K); matter with thermal constants needs it")?;
        fields.require("specific_heat", "specific_heat = c in J/(kg K); matter with thermal constants needs it")?;
    }
    let base = base.unwrap_or_default();
    Ok(Some(Thermal {
        conductivity: fields.number("conductivity", Range::NotNegative, base.conductivity)?,
        specific_heat: fields.number("specific_heat", Range::Positive, base.specific_heat)?,
        expansion: fields.number("thermal_expansion", Range::Any, base.expansion)?,
        reference_temperature: fields.number("reference_temperature", Range::Kelvin, base.reference_temperature)?,
        work_to_heat: fields.number("work_to_heat", Range::ZeroToOne, base.work_to_heat)?,
        melting: melting(fields, base.melting)?,
        stiffness: fields.or("stiffness_over_temperature", base.stiffness, table)?,
        strength: fields.or("strength_over_temperature", base.strength, table)?,
        fluidity: fields.or("fluidity_over_temperature", base.fluidity, table)?,
    }))
}

fn melting(fields: &Fields<'_>, base: Option<Melting>) -> Result<Option<Melting>, SceneError> {
    let kelvin = |key: &str| fields.get(key).map(|field| field.number(Range::Kelvin)).transpose();
    let (point, solidus, liquidus) = (kelvin("melting_point")?, kelvin("solidus")?, kelvin("liquidus")?);
    if let (Some(_), Some(field)) = (point, fields.get("solidus").or(fields.get("liquidus"))) {
        return Err(field.fail(Problem::Conflict("contradicts melting_point; give one melting_point, or both ends")));
    }
    let (solidus, liquidus) = (solidus.or(point), liquidus.or(point));
    let (solidus, liquidus) = match (solidus, liquidus, base) {
        (None, None, None) => {
            for key in ["latent_heat", "melt_viscosity"] {
                if let Some(field) = fields.get(key) {
                    let why = "has no effect on matter that does not melt; add melting_point, or solidus and liquidus";
                    return Err(field.fail(Problem::Conflict(why)));
                }
            }
            return Ok(None);
        }
        (solidus, liquidus, Some(base)) => (solidus.unwrap_or(base.solidus), liquidus.unwrap_or(base.liquidus)),
        (Some(solidus), liquidus, None) => (solidus, liquidus.unwrap_or(solidus)),
        (None, Some(liquidus), None) => (liquidus, liquidus),
    };
    let (latent_heat, viscosity) = base.map_or((0.0, 1.0), |m| (m.latent_heat, m.viscosity));
    Ok(Some(Melting {
        solidus,
        liquidus,
        latent_heat: fields.number("latent_heat", Range::NotNegative, latent_heat)?,
        viscosity: fields.number("melt_viscosity", Range::Positive, viscosity)?,
    }))
}

/// Rows of a temperature and a factor.
fn table(field: &Field<'_>) -> Result<Table, SceneError> {
    let rows = field.items()?;
    let row = |row: &Field<'_>| row.numbers::<2>(Range::NotNegative).map(|[temperature, factor]| (temperature, factor));
    rows.iter().map(row).collect::<Result<_, _>>().map(Table)
}
