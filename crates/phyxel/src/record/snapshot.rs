//! The whole state as bytes, to go on from later, bit for bit.

use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
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
}

/// What [`decode`] finds.
pub(crate) struct Restored<R> {
    pub state: State<R>,
    pub rest: Vec<Vec3<R>>,
    pub elastic: Vec<Vec<Mat3<R>>>,
}

/// The state as bytes, with what updated-Lagrangian phyxels need: their reference and their elastic deformation.
pub(crate) fn encode<R: Real>(state: &State<R>, rest: &[Vec3<R>], elastic: &[&[Mat3<R>]]) -> Vec<u8> {
    let mut out = Writer(Vec::new());
    out.u64(state.u.len() as u64);
    out.u64(size_of::<R>() as u64);
    out.u64(state.time.to_bits());
    out.u64(state.steps);
    out.u64(state.before.dt.to_bits());
    out.vectors(&state.u);
    out.vectors(&state.v);
    if state.before.dt > 0.0 {
        out.vectors(&state.before.u);
        out.vectors(&state.before.v);
    }
    out.vectors(rest);
    for block in elastic {
        out.u64(block.len() as u64);
        block.iter().flat_map(|m| m.0).for_each(|row| out.vectors(&[Vec3(row)]));
    }
    out.0
}

/// The inverse of [`encode`].
pub(crate) fn decode<R: Real>(bytes: &[u8], model: &Model<R>) -> Result<Restored<R>, SnapshotError> {
    let nodes = model.node_count();
    let mut input = Reader { bytes, at: 0 };
    let (found_nodes, found_size) = (input.u64()?, input.u64()?);
    if (found_nodes, found_size) != (nodes as u64, size_of::<R>() as u64) {
        let describe = |n: u64, size: u64| format!("{n} nodes of {} bits", size.saturating_mul(8));
        let found = describe(found_nodes, found_size);
        return Err(SnapshotError::Mismatch { found, expected: describe(nodes as u64, size_of::<R>() as u64) });
    }
    let time = f64::from_bits(input.u64()?);
    let steps = input.u64()?;
    let dt = f64::from_bits(input.u64()?);
    let (u, v) = (input.vectors(nodes)?, input.vectors(nodes)?);
    let mut before = Before { dt, ..Default::default() };
    if dt > 0.0 {
        (before.u, before.v) = (input.vectors(nodes)?, input.vectors(nodes)?);
    }
    let rest = input.vectors(nodes)?;
    let mut elastic = Vec::new();
    for block in &model.blocks {
        let count = input.u64()? as usize;
        if count != 0 && count != block.len() {
            let (found, expected) = (format!("{count} phyxels"), format!("{} phyxels", block.len()));
            return Err(SnapshotError::Mismatch { found, expected });
        }
        let rows = input.vectors(3 * count)?;
        elastic.push(rows.chunks_exact(3).map(|r| Mat3([r[0].0, r[1].0, r[2].0])).collect());
    }
    if input.at != bytes.len() {
        return Err(SnapshotError::Length { found: bytes.len(), expected: input.at });
    }
    Ok(Restored { state: State { u, v, time, steps, before }, rest, elastic })
}

struct Writer(Vec<u8>);

impl Writer {
    fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }
    fn vectors<R: Real>(&mut self, vectors: &[Vec3<R>]) {
        let size = size_of::<R>();
        vectors.iter().flat_map(|v| v.0).for_each(|c| self.0.extend(&c.bits().to_le_bytes()[..size]));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], SnapshotError> {
        let end = self.at.saturating_add(count);
        let error = SnapshotError::Length { found: self.bytes.len(), expected: end };
        let taken = self.bytes.get(self.at..end).ok_or(error)?;
        self.at = end;
        Ok(taken)
    }
    fn u64(&mut self) -> Result<u64, SnapshotError> {
        Ok(u64_of(self.take(8)?))
    }
    fn vectors<R: Real>(&mut self, count: usize) -> Result<Vec<Vec3<R>>, SnapshotError> {
        let size = size_of::<R>();
        let bytes = self.take(3 * size * count)?;
        let number = |k: usize| R::from_bits(u64_of(&bytes[k * size..(k + 1) * size]));
        Ok((0..count).map(|i| Vec3([number(3 * i), number(3 * i + 1), number(3 * i + 2)])).collect())
    }
}

fn u64_of(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}
