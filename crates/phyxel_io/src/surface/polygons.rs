//! Faces of any number of corners, collected while a file is read and cut into triangles at its end.

use super::ears::{self, TooManyCorners};
use super::{Found, SurfaceFile, SurfaceMaterial};
use crate::input::{Axes, MeshFileError, Problem, Source};
use phyxel::shape::TriMesh;

pub(super) const NONE: u32 = u32::MAX;

/// Data of corners: values, and which one each corner takes.
#[derive(Default)]
pub(super) struct Attribute<T> {
    pub(super) values: Vec<T>,
    /// One per corner; empty when a corner takes the value of its vertex.
    pub(super) of_corner: Vec<u32>,
}

impl<T: Copy + Default> Attribute<T> {
    /// The data of triangles whose corners are given; nothing when there is none.
    fn of(&self, corners: &[u32], triangles: &[[u32; 3]]) -> Option<Vec<[T; 3]>> {
        if self.values.is_empty() {
            return None;
        }
        let index = if self.of_corner.is_empty() { corners } else { &self.of_corner[..] };
        let value = |corner: u32| {
            let index = index.get(corner as usize).copied().unwrap_or(NONE);
            self.values.get(index as usize).copied().unwrap_or_default()
        };
        Some(triangles.iter().map(|t| t.map(value)).collect())
    }
}

/// A surface in the making.
#[derive(Default)]
pub(super) struct Polygons {
    pub(super) points: Vec<[f64; 3]>,
    /// Vertices of all corners.
    pub(super) corners: Vec<u32>,
    /// Where the corners of each face end.
    ends: Vec<u32>,
    pub(super) uvs: Attribute<[f32; 2]>,
    pub(super) normals: Attribute<[f32; 3]>,
    pub(super) colours: Attribute<[u8; 4]>,
    pub(super) materials: Vec<SurfaceMaterial>,
    /// One per face when the file has materials.
    pub(super) material_of: Vec<u32>,
    pub(super) found: Found,
}

impl Polygons {
    /// Ends a face whose corners were pushed since the last one.
    pub(super) fn close_face(&mut self) -> Result<(), Problem> {
        let first = self.ends.last().copied().unwrap_or(0) as usize;
        let corners = self.corners.len() - first;
        if corners < 3 {
            return Err(Problem::FewCorners { corners });
        }
        self.ends.push(index(self.corners.len(), "corners")?);
        self.found.polygons += usize::from(corners > 3);
        Ok(())
    }

    /// The number of faces so far.
    pub(super) fn faces(&self) -> usize {
        self.ends.len()
    }

    /// Cuts the faces. Corners must be in range: readers check them, because they know the line.
    pub(super) fn finish(
        mut self,
        source: &Source,
        axes: Axes,
        format: &'static str,
    ) -> Result<SurfaceFile, MeshFileError> {
        self.found.vertices = self.points.len();
        self.found.faces = self.ends.len();
        let (triangles, faces) = self
            .cut()
            .map_err(|TooManyCorners { corners, limit }| source.error(Problem::ManyCorners { corners, limit }))?;
        let normals = self.normals.of(&self.corners, &triangles);
        let turn = |corners: [[f32; 3]; 3]| corners.map(|n| axes.up.turn(n));
        let material = |face: &u32| self.material_of.get(*face as usize).copied().filter(|m| *m != NONE);
        let material_of = (!self.materials.is_empty()).then(|| faces.iter().map(material).collect());
        Ok(SurfaceFile {
            uvs: self.uvs.of(&self.corners, &triangles),
            normals: normals.map(|all| all.into_iter().map(turn).collect()),
            colours: self.colours.of(&self.corners, &triangles),
            material_of,
            mesh: TriMesh {
                triangles: triangles.iter().map(|t| t.map(|c| self.corners[c as usize])).collect(),
                points: self.points,
            },
            materials: self.materials,
            format,
            found: self.found,
        })
    }

    /// Triangles of corners, and the face of each.
    fn cut(&self) -> Result<(Vec<[u32; 3]>, Vec<u32>), TooManyCorners> {
        let count = self.corners.len() - 2 * self.ends.len();
        let (mut triangles, mut faces) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut first = 0;
        for (face, &end) in self.ends.iter().enumerate() {
            ears::triangulate(&self.points, &self.corners[first as usize..end as usize], |t| {
                triangles.push(t.map(|c| first + c));
                faces.push(face as u32);
            })?;
            first = end;
        }
        Ok((triangles, faces))
    }
}

/// An index that must fit into 32 bits.
pub(super) fn index(count: usize, what: &'static str) -> Result<u32, Problem> {
    let limit = u64::from(NONE - 1);
    u32::try_from(count).ok().filter(|c| *c < NONE).ok_or(Problem::TooMany { what, count: count as u64, limit })
}
