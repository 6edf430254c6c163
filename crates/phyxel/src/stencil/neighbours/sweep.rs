//! The search itself, for a run of points in the order of the grid.

use super::Radii;
use super::grid::{Grid, Reach};
use crate::math::{Real, Vec3};
use crate::vectorised;
use std::ops::Range;

/// Points per task.
pub(super) const CHUNK: usize = 512;

/// Distances taken at once; a fixed number, so that the compiler makes vectors of them.
const BLOCK: usize = 8;

/// Rows longer than this are not kept between searches.
const LONG_ROW: usize = 1 << 16;

/// What was found for a run of points, and room to find it in.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    /// Where the row of each point ends.
    ends: Vec<u32>,
    found: Vec<u32>,
    row: Vec<u32>,
    runs: Vec<Range<usize>>,
}

impl Chunk {
    /// The neighbours of the `k`-th point of the chunk.
    #[inline]
    pub fn row(&self, k: usize) -> &[u32] {
        let start = if k > 0 { self.ends[k - 1] } else { 0 };
        &self.found[start as usize..self.ends[k] as usize]
    }

    /// Where the rows are held.
    #[cfg(test)]
    pub fn buffer(&self) -> *const u32 {
        self.found.as_ptr()
    }

    /// How many each point has.
    pub fn lengths(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.ends.len()).map(|k| self.ends[k] - if k > 0 { self.ends[k - 1] } else { 0 })
    }

    /// Finds the neighbours of the points of chunk `number`.
    pub fn find<R: Real>(&mut self, grid: &Grid<R>, radii: Radii<'_, R>, number: usize) {
        let (mut ends, mut found) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.found));
        ends.clear();
        found.clear();
        vectorised(
            #[inline(always)]
            || {
                self.sweep(grid, radii, number, |row| {
                    row.sort_unstable();
                    found.extend_from_slice(row);
                    ends.push(found.len() as u32);
                });
            },
        );
        // Room for a few more, so that the next search, over points that have moved a little, allocates nothing.
        if found.capacity() < found.len() + found.len() / 4 {
            found.reserve(found.len() / 2);
        }
        (self.ends, self.found) = (ends, found);
    }

    /// How many pairs there are.
    pub fn count_pairs<R: Real>(&mut self, grid: &Grid<R>, radii: Radii<'_, R>, number: usize) -> u64 {
        let mut pairs = 0;
        self.sweep(grid, radii, number, |row| pairs += row.len() as u64);
        pairs
    }

    /// How many points are looked at: never fewer than there are pairs.
    pub fn count_candidates<R: Real>(&mut self, grid: &Grid<R>, radii: Radii<'_, R>, number: usize) -> u64 {
        let mut candidates = 0;
        let mut rest = places(grid, number);
        while !rest.is_empty() {
            let group = self.next_group(grid, radii, &mut rest);
            candidates += group.len() as u64 * self.runs.iter().map(|r| r.len() as u64).sum::<u64>();
        }
        candidates
    }

    /// Calls `sink` with the neighbours of each point, in no order.
    #[inline(always)]
    fn sweep<R: Real>(&mut self, grid: &Grid<R>, radii: Radii<'_, R>, number: usize, mut sink: impl FnMut(&mut [u32])) {
        let mut rest = places(grid, number);
        while !rest.is_empty() {
            let group = self.next_group(grid, radii, &mut rest);
            let room = self.runs.iter().map(|r| r.len()).sum::<usize>() + BLOCK;
            if self.row.len() < room {
                self.row.resize(room + room / 4, 0);
            }
            for place in group {
                let ball = Ball::new(grid, radii, place);
                let mut count = 0;
                for run in &self.runs {
                    count += ball.scan(grid, run.clone(), &mut self.row[count..]);
                }
                sink(&mut self.row[..count]);
            }
        }
        if self.row.len() > LONG_ROW {
            self.row = Vec::new();
        }
    }

    /// Takes the points that share a cell from `rest` and finds the runs of places that can hold their neighbours.
    fn next_group<R: Real>(&mut self, grid: &Grid<R>, radii: Radii<'_, R>, rest: &mut Range<usize>) -> Range<usize> {
        let first = rest.start;
        let (mut low, mut radius) = (grid.point(first), radii.of(grid.order[first] as usize));
        let (mut high, mut end) = (low, first + 1);
        if grid.is_dense() {
            let bucket = grid.bucket(grid.cells(low));
            end = rest.end.min(grid.bucket_starts[bucket + 1] as usize);
            for place in first + 1..end {
                let p = grid.point(place);
                for a in 0..3 {
                    (low.0[a], high.0[a]) = (low[a].min(p[a]), high[a].max(p[a]));
                }
                radius = radius.max(radii.of(grid.order[place] as usize));
            }
        }
        rest.start = end;
        self.find_runs(grid, grid.reach(low, high, radius));
        first..end
    }

    fn find_runs<R: Real>(&mut self, grid: &Grid<R>, (low, high): Reach) {
        self.runs.clear();
        let cells: f64 = (0..3).map(|a| high[a] as f64 - low[a] as f64 + 1.0).product();
        if cells > 27.0 && cells > grid.order.len() as f64 {
            // Looking at every point is cheaper than looking at every cell.
            self.runs.push(0..grid.order.len());
            return;
        }
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                if grid.is_dense() {
                    let run = grid.places_between(grid.bucket([low[0], y, z]), grid.bucket([high[0], y, z]));
                    self.runs.push(run);
                    continue;
                }
                for x in low[0]..=high[0] {
                    let bucket = grid.bucket([x, y, z]);
                    self.runs.push(grid.places_between(bucket, bucket));
                }
            }
        }
        if !grid.is_dense() {
            // Cells may share a bucket, which must be looked at once.
            self.runs.sort_unstable_by_key(|r| (r.start, r.end));
            self.runs.dedup();
        }
    }
}

