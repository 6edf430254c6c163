//! The drawn surface: points that are fixed combinations of nodes.

use super::carried::{Carried, Site};
use super::embedding::Locator;
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::shape::{PointSampling, TetMesh};
use rayon::prelude::*;

/// How the vertices of the drawn surface follow the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Skin {
    /// There is no surface.
    #[default]
    None,
    /// Each vertex is a node of the model.
    Nodes(Vec<u32>),
    /// Each vertex is carried by the phyxels around it.
    Carried(Carried),
    /// Each vertex keeps its place in a tetrahedron: four nodes of the body and their weights, which sum to one.
    Embedded(Vec<([u32; 4], [f64; 4])>),
}

/// How many vertices lie outside of the body that carries them, and the farthest of them [m].
pub type Outside = (usize, f64);

impl Skin {
    /// The boundary nodes of a mesh as vertices, with the triangles renumbered over them.
    pub fn of_boundary(faces: &[[u32; 3]]) -> (Self, Vec<[u32; 3]>) {
        let (low, high) = faces.iter().flatten().fold((u32::MAX, 0), |(low, high), &n| (low.min(n), high.max(n)));
        let mut place = vec![u32::MAX; (high + 1).saturating_sub(low) as usize];
        faces.iter().flatten().for_each(|&n| place[(n - low) as usize] = 0);
        let mut nodes = Vec::new();
        for (k, place) in place.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
            *place = nodes.len() as u32;
            nodes.push(low + k as u32);
        }
        let triangles = faces.iter().map(|f| f.map(|n| place[(n - low) as usize])).collect();
        (if nodes.is_empty() { Skin::None } else { Skin::Nodes(nodes) }, triangles)
    }

    /// Lets the nodes of the body have numbers that are higher by this much.
    pub(crate) fn shift(&mut self, by: i64) {
        if let Skin::Nodes(nodes) = self {
            nodes.iter_mut().for_each(|n| *n = n.wrapping_add(by as u32));
        }
    }

    /// The sampling's own skin, carried by its phyxels. Outside is what no phyxel sees.
    pub fn of_sampling(sampling: &PointSampling) -> (Self, Outside) {
        if sampling.skin.points.is_empty() {
            return (Skin::None, (0, 0.0));
        }
        let (carried, outside) = Carried::new(&sampling.points, &sampling.skin.points, sampling.spacing);
        (Skin::Carried(carried), outside)
    }

    /// Vertices held by the tetrahedra around them; one beyond them all hangs on to the nearest. Outside is what lies beyond
    /// by more than half a tetrahedron: a mesh that was made for a surface never fits it exactly.
    pub fn embedded(mesh: &TetMesh, vertices: &[[f64; 3]]) -> (Self, Outside) {
        let locator = Locator::new(mesh);
        let found: Vec<_> = vertices.par_iter().filter_map(|p| locator.locate(*p)).collect();
        if found.is_empty() {
            return (Skin::None, (0, 0.0));
        }
        let far = found.iter().filter(|f| f.weights.iter().any(|w| *w < -0.5));
        let outside = far.fold((0, 0.0_f64), |(count, most), f| (count + 1, most.max(f.distance)));
        (Skin::Embedded(found.into_iter().map(|f| (f.nodes, f.weights)).collect()), outside)
    }

    /// Present positions of the vertices [m], for a body whose nodes start at `first`: one product with a sparse matrix, on all
    /// threads, with the same bits on any number of them.
    pub fn positions(
        &self,
        first: usize,
        position: impl Fn(usize) -> [f64; 3] + Sync,
        deformation: impl Fn(usize) -> Mat3<f64> + Sync,
    ) -> Vec<[f64; 3]> {
        match self {
            Skin::None => Vec::new(),
            Skin::Nodes(nodes) => nodes.iter().map(|&n| position(n as usize)).collect(),
            Skin::Embedded(vertices) => {
                let mut out = vec![[0.0; 3]; vertices.len()];
                par::for_each(&mut out, |i, out| {
                    let (nodes, weights) = &vertices[i];
                    let corner = |k: usize| Vec3(position(first + nodes[k] as usize)) * weights[k];
                    *out = (corner(0) + corner(1) + corner(2) + corner(3)).0;
                });
                out
            }
            Skin::Carried(carried) => {
                let site = |j: usize| Site { position: position(first + j), deformation: deformation(j) };
                carried.positions(&carried.maps(site))
            }
        }
    }
}
