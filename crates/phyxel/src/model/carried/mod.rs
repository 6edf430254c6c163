//! Points that phyxels carry along.

mod around;
mod maps;

pub use maps::{BLOCK, Blended, Lines, Maps, Site};

use super::skin::Outside;
use crate::math::Vec3;
use crate::{par, vectorised};
use around::Around;
use maps::STRIDE;

/// Points carried to first order: `x = Σ_j w_j (x_j + F_j (X − X_j))` (Müller et al. 2004, eq. 27). Weights sum to one, so
/// linear fields are followed exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    offsets: Vec<u32>,
    /// Phyxels and their weights, point by point, [`STRIDE`] at a time: those that fill up have none. Four bytes are enough for
    /// what phyxels do apart from the whole.
    shares: Vec<(u32, f32)>,
    count: usize,
    /// The points at rest, from the origin, block by block [m].
    points: Vec<Lines<f64>>,
    /// The phyxels at rest, from the origin [m].
    sites: Vec<[f64; 3]>,
    /// In the middle of all, so that no digits are lost far from the world's [m].
    origin: [f64; 3],
    /// How far points look [m].
    reach: f64,
}

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
            count: points.len(),
            points: points.chunks(BLOCK).map(|chunk| lines(chunk.iter().map(local))).collect(),
            sites: phyxels.iter().map(local).collect(),
            origin,
            reach: REACH * spacing,
            ..Carried::default()
        };
        let local: Vec<[f64; 3]> = points.iter().map(local).collect();
        let around = Around::new(&carried.sites, &local, REACH * spacing);
        let mut own = Vec::new();
        for vertex in 0..points.len() {
            around.weigh(vertex, &mut own);
            carried.shares.extend(own.iter().map(|&(j, weight)| (j, weight as f32)));
            // Filled up with phyxels that carry nothing, so that blends go on in whole strides.
            let filled = carried.shares.len().next_multiple_of(STRIDE);
            carried.shares.resize(filled, (own[0].0, 0.0));
            carried.offsets.push(carried.shares.len() as u32);
        }
        let outside = carried.outside(&around, REACH * spacing);
        (carried, outside)
    }

    fn outside(&self, around: &Around, reach: f64) -> Outside {
        let blind = (0..self.len()).filter(|&v| around.reach[v] > reach);
        let distance = |v: usize| {
            let x = Vec3(self.local(v));
            self.around(v).map(|(j, _)| (x - Vec3(self.sites[j as usize])).norm()).fold(f64::INFINITY, f64::min)
        };
        blind.fold((0, 0.0), |(count, most): Outside, v| (count + 1, most.max(distance(v))))
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The phyxel nearest to each point: the one that carries most of it.
    pub fn nearest(&self) -> Vec<u32> {
        let heaviest = |i: usize| self.around(i).fold((0, -1.0), |best, e| if e.1 > best.1 { e } else { best }).0;
        (0..self.len()).map(heaviest).collect()
    }

    /// The phyxels around a point, with their weights.
    pub fn around(&self, point: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.shares_of(point).iter().filter(|s| s.1 > 0.0).map(|&(j, weight)| (j, f64::from(weight)))
    }

    /// The same in full precision: contact chooses among phyxels by weights of which many are equal but for rounding.
    pub fn weighed_around(&self, point: usize) -> Vec<(u32, f64)> {
        let at = Vec3(self.local(point));
        let weight = |j: u32| {
            let distance = (at - Vec3(self.sites[j as usize])).norm_squared();
            (-DECAY * distance / (self.reach * self.reach)).exp()
        };
        let mut shares: Vec<(u32, f64)> = self.around(point).map(|(j, _)| (j, weight(j))).collect();
        let total: f64 = shares.iter().map(|s| s.1).sum();
        if total > 0.0 {
            shares.iter_mut().for_each(|s| s.1 /= total);
        }
        shares
    }

    /// What each phyxel does to space around it.
    pub fn maps(&self, site: impl Fn(usize) -> Site + Sync) -> Maps {
        let mut maps = Maps::default();
        maps.fill(&self.sites, site);
        maps
    }

    /// The same, into memory that is there already.
    pub fn maps_into(&self, site: impl Fn(usize) -> Site + Sync, maps: &mut Maps) {
        maps.fill(&self.sites, site);
    }

    /// The maps of the phyxels around the points from `first` on, blended; `first` is a multiple of [`BLOCK`].
    #[inline(always)]
    pub fn blend(&self, maps: &Maps, first: usize) -> Blended {
        let mut block = Blended::default();
        for lane in 0..BLOCK.min(self.count - first) {
            maps.blend(self.shares_of(first + lane), lane, &mut block);
        }
        block
    }

    /// Where these points are under the blended maps [m].
    #[inline(always)]
    pub fn place(&self, maps: &Maps, block: &Blended, first: usize) -> Lines<f64> {
        maps.place(block, &self.points[first / BLOCK])
    }

    /// Where the points are now [m].
    pub fn positions(&self, maps: &Maps) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; self.len()];
        par::chunks(&mut out, par::GRAIN, |first, chunk| {
            vectorised(
                #[inline(always)]
                || {
                    for (b, out) in chunk.chunks_mut(BLOCK).enumerate() {
                        let block = self.blend(maps, first + BLOCK * b);
                        let now = self.place(maps, &block, first + BLOCK * b);
                        for (l, x) in out.iter_mut().enumerate() {
                            *x = [now[0][l], now[1][l], now[2][l]];
                        }
                    }
                },
            );
        });
        out
    }

    /// A point at rest [m].
    pub fn rest(&self, point: usize) -> [f64; 3] {
        let x = self.local(point);
        [0, 1, 2].map(|a| x[a] + self.origin[a])
    }

    fn local(&self, point: usize) -> [f64; 3] {
        [0, 1, 2].map(|a| self.points[point / BLOCK][a][point % BLOCK])
    }

    #[inline(always)]
    fn shares_of(&self, point: usize) -> &[(u32, f32)] {
        &self.shares[self.offsets[point] as usize..self.offsets[point + 1] as usize]
    }
}

/// Vectors axis by axis; places that are left over are at the origin.
#[inline(always)]
pub fn lines<R: Default + Copy>(vectors: impl Iterator<Item = [R; 3]>) -> Lines<R> {
    let mut lines = [[R::default(); BLOCK]; 3];
    for (l, vector) in vectors.take(BLOCK).enumerate() {
        (0..3).for_each(|a| lines[a][l] = vector[a]);
    }
    lines
}

fn middle(points: &[[f64; 3]]) -> [f64; 3] {
    let count = points.len().max(1) as f64;
    [0, 1, 2].map(|a| points.iter().map(|p| p[a]).sum::<f64>() / count)
}
