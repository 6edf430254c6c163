//! Normals of a triangle mesh that are smooth where the surface is, and sharp at its edges.

use crate::view::V;

/// Cosine of the angle from which an edge counts as sharp.
const SHARP: f64 = 0.75;

/// Which triangles meet at each vertex.
pub(super) struct Fans {
    first: Vec<u32>,
    triangles: Vec<u32>,
}

impl Fans {
    pub(super) fn of(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut first = vec![0; vertices + 1];
        for &v in triangles.iter().flatten() {
            first[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            first[v + 1] += first[v];
        }
        let (mut next, mut fan) = (first.clone(), vec![0; 3 * triangles.len()]);
        for (t, triangle) in triangles.iter().enumerate() {
            for &v in triangle {
                fan[next[v as usize] as usize] = t as u32;
                next[v as usize] += 1;
            }
        }
        Fans { first, triangles: fan }
    }

    fn around(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.triangles[self.first[v] as usize..self.first[v + 1] as usize]
    }

    /// Unit normals at the corners of every triangle: the mean of those triangles around the corner that face much the
    /// same way, weighted by area.
    pub(super) fn corner_normals(&self, points: &[V], triangles: &[[u32; 3]]) -> Vec<[V; 3]> {
        let area_normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let normal = (b - a).cross(c - a);
            if normal.is_finite() { normal } else { V::zero() }
        };
        let scaled: Vec<V> = triangles.iter().map(area_normal).collect();
        let unit: Vec<V> = scaled.iter().map(|n| n.normalized()).collect();
        let corner = |own: usize, vertex: u32| {
            let alike = self.around(vertex).iter().filter(|&&t| unit[t as usize].dot(unit[own]) > SHARP);
            let sum = alike.fold(V::zero(), |sum, &t| sum + scaled[t as usize]);
            if sum.norm_squared() > 0.0 { sum.normalized() } else { unit[own] }
        };
        triangles.iter().enumerate().map(|(own, t)| t.map(|v| corner(own, v))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_angle_stays_sharp_and_a_gentle_fold_is_smoothed() {
        let triangles = [[0, 1, 2], [0, 3, 1]];
        let fold = |angle: f64| {
            let up = V::new(0.0, -angle.cos(), -angle.sin());
            let points = [V::zero(), V::new(1.0, 0.0, 0.0), V::new(0.0, 1.0, 0.0), up];
            Fans::of(4, &triangles).corner_normals(&points, &triangles)
        };
        let sharp = fold(std::f64::consts::FRAC_PI_2);
        assert!((sharp[0][0] - V::new(0.0, 0.0, 1.0)).norm() < 1e-12);
        let gentle = fold(0.2);
        assert!((gentle[0][0] - gentle[1][0]).norm() < 1e-12, "shared corner");
        assert!((gentle[0][2] - V::new(0.0, 0.0, 1.0)).norm() < 1e-12, "corner of one triangle alone");
    }
}
