//! How broken bodies hang together, as bytes.

use super::SnapshotError;
use super::bytes::{Reader, Writer};
use crate::fracture::points::{Crack, Disc};
use crate::fracture::{Carried, Fragile, Fragment, Link, Pieces, Topology};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::scene::Fate;

/// Writes the topology of all bodies.
pub(super) fn encode(bodies: &[Option<Topology>], out: &mut Writer) {
    out.u64(bodies.len() as u64);
    for body in bodies {
        out.u64(body.is_some() as u64);
        let Some(body) = body else { continue };
        out.u64(body.origin.len() as u64);
        out.u64(body.tets.len() as u64);
        out.u64(body.fragment_of.len() as u64);
        out.u64(body.fragments.len() as u64);
        out.u64(body.loose.len() as u64);
        let numbers = body.origin.iter().chain(body.tets.as_flattened()).chain(&body.fragment_of).chain(&body.loose);
        numbers.for_each(|n| out.u64(*n as u64));
        out.u64(body.cracks.len() as u64);
        body.cracks.iter().for_each(|crack| encode_crack(crack, out));
        body.tips.iter().for_each(|tip| out.u64(*tip as u64));
        for fragment in &body.fragments {
            out.u64(fragment.parent.map_or(u64::MAX, u64::from));
            out.u64(fragment.elements as u64);
            out.u64(fragment.fate as u64);
            [fragment.born, fragment.mass, fragment.volume].into_iter().for_each(|x| out.f64(x));
        }
        out.u64(body.rest.len() as u64);
        body.rest.iter().flatten().for_each(|x| out.f64(*x));
        let bits = |faces: &[bool; 4]| faces.iter().rev().fold(0, |bits, is| bits << 1 | *is as u64);
        body.outside.iter().for_each(|faces| out.u64(bits(faces)));
        out.u64(body.links.len() as u64);
        for link in &body.links {
            link.nodes.iter().for_each(|n| out.u64(*n as u64));
            [link.area, link.strength, link.opened].into_iter().chain(link.normal).for_each(|x| out.f64(x));
        }
        if let Some(carried) = &body.carried {
            carried.gradients.iter().flat_map(|g| g.0.as_flattened().to_vec()).for_each(|x| out.f64(x));
            carried.molten.iter().for_each(|molten| out.u64(*molten as u64));
            out.u64(carried.faces.len() as u64);
            carried.faces.as_flattened().iter().for_each(|n| out.u64(*n as u64));
            out.u64(carried.sides.len() as u64);
            carried.sides.as_flattened().iter().for_each(|n| out.u64(*n as u64));
        }
    }
}

fn encode_crack(crack: &Crack, out: &mut Writer) {
    let Disc { center, normal, radius, fade } = crack.disc;
    center.0.iter().chain(&normal.0).chain([&radius, &fade]).for_each(|x| out.f64(*x));
    out.u64(crack.splits.len() as u64);
    crack.splits.iter().for_each(|n| out.u64(*n as u64));
    out.u64(crack.at as u64);
}

fn decode_crack(input: &mut Reader<'_>, nodes: usize) -> Result<Crack, SnapshotError> {
    let (center, normal) = (Vec3(input.triple()?), Vec3(input.triple()?));
    let disc = Disc { center, normal, radius: input.f64()?, fade: input.f64()? };
    let count = input.u64()? as usize;
    Ok(Crack { disc, splits: input.indices(count, nodes)?, at: input.indices(1, nodes)?[0] })
}

