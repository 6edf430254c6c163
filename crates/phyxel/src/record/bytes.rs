//! Numbers to bytes and back, little-endian, without loss.

use super::SnapshotError;
use crate::math::{Real, Vec3};

/// Writes numbers one after the other.
#[derive(Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }
    pub fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }
    pub fn triples(&mut self, triples: &[[f64; 3]]) {
        triples.iter().flatten().for_each(|c| self.f64(*c));
    }
    pub fn real<R: Real>(&mut self, value: R) {
        self.0.extend(&value.bits().to_le_bytes()[..size_of::<R>()]);
    }
    pub fn vectors<R: Real>(&mut self, vectors: &[Vec3<R>]) {
        vectors.iter().flat_map(|v| v.0).for_each(|c| self.real(c));
    }
}

/// Reads what a [`Writer`] wrote; bytes that end too soon are an error, whatever lengths they claim.
pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl Reader<'_> {
    pub fn take(&mut self, count: usize) -> Result<&[u8], SnapshotError> {
        let end = self.at.saturating_add(count);
        let error = SnapshotError::Length { found: self.bytes.len(), expected: end };
        let taken = self.bytes.get(self.at..end).ok_or(error)?;
        self.at = end;
        Ok(taken)
    }
    pub fn u64(&mut self) -> Result<u64, SnapshotError> {
        Ok(u64_of(self.take(8)?))
    }
    pub fn f64(&mut self) -> Result<f64, SnapshotError> {
        Ok(f64::from_bits(self.u64()?))
    }
    pub fn triples(&mut self, count: usize) -> Result<Vec<[f64; 3]>, SnapshotError> {
        let vectors: Vec<Vec3<f64>> = self.vectors(count)?;
        Ok(vectors.into_iter().map(|v| v.0).collect())
    }
    pub fn triple(&mut self) -> Result<[f64; 3], SnapshotError> {
        Ok([self.f64()?, self.f64()?, self.f64()?])
    }
    pub fn real<R: Real>(&mut self) -> Result<R, SnapshotError> {
        Ok(R::from_bits(u64_of(self.take(size_of::<R>())?)))
    }
    pub fn vectors<R: Real>(&mut self, count: usize) -> Result<Vec<Vec3<R>>, SnapshotError> {
        let size = size_of::<R>();
        let bytes = self.take(count.saturating_mul(3 * size))?;
        let number = |k: usize| R::from_bits(u64_of(&bytes[k * size..(k + 1) * size]));
        Ok((0..count).map(|i| Vec3([number(3 * i), number(3 * i + 1), number(3 * i + 2)])).collect())
    }
    /// Numbers below `limit`, such as nodes of a body.
    pub fn indices(&mut self, count: usize, limit: usize) -> Result<Vec<u32>, SnapshotError> {
        let bytes = self.take(count.saturating_mul(8))?;
        let index = |b: &[u8]| u64_of(b);
        match bytes.chunks_exact(8).map(index).find(|&i| i >= limit as u64) {
            Some(i) => {
                Err(SnapshotError::Mismatch { found: format!("index {i}"), expected: format!("{limit} of them") })
            }
            None => Ok(bytes.chunks_exact(8).map(|b| index(b) as u32).collect()),
        }
    }
}

fn u64_of(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}
