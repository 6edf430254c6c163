//! From a wanted size or count to numbers of cells.

use super::super::structured::{ball_node_count, ring_node_count, rings_for};
use super::{Resolution, Shape};
use crate::scene::Method;
use std::f64::consts::TAU;

/// Numbers of cells, as floats because they may be too many for an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cells {
    /// Along each axis; 1 and 2 are unused by cloth and ropes.
    Lattice([f64; 3]),
    /// Shells of a ball.
    Shells(f64),
    /// Rings of a section, and layers or segments along it.
    Extruded { rings: f64, layers: f64 },
}

impl Shape {
    /// Nodes at a resolution that has been checked.
    pub(super) fn nodes(&self, method: Method, resolution: &Resolution) -> f64 {
        match *resolution {
            Resolution::Count(n) if self.is_voxelised(method) => n as f64,
            Resolution::Size(s) if self.is_voxelised(method) => self.volume() / s.powi(3),
            _ => self.nodes_of(self.cells(resolution)),
        }
    }

    /// Phyxels of round shapes are lattice points inside, not nodes of cells.
    fn is_voxelised(&self, method: Method) -> bool {
        method == Method::Mls && !matches!(self, Shape::Box { .. })
    }

    /// Cells at a resolution that has been checked.
    pub(super) fn cells(&self, resolution: &Resolution) -> Cells {
        match *resolution {
            Resolution::Cells(c) => Cells::Lattice(c.map(|c| c as f64)),
            Resolution::Size(s) => self.cells_of_size(s),
            Resolution::Count(n) => self.cells_of_size(self.size_for_count(n as f64)),
        }
    }

    fn cells_of_size(&self, s: f64) -> Cells {
        let along = |length: f64| (length / s).round().max(1.0);
        match *self {
            Shape::Box { size } => Cells::Lattice(size.map(along)),
            Shape::Cloth { size, .. } => Cells::Lattice([along(size[0]), 0.0, along(size[1])]),
            Shape::Rope { length, .. } => Cells::Lattice([along(length), 0.0, 0.0]),
            // Of phyxels alone: nobody asks for its cells.
            Shape::Figure { height } => Cells::Lattice([along(height); 3]),
            // The edges of an icosahedron are 1.05 radii long.
            Shape::Sphere { radius } => Cells::Shells(along(1.05 * radius)),
            Shape::Cylinder { radius, height } => {
                Cells::Extruded { rings: rings_for(radius, s), layers: along(height) }
            }
            Shape::Torus { major_radius, minor_radius } => {
                let segments = along(TAU * major_radius).max(6.0);
                Cells::Extruded { rings: rings_for(minor_radius, s), layers: segments }
            }
        }
    }

    fn nodes_of(&self, cells: Cells) -> f64 {
        match cells {
            Cells::Lattice(c) => c.iter().map(|c| c + 1.0).product(),
            Cells::Shells(m) => ball_node_count(m),
            Cells::Extruded { rings, layers } => {
                let closed = matches!(self, Shape::Torus { .. });
                ring_node_count(rings) * if closed { layers } else { layers + 1.0 }
            }
        }
    }

    /// The size whose number of nodes comes nearest to `wanted`; nodes only ever become fewer as the size grows.
    fn size_for_count(&self, wanted: f64) -> f64 {
        let nodes = |s: f64| self.nodes_of(self.cells_of_size(s));
        let (mut fine, mut coarse) = (self.volume().cbrt(), self.volume().cbrt());
        for _ in 0..400 {
            fine *= if nodes(fine) < wanted { 0.5 } else { 1.0 };
            coarse *= if nodes(coarse) > wanted { 2.0 } else { 1.0 };
        }
        for _ in 0..80 {
            let middle = (fine * coarse).sqrt();
            *(if nodes(middle) > wanted { &mut fine } else { &mut coarse }) = middle;
        }
        let miss = |s: f64| (nodes(s) - wanted).abs();
        if miss(fine) < miss(coarse) { fine } else { coarse }
    }
}
