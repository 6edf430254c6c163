//! The shapes that a scene can name, and how they are cut into pieces.

mod figure;
mod fineness;
mod pieces;

use super::structured::check_torus;
use super::{Geometry, Placement, ShapeError};
use crate::material::Material;
use crate::scene::Method;
use std::f64::consts::PI;

/// The most nodes that a body may have.
pub const MAX_NODES: f64 = 5.0e7;

/// Memory that a node with its cells and stencils takes while a scene is built, roughly [bytes].
pub const BYTES_PER_NODE: f64 = 1500.0;

/// A shape around the origin of its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A block.
    Box {
        /// Edge lengths [m].
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length along y [m].
        height: f64,
    },
    /// A ring around y.
    Torus {
        /// From the axis to the middle of the tube [m].
        major_radius: f64,
        /// Radius of the tube [m].
        minor_radius: f64,
    },
    /// A figure with limbs and a head, upright along y and facing z; phyxels only.
    Figure {
        /// From its feet to the top of its head [m].
        height: f64,
    },
    /// A sheet in the xz plane.
    Cloth {
        /// Edge lengths along x and z [m].
        size: [f64; 2],
        /// Thickness, for mass and stiffness [m].
        thickness: f64,
    },
    /// A rope along x.
    Rope {
        /// Length [m].
        length: f64,
        /// Radius, for mass and stiffness [m].
        radius: f64,
    },
}

/// How fine a shape is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// Distance between neighbouring nodes, about [m].
    Size(f64),
    /// About this many nodes.
    Count(usize),
    /// Cells along x, y and z; boxes only.
    Cells([usize; 3]),
}

impl Shape {
    /// The name in scene files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Box { .. } => "box",
            Shape::Sphere { .. } => "sphere",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Torus { .. } => "torus",
            Shape::Figure { .. } => "figure",
            Shape::Cloth { .. } => "cloth",
            Shape::Rope { .. } => "rope",
        }
    }

    /// The exact volume [m³].
    pub fn volume(&self) -> f64 {
        match *self {
            Shape::Box { size } => size.iter().product(),
            Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Shape::Cylinder { radius, height } => PI * radius * radius * height,
            Shape::Torus { major_radius, minor_radius } => 2.0 * PI * PI * major_radius * minor_radius.powi(2),
            Shape::Figure { height } => figure::UNIT_VOLUME * height.powi(3),
            Shape::Cloth { size, thickness } => size[0] * size[1] * thickness,
            Shape::Rope { length, radius } => PI * radius * radius * length,
        }
    }

    /// About how many nodes the shape would have; costs nothing, so that a caller can refuse before it allocates.
    pub fn node_estimate(&self, method: Method, resolution: &Resolution) -> Result<f64, ShapeError> {
        self.check(method)?;
        self.check_resolution(resolution)?;
        Ok(self.nodes(method, resolution))
    }

    /// Cuts the shape into tetrahedra, phyxels or springs, in world coordinates.
    ///
    /// Boxes are cubes of five tetrahedra, balls icosahedral shells, cylinders and tori extruded rings. Phyxels of a box
    /// are its lattice nodes, faces included; those of round shapes are lattice points inside with equal shares of the
    /// exact volume. Springs: see [`springs`](super::springs) for those of boxes, cloth and ropes; only they use the material.
    pub fn discretise(
        &self,
        method: Method,
        resolution: &Resolution,
        placement: &Placement,
        material: &Material,
    ) -> Result<Geometry, ShapeError> {
        placement.check()?;
        ShapeError::check_nodes(self.name(), self.node_estimate(method, resolution)?)?;
        let mut geometry = match method {
            Method::Tet | Method::Edge | Method::Node | Method::Selective => Geometry::Tets(self.tets(resolution)?),
            Method::Mls => Geometry::Points(self.phyxels(resolution)?),
            Method::Spring => Geometry::Springs(self.springs(resolution, material)?),
        };
        geometry.place(placement);
        Ok(geometry)
    }

    /// Refuses impossible sizes, and methods that do not fit the shape.
    fn check(&self, method: Method) -> Result<(), ShapeError> {
        let name = self.name();
        let length = |what, value| ShapeError::check_length(name, what, value);
        match *self {
            Shape::Box { size } => size.iter().try_for_each(|s| length("size", *s))?,
            Shape::Sphere { radius } => length("radius", radius)?,
            Shape::Cylinder { radius, height } => length("radius", radius).and(length("height", height))?,
            Shape::Torus { major_radius, minor_radius } => check_torus(major_radius, minor_radius)?,
            Shape::Figure { height } => length("height", height)?,
            Shape::Cloth { size, thickness } => {
                size.iter().try_for_each(|s| length("size", *s))?;
                length("thickness", thickness)?;
            }
            Shape::Rope { length: l, radius } => length("length", l).and(length("radius", radius))?,
        }
        let thin = matches!(self, Shape::Cloth { .. } | Shape::Rope { .. });
        if matches!(self, Shape::Figure { .. }) && method != Method::Mls {
            let remedy = "a figure is made of phyxels, use `mls`";
            return Err(ShapeError::Unsupported { shape: name, method: method.name(), remedy });
        }
        let remedy = match (thin, method == Method::Spring) {
            (true, false) => "cloth and ropes are made of springs, use `spring`",
            (false, true) if !matches!(self, Shape::Box { .. }) => {
                "of the solids only a box is made of springs, use `tet`, `edge` or `mls`"
            }
            _ => return Ok(()),
        };
        Err(ShapeError::Unsupported { shape: name, method: method.name(), remedy })
    }

    fn check_resolution(&self, resolution: &Resolution) -> Result<(), ShapeError> {
        match *resolution {
            Resolution::Size(s) => ShapeError::check_length(self.name(), "resolution", s),
            Resolution::Count(n) => ShapeError::check_count("nodes", n, 1),
            Resolution::Cells(cells) if matches!(self, Shape::Box { .. }) => {
                cells.iter().try_for_each(|c| ShapeError::check_count("cells along an axis", *c, 1))
            }
            Resolution::Cells(_) => Err(ShapeError::CellsNeedABox { shape: self.name() }),
        }
    }
}

#[cfg(test)]
mod tests;
