//! Who is near whom: a uniform grid over the points, rebuilt in parallel.

use super::StencilError;
use super::slices::fill_rows;
use crate::math::{Real, Vec3};
use rayon::prelude::*;

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
/// Cells are numbered densely while there are at most a few per point, and hashed otherwise, so memory is bounded by
/// the number of points whatever their extent.
#[derive(Clone, Debug, Default)]
pub struct NeighbourSearch<R> {
    origin: Vec3<R>,
    per_cell: R,
    /// Cells along each axis when dense, zero when hashed.
    dense: [usize; 3],
    bucket_of_point: Vec<u32>,
    bucket_starts: Vec<u32>,
    /// Points in the order of their buckets, ascending within each.
    order: Vec<u32>,
    sorted: Vec<Vec3<R>>,
}

/// Dense grids may have this many cells per point.
const CELLS_PER_POINT: usize = 4;

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
        self.lay_out(points, radii);
        self.sort_into_buckets(points);
        self.count(points, radii, out)?;
        let search = &*self;
        fill_rows(&out.offsets, out.indices.as_mut_slice(), &|i, own: &mut [u32]| {
            let mut slots = own.iter_mut();
            search.visit(points[i], radii.of(i), i, |j| {
                if let Some(slot) = slots.next() {
                    *slot = j;
                }
            });
            own.sort_unstable();
        });
        Ok(())
    }

    /// Chooses the cell size, the mean radius, and how cells are numbered.
    fn lay_out(&mut self, points: &[Vec3<R>], radii: Radii<'_, R>) {
        let (mut low, mut high) = (Vec3([R::zero(); 3]), Vec3([R::zero(); 3]));
        let mut finite = points.iter().filter(|p| p.is_finite());
        if let Some(first) = finite.next() {
            (low, high) = finite.fold((*first, *first), |(l, h), p| {
                (Vec3([0, 1, 2].map(|a| l[a].min(p[a]))), Vec3([0, 1, 2].map(|a| h[a].max(p[a]))))
            });
        }
        let (mut sum, mut count) = (0.0, 0_usize);
        for r in (0..points.len()).map(|i| radii.of(i).to_f64()).filter(|r| *r > 0.0 && r.is_finite()) {
            sum += r;
            count += 1;
        }
        let cell = if count > 0 { sum / count as f64 } else { 1.0 };
        self.origin = low;
        self.per_cell = R::of(1.0 / cell);
        let cells = [0, 1, 2].map(|a| ((high[a].to_f64() - low[a].to_f64()) / cell).floor() + 2.0);
        let few = cells[0] * cells[1] * cells[2] <= (CELLS_PER_POINT * points.len() + 64) as f64;
        self.dense = if few { cells.map(|c| c as usize) } else { [0; 3] };
        let buckets = if few { self.dense.iter().product() } else { points.len().next_power_of_two() };
        self.bucket_starts.clear();
        self.bucket_starts.resize(buckets + 1, 0);
    }

    /// The cell of a coordinate. Casts saturate, so far points share the last cells; being monotone is all that matters.
    #[inline(always)]
    fn cell(&self, x: R, axis: usize) -> i64 {
        let c = ((x - self.origin[axis]) * self.per_cell).to_f64().floor() as i64;
        // Rounding may carry the highest point across the last border.
        if self.dense[axis] > 0 { c.clamp(0, self.dense[axis] as i64 - 1) } else { c }
    }

    #[inline(always)]
    fn cells(&self, p: Vec3<R>) -> [i64; 3] {
        [self.cell(p[0], 0), self.cell(p[1], 1), self.cell(p[2], 2)]
    }

    #[inline(always)]
    fn bucket(&self, c: [i64; 3]) -> usize {
        if self.dense[0] > 0 {
            return (c[2] as usize * self.dense[1] + c[1] as usize) * self.dense[0] + c[0] as usize;
        }
        let mut h = 0_u64;
        for v in c {
            h = (h ^ v as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            h ^= h >> 29;
        }
        h as usize & (self.bucket_starts.len() - 2)
    }

    /// A counting sort; stable, so the order within a bucket is that of the points.
    fn sort_into_buckets(&mut self, points: &[Vec3<R>]) {
        let mut buckets = std::mem::take(&mut self.bucket_of_point);
        points.par_iter().with_min_len(1024).map(|p| self.bucket(self.cells(*p)) as u32).collect_into_vec(&mut buckets);
        self.bucket_of_point = buckets;
        for &b in &self.bucket_of_point {
            self.bucket_starts[b as usize + 1] += 1;
        }
        for b in 1..self.bucket_starts.len() {
            self.bucket_starts[b] += self.bucket_starts[b - 1];
        }
        self.order.resize(points.len(), 0);
        self.sorted.resize(points.len(), Vec3::default());
        // Filled from the back, every start slides down to its place and ends where it was.
        for i in (0..points.len()).rev() {
            let next = &mut self.bucket_starts[self.bucket_of_point[i] as usize + 1];
            *next -= 1;
            self.order[*next as usize] = i as u32;
            self.sorted[*next as usize] = points[i];
        }
        self.bucket_starts.rotate_left(1);
        if let Some(last) = self.bucket_starts.last_mut() {
            *last = points.len() as u32;
        }
    }

    fn count(&self, points: &[Vec3<R>], radii: Radii<'_, R>, out: &mut Neighbours) -> Result<(), StencilError> {
        let n = points.len();
        (0..n)
            .into_par_iter()
            .with_min_len(128)
            .map(|i| {
                let mut count = 0;
                self.visit(points[i], radii.of(i), i, |_| count += 1);
                count
            })
            .collect_into_vec(&mut out.offsets);
        let total: u64 = out.offsets.iter().map(|&c| c as u64).sum();
        if total > u32::MAX as u64 {
            return Err(StencilError::TooLarge { entries: total });
        }
        let mut start = 0;
        for c in &mut out.offsets {
            start += std::mem::replace(c, start);
        }
        out.offsets.push(start);
        out.indices.resize(start as usize, 0);
        Ok(())
    }

    /// Calls `found` for every point but `i` closer to `p` than `radius`.
    #[inline]
    fn visit(&self, p: Vec3<R>, radius: R, i: usize, mut found: impl FnMut(u32)) {
        let squared = radius * radius;
        let mut scan = |range: std::ops::Range<usize>, cell: Option<[i64; 3]>| {
            for k in range {
                let q = self.sorted[k];
                let near = (q - p).norm_squared() < squared;
                if near && self.order[k] as usize != i && cell.is_none_or(|c| self.cells(q) == c) {
                    found(self.order[k]);
                }
            }
        };
        let Some((low, high)) = self.reach(p, radius) else {
            return scan(0..self.sorted.len(), None);
        };
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let b = self.bucket([x, y, z]);
                    let range = self.bucket_starts[b] as usize..self.bucket_starts[b + 1] as usize;
                    // Hashed cells may share a bucket; a point is only taken when its own cell is visited.
                    scan(range, (self.dense[0] == 0).then_some([x, y, z]));
                }
            }
        }
    }

    /// The cells that a ball touches; `None` when looking at every point is cheaper.
    fn reach(&self, p: Vec3<R>, radius: R) -> Option<([i64; 3], [i64; 3])> {
        let mut low = [0; 3];
        let mut high = [0; 3];
        let mut cells = 1.0;
        for a in 0..3 {
            // A little more than the radius, since `p ± radius` is rounded.
            let r = radius + (radius + p[a].abs()) * (R::EPSILON * R::of(4.0));
            low[a] = self.cell(p[a] - r, a);
            high[a] = self.cell(p[a] + r, a);
            cells *= high[a] as f64 - low[a] as f64 + 1.0;
        }
        let cheaper = cells <= 27.0 || cells <= self.sorted.len() as f64;
        cheaper.then_some((low, high))
    }
}

#[cfg(test)]
#[path = "neighbours_tests.rs"]
pub(crate) mod tests;
