//! What can be wrong with a shape.

use super::{BYTES_PER_NODE, MAX_NODES, TriMesh};

/// Why a shape could not be cut into pieces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that must be positive and finite is not.
    #[error("the {shape}'s {what} is {value} m: give a positive, finite length")]
    BadLength {
        /// Which shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// A torus whose tube is as thick as its ring.
    #[error("the torus has minor radius {minor} m and major radius {major} m: make the minor radius the smaller one")]
    FatTorus {
        /// Radius of the ring [m].
        major: f64,
        /// Radius of the tube [m].
        minor: f64,
    },
    /// A count of cells or nodes is zero.
    #[error("the number of {what} is {value}: give at least {least}")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        value: usize,
        /// How many are needed.
        least: usize,
    },
    /// A count that must be even is odd.
    #[error("a torus of cubes in five tetrahedra has {segments} segments: give an even number, or use a fan section")]
    OddSegments {
        /// How many there are.
        segments: usize,
    },
    /// The corners of a block do not span a volume.
    #[error(
        "the block reaches from {min} m to {max} m along axis {axis}: its end must lie beyond its start, both finite"
    )]
    BadExtent {
        /// 0, 1 or 2 for x, y, z.
        axis: usize,
        /// Where it begins [m].
        min: f64,
        /// Where it ends [m].
        max: f64,
    },
    /// A position or rotation is not finite.
    #[error("the {what} of the placement is not finite: give three finite numbers")]
    BadPlacement {
        /// Position or rotation.
        what: &'static str,
    },
    /// A material constant that springs are made from is not positive and finite.
    #[error("the material's {what} is {value}: springs need a positive, finite one")]
    BadMaterial {
        /// Which constant.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The method cannot work on this shape.
    #[error("a {shape} cannot be simulated with method `{method}`: {remedy}")]
    Unsupported {
        /// Which shape.
        shape: &'static str,
        /// Which method.
        method: &'static str,
        /// What would work.
        remedy: &'static str,
    },
    /// Cells along three axes make sense for boxes only.
    #[error("cells along three axes are for boxes, not for a {shape}: give a size or a count")]
    CellsNeedABox {
        /// Which shape.
        shape: &'static str,
    },
    /// A triangle that names a vertex which is not there.
    #[error("triangle {triangle} names vertex {vertex}, but the surface has {count}: correct the triangle")]
    BadTriangle {
        /// The triangle, counted from zero.
        triangle: usize,
        /// The vertex that it names, counted from zero.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A vertex whose position is not a number.
    #[error("vertex {vertex} of the surface is at {position:?} m: give finite coordinates")]
    BadVertex {
        /// The vertex, counted from zero.
        vertex: usize,
        /// Its position [m].
        position: [f64; 3],
    },
    /// A welding distance that would join everything, or nothing that can be computed.
    #[error("the welding distance is {value} of the surface's size: give a fraction from 0 up to, not including, 1")]
    BadWeld {
        /// Fraction of the bounding box's diagonal.
        value: f64,
    },
    /// More nodes than can be held.
    #[error(
        "the {shape} would have about {nodes:.3e} nodes and need about {gigabytes:.3e} GB (at most {limit:.1e} nodes): use a coarser resolution"
    )]
    TooLarge {
        /// Which shape.
        shape: &'static str,
        /// How many nodes it would have.
        nodes: f64,
        /// Memory for nodes, cells and stencils [10⁹ bytes].
        gigabytes: f64,
        /// The most that is allowed.
        limit: f64,
    },
    /// No lattice point lies inside a surface.
    #[error(
        "the surface is thinner than the spacing of {spacing:e} m everywhere, so no phyxel lies inside: use a smaller size or a higher count"
    )]
    ThinnerThanSpacing {
        /// Distance between phyxels [m].
        spacing: f64,
    },
    /// A surface without triangles.
    #[error("the surface has no triangles: give a mesh with faces, not only vertices or lines")]
    NoTriangles,
    /// A triangle whose vertices are missing or not finite.
    #[error("triangle {triangle} of the surface refers to a vertex that is missing or not finite: repair the mesh")]
    BrokenTriangle {
        /// Which triangle.
        triangle: usize,
    },
    /// A surface with nothing behind it.
    #[error(
        "the surface encloses nothing (the winding number never reaches one half): close it, make its faces point the same way, or give the sheet a thickness"
    )]
    EnclosesNothing,
    /// Cells too small for the lattice.
    #[error("cells of {size} m are too fine for a solid of this length: use {coarser:.3e} m or more")]
    TooFine {
        /// Edge of a cell [m].
        size: f64,
        /// The finest that would do [m].
        coarser: f64,
    },
    /// Cells too large for the solid.
    #[error("the solid is too thin for cells of {size:.3e} m: use {needed:.3e} m or less")]
    Unresolved {
        /// Edge of a cell [m].
        size: f64,
        /// What would resolve it [m].
        needed: f64,
    },
}

impl ShapeError {
    /// Refuses lengths that are not positive and finite.
    pub(crate) fn check_length(shape: &'static str, what: &'static str, value: f64) -> Result<(), Self> {
        let good = value > 0.0 && value.is_finite();
        if good { Ok(()) } else { Err(ShapeError::BadLength { shape, what, value }) }
    }

    /// Refuses more nodes than memory can hold, before anything is allocated.
    pub(crate) fn check_nodes(shape: &'static str, nodes: f64) -> Result<(), Self> {
        if nodes <= MAX_NODES {
            return Ok(());
        }
        Err(ShapeError::TooLarge { shape, nodes, gigabytes: nodes * BYTES_PER_NODE / 1e9, limit: MAX_NODES })
    }

    /// Refuses surfaces with indices out of range or vertices that are not finite.
    pub(crate) fn check_surface(surface: &TriMesh) -> Result<(), Self> {
        let count = surface.points.len();
        if let Some(vertex) = surface.points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(ShapeError::BadVertex { vertex, position: surface.points[vertex] });
        }
        let bad = |v: &u32| *v as usize >= count;
        match surface.triangles.iter().enumerate().find_map(|(t, corners)| Some((t, *corners.iter().find(|v| bad(v))?)))
        {
            Some((triangle, vertex)) => Err(ShapeError::BadTriangle { triangle, vertex, count }),
            None => Ok(()),
        }
    }

    /// Refuses counts below `least`.
    pub(crate) fn check_count(what: &'static str, value: usize, least: usize) -> Result<(), Self> {
        if value >= least { Ok(()) } else { Err(ShapeError::TooFew { what, value, least }) }
    }
}
