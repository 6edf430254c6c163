//! Lines along x through a surface, a whole grid of them at once.
//!
//! The stencil-buffer method (Stegmayr 2008, table 3.2) without a graphics card: front faces count up, back faces count
//! down, and what is above zero is inside. Here each triangle is drawn once and the crossings are kept, so that all
//! depths are known together and with all their digits.

use super::interior::Interior;
use super::open;
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

/// The stretches of every line along x that are inside a solid.
pub(crate) struct Columns {
    starts: Vec<u32>,
    stretches: Vec<Stretch>,
    rows: usize,
}

/// From where to where along x [m].
pub(crate) type Stretch = (f64, f64);

/// Where a line goes through a triangle.
#[derive(Clone, Copy)]
struct Hit {
    column: u32,
    at: f64,
    /// +1 where a line goes in and −1 where it comes out.
    turn: i32,
}

/// Triangles per task.
const GRAIN: usize = 2048;

impl Columns {
    /// Lines at every `y` and `z`; their number must fit 32 bits. With holes, ends that no face tells are found to
    /// `tolerance` [m].
    pub fn new(interior: &Interior, y: Places, z: Places, tolerance: f64) -> Self {
        let (solid, faces) = (interior.solid, interior.faces());
        let hits = Hits::new(faces.unwrap_or(solid.mesh()), y, z);
        let (min, max) = solid.bounds();
        let of_column = |c: usize| {
            let own = hits.of(c);
            if faces.is_some() {
                return between_faces(own);
            }
            let winding = |x: f64| solid.winding_number([x, y.at(c % y.count), z.at(c / y.count)]);
            open::stretches(own.iter().map(|h| h.at), (min[0], max[0]), tolerance, &winding)
        };
        let found: Vec<Vec<Stretch>> = (0..y.count * z.count).into_par_iter().with_min_len(64).map(of_column).collect();
        let mut starts = vec![0];
        starts.extend(found.iter().scan(0, |end, own| {
            *end += own.len() as u32;
            Some(*end)
        }));
        Columns { starts, stretches: found.into_iter().flatten().collect(), rows: y.count }
    }

    /// Those of the line at the `j`-th y and the `k`-th z, in order.
    pub fn stretches(&self, j: usize, k: usize) -> &[Stretch] {
        let c = k * self.rows + j;
        &self.stretches[self.starts[c] as usize..self.starts[c + 1] as usize]
    }
}

/// In a closed surface the faces are all there is to know.
fn between_faces(hits: &[Hit]) -> Vec<Stretch> {
    let (mut depth, mut from) = (0, 0.0);
    let mut inside = Vec::new();
    for hit in hits {
        if depth <= 0 && depth + hit.turn > 0 {
            from = hit.at;
        } else if depth > 0 && depth + hit.turn <= 0 && hit.at > from {
            inside.push((from, hit.at));
        }
        depth += hit.turn;
    }
    inside
}

/// Where lines go through triangles, line by line and in order along each.
struct Hits {
    starts: Vec<u32>,
    hits: Vec<Hit>,
}

impl Hits {
    fn new(mesh: &TriMesh, y: Places, z: Places) -> Self {
        let draw = |triangles: &[[u32; 3]]| {
            let mut hits = Vec::new();
            triangles.iter().for_each(|t| draw(t.map(|n| Vec3(mesh.points[n as usize])), y, z, &mut hits));
            hits
        };
        let mut hits: Vec<Hit> = mesh.triangles.par_chunks(GRAIN).flat_map_iter(draw).collect();
        hits.par_sort_by(|a, b| a.column.cmp(&b.column).then(a.at.total_cmp(&b.at)).then(b.turn.cmp(&a.turn)));
        let mut starts = vec![0_u32; y.count * z.count + 1];
        for hit in &hits {
            starts[hit.column as usize + 1] += 1;
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        Hits { starts, hits }
    }

    fn of(&self, column: usize) -> &[Hit] {
        &self.hits[self.starts[column] as usize..self.starts[column + 1] as usize]
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
    use crate::shape::Solid;
    use crate::shape::structured::box_skin;

    /// Lines run exactly along edges, diagonals and corners.
    #[test]
    fn lines_through_edges_and_corners_cross_as_often_in_as_out() {
        let cube = box_skin([2; 3], [0.0; 3], [1.0; 3]).unwrap();
        let places = Places { first: -0.25, step: 0.125, count: 13 };
        let hits = Hits::new(&cube, places, places);
        let columns = Columns::new(&Interior::of(&Solid::new(cube).unwrap()), places, places, 0.1);
        let mut inside = 0;
        for c in 0..169 {
            assert_eq!(hits.of(c).iter().map(|h| h.turn).sum::<i32>(), 0);
            let own = columns.stretches(c % 13, c / 13);
            assert!(own.is_empty() || own == [(0.0, 1.0)]);
            inside += own.len();
        }
        // Half-open: lines on the low faces are in, those on the high faces out.
        assert_eq!(inside, 64);
    }

    fn two_blocks() -> TriMesh {
        let mut both = box_skin([1; 3], [0.0; 3], [1.0; 3]).unwrap();
        let shifted = box_skin([1; 3], [0.5, 0.0, 0.0], [2.0, 1.0, 1.0]).unwrap();
        let first = both.points.len() as u32;
        both.points.extend(&shifted.points);
        both.triangles.extend(shifted.triangles.iter().map(|t| t.map(|n| n + first)));
        both
    }

    #[test]
    fn overlapping_parts_are_one_stretch() {
        let line = Places { first: 0.3, step: 1.0, count: 1 };
        let solid = Solid::new(two_blocks()).unwrap();
        assert_eq!(Columns::new(&Interior::of(&solid), line, line, 0.1).stretches(0, 0), [(0.0, 2.0)]);
    }

    #[test]
    fn with_a_hole_stretches_end_where_the_winding_number_says() {
        let mut mesh = two_blocks();
        // The far face is missing, which leaves the inside to the winding number.
        let far = |t: &[u32; 3]| t.iter().all(|n| mesh.points[*n as usize][0] == 2.0);
        mesh.triangles = mesh.triangles.iter().copied().filter(|t| !far(t)).collect();
        let solid = Solid::new(mesh).unwrap();
        let interior = Interior::of(&solid);
        assert!(interior.faces().is_none());
        let line = Places { first: 0.05, step: 0.1, count: 10 };
        let columns = Columns::new(&interior, line, line, 1e-3);
        for c in 0..100 {
            let [(from, to)] = columns.stretches(c % 10, c / 10) else { panic!("one stretch") };
            let winding = |x: f64| solid.winding_number([x, line.at(c % 10), line.at(c / 10)]);
            assert!(*from < 5e-3 && winding(0.5 * (from + to)) > 0.5);
            assert!(*to == 2.0 || (winding(to - 5e-3) > 0.5 && winding(to + 5e-3) < 0.5), "{to}");
        }
    }
}
