//! A figure with limbs, a head and ears, made of capsules: stands for the scanned figures of the papers.

use super::super::TriMesh;
use super::super::structured::sphere_skin;
use crate::math::Vec3;

/// A capsule of a figure one metre high, on its left: from, to, radius.
type Capsule = ([f64; 3], [f64; 3], f64);

/// Head, trunk, upper arm, forearm, leg, foot, ear; what is not in the middle is mirrored. Arms are as thick, for their length, as those of
/// the scanned figures: longer ones are more than soft matter can carry when it lands, and come off.
const PARTS: [Capsule; 7] = [
    ([0.0, 0.40, 0.0], [0.0, 0.40, 0.0], 0.10),
    ([0.0, 0.20, 0.0], [0.0, -0.06, 0.0], 0.13),
    ([0.10, 0.20, 0.0], [0.26, 0.06, 0.03], 0.075),
    ([0.26, 0.06, 0.03], [0.31, 0.10, 0.13], 0.055),
    ([0.08, -0.12, 0.0], [0.13, -0.43, 0.0], 0.07),
    ([0.13, -0.45, 0.0], [0.13, -0.45, 0.10], 0.05),
    ([0.07, 0.46, 0.0], [0.07, 0.46, 0.0], 0.04),
];

/// Volume of a figure one metre high [m³], counted on a fine lattice.
pub(super) const UNIT_VOLUME: f64 = 0.0490;

/// Half the size of the box around a figure of this height.
pub(super) fn half(height: f64) -> [f64; 3] {
    [0.37 * height, 0.5 * height, 0.19 * height]
}

/// Whether a point lies in a figure of this height around the origin.
pub(super) fn contains(height: f64, [x, y, z]: [f64; 3]) -> bool {
    let p = Vec3([x.abs(), y, z]) * (1.0 / height);
    PARTS.iter().any(|&(a, b, radius)| {
        let (a, b) = (Vec3(a), Vec3(b));
        let axis = b - a;
        let length = axis.norm_squared();
        let along = if length > 0.0 { ((p - a).dot(axis) / length).clamp(0.0, 1.0) } else { 0.0 };
        (p - a - axis * along).norm_squared() < radius * radius
    })
}

/// The surfaces of all parts; where parts overlap, they run inside.
pub(super) fn skin(height: f64, size: f64) -> TriMesh {
    let mut skin = TriMesh::default();
    for (a, b, radius) in PARTS {
        let sides: &[f64] = if a[0] == 0.0 { &[1.0] } else { &[1.0, -1.0] };
        for side in sides {
            let first = skin.points.len() as u32;
            let [a, b] = [a, b].map(|[x, y, z]| Vec3([side * x, y, z]) * height);
            let ball = sphere_skin(radius * height, size);
            // A ball drawn apart at its equator.
            skin.points.extend(ball.points.iter().map(|p| {
                let end = if Vec3(*p).dot(b - a) > 0.0 { b } else { a };
                (Vec3(*p) + end).0
            }));
            skin.triangles.extend(ball.triangles.iter().map(|t| t.map(|n| n + first)));
        }
    }
    skin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_is_that_of_the_parts_together() {
        let n = 60;
        let at = |i: usize| (i as f64 + 0.5) / n as f64 - 0.5;
        let inside = (0..n * n * n).filter(|i| contains(1.0, [at(i % n), at(i / n % n), at(i / n / n)])).count();
        let volume = inside as f64 / (n * n * n) as f64;
        assert!((volume / UNIT_VOLUME - 1.0).abs() < 0.02, "{volume}");
        let [x, y, z] = half(1.0);
        assert!(!contains(1.0, [x, 0.05, 0.1]) && contains(1.0, [0.0, y - 1e-6, 0.0]) && !contains(1.0, [0.0, 0.0, z]));
    }
}
