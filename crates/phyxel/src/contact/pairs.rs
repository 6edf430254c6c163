//! Which parts of surfaces are about to touch: a vertex and a triangle, or two edges.

use super::grips::{Grip, Gripper};
use super::near::{self, Nearest};
use super::surface::{Part, Surface};
use super::tree::{Bounds, Tree};
use crate::math::Vec3;
use crate::model::joint_friction;
use rayon::prelude::*;

/// Surfaces are kept this part of an edge apart, so that which side of the other each is on never gets lost in rounding.
pub const KEPT_APART: f64 = 2e-3;
/// Pairs nearer than this part of an edge are watched whether they approach or not.
const WATCHED: f64 = 0.05;
/// What comes no nearer than this part of the distance kept passes by.
const GRAZING: f64 = 0.5;
/// The cosine above which a surface counts as flat where triangles meet.
const FLAT: f64 = 0.985;
/// The squared sine below which edges count as parallel.
const PARALLEL: f64 = 0.01;
/// The cosine between the outward directions of a vertex and of a face above which they do not press on each other.
const FACING: f64 = -0.1;
/// Vertices up to this part of an edge behind the surface of a solid are brought out again.
const BEHIND: f64 = 0.5;

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
    /// Part of the approach speed with which the two leave each other.
    pub restitution: f64,
    /// The second thing, where it is a rigid body.
    pub grip: Option<Grip>,
}

/// Finds pairs; keeps its trees and buffers between steps.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    triangles: Tree,
    edges: Tree,
    triangle_boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
    vertex_boxes: Vec<Bounds>,
    normals: Vec<Vec3<f64>>,
    ridges: Vec<Ridge>,
    /// What the trees were built over.
    built_for: Option<(u64, usize)>,
}

/// How a surface lies at an edge.
#[derive(Clone, Copy, Debug)]
struct Ridge {
    /// Mean of the normals of both faces, a unit vector.
    outward: Vec3<f64>,
    /// Both faces lie in one plane.
    flat: bool,
}

/// The face of a solid nearest to the vertex that is being looked at.
#[derive(Clone, Copy, Debug)]
struct NearestFace {
    part: u32,
    distance: f64,
    /// The vertex is inside.
    behind: bool,
    /// The way out.
    pair: Pair,
}

/// Where vertices are and where they go in a step.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// At the start [m].
    pub from: &'a [Vec3<f64>],
    /// Moves over the whole step [m].
    pub moves: &'a [Vec3<f64>],
}

/// Vertices or edges that are looked through at a time.
const RUN: usize = 128;

const VERTEX_TRIANGLE: u64 = 0;
const EDGE_EDGE: u64 = 1 << 63;
/// Pairs with a rigid body; vertices of the soft one, or its faces where [`EDGE_EDGE`] is set too.
pub(super) const RIGID: u64 = 1 << 62;
/// Pairs nearer than this part of an edge are watched whether they approach or not.
pub(super) const NEAR: f64 = WATCHED;
/// See [`EDGE_EDGE`].
pub(super) const FACE: u64 = EDGE_EDGE;

