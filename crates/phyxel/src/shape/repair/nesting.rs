//! Which shell lies in which.
//!
//! From the middle of one face of each shell a ray runs along an axis, both ways; a shell that it crosses an odd number of
//! times lies around that face. Faces are found through a grid over the plane of the other two axes. The ray's axis is
//! the one along which the model is shortest, so that parts in a row do not all lie behind each other; below it is
//! called x, and the other two y and z.

use super::edges::bucket;
use super::outward::Shell;
use std::ops::RangeInclusive;

/// The grid keeps at most this many entries per face, on average.
const MOST_ENTRIES: usize = 8;

/// Faces of shells, to be found by y and z.
pub(super) struct Nesting<'a> {
    points: &'a [[f64; 3]],
    triangles: &'a [[u32; 3]],
    shell_of_face: &'a [u32],
    shells: &'a [Shell],
    axis: usize,
    grid: Plane,
    starts: Vec<u32>,
    faces: Vec<u32>,
}

/// Square cells over the plane of y and z.
#[derive(Clone, Copy)]
struct Plane {
    low: [f64; 2],
    /// Width of a cell [m].
    cell: f64,
    sides: [usize; 2],
}

impl Plane {
    fn column(&self, y: f64, axis: usize) -> usize {
        // The cast puts anything below zero at zero.
        (((y - self.low[axis]) / self.cell) as usize).min(self.sides[axis] - 1)
    }

    /// The columns that a face spans along one axis.
    fn columns(&self, corners: [[f64; 3]; 3], axis: usize) -> RangeInclusive<usize> {
        let [a, b, c] = corners.map(|p| p[axis + 1]);
        self.column(a.min(b).min(c), axis)..=self.column(a.max(b).max(c), axis)
    }

    fn cells(&self, corners: [[f64; 3]; 3]) -> impl Iterator<Item = usize> + use<> {
        let (side, zs) = (self.sides[1], self.columns(corners, 1));
        self.columns(corners, 0).flat_map(move |y| zs.clone().map(move |z| y * side + z))
    }

    fn cell_count(&self, corners: [[f64; 3]; 3]) -> usize {
        let length = |range: RangeInclusive<usize>| range.end() - range.start() + 1;
        length(self.columns(corners, 0)) * length(self.columns(corners, 1))
    }
}

impl<'a> Nesting<'a> {
    pub(super) fn of(
        points: &'a [[f64; 3]],
        triangles: &'a [[u32; 3]],
        shell_of_face: &'a [u32],
        shells: &'a [Shell],
    ) -> Self {
        let axis = shortest_axis(points);
        let corners = |face: u32| triangles[face as usize].map(|v| seen_along(axis, points[v as usize]));
        let is_shell = |face: &u32| shells[shell_of_face[*face as usize] as usize].six_volume != 0.0;
        let own: Vec<u32> = (0..triangles.len() as u32).filter(is_shell).collect();
        let grid = plane(own.len(), || own.iter().map(|&f| corners(f)));
        let entries: Vec<(usize, u32)> =
            own.iter().flat_map(|&f| grid.cells(corners(f)).map(move |cell| (cell, f))).collect();
        let cells = grid.sides[0] * grid.sides[1];
        let (starts, order) = bucket(cells, entries.len() as u32, |e| entries[e as usize].0 as u32);
        let faces = order.into_iter().map(|e| entries[e as usize].1).collect();
        Nesting { points, triangles, shell_of_face, shells, axis, grid, starts, faces }
    }

    fn at(&self, vertex: u32) -> [f64; 3] {
        seen_along(self.axis, self.points[vertex as usize])
    }

    /// For each of the patches the largest shell around it that is larger than itself, if it lies in any.
    pub(super) fn containers(&self) -> Vec<Option<u32>> {
        let mut around = vec![None; self.shells.len()];
        let mut done = vec![false; self.shells.len()];
        for (face, &patch) in self.shell_of_face.iter().enumerate() {
            let patch = patch as usize;
            if !done[patch] && self.shells[patch].six_volume != 0.0 {
                done[patch] = true;
                around[patch] = self.around(face);
            }
        }
        around
    }

