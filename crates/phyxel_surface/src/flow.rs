//! How matter moved since the last frame, everywhere around the phyxels.

use crate::felt::{Felt, SIDE_BY_SIDE, Spacings, exp};
use crate::grid::PointGrid;
use phyxel::math::{Mat3, Vec3, pseudo_inverse_symmetric};
use phyxel::model::{BLOCK, Blended, Lines, Maps, Site, lines};
use phyxel::par;

type V = Vec3<f64>;

/// The motion of phyxels from one frame to the next, continued to the space around them: first order, Gaussian weights
/// (Müller et al. 2004, eq. 27). Nothing but positions goes into it, so it holds for matter that has no rest shape.
pub struct Flow {
    before: PointGrid,
    felt: Felt,
    maps: Maps,
    /// Among the phyxels before, so that no digits are lost [m].
    origin: V,
    /// Phyxels whose neighbours passed each other or went far apart: little is known of the matter between them.
    pub(crate) torn: Vec<bool>,
}

/// Where a block of places went.
pub struct Moved<'a> {
    flow: &'a Flow,
    block: Blended,
    /// The places, axis by axis [m].
    pub places: Lines<f64>,
}

/// How far points look, in spacings, and the Gaussian's exponent there; as for skins.
const REACH: f64 = 1.8;
const DECAY: f64 = 6.0;
/// Directions in which neighbours are this much closer together than in others are not known: they only turn along.
const FLAT: f64 = 1e-4;
/// Strains `FᵀF − I` in one frame above which matter is torn: no solid does that.
const VIOLENT: f64 = 1.5;

impl Flow {
    /// From phyxels before and now, which are `spacing` [m] apart.
    pub fn new(before: &[[f64; 3]], now: &[[f64; 3]], spacing: f64) -> Self {
        Flow::of(before, now, Spacings::All(spacing))
    }

    /// The same for phyxels of several bodies.
    pub(crate) fn of(before: &[[f64; 3]], now: &[[f64; 3]], spacings: Spacings<'_>) -> Self {
        let grid = PointGrid::new(before, REACH * spacings.largest());
        let origin = before.iter().find(|p| Vec3(**p).is_finite()).map_or(V::zero(), |p| Vec3(*p));
        let local: Vec<[f64; 3]> = before.iter().map(|p| (Vec3(*p) - origin).0).collect();
        let mut gradients = vec![None; before.len()];
        par::for_each(&mut gradients, |j, g| {
            *g = gradient(&grid, now, (Vec3(before[j]), Vec3(now[j])), REACH * spacings.of(j));
        });
        let mut maps = Maps::default();
        maps.fill(&local, |j| Site { position: now[j], deformation: gradients[j].unwrap_or(Mat3::identity()) });
        let strain = |g: Mat3<f64>| (g.transpose() * g - Mat3::identity()).norm();
        let torn = gradients.iter().map(|g| g.is_none_or(|g| strain(g) > VIOLENT)).collect();
        Flow { before: grid, felt: Felt::new(before, spacings, REACH), maps, origin, torn }
    }

    /// Where places went, [`BLOCK`] of them at most.
    #[inline(always)]
    pub fn block(&self, places: impl Iterator<Item = V> + Clone) -> Moved<'_> {
        let mut block = Blended::default();
        let mut shares = Shares::default();
        for (lane, x) in places.clone().take(BLOCK).enumerate() {
            self.weigh(x, &mut shares);
            self.maps.blend(&shares.all[..shares.count], lane, &mut block);
        }
        let places = self.maps.place(&block, &lines(places.map(|x| (x - self.origin).0)));
        Moved { flow: self, block, places }
    }

    /// The phyxels around a place, and weights that sum to one; the nearest alone where there is none.
    #[inline(always)]
    fn weigh(&self, x: V, shares: &mut Shares) {
        const FAR: f32 = (REACH * REACH) as f32;
        shares.count = 0;
        let (groups, local) = self.felt.at(x);
        let mut total = 0.0;
        for group in groups {
            let (_, square) = group.arms(local);
            let mut exponent = square;
            for k in 0..SIDE_BY_SIDE {
                exponent[k] = -(DECAY as f32) / FAR * square[k].min(FAR);
            }
            let weight = exp(&exponent);
            for k in 0..SIDE_BY_SIDE {
                if square[k] < FAR && shares.count < MOST {
                    shares.all[shares.count] = (group.who[k], weight[k]);
                    shares.count += 1;
                    total += weight[k];
                }
            }
        }
        if shares.count == 0
            && let Some((j, _)) = self.before.nearest(x)
        {
            (shares.all[0], shares.count, total) = ((j, 1.0), 1, 1.0);
        }
        let per_total = 1.0 / total;
        shares.all[..shares.count].iter_mut().for_each(|s| s.1 *= per_total);
    }
}

