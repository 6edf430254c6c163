//! A collider in the world: its form, where it is at any time, and the plane in which it meets a node.

use super::form::{Form, Probe};
use super::{MAX_PUSH_SPEED, field::DistanceField};
use crate::math::{Mat3, Real, Vec3};
use crate::scene::{self, ColliderShape, Groups, Motion};
use std::sync::Arc;

/// Something that bodies hit; it moves by its script alone. Everything here is in `f64`: contact looks for small gaps
/// between large coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    form: Form,
    position: Vec3<f64>,
    /// World from body at the start.
    rotation: Mat3<f64>,
    motion: Motion,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Part of the approach speed with which things leave.
    pub restitution: f64,
    /// What it touches.
    pub groups: Groups,
    /// Its temperature, if bodies exchange heat with it [K].
    pub temperature: Option<f64>,
    /// Normal and offset in the world, of a half-space that never moves: most nodes are far from the floor, and need not
    /// be looked at any closer.
    floor: Option<(Vec3<f64>, f64)>,
}

/// Where a rigid thing is: `x = rotation · local + position`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// World from body.
    pub rotation: Mat3<f64>,
    /// Of the body's origin [m].
    pub position: Vec3<f64>,
}

impl Pose {
    /// A place of the world in the body's own frame.
    pub fn to_local(self, x: Vec3<f64>) -> Vec3<f64> {
        self.rotation.transpose_mul(x - self.position)
    }

    /// A place of the body's own frame in the world.
    pub fn to_world(self, x: Vec3<f64>) -> Vec3<f64> {
        self.rotation * x + self.position
    }
}

/// Where a node meets a surface: at the end of the step, `normal · (x₀ + h v) ≥ normal · x₀ − gap` must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<R> {
    /// Unit normal, out of the solid, at the end of the step.
    pub normal: Vec3<R>,
    /// Distance of the node's start from the surface's end, along the normal [m].
    pub gap: R,
    /// Mean velocity of the surface at the contact [m/s].
    pub velocity: Vec3<R>,
}

/// The path of a node: where it starts, where it would go, and how thick it is.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Start [m].
    pub from: Vec3<f64>,
    /// Velocity [m/s].
    pub velocity: Vec3<f64>,
    /// Radius around the node that counts as matter [m].
    pub radius: f64,
    /// Time at the start [s].
    pub start: f64,
    /// Time that it takes [s].
    pub dt: f64,
}

impl Collider {
    /// Takes a checked collider of a scene.
    pub fn new(collider: &scene::Collider) -> Self {
        let form = match &collider.shape {
            ColliderShape::HalfSpace { normal, offset } => {
                Form::HalfSpace { normal: Vec3(*normal).normalized(), offset: *offset }
            }
            ColliderShape::Sphere { radius } => Form::Sphere { radius: *radius },
            ColliderShape::Box { size } => Form::Box { half: Vec3(*size) * 0.5 },
            ColliderShape::Capsule { radius, height } => {
                Form::Capsule { radius: *radius, half_length: 0.5 * height - radius }
            }
            ColliderShape::Cylinder { radius, height } => Form::Cylinder { radius: *radius, half_length: 0.5 * height },
            ColliderShape::HeightField(field) => Form::HeightField(field.clone()),
            ColliderShape::Mesh { solid, cell } => Form::Mesh(Arc::new(DistanceField::new(solid, *cell))),
        };
        let mut out = Collider {
            floor: None,
            form,
            position: Vec3(collider.placement.position),
            rotation: collider.placement.rotation_matrix(),
            motion: collider.motion.clone(),
            friction: collider.friction,
            restitution: collider.restitution,
            groups: collider.groups,
            temperature: collider.temperature,
        };
        if let (Form::HalfSpace { normal, offset }, false) = (&out.form, out.moves()) {
            let normal = out.rotation * *normal;
            out.floor = Some((normal, offset + normal.dot(out.position)));
        }
        out
    }

