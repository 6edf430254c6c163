//! Scripted motion.

use crate::math::{Mat3, Vec3};
use crate::scene::Motion;
use crate::shape::Placement;

impl Motion {
    /// Whether it ever moves anything.
    pub fn moves(&self) -> bool {
        self.velocity != [0.0; 3] || self.spin != [0.0; 3] || !self.keys.is_empty()
    }

    /// The rotation about the centre and the shift at a time [m].
    pub fn at(&self, time: f64) -> (Mat3<f64>, Vec3<f64>) {
        let t = time.min(self.until).max(0.0);
        let turn = Placement { position: [0.0; 3], rotation: self.spin.map(|w| w * t) }.rotation_matrix();
        (turn, Vec3(self.velocity) * t + self.key_shift(time))
    }

    /// The fastest that a point this far from the centre ever moves [m/s].
    pub fn speed(&self, arm: f64) -> f64 {
        let keyed = self.keys.windows(2).map(|k| (Vec3(k[1].1) - Vec3(k[0].1)).norm() / (k[1].0 - k[0].0));
        Vec3(self.velocity).norm() + Vec3(self.spin).norm() * arm + keyed.fold(0.0, f64::max)
    }

    fn key_shift(&self, time: f64) -> Vec3<f64> {
        let next = self.keys.partition_point(|k| k.0 <= time);
        match (next.checked_sub(1).map(|i| self.keys[i]), self.keys.get(next)) {
            (Some((t0, a)), Some(&(t1, b))) => Vec3(a) + (Vec3(b) - Vec3(a)) * ((time - t0) / (t1 - t0)),
            (Some((_, last)), None) => Vec3(last),
            (None, Some(&(_, first))) => Vec3(first),
            (None, None) => Vec3::zero(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_joined_by_straight_lines_and_held_at_the_ends() {
        let motion = Motion { keys: vec![(1.0, [0.0; 3]), (2.0, [4.0, 0.0, 0.0])], ..Motion::default() };
        for (time, x) in [(0.0, 0.0), (1.5, 2.0), (9.0, 4.0)] {
            assert!((motion.at(time).1[0] - x).abs() < 1e-12);
        }
        assert_eq!(motion.speed(0.0), 4.0);
    }
}
