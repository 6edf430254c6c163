//! Boundary nodes that move along the surface, to tips that lie between lattice points, and to sharp edges.

use crate::math::Vec3;
use crate::shape::quality::{boundary_triangles, dihedral_cosines};
use crate::shape::solid::{Tree, any_within, search};
use crate::shape::{Solid, TetMesh, TriMesh};
use rayon::prelude::*;

/// Tips farther than this many cells from the boundary are reached for.
const FAR: f64 = 0.2;

/// Sharp edges farther than this many cells from the boundary's nodes are not.
const NEAR: f64 = 0.6;

/// After each round the boundary is looked at anew.
const ROUNDS: usize = 6;

/// Which part of the way nodes move: all of it, or else as much as goes.
const SHARES: [f64; 3] = [1.0, 0.6, 0.3];

/// Boundary triangles between moved nodes stay within this many cells of the surface.
const CHORD: f64 = 0.35;

/// Points of sharp edges that have a node on the edge within this many cells need no other.
const SERVED: f64 = 0.35;

/// Nodes move only as long as all dihedral angles keep the bounds of the method: cosines of 163.5° and of 10.5°.
const COSINES: [f64; 2] = [-0.9588, 0.98325];

/// A point of the surface where the boundary should have a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub point: Vec3<f64>,
    /// Those of higher rank come first: corners, then edges, then tips.
    pub rank: u8,
}

/// Moves boundary nodes to sharp targets, to vertices of the surface that the boundary misses, and to where it strays from the surface;
/// gives back how many moved.
pub(super) fn reach(solid: &Solid, mesh: &mut TetMesh, size: f64, sharp: &[Target]) -> usize {
    let mut reacher = Reacher::new(mesh);
    let tips = solid.mesh().points.iter().map(|p| Target { point: Vec3(*p), rank: 0 });
    let mut targets: Vec<Target> = sharp.iter().copied().chain(tips).collect();
    let mut watched: Vec<u32> = (0..reacher.boundary.len() as u32).collect();
    let mut moved = 0;
    for _ in 0..ROUNDS {
        let before = moved;
        let tree = Tree::new(&TriMesh { points: mesh.points.clone(), triangles: reacher.boundary.clone() });
        let missed = missed(&tree, size, &targets);
        let strays = reacher.strays(solid, mesh, size, &watched);
        for (target, triangle) in missed.iter().chain(&strays) {
            moved += usize::from(reacher.reach_for(solid, mesh, *target, *triangle, size));
        }
        // What was near stays near, since no move is made that leads away.
        targets = missed.into_iter().map(|(target, _)| target).collect();
        watched = strays.into_iter().map(|(_, triangle)| triangle).collect();
        watched.dedup();
        if moved == before {
            break;
        }
    }
    moved
}

/// What the boundary misses, with the nearest of its triangles: by rank, and the farthest first.
fn missed(tree: &Tree, size: f64, targets: &[Target]) -> Vec<(Target, u32)> {
    let far = |target: &Target| {
        let least = size * if target.rank > 0 { 1e-6 } else { FAR };
        if any_within(tree, target.point, least) {
            return None;
        }
        search(tree, target.point, f64::INFINITY).map(|nearest| (*target, nearest.triangle, nearest.distance))
    };
    let mut missed: Vec<(Target, u32, f64)> = targets.par_iter().with_min_len(256).filter_map(far).collect();
    missed.sort_by(|a, b| b.0.rank.cmp(&a.0.rank).then(b.2.total_cmp(&a.2)));
    missed.into_iter().map(|(target, triangle, _)| (target, triangle)).collect()
}

