//! Which parts of surfaces are about to touch: a vertex and a triangle, or two edges.

use super::near::{self, Nearest};
use super::surface::Surface;
use super::tree::{Bounds, Tree};
use crate::math::Vec3;

/// Surfaces are kept this part of an edge apart, so that which side of the other each is on never gets lost in rounding.
pub const KEPT_APART: f64 = 2e-3;
/// Pairs nearer than this part of an edge are watched whether they approach or not.
const WATCHED: f64 = 0.05;

/// Two things that are about to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Their kind and numbers, by which they are known again in the next step.
    pub key: u64,
    /// Four vertices of the surface.
    pub vertices: [u32; 4],
    /// Their weights; `Σ w x` points from the second thing to the first.
    pub weights: [f64; 4],
    /// Unit vector from the second thing to the first.
    pub normal: Vec3<f64>,
    /// `normal · Σ w x` at the start, less the distance that is kept [m].
    pub gap: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// Finds pairs; keeps its trees and buffers between steps.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    triangles: Tree,
    edges: Tree,
    triangle_boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
    vertex_boxes: Vec<Bounds>,
    /// What the trees were built over.
    built_for: Option<(u64, usize)>,
}

/// Where vertices are and where they go in a step.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// At the start [m].
    pub from: &'a [Vec3<f64>],
    /// Moves over the whole step [m].
    pub moves: &'a [Vec3<f64>],
}

const VERTEX_TRIANGLE: u64 = 0;
const EDGE_EDGE: u64 = 1 << 63;

impl Finder {
    /// Adds the pairs that are near or meet on their way and whose keys are not among the `known`, which are sorted; all
    /// are sorted by key afterwards. True when there were any.
    pub fn find(&mut self, surface: &Surface, version: u64, sweep: &Sweep<'_>, pairs: &mut Vec<Pair>) -> bool {
        self.fit(surface, version, sweep);
        let known = pairs.len();
        for (k, part) in surface.parts.iter().enumerate() {
            let next = surface.parts.get(k + 1);
            let vertices = part.first_vertex..next.map_or(surface.vertices.len(), |p| p.first_vertex);
            for v in vertices {
                self.triangles.visit(&self.vertex_boxes[v], |t| {
                    if self.triangle_boxes[t as usize].touches(&self.vertex_boxes[v]) {
                        vertex_triangle(surface, sweep, v as u32, t, known, pairs);
                    }
                });
            }
            let edges = part.first_edge..next.map_or(surface.edges.len(), |p| p.first_edge);
            for e in edges {
                self.edges.visit(&self.edge_boxes[e], |f| {
                    if e < f as usize && self.edge_boxes[f as usize].touches(&self.edge_boxes[e]) {
                        edge_edge(surface, sweep, e as u32, f, known, pairs);
                    }
                });
            }
        }
        let found = pairs.len() > known;
        if found {
            pairs.sort_unstable_by_key(|p| p.key);
        }
        found
    }

    fn fit(&mut self, surface: &Surface, version: u64, sweep: &Sweep<'_>) {
        let swept = |v: u32| {
            let (a, b) = (sweep.from[v as usize], sweep.from[v as usize] + sweep.moves[v as usize]);
            Bounds::around([a, b])
        };
        let margin = |v: u32| WATCHED * surface.parts[surface.part_of[v as usize] as usize].edge_length;
        self.vertex_boxes.clear();
        self.vertex_boxes.extend((0..surface.vertices.len() as u32).map(|v| swept(v).grown(margin(v))));
        self.triangle_boxes.clear();
        let around = |t: &[u32; 3]| t.iter().fold(Bounds::EMPTY, |b, &v| b.with(&swept(v))).grown(margin(t[0]));
        self.triangle_boxes.extend(surface.triangles.iter().map(around));
        self.edge_boxes.clear();
        let along = |e: &[u32; 2]| e.iter().fold(Bounds::EMPTY, |b, &v| b.with(&swept(v))).grown(margin(e[0]));
        self.edge_boxes.extend(surface.edges.iter().map(along));
        let built_for = Some((version, surface.vertices.len()));
        if self.built_for == built_for {
            self.triangles.refit(&self.triangle_boxes);
            self.edges.refit(&self.edge_boxes);
        } else {
            self.triangles = Tree::new(&self.triangle_boxes);
            self.edges = Tree::new(&self.edge_boxes);
            self.built_for = built_for;
        }
    }
}

fn vertex_triangle(surface: &Surface, sweep: &Sweep<'_>, v: u32, t: u32, known: usize, pairs: &mut Vec<Pair>) {
    let [a, b, c] = surface.triangles[t as usize];
    let key = VERTEX_TRIANGLE | (v as u64) << 31 | t as u64;
    consider(surface, sweep, (key, [v, a, b, c]), near::point_triangle, known, pairs);
}

fn edge_edge(surface: &Surface, sweep: &Sweep<'_>, e: u32, f: u32, known: usize, pairs: &mut Vec<Pair>) {
    let ([a, b], [c, d]) = (surface.edges[e as usize], surface.edges[f as usize]);
    let key = EDGE_EDGE | (e as u64) << 31 | f as u64;
    consider(surface, sweep, (key, [a, b, c, d]), near::edge_edge, known, pairs);
}

/// Adds a pair if it is near or meets on its way.
fn consider(
    surface: &Surface,
    sweep: &Sweep<'_>,
    (key, vertices): (u64, [u32; 4]),
    nearest: fn([Vec3<f64>; 4]) -> Nearest,
    known: usize,
    pairs: &mut Vec<Pair>,
) {
    let part = |v: u32| &surface.parts[surface.part_of[v as usize] as usize];
    let (one, other) = (part(vertices[0]), part(vertices[3]));
    let same = surface.part_of[vertices[0] as usize] == surface.part_of[vertices[3] as usize];
    let shared = key & EDGE_EDGE != 0 && (vertices[..2].contains(&vertices[2]) || vertices[..2].contains(&vertices[3]))
        || key & EDGE_EDGE == 0 && vertices[1..].contains(&vertices[0]);
    if shared || (same && !one.touches_itself) {
        return;
    }
    if pairs[..known].binary_search_by_key(&key, |p| p.key).is_ok() {
        return;
    }
    let length = 0.5 * (one.edge_length + other.edge_length);
    let (kept, watched) = (KEPT_APART * length, WATCHED * length);
    let from = vertices.map(|v| sweep.from[v as usize]);
    let mut found = nearest(from);
    // Two parallel edges, or an edge beside a vertex, are left to the vertices: they meet there too.
    let inner = |n: &Nearest| key & EDGE_EDGE == 0 || n.weights.iter().all(|w| w.abs() > 1e-6 && w.abs() < 1.0 - 1e-6);
    if found.between.norm() > watched {
        let moves = vertices.map(|v| sweep.moves[v as usize]);
        let Some(time) = near::first_contact(nearest, from, moves, kept) else { return };
        found = nearest(std::array::from_fn(|k| from[k] + moves[k] * time));
    }
    let distance = found.between.norm();
    if distance <= 0.0 || !inner(&found) {
        return;
    }
    let normal = found.between * (1.0 / distance);
    let start = from.iter().zip(&found.weights).fold(Vec3::zero(), |sum, (x, w)| sum + *x * *w);
    let friction = (one.friction * other.friction).sqrt();
    pairs.push(Pair { key, vertices, weights: found.weights, normal, gap: normal.dot(start) - kept, friction });
}
