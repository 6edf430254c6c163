//! Looks through the surfaces of all bodies for pairs that are about to touch.
//!
//! Each body has its own trees of boxes, and only bodies whose boxes touch look at each other: what falls freely costs one
//! box, whatever the number of its triangles.

use super::grips::Gripper;
use super::pairs::{BEHIND, FLAT, Pair, Ridge, Search, Sweep, WATCHED};
use super::surface::Surface;
use super::tree::{Bounds, Tree};
use crate::math::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Vertices or edges that are looked through at a time.
const RUN: usize = 128;

/// Finds pairs; keeps its trees and buffers between steps.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    fitted: Vec<Fitted>,
    boxes: Vec<Bounds>,
    /// Parts that look at each other, the lower one first.
    partners: Vec<[u32; 2]>,
    /// Whether a part looks at any.
    looks: Vec<bool>,
    /// Edges within flat parts of two solids are not held against each other.
    skips_flat: bool,
    /// What the trees were built over.
    built_for: Option<(u64, usize)>,
}

/// The surface of one body, with trees that fit its way through a step.
#[derive(Clone, Debug, Default)]
pub struct Fitted {
    /// Its vertices among those of all bodies.
    pub vertices: Range<usize>,
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Its edges.
    pub edges: Range<usize>,
    /// Around everything, where it is and where it goes.
    pub bounds: Bounds,
    /// Over the triangles, or over the vertices of a cloud.
    triangle_tree: Tree,
    edge_tree: Tree,
    vertex_boxes: Vec<Bounds>,
    triangle_boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
    /// Unit normals at the vertices, weighted by area.
    pub(super) normals: Vec<Vec3<f64>>,
    /// Unit normals of the triangles.
    pub(super) faces: Vec<Vec3<f64>>,
    /// How the surface lies at the edges.
    pub(super) ridges: Vec<Ridge>,
    /// All three are those of the places at the start of the step.
    placed: bool,
}

/// A run of vertices or edges of one part, to be held against another part.
#[derive(Clone, Copy, Debug)]
enum Task {
    Vertices { of: u32, against: u32, first: usize },
    Edges { of: u32, against: u32, first: usize },
    Points { of: u32, against: u32, first: usize },
}

impl Finder {
    /// Whether edges within flat parts of two solids are left out: vertices meet faces there from both sides, and what edges
    /// could pass each other by is a small part of how far the surfaces bulge.
    pub fn skip_flat_edges(&mut self, skips: bool) {
        self.skips_flat = skips;
    }

