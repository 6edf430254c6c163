//! Which parts of surfaces are about to touch: a vertex and a triangle, or two edges.

use super::finder::Fitted;
use super::grips::Grip;
use super::near::{self, Nearest};
use super::surface::{Part, Surface};
use super::tree::Bounds;
use crate::math::Vec3;
use crate::model::joint_friction;

/// Surfaces are kept this part of an edge apart, so that which side of the other each is on never gets lost in rounding.
pub const KEPT_APART: f64 = 2e-3;
/// Pairs nearer than this part of an edge are watched whether they approach or not.
pub(super) const WATCHED: f64 = 0.05;
/// What comes no nearer than this part of the distance kept passes by.
const GRAZING: f64 = 0.5;
/// The cosine above which a surface counts as flat where triangles meet.
pub(super) const FLAT: f64 = 0.985;
/// The squared sine below which edges count as parallel.
const PARALLEL: f64 = 0.01;
/// The cosine between the outward directions of a vertex and of a face above which they do not press on each other.
const FACING: f64 = -0.1;
/// Vertices up to this part of an edge behind the surface of a solid are brought out again.
pub(super) const BEHIND: f64 = 0.5;

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

/// How a surface lies at an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ridge {
    /// Mean of the normals of both faces, a unit vector.
    pub outward: Vec3<f64>,
    /// Both faces lie in one plane.
    pub flat: bool,
}

/// The face of a solid nearest to the vertex that is being looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestFace {
    pub part: u32,
    pub distance: f64,
    /// The vertex is inside.
    pub behind: bool,
    /// The way out.
    pub pair: Pair,
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
/// Pairs with a rigid body; vertices of the soft one, or its faces where [`EDGE_EDGE`] is set too.
pub(super) const RIGID: u64 = 1 << 62;
/// Pairs nearer than this part of an edge are watched whether they approach or not.
pub(super) const NEAR: f64 = WATCHED;
/// See [`EDGE_EDGE`].
pub(super) const FACE: u64 = EDGE_EDGE;

/// What looking at one pair needs.
pub(super) struct Search<'a> {
    pub surface: &'a Surface,
    pub sweep: &'a Sweep<'a>,
    pub fitted: &'a [Fitted],
}

/// Two things that may touch: their key, vertices, and the parts that they belong to.
struct Candidate<'a> {
    key: u64,
    vertices: [u32; 4],
    parts: [&'a Part; 2],
    /// Mean length of the edges of both [m].
    length: f64,
    /// How far the first keeps from the second besides, because it is a point of a cloud [m].
    thick: f64,
}

impl Candidate<'_> {
    /// Nearer than this at the end of a step, things are watched whether they approach or not [m].
    fn watched(&self) -> f64 {
        WATCHED * self.length + self.thick
    }
}

impl<'a> Search<'a> {
    fn fitted_of(&self, v: u32) -> &Fitted {
        &self.fitted[self.surface.part_of[v as usize] as usize]
    }

    /// The unit normal at a vertex, weighted by area.
    fn normal_of(&self, v: u32) -> Vec3<f64> {
        let fitted = self.fitted_of(v);
        fitted.normals[v as usize - fitted.vertices.start]
    }

    /// The unit normal of a triangle at the start.
    fn face_of(&self, t: u32) -> Vec3<f64> {
        let fitted = self.fitted_of(self.surface.triangles[t as usize][0]);
        fitted.faces[t as usize - fitted.triangles.start]
    }

    /// The cosine between the outward directions of a vertex and of a face; a point of a cloud looks at everything.
    fn facing(&self, v: u32, face: Vec3<f64>) -> f64 {
        let cloud = self.surface.parts[self.surface.part_of[v as usize] as usize].cloud;
        if cloud { -1.0 } else { self.normal_of(v).dot(face) }
    }

    fn ridge(&self, edge: u32) -> Ridge {
        let fitted = self.fitted_of(self.surface.edges[edge as usize][0]);
        fitted.ridges[edge as usize - fitted.edges.start]
    }

