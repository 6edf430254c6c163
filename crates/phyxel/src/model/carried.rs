//! Points that phyxels carry along.

use super::skin::Outside;
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::stencil::{NeighbourSearch, Neighbours, Radii};
use std::ops::Range;

/// Points carried to first order: `x = Σ_j w_j (x_j + F_j (X − X_j))` (Müller et al. 2004, eq. 27). Weights sum to one, so
/// linear fields are followed exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    offsets: Vec<u32>,
    phyxels: Vec<u32>,
    weights: Vec<f64>,
    /// The points at rest, from the origin [m].
    points: Vec<[f64; 3]>,
    /// The phyxels at rest, from the origin [m].
    sites: Vec<[f64; 3]>,
    /// In the middle of all, so that no digits are lost far from the world's [m].
    origin: [f64; 3],
}

/// What a phyxel does to the matter around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Where it is [m].
    pub position: [f64; 3],
    /// Its deformation gradient.
    pub deformation: Mat3<f64>,
}

/// An affine map from rest to world: three columns of the gradient, then the shift [m].
pub type AffineMap = [f64; 12];

/// How far a point looks, in spacings.
const REACH: f64 = 1.8;
/// The Gaussian's exponent at that distance: it has all but vanished there, so nothing jumps.
const DECAY: f64 = 6.0;

impl Carried {
    /// Points among phyxels that are `spacing` [m] apart, all at rest. Points that see no phyxel, on parts too thin for
    /// them, look farther; they are counted as outside.
    pub fn new(phyxels: &[[f64; 3]], points: &[[f64; 3]], spacing: f64) -> (Self, Outside) {
        let origin = middle(phyxels);
        let local = |p: &[f64; 3]| [0, 1, 2].map(|a| p[a] - origin[a]);
        let mut carried = Carried {
            offsets: vec![0],
            points: points.iter().map(local).collect(),
            sites: phyxels.iter().map(local).collect(),
            origin,
            ..Carried::default()
        };
        let around = Around::new(&carried, REACH * spacing);
        for vertex in 0..points.len() {
            let start = carried.phyxels.len();
            around.weigh(vertex, &mut carried.phyxels, &mut carried.weights);
            let total: f64 = carried.weights[start..].iter().sum();
            carried.weights[start..].iter_mut().for_each(|w| *w /= total);
            carried.offsets.push(carried.phyxels.len() as u32);
        }
        let outside = carried.outside(&around, REACH * spacing);
        (carried, outside)
    }

    fn outside(&self, around: &Around, reach: f64) -> Outside {
        let blind = (0..self.len()).filter(|&v| around.reach[v] > reach);
        let distance = |v: usize| {
            let x = Vec3(self.points[v]);
            self.around(v).map(|(j, _)| (x - Vec3(self.sites[j as usize])).norm()).fold(f64::INFINITY, f64::min)
        };
        blind.fold((0, 0.0), |(count, most): Outside, v| (count + 1, most.max(distance(v))))
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The phyxel nearest to each point: the one that carries most of it.
    pub fn nearest(&self) -> Vec<u32> {
        let heaviest = |i: usize| self.around(i).fold((0, -1.0), |best, e| if e.1 > best.1 { e } else { best }).0;
        (0..self.len()).map(heaviest).collect()
    }

    /// The phyxels around a point, with their weights.
    pub fn around(&self, point: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let run = self.run(point);
        self.phyxels[run.clone()].iter().copied().zip(self.weights[run].iter().copied())
    }

    /// What each phyxel does to space around it.
    pub fn maps(&self, site: impl Fn(usize) -> Site + Sync) -> Vec<AffineMap> {
        let mut maps = vec![[0.0; 12]; self.sites.len()];
        par::for_each(&mut maps, |j, map| {
            let Site { position, deformation } = site(j);
            let shift = Vec3(position) - deformation * Vec3(self.sites[j]);
            for a in 0..3 {
                map[3 * a..3 * a + 3].copy_from_slice(&deformation.column(a).0);
            }
            map[9..].copy_from_slice(&shift.0);
        });
        maps
    }

    /// The maps of the phyxels around a point, blended.
    #[inline(always)]
    pub fn blend(&self, maps: &[AffineMap], point: usize) -> AffineMap {
        let run = self.run(point);
        let mut sum = [0.0; 12];
        for (&j, &weight) in self.phyxels[run.clone()].iter().zip(&self.weights[run]) {
            let map = &maps[j as usize];
            for (s, m) in sum.iter_mut().zip(map) {
                *s += weight * m;
            }
        }
        sum
    }

    /// A point under a map [m].
    #[inline(always)]
    pub fn place(&self, map: &AffineMap, point: usize) -> [f64; 3] {
        let [x, y, z] = self.points[point];
        [0, 1, 2].map(|a| map[9 + a] + map[a] * x + map[3 + a] * y + map[6 + a] * z)
    }

    /// Where the points are now [m].
    pub fn positions(&self, maps: &[AffineMap]) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; self.len()];
        par::for_each(&mut out, |i, x| *x = self.place(&self.blend(maps, i), i));
        out
    }

    /// A point at rest [m].
    pub fn rest(&self, point: usize) -> [f64; 3] {
        [0, 1, 2].map(|a| self.points[point][a] + self.origin[a])
    }

    #[inline(always)]
    fn run(&self, point: usize) -> Range<usize> {
        self.offsets[point] as usize..self.offsets[point + 1] as usize
    }
}

