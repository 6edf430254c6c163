//! The rigid bodies of a scene in rapier's world.

use super::RigidState;
use super::shapes::{Moving, mat3, properties, shared, vec3, vector};
use crate::contact::{Collider as Surface, Pose as Frame};
use crate::math::Vec3;
use crate::scene::{Groups, Scene};
use rapier3d_f64::glamx;
use rapier3d_f64::prelude::*;

/// All rigid bodies, and the colliders that they meet.
pub struct World {
    physics: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    /// Colliders that move by their scripts.
    movers: Vec<(usize, RigidBodyHandle)>,
}

/// Two rigid things that touch: what holds a rigid body up while soft ones press on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The first body.
    pub first: usize,
    /// The second one; `None` for a collider.
    pub second: Option<usize>,
    /// Where they touch [m].
    pub point: Vec3<f64>,
    /// From the second thing to the first.
    pub normal: Vec3<f64>,
    /// Distance along the normal, negative where they overlap [m].
    pub gap: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Velocity of a collider at the point [m/s].
    pub velocity: Vec3<f64>,
}

impl World {
    /// The world of a checked scene; `None` when nothing in it is rigid.
    pub fn new(scene: &Scene, colliders: &[Surface]) -> Option<Self> {
        if scene.rigid_bodies.is_empty() {
            return None;
        }
        let mut world = World { physics: PhysicsWorld::new(), bodies: Vec::new(), movers: Vec::new() };
        for (index, (collider, surface)) in scene.colliders.iter().zip(colliders).enumerate() {
            let Some((shape, shift)) = shared(&collider.shape, Moving::No) else { continue };
            let builder =
                if surface.moves() { RigidBodyBuilder::kinematic_position_based() } else { RigidBodyBuilder::fixed() };
            let handle = world.physics.bodies.insert(builder.pose(pose(&surface.pose(0.0))));
            let built = ColliderBuilder::new(shape).translation(shift);
            let built = coefficients(built, (collider.friction, collider.restitution), collider.groups);
            world.physics.colliders.insert_with_parent(built, handle, &mut world.physics.bodies);
            if surface.moves() {
                world.movers.push((index, handle));
            }
        }
        scene.rigid_bodies.iter().enumerate().for_each(|(index, body)| world.add(index, body));
        Some(world)
    }

    fn add(&mut self, index: usize, body: &crate::scene::RigidBody) {
        let Some((shape, _)) = shared(&body.shape, Moving::Yes) else { return };
        let place = Frame { rotation: body.placement.rotation_matrix(), position: Vec3(body.placement.position) };
        let builder = RigidBodyBuilder::dynamic()
            .pose(pose(&place))
            .linvel(vector(body.velocity))
            .angvel(vector(body.spin))
            .ccd_enabled(true)
            .user_data(index as u128 + 1);
        let handle = self.physics.bodies.insert(builder);
        let built = ColliderBuilder::new(shape).mass_properties(properties(&body.shape, body.density));
        let built = coefficients(built, (body.friction, body.restitution), body.groups);
        self.physics.colliders.insert_with_parent(built, handle, &mut self.physics.bodies);
        let PhysicsWorld { bodies, colliders, .. } = &mut self.physics;
        bodies[handle].recompute_mass_properties_from_colliders(colliders);
        self.bodies.push(handle);
    }

    /// How the bodies are now.
    pub fn states(&self, out: &mut Vec<RigidState>) {
        out.clear();
        out.extend(self.bodies.iter().map(|&handle| {
            let body = &self.physics.bodies[handle];
            let local = body.mass_properties().local_mprops.reconstruct_inertia_matrix();
            let frame = frame(body.position());
            RigidState {
                pose: frame,
                center: vec3(body.center_of_mass()),
                velocity: vec3(body.linvel()),
                spin: vec3(body.angvel()),
                inertia: frame.rotation * mat3(local) * frame.rotation.transpose(),
            }
        }));
    }

    /// Whether a body is at rest and left alone by rapier.
    pub fn sleeps(&self, body: usize) -> bool {
        self.physics.bodies[self.bodies[body]].is_sleeping()
    }

