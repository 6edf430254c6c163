//! What the skin of a body at rest knows that its phyxels do not: the surface found around a lattice shows the lattice, the
//! skin does not.

use crate::grid::PointGrid;
use crate::surfels::{Disc, sample_skin};
use phyxel::math::Vec3;
use phyxel::par;
use phyxel::record::FreeSurface;
use phyxel::shape::TriMesh;

type V = Vec3<f64>;

/// How far a phyxel's say about the surface reaches, in spacings, and the Gaussian's exponent at one spacing.
const REACH: f64 = 1.6;
const DECAY: f64 = 3.0;
/// Places of the skin that are looked at, per square of the spacing.
const SAMPLES: f64 = 12.0;
/// Offsets beyond this, in spacings, are no matter of the lattice.
const MOST: f64 = 0.6;
/// Rounds in which offsets of phyxels are fitted to those of the surface.
const ROUNDS: usize = 30;
/// Phyxels closer than this at rest, in spacings, are neighbours.
const BESIDE: f64 = 1.8;
/// While distances to neighbours change by less than the first the skin is as it was; beyond the second nothing of it is
/// left.
const BENT: f64 = 0.1;
const FLOWED: f64 = 0.35;

/// How far the skin lies outside of the surface that is found around each phyxel at rest, and who is beside whom then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relief {
    offsets: Vec<f64>,
    starts: Vec<u32>,
    /// Neighbours and their distances [m].
    beside: Vec<(u32, f64)>,
    /// Places of the skin, and the normals there.
    skin: PointGrid,
    normals: Vec<V>,
}

impl Relief {
    /// Of phyxels at rest, `spacing` [m] apart, with their skin; nothing is known of offsets yet.
    pub fn new(phyxels: &[[f64; 3]], spacing: f64, skin: &TriMesh) -> Self {
        let per_area = SAMPLES / (spacing * spacing);
        let count = per_area * crate::mesh::area(&skin.points, &skin.triangles);
        let (discs, _, _) = sample_skin(skin, &[], count as usize);
        let points: Vec<[f64; 3]> = discs.iter().map(|d| d.point).collect();
        let normal = |d: &Disc| V::cross(Vec3(d.tangents[0]), Vec3(d.tangents[1])).normalized();
        let (starts, beside) = neighbours(phyxels, spacing);
        let (offsets, skin) = (vec![0.0; phyxels.len()], PointGrid::new(&points, spacing / 2.0));
        Relief { offsets, starts, beside, skin, normals: discs.iter().map(normal).collect() }
    }

    /// Adds what the surface that was found around the phyxels at rest still lacks; false if that is a skin of something
    /// else, because it is far from most of the surface.
    pub fn fit(&mut self, phyxels: &[[f64; 3]], spacing: f64, found: &FreeSurface) -> bool {
        let mut wanted = vec![0.0; found.points.len()];
        par::for_each(&mut wanted, |v, wanted| {
            let (x, out) = (Vec3(found.points[v]), Vec3(found.normals[v]));
            if let Some((j, _)) = self.skin.nearest(x) {
                let normal = self.normals[j as usize];
                // Along the normal of the surface to the plane of the skin; leaning ones count as far as they are.
                let along = normal.dot(self.skin.point(j) - x) / normal.dot(out).max(0.5);
                *wanted = along.clamp(-MOST * spacing, MOST * spacing);
            }
        });
        let more = fit(&wanted, &found.points, phyxels, spacing);
        self.offsets.iter_mut().zip(more).for_each(|(offset, more)| *offset += more);
        let far = wanted.iter().filter(|w| w.abs() >= MOST * spacing).count();
        2 * far <= wanted.len()
    }

    /// The offsets [m] of phyxels that have moved to `now`: those at rest as far as their neighbourhood is what it was.
    pub fn offsets(&self, now: &[[f64; 3]]) -> Vec<f64> {
        let mut out = self.offsets.clone();
        par::for_each(&mut out, |i, offset| {
            let around = &self.beside[self.starts[i] as usize..self.starts[i + 1] as usize];
            let change = |(j, rest): &(u32, f64)| {
                let ratio = (Vec3(now[*j as usize]) - Vec3(now[i])).norm() / rest - 1.0;
                ratio * ratio
            };
            let bent = (around.iter().map(change).sum::<f64>() / around.len().max(1) as f64).sqrt();
            let left = ((FLOWED - bent) / (FLOWED - BENT)).clamp(0.0, 1.0);
            *offset *= if left.is_finite() { left * left * (3.0 - 2.0 * left) } else { 0.0 };
        });
        out
    }
}

