//! What a body's shape is: points and cells at rest.

pub mod cover;
mod error;
mod placement;
mod primitive;
pub mod quality;
pub mod repair;
pub mod sampling;
pub mod solid;
pub mod springs;
pub mod structured;
pub mod stuffing;
pub(crate) mod union_find;

pub use cover::{EmbeddedMesh, cover};
pub use error::ShapeError;
pub use placement::Placement;
pub use primitive::{BYTES_PER_NODE, MAX_NODES, Resolution, Shape};
pub use repair::{RepairReport, RepairSettings, repair};
pub use sampling::{Sampling, SamplingReport, SamplingSettings};
pub use solid::{Nearest, Solid};

/// A shape cut into pieces, ready to become stencils.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// Tetrahedra.
    Tets(TetMesh),
    /// Phyxels.
    Points(PointSampling),
    /// Springs.
    Springs(SpringNet),
    /// A surface in coarse tetrahedra that reach beyond it.
    Embedded(EmbeddedMesh),
}

impl Geometry {
    /// The positions of its nodes [m].
    pub fn points(&self) -> &[[f64; 3]] {
        match self {
            Geometry::Tets(mesh) => &mesh.points,
            Geometry::Points(sampling) => &sampling.points,
            Geometry::Springs(net) => &net.points,
            Geometry::Embedded(embedded) => &embedded.mesh.points,
        }
    }

    /// Moves it from its own frame into the world, skin and all.
    pub fn place(&mut self, placement: &Placement) {
        match self {
            Geometry::Tets(mesh) => placement.apply(&mut mesh.points),
            Geometry::Springs(net) => placement.apply(&mut net.points),
            Geometry::Points(sampling) => {
                placement.apply(&mut sampling.points);
                placement.apply(&mut sampling.skin.points);
            }
            Geometry::Embedded(embedded) => {
                placement.apply(&mut embedded.mesh.points);
                placement.apply(&mut embedded.skin.points);
            }
        }
    }
}

/// Tetrahedra over points; `(b − a) · ((c − a) × (d − a)) > 0` for each tetrahedron `a b c d`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TetMesh {
    /// Node positions [m].
    pub points: Vec<[f64; 3]>,
    /// Four nodes each.
    pub tets: Vec<[u32; 4]>,
}

/// Triangles over points, wound so that normals point out.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TriMesh {
    /// Vertex positions [m].
    pub points: Vec<[f64; 3]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Phyxels that fill a volume.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PointSampling {
    /// Phyxel positions [m].
    pub points: Vec<[f64; 3]>,
    /// Rest volume of each; they sum to the shape's volume [m³].
    pub volumes: Vec<f64>,
    /// Typical distance between neighbours, at the surface where it varies [m].
    pub spacing: f64,
    /// Distance to the neighbours of each phyxel where it varies [m]; empty when it is `spacing` everywhere.
    pub spacings: Vec<f64>,
    /// Phyxels on or next to the surface: the consistency correction leaves them alone.
    pub boundary: Vec<bool>,
    /// The surface that is drawn; carried along by the phyxels.
    pub skin: TriMesh,
}

/// Point masses joined by springs.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SpringNet {
    /// Node positions [m].
    pub points: Vec<[f64; 3]>,
    /// Node masses [kg].
    pub masses: Vec<f64>,
    /// The springs.
    pub springs: Vec<Spring>,
    /// Triangles between nodes, for drawing; empty for ropes.
    pub triangles: Vec<[u32; 3]>,
}

/// Two nodes that want to keep their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The two ends.
    pub nodes: [u32; 2],
    /// Force per extension [N/m].
    pub stiffness: f64,
    /// Length without force [m].
    pub rest_length: f64,
}
