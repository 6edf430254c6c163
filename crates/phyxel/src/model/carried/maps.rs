//! What phyxels do to the space around them, ready to be blended.

use crate::math::{Mat3, Vec3};
use crate::par;

/// What a phyxel does to the matter around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Where it is [m].
    pub position: [f64; 3],
    /// Its deformation gradient.
    pub deformation: Mat3<f64>,
}

/// An affine map from rest to world: three columns of the gradient, then the shift [m].
type AffineMap = [f64; 12];

fn affine(site: Site, rest: [f64; 3]) -> AffineMap {
    let Site { position, deformation } = site;
    let shift = Vec3(position) - deformation * Vec3(rest);
    let columns = [deformation.column(0).0, deformation.column(1).0, deformation.column(2).0, shift.0];
    std::array::from_fn(|k| columns[k / 3][k % 3])
}

/// The twelve numbers of a map, and nothing behind them: two registers, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(align(64))]
struct Apart([f32; 16]);

/// The maps of all phyxels: what they share, and by how much each differs from that. The whole moves in full precision, so
/// linear fields are followed to the last digit; the differences have seven digits and half the size, and a blend reads
/// them many times.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Maps {
    shared: AffineMap,
    apart: Vec<Apart>,
    whole: Vec<AffineMap>,
}

impl Maps {
    /// Sets the maps of phyxels that were at `rest` [m], counted from a point in the middle of them.
    pub fn fill(&mut self, rest: &[[f64; 3]], site: impl Fn(usize) -> Site + Sync) {
        self.whole.resize(rest.len(), AffineMap::default());
        par::for_each(&mut self.whole, |j, map| *map = affine(site(j), rest[j]));
        self.shared = mean(&self.whole);
        self.apart.resize(rest.len(), Apart::default());
        let (whole, shared) = (&self.whole, &self.shared);
        par::for_each(&mut self.apart, |j, apart| {
            let own = |k: usize| (whole[j][k] - shared[k]) as f32;
            *apart = Apart(std::array::from_fn(|k| if k < 12 { own(k) } else { 0.0 }));
        });
    }

    /// The maps of some phyxels, with weights that sum to one, into a place of a block.
    #[inline(always)]
    pub fn blend(&self, shares: &[(u32, f32)], lane: usize, block: &mut Blended) {
        let mut sum = Apart::default();
        // Several at a time: one sum after the other would wait for the last one each time.
        let strides = shares.chunks_exact(STRIDE);
        let rest = strides.remainder();
        for stride in strides {
            let [a, b, c, d] = [0, 1, 2, 3].map(|s| &self.apart[stride[s].0 as usize].0);
            for k in 0..16 {
                let low = stride[0].1 * a[k] + stride[1].1 * b[k];
                let high = stride[2].1 * c[k] + stride[3].1 * d[k];
                sum.0[k] += low + high;
            }
        }
        for &(j, weight) in rest {
            let map = &self.apart[j as usize];
            for k in 0..16 {
                sum.0[k] += weight * map.0[k];
            }
        }
        for k in 0..12 {
            block.0[k][lane] = sum.0[k];
        }
    }

    /// Where the points of a block go [m]: they come and go axis by axis.
    #[inline(always)]
    pub fn place(&self, block: &Blended, points: &Lines<f64>) -> Lines<f64> {
        let mut out = [[0.0; BLOCK]; 3];
        for k in 0..3 {
            let [a, b, c, shift] = [&block.0[k], &block.0[3 + k], &block.0[6 + k], &block.0[9 + k]];
            let own = [self.shared[k], self.shared[3 + k], self.shared[6 + k], self.shared[9 + k]];
            for l in 0..BLOCK {
                let along = (own[0] + f64::from(a[l])) * points[0][l]
                    + (own[1] + f64::from(b[l])) * points[1][l]
                    + (own[2] + f64::from(c[l])) * points[2][l];
                out[k][l] = own[3] + f64::from(shift[l]) + along;
            }
        }
        out
    }

    /// What becomes of arms between points of a block [m].
    #[inline(always)]
    pub fn turn(&self, block: &Blended, arms: &Lines<f32>) -> Lines<f32> {
        let mut out = [[0.0; BLOCK]; 3];
        for k in 0..3 {
            let [a, b, c] = [&block.0[k], &block.0[3 + k], &block.0[6 + k]];
            let own = [self.shared[k] as f32, self.shared[3 + k] as f32, self.shared[6 + k] as f32];
            for l in 0..BLOCK {
                out[k][l] = (own[0] + a[l]) * arms[0][l] + (own[1] + b[l]) * arms[1][l] + (own[2] + c[l]) * arms[2][l];
            }
        }
        out
    }

    /// What becomes of the normals of a block: they turn as areas do, by the cofactors of the gradient.
    #[inline(always)]
    pub fn turn_areas(&self, block: &Blended, normals: &Lines<f32>) -> Lines<f32> {
        let mut out = [[0.0; BLOCK]; 3];
        let own = |k: usize| self.shared[k] as f32;
        let own: [[f32; 3]; 3] = [[own(0), own(1), own(2)], [own(3), own(4), own(5)], [own(6), own(7), own(8)]];
        for l in 0..BLOCK {
            let column = |c: usize| {
                Vec3([
                    own[c][0] + block.0[3 * c][l],
                    own[c][1] + block.0[3 * c + 1][l],
                    own[c][2] + block.0[3 * c + 2][l],
                ])
            };
            let (a, b, c) = (column(0), column(1), column(2));
            let turned = b.cross(c) * normals[0][l] + c.cross(a) * normals[1][l] + a.cross(b) * normals[2][l];
            for k in 0..3 {
                out[k][l] = turned[k];
            }
        }
        out
    }
}

/// Phyxels that are blended together.
pub(super) const STRIDE: usize = 4;

/// Points that are worked on together: enough to fill the registers, few enough to stay close.
pub const BLOCK: usize = 32;

/// A block of vectors, axis by axis.
pub type Lines<R> = [[R; BLOCK]; 3];

/// The blended maps of a block of points, number by number: what is apart from the shared one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blended([[f32; BLOCK]; 12]);

impl Default for Blended {
    fn default() -> Self {
        Blended([[0.0; BLOCK]; 12])
    }
}

/// The mean of maps; those of phyxels that have flown apart into nothing are left out. Without any, nothing moves.
fn mean(maps: &[AffineMap]) -> AffineMap {
    let add = |a: (usize, AffineMap), b: (usize, AffineMap)| (a.0 + b.0, std::array::from_fn(|k| a.1[k] + b.1[k]));
    let part = |range: std::ops::Range<usize>| {
        let finite = maps[range].iter().filter(|m| m.iter().all(|c| c.is_finite()));
        finite.fold((0, AffineMap::default()), |sum, map| add(sum, (1, *map)))
    };
    let (count, sum) = par::fold_ranges(0..maps.len(), &part, &add);
    if count == 0 {
        return [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    }
    sum.map(|c| c / count as f64)
}