    /// Begins a step: vertices are elsewhere.
    pub fn begin(&mut self) {
        self.fitted.iter_mut().for_each(|fitted| fitted.placed = false);
    }

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
        let built_for = Some((version, surface.vertices.len()));
        let new = self.built_for != built_for;
        if new {
            self.fitted = parts_of(surface);
            self.built_for = built_for;
        }
        self.find_partners(surface, sweep, asleep);
        if !gripper.is_empty() {
            self.looks.fill(true);
        }
        let looks = &self.looks;
        self.fitted.par_iter_mut().enumerate().for_each(|(k, fitted)| {
            if looks[k] {
                fitted.fit(surface, sweep);
            }
        });
        let known = pairs.len();
        self.find_soft(surface, sweep, pairs);
        gripper.find(surface, sweep, &self.fitted, pairs, known);
        let found = pairs.len() > known;
        if found {
            pairs.sort_unstable_by_key(|p| p.key);
        }
        found
    }

    /// Which parts may touch in this step.
    fn find_partners(&mut self, surface: &Surface, sweep: &Sweep<'_>, asleep: &[bool]) {
        self.fitted.par_iter_mut().enumerate().for_each(|(k, fitted)| fitted.bound(surface, sweep, k));
        self.boxes.clear();
        self.boxes.extend(self.fitted.iter().map(|f| f.bounds));
        let tree = Tree::new(&self.boxes);
        let (partners, boxes) = (&mut self.partners, &self.boxes);
        partners.clear();
        self.looks.clear();
        self.looks.resize(boxes.len(), false);
        let sleeps = |k: usize| asleep.get(surface.parts[k].body).is_some_and(|asleep| *asleep);
        for (k, part) in surface.parts.iter().enumerate() {
            if part.touches_itself && !sleeps(k) {
                partners.push([k as u32; 2]);
            }
            tree.visit(&boxes[k], |other| {
                let o = other as usize;
                let meet = k < o && boxes[o].touches(&boxes[k]) && part.groups.meet(&surface.parts[o].groups);
                // Two parts of one body are the pieces that it has broken into.
                if meet && !(sleeps(k) && sleeps(o)) {
                    partners.push([k as u32, other]);
                }
            });
        }
        partners.sort_unstable();
        partners.iter().for_each(|pair| pair.iter().for_each(|&k| self.looks[k as usize] = true));
    }

    fn find_soft(&mut self, surface: &Surface, sweep: &Sweep<'_>, pairs: &mut Vec<Pair>) {
        let search = Search { surface, sweep, fitted: &self.fitted };
        let (known, finder) = (&pairs[..], &*self);
        let mut tasks = Vec::new();
        for &[a, b] in &self.partners {
            let vertices = |k: u32| self.fitted[k as usize].vertices.clone().step_by(RUN);
            let clouds = [a, b].map(|k| surface.parts[k as usize].cloud);
            if clouds == [true; 2] {
                tasks.extend(vertices(a).map(|first| Task::Points { of: a, against: b, first }));
                continue;
            }
            // A cloud has no triangles and no edges: its points alone look.
            let sides = [(a, b), (b, a)];
            for &(of, against) in &sides[..if a == b { 1 } else { 2 }] {
                if !surface.parts[against as usize].cloud {
                    tasks.extend(vertices(of).map(|first| Task::Vertices { of, against, first }));
                }
            }
            if clouds.contains(&true) {
                continue;
            }
            let edges = self.fitted[a as usize].edges.clone();
            tasks.extend(edges.step_by(RUN).map(|first| Task::Edges { of: a, against: b, first }));
        }
        // Runs are put together in order, whoever looked through them.
        let found: Vec<Pair> = tasks.par_iter().flat_map_iter(|&task| finder.look(&search, task, known)).collect();
        pairs.extend(found);
    }

    fn look(&self, search: &Search<'_>, task: Task, known: &[Pair]) -> Vec<Pair> {
        match task {
            Task::Vertices { of, against, first } => self.look_at_vertices(search, (of, against), first, known),
            Task::Edges { of, against, first } => self.look_at_edges(search, (of, against), first, known),
            Task::Points { of, against, first } => self.look_at_points(search, (of, against), first, known),
        }
    }

    /// Pairs of a run of vertices with triangles.
    fn look_at_vertices(&self, search: &Search<'_>, (of, part): (u32, u32), first: usize, known: &[Pair]) -> Vec<Pair> {
        let (own, other) = (&self.fitted[of as usize], &self.fitted[part as usize]);
        let (mut pairs, mut nearest) = (Vec::new(), Vec::new());
        for v in first..(first + RUN).min(own.vertices.end) {
            let reach = &own.vertex_boxes[v - own.vertices.start];
            if !reach.touches(&other.bounds) {
                continue;
            }
            let before = pairs.len();
            nearest.clear();
            other.near(reach, |t| search.vertex_triangle(v as u32, t, (&mut pairs, known), &mut nearest));
            let out = match nearest.iter().find(|n| n.behind) {
                Some(face) => Some(face.pair),
                // No face within reach: outside, as a rule.
                None if nearest.is_empty() && of != part && search.surface.parts[part as usize].solid => {
                    search.way_out(v as u32, part)
                }
                None => None,
            };
            if let Some(out) = out {
                // Inside a solid, the nearest way out is the only one.
                pairs.truncate(before);
                if known.binary_search_by_key(&out.key, |p| p.key).is_err() {
                    pairs.push(out);
                }
            }
        }
        pairs
    }

    /// Pairs of a run of edges with later ones.
    fn look_at_edges(&self, search: &Search<'_>, (of, part): (u32, u32), first: usize, known: &[Pair]) -> Vec<Pair> {
        let (own, other) = (&self.fitted[of as usize], &self.fitted[part as usize]);
        let parts = &search.surface.parts;
        let skips = self.skips_flat && of != part && parts[of as usize].solid && parts[part as usize].solid;
        let mut pairs = Vec::new();
        for e in first..(first + RUN).min(own.edges.end) {
            let reach = &own.edge_boxes[e - own.edges.start];
            let skips = skips && own.ridges[e - own.edges.start].flat;
            if !reach.touches(&other.bounds) {
                continue;
            }
            other.edge_tree.visit(reach, |f| {
                let later = other.edges.start + f as usize;
                if skips && other.ridges[f as usize].flat {
                    return;
                }
                if e < later && other.edge_boxes[f as usize].touches(reach) {
                    search.edge_edge(e as u32, later as u32, (&mut pairs, known));
                }
            });
        }
        pairs
    }

    /// Pairs of a run of points of one cloud with those of another.
    fn look_at_points(&self, search: &Search<'_>, (of, part): (u32, u32), first: usize, known: &[Pair]) -> Vec<Pair> {
        let (own, other) = (&self.fitted[of as usize], &self.fitted[part as usize]);
        let mut pairs = Vec::new();
        for v in first..(first + RUN).min(own.vertices.end) {
            let reach = &own.vertex_boxes[v - own.vertices.start];
            if !reach.touches(&other.bounds) {
                continue;
            }
            other.triangle_tree.visit(reach, |w| {
                let near = other.vertex_boxes[w as usize].touches(reach);
                let (v, w) = (v as u32, (other.vertices.start + w as usize) as u32);
                if near && !search.surface.are_one(v, w) {
                    search.point_point(v, w, (&mut pairs, known));
                }
            });
        }
        pairs
    }
}

