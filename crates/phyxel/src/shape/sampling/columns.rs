//! Lines along x through a surface, a whole grid of them at once.
//!
//! The stencil-buffer method (Stegmayr 2008, table 3.2) without a graphics card: front faces count up, back faces count
//! down, and what is above zero is inside. Here each triangle is drawn once and the crossings are kept, so that all
//! depths are known together and with all their digits.

use crate::math::Vec3;
use crate::shape::TriMesh;
use rayon::prelude::*;

/// Evenly spaced places along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Places {
    pub first: f64,
    pub step: f64,
    pub count: usize,
}

impl Places {
    pub fn at(&self, i: usize) -> f64 {
        self.first + self.step * i as f64
    }

    /// The first place that is not below `x`. What matters is only that the same `x` always gives the same answer: then
    /// a line near an edge belongs to exactly one of its two triangles, whatever is rounded.
    pub fn from(&self, x: f64) -> usize {
        ((x - self.first) / self.step).ceil().clamp(0.0, self.count as f64) as usize
    }
}

/// The crossings of every line along x with a closed surface.
pub(crate) struct Columns {
    starts: Vec<u32>,
    /// Where along x [m]; +1 where a line goes in and −1 where it comes out.
    crossings: Vec<(f64, i32)>,
    rows: usize,
}

struct Hit {
    column: u32,
    at: f64,
    turn: i32,
}

/// Triangles per task.
const GRAIN: usize = 2048;

impl Columns {
    /// Lines at every `y` and `z`; their number must fit 32 bits.
    pub fn new(mesh: &TriMesh, y: Places, z: Places) -> Self {
        let draw = |triangles: &[[u32; 3]]| {
            let mut hits = Vec::new();
            triangles.iter().for_each(|t| draw(t.map(|n| Vec3(mesh.points[n as usize])), y, z, &mut hits));
            hits
        };
        let hits: Vec<Vec<Hit>> = mesh.triangles.par_chunks(GRAIN).map(draw).collect();
        let mut starts = vec![0_u32; y.count * z.count + 1];
        for hit in hits.iter().flatten() {
            starts[hit.column as usize + 1] += 1;
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        let mut crossings = vec![(0.0, 0); starts[starts.len() - 1] as usize];
        for hit in hits.iter().flatten() {
            let place = &mut next[hit.column as usize];
            crossings[*place as usize] = (hit.at, hit.turn);
            *place += 1;
        }
        let mut columns = Columns { starts, crossings, rows: y.count };
        columns.sort();
        columns
    }

    fn sort(&mut self) {
        for c in 1..self.starts.len() {
            let own = &mut self.crossings[self.starts[c - 1] as usize..self.starts[c] as usize];
            own.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        }
    }

    /// Calls `inside(from, to)` for every stretch of the line at the `j`-th y and the `k`-th z that is inside [m].
    pub fn stretches(&self, j: usize, k: usize, mut inside: impl FnMut(f64, f64)) {
        let c = k * self.rows + j;
        let (mut depth, mut from) = (0, 0.0);
        for &(at, turn) in &self.crossings[self.starts[c] as usize..self.starts[c + 1] as usize] {
            if depth <= 0 && depth + turn > 0 {
                from = at;
            } else if depth > 0 && depth + turn <= 0 && at > from {
                inside(from, at);
            }
            depth += turn;
        }
    }
}

/// Finds the lines that go through one triangle: scanline by scanline in z, from its upward edge to its downward one.
fn draw(corners: [Vec3<f64>; 3], y: Places, z: Places, hits: &mut Vec<Hit>) {
    let lines = corners.map(|c| z.from(c[2]));
    let (low, high) = (lines[0].min(lines[1]).min(lines[2]), lines[0].max(lines[1]).max(lines[2]));
    for k in low..high {
        let (mut up, mut down) = ([0.0; 2], [0.0; 2]);
        for a in 0..3 {
            let b = (a + 1) % 3;
            if lines[a] <= k && k < lines[b] {
                up = on_edge(corners[a], corners[b], z.at(k));
            } else if lines[b] <= k && k < lines[a] {
                down = on_edge(corners[b], corners[a], z.at(k));
            }
        }
        // Seen along x, a triangle whose upward edge is on the side of high y looks towards high x: there lines come out.
        let turn = if up[0] > down[0] { -1 } else { 1 };
        let (left, right) = if up[0] > down[0] { (down, up) } else { (up, down) };
        for j in y.from(left[0])..y.from(right[0]) {
            let share = ((y.at(j) - left[0]) / (right[0] - left[0])).clamp(0.0, 1.0);
            let at = left[1] + share * (right[1] - left[1]);
            hits.push(Hit { column: (k * y.count + j) as u32, at, turn });
        }
    }
}

/// `(y, x)` where an edge reaches a height; always from its lower end, so both its triangles get the same numbers.
fn on_edge(lower: Vec3<f64>, upper: Vec3<f64>, z: f64) -> [f64; 2] {
    let share = ((z - lower[2]) / (upper[2] - lower[2])).clamp(0.0, 1.0);
    [1, 0].map(|a| lower[a] + share * (upper[a] - lower[a]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::box_skin;

    /// A cube cut so that lines run exactly along its edges, diagonals and corners.
    #[test]
    fn lines_through_edges_and_corners_cross_as_often_in_as_out() {
        let cube = box_skin([2; 3], [0.0; 3], [1.0; 3]).unwrap();
        let places = Places { first: -0.25, step: 0.125, count: 13 };
        let columns = Columns::new(&cube, places, places);
        let mut inside = 0;
        for k in 0..13 {
            for j in 0..13 {
                let c = k * 13 + j;
                let own = &columns.crossings[columns.starts[c] as usize..columns.starts[c + 1] as usize];
                assert_eq!(own.iter().map(|c| c.1).sum::<i32>(), 0);
                columns.stretches(j, k, |from, to| {
                    assert_eq!([from, to], [0.0, 1.0]);
                    inside += 1;
                });
            }
        }
        // Half-open: lines on the low faces are in, those on the high faces out.
        assert_eq!(inside, 64);
    }

    #[test]
    fn overlapping_parts_are_one_stretch() {
        let mut both = box_skin([1; 3], [0.0; 3], [1.0; 3]).unwrap();
        let shifted = box_skin([1; 3], [0.5, 0.0, 0.0], [2.0, 1.0, 1.0]).unwrap();
        let first = both.points.len() as u32;
        both.points.extend(&shifted.points);
        both.triangles.extend(shifted.triangles.iter().map(|t| t.map(|n| n + first)));
        let line = Places { first: 0.3, step: 1.0, count: 1 };
        let mut found = Vec::new();
        Columns::new(&both, line, line).stretches(0, 0, |a, b| found.push([a, b]));
        assert_eq!(found, [[0.0, 2.0]]);
    }
}
