//! The implicit surface around phyxels.

use crate::felt::{Felt, SIDE_BY_SIDE, Spacings, exp};
use crate::mesh::unit;
use phyxel::math::Vec3;
use phyxel::vectorised;

type V = Vec3<f64>;

/// Radius of a phyxel on its own, in spacings.
const RADIUS: f64 = 0.5;
/// How blobby phyxels are (Müller et al. 2004, eq. 28). With these two the field of a lattice ripples by 6 %, which moves
/// the surface by 2 % of the spacing, and lies half a spacing outside the outermost phyxels, where the skin was.
const BLOBBINESS: f64 = -0.7;
/// Phyxels beyond this many spacings add less than a thousandth.
const REACH: f64 = 1.8;
const ROUNDS: usize = 12;
/// Steps this short, in spacings, are the last.
const CLOSE: f64 = 1e-3;
/// The same where a place goes on in the next frame: Newton's next step would be about the square of this one.
const NEAR: f64 = 5e-2;

/// A sum of bumps `f_i(x) = b exp(−a r²)`, whose surface is where it equals [`Field::LEVEL`].
pub struct Field<'a> {
    phyxels: &'a [[f64; 3]],
    felt: Felt,
    /// For lengths in spacings.
    a: f32,
    b: f32,
    spacing: f64,
}

impl<'a> Field<'a> {
    /// The value on the surface.
    pub const LEVEL: f64 = 1.0;

    /// Around phyxels that are `spacing` [m] apart.
    pub fn new(phyxels: &'a [[f64; 3]], spacing: f64) -> Self {
        Field::around(phyxels, Spacings::All(spacing))
    }

    /// Around phyxels of several bodies.
    pub(super) fn around(phyxels: &'a [[f64; 3]], spacings: Spacings<'_>) -> Self {
        let a = -BLOBBINESS / (RADIUS * RADIUS);
        let b = Field::LEVEL * (-BLOBBINESS).exp();
        let (felt, spacing) = (Felt::new(phyxels, spacings, REACH), spacings.largest());
        Field { phyxels, felt, a: a as f32, b: b as f32, spacing }
    }

    /// Value and gradient [1/m] at a place.
    pub fn at(&self, x: V) -> (f64, V) {
        let mut out = (0.0, V::zero());
        vectorised(
            #[inline(always)]
            || out = self.sum(x),
        );
        out
    }

    #[inline(always)]
    fn sum(&self, x: V) -> (f64, V) {
        let (groups, local) = self.felt.at(x);
        let (mut value, mut slope) = ([0.0; SIDE_BY_SIDE], [[0.0; SIDE_BY_SIDE]; 3]);
        for group in groups {
            let (arms, square) = group.arms(local);
            let mut exponent = square;
            for k in 0..SIDE_BY_SIDE {
                exponent[k] = -self.a * square[k].min((REACH * REACH) as f32);
            }
            let bump = exp(&exponent);
            for k in 0..SIDE_BY_SIDE {
                let f = if square[k] < (REACH * REACH) as f32 { bump[k] } else { 0.0 };
                value[k] += f;
                let steep = f * group.per_square[k];
                for a in 0..3 {
                    slope[a][k] += arms[a][k] * steep;
                }
            }
        }
        let total = |lanes: &[f32; SIDE_BY_SIDE]| f64::from(lanes.iter().sum::<f32>() * self.b);
        let per_length = 2.0 * f64::from(self.a) / self.spacing;
        (total(&value), Vec3([total(&slope[0]), total(&slope[1]), total(&slope[2])]) * per_length)
    }

    /// The place on the surface that is reached along the gradient, with the outward normal there. Newton's steps in the
    /// logarithm of the field, which is nearly a parabola, converge from far outside.
    pub fn project(&self, x: V) -> (V, V) {
        let (place, normal, _) = self.descend(x, CLOSE);
        (place, normal)
    }