    /// The way out for a vertex deep inside a solid: towards the nearest of its faces that looks the other way.
    pub fn way_out(&self, v: u32, part: u32) -> Option<Pair> {
        let from = self.sweep.from;
        let solid = &self.fitted[part as usize];
        let at = from[v as usize];
        if !solid.contains(self.surface, from, at) {
            return None;
        }
        let mut best: Option<(f64, Pair)> = None;
        let mut reach = self.surface.parts[part as usize].edge_length;
        let mut deep = true;
        let size = Vec3(solid.bounds.max) - Vec3(solid.bounds.min);
        while best.is_none_or(|(distance, _)| distance > reach) && reach < 4.0 * size.norm() {
            reach *= 2.0;
            solid.near(&Bounds::around([at]).grown(reach), |t| {
                let [a, b, c] = self.surface.triangles[t as usize];
                let candidate = self.candidate(VERTEX_TRIANGLE | (v as u64) << 31 | t as u64, [v, a, b, c]);
                let points = candidate.vertices.map(|v| from[v as usize]);
                let (found, face) = (near::point_triangle(points), self.face_of(t));
                let distance = found.between.norm();
                deep &= distance > BEHIND * candidate.length;
                let nearer = best
                    .is_none_or(|(least, known)| distance < least || (distance == least && candidate.key < known.key));
                if nearer && self.facing(v, face) < FACING && found.between.dot(face) < 0.0 {
                    best = Some((distance, self.pair(&candidate, &found.weights, face)));
                }
            });
        }
        // What is just below some face, but not one that it could press on, stands beside the solid.
        best.filter(|_| deep).map(|(_, pair)| pair)
    }

    /// A vertex before a triangle or on its way to one; and which triangle of each solid is the nearest.
    pub fn vertex_triangle(
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
        let candidate = self.candidate(key, [v, a, b, c]);
        let from = candidate.vertices.map(|v| self.sweep.from[v as usize]);
        let face = self.face_of(t);
        // A vertex presses with its outside on that of a face: one that stands beside another solid, flush with its side,
        // has nothing to do with it.
        let facing = self.facing(v, face);
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
        let fastest = self.approach(&candidate);
        if distance - fastest <= candidate.watched() && known.binary_search_by_key(&key, |p| p.key).is_err() {
            pairs.extend(self.meeting(&candidate, near::point_triangle, (distance, fastest)));
        }
    }

