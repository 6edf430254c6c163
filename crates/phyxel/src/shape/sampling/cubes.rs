//! A box of cubes over a solid, and how much of each is inside.

use super::clipped;
use super::columns::{Columns, Places};
use super::interior::Interior;
use crate::shape::{ShapeError, Solid};

/// Cubes side by side; numbered with x running fastest, then y, then z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cubes {
    /// The lowest corner [m].
    pub low: [f64; 3],
    /// Edge length [m].
    pub size: f64,
    /// How many along each axis.
    pub counts: [usize; 3],
}

/// The most cubes over a solid.
const MOST: f64 = 5e8;

/// Into how many parts the edge of a cube is cut where holes leave only lines to measure along.
const OPEN_PARTS: usize = 4;

impl Cubes {
    /// As few as cover the solid, in whole multiples of `block` along each axis; a box of whole cubes is met exactly.
    pub fn over(solid: &Solid, size: f64, block: usize) -> Result<Self, ShapeError> {
        ShapeError::check_length("surface", "resolution", size)?;
        let (min, max) = solid.bounds();
        let wanted = [0, 1, 2].map(|a| ((max[a] - min[a]) / size - 1e-9).ceil().max(1.0));
        let cubes: f64 = wanted.iter().product();
        if cubes.is_nan() || cubes > MOST {
            let (nodes, limit) = (solid.volume() / size.powi(3), MOST);
            return Err(ShapeError::TooLarge {
                shape: "surface",
                nodes: nodes.max(cubes),
                gigabytes: cubes * 8e-9,
                limit,
            });
        }
        let wanted = wanted.map(|w| w as usize);
        let counts = wanted.map(|w| w.next_multiple_of(block));
        let low = [0, 1, 2].map(|a| {
            let spare = (counts[a] - wanted[a]) / 2;
            0.5 * (min[a] + max[a]) - (0.5 * wanted[a] as f64 + spare as f64) * size
        });
        Ok(Cubes { low, size, counts })
    }

    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    pub fn index(&self, c: [usize; 3]) -> usize {
        (c[2] * self.counts[1] + c[1]) * self.counts[0] + c[0]
    }