impl Finder {
    /// Adds the pairs that are near or meet on their way and are not among those given, which are sorted by key; all are
    /// sorted afterwards. Bodies that are `asleep` do not look at each other. True when there were any.
    pub fn find(
        &mut self,
        surface: &Surface,
        version: u64,
        sweep: &Sweep<'_>,
        (gripper, asleep): (&mut Gripper<'_>, &[bool]),
        pairs: &mut Vec<Pair>,
    ) -> bool {
        self.fit(surface, version, sweep);
        let known = pairs.len();
        if surface.touches_soft() {
            self.find_soft(surface, sweep, asleep, pairs);
        }
        gripper.find(surface, sweep, (&self.triangles, &self.triangle_boxes), pairs, known);
        let found = pairs.len() > known;
        if found {
            pairs.sort_unstable_by_key(|p| p.key);
        }
        found
    }

    fn find_soft(&mut self, surface: &Surface, sweep: &Sweep<'_>, asleep: &[bool], pairs: &mut Vec<Pair>) {
        let search = Search { surface, sweep, normals: &self.normals, ridges: &self.ridges, asleep };
        let (known, finder) = (&pairs[..], &*self);
        let vertices = (0..surface.vertices.len()).into_par_iter().step_by(RUN);
        let faces = vertices.flat_map_iter(|first| finder.around_vertices(&search, first, known));
        let edges = (0..surface.edges.len()).into_par_iter().step_by(RUN);
        let crossings = edges.flat_map_iter(|first| finder.around_edges(&search, first, known));
        // Runs are put together in order, whoever looked through them.
        let found: Vec<Pair> = faces.chain(crossings).collect();
        pairs.extend(found);
    }

    /// Pairs of a run of vertices with triangles.
    fn around_vertices(&self, search: &Search<'_>, first: usize, known: &[Pair]) -> Vec<Pair> {
        let surface = search.surface;
        let (mut pairs, mut nearest) = (Vec::new(), Vec::new());
        for v in first..(first + RUN).min(surface.vertices.len()) {
            let reach = &self.vertex_boxes[v];
            let own = pairs.len();
            nearest.clear();
            self.triangles.visit(reach, |t| {
                if self.triangle_boxes[t as usize].touches(reach) {
                    search.vertex_triangle(v as u32, t, (&mut pairs, known), &mut nearest);
                }
            });
            for solid in nearest.iter().filter(|n| n.behind) {
                // Inside a solid, the nearest way out is the only one.
                let same = |p: &Pair| surface.part_of[p.vertices[3] as usize] == solid.part;
                let mut k = own;
                while k < pairs.len() {
                    if same(&pairs[k]) {
                        pairs.swap_remove(k);
                    } else {
                        k += 1;
                    }
                }
                if known.binary_search_by_key(&solid.pair.key, |p| p.key).is_err() {
                    pairs.push(solid.pair);
                }
            }
        }
        pairs
    }

    /// Pairs of a run of edges with later ones.
    fn around_edges(&self, search: &Search<'_>, first: usize, known: &[Pair]) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for e in first..(first + RUN).min(search.surface.edges.len()) {
            let reach = &self.edge_boxes[e];
            self.edges.visit(reach, |f| {
                if e < f as usize && self.edge_boxes[f as usize].touches(reach) {
                    search.edge_edge(e as u32, f, (&mut pairs, known));
                }
            });
        }
        pairs
    }

    fn fit(&mut self, surface: &Surface, version: u64, sweep: &Sweep<'_>) {
        let swept = |v: u32| {
            let (a, b) = (sweep.from[v as usize], sweep.from[v as usize] + sweep.moves[v as usize]);
            Bounds::around([a, b])
        };
        let length = |v: u32| surface.parts[surface.part_of[v as usize] as usize].edge_length;
        self.vertex_boxes.clear();
        let point = |v: u32| swept(v).grown(BEHIND * length(v));
        self.vertex_boxes.extend((0..surface.vertices.len() as u32).map(point));
        self.triangle_boxes.clear();
        let around = |t: &[u32; 3]| t.iter().fold(Bounds::EMPTY, |b, &v| b.with(&swept(v)));
        self.triangle_boxes.extend(surface.triangles.iter().map(around));
        self.edge_boxes.clear();
        let along =
            |e: &[u32; 2]| e.iter().fold(Bounds::EMPTY, |b, &v| b.with(&swept(v))).grown(WATCHED * length(e[0]));
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
        self.find_normals(surface, sweep.from);
    }

    /// Normals at the vertices, weighted by area.
    fn find_normals(&mut self, surface: &Surface, at: &[Vec3<f64>]) {
        self.normals.clear();
        self.normals.resize(surface.vertices.len(), Vec3::zero());
        for t in &surface.triangles {
            let [a, b, c] = t.map(|v| at[v as usize]);
            let normal = (b - a).cross(c - a);
            t.iter().for_each(|&v| self.normals[v as usize] += normal);
        }
        let face = |t: u32| {
            let [a, b, c] = surface.triangles[t as usize].map(|v| at[v as usize]);
            (b - a).cross(c - a).normalized()
        };
        self.ridges.clear();
        self.ridges.extend(surface.edge_faces.iter().map(|&[s, t]| {
            let (one, other) = (face(s), face(t));
            Ridge { outward: (one + other).normalized(), flat: one.dot(other) > FLAT }
        }));
    }
}

