//! Points sorted into the cells of a uniform grid.

use super::Radii;
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Cells are numbered densely while there are at most a few per point, and hashed otherwise, so memory is bounded by
/// the number of points whatever their extent.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid<R> {
    origin: Vec3<R>,
    per_cell: R,
    /// Cells along each axis when dense, zero when hashed.
    dense: [usize; 3],
    pub bucket_starts: Vec<u32>,
    /// Points in the order of their buckets, ascending within each.
    pub order: Vec<u32>,
    /// Where each point stands in that order.
    pub places: Vec<u32>,
    /// Their coordinates, axis by axis, in that order.
    pub sorted: [Vec<R>; 3],
}

/// Dense grids may have this many cells per point.
const CELLS_PER_POINT: usize = 4;

/// Cells from the lowest to the highest along each axis, both included.
pub(super) type Reach = ([i64; 3], [i64; 3]);

impl<R: Real> Grid<R> {
    /// Sorts points into cells as wide as the mean radius.
    pub fn sort(&mut self, points: &[Vec3<R>], radii: Radii<'_, R>) {
        self.lay_out(points, radii);
        self.sort_into_buckets(points);
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
        let cell = mean_radius(points.len(), radii);
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
        let c = floor(((x - self.origin[axis]) * self.per_cell).to_f64());
        // Rounding may carry the highest point across the last border.
        if self.dense[axis] > 0 { c.clamp(0, self.dense[axis] as i64 - 1) } else { c }
    }

    #[inline(always)]
    pub fn cells(&self, p: Vec3<R>) -> [i64; 3] {
        [self.cell(p[0], 0), self.cell(p[1], 1), self.cell(p[2], 2)]
    }

    /// Whether consecutive cells along x are consecutive buckets.
    #[inline(always)]
    pub fn is_dense(&self) -> bool {
        self.dense[0] > 0
    }

    #[inline(always)]
    pub fn bucket(&self, c: [i64; 3]) -> usize {
        if self.is_dense() {
            return (c[2] as usize * self.dense[1] + c[1] as usize) * self.dense[0] + c[0] as usize;
        }
        let mut h = 0_u64;
        for v in c {
            h = (h ^ v as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            h ^= h >> 29;
        }
        h as usize & (self.bucket_starts.len() - 2)
    }

    /// The places of the points from one bucket to another, both included.
    #[inline(always)]
    pub fn places_between(&self, first: usize, last: usize) -> Range<usize> {
        self.bucket_starts[first] as usize..self.bucket_starts[last + 1] as usize
    }

    /// The point at a place.
    #[inline(always)]
    pub fn point(&self, place: usize) -> Vec3<R> {
        Vec3([self.sorted[0][place], self.sorted[1][place], self.sorted[2][place]])
    }

    /// A counting sort; stable, so the order within a bucket is that of the points.
    fn sort_into_buckets(&mut self, points: &[Vec3<R>]) {
        let mut places = std::mem::take(&mut self.places);
        points.par_iter().with_min_len(1024).map(|p| self.bucket(self.cells(*p)) as u32).collect_into_vec(&mut places);
        self.places = places;
        for &b in &self.places {
            self.bucket_starts[b as usize + 1] += 1;
        }
        for b in 1..self.bucket_starts.len() {
            self.bucket_starts[b] += self.bucket_starts[b - 1];
        }
        self.order.resize(points.len(), 0);
        // Filled from the back, every start slides down to its place and ends where it was.
        for (i, place) in self.places.iter_mut().enumerate().rev() {
            let next = &mut self.bucket_starts[*place as usize + 1];
            *next -= 1;
            *place = *next;
            self.order[*next as usize] = i as u32;
        }
        self.bucket_starts.rotate_left(1);
        if let Some(last) = self.bucket_starts.last_mut() {
            *last = points.len() as u32;
        }
        let order = &self.order;
        for (axis, sorted) in self.sorted.iter_mut().enumerate() {
            order.par_iter().with_min_len(4096).map(|&i| points[i as usize][axis]).collect_into_vec(sorted);
        }
    }

    /// The cells that balls of this radius around the points of a box touch.
    #[inline]
    pub fn reach(&self, low: Vec3<R>, high: Vec3<R>, radius: R) -> Reach {
        // A little more than the radius, since `p ± radius` is rounded.
        let slack = |x: R| radius + (radius + x.abs()) * (R::EPSILON * R::of(4.0));
        let lower = [0, 1, 2].map(|a| self.cell(low[a] - slack(low[a]), a));
        let upper = [0, 1, 2].map(|a| self.cell(high[a] + slack(high[a]), a));
        (lower, upper)
    }
}

/// Rounds down; `f64::floor` is a call where the processor is not known to have an instruction for it.
#[inline(always)]
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole.saturating_sub((whole as f64 > x) as i64)
}

/// The mean of the radii that are positive and finite; 1 when none is [m].
fn mean_radius<R: Real>(points: usize, radii: Radii<'_, R>) -> f64 {
    let sound = |r: &f64| *r > 0.0 && r.is_finite();
    let (sum, count) = match radii {
        Radii::Fixed(r) => (Some(r.to_f64()).filter(sound).unwrap_or(0.0), 1.0),
        Radii::Each(radii) => {
            let sound = radii[..points].iter().map(|r| r.to_f64()).filter(sound);
            sound.fold((0.0, 0.0), |(s, n), r| (s + r, n + 1.0))
        }
    };
    if sum > 0.0 { sum / count } else { 1.0 }
}