    pub fn coordinates(&self, i: usize) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [i % x, i / x % y, i / (x * y)]
    }

    /// A place in units of cubes, from the lowest corner [m].
    pub fn position(&self, c: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|a| self.low[a] + self.size * c[a])
    }

    pub fn centre(&self, i: usize) -> [f64; 3] {
        self.position(self.coordinates(i).map(|c| c as f64 + 0.5))
    }

    /// The cube `step` cubes away, if there is one.
    pub fn neighbour(&self, i: usize, step: [i64; 3]) -> Option<usize> {
        let c = self.coordinates(i);
        let moved = [0, 1, 2].map(|a| c[a] as i64 + step[a]);
        let inside = (0..3).all(|a| moved[a] >= 0 && moved[a] < self.counts[a] as i64);
        inside.then(|| self.index(moved.map(|m| m as usize)))
    }

    /// Cubes of the same size that have the corners of these as centres: one more along each axis.
    pub fn of_corners(&self) -> Cubes {
        Cubes { low: self.low.map(|l| l - 0.5 * self.size), size: self.size, counts: self.counts.map(|c| c + 1) }
    }

    fn places(&self, axis: usize) -> Places {
        Places { first: self.low[axis] + 0.5 * self.size, step: self.size, count: self.counts[axis] }
    }

    fn columns(&self, interior: &Interior) -> Columns {
        Columns::new(interior, self.places(1), self.places(2), 0.5 * self.size)
    }

    /// Whether the centre of each cube is inside.
    pub fn centres_inside(&self, interior: &Interior) -> Vec<bool> {
        let (x, rows) = (self.places(0), self.counts[1]);
        let columns = self.columns(interior);
        let mut inside = vec![false; self.len()];
        for (row, own) in inside.chunks_mut(self.counts[0]).enumerate() {
            for (from, to) in columns.stretches(row % rows, row / rows) {
                own[x.from(*from)..x.from(*to)].fill(true);
            }
        }
        inside
    }

    /// Calls `found(cube, part, share)` for every part of a cube with something inside; `share` is that part's fraction
    /// inside. Cubes are cut into `parts` along each edge; with faces all around shares are exact whatever their number.
    pub fn parts_inside(&self, interior: &Interior, parts: usize, mut found: impl FnMut(usize, [usize; 3], f64)) {
        let fine = Cubes { size: self.size / parts as f64, counts: self.counts.map(|c| c * parts), ..*self };
        let tell = |i: usize, share: f64| {
            let c = fine.coordinates(i);
            found(self.index(c.map(|x| x / parts)), c.map(|x| x % parts), share);
        };
        match interior.faces() {
            Some(faces) => clipped::shares(faces, &fine, tell),
            None => fine.shares_along_lines(interior, tell),
        }
    }

    /// With holes there are no faces all around, only lines through the middle of cubes: exact along x alone.
    fn shares_along_lines(&self, interior: &Interior, mut found: impl FnMut(usize, f64)) {
        let (columns, [nx, ny, nz]) = (self.columns(interior), self.counts);
        let along = |x: f64| ((x - self.low[0]) / self.size).clamp(0.0, nx as f64);
        for row in 0..ny * nz {
            for (from, to) in columns.stretches(row % ny, row / ny) {
                let (from, to) = (along(*from), along(*to));
                for i in from as usize..nx.min(to.ceil() as usize) {
                    found(row * nx + i, to.min(i as f64 + 1.0) - from.max(i as f64));
                }
            }
        }
    }

    /// How much of every cube is inside, from nothing to 1.
    pub fn shares(&self, interior: &Interior) -> Vec<f64> {
        let mut shares = vec![0.0; self.len()];
        let parts = if interior.faces().is_some() { 1 } else { OPEN_PARTS };
        let per_cube = 1.0 / parts.pow(3) as f64;
        self.parts_inside(interior, parts, |cube, _, share| shares[cube] += share * per_cube);
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::{box_skin, sphere_skin};

    fn total(solid: &Solid, size: f64) -> f64 {
        Cubes::over(solid, size, 1).unwrap().shares(&Interior::of(solid)).iter().sum::<f64>() * size.powi(3)
    }

    #[test]
    fn a_box_of_whole_cubes_is_met_exactly() {
        let solid = Solid::new(box_skin([1; 3], [0.1, -0.2, 0.3], [0.5, 0.4, 0.5]).unwrap()).unwrap();
        for block in [1, 4] {
            let cubes = Cubes::over(&solid, 0.1, block).unwrap();
            assert_eq!(cubes.centres_inside(&Interior::of(&solid)).iter().filter(|m| **m).count(), 4 * 6 * 2);
            let shares = cubes.shares(&Interior::of(&solid));
            assert!(shares.iter().all(|s| *s == 1.0 || *s < 1e-6));
        }
    }

    #[test]
    fn shares_are_exact_in_closed_surfaces_and_close_with_holes() {
        let odd = Solid::new(box_skin([3, 1, 2], [0.1, -0.2, 0.3], [0.57, 0.41, 0.48]).unwrap()).unwrap();
        assert!((total(&odd, 0.1) / odd.volume() - 1.0).abs() < 1e-12);
        let mut mesh = sphere_skin(1.0, 0.08);
        let closed = Solid::new(mesh.clone()).unwrap();
        for size in [0.03, 0.2, 1.7] {
            assert!((total(&closed, size) / closed.volume() - 1.0).abs() < 1e-9);
        }
        mesh.triangles.truncate(mesh.triangles.len() - 12);
        let open = Solid::new(mesh).unwrap();
        assert!(!open.closed());
        assert!((total(&open, 0.2) / closed.volume() - 1.0).abs() < 1e-2);
    }

    #[test]
    fn a_cube_cut_by_a_plane_holds_what_the_plane_leaves() {
        // One corner of the block [0, 1]³ cut off: a tetrahedron of volume 1/6 in the first cube.
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let solid = Solid::new(crate::shape::TriMesh { points, triangles }).unwrap();
        let cubes = Cubes { low: [-1.0, -1.0, -1.0], size: 1.0, counts: [3; 3] };
        let shares = cubes.shares(&Interior::of(&solid));
        assert!((shares[13] - 1.0 / 6.0).abs() < 1e-15);
        let fine = Cubes { low: [0.0; 3], size: 0.5, counts: [2; 3] }.shares(&Interior::of(&solid));
        // The nearest half cube misses a corner of 1/48; three others hold one each.
        let expected = [5.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 0.0, 1.0 / 6.0, 0.0, 0.0, 0.0];
        assert!(fine.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-15), "{fine:?}");
    }

    #[test]
    fn more_cubes_than_memory_holds_are_refused() {
        let solid = Solid::new(sphere_skin(1.0, 0.5)).unwrap();
        assert!(matches!(Cubes::over(&solid, 1e-4, 1), Err(ShapeError::TooLarge { .. })));
        assert!(matches!(Cubes::over(&solid, f64::NAN, 1), Err(ShapeError::BadLength { .. })));
    }
}