/// What belongs to each part; they stand one after the other.
fn parts_of(surface: &Surface) -> Vec<Fitted> {
    let mut parts = vec![Fitted::default(); surface.parts.len()];
    let grow = |range: &mut Range<usize>, k: usize| *range = if range.end == 0 { k..k + 1 } else { range.start..k + 1 };
    let of = |v: u32| surface.part_of[v as usize] as usize;
    (0..surface.vertices.len()).for_each(|k| grow(&mut parts[of(k as u32)].vertices, k));
    surface.triangles.iter().enumerate().for_each(|(k, t)| grow(&mut parts[of(t[0])].triangles, k));
    surface.edges.iter().enumerate().for_each(|(k, e)| grow(&mut parts[of(e[0])].edges, k));
    parts
}

impl Fitted {
    /// Calls `found` for each of the triangles whose way touches a box.
    pub fn near(&self, reach: &Bounds, mut found: impl FnMut(u32)) {
        self.triangle_tree.visit(reach, |t| {
            if self.triangle_boxes[t as usize].touches(reach) {
                found((self.triangles.start + t as usize) as u32);
            }
        });
    }

    /// Calls `found` for each of the points of a cloud whose way touches a box.
    pub fn points_near(&self, reach: &Bounds, mut found: impl FnMut(u32)) {
        self.triangle_tree.visit(reach, |v| {
            if self.vertex_boxes[v as usize].touches(reach) {
                found((self.vertices.start + v as usize) as u32);
            }
        });
    }