    /// Its form, in its own frame.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        self.motion.moves()
    }

    /// Where it is at a time.
    pub fn pose(&self, time: f64) -> Pose {
        if !self.moves() {
            return Pose { rotation: self.rotation, position: self.position };
        }
        let (turn, shift) = self.motion.at(time);
        let center = Vec3(self.motion.center);
        Pose { rotation: turn * self.rotation, position: turn * (self.position - center) + center + shift }
    }

    /// Distance of a point from the surface at a time, negative inside [m].
    pub fn distance(&self, x: Vec3<f64>, time: f64) -> f64 {
        self.form.probe(self.pose(time).to_local(x)).distance
    }

    /// The fastest that its surface moves at a point, roughly [m/s].
    pub fn speed(&self, x: Vec3<f64>) -> f64 {
        self.motion.speed((x - Vec3(self.motion.center)).norm())
    }

    /// Whether anything that stays within a ball can meet it between `start` and `dt` later.
    pub fn may_meet(&self, (center, radius): (Vec3<f64>, f64), (start, dt): (f64, f64)) -> bool {
        let arm = (center - Vec3(self.motion.center)).norm() + radius;
        let moved = if self.moves() { self.motion.speed(arm) * dt } else { 0.0 };
        let slack = 1e-9 * (1.0 + center.norm() + radius);
        self.distance(center, start) <= radius + moved + slack
    }

    /// The floor that it is, if it is one that never moves.
    pub fn floor<R: Real>(&self) -> Option<Floor<R>> {
        self.floor.map(|(normal, offset)| Floor { normal: Vec3::of(normal.0), offset: R::of(offset) })
    }

    /// Whether a path is too far from a floor to meet it; false where that is not so easily told.
    #[inline(always)]
    pub fn is_clear(&self, path: &Path) -> bool {
        self.floor.is_some_and(|(normal, offset)| {
            let height = normal.dot(path.from) - offset - path.radius;
            // The sum of the coordinates is no smaller than the distance, and takes no root.
            let [x, y, z] = path.from.0.map(f64::abs);
            height.min(height + normal.dot(path.velocity) * path.dt) > 1e-9 * (1.0 + x + y + z)
        })
    }

    /// The plane in which a node's path enters the solid, if it does.
    pub fn meet<R: Real>(&self, path: &Path) -> Option<Plane<R>> {
        if let Some((normal, offset)) = self.floor {
            let gap = normal.dot(path.from) - offset - path.radius;
            let end = gap + normal.dot(path.velocity) * path.dt;
            let tolerance = rounding_of(path.from);
            // One that does not move stays where it is, even inside.
            let meets = end < if gap > tolerance { 0.5 * tolerance } else { 0.0 } && path.velocity != Vec3::zero();
            return meets.then(|| Plane { normal: Vec3::of(normal.0), gap: R::of(gap), velocity: Vec3::zero() });
        }
        self.meet_between(path, (self.pose(path.start), self.pose(path.start + path.dt)))
    }

    /// The plane in which a node's path enters the solid, if it does, while the solid moves from one pose to another.
    pub fn meet_between<R: Real>(&self, path: &Path, (start, end): (Pose, Pose)) -> Option<Plane<R>> {
        let from = start.to_local(path.from);
        let to = end.to_local(path.from + path.velocity * path.dt);
        let tolerance = rounding_of(from);
        let mut here = self.form.probe(from);
        here.distance -= path.radius;
        let way = to - from;
        let length = way.norm();
        if here.distance > length + tolerance {
            return None;
        }
        let touch = if here.distance > tolerance {
            let hit = from + way * self.form.cast(from, to, path.radius + 0.5 * tolerance)?;
            (hit, self.form.probe(hit))
        } else if self.goes_in(from, way, path.radius) {
            (from, Probe { distance: here.distance + path.radius, ..here })
        } else {
            return None;
        };
        Some(self.plane(touch, path, (start, end)))
    }

    /// The plane nearest to a node, whether it goes in or not.
    pub fn nearest<R: Real>(&self, path: &Path) -> Plane<R> {
        if let Some((normal, offset)) = self.floor {
            let gap = normal.dot(path.from) - offset - path.radius;
            return Plane { normal: Vec3::of(normal.0), gap: R::of(gap), velocity: Vec3::zero() };
        }
        self.nearest_between(path, (self.pose(path.start), self.pose(path.start + path.dt)))
    }

    /// The plane nearest to a node, whether it goes in or not, while the solid moves from one pose to another.
    pub fn nearest_between<R: Real>(&self, path: &Path, (start, end): (Pose, Pose)) -> Plane<R> {
        let from = start.to_local(path.from);
        self.plane((from, self.form.probe(from)), path, (start, end))
    }

    /// Whether a path that starts on the surface leads inward; just after the start, so that one that leaves over an edge
    /// is free.
    fn goes_in(&self, from: Vec3<f64>, way: Vec3<f64>, radius: f64) -> bool {
        let length = way.norm();
        if length == 0.0 {
            return false;
        }
        let near = from + way * (length.min(0.01 * self.form.detail()) / length);
        let (begin, next, end) = (self.form.probe(from), self.form.probe(near), self.form.probe(from + way));
        // Deep inside, only leaving at once counts as leaving.
        (next.distance < radius && next.distance < begin.distance)
            || (end.distance < radius && end.distance < begin.distance)
            || (begin.distance < radius && end.distance < radius)
    }

    fn plane<R: Real>(&self, (at, probe): (Vec3<f64>, Probe), path: &Path, (start, end): (Pose, Pose)) -> Plane<R> {
        let on_surface = at - probe.normal * probe.distance;
        let normal = end.rotation * probe.normal;
        let place = end.to_world(on_surface);
        let gap = normal.dot(path.from - place) - path.radius;
        let velocity = if start != end && path.dt > 0.0 {
            (place - start.to_world(on_surface)) * (1.0 / path.dt)
        } else {
            Vec3::zero()
        };
        Plane { normal: Vec3::of(normal.0), gap: R::of(gap), velocity: Vec3::of(velocity.0) }
    }
}

