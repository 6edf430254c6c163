//! The surfaces of all bodies as contact among them sees it: vertices that are combinations of nodes, triangles, edges.

use super::KEPT_APART;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::scene::Groups;

/// A point of a surface: a fixed combination of up to four nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// The nodes; where there are fewer than four, the last ones weigh nothing.
    pub nodes: [u32; 4],
    /// Their weights, which sum to one.
    pub weights: [f64; 4],
}

impl Vertex {
    /// A node.
    pub fn node(node: u32) -> Self {
        Vertex { nodes: [node; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// The nodes that count, with their weights.
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.nodes.iter().copied().zip(self.weights).filter(|(_, w)| *w != 0.0)
    }

    /// The combination of a field over nodes.
    pub fn of<R: Real>(&self, field: &[Vec3<R>]) -> Vec3<f64> {
        self.parts().fold(Vec3::zero(), |sum, (n, w)| sum + Vec3(field[n as usize].to_f64()) * w)
    }
}

/// Which part of the surface belongs to a body, and how it takes part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Which body.
    pub body: usize,
    /// Mean length of its edges [m].
    pub edge_length: f64,
    /// It encloses matter, so that being behind it means being inside; a sheet has no behind.
    pub solid: bool,
    /// It may touch itself.
    pub touches_itself: bool,
    /// Coulomb's coefficient, if it has one of its own.
    pub friction: Option<f64>,
    /// What it touches.
    pub groups: Groups,
    /// It has vertices alone, as far apart as its edges are long: those of a melt, which parts and merges. They keep their
    /// distance from those of other clouds, and their radius from everything else.
    pub cloud: bool,
}

/// The surfaces of all bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Two vertices each, every edge once.
    pub edges: Vec<[u32; 2]>,
    /// Two triangles at each edge; the same one twice where there is only one.
    pub edge_faces: Vec<[u32; 2]>,
    /// The bodies that have a surface.
    pub parts: Vec<Part>,
    /// The part of each vertex.
    pub part_of: Vec<u32>,
    /// Vertices of clouds that have the same number, if it is not zero, are one piece of matter and do not touch; empty where
    /// nothing is.
    pub fused: Vec<u32>,
    /// How thick each node is that may be a vertex of a cloud [m]; empty where there is none.
    pub radii: Vec<f64>,
}

impl Surface {
    /// Adds the surface of a body: its vertices, and triangles over them.
    pub fn add(&mut self, mut part: Part, vertices: Vec<Vertex>, triangles: &[[u32; 3]], rest: &[Vec3<f64>]) {
        let first = self.vertices.len() as u32;
        let first_face = self.triangles.len() as u32;
        let mut sides: Vec<([u32; 2], u32)> = triangles
            .iter()
            .enumerate()
            .flat_map(|(t, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|edge| (edge, t as u32 + first_face)))
            .map(|([a, b], t)| ([a.min(b) + first, a.max(b) + first], t))
            .collect();
        sides.sort_unstable();
        let runs = || sides.chunk_by(|a, b| a.0 == b.0);
        let edges: Vec<[u32; 2]> = runs().map(|run| run[0].0).collect();
        self.edge_faces.extend(runs().map(|run| [run[0].1, run[run.len() - 1].1]));
        let place = |v: u32| vertices[(v - first) as usize].of(rest);
        let total: f64 = edges.iter().map(|&[a, b]| (place(a) - place(b)).norm()).sum();
        if !edges.is_empty() {
            part.edge_length = total / edges.len() as f64;
        }
        self.part_of.extend(vertices.iter().map(|_| self.parts.len() as u32));
        self.vertices.extend(vertices);
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first)));
        self.edges.extend(edges);
        self.parts.push(part);
    }

    /// How far a vertex keeps from triangles and rigid bodies because it is one of a cloud [m]; nothing for those of skins.
    pub fn radius(&self, v: u32) -> f64 {
        if !self.parts[self.part_of[v as usize] as usize].cloud {
            return 0.0;
        }
        self.radii.get(self.vertices[v as usize].nodes[0] as usize).copied().unwrap_or(0.0)
    }

    /// Whether two vertices are one piece of matter.
    pub fn are_one(&self, v: u32, w: u32) -> bool {
        !self.fused.is_empty() && self.fused[v as usize] > 0 && self.fused[v as usize] == self.fused[w as usize]
    }

    /// Whether two bodies, or two parts of one, can ever touch.
    pub fn touches_soft(&self) -> bool {
        self.parts.len() > 1 || self.parts.iter().any(|p| p.touches_itself)
    }

    /// The smallest distance that surfaces are kept apart [m].
    pub fn kept_apart(&self) -> f64 {
        KEPT_APART * self.parts.iter().map(|p| p.edge_length).fold(f64::INFINITY, f64::min)
    }

    /// Where every vertex is [m].
    pub fn positions<R: Real>(&self, model: &Model<R>, u: &[Vec3<R>], out: &mut Vec<Vec3<f64>>) {
        out.clear();
        let place =
            |v: &Vertex| v.parts().fold(Vec3::zero(), |sum, (n, w)| sum + model.place(n as usize, u[n as usize]) * w);
        out.extend(self.vertices.iter().map(place));
    }

    /// How fast every vertex is [m/s].
    pub fn velocities<R: Real>(&self, v: &[Vec3<R>], out: &mut Vec<Vec3<f64>>) {
        out.clear();
        out.extend(self.vertices.iter().map(|vertex| vertex.of(v)));
    }
}
