//! How a material yields: `yield_strain` or `yield_stress`, and what goes with them.

use phyxel::material::Plasticity;

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};

/// The plasticity of a table, on top of what the material had.
pub(super) fn read(fields: &Fields<'_>, base: Option<Plasticity>) -> Result<Option<Plasticity>, SceneError> {
    if let Some(field) = fields.get("plastic")
        && !field.flag()?
    {
        return elastic(fields);
    }
    let plastic = match fields.at_most_one(&["yield_strain", "yield_stress"])? {
        Some(("yield_strain", field)) => Some(by_strain(field.number(Range::Positive)?, base)),
        Some((_, field)) => Some(by_stress(field.number(Range::Positive)?, base)),
        None => base,
    };
    let Some(mut plastic) = plastic else { return nothing_else(fields) };
    let relaxation = relaxation(fields)?;
    match &mut plastic {
        Plasticity::Strain { relaxation_time, max_strain, .. } => {
            refuse(fields, "hardening", "belongs to yield_stress; leave it out, or bound the flow with max_strain")?;
            *relaxation_time = relaxation.unwrap_or(*relaxation_time);
            *max_strain = fields.number("max_strain", Range::NotNegative, *max_strain)?;
        }
        Plasticity::Stress { relaxation_time, hardening, .. } => {
            refuse(fields, "max_strain", "belongs to yield_strain; leave it out, or write hardening")?;
            *relaxation_time = relaxation.unwrap_or(*relaxation_time);
            *hardening = fields.number("hardening", Range::NotNegative, *hardening)?;
        }
    }
    Ok(Some(plastic))
}

fn by_strain(yield_strain: f64, base: Option<Plasticity>) -> Plasticity {
    match base {
        Some(Plasticity::Strain { relaxation_time, max_strain, .. }) => {
            Plasticity::Strain { yield_strain, relaxation_time, max_strain }
        }
        _ => Plasticity::Strain { yield_strain, relaxation_time: 0.0, max_strain: f64::INFINITY },
    }
}

fn by_stress(yield_stress: f64, base: Option<Plasticity>) -> Plasticity {
    match base {
        Some(Plasticity::Stress { hardening, relaxation_time, .. }) => {
            Plasticity::Stress { yield_stress, hardening, relaxation_time }
        }
        _ => Plasticity::Stress { yield_stress, hardening: 0.0, relaxation_time: 0.0 },
    }
}

/// The relaxation time, given as such or as a creep, the share of the strain that is absorbed in a second.
fn relaxation(fields: &Fields<'_>) -> Result<Option<f64>, SceneError> {
    Ok(match fields.at_most_one(&["creep", "relaxation_time"])? {
        Some(("creep", field)) => Some(Plasticity::relaxation_of_creep(field.number(Range::ZeroToOne)?)),
        Some((_, field)) => Some(field.number(Range::NotNegative)?),
        None => None,
    })
}

const OTHERS: [&str; 4] = ["hardening", "creep", "relaxation_time", "max_strain"];

fn nothing_else(fields: &Fields<'_>) -> Result<Option<Plasticity>, SceneError> {
    for key in OTHERS {
        refuse(fields, key, "has no effect on matter that does not yield; add yield_strain or yield_stress")?;
    }
    Ok(None)
}

fn elastic(fields: &Fields<'_>) -> Result<Option<Plasticity>, SceneError> {
    for key in OTHERS.into_iter().chain(["yield_strain", "yield_stress"]) {
        refuse(fields, key, "contradicts plastic = false; leave one of them out")?;
    }
    Ok(None)
}

fn refuse(fields: &Fields<'_>, key: &str, why: &'static str) -> Result<(), SceneError> {
    fields.get(key).map_or(Ok(()), |field: Field<'_>| Err(field.fail(Problem::Conflict(why))))
}
