//! A box of cubes over a solid, and how much of each is inside.

use super::clipped;
use super::columns::{Columns, Places};
use crate::shape::{ShapeError, Solid};
use rayon::prelude::*;

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

/// Into how many parts the edge of a cube is cut where holes leave only the winding number to ask.
const OPEN_PARTS: usize = 3;

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

    /// Whether the centre of each cube is inside.
    pub fn centres_inside(&self, solid: &Solid) -> Vec<bool> {
        if !solid.closed() {
            return (0..self.len()).into_par_iter().map(|i| solid.inside(self.centre(i))).collect();
        }
        let [x, y, z] = [0, 1, 2].map(|a| self.places(a));
        let columns = Columns::new(solid.mesh(), y, z);
        let mut inside = vec![false; self.len()];
        for (row, own) in inside.chunks_mut(self.counts[0]).enumerate() {
            columns.stretches(row % y.count, row / y.count, |from, to| own[x.from(from)..x.from(to)].fill(true));
        }
        inside
    }

    /// Calls `found(cube, part, share)` for every part of a cube with something inside; `share` is that part's fraction
    /// inside. Cubes are cut into `parts` along each edge; in closed surfaces shares are exact whatever their number.
    pub fn parts_inside(&self, solid: &Solid, parts: usize, mut found: impl FnMut(usize, [usize; 3], f64)) {
        if !solid.closed() {
            return self.parts_of_open(solid, parts, found);
        }
        let fine = Cubes { size: self.size / parts as f64, counts: self.counts.map(|c| c * parts), ..*self };
        clipped::shares(solid.mesh(), &fine, |i, share| {
            let c = fine.coordinates(i);
            found(self.index(c.map(|x| x / parts)), c.map(|x| x % parts), share);
        });
    }

    /// How much of every cube is inside, from nothing to 1.
    pub fn shares(&self, solid: &Solid) -> Vec<f64> {
        let mut shares = vec![0.0; self.len()];
        let parts = if solid.closed() { 1 } else { OPEN_PARTS };
        let per_cube = 1.0 / parts.pow(3) as f64;
        self.parts_inside(solid, parts, |cube, _, share| shares[cube] += share * per_cube);
        shares
    }

    /// With holes there are no stretches: the winding number is asked in every part of the cubes where it matters.
    fn parts_of_open(&self, solid: &Solid, parts: usize, mut found: impl FnMut(usize, [usize; 3], f64)) {
        let inside = self.centres_inside(solid);
        let half_diagonal = 0.87 * self.size;
        let mixed = |i: usize| {
            let differs = |n: Option<usize>| n.map_or(inside[i], |n| inside[n] != inside[i]);
            let faces = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
            faces.iter().any(|step| differs(self.neighbour(i, *step)))
                || solid.nearest_within(self.centre(i), half_diagonal).is_some()
        };
        let all: Vec<[usize; 3]> =
            (0..parts.pow(3)).map(|p| [p % parts, p / parts % parts, p / (parts * parts)]).collect();
        let look = |i: usize| {
            if !mixed(i) {
                return if inside[i] { vec![true; all.len()] } else { Vec::new() };
            }
            let c = self.coordinates(i);
            let at = |p: &[usize; 3]| [0, 1, 2].map(|a| c[a] as f64 + (p[a] as f64 + 0.5) / parts as f64);
            all.iter().map(|p| solid.inside(self.position(at(p)))).collect()
        };
        // Layer by layer, so that the answers of a large grid are not all held at once.
        let layer = self.counts[0] * self.counts[1];
        for first in (0..self.len()).step_by(layer) {
            let marks: Vec<Vec<bool>> = (first..first + layer).into_par_iter().map(look).collect();
            for (i, marks) in marks.iter().enumerate() {
                for (part, _) in all.iter().zip(marks).filter(|(_, mark)| **mark) {
                    found(first + i, *part, 1.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::{box_skin, sphere_skin};

    fn total(solid: &Solid, size: f64) -> f64 {
        Cubes::over(solid, size, 1).unwrap().shares(solid).iter().sum::<f64>() * size.powi(3)
    }

    #[test]
    fn a_box_of_whole_cubes_is_met_exactly() {
        let solid = Solid::new(box_skin([1; 3], [0.1, -0.2, 0.3], [0.5, 0.4, 0.5]).unwrap()).unwrap();
        for block in [1, 4] {
            let cubes = Cubes::over(&solid, 0.1, block).unwrap();
            assert_eq!(cubes.centres_inside(&solid).iter().filter(|m| **m).count(), 4 * 6 * 2);
            let shares = cubes.shares(&solid);
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
        let shares = cubes.shares(&solid);
        assert!((shares[13] - 1.0 / 6.0).abs() < 1e-15);
        let fine = Cubes { low: [0.0; 3], size: 0.5, counts: [2; 3] }.shares(&solid);
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
