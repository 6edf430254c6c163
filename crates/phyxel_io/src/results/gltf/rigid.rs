//! Bodies that only turn and travel: two short lists of numbers instead of a shape for every frame.

use phyxel::math::{Mat3, Vec3, polar_rotation};

/// How far a point may be from where the rigid motion puts it, in parts of the body's size, to count as rigid.
const TOLERANCE: f64 = 1e-4;

/// A place of a rigid body relative to its first one: x ↦ rotation x + translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    /// x, y, z, w.
    pub quaternion: [f32; 4],
    /// [m]
    pub translation: [f32; 3],
}

/// The rigid motion from `first` to `now`, both [m]; nothing when there is none that fits.
pub(super) fn pose(first: &[[f64; 3]], now: &[[f64; 3]]) -> Option<Pose> {
    if first.len() < 3 || first.len() != now.len() {
        return None;
    }
    let count = first.len() as f64;
    let mean = |points: &[[f64; 3]]| points.iter().fold(Vec3::<f64>::zero(), |sum, p| sum + Vec3(*p)) * (1.0 / count);
    let (from, to) = (mean(first), mean(now));
    // Kabsch: the rotation nearest to the covariance of the two.
    let mut covariance = Mat3::<f64>::zero();
    let mut size = 0.0f64;
    for (a, b) in first.iter().zip(now) {
        covariance += Mat3::outer(Vec3(*b) - to, Vec3(*a) - from);
        size = size.max((Vec3(*a) - from).norm());
    }
    let rotation = polar_rotation(&covariance);
    let translation = to - rotation * from;
    let fits =
        |(a, b): (&[f64; 3], &[f64; 3])| (rotation * Vec3(*a) + translation - Vec3(*b)).norm() <= TOLERANCE * size;
    let proper = rotation.is_finite() && rotation.det() > 0.5;
    (proper && first.iter().zip(now).all(fits))
        .then(|| Pose { quaternion: quaternion(rotation.to_f64()), translation: translation.0.map(|c| c as f32) })
}

/// The largest of the four numbers is found first, so that nothing small is divided by.
fn quaternion(m: [[f64; 3]; 3]) -> [f32; 4] {
    let trace = m[0][0] + m[1][1] + m[2][2];
    let mut q = [0.0; 4];
    if trace > 0.0 {
        let s = 2.0 * (trace + 1.0).sqrt();
        q = [(m[2][1] - m[1][2]) / s, (m[0][2] - m[2][0]) / s, (m[1][0] - m[0][1]) / s, s / 4.0];
    } else {
        let i = (0..3).max_by(|a, b| m[*a][*a].total_cmp(&m[*b][*b])).unwrap_or(0);
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let s = 2.0 * (1.0 + m[i][i] - m[j][j] - m[k][k]).max(0.0).sqrt();
        q[i] = s / 4.0;
        q[j] = (m[j][i] + m[i][j]) / s;
        q[k] = (m[k][i] + m[i][k]) / s;
        q[3] = (m[k][j] - m[j][k]) / s;
    }
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| (c / length) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 5] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 1.0]];

    /// v + 2 w (u × v) + 2 u × (u × v)
    fn turn([x, y, z, w]: [f32; 4], v: [f64; 3]) -> [f64; 3] {
        let u = Vec3([x, y, z].map(f64::from));
        let c = u.cross(Vec3(v));
        (Vec3(v) + c * (2.0 * f64::from(w)) + u.cross(c) * 2.0).0
    }

    #[test]
    fn any_turn_is_found_again() {
        for axis in 0..3 {
            for degrees in [0.0f64, 1.0, 90.0, 179.9, 180.0, 200.0, 359.0] {
                let (s, c) = degrees.to_radians().sin_cos();
                let place = |p: &[f64; 3]| {
                    let mut q = *p;
                    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                    (q[j], q[k]) = (c * p[j] - s * p[k], s * p[j] + c * p[k]);
                    [q[0] + 5.0, q[1] - 1.0, q[2] + 0.25]
                };
                let now: Vec<[f64; 3]> = POINTS.iter().map(place).collect();
                let pose = pose(&POINTS, &now).unwrap();
                for (p, wanted) in POINTS.iter().zip(&now) {
                    let turned = turn(pose.quaternion, *p);
                    for k in 0..3 {
                        let found = turned[k] + f64::from(pose.translation[k]);
                        // Single precision of numbers up to eight.
                        assert!((found - wanted[k]).abs() < 3e-6, "{axis} {degrees}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_stretches_or_is_mirrored_is_not_rigid() {
        let stretched: Vec<[f64; 3]> = POINTS.iter().map(|[x, y, z]| [*x, 1.01 * y, *z]).collect();
        assert_eq!(pose(&POINTS, &stretched), None);
        let mirrored: Vec<[f64; 3]> = POINTS.iter().map(|[x, y, z]| [-x, *y, *z]).collect();
        assert_eq!(pose(&POINTS, &mirrored), None);
        assert_eq!(pose(&POINTS[..2], &POINTS[..2]), None);
    }
}
