//! The drawn surface: points that are fixed combinations of nodes.

use super::embedding::Locator;
use crate::math::{Mat3, Real, Vec3};
use crate::shape::{EmbeddedMesh, PointSampling};
use crate::stencil::{NeighbourSearch, Neighbours, Radii};
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

/// Vertices carried to first order: `x = Σ_j w_j (x_j + F_j (X − X_j))` (Müller et al. 2004, eq. 27).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    offsets: Vec<u32>,
    /// Phyxel (within the body), weight, and offset of the vertex from it at rest [m].
    entries: Vec<(u32, f64, [f64; 3])>,
}

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
            nodes.iter_mut().for_each(|n| *n = (*n as i64 + by) as u32);
        }
    }

    /// The sampling's own skin, carried by its phyxels.
    pub fn of_sampling(sampling: &PointSampling) -> Self {
        if sampling.skin.points.is_empty() { Skin::None } else { Skin::Carried(Carried::build(sampling)) }
    }

    /// The embedded surface, held by the tetrahedra around its vertices; one beyond them all hangs on to the nearest.
    pub fn of_embedded(embedded: &EmbeddedMesh) -> Self {
        let locator = Locator::new(&embedded.mesh);
        let vertices: Vec<_> = embedded.skin.points.par_iter().filter_map(|p| locator.locate(*p)).collect();
        if vertices.is_empty() { Skin::None } else { Skin::Embedded(vertices) }
    }

    /// Present positions of the vertices [m], for a body whose nodes start at `first`.
    pub fn positions<R: Real>(
        &self,
        first: usize,
        position: impl Fn(usize) -> [f64; 3],
        deformation: impl Fn(usize) -> Mat3<R>,
    ) -> Vec<[f64; 3]> {
        match self {
            Skin::None => Vec::new(),
            Skin::Nodes(nodes) => nodes.iter().map(|&n| position(n as usize)).collect(),
            Skin::Embedded(vertices) => {
                let vertex = |(nodes, weights): &([u32; 4], [f64; 4])| {
                    let corner = |k: usize| Vec3(position(first + nodes[k] as usize)) * weights[k];
                    (corner(0) + corner(1) + corner(2) + corner(3)).0
                };
                vertices.iter().map(vertex).collect()
            }
            Skin::Carried(carried) => {
                let nodes = carried.entries.iter().map(|e| e.0 as usize + 1).max().unwrap_or(0);
                let gradients: Vec<Mat3<f64>> = (0..nodes).map(|j| Mat3(deformation(j).to_f64())).collect();
                let vertex = |i: usize| {
                    let mut sum = Vec3::zero();
                    for &(j, weight, arm) in &carried.entries[carried.run(i)] {
                        sum += (Vec3(position(first + j as usize)) + gradients[j as usize] * Vec3(arm)) * weight;
                    }
                    sum.0
                };
                (0..carried.offsets.len() - 1).map(vertex).collect()
            }
        }
    }
}

impl Carried {
    /// The phyxel nearest to each vertex: the one that carries most of it.
    pub fn nearest(&self) -> Vec<u32> {
        let heaviest = |i: usize| {
            let entries = &self.entries[self.run(i)];
            entries.iter().fold((0, -1.0), |best, e| if e.1 > best.1 { (e.0, e.1) } else { best }).0
        };
        (0..self.offsets.len() - 1).map(heaviest).collect()
    }

    /// The phyxels around a vertex, with their weights.
    pub fn around(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.entries[self.run(vertex)].iter().map(|e| (e.0, e.1))
    }

    fn run(&self, vertex: usize) -> std::ops::Range<usize> {
        self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize
    }

    fn build(sampling: &PointSampling) -> Self {
        let around = Around::new(sampling);
        let mut carried = Carried { offsets: vec![0], entries: Vec::new() };
        for vertex in 0..sampling.skin.points.len() {
            let start = carried.entries.len();
            around.carry(vertex, &mut carried.entries);
            let total: f64 = carried.entries[start..].iter().map(|e| e.1).sum();
            carried.entries[start..].iter_mut().for_each(|e| e.1 /= total);
            carried.offsets.push(carried.entries.len() as u32);
        }
        carried
    }
}

/// The phyxels around the vertices of a skin.
struct Around {
    phyxels: usize,
    /// Phyxels, then vertices.
    points: Vec<Vec3<f64>>,
    near: Neighbours,
    /// How far each vertex had to look [m].
    reach: Vec<f64>,
}

impl Around {
    /// Vertices look as far as a phyxel would; those that find nothing, on parts too thin for phyxels, look twice as far
    /// until they do.
    fn new(sampling: &PointSampling) -> Self {
        let phyxels = sampling.points.len();
        let points: Vec<Vec3<f64>> = sampling.points.iter().chain(&sampling.skin.points).map(|p| Vec3(*p)).collect();
        let mut around = Around { phyxels, near: Neighbours::default(), reach: Vec::new(), points };
        around.reach = vec![1.8 * sampling.spacing; sampling.skin.points.len()];
        for _ in 0..12 {
            let mut radii = vec![1e-6 * sampling.spacing; phyxels];
            radii.extend(&around.reach);
            // A search that fails (points that cannot be indexed) leaves every vertex to its nearest phyxel.
            if NeighbourSearch::default().rebuild(&around.points, Radii::Each(&radii), &mut around.near).is_err() {
                around.near = Neighbours::default();
                break;
            }
            let blind: Vec<usize> = (0..around.reach.len()).filter(|v| around.of(*v).next().is_none()).collect();
            if blind.is_empty() {
                break;
            }
            blind.into_iter().for_each(|v| around.reach[v] *= 2.0);
        }
        around
    }

    fn of(&self, vertex: usize) -> impl Iterator<Item = u32> + '_ {
        let found = if self.near.offsets.is_empty() { &[] } else { self.near.of(self.phyxels + vertex) };
        found.iter().copied().filter(|j| (*j as usize) < self.phyxels)
    }

    fn carry(&self, vertex: usize, entries: &mut Vec<(u32, f64, [f64; 3])>) {
        let (start, at) = (entries.len(), self.points[self.phyxels + vertex]);
        let reach = self.reach[vertex];
        entries.extend(self.of(vertex).map(|j| carry(at, j, self.points[j as usize], reach)));
        if entries.len() == start {
            let nearest = nearest(&self.points[..self.phyxels], at);
            entries.push(carry(at, nearest, self.points[nearest as usize], f64::INFINITY));
        }
    }
}

/// A Gaussian that has all but vanished at the edge of the reach.
fn carry(vertex: Vec3<f64>, j: u32, phyxel: Vec3<f64>, reach: f64) -> (u32, f64, [f64; 3]) {
    let arm = vertex - phyxel;
    (j, (-6.0 * arm.norm_squared() / (reach * reach)).exp(), arm.0)
}

/// The nearest of `points` to `x`.
fn nearest(points: &[Vec3<f64>], x: Vec3<f64>) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (j, p) in points.iter().enumerate() {
        let distance = (*p - x).norm_squared();
        if distance < best.0 {
            best = (distance, j as u32);
        }
    }
    best.1
}
