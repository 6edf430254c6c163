//! The pieces of each shape, around the origin.

use super::super::structured::{
    CubeSplit, Fineness, Solid, TorusSection, ball_tets, box_points, box_tets, cylinder_skin, cylinder_tets, sample,
    sphere_skin, torus_skin, torus_tets,
};
use super::super::{PointSampling, ShapeError, SpringNet, TetMesh, TriMesh, springs};
use super::figure;
use super::fineness::Cells;
use super::{Resolution, Shape};
use crate::material::Material;

impl Shape {
    pub(super) fn tets(&self, resolution: &Resolution) -> Result<TetMesh, ShapeError> {
        match (*self, self.cells(resolution)) {
            (Shape::Box { size }, Cells::Lattice(c)) => {
                box_tets(c.map(|c| c as usize), size.map(|s| -0.5 * s), size.map(|s| 0.5 * s), CubeSplit::Five)
            }
            (Shape::Sphere { radius }, Cells::Shells(m)) => ball_tets(radius, m as usize),
            (Shape::Cylinder { radius, height }, Cells::Extruded { rings, layers }) => {
                cylinder_tets(radius, height, rings as usize, layers as usize)
            }
            (Shape::Torus { major_radius, minor_radius }, Cells::Extruded { rings, layers }) => {
                torus_tets(major_radius, minor_radius, TorusSection::Rings(rings as usize), layers as usize)
            }
            _ => Ok(TetMesh::default()),
        }
    }

    pub(super) fn phyxels(&self, resolution: &Resolution) -> Result<PointSampling, ShapeError> {
        match *self {
            Shape::Sphere { radius } => {
                let inside = |[x, y, z]: [f64; 3]| x * x + y * y + z * z < radius * radius;
                let skin = |size| Ok(sphere_skin(radius, size));
                self.voxels(resolution, [radius; 3], inside, skin)
            }
            Shape::Cylinder { radius, height } => {
                let inside = |[x, y, z]: [f64; 3]| x * x + z * z < radius * radius && y.abs() < 0.5 * height;
                let skin = |size| cylinder_skin(radius, height, size);
                self.voxels(resolution, [radius, 0.5 * height, radius], inside, skin)
            }
            Shape::Torus { major_radius, minor_radius } => {
                let inside = |[x, y, z]: [f64; 3]| (x.hypot(z) - major_radius).hypot(y) < minor_radius;
                let skin = |size| Ok(torus_skin(major_radius, minor_radius, size));
                let reach = major_radius + minor_radius;
                self.voxels(resolution, [reach, minor_radius, reach], inside, skin)
            }
            Shape::Figure { height } => {
                let skin = |size| Ok(figure::skin(height, size));
                self.voxels(resolution, figure::half(height), |p| figure::contains(height, p), skin)
            }
            Shape::Box { size } => match self.cells(resolution) {
                Cells::Lattice(c) => box_points(c.map(|c| c as usize), size.map(|s| -0.5 * s), size.map(|s| 0.5 * s)),
                _ => Ok(PointSampling::default()),
            },
            Shape::Cloth { .. } | Shape::Rope { .. } => Ok(PointSampling::default()),
        }
    }

    fn voxels(
        &self,
        resolution: &Resolution,
        half: [f64; 3],
        contains: impl Fn([f64; 3]) -> bool,
        skin: impl FnOnce(f64) -> Result<TriMesh, ShapeError>,
    ) -> Result<PointSampling, ShapeError> {
        let fineness = match *resolution {
            Resolution::Size(s) => Fineness::Spacing(s),
            Resolution::Count(n) => Fineness::Count(n),
            Resolution::Cells(_) => return Err(ShapeError::CellsNeedABox { shape: self.name() }),
        };
        let mut sampling = sample(&Solid { half, contains, volume: self.volume() }, fineness);
        sampling.skin = skin(0.5 * sampling.spacing)?;
        Ok(sampling)
    }

    pub(super) fn springs(&self, resolution: &Resolution, material: &Material) -> Result<SpringNet, ShapeError> {
        let cells = match self.cells(resolution) {
            Cells::Lattice(c) => c.map(|c| c as usize),
            _ => [0; 3],
        };
        match *self {
            Shape::Box { size } => springs::lattice(cells, size.map(|s| -0.5 * s), size.map(|s| 0.5 * s), material),
            Shape::Cloth { size, thickness } => springs::cloth([cells[0], cells[2]], size, thickness, material),
            Shape::Rope { length, radius } => springs::rope(cells[0], length, radius, material),
            _ => Ok(SpringNet::default()),
        }
    }
}