    /// Whether a point is inside, at the start of the step: whether a ray leaves the solid more often than it enters it.
    pub fn contains(&self, surface: &Surface, from: &[Vec3<f64>], point: Vec3<f64>) -> bool {
        let size = (Vec3(self.bounds.max) - Vec3(self.bounds.min)).norm();
        // Off the planes in which regular meshes have their edges.
        let point = point + Vec3([0.0, 3.1e-7, 7.3e-7]) * size;
        let mut ray = Bounds { min: point.0, max: point.0 };
        ray.max[0] = self.bounds.max[0];
        let mut crossings = 0;
        self.near(&ray, |t| {
            let [a, b, c] = surface.triangles[t as usize].map(|v| from[v as usize] - point);
            let side = |p: Vec3<f64>, q: Vec3<f64>| p[1] * q[2] - p[2] * q[1];
            let sides = [side(b, c), side(c, a), side(a, b)];
            let area: f64 = sides.iter().sum();
            let within = sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
            let ahead = (a[0] * sides[0] + b[0] * sides[1] + c[0] * sides[2]) * area > 0.0;
            if within && area != 0.0 && ahead {
                crossings += if area > 0.0 { 1 } else { -1 };
            }
        });
        crossings > 0
    }

    fn bound(&mut self, surface: &Surface, sweep: &Sweep<'_>, part: usize) {
        let ends = |v: usize| [sweep.from[v], sweep.from[v] + sweep.moves[v]];
        let thick = self.vertices.clone().map(|v| surface.radius(v as u32)).fold(0.0, f64::max);
        let reach = BEHIND.max(WATCHED) * surface.parts[part].edge_length + thick;
        self.bounds = Bounds::around(self.vertices.clone().flat_map(ends)).grown(reach);
    }

    fn fit(&mut self, surface: &Surface, sweep: &Sweep<'_>) {
        let swept = |v: u32| {
            let (a, b) = (sweep.from[v as usize], sweep.from[v as usize] + sweep.moves[v as usize]);
            Bounds::around([a, b])
        };
        let length = |v: u32| surface.parts[surface.part_of[v as usize] as usize].edge_length;
        self.vertex_boxes.clear();
        let point = |v: usize| swept(v as u32).grown(BEHIND * length(v as u32) + surface.radius(v as u32));
        self.vertex_boxes.extend(self.vertices.clone().map(point));
        self.triangle_boxes.clear();
        let around = |t: &[u32; 3]| t.iter().fold(Bounds::EMPTY, |b, &v| b.with(&swept(v)));
        self.triangle_boxes.extend(surface.triangles[self.triangles.clone()].iter().map(around));
        self.edge_boxes.clear();
        let along =
            |e: &[u32; 2]| e.iter().fold(Bounds::EMPTY, |b, &v| b.with(&swept(v))).grown(WATCHED * length(e[0]));
        self.edge_boxes.extend(surface.edges[self.edges.clone()].iter().map(along));
        if self.triangles.is_empty() {
            // A cloud: points that flow do not keep the order of a tree.
            self.triangle_tree = Tree::new(&self.vertex_boxes);
        } else if self.triangle_tree.is_empty() {
            self.triangle_tree = Tree::new(&self.triangle_boxes);
            self.edge_tree = Tree::new(&self.edge_boxes);
        } else {
            self.triangle_tree.refit(&self.triangle_boxes);
            self.edge_tree.refit(&self.edge_boxes);
        }
        self.find_normals(surface, sweep.from);
    }

    fn find_normals(&mut self, surface: &Surface, at: &[Vec3<f64>]) {
        if std::mem::replace(&mut self.placed, true) {
            return;
        }
        self.normals.clear();
        self.normals.resize(self.vertices.len(), Vec3::zero());
        self.faces.clear();
        for t in &surface.triangles[self.triangles.clone()] {
            let [a, b, c] = t.map(|v| at[v as usize]);
            let normal = (b - a).cross(c - a);
            t.iter().for_each(|&v| self.normals[v as usize - self.vertices.start] += normal);
            self.faces.push(normal.normalized());
        }
        self.normals.iter_mut().for_each(|normal| *normal = normal.normalized());
        let first = self.triangles.start;
        let face = |t: u32| self.faces[t as usize - first];
        self.ridges.clear();
        self.ridges.extend(surface.edge_faces[self.edges.clone()].iter().map(|&[s, t]| {
            let (one, other) = (face(s), face(t));
            Ridge { outward: (one + other).normalized(), flat: one.dot(other) > FLAT }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::surface::Part;
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
                cloud: false,
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
