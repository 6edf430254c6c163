//! Which tetrahedron holds a point.

use crate::math::Vec3;
use crate::shape::TetMesh;

/// A point this far outside, in barycentric coordinates, still counts as inside: it lies on a face.
const ON_A_FACE: f64 = 1e-9;

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

    /// The nodes of the tetrahedron around a point, and the weights that give the point from them; of the one that comes
    /// nearest to holding it when it is outside of all. `None` when there are no tetrahedra.
    pub fn locate(&self, p: [f64; 3]) -> Option<([u32; 4], [f64; 4])> {
        let cell = self.index(self.cell_of(p));
        let own = &self.tets[self.starts[cell] as usize..self.starts[cell + 1] as usize];
        let found = self.best(p, own.iter().copied());
        let found = match found {
            Some((inside, _, _)) if inside >= -ON_A_FACE => found,
            _ => self.best(p, 0..self.mesh.tets.len() as u32),
        };
        found.map(|(_, nodes, weights)| (nodes, weights))
    }

    /// The tetrahedron whose smallest weight is largest; the first among equals.
    fn best(&self, p: [f64; 3], tets: impl Iterator<Item = u32>) -> Option<(f64, [u32; 4], [f64; 4])> {
        let mut best: Option<(f64, [u32; 4], [f64; 4])> = None;
        for t in tets {
            let nodes = self.mesh.tets[t as usize];
            let weights = barycentric(nodes.map(|n| Vec3(self.mesh.points[n as usize])), Vec3(p));
            let least = weights.iter().fold(f64::INFINITY, |l, w| l.min(*w));
            if best.is_none_or(|b| least > b.0) {
                best = Some((least, nodes, weights));
            }
        }
        best
    }
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
            let (nodes, weights) = locator.locate(p).unwrap();
            let back = (0..4).fold(Vec3::zero(), |s, i| s + Vec3(mesh.points[nodes[i] as usize]) * weights[i]);
            assert!((back - Vec3(p)).norm() < 1e-13);
            if Vec3(p).norm() < 0.9 {
                assert!(weights.iter().all(|w| *w >= -ON_A_FACE), "{p:?}: {weights:?}");
            }
        }
        assert!(Locator::new(&TetMesh::default()).locate([0.0; 3]).is_none());
    }
}