    /// The same with fewer digits, for what was on the surface in the last frame and will go on in the next; nothing where
    /// no surface is reached.
    pub(super) fn approach(&self, x: V) -> Option<(V, V)> {
        let (place, normal, there) = self.descend(x, NEAR);
        there.then_some((place, normal))
    }

    fn descend(&self, x: V, close: f64) -> (V, V, bool) {
        let mut out = (x, V::zero(), false);
        vectorised(
            #[inline(always)]
            || out = self.steps(x, close),
        );
        out
    }

    #[inline(always)]
    fn steps(&self, mut x: V, close: f64) -> (V, V, bool) {
        for _ in 0..ROUNDS {
            let (value, slope) = self.sum(x);
            let steep = slope.norm();
            if value < 1e-6 || steep < 1e-6 * value / self.spacing {
                // Nothing is felt here: go to the nearest phyxel's own ball.
                let Some(center) = self.nearest(x) else { return (x, V::zero(), false) };
                let away = if (x - center).norm() > 0.0 { unit(x - center) } else { Vec3([0.0, 1.0, 0.0]) };
                x = center + away * (RADIUS * self.spacing);
                continue;
            }
            let step = (Field::LEVEL / value).ln() * value / steep;
            let up = slope * (1.0 / steep);
            x += up * step.clamp(-0.4 * self.spacing, 0.4 * self.spacing);
            if step.abs() < close * self.spacing {
                // So short a step does not turn the normal.
                return (x, -up, true);
            }
        }
        (x, unit(-self.sum(x).1), false)
    }

    /// The nearest phyxel. It is looked for seldom, by matter that was left far outside.
    #[cold]
    fn nearest(&self, x: V) -> Option<V> {
        let distance = |p: &&[f64; 3]| (Vec3(**p) - x).norm_squared();
        let finite = self.phyxels.iter().filter(|p| p.iter().all(|c| c.is_finite()));
        finite.min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|p| Vec3(*p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phyxel_on_its_own_is_a_ball_of_its_radius() {
        let field = Field::new(&[[1.0, 2.0, 3.0]], 0.1);
        for x in [[1.05, 2.0, 3.0], [1.02, 2.03, 3.01], [1.0, 2.0, 3.0], [1.3, 2.0, 3.4]] {
            let (p, n) = field.project(Vec3(x));
            let arm = p - Vec3([1.0, 2.0, 3.0]);
            assert!((arm.norm() - 0.05).abs() < 1e-5, "{x:?}: {}", arm.norm());
            assert!((unit(arm) - n).norm() < 1e-6);
            assert!((field.at(p).0 - Field::LEVEL).abs() < 1e-4);
        }
    }

    #[test]
    fn gradients_are_those_of_the_values() {
        let points: Vec<[f64; 3]> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|c| 0.1 * c as f64)).collect();
        let spacings: Vec<f64> = (0..27).map(|i| 0.07 + 0.001 * f64::from(i)).collect();
        for field in [Field::new(&points, 0.1), Field::around(&points, Spacings::Each(&spacings))] {
            let x = Vec3([0.13, -0.04, 0.21]);
            let slope = field.at(x).1;
            for axis in 0..3 {
                let mut step = V::zero();
                // A step at which neither seven digits nor the third derivative matters.
                step[axis] = 2e-4;
                let difference = (field.at(x + step).0 - field.at(x - step).0) / 4e-4;
                assert!((difference - slope[axis]).abs() < 1e-4 * slope.norm());
            }
        }
    }

    #[test]
    fn every_body_keeps_its_own_size_in_a_field_of_several() {
        let points = [[0.0; 3], [3.0, 0.0, 0.0]];
        let field = Field::around(&points, Spacings::Each(&[0.1, 0.4]));
        for (center, radius) in [(0.0, 0.05), (3.0, 0.2)] {
            let (place, _) = field.project(Vec3([center, 0.9 * radius, 0.0]));
            assert!(((place - Vec3([center, 0.0, 0.0])).norm() / radius - 1.0).abs() < 1e-4, "{place:?}");
        }
    }
}
