//! Where a shape stands.

use super::ShapeError;
use crate::math::{Mat3, Vec3};

/// Where the centre of a shape goes, and how it is turned before.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Placement {
    /// Where the shape's centre goes [m].
    pub position: [f64; 3],
    /// Axis times angle [rad].
    pub rotation: [f64; 3],
}

impl Placement {
    /// Turned by nothing.
    pub fn at(position: [f64; 3]) -> Self {
        Placement { position, rotation: [0.0; 3] }
    }

    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        for (what, v) in [("position", self.position), ("rotation", self.rotation)] {
            if !v.iter().all(|c| c.is_finite()) {
                return Err(ShapeError::BadPlacement { what });
            }
        }
        Ok(())
    }

    /// Moves points from the shape's own frame into the world.
    pub fn apply(&self, points: &mut [[f64; 3]]) {
        let (rotation, position) = (self.matrix(), Vec3(self.position));
        for p in points {
            let turned = rotation.map_or(Vec3(*p), |r| r * Vec3(*p));
            *p = (turned + position).0;
        }
    }

    /// World from body.
    pub fn rotation_matrix(&self) -> Mat3<f64> {
        self.matrix().unwrap_or(Mat3::identity())
    }

    /// Rodrigues' formula; `None` when nothing turns, so that coordinates stay exact.
    fn matrix(&self) -> Option<Mat3<f64>> {
        let turn = Vec3(self.rotation);
        let angle = turn.norm();
        if angle == 0.0 {
            return None;
        }
        let [x, y, z] = (turn * (1.0 / angle)).0;
        let cross = Mat3([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]);
        Some(Mat3::identity() + cross * angle.sin() + cross * cross * (1.0 - angle.cos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_y_takes_x_to_minus_z() {
        let placement = Placement { position: [1.0, 2.0, 3.0], rotation: [0.0, std::f64::consts::FRAC_PI_2, 0.0] };
        let mut points = [[1.0, 0.5, 0.0]];
        placement.apply(&mut points);
        let expected = [1.0, 2.5, 2.0];
        for a in 0..3 {
            assert!((points[0][a] - expected[a]).abs() < 1e-15);
        }
    }

    #[test]
    fn broken_placements_are_named() {
        let error = Placement::at([0.0, f64::NAN, 0.0]).check().unwrap_err();
        assert_eq!(error, ShapeError::BadPlacement { what: "position" });
    }
}