impl Moved<'_> {
    /// What became of arms from the places [m].
    #[inline(always)]
    pub fn turn(&self, arms: &Lines<f32>) -> Lines<f32> {
        self.flow.maps.turn(&self.block, arms)
    }

    /// What became of normals at the places; they turn as areas do, and keep no length.
    #[inline(always)]
    pub fn turn_areas(&self, normals: &Lines<f32>) -> Lines<f32> {
        self.flow.maps.turn_areas(&self.block, normals)
    }

    /// A place [m].
    #[inline(always)]
    pub fn place(&self, lane: usize) -> V {
        Vec3([self.places[0][lane], self.places[1][lane], self.places[2][lane]])
    }
}

/// Phyxels around one place: three times as many as matter has that is not pressed together, and then some.
const MOST: usize = 96;

/// The phyxels that move a place, with their weights.
struct Shares {
    all: [(u32, f32); MOST],
    count: usize,
}

impl Default for Shares {
    fn default() -> Self {
        Shares { all: [(0, 0.0); MOST], count: 0 }
    }
}

/// The gradient that fits the motion of a phyxel's neighbours best; nothing where these passed each other.
fn gradient(grid: &PointGrid, now: &[[f64; 3]], (x, y): (V, V), reach: f64) -> Option<Mat3<f64>> {
    let (mut a, mut b) = (Mat3::zero(), Mat3::zero());
    grid.each_within(x, reach, |k, arm, square| {
        let weight = 1.0 - square / (reach * reach);
        let moved = Vec3(now[k as usize]) - y - arm;
        a += Mat3::outer(arm, arm) * weight;
        b += Mat3::outer(moved, arm) * weight;
    });
    let (inverse, _) = pseudo_inverse_symmetric(&a, FLAT);
    let g = Mat3::identity() + b * inverse;
    (g.is_finite() && g.det() > 0.1 && g.norm() < 6.0).then_some(g)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_motion_is_continued_exactly() {
        let before: Vec<[f64; 3]> = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|c| 0.1 * c as f64)).collect();
        let map = Mat3([[1.1, 0.2, 0.0], [-0.1, 0.9, 0.1], [0.0, 0.05, 1.2]]);
        let shift = Vec3([1.0, -2.0, 0.5]);
        let now: Vec<[f64; 3]> = before.iter().map(|p| (map * Vec3(*p) + shift).0).collect();
        let flow = Flow::new(&before, &now, 0.1);
        let places = [[0.21, 0.13, 0.3], [-0.05, 0.2, 0.45], [2.0, 0.0, 0.0]].map(Vec3);
        let moved = flow.block(places.iter().copied());
        let arm = Vec3([0.3, -0.5, 0.8]);
        let arms = lines(std::iter::repeat_n(arm.0.map(|c| c as f32), 3));
        let (turned, areas) = (moved.turn(&arms), moved.turn_areas(&arms));
        for (l, x) in places.iter().enumerate() {
            assert!((moved.place(l) - (map * *x + shift)).norm() < 1e-12, "{:?}", moved.place(l));
            let at = |lines: &Lines<f32>| Vec3([0, 1, 2].map(|a| f64::from(lines[a][l])));
            // Directions have seven digits.
            assert!((at(&turned) - map * arm).norm() < 1e-6);
            assert!((at(&areas) - map.cofactor() * arm).norm() < 1e-6);
        }
    }

    #[test]
    fn nothing_moves_without_phyxels() {
        let x = Vec3([0.3, 1.0, -2.0]);
        for phyxels in [Vec::new(), vec![[f64::NAN; 3]; 3]] {
            let flow = Flow::new(&phyxels, &phyxels, 0.1);
            assert_eq!(flow.block(std::iter::once(x)).place(0), x);
        }
    }
}
