//! Shapes whose pieces follow a pattern: blocks of cubes, balls of shells, extruded sections.

mod ball;
mod block;
mod extrude;
mod points;
mod section;
mod skin;
mod voxels;

pub use ball::{ball_node_count, ball_tets};
pub use block::{CubeSplit, box_tets};
pub(crate) use extrude::check_torus;
pub use extrude::{cylinder_tets, torus_tets};
pub use points::{Movable, box_points, cell_centres, jitter};
pub use section::TorusSection;
pub(crate) use section::{ring_node_count, rings_for};
pub(crate) use skin::{box_skin, cylinder_skin, sphere_skin, torus_skin};
pub(crate) use voxels::{Fineness, Solid, sample};

pub(crate) use block::{Block, kuhn_path};

use super::TetMesh;
use crate::math::Vec3;

/// Six times the signed volume of a tetrahedron.
pub(crate) fn six_volume(points: &[[f64; 3]], tet: [u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|n| Vec3(points[n as usize]));
    (b - a).dot((c - a).cross(d - a))
}

/// Turns tetrahedra that a pattern has wound the wrong way.
fn oriented(points: Vec<[f64; 3]>, mut tets: Vec<[u32; 4]>) -> TetMesh {
    for tet in &mut tets {
        if six_volume(&points, *tet) < 0.0 {
            tet.swap(2, 3);
        }
    }
    TetMesh { points, tets }
}

#[cfg(test)]
mod tests;
