//! The drawn surface: points that are fixed combinations of nodes.

use crate::math::{Mat3, Real, Vec3};
use crate::shape::PointSampling;
use crate::stencil::{NeighbourSearch, Neighbours, Radii};

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
        let mut nodes: Vec<u32> = faces.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let place = |n: u32| nodes.partition_point(|&m| m < n) as u32;
        let triangles = faces.iter().map(|f| f.map(place)).collect();
        (if nodes.is_empty() { Skin::None } else { Skin::Nodes(nodes) }, triangles)
    }

    /// The sampling's own skin, carried by its phyxels.
    pub fn of_sampling(sampling: &PointSampling) -> Self {
        if sampling.skin.points.is_empty() { Skin::None } else { Skin::Carried(Carried::build(sampling)) }
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

    fn run(&self, vertex: usize) -> std::ops::Range<usize> {
        self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize
    }

    fn build(sampling: &PointSampling) -> Self {
        let (count, skin) = (sampling.points.len(), &sampling.skin.points);
        let reach = 1.8 * sampling.spacing;
        let points: Vec<Vec3<f64>> = sampling.points.iter().chain(skin).map(|p| Vec3(*p)).collect();
        let mut radii = vec![1e-6 * reach; count];
        radii.resize(points.len(), reach);
        let mut near = Neighbours::default();
        // A search that fails (points too far apart to be indexed) leaves every vertex to its nearest phyxel.
        let found = NeighbourSearch::default().rebuild(&points, Radii::Each(&radii), &mut near).is_ok();
        let mut carried = Carried { offsets: vec![0], entries: Vec::new() };
        for vertex in count..points.len() {
            let start = carried.entries.len();
            let around = if found { near.of(vertex) } else { &[] };
            let around = around.iter().filter(|&&j| (j as usize) < count);
            carried.entries.extend(around.map(|&j| carry(points[vertex], j, points[j as usize], reach)));
            if carried.entries.len() == start {
                let nearest = nearest(&points[..count], points[vertex]);
                carried.entries.push(carry(points[vertex], nearest, points[nearest as usize], f64::INFINITY));
            }
            let total: f64 = carried.entries[start..].iter().map(|e| e.1).sum();
            carried.entries[start..].iter_mut().for_each(|e| e.1 /= total);
            carried.offsets.push(carried.entries.len() as u32);
        }
        carried
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