/// The middles of a triangle and of its sides.
fn middles([a, b, c]: [Vec3<f64>; 3]) -> [Vec3<f64>; 4] {
    [(a + b + c) * (1.0 / 3.0), (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5]
}

/// Cells around nodes, as offsets and a list.
struct Around {
    starts: Vec<u32>,
    cells: Vec<u32>,
}

impl Around {
    /// From the nodes of each cell, as far as they are `wanted`.
    fn new<const N: usize>(cells: &[[u32; N]], wanted: &[bool]) -> Self {
        let mut starts = vec![0u32; wanted.len() + 1];
        let nodes = || cells.iter().enumerate().flat_map(|(c, cell)| cell.iter().map(move |n| (c, *n as usize)));
        for (_, n) in nodes().filter(|(_, n)| wanted[*n]) {
            starts[n + 1] += 1;
        }
        for i in 0..wanted.len() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut list = vec![0; starts[wanted.len()] as usize];
        for (c, n) in nodes().filter(|(_, n)| wanted[*n]) {
            list[next[n] as usize] = c as u32;
            next[n] += 1;
        }
        Around { starts, cells: list }
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.cells[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

struct Reacher {
    boundary: Vec<[u32; 3]>,
    /// Tetrahedra around boundary nodes.
    tets: Around,
    /// Boundary triangles around boundary nodes.
    triangles: Around,
    /// Nodes that have reached a target.
    fixed: Vec<bool>,
}

impl Reacher {
    fn new(mesh: &TetMesh) -> Self {
        let boundary = boundary_triangles(&mesh.tets);
        let mut outer = vec![false; mesh.points.len()];
        boundary.iter().flatten().for_each(|n| outer[*n as usize] = true);
        let (tets, triangles) = (Around::new(&mesh.tets, &outer), Around::new(&boundary, &outer));
        Reacher { boundary, tets, triangles, fixed: vec![false; outer.len()] }
    }

    /// Where boundary triangles are far from the surface: the points of the surface that they should be at.
    fn strays(&self, solid: &Solid, mesh: &TetMesh, size: f64, watched: &[u32]) -> Vec<(Target, u32)> {
        let of_triangle = |t: &u32| {
            let corners = self.boundary[*t as usize].map(|n| Vec3(mesh.points[n as usize]));
            // Where even the longest side is short, nothing strays.
            let [a, b, c] = corners;
            let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
            let long = longest > (1.8 * CHORD * size).powi(2);
            let far = middles(corners).into_iter().filter(|p| long && !solid.comes_within(p.0, CHORD * size));
            let nearest = |p: Vec3<f64>| Target { point: Vec3(solid.nearest(p.0).point), rank: 0 };
            far.map(|p| (nearest(p), *t)).collect::<Vec<_>>()
        };
        watched.par_iter().with_min_len(256).flat_map_iter(of_triangle).collect()
    }

    /// Moves one of the nodes of a boundary triangle to a target, or part of the way if that is too far.
    fn reach_for(&mut self, solid: &Solid, mesh: &mut TetMesh, target: Target, triangle: u32, size: f64) -> bool {
        let distance = |mesh: &TetMesh, n: u32| (Vec3(mesh.points[n as usize]) - target.point).norm();
        let mut nodes = self.boundary[triangle as usize];
        nodes.sort_by(|a, b| distance(mesh, *a).total_cmp(&distance(mesh, *b)).then(a.cmp(b)));
        let served = |n: &&u32| self.fixed[**n as usize] && distance(mesh, **n) < SERVED * size;
        if target.rank == 1 && nodes.iter().find(served).is_some() {
            return false;
        }
        for share in if target.rank > 0 { &SHARES[..1] } else { &SHARES } {
            for n in nodes {
                let place = Vec3(mesh.points[n as usize]);
                let part = place + (target.point - place) * *share;
                let to = if *share < 1.0 { Vec3(solid.nearest(part.0).point) } else { target.point };
                let close = target.rank == 0 || (to - place).norm() < NEAR * size;
                if close && !self.fixed[n as usize] && self.try_move(solid, mesh, n, to, size) {
                    self.fixed[n as usize] = *share == 1.0;
                    return true;
                }
            }
        }
        false
    }

    /// Moves a node if the tetrahedra around it stay good, and the boundary stays as near to the surface as it was.
    fn try_move(&self, solid: &Solid, mesh: &mut TetMesh, node: u32, to: Vec3<f64>, size: f64) -> bool {
        let old = std::mem::replace(&mut mesh.points[node as usize], to.0);
        let good = self.tets.of(node).iter().all(|t| {
            let corners = mesh.tets[*t as usize].map(|n| mesh.points[n as usize]);
            let [a, b, c, d] = corners.map(Vec3);
            let upright = (b - a).dot((c - a).cross(d - a)) > 0.0;
            upright && dihedral_cosines(corners).iter().all(|c| *c > COSINES[0] && *c < COSINES[1])
        });
        let good = good && {
            let after = self.gap(solid, mesh, node);
            let new = std::mem::replace(&mut mesh.points[node as usize], old);
            let near = after <= CHORD * size || after <= self.gap(solid, mesh, node);
            mesh.points[node as usize] = new;
            near
        };
        if !good {
            mesh.points[node as usize] = old;
        }
        good
    }

    /// How far from the surface the boundary triangles around a node are, at their middles and those of their sides.
    fn gap(&self, solid: &Solid, mesh: &TetMesh, node: u32) -> f64 {
        let triangles = self.triangles.of(node).iter().map(|t| self.boundary[*t as usize]);
        let middles = triangles.flat_map(|t| middles(t.map(|n| Vec3(mesh.points[n as usize]))));
        middles.map(|p| solid.nearest(p.0).distance).fold(0.0, f64::max)
    }
}
