//! Pieces of planes that cut: discs, planes without end, and what a blade sweeps over in a step.

use crate::math::Vec3;
use crate::scene::{Blade, Cut};

/// A piece of a plane along which matter parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// A point on it [m].
    pub point: Vec3<f64>,
    /// Square to it, a unit vector.
    pub normal: Vec3<f64>,
    /// How far it reaches.
    pub within: Within,
}

/// How far a slice reaches in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Within {
    /// So far from its point [m].
    Radius(f64),
    /// Between these corners, in order around it [m].
    Corners([Vec3<f64>; 4]),
}

impl Slice {
    /// A cut along a plane.
    pub fn of(cut: &Cut) -> Self {
        Slice { point: Vec3(cut.point), normal: Vec3(cut.normal).normalized(), within: Within::Radius(cut.radius) }
    }

    /// What a blade sweeps over between two times [s], if that is anything.
    pub fn swept(blade: &Blade, start: f64, (from, to): (f64, f64)) -> Option<Self> {
        let share = |time: f64| (time - start) / blade.duration;
        let (from, to) = (share(from).max(0.0), share(to).min(1.0));
        let end = |k: usize, s: f64| Vec3(blade.from[k]) * (1.0 - s) + Vec3(blade.to[k]) * s;
        let corners = [end(0, from), end(1, from), end(1, to), end(0, to)];
        let [a, b, c, d] = corners;
        let normal = (b + c - a - d).cross(c + d - a - b);
        if to <= from || normal == Vec3::zero() {
            return None;
        }
        let point = (a + b + c + d) * 0.25;
        Some(Slice { point, normal: normal.normalized(), within: Within::Corners(corners) })
    }

    /// How far over the plane a point lies [m].
    pub fn height(&self, x: Vec3<f64>) -> f64 {
        (x - self.point).dot(self.normal)
    }

    /// Whether the foot of a point on the plane is within its reach.
    pub fn reaches(&self, x: Vec3<f64>) -> bool {
        match self.within {
            Within::Radius(radius) => (x - self.point - self.normal * self.height(x)).norm() <= radius,
            Within::Corners(corners) => (0..4).all(|k| {
                let (from, to) = (corners[k], corners[(k + 1) % 4]);
                let (side, arm) = (to - from, x - from);
                // What lies on the edge between two steps belongs to both.
                side.cross(arm).dot(self.normal) >= -1e-9 * side.norm() * (1.0 + arm.norm())
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLADE: Blade =
        Blade { from: [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], to: [[2.0, 0.0, 0.0], [2.0, 0.0, 1.0]], duration: 0.5 };

    #[test]
    fn a_blade_reaches_what_it_passes_and_nothing_else() {
        let half = Slice::swept(&BLADE, 1.0, (1.0, 1.25)).expect("it moves");
        assert!(half.normal[1].abs() > 1.0 - 1e-12);
        assert!(half.reaches(Vec3([0.5, 7.0, 0.5])) && half.reaches(Vec3([1.0, 0.0, 1.0])));
        assert!(!half.reaches(Vec3([1.1, 0.0, 0.5])) && !half.reaches(Vec3([0.5, 0.0, 1.1])));
        let rest = Slice::swept(&BLADE, 1.0, (1.25, 9.0)).expect("it moves");
        assert!(rest.reaches(Vec3([1.1, 0.0, 0.5])) && !rest.reaches(Vec3([2.1, 0.0, 0.5])));
        assert_eq!(Slice::swept(&BLADE, 1.0, (1.6, 1.7)), None);
    }

    #[test]
    fn a_blade_that_turns_about_its_end_sweeps_a_sector_and_one_along_itself_nothing() {
        let turning = Blade { to: [[0.0; 3], [0.7, 0.0, 0.7]], ..BLADE };
        let sector = Slice::swept(&turning, 0.0, (0.0, 0.5)).expect("it moves");
        assert!(sector.reaches(Vec3([0.1, 0.3, 0.5])) && !sector.reaches(Vec3([0.5, 0.0, 0.1])));
        let along = Blade { to: [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]], ..BLADE };
        assert_eq!(Slice::swept(&along, 0.0, (0.0, 0.1)), None);
    }
}
