//! The whole state as bytes, to go on from later, bit for bit.

use super::bytes::{Reader, Writer};
use super::{heat, topology};
use crate::fracture::Topology;
use crate::material::Grain;
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Fused, HeatModel, Loads, Model, PinSet};
use crate::scene::{Pin, Region};
use crate::solver::{Kept, Rest, Touch};
use crate::state::{Before, State};

/// Why bytes are not a snapshot of this simulation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Too short or too long.
    #[error("the snapshot is damaged or of another scene: it has {found} bytes where {expected} are needed")]
    Length {
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// Other node count or precision.
    #[error("the snapshot is of a simulation with {found}, this one has {expected}")]
    Mismatch {
        /// What the snapshot holds.
        found: String,
        /// What this simulation has.
        expected: String,
    },
    /// The matrix of the broken bodies cannot be set up.
    #[error("there is not enough memory for the factors of the snapshot's matrix: use linear = \"cg\"")]
    NoRoom,
}

/// What [`decode`] finds.
pub(crate) struct Restored<R> {
    pub state: State<R>,
    pub rest: Vec<Vec3<R>>,
    pub elastic: Vec<Vec<Mat3<R>>>,
    pub fused: Vec<Fused>,
    pub pins: Vec<PinSet>,
    pub loads: Loads<R>,
    pub heat: Vec<Option<HeatModel>>,
    pub kept: Kept<R>,
    pub progress: Progress,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// Events carried out.
    pub next_event: usize,
    /// What was put in, from which dissipation is counted [J].
    pub initial_energy: f64,
}

/// Everything that the next step depends on and that building the scene again would not give: the state, what events
/// have made of pins and loads, the references of updated phyxels, and what the solver keeps.
pub(crate) fn encode<R: Real>(model: &Model<R>, state: &State<R>, kept: &Kept<R>, progress: Progress) -> Vec<u8> {
    let mut out = Writer::default();
    topology::encode(&model.topologies(), &mut out);
    out.u64(state.u.len() as u64);
    out.u64(size_of::<R>() as u64);
    out.f64(state.time);
    out.u64(state.steps);
    out.f64(state.before.dt);
    out.vectors(&state.u);
    out.vectors(&state.v);
    if state.before.dt > 0.0 {
        out.vectors(&state.before.u);
        out.vectors(&state.before.v);
    }
    encode_grains(&state.grains, &mut out);
    out.u64(state.enthalpy.len() as u64);
    state.enthalpy.iter().for_each(|h| out.f64(*h));
    out.vectors(&model.rest);
    for block in &model.blocks {
        out.u64(block.elastic().len() as u64);
        block.elastic().iter().flat_map(|m| m.0).for_each(|row| out.vectors(&[Vec3(row)]));
    }
    model.bodies.iter().for_each(|body| encode_fused(&body.fused, &mut out));
    out.u64(model.pins.len() as u64);
    model.pins.iter().for_each(|pin| encode_pin(pin, &mut out));
    encode_loads(&model.loads, &mut out);
    heat::encode(&model.heat, &mut out);
    out.f64(kept.stable.unwrap_or(0.0));
    out.f64(kept.stencils);
    out.u64(kept.speeds.len() as u64);
    kept.speeds.iter().for_each(|speed| out.f64(*speed));
    out.u64(kept.forces.len() as u64);
    out.vectors(&kept.forces);
    out.u64(kept.touches.len() as u64);
    kept.touches.iter().for_each(|touch| encode_touch(touch, &mut out));
    out.u64(kept.presses.len() as u64);
    for (key, impulse, traction) in &kept.presses {
        out.u64(*key);
        out.real(*impulse);
        out.vectors(&[*traction]);
    }
    out.u64(kept.world.len() as u64);
    out.0.extend_from_slice(&kept.world);
    out.u64(state.torn.len() as u64);
    state.torn.iter().for_each(|&torn| out.u64(torn as u64));
    for rest in &state.rest {
        out.f64(rest.calm);
        out.u64(rest.asleep as u64);
        out.u64(rest.island as u64);
    }
    out.u64(progress.next_event as u64);
    out.f64(progress.initial_energy);
    out.0
}

fn encode_grains<R: Real>(blocks: &[Vec<Grain<R>>], out: &mut Writer) {
    out.u64(blocks.len() as u64);
    for grains in blocks {
        out.u64(grains.len() as u64);
        for g in grains {
            g.offset.0.iter().for_each(|row| out.vectors(&[Vec3(*row)]));
            let rest = [g.plastic_strain, g.work, g.expansion, g.stiffness, g.strength, g.fluidity, g.molten];
            rest.into_iter().for_each(|number| out.real(number));
        }
    }
}

fn decode_grains<R: Real>(input: &mut Reader<'_>, model: &Model<R>) -> Result<Vec<Vec<Grain<R>>>, SnapshotError> {
    let mut blocks = Vec::new();
    for k in 0..input.u64()? as usize {
        let count = input.u64()? as usize;
        let expected = model.blocks.get(k).map_or(0, |block| block.len());
        if count != 0 && count != expected {
            let (found, expected) = (format!("{count} elements that yield"), expected.to_string());
            return Err(SnapshotError::Mismatch { found, expected });
        }
        blocks.push((0..count).map(|_| decode_grain(input)).collect::<Result<_, _>>()?);
    }
    Ok(blocks)
}

