//! How much of each cube is inside a closed surface, exactly.
//!
//! Every triangle is cut along the planes of the grid. A piece in a cube bounds, along x, a part of that cube and whole
//! cubes before it: the divergence theorem, cube by cube. Triangles that look towards high x add what lies before them,
//! the others take it away.

use super::cubes::Cubes;
use crate::math::Vec3;
use crate::shape::TriMesh;
use rayon::prelude::*;

/// A piece of a triangle in one cube.
#[derive(Clone, Copy)]
struct Piece {
    cube: usize,
    /// Its area seen along x, in faces of a cube; positive when it looks towards high x.
    area: f64,
    /// What lies before it in its own cube, in cubes.
    before: f64,
}

/// Triangles per task.
const GRAIN: usize = 1024;

/// Shares closer to nothing or all than this are rounding errors.
const ROUNDING: f64 = 1e-9;

/// Calls `found(cube, share)` for every cube with something inside, from the last to the first. Where parts of the surface
/// overlap a cube is still only full.
pub(super) fn shares(mesh: &TriMesh, cubes: &Cubes, mut found: impl FnMut(usize, f64)) {
    let cut = |triangles: &[[u32; 3]]| {
        let mut pieces = Vec::new();
        for t in triangles {
            let corners = t.map(|n| {
                let p = mesh.points[n as usize];
                Vec3([0, 1, 2].map(|a| (p[a] - cubes.low[a]) / cubes.size))
            });
            cut(Polygon::of(corners), 2, [0; 3], cubes, &mut pieces);
        }
        pieces
    };
    let mut pieces: Vec<Piece> = mesh.triangles.par_chunks(GRAIN).flat_map_iter(cut).collect();
    // Stable, so that sums have a fixed order.
    pieces.par_sort_by_key(|p| std::cmp::Reverse(p.cube));
    let row = |cube: usize| cube / cubes.counts[0];
    for pieces in pieces.chunk_by(|a, b| row(a.cube) == row(b.cube)) {
        // What the pieces beyond a cube say about it: the winding number of the row.
        let mut covered = 0.0;
        let mut reached = pieces[0].cube + 1;
        for own in pieces.chunk_by(|a, b| a.cube == b.cube) {
            let cube = own[0].cube;
            tell(&mut found, cube + 1..reached, covered);
            let before: f64 = own.iter().map(|p| p.before).sum();
            tell(&mut found, cube..cube + 1, covered + before);
            covered += own.iter().map(|p| p.area).sum::<f64>();
            reached = cube;
        }
    }
}

fn tell(found: &mut impl FnMut(usize, f64), cubes: std::ops::Range<usize>, share: f64) {
    let share = if share > 1.0 - ROUNDING { 1.0 } else { share };
    if share > ROUNDING {
        cubes.rev().for_each(|cube| found(cube, share));
    }
}

/// A convex piece of a triangle, in units of cubes.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [Vec3<f64>; 12],
    count: usize,
}

impl Polygon {
    fn of(triangle: [Vec3<f64>; 3]) -> Self {
        let mut corners = [Vec3::zero(); 12];
        corners[..3].copy_from_slice(&triangle);
        Polygon { corners, count: 3 }
    }

    fn corners(&self) -> &[Vec3<f64>] {
        &self.corners[..self.count]
    }

    fn push(&mut self, corner: Vec3<f64>) {
        // A triangle has at most nine corners after six cuts; a tenth could only be a rounding error.
        if self.count < self.corners.len() {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    fn extent(&self, axis: usize) -> (f64, f64) {
        let along = self.corners().iter().map(|c| c[axis]);
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    }

    /// What lies below and above a plane across an axis.
    fn split(&self, axis: usize, at: f64) -> (Polygon, Polygon) {
        let empty = Polygon { corners: [Vec3::zero(); 12], count: 0 };
        let (mut below, mut above) = (empty, empty);
        for k in 0..self.count {
            let (p, q) = (self.corners[k], self.corners[(k + 1) % self.count]);
            (if p[axis] < at { &mut below } else { &mut above }).push(p);
            if (p[axis] < at) != (q[axis] < at) {
                let share = (at - p[axis]) / (q[axis] - p[axis]);
                let mut on = p + (q - p) * share;
                on.0[axis] = at;
                below.push(on);
                above.push(on);
            }
        }
        (below, above)
    }

    /// Signed area seen along x, and the same area times the mean of x over it.
    fn moments(&self) -> (f64, f64) {
        let (mut area, mut moment) = (0.0, 0.0);
        for k in 2..self.count {
            let [a, b, c] = [self.corners[0], self.corners[k - 1], self.corners[k]];
            let (ab, ac) = (b - a, c - a);
            let part = 0.5 * (ab[1] * ac[2] - ab[2] * ac[1]);
            area += part;
            moment += part * (a[0] + b[0] + c[0]) / 3.0;
        }
        (area, moment)
    }
}

/// Cuts a polygon along the planes of the grid, axis by axis down from `axis`.
fn cut(polygon: Polygon, axis: usize, mut cell: [usize; 3], cubes: &Cubes, pieces: &mut Vec<Piece>) {
    let (low, high) = polygon.extent(axis);
    // Points on the outer faces of the grid belong to its outer cubes, also when rounding puts them beyond.
    let last = cubes.counts[axis] - 1;
    let (first, end) = ((low.max(0.0) as usize).min(last), (high.max(0.0) as usize).min(last));
    let mut rest = polygon;
    for i in first..=end {
        let piece = if i < end {
            let (below, above) = rest.split(axis, i as f64 + 1.0);
            rest = above;
            below
        } else {
            rest
        };
        cell[axis] = i;
        if piece.count < 3 {
            continue;
        }
        if axis > 0 {
            cut(piece, axis - 1, cell, cubes, pieces);
            continue;
        }
        let (area, moment) = piece.moments();
        let before = moment - area * i as f64;
        pieces.push(Piece { cube: cubes.index(cell), area, before });
    }
}
