//! Balls of icosahedral shells.
//!
//! A cube bent into a ball flattens the tetrahedra along the cube's edges; an icosahedron cut into twenty wedges from
//! its centre, each divided evenly, has nearly equal tetrahedra everywhere.

use super::super::{ShapeError, TetMesh};
use super::{kuhn_path, oriented};
use crate::math::Vec3;
use std::collections::HashMap;

/// Nodes of a ball of `shells` shells.
pub fn ball_node_count(shells: f64) -> f64 {
    1.0 + 2.0 * shells + 10.0 * shells * (shells + 1.0) * (2.0 * shells + 1.0) / 6.0
}

/// A ball around the origin: `20 shells³` tetrahedra.
pub fn ball_tets(radius: f64, shells: usize) -> Result<TetMesh, ShapeError> {
    ShapeError::check_length("sphere", "radius", radius)?;
    ShapeError::check_count("shells of a sphere", shells, 1)?;
    ShapeError::check_nodes("sphere", ball_node_count(shells as f64))?;
    let mut builder = Builder { shells, radius, corners: icosahedron().0, ..Builder::default() };
    let mut tets = Vec::with_capacity(20 * shells.pow(3));
    for face in icosahedron().1 {
        // Ascending corners: Kuhn's division then agrees on the walls between wedges.
        let mut wedge = face;
        wedge.sort_unstable();
        builder.divide(wedge, &mut tets);
    }
    Ok(oriented(builder.points, tets))
}

/// Corners on the unit sphere, and faces wound outward.
pub(super) fn icosahedron() -> ([Vec3<f64>; 12], [[usize; 3]; 20]) {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut corners = [Vec3::zero(); 12];
    for i in 0..4 {
        let (s, t) = (1.0 - (i & 1) as f64 * 2.0, (1.0 - (i >> 1) as f64 * 2.0) * golden);
        corners[i] = Vec3([0.0, s, t]).normalized();
        corners[4 + i] = Vec3([s, t, 0.0]).normalized();
        corners[8 + i] = Vec3([t, 0.0, s]).normalized();
    }
    let edge = (corners[0] - corners[1]).norm();
    let joined = |a: usize, b: usize| ((corners[a] - corners[b]).norm() - edge).abs() < 1e-9;
    let mut faces = [[0; 3]; 20];
    let mut found = 0;
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if joined(a, b) && joined(b, c) && joined(a, c) {
                    let out = corners[a].dot(corners[b].cross(corners[c])) > 0.0;
                    faces[found] = if out { [a, b, c] } else { [a, c, b] };
                    found += 1;
                }
            }
        }
    }
    (corners, faces)
}

#[derive(Default)]
struct Builder {
    shells: usize,
    radius: f64,
    corners: [Vec3<f64>; 12],
    /// Node of each set of corner weights; the weights name a point on a shared wall alike from both sides.
    nodes: HashMap<[(usize, usize); 3], u32>,
    points: Vec<[f64; 3]>,
}

impl Builder {
    /// Kuhn's division of the wedge `m ≥ x ≥ y ≥ z ≥ 0`: of the six paths through every cube, those that stay inside.
    fn divide(&mut self, wedge: [usize; 3], tets: &mut Vec<[u32; 4]>) {
        let m = self.shells;
        for x in 0..m {
            for y in 0..=x {
                for z in 0..=y {
                    for path in 0..6 {
                        let corner = |bits: usize| [x + (bits & 1), y + (bits >> 1 & 1), z + (bits >> 2)];
                        let path = kuhn_path(path).map(corner);
                        if path.iter().all(|[x, y, z]| m >= *x && x >= y && y >= z) {
                            tets.push(path.map(|c| self.node(wedge, c)));
                        }
                    }
                }
            }
        }
    }

    fn node(&mut self, wedge: [usize; 3], [x, y, z]: [usize; 3]) -> u32 {
        let weights = [x - y, y - z, z];
        let mut key = [(0, 0); 3];
        for i in 0..3 {
            if weights[i] > 0 {
                key[i] = (wedge[i] + 1, weights[i]);
            }
        }
        key.sort_unstable();
        *self.nodes.entry(key).or_insert_with(|| {
            let toward = (0..3).fold(Vec3::zero(), |s, i| s + self.corners[wedge[i]] * weights[i] as f64);
            let on_shell = toward.normalized() * (self.radius * x as f64 / self.shells as f64);
            self.points.push(on_shell.0);
            (self.points.len() - 1) as u32
        })
    }
}
