//! Surfaces that remember, as bytes and back, without loss: what a run needs to go on where it was interrupted.

use crate::error::SurfaceError;
use phyxel::math::Vec3;

/// Writes numbers one after the other, little-endian.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }
    pub fn number(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }
    pub fn double(&mut self, value: f64) {
        self.number(value.to_bits());
    }
    pub fn vector(&mut self, value: Vec3<f64>) {
        value.0.into_iter().for_each(|c| self.double(c));
    }
    pub fn colour(&mut self, value: [f32; 3]) {
        value.into_iter().for_each(|c| self.0.extend(c.to_le_bytes()));
    }
    /// How many there are, and then each.
    pub fn list<T: Copy>(&mut self, items: &[T], write: impl Fn(&mut Self, T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| write(self, *item));
    }
}

/// Reads what a [`Writer`] wrote; gives nothing beyond the end, whatever lengths the bytes claim.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }
    pub fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[b]| b)
    }
    pub fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
    pub fn double(&mut self) -> Option<f64> {
        self.number().map(f64::from_bits)
    }
    pub fn vector(&mut self) -> Option<Vec3<f64>> {
        Some(Vec3([self.double()?, self.double()?, self.double()?]))
    }
    pub fn colour(&mut self) -> Option<[f32; 3]> {
        let mut single = || self.take().map(f32::from_le_bytes);
        Some([single()?, single()?, single()?])
    }
    /// A list of which each item takes at least one byte.
    pub fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number().and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= self.0.len())?;
        (0..count).map(|_| read(self)).collect()
    }
    /// A list of which the length is known.
    pub fn list_of<T>(&mut self, count: usize, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.list(read).filter(|list| list.len() == count)
    }
}

/// A surface that goes on where another one like it was left.
pub(crate) trait Saved {
    /// What it remembers.
    fn save(&self, to: &mut Writer);
    /// Remembers what was saved; nothing where that belongs to another surface.
    fn restore(&mut self, from: &mut Reader<'_>) -> Option<()>;
}

/// The error of bytes that fit no surface of this scene.
pub(crate) fn unfit(body: &str) -> SurfaceError {
    SurfaceError::Unfit { body: body.into() }
}