/// What looking at one pair needs.
struct Search<'a> {
    surface: &'a Surface,
    sweep: &'a Sweep<'a>,
    normals: &'a [Vec3<f64>],
    ridges: &'a [Ridge],
    asleep: &'a [bool],
}

/// Two things that may touch: their key, vertices, and the parts that they belong to.
struct Candidate<'a> {
    key: u64,
    vertices: [u32; 4],
    parts: [&'a Part; 2],
    /// Mean length of the edges of both [m].
    length: f64,
}

impl<'a> Search<'a> {
    /// A vertex before a triangle or on its way to one; and which triangle of each solid is the nearest.
    fn vertex_triangle(
        &self,
        v: u32,
        t: u32,
        (pairs, known): (&mut Vec<Pair>, &[Pair]),
        nearest: &mut Vec<NearestFace>,
    ) {
        let [a, b, c] = self.surface.triangles[t as usize];
        if v == a || v == b || v == c {
            return;
        }
        let key = VERTEX_TRIANGLE | (v as u64) << 31 | t as u64;
        let Some(candidate) = self.candidate(key, [v, a, b, c]) else { return };
        let from = candidate.vertices.map(|v| self.sweep.from[v as usize]);
        let face = face_normal(&from);
        // A vertex presses with its outside on that of a face: one that stands beside another solid, flush with its side,
        // has nothing to do with it.
        let facing = self.normals[v as usize].normalized().dot(face);
        if candidate.parts.iter().all(|p| p.solid) && facing > FACING {
            return;
        }
        let found = near::point_triangle(from);
        let distance = found.between.norm();
        if candidate.parts[1].solid && distance < BEHIND * candidate.length {
            // A vertex whose own surface faces the same way is on the far side of a thin solid, or of its own.
            let behind = !self.is_outside(&candidate, &from, &found) && facing < 0.0;
            let part = self.surface.part_of[a as usize];
            let entry = || NearestFace { part, distance, behind, pair: self.pair(&candidate, &found.weights, face) };
            match nearest.iter_mut().find(|n| n.part == part) {
                Some(known) if distance < known.distance => *known = entry(),
                Some(_) => {}
                None => nearest.push(entry()),
            }
        }
        if known.binary_search_by_key(&key, |p| p.key).is_err() {
            pairs.extend(self.meeting(&candidate, near::point_triangle));
        }
    }

    /// Two edges that are near or on their way to each other; where both are behind each other's solids the vertices lead
    /// out.
    fn edge_edge(&self, e: u32, f: u32, (pairs, known): (&mut Vec<Pair>, &[Pair])) {
        let ([a, b], [c, d]) = (self.surface.edges[e as usize], self.surface.edges[f as usize]);
        if a == c || a == d || b == c || b == d {
            return;
        }
        let key = EDGE_EDGE | (e as u64) << 31 | f as u64;
        if known.binary_search_by_key(&key, |p| p.key).is_ok() {
            return;
        }
        let Some(candidate) = self.candidate(key, [a, b, c, d]) else { return };
        let ridges = [self.ridges[e as usize], self.ridges[f as usize]];
        let solid = candidate.parts.map(|p| p.solid);
        // The outsides of two solids look at each other where they touch.
        if solid[0] && solid[1] && ridges[0].outward.dot(ridges[1].outward) > FACING {
            return;
        }
        let Some(mut pair) = self.meeting(&candidate, near::edge_edge) else { return };
        // Within a flat part of a surface there is only one direction to press in, and edges that all but cross have none.
        let flat = |k: usize| solid[k] && ridges[k].flat;
        if flat(1) || flat(0) {
            let normal = if flat(1) { ridges[1].outward } else { -ridges[0].outward };
            pair = self.pair(&candidate, &pair.weights, normal);
        }
        // Two parallel edges, or an edge beside a vertex, are left to the vertices: they meet there too.
        if pair.weights.iter().all(|w| w.abs() > 1e-3 && w.abs() < 1.0 - 1e-3) {
            pairs.push(pair);
        }
    }

