//! Terrain: heights on a grid over xz.

use super::form::Probe;
use crate::math::Vec3;

/// Heights on a regular grid over xz, centred at the origin; between its points the surface is bilinear, outside the grid
/// there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Points along x and z; at least two each.
    pub counts: [usize; 2],
    /// Distance between points [m].
    pub spacing: f64,
    /// Heights, x fastest [m].
    pub heights: Vec<f64>,
}

impl HeightField {
    /// Distance to the plane that touches the surface above or below the point; exact where the terrain is flat.
    pub fn probe(&self, p: Vec3<f64>) -> Probe {
        let [nx, nz] = self.counts;
        let x = p[0] / self.spacing + 0.5 * (nx - 1) as f64;
        let z = p[2] / self.spacing + 0.5 * (nz - 1) as f64;
        if !(0.0..=(nx - 1) as f64).contains(&x) || !(0.0..=(nz - 1) as f64).contains(&z) {
            return Probe { distance: f64::INFINITY, normal: Vec3([0.0, 1.0, 0.0]) };
        }
        let (ix, iz) = ((x as usize).min(nx - 2), (z as usize).min(nz - 2));
        let (s, t) = (x - ix as f64, z - iz as f64);
        let at = |dx: usize, dz: usize| self.heights[(iz + dz) * nx + ix + dx];
        let (a, b, c, d) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
        let height = (a * (1.0 - s) + b * s) * (1.0 - t) + (c * (1.0 - s) + d * s) * t;
        let slope_x = ((b - a) * (1.0 - t) + (d - c) * t) / self.spacing;
        let slope_z = ((c - a) * (1.0 - s) + (d - b) * s) / self.spacing;
        let normal = Vec3([-slope_x, 1.0, -slope_z]).normalized();
        Probe { distance: (p[1] - height) * normal[1], normal }
    }

    /// The distance between points [m].
    pub fn detail(&self) -> f64 {
        self.spacing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_met_at_its_true_distance_and_its_edge_ends() {
        let heights = (0..9).map(|i| (i % 3) as f64).collect();
        let field = HeightField { counts: [3, 3], spacing: 1.0, heights };
        let probe = field.probe(Vec3([0.25, 2.25, 0.3]));
        assert!((probe.distance - 0.5_f64.sqrt()).abs() < 1e-12, "{probe:?}");
        assert!((probe.normal - Vec3([-0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0])).norm() < 1e-12);
        assert_eq!(field.probe(Vec3([1.5, 0.0, 0.0])).distance, f64::INFINITY);
    }
}