    /// Two edges that are near or on their way to each other; where both are behind each other's solids the vertices lead
    /// out.
    pub fn edge_edge(&self, e: u32, f: u32, (pairs, known): (&mut Vec<Pair>, &[Pair])) {
        let ([a, b], [c, d]) = (self.surface.edges[e as usize], self.surface.edges[f as usize]);
        if a == c || a == d || b == c || b == d {
            return;
        }
        let key = EDGE_EDGE | (e as u64) << 31 | f as u64;
        let candidate = self.candidate(key, [a, b, c, d]);
        let ridges = [self.ridge(e), self.ridge(f)];
        let solid = candidate.parts.map(|p| p.solid);
        // The outsides of two solids look at each other where they touch.
        if solid[0] && solid[1] && ridges[0].outward.dot(ridges[1].outward) > FACING {
            return;
        }
        let distance = near::edge_edge(candidate.vertices.map(|v| self.sweep.from[v as usize])).between.norm();
        let fastest = self.approach(&candidate);
        let far = distance - fastest > candidate.watched();
        if far || known.binary_search_by_key(&key, |p| p.key).is_ok() {
            return;
        }
        let Some(mut pair) = self.meeting(&candidate, near::edge_edge, (distance, fastest)) else { return };
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

    /// Two points of clouds, which come no nearer than their bodies' points are apart. What is nearer than that already, because it
    /// began so or met while it was molten, comes no nearer than it is.
    pub fn point_point(&self, v: u32, w: u32, (pairs, known): (&mut Vec<Pair>, &[Pair])) {
        let key = VERTEX_TRIANGLE | (v as u64) << 31 | w as u64;
        if known.binary_search_by_key(&key, |p| p.key).is_ok() {
            return;
        }
        let candidate = self.candidate(key, [v, v, v, w]);
        let [from, moves] = [self.sweep.from, self.sweep.moves].map(|x| x[v as usize] - x[w as usize]);
        let (apart, kept) = (from.norm(), candidate.length);
        // Where |from + t moves| is the distance kept, or else least.
        let (a, b, c) = (moves.norm_squared(), from.dot(moves), apart * apart - kept * kept);
        let under = b * b - a * c;
        let met = match (c <= 0.0, b < 0.0) {
            (true, _) => 0.0,
            (_, true) if under >= 0.0 => (c / (under.sqrt() - b)).min(1.0),
            (_, true) => (-b / a).min(1.0),
            _ => 0.0,
        };
        let at = from + moves * met;
        let distance = at.norm();
        if distance <= 0.0 || distance > kept * (1.0 + WATCHED) {
            return;
        }
        let normal = at * (1.0 / distance);
        let gap = normal.dot(from) - kept;
        let friction = joint_friction(candidate.parts[0].friction, candidate.parts[1].friction);
        let (weights, restitution, grip) = ([1.0, 0.0, 0.0, -1.0], 0.0, None);
        pairs.push(Pair {
            key,
            vertices: candidate.vertices,
            weights,
            normal,
            gap: gap.max(0.0),
            friction,
            restitution,
            grip,
        });
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

    fn candidate(&self, key: u64, vertices: [u32; 4]) -> Candidate<'a> {
        let surface = self.surface;
        let parts = [vertices[0], vertices[3]].map(|v| &surface.parts[surface.part_of[v as usize] as usize]);
        let length = 0.5 * (parts[0].edge_length + parts[1].edge_length);
        Candidate { key, vertices, parts, length, thick: surface.radius(vertices[0]) }
    }

    /// The normals of vertices, mixed; the outward direction of an edge or a corner, times the sign of the weights.
    fn normal(&self, vertices: &[u32], weights: &[f64]) -> Vec3<f64> {
        let sign = if weights.iter().sum::<f64>() < 0.0 && weights.len() == 3 { -1.0 } else { 1.0 };
        vertices.iter().zip(weights).fold(Vec3::zero(), |sum, (&v, &w)| sum + self.normal_of(v) * (w * sign))
    }

    /// How much nearer two things can come within the step, at most [m]: most candidates are told apart by that alone.
    fn approach(&self, candidate: &Candidate<'_>) -> f64 {
        near::approach(&candidate.vertices.map(|v| self.sweep.moves[v as usize]))
    }

    /// The pair, if it meets on its way or is near at its end; `distance` apart at the start, and nearer by `fastest` at most.
    ///
    /// The plane in which two things meet reaches beyond them, so it must be the right one: what passes by without coming
    /// nearer than half the distance kept is looked at where it ends, and within a flat part of a surface the face below a
    /// vertex is the only one that carries it. Otherwise bodies that slide over each other would catch on every edge.
    fn meeting(
        &self,
        candidate: &Candidate<'_>,
        nearest: impl Fn([Vec3<f64>; 4]) -> Nearest,
        reach: (f64, f64),
    ) -> Option<Pair> {
        let kept = KEPT_APART * candidate.length;
        let start = candidate.vertices.map(|v| self.sweep.from[v as usize]);
        let moves = candidate.vertices.map(|v| self.sweep.moves[v as usize]);
        let met = near::first_contact(&nearest, (start, moves), reach, GRAZING * kept + candidate.thick);
        let at: [Vec3<f64>; 4] = std::array::from_fn(|k| start[k] + moves[k] * met.unwrap_or(1.0));
        let found = nearest(at);
        let distance = found.between.norm();
        if distance <= 0.0 || (met.is_none() && distance > candidate.watched()) {
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
        let Candidate { key, vertices, parts, length, thick } = candidate;
        let from = vertices.map(|v| self.sweep.from[v as usize]);
        let start = from.iter().zip(weights).fold(Vec3::zero(), |sum, (x, w)| sum + *x * *w);
        let (distance, kept) = (normal.dot(start), KEPT_APART * length + thick);
        // Pieces of a broken body begin on each other: they are kept from coming nearer, not pushed apart.
        let pieces = parts[0].body == parts[1].body && !std::ptr::eq(parts[0], parts[1]);
        let gap = if pieces && (0.0..kept).contains(&distance) { 0.0 } else { distance - kept };
        let friction = joint_friction(parts[0].friction, parts[1].friction);
        let (restitution, grip) = (0.0, None);
        Pair { key: *key, vertices: *vertices, weights: *weights, normal, gap, friction, restitution, grip }
    }
}

/// The unit normal of the triangle of a vertex and a triangle.
fn face_normal(points: &[Vec3<f64>; 4]) -> Vec3<f64> {
    (points[2] - points[1]).cross(points[3] - points[1]).normalized()
}