    /// Whether the things face each other with their outsides; always so for sheets, which have two.
    fn is_outside(&self, candidate: &Candidate<'_>, at: &[Vec3<f64>; 4], found: &Nearest) -> bool {
        let Candidate { key, vertices, parts, .. } = candidate;
        if key & EDGE_EDGE != 0 {
            let one = self.normal(&vertices[..2], &found.weights[..2]);
            // Weights of the second thing are negative, and so is what they make of its normals.
            let other = self.normal(&vertices[2..], &found.weights[2..]);
            return (!parts[0].solid || found.between.dot(one) <= 0.0)
                && (!parts[1].solid || found.between.dot(other) <= 0.0);
        }
        let within = found.weights[1..].iter().all(|w| *w < -0.01);
        let outward = if within { face_normal(at) } else { self.normal(&vertices[1..], &found.weights[1..]) };
        !parts[1].solid || found.between.dot(outward) >= 0.0
    }

    fn candidate(&self, key: u64, vertices: [u32; 4]) -> Option<Candidate<'a>> {
        let surface = self.surface;
        let parts = [vertices[0], vertices[3]].map(|v| &surface.parts[surface.part_of[v as usize] as usize]);
        let same = parts[0].body == parts[1].body;
        if parts.iter().all(|p| self.asleep.get(p.body).is_some_and(|asleep| *asleep)) {
            return None;
        }
        if (same && !parts[0].touches_itself) || (!same && !parts[0].groups.meet(&parts[1].groups)) {
            return None;
        }
        Some(Candidate { key, vertices, parts, length: 0.5 * (parts[0].edge_length + parts[1].edge_length) })
    }

    /// The normals of vertices, mixed; the outward direction of an edge or a corner, times the sign of the weights.
    fn normal(&self, vertices: &[u32], weights: &[f64]) -> Vec3<f64> {
        let sign = if weights.iter().sum::<f64>() < 0.0 && weights.len() == 3 { -1.0 } else { 1.0 };
        vertices
            .iter()
            .zip(weights)
            .fold(Vec3::zero(), |sum, (&v, &w)| sum + self.normals[v as usize].normalized() * (w * sign))
    }

    /// The pair, if it meets on its way or is near at its end.
    ///
    /// The plane in which two things meet reaches beyond them, so it must be the right one: what passes by without coming
    /// nearer than half the distance kept is looked at where it ends, and within a flat part of a surface the face below a
    /// vertex is the only one that carries it. Otherwise bodies that slide over each other would catch on every edge.
    fn meeting(&self, candidate: &Candidate<'_>, nearest: fn([Vec3<f64>; 4]) -> Nearest) -> Option<Pair> {
        let kept = KEPT_APART * candidate.length;
        let start = candidate.vertices.map(|v| self.sweep.from[v as usize]);
        let moves = candidate.vertices.map(|v| self.sweep.moves[v as usize]);
        let met = near::first_contact(nearest, start, moves, GRAZING * kept);
        let at: [Vec3<f64>; 4] = std::array::from_fn(|k| start[k] + moves[k] * met.unwrap_or(1.0));
        let found = nearest(at);
        let distance = found.between.norm();
        if distance <= 0.0 || (met.is_none() && distance > WATCHED * candidate.length) {
            return None;
        }
        // What comes at a solid from within has passed another of its faces first, and is met there.
        if !self.is_outside(candidate, &at, &found) {
            return None;
        }
        let mut normal = found.between * (1.0 / distance);
        if candidate.key & EDGE_EDGE != 0 {
            let (one, other) = (at[1] - at[0], at[3] - at[2]);
            // Parallel edges that lie side by side have a vertex beside the other, which meets its triangles; the direction
            // between the edges themselves could be any.
            if one.cross(other).norm_squared() < PARALLEL * one.norm_squared() * other.norm_squared() {
                return None;
            }
        } else if candidate.parts[1].solid {
            let (face, surface) = (face_normal(&at), self.normal(&candidate.vertices[1..], &found.weights[1..]));
            if surface.normalized().dot(face) > FLAT {
                let beside = (found.between - face * face.dot(found.between)).norm();
                if beside > kept {
                    return None;
                }
                normal = face;
            }
        }
        Some(self.pair(candidate, &found.weights, normal))
    }

    fn pair(&self, candidate: &Candidate<'_>, weights: &[f64; 4], normal: Vec3<f64>) -> Pair {
        let Candidate { key, vertices, parts, length } = candidate;
        let from = vertices.map(|v| self.sweep.from[v as usize]);
        let start = from.iter().zip(weights).fold(Vec3::zero(), |sum, (x, w)| sum + *x * *w);
        let gap = normal.dot(start) - KEPT_APART * length;
        let friction = joint_friction(parts[0].friction, parts[1].friction);
        let (restitution, grip) = (0.0, None);
        Pair { key: *key, vertices: *vertices, weights: *weights, normal, gap, friction, restitution, grip }
    }
}

