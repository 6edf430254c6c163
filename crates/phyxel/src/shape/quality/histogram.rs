//! How angles and shapes are spread over a mesh.

use super::dihedral_angles;
use crate::math::Vec3;
use crate::par;
use crate::shape::TetMesh;

/// How many dihedral angles lie in each five degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DihedralHistogram {
    /// Angles from `5 k` to `5 (k + 1)` degrees.
    pub counts: [u64; 36],
}

impl DihedralHistogram {
    /// Counts the six angles of every tetrahedron.
    pub fn of(mesh: &TetMesh) -> Self {
        let part = |range: std::ops::Range<usize>| {
            let mut counts = [0; 36];
            for tet in &mesh.tets[range] {
                for angle in dihedral_angles(tet.map(|n| mesh.points[n as usize])) {
                    counts[((angle.to_degrees() / 5.0) as usize).min(35)] += 1;
                }
            }
            counts
        };
        let merge = |a: [u64; 36], b: [u64; 36]| std::array::from_fn(|k| a[k] + b[k]);
        DihedralHistogram { counts: par::fold_ranges(0..mesh.tets.len(), &part, &merge) }
    }
}

/// Three times the ratio of the radii of the spheres in and around a tetrahedron: one if it is regular, zero if it is flat.
pub fn radius_ratio(corners: [[f64; 3]; 4]) -> f64 {
    let [a, b, c, d] = corners.map(Vec3);
    let (u, v, w) = (b - a, c - a, d - a);
    let (uv, vw, wu) = (u.cross(v), v.cross(w), w.cross(u));
    let six_volume = u.dot(vw);
    let twice_area = uv.norm() + vw.norm() + wu.norm() + (v - u).cross(w - u).norm();
    let circum = vw * u.norm_squared() + wu * v.norm_squared() + uv * w.norm_squared();
    // Inner radius 3 V / A = six_volume / twice_area, outer radius |circum| / (2 six_volume).
    let ratio = 6.0 * six_volume * six_volume.abs() / (twice_area * circum.norm());
    if ratio.is_finite() { ratio } else { 0.0 }
}

/// Radius ratios over a mesh, one for regular tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadiusRatio {
    /// The worst; negative if a tetrahedron is inside out.
    pub min: f64,
    /// The mean.
    pub mean: f64,
}

impl RadiusRatio {
    /// Measures a mesh.
    pub fn of(mesh: &TetMesh) -> Self {
        let ratio = |t: usize| radius_ratio(mesh.tets[t].map(|n| mesh.points[n as usize]));
        let count = mesh.tets.len();
        RadiusRatio { min: -par::max(count, -1.0, |t| -ratio(t)), mean: par::sum(count, ratio) / count as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_tetrahedron_has_ratio_one_and_a_flat_one_zero() {
        let regular = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];
        let [a, b, c, d] = regular;
        assert!((radius_ratio([a, b, c, d]).abs() - 1.0).abs() < 1e-14);
        assert_eq!(radius_ratio([a, b, c, d]), -radius_ratio([b, a, c, d]));
        assert_eq!(radius_ratio([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]), 0.0);
        // A corner of a cube: inner radius (3 − √3) / 6, outer radius √3 / 2.
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let expected = 3.0 * (3.0 - 3.0_f64.sqrt()) / 6.0 / (3.0_f64.sqrt() / 2.0);
        assert!((radius_ratio(corner) - expected).abs() < 1e-14);
    }

    #[test]
    fn angles_are_counted_in_steps_of_five_degrees() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mesh = TetMesh { points, tets: vec![[0, 1, 2, 3]] };
        let counts = DihedralHistogram::of(&mesh).counts;
        // Three right angles, three of acos(1/√3) = 54.7°.
        assert_eq!(counts[17] + counts[18], 3);
        assert_eq!((counts[10], counts.iter().sum::<u64>()), (3, 6));
        let ratio = RadiusRatio::of(&mesh);
        assert_eq!(ratio.min, ratio.mean);
    }
}