/// A half-space that never moves, in the precision of nodes: for a first look at many of them.
#[derive(Clone, Copy, Debug)]
pub struct Floor<R> {
    normal: Vec3<R>,
    offset: R,
}

impl<R: Real> Floor<R> {
    /// Whether a node at `rest + u` with a velocity and a radius is so far above that it cannot meet the floor within `dt`,
    /// whatever rounding does; false where that takes a closer look.
    #[inline(always)]
    pub fn is_far(&self, (rest, u): (Vec3<R>, Vec3<R>), velocity: Vec3<R>, (radius, dt): (f64, R)) -> bool {
        let height = self.normal.dot(rest + u) - self.offset - R::of(radius);
        let lowest = height + (self.normal.dot(velocity) * dt).min(R::zero());
        let size = |v: Vec3<R>| v.0[0].abs() + v.0[1].abs() + v.0[2].abs();
        let scale = R::one() + size(rest) + size(u) + self.offset.abs();
        lowest > scale * R::of(f64::max(2e-9, 16.0 * R::EPSILON.to_f64()))
    }
}

/// Gaps below this are taken for none [m].
fn rounding_of(at: Vec3<f64>) -> f64 {
    1e-9 * (1.0 + at.norm())
}

impl<R: Real> Plane<R> {
    /// The least normal velocity that a node may have over a step [m/s]: it may close the gap, and must leave the solid no
    /// faster than [`MAX_PUSH_SPEED`] beyond the surface's own speed.
    #[inline(always)]
    pub fn least_normal_velocity(&self, dt: R) -> R {
        let own = self.normal.dot(self.velocity);
        (-self.gap / dt).min(R::of(MAX_PUSH_SPEED) + own.max(R::zero()))
    }

