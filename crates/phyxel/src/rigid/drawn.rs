//! Triangles of rigid shapes, for pictures and results.

use crate::scene::ColliderShape;
use crate::shape::TriMesh;
use std::f64::consts::PI;

/// Parts around the axis of round things.
const AROUND: usize = 32;
/// Parts of a quarter circle from equator to pole.
const QUARTER: usize = 8;

/// The surface of a rigid shape in its own frame, wound outward.
pub fn surface(shape: &ColliderShape) -> TriMesh {
    match shape {
        ColliderShape::Sphere { radius } => lathe(&arcs(*radius, 0.0)),
        ColliderShape::Capsule { radius, height } => lathe(&arcs(*radius, 0.5 * height - radius)),
        ColliderShape::Cylinder { radius, height } => {
            let h = 0.5 * height;
            // Rims are doubled, so that they stay sharp where normals are averaged.
            lathe(&[(0.0, -h), (*radius, -h), (*radius, -h), (*radius, h), (*radius, h), (0.0, h)])
        }
        ColliderShape::Box { size } => block(*size),
        ColliderShape::Mesh { solid, .. } => solid.mesh().clone(),
        ColliderShape::HalfSpace { .. } | ColliderShape::HeightField(_) => TriMesh::default(),
    }
}

/// Two quarter circles, `half_length` apart from the middle: radius and height from the lower pole to the upper one.
fn arcs(radius: f64, half_length: f64) -> Vec<(f64, f64)> {
    let mut profile = Vec::new();
    for k in 0..=2 * QUARTER {
        let angle = PI * (k as f64 / (2 * QUARTER) as f64 - 0.5);
        let shift = if k < QUARTER { -half_length } else { half_length };
        if k == QUARTER && half_length > 0.0 {
            profile.push((radius, -half_length));
        }
        let r = if k == 0 || k == 2 * QUARTER { 0.0 } else { radius * angle.cos() };
        profile.push((r, radius * angle.sin() + shift));
    }
    profile
}

/// Turns a profile of radii and heights, from below to above, about y.
fn lathe(profile: &[(f64, f64)]) -> TriMesh {
    let mut mesh = TriMesh::default();
    for &(r, y) in profile {
        for k in 0..AROUND {
            let angle = 2.0 * PI * k as f64 / AROUND as f64;
            mesh.points.push([r * angle.cos(), y, -r * angle.sin()]);
        }
    }
    let at = |ring: usize, k: usize| (ring * AROUND + k % AROUND) as u32;
    for (ring, pair) in profile.windows(2).enumerate() {
        for k in 0..AROUND {
            let (a, b, c, d) = (at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k));
            if pair[0] == pair[1] {
                continue;
            }
            if pair[0].0 > 0.0 {
                mesh.triangles.push([a, b, c]);
            }
            if pair[1].0 > 0.0 {
                mesh.triangles.push([a, c, d]);
            }
        }
    }
    mesh
}

/// Six faces with corners of their own.
fn block(size: [f64; 3]) -> TriMesh {
    let mut mesh = TriMesh::default();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [-0.5, 0.5] {
            let first = mesh.points.len() as u32;
            for (su, sv) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                let mut p = [0.0; 3];
                (p[axis], p[u], p[v]) = (side * size[axis], su * size[u], sv * size[v]);
                mesh.points.push(p);
            }
            let quad = [[0, 1, 2], [0, 2, 3]];
            let turned = |t: [u32; 3]| if side > 0.0 { t } else { [t[0], t[2], t[1]] };
            mesh.triangles.extend(quad.map(|t| turned(t).map(|k| k + first)));
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    /// Volume by the divergence theorem; positive only when triangles are wound outward.
    fn volume(mesh: &TriMesh) -> f64 {
        let corner = |n: u32| Vec3(mesh.points[n as usize]);
        let six = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
        mesh.triangles.iter().map(six).sum::<f64>() / 6.0
    }

    #[test]
    fn drawn_surfaces_enclose_the_volume_of_their_shapes() {
        let r = 0.3;
        let cases = [
            (ColliderShape::Box { size: [0.2, 0.3, 0.5] }, 0.03, 1e-12),
            (ColliderShape::Sphere { radius: r }, 4.0 / 3.0 * PI * r.powi(3), 0.02),
            (ColliderShape::Cylinder { radius: r, height: 0.7 }, PI * r * r * 0.7, 0.01),
            (ColliderShape::Capsule { radius: r, height: 1.0 }, PI * r * r * 0.4 + 4.0 / 3.0 * PI * r.powi(3), 0.02),
        ];
        for (shape, exact, tolerance) in cases {
            let found = volume(&surface(&shape));
            assert!((found / exact - 1.0).abs() < tolerance, "{shape:?}: {found} {exact}");
        }
    }
}
