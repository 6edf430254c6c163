//! What touches what. So far: half-spaces with Coulomb friction.

use crate::math::{Real, Vec3};

/// Everything with `normal · x < offset` is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<R> {
    /// Unit normal, out of the solid.
    pub normal: Vec3<R>,
    /// Distance of the surface from the origin along the normal [m].
    pub offset: R,
    /// Coulomb's coefficient.
    pub friction: R,
}

/// Fastest that overlapping matter is pushed out [m/s]: a body that starts inside the floor rises, it is not shot out.
pub const MAX_PUSH_SPEED: f64 = 1.0;

impl<R: Real> HalfSpace<R> {
    /// Distance of a point from the surface, negative inside [m].
    ///
    /// Rest position and displacement come apart, so that a small gap of a far body keeps its digits.
    #[inline(always)]
    pub fn gap(&self, rest: Vec3<R>, u: Vec3<R>) -> R {
        (self.normal.dot(rest) - self.offset) + self.normal.dot(u)
    }

    /// The least normal velocity that a node with this gap may have over a step [m/s]: it may close the gap, and
    /// must leave the solid no faster than [`MAX_PUSH_SPEED`].
    #[inline(always)]
    pub fn least_normal_velocity(&self, gap: R, dt: R) -> R {
        (-gap / dt).min(R::of(MAX_PUSH_SPEED))
    }

    /// The velocity after a contact impulse with friction, if the node would otherwise pass the surface within `dt`.
    #[inline(always)]
    pub fn resolve(&self, gap: R, v: Vec3<R>, dt: R) -> Vec3<R> {
        let normal_velocity = self.normal.dot(v);
        let push = self.least_normal_velocity(gap, dt) - normal_velocity;
        if push <= R::zero() {
            return v;
        }
        let slip = v - self.normal * normal_velocity;
        let speed = slip.norm();
        // Coulomb: the tangential impulse is at most friction times the normal one.
        let kept = if speed > R::zero() { (R::one() - self.friction * push / speed).max(R::zero()) } else { R::zero() };
        self.normal * (normal_velocity + push) + slip * kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_would_pass_the_floor_is_stopped_on_it_and_slowed_by_friction() {
        let floor = HalfSpace { normal: Vec3::of([0.0, 1.0, 0.0]), offset: 0.0, friction: 0.5f64 };
        let v = floor.resolve(0.01, Vec3::of([3.0, -2.0, 0.0]), 0.01);
        assert!((v - Vec3::of([2.5, -1.0, 0.0])).norm() < 1e-12, "{v:?}");
        let leaving = Vec3::of([3.0, 2.0, 0.0]);
        assert_eq!(floor.resolve(0.0, leaving, 0.01), leaving);
        let deep = floor.resolve(-1.0, Vec3::of([0.1, 0.0, 0.0]), 0.01);
        assert!((deep - Vec3::of([0.0, MAX_PUSH_SPEED, 0.0])).norm() < 1e-12, "{deep:?}");
    }
}