fn decode_grain<R: Real>(input: &mut Reader<'_>) -> Result<Grain<R>, SnapshotError> {
    let rows = input.vectors::<R>(3)?;
    Ok(Grain {
        offset: Mat3([rows[0].0, rows[1].0, rows[2].0]),
        plastic_strain: input.real()?,
        work: input.real()?,
        expansion: input.real()?,
        stiffness: input.real()?,
        strength: input.real()?,
        fluidity: input.real()?,
        molten: input.real()?,
    })
}

fn encode_fused(fused: &Fused, out: &mut Writer) {
    out.u64(fused.union as u64);
    out.u64(fused.phyxels.len() as u64);
    for word in fused.phyxels.chunks(64) {
        out.u64(word.iter().enumerate().map(|(bit, fused)| (*fused as u64) << bit).sum());
    }
}

fn decode_fused(input: &mut Reader<'_>, phyxels: usize) -> Result<Fused, SnapshotError> {
    let (union, count) = (input.u64()? as u32, input.u64()? as usize);
    if count != 0 && count != phyxels {
        let (found, expected) = (format!("{count} phyxels that merge"), format!("{phyxels} phyxels"));
        return Err(SnapshotError::Mismatch { found, expected });
    }
    let words = (0..count.div_ceil(64)).map(|_| input.u64()).collect::<Result<Vec<_>, _>>()?;
    Ok(Fused { union, phyxels: (0..count).map(|i| words[i / 64] >> (i % 64) & 1 == 1).collect() })
}

fn encode_pin(pin: &PinSet, out: &mut Writer) {
    let Pin { velocity, spin, center, axes, until, .. } = &pin.motion;
    out.u64(pin.body as u64);
    out.f64(pin.start);
    out.f64(*until);
    out.triples(&[*velocity, *spin, *center]);
    out.u64(axes.iter().enumerate().map(|(a, &held)| (held as u64) << a).sum());
    out.u64(pin.nodes.len() as u64);
    pin.nodes.iter().for_each(|&n| out.u64(n as u64));
    out.triples(&pin.from);
}

fn encode_touch<R: Real>(touch: &Touch<R>, out: &mut Writer) {
    out.u64(touch.node as u64);
    out.u64(touch.collider as u64);
    out.u64(touch.drag.is_some() as u64);
    out.real(touch.drag.unwrap_or(R::zero()));
    out.real(touch.impulse);
}

fn encode_loads<R: Real>(loads: &Loads<R>, out: &mut Writer) {
    out.vectors(&[loads.gravity]);
    out.vectors(&loads.dead);
    out.u64(loads.pressures.len() as u64);
    for (face, pressure) in &loads.pressures {
        face.iter().for_each(|&n| out.u64(n as u64));
        out.real(*pressure);
    }
    loads.loaded_bodies.iter().for_each(|&loaded| out.u64(loaded as u64));
}

/// How the bodies of a snapshot hang together.
pub(crate) fn decode_topologies<R: Real>(
    bytes: &[u8],
    model: &Model<R>,
) -> Result<Vec<Option<Topology>>, SnapshotError> {
    topology::decode(&mut Reader { bytes, at: 0 }, model)
}