    /// Where rigid things touch each other now, as far as the last step saw it.
    pub fn supports(&self, out: &mut Vec<Support>) {
        out.clear();
        for pair in self.physics.narrow_phase.contact_pairs() {
            let side = |handle: ColliderHandle| {
                let collider = &self.physics.colliders[handle];
                let body = collider.parent().map(|b| &self.physics.bodies[b]);
                (collider, body, body.and_then(|b| b.user_data.checked_sub(1)).map(|i| i as usize))
            };
            let (a, b) = (side(pair.collider1), side(pair.collider2));
            let friction = (a.0.friction() * b.0.friction()).sqrt();
            for manifold in pair.manifolds() {
                let part = |part: Option<Pose>| part.unwrap_or(Pose::IDENTITY);
                let (pa, pb) = (
                    *a.0.position() * part(manifold.subshape_pos1().copied()),
                    *b.0.position() * part(manifold.subshape_pos2().copied()),
                );
                let normal = vec3(pa.rotation * manifold.local_n1);
                for contact in &manifold.points {
                    let (xa, xb) = (vec3(pa * contact.local_p1), vec3(pb * contact.local_p2));
                    let gap = normal.dot(xb - xa);
                    let point = (xa + xb) * 0.5;
                    let speed = |body: Option<&RigidBody>| {
                        body.map_or(Vec3::zero(), |b| vec3(b.velocity_at_point(vector(point.0))))
                    };
                    // Rapier's normal points from the first to the second.
                    let support = |first, second, normal, velocity| Support {
                        first,
                        second,
                        point,
                        normal,
                        gap,
                        friction,
                        velocity,
                    };
                    match (a.2, b.2) {
                        (Some(one), Some(other)) => out.push(support(other, Some(one), normal, Vec3::zero())),
                        (None, Some(other)) => out.push(support(other, None, normal, speed(a.1))),
                        (Some(one), None) => out.push(support(one, None, -normal, speed(b.1))),
                        (None, None) => {}
                    }
                }
            }
        }
    }

    /// Gives each body its impulses, linear [N s] and angular about its centre of mass [N m s], and takes a step to `end`.
    pub fn step(
        &mut self,
        (end, dt): (f64, f64),
        gravity: Vec3<f64>,
        colliders: &[Surface],
        impulses: &[(Vec3<f64>, Vec3<f64>)],
    ) {
        let PhysicsWorld { bodies, .. } = &mut self.physics;
        for (&handle, &(push, turn)) in self.bodies.iter().zip(impulses) {
            if push != Vec3::zero() || turn != Vec3::zero() {
                bodies[handle].apply_impulse(vector(push.0), true);
                bodies[handle].apply_torque_impulse(vector(turn.0), true);
            }
        }
        for &(collider, handle) in &self.movers {
            bodies[handle].set_next_kinematic_position(pose(&colliders[collider].pose(end)));
        }
        self.physics.gravity = vector(gravity.0);
        self.physics.integration_parameters.dt = dt;
        self.physics.step();
    }

    /// Adds velocity to a body [m/s].
    pub fn push(&mut self, body: usize, velocity: Vec3<f64>) {
        let body = &mut self.physics.bodies[self.bodies[body]];
        body.set_linvel(body.linvel() + vector(velocity.0), true);
    }

    /// Everything that the next step depends on, as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.physics).unwrap_or_default()
    }

    /// Goes on with [`World::to_bytes`]; false when these are not the bytes of such a world.
    pub fn restore(&mut self, bytes: &[u8]) -> bool {
        let Ok(physics) = postcard::from_bytes::<PhysicsWorld>(bytes) else { return false };
        let known = self.bodies.iter().chain(self.movers.iter().map(|m| &m.1)).all(|&h| physics.bodies.contains(h));
        if known {
            self.physics = physics;
        }
        known
    }
}

fn coefficients(builder: ColliderBuilder, (friction, restitution): (f64, f64), groups: Groups) -> ColliderBuilder {
    let (member, touches) = (Group::from_bits_truncate(groups.member), Group::from_bits_truncate(groups.touches));
    builder
        .friction(friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(restitution)
        .restitution_combine_rule(CoefficientCombineRule::Max)
        .collision_groups(InteractionGroups::new(member, touches, InteractionTestMode::And))
}

fn pose(frame: &Frame) -> Pose {
    let columns = [0, 1, 2].map(|j| vector(frame.rotation.column(j).0));
    let rotation = glamx::DMat3::from_cols(columns[0], columns[1], columns[2]);
    Pose { rotation: Rotation::from_mat3(&rotation), translation: vector(frame.position.0) }
}

fn frame(pose: &Pose) -> Frame {
    Frame { rotation: mat3(glamx::DMat3::from_quat(pose.rotation)), position: vec3(pose.translation) }
}
