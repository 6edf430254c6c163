//! How matter moved since the last frame, everywhere around the phyxels.

use crate::grid::PointGrid;
use phyxel::math::{Mat3, Vec3, pseudo_inverse_symmetric};
use phyxel::par;

type V = Vec3<f64>;

/// The motion of phyxels from one frame to the next, continued to the space around them: first order, Gaussian weights
/// (Müller et al. 2004, eq. 27). Nothing but positions goes into it, so it holds for matter that has no rest shape.
pub struct Flow {
    before: PointGrid,
    /// Displacement and gradient of the motion around each phyxel, and where it was.
    moves: Vec<(V, V, Mat3<f64>)>,
    reach: f64,
}

/// How far points look, in spacings, and the Gaussian's exponent there; as for skins.
const REACH: f64 = 1.8;
const DECAY: f64 = 6.0;
/// Directions in which neighbours are this much closer together than in others are not known: they only turn along.
const FLAT: f64 = 1e-4;

impl Flow {
    /// From phyxels before and now, which are `spacing` [m] apart.
    pub fn new(before: &[[f64; 3]], now: &[[f64; 3]], spacing: f64) -> Self {
        let reach = REACH * spacing;
        let grid = PointGrid::new(before, reach);
        let mut moves = vec![(V::zero(), V::zero(), Mat3::identity()); before.len()];
        par::for_each(&mut moves, |j, out| {
            let (x, y) = (Vec3(before[j]), Vec3(now[j]));
            *out = (x, y, gradient(&grid, now, (x, y), reach));
        });
        Flow { before: grid, moves, reach }
    }

    /// Where a place went, and the gradient of the motion there.
    pub fn at(&self, x: V) -> (V, Mat3<f64>) {
        let mut reach = self.reach;
        for _ in 0..8 {
            let (mut place, mut gradient, mut total) = (V::zero(), Mat3::zero(), 0.0);
            self.before.each_within(x, reach, |j, arm, square| {
                let weight = (-DECAY * square / (reach * reach)).exp();
                let (_, now, g) = &self.moves[j as usize];
                place += (*now - *g * arm) * weight;
                gradient += *g * weight;
                total += weight;
            });
            if total > 1e-9 {
                return (place * (1.0 / total), gradient * (1.0 / total));
            }
            reach *= 2.0;
        }
        match self.before.nearest(x) {
            Some((j, _)) => {
                let (before, now, g) = &self.moves[j as usize];
                (*now + *g * (x - *before), *g)
            }
            None => (x, Mat3::identity()),
        }
    }
}

/// The gradient that fits the motion of a phyxel's neighbours best.
fn gradient(grid: &PointGrid, now: &[[f64; 3]], (x, y): (V, V), reach: f64) -> Mat3<f64> {
    let (mut a, mut b) = (Mat3::zero(), Mat3::zero());
    grid.each_within(x, reach, |k, arm, square| {
        let weight = 1.0 - square / (reach * reach);
        let moved = Vec3(now[k as usize]) - y - arm;
        a += Mat3::outer(arm, arm) * weight;
        b += Mat3::outer(moved, arm) * weight;
    });
    let (inverse, _) = pseudo_inverse_symmetric(&a, FLAT);
    let g = Mat3::identity() + b * inverse;
    // Phyxels that passed each other say nothing about the matter between them.
    if g.is_finite() && g.det() > 0.1 && g.norm() < 6.0 { g } else { Mat3::identity() }
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
        for x in [[0.21, 0.13, 0.3], [-0.05, 0.2, 0.45], [2.0, 0.0, 0.0]].map(Vec3) {
            let (place, gradient) = flow.at(x);
            assert!((place - (map * x + shift)).norm() < 1e-12, "{place:?}");
            assert!((gradient - map).norm() < 1e-11);
        }
    }
}
