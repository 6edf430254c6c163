//! What heats bodies as bytes: events may have changed it.

use super::SnapshotError;
use super::bytes::{Reader, Writer};
use crate::math::Real;
use crate::model::{HeatModel, Model};

/// Writes the heat exchange of all bodies.
pub(super) fn encode(heat: &[Option<HeatModel>], out: &mut Writer) {
    out.u64(heat.len() as u64);
    for heat in heat {
        out.u64(heat.is_some() as u64);
        if let Some(heat) = heat {
            encode_one(heat, out);
        }
    }
}

fn encode_one(heat: &HeatModel, out: &mut Writer) {
    [heat.convection, heat.ambient, heat.conductance].into_iter().for_each(|x| out.f64(x));
    out.u64(heat.programs.len() as u64);
    for rows in &heat.programs {
        out.u64(rows.len() as u64);
        rows.iter().for_each(|row| [row.0, row.1].into_iter().for_each(|x| out.f64(x)));
    }
    out.u64(heat.held.len() as u64);
    heat.held.iter().for_each(|&(n, program)| [n as u64, program as u64].into_iter().for_each(|x| out.u64(x)));
    out.u64(heat.power.len() as u64);
    for &(n, watts) in &heat.power {
        out.u64(n as u64);
        out.f64(watts);
    }
    out.u64(heat.flux.len() as u64);
    for (face, flux) in &heat.flux {
        face.iter().for_each(|&n| out.u64(n as u64));
        out.f64(*flux);
    }
    out.u64(heat.air.len() as u64);
    for (face, coefficient, ambient) in &heat.air {
        face.iter().for_each(|&n| out.u64(n as u64));
        [*coefficient, *ambient].into_iter().for_each(|x| out.f64(x));
    }
}

/// The inverse of [`encode`].
pub(super) fn decode<R: Real>(
    input: &mut Reader<'_>,
    model: &Model<R>,
) -> Result<Vec<Option<HeatModel>>, SnapshotError> {
    let mut bodies = Vec::new();
    for _ in 0..input.u64()? {
        let there = input.u64()? == 1;
        bodies.push(if there { Some(decode_one(input, model.node_count())?) } else { None });
    }
    Ok(bodies)
}

fn decode_one(input: &mut Reader<'_>, nodes: usize) -> Result<HeatModel, SnapshotError> {
    let [convection, ambient, conductance] = input.triple()?;
    let mut heat = HeatModel { convection, ambient, conductance, ..HeatModel::default() };
    for _ in 0..input.u64()? {
        let mut rows = Vec::new();
        for _ in 0..input.u64()? {
            rows.push((input.f64()?, input.f64()?));
        }
        heat.programs.push(rows);
    }
    for _ in 0..input.u64()? {
        let node = input.indices(1, nodes)?[0];
        heat.held.push((node, input.indices(1, heat.programs.len())?[0] as usize));
    }
    for _ in 0..input.u64()? {
        heat.power.push((input.indices(1, nodes)?[0], input.f64()?));
    }
    for _ in 0..input.u64()? {
        let face = input.indices(3, nodes)?;
        heat.flux.push(([face[0], face[1], face[2]], input.f64()?));
    }
    for _ in 0..input.u64()? {
        let face = input.indices(3, nodes)?;
        heat.air.push(([face[0], face[1], face[2]], input.f64()?, input.f64()?));
    }
    Ok(heat)
}
