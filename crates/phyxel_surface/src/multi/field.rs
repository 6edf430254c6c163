//! The implicit surface around phyxels.

use crate::grid::PointGrid;
use crate::mesh::unit;
use phyxel::math::Vec3;

type V = Vec3<f64>;

/// Radius of a phyxel on its own, in spacings.
const RADIUS: f64 = 0.5;
/// How blobby phyxels are (Müller et al. 2004, eq. 28). With these two the field of a lattice ripples by 6 %, which moves
/// the surface by 2 % of the spacing, and lies half a spacing outside the outermost phyxels, where the skin was.
const BLOBBINESS: f64 = -0.7;
/// Phyxels beyond this many spacings add less than a thousandth.
const REACH: f64 = 1.8;
const ROUNDS: usize = 12;

/// A sum of bumps `f_i(x) = b exp(−a r²)`, whose surface is where it equals [`Field::LEVEL`].
pub struct Field {
    phyxels: PointGrid,
    a: f64,
    b: f64,
    spacing: f64,
}

impl Field {
    /// The value on the surface.
    pub const LEVEL: f64 = 1.0;

    /// Around phyxels that are `spacing` [m] apart.
    pub fn new(phyxels: &[[f64; 3]], spacing: f64) -> Self {
        let a = -BLOBBINESS / (RADIUS * spacing).powi(2);
        let b = Field::LEVEL * (-BLOBBINESS).exp();
        Field { phyxels: PointGrid::new(phyxels, REACH * spacing), a, b, spacing }
    }

    /// Value and gradient at a place.
    pub fn at(&self, x: V) -> (f64, V) {
        let (mut value, mut slope) = (0.0, V::zero());
        self.phyxels.each_within(x, REACH * self.spacing, |_, arm, square| {
            let f = self.b * (-self.a * square).exp();
            value += f;
            slope += arm * (2.0 * self.a * f);
        });
        (value, slope)
    }

    /// The outward normal at a place.
    pub fn normal(&self, x: V) -> V {
        unit(-self.at(x).1)
    }

    /// The place on the surface that is reached along the gradient, with the normal there. Newton's steps in the logarithm
    /// of the field, which is nearly a parabola, converge from far outside.
    pub fn project(&self, mut x: V) -> (V, V) {
        for _ in 0..ROUNDS {
            let (value, slope) = self.at(x);
            let steep = slope.norm();
            if value < 1e-6 || steep < 1e-9 * value / self.spacing {
                // Nothing is felt here: go to the nearest phyxel's own ball.
                let Some((j, _)) = self.phyxels.nearest(x) else { return (x, V::zero()) };
                let center = self.phyxel(j);
                let away = if (x - center).norm() > 0.0 { unit(x - center) } else { Vec3([0.0, 1.0, 0.0]) };
                x = center + away * (RADIUS * self.spacing);
                continue;
            }
            let step = (Field::LEVEL / value).ln() * value / steep;
            x += unit(slope) * step.clamp(-0.4 * self.spacing, 0.4 * self.spacing);
            if step.abs() < 1e-3 * self.spacing {
                break;
            }
        }
        (x, self.normal(x))
    }

    fn phyxel(&self, j: u32) -> V {
        self.phyxels.point(j)
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
        let field = Field::new(&points, 0.1);
        let x = Vec3([0.13, -0.04, 0.21]);
        let slope = field.at(x).1;
        for axis in 0..3 {
            let mut step = V::zero();
            step[axis] = 1e-6;
            let difference = (field.at(x + step).0 - field.at(x - step).0) / 2e-6;
            assert!((difference - slope[axis]).abs() < 1e-4 * slope.norm());
        }
    }
}
