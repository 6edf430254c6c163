//! How far two surfaces are from each other.

use crate::math::Vec3;
use crate::par;
use crate::shape::TriMesh;
use crate::shape::solid::{Solid, Tree, search};

/// The largest distances between a boundary and the surface of a solid, as far as samples show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hausdorff {
    /// From the boundary to the surface [m].
    pub to_surface: f64,
    /// From the surface to the boundary [m].
    pub from_surface: f64,
    /// Distance between neighbouring samples on both, at most [m]; the true distances are at most half of it larger.
    pub spacing: f64,
}

/// Measures from samples on every triangle, its corners included. Where the solid has holes, the sheet on which its winding number is one
/// half counts as its surface, for the way from the boundary.
pub fn hausdorff(boundary: &TriMesh, solid: &Solid, spacing: f64) -> Hausdorff {
    let to_surface = farthest(boundary, spacing, |p| {
        let distance = solid.nearest(p.0).distance;
        if solid.closed() { distance } else { distance.min(to_half(solid, p, spacing)) }
    });
    let tree = Tree::new(boundary);
    let infinite = f64::INFINITY;
    let from_surface = farthest(solid.mesh(), spacing, |p| search(&tree, p, infinite).map_or(infinite, |n| n.distance));
    Hausdorff { to_surface, from_surface, spacing }
}

/// Distance to the sheet where the winding number is one half, to first order.
fn to_half(solid: &Solid, p: Vec3<f64>, step: f64) -> f64 {
    let winding = |offset: [f64; 3]| solid.winding_number((p + Vec3(offset)).0);
    let across = |a: usize| {
        let mut offset = [0.0; 3];
        offset[a] = 0.1 * step;
        (winding(offset) - winding(offset.map(|o| -o))) / (0.2 * step)
    };
    let gradient = Vec3([across(0), across(1), across(2)]).norm();
    (winding([0.0; 3]) - 0.5).abs() / gradient.max(f64::MIN_POSITIVE)
}

/// The largest value over samples of a surface.
fn farthest(surface: &TriMesh, spacing: f64, distance: impl Fn(Vec3<f64>) -> f64 + Sync) -> f64 {
    par::max(surface.triangles.len(), 0.0, |t| {
        let [a, b, c] = surface.triangles[t].map(|n| Vec3(surface.points[n as usize]));
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        let parts = (longest / spacing).ceil().clamp(1.0, 1000.0) as usize;
        let mut most = 0.0_f64;
        for i in 0..=parts {
            for j in 0..=parts - i {
                let (u, v) = (i as f64 / parts as f64, j as f64 / parts as f64);
                most = most.max(distance(a + (b - a) * u + (c - a) * v));
            }
        }
        most
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::sphere_skin;

    #[test]
    fn two_spheres_are_as_far_apart_as_their_radii() {
        let solid = Solid::new(sphere_skin(1.0, 0.03)).unwrap();
        let found = hausdorff(&sphere_skin(0.9, 0.03), &solid, 0.02);
        // Facets lie inside their sphere by less than 1e-3.
        assert!((found.to_surface - 0.1).abs() < 1e-3 && (found.from_surface - 0.1).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn a_missing_half_is_seen_from_the_other_side_only() {
        let whole = sphere_skin(1.0, 0.05);
        let upper = |t: &&[u32; 3]| t.iter().all(|n| whole.points[*n as usize][2] > 0.0);
        let half = TriMesh { triangles: whole.triangles.iter().filter(upper).copied().collect(), ..whole.clone() };
        let found = hausdorff(&half, &Solid::new(whole.clone()).unwrap(), 0.05);
        assert!(found.to_surface < 1e-12);
        assert!((found.from_surface - 2.0_f64.sqrt()).abs() < 0.05, "{found:?}");
    }
}