/// The inverse of [`encode`], for a model whose bodies hang together as those of the snapshot.
pub(crate) fn decode<R: Real>(bytes: &[u8], model: &Model<R>) -> Result<Restored<R>, SnapshotError> {
    let nodes = model.node_count();
    let mut input = Reader { bytes, at: 0 };
    topology::decode(&mut input, model)?;
    let (found_nodes, found_size) = (input.u64()?, input.u64()?);
    if (found_nodes, found_size) != (nodes as u64, size_of::<R>() as u64) {
        let describe = |n: u64, size: u64| format!("{n} nodes of {} bits", size.saturating_mul(8));
        let found = describe(found_nodes, found_size);
        return Err(SnapshotError::Mismatch { found, expected: describe(nodes as u64, size_of::<R>() as u64) });
    }
    let mut state = decode_state(&mut input, nodes)?;
    state.grains = decode_grains(&mut input, model)?;
    let warm = input.u64()?.min(nodes as u64);
    state.enthalpy = (0..warm).map(|_| input.f64()).collect::<Result<_, _>>()?;
    let rest = input.vectors(nodes)?;
    let elastic = model.blocks.iter().map(|block| decode_elastic(&mut input, block.len())).collect::<Result<_, _>>()?;
    let fused = model.bodies.iter().map(|body| decode_fused(&mut input, body.nodes.len())).collect::<Result<_, _>>()?;
    let pin_count = input.u64()?;
    let pins = (0..pin_count).map(|_| decode_pin(&mut input, model)).collect::<Result<_, _>>()?;
    let loads = decode_loads(&mut input, model)?;
    let heat = heat::decode(&mut input, model)?;
    let stable = Some(input.f64()?).filter(|limit| *limit > 0.0);
    let stencils = input.f64()?;
    let moving = input.u64()?.min(model.bodies.len() as u64);
    let speeds = (0..moving).map(|_| input.f64()).collect::<Result<_, _>>()?;
    let forces = input.u64()?.min(nodes as u64) as usize;
    let forces = input.vectors(forces)?;
    let touching = input.u64()?;
    let touches = (0..touching).map(|_| decode_touch(&mut input, model)).collect::<Result<_, _>>()?;
    let pressing = input.u64()?;
    let mut presses = Vec::new();
    for _ in 0..pressing {
        presses.push((input.u64()?, input.real()?, input.vectors(1)?[0]));
    }
    let world = input.u64()? as usize;
    let world = input.take(world)?.to_vec();
    let torn = input.u64()?.min(model.ties.len() as u64) as usize;
    state.torn = (0..torn).map(|_| input.u64().map(|t| t != 0)).collect::<Result<_, _>>()?;
    state.torn.resize(model.ties.len(), false);
    for _ in 0..model.bodies.len() {
        let (calm, asleep, island) = (input.f64()?, input.u64()? != 0, input.u64()? as u32);
        state.rest.push(Rest { calm, asleep, island });
    }
    let kept = Kept { stable, stencils, speeds, forces, touches, presses, world };
    let progress = Progress { next_event: input.u64()? as usize, initial_energy: input.f64()? };
    if input.at != bytes.len() {
        return Err(SnapshotError::Length { found: bytes.len(), expected: input.at });
    }
    Ok(Restored { state, rest, elastic, fused, pins, loads, heat, kept, progress })
}

fn decode_state<R: Real>(input: &mut Reader<'_>, nodes: usize) -> Result<State<R>, SnapshotError> {
    let (time, steps, dt) = (input.f64()?, input.u64()?, input.f64()?);
    let (u, v) = (input.vectors(nodes)?, input.vectors(nodes)?);
    let mut before = Before { dt, ..Default::default() };
    if dt > 0.0 {
        (before.u, before.v) = (input.vectors(nodes)?, input.vectors(nodes)?);
    }
    Ok(State { u, v, time, steps, before, ..State::default() })
}

fn decode_elastic<R: Real>(input: &mut Reader<'_>, phyxels: usize) -> Result<Vec<Mat3<R>>, SnapshotError> {
    let count = input.u64()? as usize;
    if count != 0 && count != phyxels {
        let (found, expected) = (format!("{count} phyxels"), format!("{phyxels} phyxels"));
        return Err(SnapshotError::Mismatch { found, expected });
    }
    let rows: Vec<Vec3<R>> = input.vectors(3 * count)?;
    Ok(rows.chunks_exact(3).map(|r| Mat3([r[0].0, r[1].0, r[2].0])).collect())
}

fn decode_pin<R: Real>(input: &mut Reader<'_>, model: &Model<R>) -> Result<PinSet, SnapshotError> {
    let body = input.indices(1, model.bodies.len())?[0] as usize;
    let (start, until) = (input.f64()?, input.f64()?);
    let (velocity, spin, center) = (input.triple()?, input.triple()?, input.triple()?);
    let bits = input.u64()?;
    let axes = std::array::from_fn(|a| bits >> a & 1 == 1);
    let count = input.u64()? as usize;
    let nodes = input.indices(count, model.node_count())?;
    let from = input.triples(count)?;
    let region = Region::Nodes(nodes.iter().map(|n| n.saturating_sub(model.bodies[body].nodes.start as u32)).collect());
    Ok(PinSet { body, nodes, from, start, motion: Pin { region, velocity, spin, center, axes, until } })
}

fn decode_touch<R: Real>(input: &mut Reader<'_>, model: &Model<R>) -> Result<Touch<R>, SnapshotError> {
    let node = input.indices(1, model.node_count())?[0];
    let collider = input.indices(1, model.colliders.len())?[0];
    let slides = input.u64()? == 1;
    let drag = input.real()?;
    let friction = R::of(model.friction_on(node as usize, collider as usize));
    Ok(Touch { drag: slides.then_some(drag), impulse: input.real()?, ..Touch::new(node, collider, friction) })
}

fn decode_loads<R: Real>(input: &mut Reader<'_>, model: &Model<R>) -> Result<Loads<R>, SnapshotError> {
    let nodes = model.node_count();
    let gravity = input.vectors(1)?[0];
    let dead = input.vectors(nodes)?;
    let count = input.u64()?;
    let mut pressures = Vec::new();
    for _ in 0..count {
        let face = input.indices(3, nodes)?;
        pressures.push(([face[0], face[1], face[2]], input.real()?));
    }
    let loaded = input.indices(model.bodies.len(), 2)?;
    Ok(Loads { gravity, dead, pressures, loaded_bodies: loaded.into_iter().map(|l| l == 1).collect() })
}
