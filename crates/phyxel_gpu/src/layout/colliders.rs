//! Colliders as eleven vectors each: kind, dimensions, where they are at two times, and how far
//! they move in between.

use phyxel::math::{Mat3, Vec3};
use phyxel::model::Model;
use phyxel::scene::{Collider, ColliderShape};

/// Vectors per collider in `contact.wgsl`.
pub(crate) const VECTORS: usize = 11;

/// Why a collider cannot be met on the device.
pub(crate) fn why_not(collider: &Collider) -> Option<&'static str> {
    match collider.shape {
        ColliderShape::HeightField(_) => Some("height fields are met on the CPU only"),
        ColliderShape::Mesh { .. } => Some("colliders made of meshes are met on the CPU only"),
        _ => None,
    }
}

/// Appends friction and restitution between each body and each collider, and whether they touch at all.
pub(crate) fn pairs(model: &Model<f32>, out: &mut Vec<[f32; 4]>) {
    for body in &model.bodies {
        let n = body.nodes.start;
        out.extend((0..model.colliders.len()).map(|c| {
            let (friction, restitution) = (model.friction_on(n, c), model.restitution_on(n, c));
            [friction as f32, restitution as f32, if model.meets(n, c) { 1.0 } else { 0.0 }, 0.0]
        }));
    }
}

/// Vectors of all colliders and of all pairs.
pub(crate) fn room(model: &Model<f32>, colliders: usize) -> usize {
    (VECTORS + model.bodies.len()) * colliders
}

/// Appends all colliders as they are at two times.
pub(crate) fn poses(colliders: &[Collider], start: f64, end: f64, out: &mut Vec<[f32; 4]>) {
    for collider in colliders {
        let moves = collider.motion.moves();
        let (kind, size) = match &collider.shape {
            ColliderShape::HalfSpace { normal, offset } => {
                let n = Vec3(*normal).normalized().0;
                (0.0, [n[0], n[1], n[2], *offset])
            }
            ColliderShape::Sphere { radius } => (1.0, [*radius, 0.0, 0.0, 0.0]),
            ColliderShape::Box { size } => (2.0, [0.5 * size[0], 0.5 * size[1], 0.5 * size[2], 0.0]),
            ColliderShape::Capsule { radius, height } => (3.0, [*radius, 0.5 * height - radius, 0.0, 0.0]),
            ColliderShape::Cylinder { radius, height } => (4.0, [*radius, 0.5 * height, 0.0, 0.0]),
            ColliderShape::HeightField(_) | ColliderShape::Mesh { .. } => (0.0, [0.0, 1.0, 0.0, -1e30]),
        };
        let moving = if moves { 1.0 } else { 0.0 };
        out.push([kind, 0.0, 0.0, moving]);
        out.push(size.map(|x| x as f32));
        let (first, second) = (pose(collider, start), pose(collider, end));
        // In f64: over a short step the difference is far below the rounding of either.
        let change = (second.0 - first.0, second.1 - first.1);
        for (rotation, position) in [first, second, change] {
            for a in 0..3 {
                let [x, y, z] = rotation.0[a].map(|r| r as f32);
                out.push([x, y, z, position[a] as f32]);
            }
        }
    }
}

fn pose(collider: &Collider, time: f64) -> (Mat3<f64>, Vec3<f64>) {
    let (rotation, position) = (collider.placement.rotation_matrix(), Vec3(collider.placement.position));
    if !collider.motion.moves() {
        return (rotation, position);
    }
    let (turn, shift) = collider.motion.at(time);
    let center = Vec3(collider.motion.center);
    (turn * rotation, turn * (position - center) + center + shift)
}