/// The unit normal of the triangle of a vertex and a triangle.
fn face_normal(points: &[Vec3<f64>; 4]) -> Vec3<f64> {
    (points[2] - points[1]).cross(points[3] - points[1]).normalized()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Vertex;
    use crate::shape::quality::boundary_triangles;
    use crate::shape::structured::{CubeSplit, box_tets};

    /// Two unit cubes of 2³ cells, the second one `gap` above the first and shifted sideways.
    fn cubes(gap: f64) -> (Surface, Vec<Vec3<f64>>) {
        let mut surface = Surface::default();
        let mut at = Vec::new();
        for body in 0..2 {
            let low = [0.13 * body as f64, (1.0 + gap) * body as f64, 0.21 * body as f64];
            let mesh = box_tets([2, 2, 2], low, low.map(|c| c + 1.0), CubeSplit::Six).expect("a block");
            let triangles = boundary_triangles(&mesh.tets);
            let first = at.len() as u32;
            at.extend(mesh.points.iter().map(|p| Vec3(*p)));
            let vertices = (0..mesh.points.len() as u32).map(|n| Vertex::node(n + first)).collect();
            let part = Part {
                body,
                edge_length: 0.0,
                solid: true,
                touches_itself: false,
                friction: Some(0.5),
                groups: Default::default(),
            };
            surface.add(part, vertices, &triangles, &at);
        }
        (surface, at)
    }

    #[test]
    fn cubes_that_hover_push_apart_upward_and_cubes_that_overlap_too() {
        for gap in [0.01, -0.1] {
            let (surface, from) = cubes(gap);
            let moves = vec![Vec3::zero(); from.len()];
            let mut pairs = Vec::new();
            assert!(Finder::default().find(
                &surface,
                0,
                &Sweep { from: &from, moves: &moves },
                (&mut Gripper::none(), &[]),
                &mut pairs
            ));
            for pair in &pairs {
                let first_is_top = pair.vertices[0] as usize >= from.len() / 2;
                let up = if first_is_top { 1.0 } else { -1.0 };
                assert!(pair.normal[1] * up > 0.9, "{pair:?} at gap {gap}");
                assert!((pair.gap - gap).abs() < 0.02, "{pair:?} at gap {gap}");
                assert!(pair.weights.iter().sum::<f64>().abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_cube_shot_at_another_meets_it_however_fast() {
        let (surface, from) = cubes(3.0);
        let moves: Vec<_> =
            (0..from.len()).map(|v| Vec3([0.0, if v < from.len() / 2 { 0.0 } else { -100.0 }, 0.0])).collect();
        let mut pairs = Vec::new();
        assert!(Finder::default().find(
            &surface,
            0,
            &Sweep { from: &from, moves: &moves },
            (&mut Gripper::none(), &[]),
            &mut pairs
        ));
        let lower: Vec<_> = pairs.iter().filter(|p| p.gap > 2.0).collect();
        assert!(lower.len() >= 4 && lower.iter().all(|p| p.normal[1].abs() > 0.5), "{} pairs", lower.len());
    }
}