/// What phyxels without a rest shape carry along.
fn decode_carried(input: &mut Reader<'_>, nodes: usize, cracks: usize) -> Result<Carried, SnapshotError> {
    let mut gradients = Vec::with_capacity(nodes);
    for _ in 0..nodes {
        gradients.push(Mat3([input.triple()?, input.triple()?, input.triple()?]));
    }
    let molten = input.indices(nodes, 2)?.into_iter().map(|m| m == 1).collect();
    let mut faces = Vec::new();
    for _ in 0..input.u64()? {
        faces.push([input.indices(1, nodes)?[0], input.indices(1, cracks)?[0]]);
    }
    let mut sides = Vec::new();
    for _ in 0..input.u64()? {
        sides.push([input.indices(1, nodes)?[0], input.indices(1, cracks)?[0], input.indices(1, 2)?[0]]);
    }
    Ok(Carried { gradients, molten, faces, sides })
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
            let what =
                |breaks: bool| format!("body {:?} that {} break", body.name, if breaks { "can" } else { "cannot" });
            return Err(SnapshotError::Mismatch { found: what(there), expected: what(!there) });
        }
        bodies.push(match &body.fragile {
            Some(fragile) => Some(decode_one(input, fragile)?),
            None => None,
        });
    }
    Ok(bodies)
}

/// One body; how it hangs together when whole is known.
fn decode_one(input: &mut Reader<'_>, fragile: &Fragile) -> Result<Topology, SnapshotError> {
    let mut count = || input.u64().map(|n| n as usize);
    let (nodes, tets, elements, pieces, loose) = (count()?, count()?, count()?, count()?, count()?);
    let whole = fragile.strength.len();
    let expected = match &fragile.pieces {
        Pieces::Tets(_) if fragile.cuts => (tets, tets),
        Pieces::Tets(pieces) => (pieces.table.len(), pieces.table.len()),
        Pieces::Points(_) => (0, nodes),
    };
    if (tets, elements) != expected || nodes < whole {
        let found = format!("{nodes} nodes and {tets} tetrahedra");
        return Err(SnapshotError::Mismatch { found, expected: format!("{whole} or more and {}", expected.0) });
    }
    let origin = input.indices(nodes, whole)?;
    let corners = input.indices(4 * tets, nodes)?;
    let fragment_of = input.indices(elements, pieces)?;
    let loose = input.indices(loose, nodes)?;
    let cracks = (0..input.u64()?).map(|_| decode_crack(input, nodes)).collect::<Result<Vec<_>, _>>()?;
    let copies: usize = cracks.iter().map(|c| c.splits.len()).sum();
    if tets == 0 && whole + copies != nodes {
        let found = format!("{copies} copies of phyxels");
        return Err(SnapshotError::Mismatch { found, expected: format!("{}", nodes - whole) });
    }
    let tips = input.indices(nodes, 2)?.into_iter().map(|tip| tip == 1).collect();
    let mut fragments = Vec::new();
    for _ in 0..pieces {
        let parent = Some(input.u64()?).filter(|p| *p != u64::MAX).map(|p| p as u32);
        let elements = input.u64()? as u32;
        let fate = match input.u64()? {
            0 => Fate::Kept,
            1 => Fate::Rigid,
            _ => Fate::Removed,
        };
        let [born, mass, volume] = input.triple()?;
        fragments.push(Fragment { parent, born, elements, mass, volume, fate });
    }
    let rest = (0..input.u64()?).map(|_| input.triple()).collect::<Result<Vec<_>, _>>()?;
    if fragile.cuts && rest.len() != nodes {
        let found = format!("{} nodes at rest", rest.len());
        return Err(SnapshotError::Mismatch { found, expected: format!("{nodes}") });
    }
    let cut = if fragile.cuts { tets } else { 0 };
    let outside = input.indices(cut, 16)?.into_iter().map(|bits| [0, 1, 2, 3].map(|k| bits >> k & 1 == 1)).collect();
    let mut links = Vec::new();
    for _ in 0..input.u64()? {
        let ends = input.indices(2, nodes)?;
        let [area, strength, opened] = input.triple()?;
        let normal = input.triple()?;
        links.push(Link { nodes: [ends[0], ends[1]], area, strength, normal, opened });
    }
    let carried = match &fragile.pieces {
        Pieces::Points(points) if points.flow.is_some() => Some(decode_carried(input, nodes, cracks.len())?),
        _ => None,
    };
    let tets = corners.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    Ok(Topology { origin, tets, cracks, tips, loose, fragment_of, fragments, links, rest, outside, carried })
}
