//! Triangle surfaces that know their inside, whether they have holes or not.
//!
//! Inside is where the generalised winding number is above one half (Jacobson et al. 2013): one and zero for a closed
//! surface, in between around holes, two where parts overlap. It is evaluated with a tree of far-field expansions
//! (Barill et al. 2018); the same tree finds nearest points.

mod column;
mod nearest;
mod orient;
mod tree;
mod volume;
mod winding;

pub(crate) use column::{Crossing, cross};
pub use nearest::Nearest;
pub(crate) use nearest::{any_within, search};
pub(crate) use tree::Tree;

use super::{ShapeError, TriMesh};
use crate::math::Vec3;
use std::sync::OnceLock;
use winding::Expansion;

/// A triangle surface that knows its inside, holes or not.
#[derive(Debug)]
pub struct Solid {
    mesh: TriMesh,
    closed: bool,
    /// The connected part of each triangle.
    parts: Vec<u32>,
    part_count: usize,
    area: f64,
    rough_volume: f64,
    tree: Tree,
    expansions: Vec<Expansion>,
    volume: OnceLock<f64>,
}

impl Solid {
    /// Takes a surface. Faces that disagree with their neighbours are turned the way that most of their part is wound, and
    /// a surface wound inward as a whole is turned inside out. Holes and loose triangles are allowed, as long as
    /// something is enclosed.
    pub fn new(mut mesh: TriMesh) -> Result<Self, ShapeError> {
        check(&mesh)?;
        let orient::Oriented { closed, parts, part_count } = orient::orient(&mut mesh);
        let area = super::quality::surface_area(&mesh);
        let rough_volume = volume::by_divergence(&mesh);
        let tree = Tree::new(&mesh);
        let expansions = winding::expansions(&tree);
        let solid =
            Solid { mesh, closed, parts, part_count, area, rough_volume, tree, expansions, volume: OnceLock::new() };
        if solid.encloses_something() { Ok(solid) } else { Err(ShapeError::EnclosesNothing) }
    }

    /// The surface, its faces wound outward.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The lowest and the highest corner of the box around the surface [m].
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        (self.tree.nodes[0].min, self.tree.nodes[0].max)
    }

    /// Length of the diagonal of the box around the surface [m].
    pub fn diagonal(&self) -> f64 {
        let (min, max) = self.bounds();
        (Vec3(max) - Vec3(min)).norm()
    }

    /// Every edge has as many faces on one side as on the other; vertices at the same place count as one.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// How often the surface goes around a point, counted in full solid angles: one inside, zero outside.
    pub fn winding_number(&self, p: [f64; 3]) -> f64 {
        winding::at(&self.tree, &self.expansions, Vec3(p))
    }

    /// The winding number is above one half.
    pub fn inside(&self, p: [f64; 3]) -> bool {
        self.winding_number(p) > 0.5
    }

    /// The point of the surface that is nearest to `p`.
    pub fn nearest(&self, p: [f64; 3]) -> Nearest {
        let found = nearest::search(&self.tree, Vec3(p), f64::INFINITY);
        found.unwrap_or(Nearest { point: p, triangle: 0, distance: f64::INFINITY })
    }

    /// The point of the surface that is nearest to `p`, unless all of it is farther than `radius` [m].
    pub fn nearest_within(&self, p: [f64; 3], radius: f64) -> Option<Nearest> {
        nearest::search(&self.tree, Vec3(p), radius)
    }

    /// Whether the surface comes within `radius` [m] of `p`; cheaper than asking for the nearest point.
    pub fn comes_within(&self, p: [f64; 3], radius: f64) -> bool {
        nearest::any_within(&self.tree, Vec3(p), radius)
    }

    /// Distance to the surface [m], negative inside.
    pub fn signed_distance(&self, p: [f64; 3]) -> f64 {
        let distance = self.nearest(p).distance;
        if self.inside(p) { -distance } else { distance }
    }

    /// Volume of the inside [m³]: by the divergence theorem where that counts each place once, otherwise by columns through the
    /// solid, to about 0.1 %. Computed at the first call.
    pub fn volume(&self) -> f64 {
        *self.volume.get_or_init(|| volume::enclosed(self))
    }

    /// How many connected parts the surface has; the wall of a cavity is one.
    pub fn part_count(&self) -> usize {
        self.part_count
    }

    /// Which connected part of the surface a triangle belongs to.
    pub(crate) fn part_of(&self, triangle: u32) -> u32 {
        self.parts[triangle as usize]
    }

    /// Area of the surface [m²].
    pub fn area(&self) -> f64 {
        self.area
    }

    /// The volume by the divergence theorem, which costs nothing [m³]: overlaps count twice, and holes are closed by cones.
    pub(crate) fn rough_volume(&self) -> f64 {
        self.rough_volume
    }

    /// How thick a plate of the same area and volume would be [m].
    pub(crate) fn thickness(&self) -> f64 {
        2.0 * self.rough_volume / self.area
    }

    /// Whether some place right behind a face is inside. Closed surfaces need a volume as well, which keeps out two sheets
    /// back to back.
    fn encloses_something(&self) -> bool {
        let flat = self.area.powf(1.5) * 1e-9;
        if self.closed && self.rough_volume > flat {
            return true;
        }
        let triangles = &self.tree.triangles;
        let stride = triangles.len().div_ceil(256);
        self.area > 0.0 && triangles.iter().step_by(stride).any(|t| self.winding_number(t.behind(0.1).0) > 0.501)
    }
}

/// Refuses surfaces without triangles, and those that refer to vertices that are not there or not finite.
fn check(mesh: &TriMesh) -> Result<(), ShapeError> {
    if mesh.triangles.is_empty() {
        return Err(ShapeError::NoTriangles);
    }
    let bad = |t: &[u32; 3]| {
        t.iter().any(|n| mesh.points.get(*n as usize).is_none_or(|p| !p.iter().all(|c| c.abs() < 1e100)))
    };
    match mesh.triangles.iter().position(bad) {
        Some(triangle) => Err(ShapeError::BadTriangle { triangle }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