/// Who is how near to whom.
fn neighbours(phyxels: &[[f64; 3]], spacing: f64) -> (Vec<u32>, Vec<(u32, f64)>) {
    let grid = PointGrid::new(phyxels, BESIDE * spacing);
    let (mut starts, mut beside) = (vec![0], Vec::new());
    for (i, p) in phyxels.iter().enumerate() {
        grid.each_within(Vec3(*p), BESIDE * spacing, |j, _, square| {
            if j as usize != i && square > 0.0 {
                beside.push((j, square.sqrt()));
            }
        });
        starts.push(beside.len() as u32);
    }
    (starts, beside)
}

/// What the phyxels around a place say, and how much each counts.
fn weigh(grid: &PointGrid, x: V, spacing: f64, mut visit: impl FnMut(usize, f64)) -> f64 {
    let mut total = 0.0;
    grid.each_within(x, REACH * spacing, |j, _, square| {
        let weight = (-DECAY * square / (spacing * spacing)).exp();
        total += weight;
        visit(j as usize, weight);
    });
    total
}

/// Offsets of phyxels whose weighted means are those wanted at places, nearly: errors are handed back in proportion to the
/// weights (Gilbert 1972, simultaneous iterative reconstruction).
fn fit(wanted: &[f64], places: &[[f64; 3]], phyxels: &[[f64; 3]], spacing: f64) -> Vec<f64> {
    let grid = PointGrid::new(phyxels, REACH * spacing);
    let mut offsets = vec![0.0; phyxels.len()];
    for _ in 0..ROUNDS {
        let (mut sums, mut totals) = (vec![0.0; phyxels.len()], vec![0.0; phyxels.len()]);
        for (x, wanted) in places.iter().zip(wanted) {
            let mut has = 0.0;
            let total = weigh(&grid, Vec3(*x), spacing, |j, weight| has += weight * offsets[j]);
            let missing = if total > 0.0 { wanted - has / total } else { continue };
            weigh(&grid, Vec3(*x), spacing, |j, weight| {
                sums[j] += weight / total * missing;
                totals[j] += weight / total;
            });
        }
        for j in 0..offsets.len() {
            if totals[j] > 0.0 {
                offsets[j] += sums[j] / totals[j];
            }
        }
    }
    offsets
}

/// Moves points along their normals by the offsets of the phyxels around them.
pub(crate) fn lift(points: &mut [V], normals: &[[f64; 3]], phyxels: &PointGrid, offsets: &[f64], spacing: f64) {
    par::for_each(points, |v, x| {
        let mut sum = 0.0;
        let total = weigh(phyxels, *x, spacing, |j, weight| sum += weight * offsets[j]);
        if total > 0.0 {
            *x += Vec3(normals[v]) * (sum / total);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconstruction::{Matter, Reconstruction, ReconstructionSettings};
    use phyxel::shape::structured::box_points;

    #[test]
    fn what_flows_and_what_has_another_skin_has_no_relief() {
        let skin = box_points([10; 3], [0.0; 3], [1.0; 3]).expect("a cube").skin;
        let points: Vec<[f64; 3]> =
            (0..1000).map(|i| [i % 10, i / 10 % 10, i / 100].map(|c| 0.1 * f64::from(c) + 0.05)).collect();
        let matter = Matter { points: &points, spacing: 0.1, volume: 1.0, colours: &[], offsets: &[] };
        let mut finder = Reconstruction::new(ReconstructionSettings::default()).expect("usual settings");
        let relief = finder.relief(&matter, &skin);
        let corner = relief.offsets(&points)[0];
        assert!(corner > 0.02, "corners of a cube are sharper than what is found: {corner}");
        let turned: Vec<[f64; 3]> = points.iter().map(|p| [p[1] + 3.0, -p[0], p[2]]).collect();
        assert!((relief.offsets(&turned)[0] - corner).abs() < 1e-12, "it goes along with a rigid motion");
        let flowed: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + 4.0 * p[1], p[1], p[2]]).collect();
        assert!(relief.offsets(&flowed).iter().all(|o| *o == 0.0));
        let away: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + 9.0, p[1], p[2]]).collect();
        assert!(finder.relief(&Matter { points: &away, ..matter }, &skin).offsets(&away).is_empty());
        assert!(finder.relief(&matter, &TriMesh::default()).offsets(&points).iter().all(|o| *o == 0.0));
    }
}
