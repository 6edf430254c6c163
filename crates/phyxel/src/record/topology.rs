//! How broken bodies hang together, as bytes.

use super::SnapshotError;
use super::bytes::{Reader, Writer};
use crate::fracture::{Fragment, Topology};
use crate::math::Real;
use crate::model::Model;

/// Writes the topology of all bodies.
pub(super) fn encode(bodies: &[Option<Topology>], out: &mut Writer) {
    out.u64(bodies.len() as u64);
    for body in bodies {
        out.u64(body.is_some() as u64);
        let Some(body) = body else { continue };
        out.u64(body.origin.len() as u64);
        out.u64(body.tets.len() as u64);
        out.u64(body.fragments.len() as u64);
        out.u64(body.loose.len() as u64);
        let numbers = body.origin.iter().chain(body.tets.as_flattened()).chain(&body.fragment_of).chain(&body.loose);
        numbers.for_each(|n| out.u64(*n as u64));
        body.tips.iter().for_each(|tip| out.u64(*tip as u64));
        for fragment in &body.fragments {
            out.u64(fragment.parent.map_or(u64::MAX, u64::from));
            out.u64(fragment.elements as u64);
            [fragment.born, fragment.mass, fragment.volume].into_iter().for_each(|x| out.f64(x));
        }
    }
}

/// The inverse of [`encode`].
pub(super) fn decode<R: Real>(
    input: &mut Reader<'_>,
    model: &Model<R>,
) -> Result<Vec<Option<Topology>>, SnapshotError> {
    let count = input.u64()? as usize;
    if count != model.bodies.len() {
        let (found, expected) = (format!("{count} bodies"), format!("{}", model.bodies.len()));
        return Err(SnapshotError::Mismatch { found, expected });
    }
    let mut bodies = Vec::new();
    for body in &model.bodies {
        let there = input.u64()? == 1;
        if there != body.fragile.is_some() {
            let what = |breaks: bool| format!("body {:?} that {} break", body.name, if breaks { "can" } else { "cannot" });
            return Err(SnapshotError::Mismatch { found: what(there), expected: what(!there) });
        }
        bodies.push(match &body.fragile {
            Some(fragile) => Some(decode_one(input, fragile.strength.len(), fragile.fragment_of.len())?),
            None => None,
        });
    }
    Ok(bodies)
}

/// One body that has so many nodes and tetrahedra when it is whole.
fn decode_one(input: &mut Reader<'_>, whole: usize, elements: usize) -> Result<Topology, SnapshotError> {
    let mut count = || input.u64().map(|n| n as usize);
    let (nodes, tets, pieces, loose) = (count()?, count()?, count()?, count()?);
    if tets != elements || nodes < whole {
        let found = format!("{nodes} nodes and {tets} tetrahedra");
        return Err(SnapshotError::Mismatch { found, expected: format!("{whole} or more and {elements}") });
    }
    let origin = input.indices(nodes, whole)?;
    let corners = input.indices(4 * tets, nodes)?;
    let fragment_of = input.indices(tets, pieces)?;
    let loose = input.indices(loose, nodes)?;
    let tips = input.indices(nodes, 2)?.into_iter().map(|tip| tip == 1).collect();
    let mut fragments = Vec::new();
    for _ in 0..pieces {
        let parent = Some(input.u64()?).filter(|p| *p != u64::MAX).map(|p| p as u32);
        let elements = input.u64()? as u32;
        let [born, mass, volume] = input.triple()?;
        fragments.push(Fragment { parent, born, elements, mass, volume });
    }
    let tets = corners.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    Ok(Topology { origin, tets, tips, loose, fragment_of, fragments })
}