    /// The velocity after a contact impulse with friction, if the node would otherwise pass the surface within `dt`.
    #[inline(always)]
    pub fn resolve(&self, v: Vec3<R>, dt: R, friction: R, restitution: R) -> Vec3<R> {
        let normal_velocity = self.normal.dot(v);
        let least = self.least_normal_velocity(dt);
        let push = least - normal_velocity;
        if push <= R::zero() {
            return v;
        }
        let approach = self.normal.dot(self.velocity) - normal_velocity;
        let rebounds = restitution > R::zero() && approach > R::of(REST_SPEED);
        let push = if rebounds { push.max(approach * (R::one() + restitution)) } else { push };
        let relative = v - self.velocity;
        let slip = relative - self.normal * self.normal.dot(relative);
        let speed = slip.norm();
        // Coulomb: the tangential impulse is at most friction times the normal one.
        let lost = if speed > R::zero() { (friction * push / speed).min(R::one()) } else { R::zero() };
        v + self.normal * push - slip * lost
    }
}

/// Slower approaches do not rebound [m/s]: a thing at rest would hop for ever.
pub const REST_SPEED: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Placement;

    fn collider(shape: ColliderShape) -> scene::Collider {
        scene::Collider::new(shape)
    }

    fn path(from: [f64; 3], velocity: [f64; 3], dt: f64) -> Path {
        Path { from: Vec3(from), velocity: Vec3(velocity), radius: 0.0, start: 0.0, dt }
    }

    #[test]
    fn a_node_that_would_pass_the_floor_is_stopped_on_it_and_slowed_by_friction() {
        let floor = Collider::new(&collider(ColliderShape::HalfSpace { normal: [0.0, 2.0, 0.0], offset: 0.0 }));
        let v = Vec3([3.0, -2.0, 0.0]);
        let plane: Plane<f64> = floor.meet(&path([0.0, 0.01, 0.0], v.0, 0.01)).expect("it passes");
        let after = plane.resolve(v, 0.01, 0.5, 0.0);
        assert!((after - Vec3([2.5, -1.0, 0.0])).norm() < 1e-12, "{after:?}");
        assert!(floor.meet::<f64>(&path([0.0, 0.0, 0.0], [3.0, 2.0, 0.0], 0.01)).is_none());
        let deep: Plane<f64> = floor.meet(&path([0.0, -1.0, 0.0], [0.1, 0.0, 0.0], 0.01)).expect("it is inside");
        let risen = deep.resolve(Vec3([0.1, 0.0, 0.0]), 0.01, 0.5, 0.0);
        assert!((risen - Vec3([0.0, MAX_PUSH_SPEED, 0.0])).norm() < 1e-12, "{risen:?}");
    }

    #[test]
    fn a_wall_that_moves_takes_the_node_along() {
        let mut wall = collider(ColliderShape::Box { size: [0.2, 2.0, 2.0] });
        wall.placement = Placement::at([-0.2, 0.0, 0.0]);
        wall.motion.velocity = [3.0, 0.0, 0.0];
        let wall = Collider::new(&wall);
        let plane: Plane<f64> = wall.meet(&path([0.0, 0.1, 0.0], [0.0; 3], 0.1)).expect("the wall comes");
        let v = plane.resolve(Vec3([0.0; 3]), 0.1, 0.0, 0.0);
        assert!((v - Vec3([2.0, 0.0, 0.0])).norm() < 1e-9, "{v:?}");
        assert!((plane.velocity - Vec3([3.0, 0.0, 0.0])).norm() < 1e-12);
    }

    #[test]
    fn a_turning_wheel_drags_what_lies_on_it() {
        let mut wheel = collider(ColliderShape::Sphere { radius: 1.0 });
        wheel.motion.spin = [0.0, 0.0, -2.0];
        let wheel = Collider::new(&wheel);
        let plane: Plane<f64> = wheel.meet(&path([0.0, 1.0, 0.0], [0.0, -1.0, 0.0], 1e-3)).expect("it is on it");
        assert!((plane.velocity - Vec3([2.0, 0.0, 0.0])).norm() < 2e-3, "{plane:?}");
    }
}