    /// The largest shell around the middle of a face.
    fn around(&self, face: usize) -> Option<u32> {
        let [a, b, c] = self.triangles[face].map(|v| self.at(v));
        let from: [f64; 3] = std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
        let cell = self.grid.column(from[1], 0) * self.grid.sides[1] + self.grid.column(from[2], 1);
        let size = |shell: u32| self.shells[shell as usize].six_volume.abs();
        let own = size(self.shell_of_face[face]);
        let mut crossed: Vec<(u32, bool)> = Vec::new();
        for &other in &self.faces[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
            let shell = self.shell_of_face[other as usize];
            if size(shell) > own {
                crossed.extend(self.crossing(other, from).map(|x| (shell, x > from[0])));
            }
        }
        crossed.sort_unstable();
        // A ray may slip through a hole of an open shell, but hardly both ways.
        let inside = crossed.chunk_by(|a, b| a.0 == b.0).filter(|hits| {
            let ahead = hits.iter().filter(|h| h.1).count();
            ahead % 2 == 1 || (hits.len() - ahead) % 2 == 1
        });
        inside.map(|hits| hits[0].0).max_by(|a, b| size(*a).total_cmp(&size(*b)))
    }

    /// Where a line along x through `from` meets a face [m].
    fn crossing(&self, face: u32, from: [f64; 3]) -> Option<f64> {
        let t = self.triangles[face as usize];
        let sides = [self.side(t[0], t[1], from), self.side(t[1], t[2], from), self.side(t[2], t[0], from)];
        if !(sides.iter().all(|s| s.1) || sides.iter().all(|s| !s.1)) {
            return None;
        }
        let sum: f64 = sides.iter().map(|s| s.0).sum();
        let opposite = [t[2], t[0], t[1]].map(|v| self.at(v)[0]);
        (sum != 0.0).then(|| (0..3).map(|k| sides[k].0 / sum * opposite[k]).sum())
    }

    /// On which side of the line through two vertices a point lies, seen along x: twice the area of the triangle with it
    /// [m²], and the decision. Both faces of an edge compute the same number, and a point on the line counts as if it
    /// were moved a little (by ε along y, ε² along z), so a ray through an edge or a vertex crosses a surface once.
    fn side(&self, a: u32, b: u32, from: [f64; 3]) -> (f64, bool) {
        let flip = a > b;
        let [p, q] = [a.min(b), a.max(b)].map(|v| self.at(v));
        let (dy, dz) = (q[1] - p[1], q[2] - p[2]);
        let area = dy * (from[2] - p[2]) - dz * (from[1] - p[1]);
        let left = if area != 0.0 {
            area > 0.0
        } else if dz != 0.0 {
            dz < 0.0
        } else {
            dy > 0.0
        };
        (if flip { -area } else { area }, left != flip)
    }
}

/// Coordinates turned round until the axis comes first.
fn seen_along(axis: usize, p: [f64; 3]) -> [f64; 3] {
    [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]]
}

fn shortest_axis(points: &[[f64; 3]]) -> usize {
    let extent = |k: usize| {
        let (low, high) =
            points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[k]), h.max(p[k])));
        high - low
    };
    let extents = [0, 1, 2].map(extent);
    (0..3).fold(0, |best, k| if extents[k] < extents[best] { k } else { best })
}

/// The finest grid that keeps the number of entries bounded.
fn plane<I: Iterator<Item = [[f64; 3]; 3]>>(count: usize, faces: impl Fn() -> I) -> Plane {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in faces().flatten() {
        for k in 0..2 {
            low[k] = low[k].min(p[k + 1]);
            high[k] = high[k].max(p[k + 1]);
        }
    }
    // As many cells as faces, or nearly so.
    let extent = [0, 1].map(|k| (high[k] - low[k]).max(f64::MIN_POSITIVE));
    let count = count.max(1);
    let mut cell = (extent[0] * extent[1] / count as f64).sqrt().max(extent[0].max(extent[1]) / count as f64);
    loop {
        let sides = extent.map(|e| ((e / cell) as usize).clamp(1, count));
        let plane = Plane { low, cell, sides };
        let entries: usize = faces().map(|corners| plane.cell_count(corners)).sum();
        if sides == [1, 1] || entries <= MOST_ENTRIES * count {
            return plane;
        }
        cell *= 2.0;
    }
}