fn places<R>(grid: &Grid<R>, chunk: usize) -> Range<usize> {
    chunk * CHUNK..grid.order.len().min((chunk + 1) * CHUNK)
}

/// What one point sees.
struct Ball<R> {
    index: u32,
    center: Vec3<R>,
    squared: R,
}

impl<R: Real> Ball<R> {
    #[inline(always)]
    fn new(grid: &Grid<R>, radii: Radii<'_, R>, place: usize) -> Self {
        let index = grid.order[place];
        let radius = radii.of(index as usize);
        Ball { index, center: grid.point(place), squared: radius * radius }
    }

    #[inline(always)]
    fn holds(&self, x: R, y: R, z: R) -> bool {
        (Vec3([x, y, z]) - self.center).norm_squared() < self.squared
    }

    /// Writes the points of a run that lie in the ball to the front of `out`; it must have room for the whole run and a
    /// block. Every candidate is written and the next one overwrites it if it is too far: no branch to guess.
    #[inline(always)]
    fn scan(&self, grid: &Grid<R>, run: Range<usize>, out: &mut [u32]) -> usize {
        let order = &grid.order[run.clone()];
        let [x, y, z] = [0, 1, 2].map(|a| &grid.sorted[a][run.clone()]);
        let whole = order.len() - order.len() % BLOCK;
        let mut count = 0;
        let mut keep = |index: u32, near: bool| {
            out[count] = index;
            count += (near & (index != self.index)) as usize;
        };
        for start in (0..whole).step_by(BLOCK) {
            let block = start..start + BLOCK;
            let (order, x, y, z) = (&order[block.clone()], &x[block.clone()], &y[block.clone()], &z[block]);
            let mut near = [false; BLOCK];
            for l in 0..BLOCK {
                near[l] = self.holds(x[l], y[l], z[l]);
            }
            for l in 0..BLOCK {
                keep(order[l], near[l]);
            }
        }
        for l in whole..order.len() {
            keep(order[l], self.holds(x[l], y[l], z[l]));
        }
        count
    }
}