/// The phyxels around points.
struct Around {
    phyxels: usize,
    /// Phyxels, then points.
    all: Vec<Vec3<f64>>,
    near: Neighbours,
    /// How far each point had to look [m].
    reach: Vec<f64>,
}

impl Around {
    /// Points look as far as a phyxel would; those that find nothing look twice as far until they do.
    fn new(carried: &Carried, reach: f64) -> Self {
        let phyxels = carried.sites.len();
        let all: Vec<Vec3<f64>> = carried.sites.iter().chain(&carried.points).map(|p| Vec3(*p)).collect();
        let reach = vec![reach; carried.points.len()];
        let mut around = Around { phyxels, near: Neighbours::default(), reach, all };
        for _ in 0..12 {
            // Phyxels look for nobody.
            let mut radii = vec![0.0; phyxels];
            radii.extend(&around.reach);
            // A search that fails (points that cannot be indexed) leaves every point to its nearest phyxel.
            if NeighbourSearch::default().rebuild(&around.all, Radii::Each(&radii), &mut around.near).is_err() {
                around.near = Neighbours::default();
                break;
            }
            let blind: Vec<usize> = (0..around.reach.len()).filter(|v| around.of(*v).next().is_none()).collect();
            if blind.is_empty() {
                break;
            }
            blind.into_iter().for_each(|v| around.reach[v] *= 2.0);
        }
        around
    }

    fn of(&self, point: usize) -> impl Iterator<Item = u32> + '_ {
        let found = if self.near.offsets.is_empty() { &[] } else { self.near.of(self.phyxels + point) };
        found.iter().copied().filter(|j| (*j as usize) < self.phyxels)
    }

    fn weigh(&self, point: usize, phyxels: &mut Vec<u32>, weights: &mut Vec<f64>) {
        let (start, at, reach) = (phyxels.len(), self.all[self.phyxels + point], self.reach[point]);
        for j in self.of(point) {
            let distance = (at - self.all[j as usize]).norm_squared();
            phyxels.push(j);
            weights.push((-DECAY * distance / (reach * reach)).exp());
        }
        if phyxels.len() == start {
            phyxels.push(nearest(&self.all[..self.phyxels], at));
            weights.push(1.0);
        }
    }
}

/// The nearest of `points` to `x`.
fn nearest(points: &[Vec3<f64>], x: Vec3<f64>) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (j, p) in points.iter().enumerate() {
        let distance = (*p - x).norm_squared();
        if distance < best.0 {
            best = (distance, j as u32);
        }
    }
    best.1
}

fn middle(points: &[[f64; 3]]) -> [f64; 3] {
    let count = points.len().max(1) as f64;
    [0, 1, 2].map(|a| points.iter().map(|p| p[a]).sum::<f64>() / count)
}
