//! Nearest points on a surface.

use super::tree::{Tree, Triangle};
use crate::math::Vec3;

/// A point of a surface that is nearest to somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Where it is [m].
    pub point: [f64; 3],
    /// The triangle that it lies on.
    pub triangle: u32,
    /// How far it is [m].
    pub distance: f64,
}

/// The nearest point within `radius`; of triangles equally near the one that the tree meets first.
pub(crate) fn search(tree: &Tree, p: Vec3<f64>, radius: f64) -> Option<Nearest> {
    let mut best = radius * radius;
    let mut found = None;
    let mut stack = [(0u32, 0.0f64); 64];
    stack[0].1 = tree.nodes[0].distance_squared(p);
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (i, distance) = stack[depth];
        if distance > best {
            continue;
        }
        let node = &tree.nodes[i as usize];
        if node.second == 0 {
            for t in &tree.triangles[node.triangles()] {
                let point = nearest_on(t, p);
                let squared = (point - p).norm_squared();
                if squared < best || (squared == best && found.is_none()) {
                    best = squared;
                    found = Some(Nearest { point: point.0, triangle: t.index, distance: squared.sqrt() });
                }
            }
            continue;
        }
        let child = |i: u32| (i, tree.nodes[i as usize].distance_squared(p));
        let (mut near, mut far) = (child(i + 1), child(node.second));
        if far.1 < near.1 {
            std::mem::swap(&mut near, &mut far);
        }
        stack[depth] = far;
        stack[depth + 1] = near;
        depth += 2;
    }
    found
}

/// Whether any triangle is within `radius`; much cheaper than asking for the nearest.
pub(crate) fn any_within(tree: &Tree, p: Vec3<f64>, radius: f64) -> bool {
    let limit = radius * radius;
    let mut stack = [0u32; 64];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let i = stack[depth];
        let node = &tree.nodes[i as usize];
        if node.second == 0 {
            let near = |t: &Triangle| (nearest_on(t, p) - p).norm_squared() <= limit;
            if tree.triangles[node.triangles()].iter().any(near) {
                return true;
            }
            continue;
        }
        let child = |i: u32| (i, tree.nodes[i as usize].distance_squared(p));
        let (mut near, mut far) = (child(i + 1), child(node.second));
        if far.1 < near.1 {
            std::mem::swap(&mut near, &mut far);
        }
        for (child, distance) in [far, near] {
            stack[depth] = child;
            depth += usize::from(distance <= limit);
        }
    }
    false
}

/// The nearest point of a triangle: inside the face if the projection falls there, otherwise on the nearest edge.
pub(crate) fn nearest_on(triangle: &Triangle, p: Vec3<f64>) -> Vec3<f64> {
    let [a, b, c] = triangle.corners;
    let normal = (b - a).cross(c - a);
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| (to - from).cross(p - from).dot(normal));
    let squared = normal.norm_squared();
    if squared > 0.0 && sides.iter().all(|s| *s >= 0.0) {
        return p - normal * ((p - a).dot(normal) / squared);
    }
    let mut best = (f64::INFINITY, a);
    for (from, to) in [(a, b), (b, c), (c, a)] {
        let edge = to - from;
        let along = (p - from).dot(edge) / edge.norm_squared();
        let point = if along >= 1.0 {
            to
        } else if along > 0.0 {
            from + edge * along
        } else {
            from
        };
        let squared = (point - p).norm_squared();
        if squared < best.0 {
            best = (squared, point);
        }
    }
    best.1
}
