//! Who is near whom: a uniform grid over the points, rebuilt in parallel.

mod grid;
mod sweep;

use super::StencilError;
use super::slices::fill_rows;
use crate::math::{Real, Vec3};
use grid::Grid;
use rayon::prelude::*;
use sweep::{CHUNK, Chunk};

/// The neighbours of every point, itself excluded, in ascending order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Neighbours {
    /// Where each point's neighbours begin, and one more for the end.
    pub offsets: Vec<u32>,
    /// The neighbours, point after point.
    pub indices: Vec<u32>,
}

impl Neighbours {
    /// The neighbours of point `i`.
    #[inline(always)]
    pub fn of(&self, i: usize) -> &[u32] {
        &self.indices[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }
}

/// How far points see.
#[derive(Clone, Copy, Debug)]
pub enum Radii<'a, R> {
    /// All equally far [m].
    Fixed(R),
    /// Each for itself [m]; then `j` may be a neighbour of `i` without the reverse.
    Each(&'a [R]),
}

impl<R: Real> Radii<'_, R> {
    #[inline(always)]
    fn of(&self, i: usize) -> R {
        match self {
            Radii::Fixed(r) => *r,
            Radii::Each(r) => r[i],
        }
    }
}

/// The grid and its buffers; kept between rebuilds so that these allocate nothing.
///
/// The search runs through the points cell by cell, because the order in which they are given may jump all over memory;
/// what it finds is put into the order of the points at the end.
#[derive(Clone, Debug, Default)]
pub struct NeighbourSearch<R> {
    grid: Grid<R>,
    /// What was found for each run of [`CHUNK`] points in the order of the grid.
    chunks: Vec<Chunk>,
}

impl<R: Real> NeighbourSearch<R> {
    /// Finds, for every point `i`, all others closer than its radius. Positions that are not finite have no neighbours.
    pub fn rebuild(
        &mut self,
        points: &[Vec3<R>],
        radii: Radii<'_, R>,
        out: &mut Neighbours,
    ) -> Result<(), StencilError> {
        if let Radii::Each(r) = radii {
            StencilError::check_length("support radii", r.len(), points.len())?;
        }
        if points.len() > u32::MAX as usize {
            return Err(StencilError::TooLarge { entries: points.len() as u64 });
        }
        self.grid.sort(points, radii);
        self.chunks.resize_with(points.len().div_ceil(CHUNK), Chunk::default);
        self.check_size(radii)?;
        let grid = &self.grid;
        self.chunks.par_iter_mut().enumerate().for_each(|(k, chunk)| chunk.find(grid, radii, k));
        self.count(out)?;
        let (places, chunks) = (&self.grid.places, &self.chunks);
        fill_rows(&out.offsets, out.indices.as_mut_slice(), &|i, own: &mut [u32]| {
            let place = places[i] as usize;
            own.copy_from_slice(chunks[place / CHUNK].row(place % CHUNK));
        });
        Ok(())
    }

    /// Where the rows of points begin, from the lengths of what was found.
    fn count(&self, out: &mut Neighbours) -> Result<(), StencilError> {
        out.offsets.clear();
        out.offsets.resize(self.grid.order.len() + 1, 0);
        for (k, chunk) in self.chunks.iter().enumerate() {
            let order = &self.grid.order[k * CHUNK..];
            for (&i, length) in order.iter().zip(chunk.lengths()) {
                out.offsets[i as usize + 1] = length;
            }
        }
        let total: u64 = out.offsets.iter().map(|&c| c as u64).sum();
        if total > u32::MAX as u64 {
            return Err(StencilError::TooLarge { entries: total });
        }
        let mut end = 0;
        for offset in &mut out.offsets {
            end += *offset;
            *offset = end;
        }
        out.indices.resize(end as usize, 0);
        Ok(())
    }

    /// Counts before anything is stored when there might be too many pairs for 32-bit indices.
    fn check_size(&mut self, radii: Radii<'_, R>) -> Result<(), StencilError> {
        let grid = &self.grid;
        let candidates = |(k, chunk): (usize, &mut Chunk)| chunk.count_candidates(grid, radii, k);
        let most: u64 = self.chunks.par_iter_mut().enumerate().map(candidates).sum();
        if most <= u32::MAX as u64 {
            return Ok(());
        }
        let pairs = |(k, chunk): (usize, &mut Chunk)| chunk.count_pairs(grid, radii, k);
        let entries: u64 = self.chunks.par_iter_mut().enumerate().map(pairs).sum();
        if entries > u32::MAX as u64 { Err(StencilError::TooLarge { entries }) } else { Ok(()) }
    }
}

#[cfg(test)]
pub(crate) mod tests;
