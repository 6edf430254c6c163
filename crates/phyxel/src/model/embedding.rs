//! Which tetrahedron holds a point.

use crate::math::Vec3;
use crate::shape::TetMesh;

/// A point this far outside, in barycentric coordinates, still counts as inside: it lies on a face.
const ON_A_FACE: f64 = 1e-9;

/// Where a point is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// The corners of the tetrahedron.
    pub nodes: [u32; 4],
    /// The weights that give the point from them; they sum to one.
    pub weights: [f64; 4],
    /// How far outside of it the point is, about [m].
    pub distance: f64,
}

/// A grid over the boxes around tetrahedra.
pub(super) struct Locator<'a> {
    mesh: &'a TetMesh,
    low: [f64; 3],
    cell: f64,
    counts: [usize; 3],
    starts: Vec<u32>,
    tets: Vec<u32>,
}

impl<'a> Locator<'a> {
    /// For a mesh whose indices are in range and whose points are finite.
    pub fn new(mesh: &'a TetMesh) -> Self {
        let (low, high) = bounds(&mesh.points);
        let extent = |a: usize| mesh.tets.iter().map(|t| tet_box(mesh, *t)).map(|(l, h)| h[a] - l[a]).sum::<f64>();
        let mean = (extent(0) + extent(1) + extent(2)) / (3 * mesh.tets.len().max(1)) as f64;
        let mut cell = if mean > 0.0 { mean } else { 1.0 };
        let counts = |cell: f64| [0, 1, 2].map(|a| ((high[a] - low[a]) / cell).floor() + 1.0);
        // Sparse meshes in a wide box get larger cells.
        while counts(cell).iter().product::<f64>() > (4 * mesh.tets.len() + 64) as f64 {
            cell *= 1.5;
        }
        let counts = counts(cell).map(|c| c as usize);
        let mut locator = Locator { mesh, low, cell, counts, starts: Vec::new(), tets: Vec::new() };
        locator.fill();
        locator
    }

    fn fill(&mut self) {
        let mut starts = vec![0_u32; self.counts.iter().product::<usize>() + 1];
        for tet in &self.mesh.tets {
            self.each_cell(*tet, |cell| starts[cell + 1] += 1);
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        let mut tets = vec![0; starts[starts.len() - 1] as usize];
        for (t, tet) in self.mesh.tets.iter().enumerate() {
            self.each_cell(*tet, |cell| {
                tets[next[cell] as usize] = t as u32;
                next[cell] += 1;
            });
        }
        (self.starts, self.tets) = (starts, tets);
    }

    fn cell_of(&self, p: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|a| (((p[a] - self.low[a]) / self.cell).floor().max(0.0) as usize).min(self.counts[a] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    fn each_cell(&self, tet: [u32; 4], mut visit: impl FnMut(usize)) {
        let (low, high) = tet_box(self.mesh, tet);
        let (low, high) = (self.cell_of(low), self.cell_of(high));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                (low[0]..=high[0]).for_each(|x| visit(self.index([x, y, z])));
            }
        }
    }

    /// The tetrahedron around a point, or the nearest one when it is outside of all. `None` when there are no tetrahedra.
    pub fn locate(&self, p: [f64; 3]) -> Option<Place> {
        let middle = self.cell_of(p);
        let widest = self.counts.iter().copied().max().unwrap_or(1);
        let mut best: Option<Place> = None;
        for ring in 0..=widest {
            self.each_in_ring(middle, ring, |t| self.try_tet(p, t, &mut best));
            // What is found in a ring may still be farther than what the next one holds.
            if best.is_some_and(|b| b.distance <= ring as f64 * self.cell) {
                break;
            }
        }
        best
    }

    fn try_tet(&self, p: [f64; 3], t: u32, best: &mut Option<Place>) {
        let nodes = self.mesh.tets[t as usize];
        let corners = nodes.map(|n| Vec3(self.mesh.points[n as usize]));
        let weights = barycentric(corners, Vec3(p));
        let distance = beyond(corners, weights, Vec3(p));
        if best.is_none_or(|b| distance < b.distance) {
            *best = Some(Place { nodes, weights, distance });
        }
    }

    /// The tetrahedra of the cells that are `ring` cells away.
    fn each_in_ring(&self, middle: [usize; 3], ring: usize, mut visit: impl FnMut(u32)) {
        let low = middle.map(|m| m.saturating_sub(ring));
        let high = [0, 1, 2].map(|a| (middle[a] + ring).min(self.counts[a] - 1));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let away = [x, y, z].iter().zip(&middle).map(|(c, m)| c.abs_diff(*m)).max();
                    if away == Some(ring) {
                        let cell = self.index([x, y, z]);
                        let own = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                        self.tets[own].iter().for_each(|t| visit(*t));
                    }
                }
            }
        }
    }
}

/// How far a point is outside a tetrahedron: nothing inside, and about the distance to the nearest point of it elsewhere [m].
fn beyond(corners: [Vec3<f64>; 4], weights: [f64; 4], p: Vec3<f64>) -> f64 {
    if weights.iter().all(|w| *w >= -ON_A_FACE) {
        return 0.0;
    }
    let inside = weights.map(|w| w.max(0.0));
    let total: f64 = inside.iter().sum();
    let near = (0..4).fold(Vec3::zero(), |s, k| s + corners[k] * (inside[k] / total));
    // A point that is not finite is at no distance that could be compared.
    let distance = (near - p).norm();
    if distance.is_finite() { distance } else { f64::MAX }
}

/// Weights of the corners at a point; they sum to one.
fn barycentric([a, b, c, d]: [Vec3<f64>; 4], p: Vec3<f64>) -> [f64; 4] {
    let (ab, ac, ad, ap) = (b - a, c - a, d - a, p - a);
    let per_volume = 1.0 / ab.dot(ac.cross(ad));
    let (wb, wc, wd) = (ap.dot(ac.cross(ad)), ab.dot(ap.cross(ad)), ab.dot(ac.cross(ap)));
    let [wb, wc, wd] = [wb, wc, wd].map(|w| w * per_volume);
    [1.0 - wb - wc - wd, wb, wc, wd]
}

fn tet_box(mesh: &TetMesh, tet: [u32; 4]) -> ([f64; 3], [f64; 3]) {
    bounds(&tet.map(|n| mesh.points[n as usize]))
}

fn bounds(points: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let first = points.first().copied().unwrap_or([0.0; 3]);
    points
        .iter()
        .fold((first, first), |(l, h), p| ([0, 1, 2].map(|a| l[a].min(p[a])), [0, 1, 2].map(|a| h[a].max(p[a]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::ball_tets;

    #[test]
    fn points_are_given_back_by_their_weights_inside_and_out() {
        let mesh = ball_tets(1.0, 5).unwrap();
        let locator = Locator::new(&mesh);
        for k in 0..500 {
            let p = [0.013 * k as f64 % 1.6 - 0.8, 0.029 * k as f64 % 1.7 - 0.85, 0.041 * k as f64 % 1.5 - 0.75];
            let Place { nodes, weights, distance } = locator.locate(p).unwrap();
            let back = (0..4).fold(Vec3::zero(), |s, i| s + Vec3(mesh.points[nodes[i] as usize]) * weights[i]);
            assert!((back - Vec3(p)).norm() < 1e-13);
            if Vec3(p).norm() < 0.9 {
                assert_eq!(distance, 0.0);
                assert!(weights.iter().all(|w| *w >= -ON_A_FACE), "{p:?}: {weights:?}");
            }
        }
        assert!(Locator::new(&TetMesh::default()).locate([0.0; 3]).is_none());
    }
}
