//! What is drawn of a body that can break.
//!
//! Every element that can come loose has vertices of its own from the start, and both faces of every crack that can be are
//! there, hidden between elements as long as these touch. So the layout of results never changes, a break costs
//! nothing, and an undamaged body looks undamaged.

use super::edges::{self, Carried, Site};
use super::fragile::{Fragile, Pieces};
use super::tets::TetPieces;
use crate::math::Vec3;
use crate::record::{BodyFrame, BodyLayout, Cells, FreeSurface, Look};
use crate::scene::Fate;
use crate::shape::quality::FACES;

/// Cosine of the angle from which an edge of the outside counts as sharp, as in pictures: about 41 degrees.
const SHARP: f64 = 0.75;

/// The constant layout of a body that can break.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Cells and triangles over the vertices.
    pub layout: BodyLayout,
    /// `4 · tet + corner` of each vertex: it is where that corner is. Of phyxels, `2 · phyxel`, and one more for its copy.
    pub corners: Vec<u32>,
    /// `4 · tet + face` of what is drawn of the outside and of cracks.
    pub faces: Vec<u32>,
    /// What carries the vertices of the drawn surface, where these are not the vertices of cells.
    pub carried: Vec<Carried>,
}

impl Drawn {
    /// For tetrahedra of which those with the same cell never part; `interior` is what faces inside are called.
    pub fn of(name: &str, tets: &[[u32; 4]], cells: &[u32], interior: u32) -> Self {
        let cell = |t: usize| cells.get(t).copied().unwrap_or(t as u32);
        // A vertex for every node of every cell.
        let corner = |k: usize| (cell(k / 4), tets[k / 4][k % 4]);
        let mut order: Vec<u32> = (0..4 * tets.len() as u32).collect();
        order.sort_by_key(|k| corner(*k as usize));
        let (mut vertex, mut corners) = (vec![0u32; order.len()], Vec::new());
        for (i, &k) in order.iter().enumerate() {
            if i == 0 || corner(order[i - 1] as usize) != corner(k as usize) {
                corners.push(k);
            }
            vertex[k as usize] = corners.len() as u32 - 1;
        }
        let (mut skin_triangles, mut skin_parts, mut faces) = (Vec::new(), Vec::new(), Vec::new());
        for (face, lonely) in faces_of_cells(tets, cell) {
            skin_triangles.push(FACES[face % 4].map(|k| vertex[face / 4 * 4 + k]));
            skin_parts.push(if lonely { 0 } else { interior });
            faces.push(face as u32);
        }
        let renumbered = (0..tets.len()).map(|t| [0, 1, 2, 3].map(|k| vertex[4 * t + k])).collect();
        let layout = BodyLayout {
            name: name.into(),
            node_count: corners.len(),
            cells: Cells::Tets(renumbered),
            skin_triangles,
            skin_parts,
            look: Look::default(),
        };
        Drawn { layout, corners, faces, carried: Vec::new() }
    }

    /// Gives the outside the normals that it has while it is whole: elements share no vertices, and without them a ball would
    /// look like a cut stone. Pieces keep what they have of it. Faces of cracks are flat.
    pub(super) fn smoothed(mut self, tets: &[[u32; 4]], points: &[[f64; 3]]) -> Self {
        let node = |v: u32| tets[self.corners[v as usize] as usize / 4][self.corners[v as usize] as usize % 4] as usize;
        let outside = self.layout.skin_parts.partition_point(|part| *part == 0);
        let triangles: Vec<[usize; 3]> = self.layout.skin_triangles[..outside].iter().map(|t| t.map(node)).collect();
        let area = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|n| Vec3(points[n]));
            (b - a).cross(c - a)
        };
        let areas: Vec<Vec3<f64>> = triangles.iter().map(area).collect();
        let mut around = vec![Vec::new(); points.len()];
        for (t, triangle) in triangles.iter().enumerate() {
            triangle.iter().for_each(|n| around[*n].push(t));
        }
        let normal = |t: usize, n: usize| {
            let own = areas[t].normalized();
            let smooth = |other: &&usize| areas[**other].normalized().dot(own) > SHARP;
            let sum = around[n].iter().filter(smooth).fold(Vec3::zero(), |sum, other| sum + areas[*other]);
            sum.normalized().0.map(|c| c as f32)
        };
        let normals = triangles.iter().enumerate().map(|(t, triangle)| triangle.map(|n| normal(t, n)));
        self.layout.look.normals = normals.collect();
        self.layout.look.normals.resize(self.layout.skin_triangles.len(), [[0.0; 3]; 3]);
        self
    }

    /// Gives broken edges their look.
    pub(super) fn roughen(&mut self, tets: &TetPieces, site: &Site<'_>) {
        // There will be other triangles.
        self.layout.look.normals.clear();
        self.carried = edges::refine(&mut self.layout, tets, &self.faces, site);
    }
}

impl Drawn {
    /// A body whose elements are cut: its nodes when it was whole, and a surface of its own in every frame.
    pub fn of_free(name: &str, nodes: usize) -> Self {
        let layout = BodyLayout { name: name.into(), node_count: nodes, cells: Cells::Points, ..BodyLayout::default() };
        Drawn { layout, corners: Vec::new(), faces: Vec::new(), carried: Vec::new() }
    }

    /// Phyxels, each drawn twice, in the same place until it is duplicated. A skin could not follow the cracks.
    pub fn of_phyxels(name: &str, phyxels: usize) -> Self {
        let node_count = 2 * phyxels;
        let layout = BodyLayout { name: name.into(), node_count, cells: Cells::Points, ..BodyLayout::default() };
        Drawn { layout, corners: (0..node_count as u32).collect(), faces: Vec::new(), carried: Vec::new() }
    }
}

impl Fragile {
    /// The present surface of a body whose elements are cut, or of phyxels. Each triangle has its own vertices, because edges
    /// are sharp.
    pub(super) fn free_surface(&self, frame: &BodyFrame) -> Option<FreeSurface> {
        let mut free = FreeSurface::default();
        match &self.pieces {
            Pieces::Tets(tets) if self.cuts => {
                for (t, face) in tets.bare_faces() {
                    let tet = tets.table.nodes[t as usize];
                    add_triangle(&mut free, FACES[face].map(|k| Vec3(frame.positions[tet[k] as usize])));
                    free.parts.push(if tets.is_cracked(t, face) { self.interior } else { 0 });
                }
            }
            Pieces::Tets(_) => return None,
            Pieces::Points(points) => {
                let shell = points.shell()?;
                let place = |n: u32| Vec3(frame.positions[n as usize]);
                let at = |v: u32| {
                    let parts = shell.vertices[v as usize];
                    parts.parts().fold(Vec3::zero(), |sum, (n, weight)| sum + place(n) * weight)
                };
                let is_there = |piece: u32| self.fragments[piece as usize].fate != Fate::Removed;
                let shown = shell.triangles.iter().enumerate().filter(|(_, (_, piece))| is_there(*piece));
                for (k, (triangle, _)) in shown {
                    add_triangle(&mut free, triangle.map(at));
                    free.parts.push(if k < shell.outside { 0 } else { self.interior });
                }
            }
        }
        Some(free)
    }
}

/// Adds a triangle with vertices of its own.
fn add_triangle(free: &mut FreeSurface, [a, b, c]: [Vec3<f64>; 3]) {
    let normal = (b - a).cross(c - a).normalized().0;
    let first = free.points.len() as u32;
    free.points.extend([a.0, b.0, c.0]);
    free.normals.extend([normal; 3]);
    free.triangles.push([first, first + 1, first + 2]);
}

/// Faces that no other element of the same cell has, as `4 · tet + face`, and whether nobody else has them at all.
fn faces_of_cells(tets: &[[u32; 4]], cell: impl Fn(usize) -> u32) -> Vec<(usize, bool)> {
    let sorted = |face: usize| {
        let mut nodes = FACES[face % 4].map(|k| tets[face / 4][k]);
        nodes.sort_unstable();
        nodes
    };
    let mut faces: Vec<([u32; 3], u32, usize)> = (0..4 * tets.len()).map(|f| (sorted(f), cell(f / 4), f)).collect();
    faces.sort_unstable();
    let mut out = Vec::new();
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        for own in same.chunk_by(|a, b| a.1 == b.1) {
            if let [(_, _, face)] = own {
                out.push((*face, same.len() == 1));
            }
        }
    }
    // The outside first, and otherwise in the order of the elements.
    out.sort_unstable_by_key(|(face, lonely)| (!lonely, *face));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::quality::boundary_triangles;
    use crate::shape::structured::{CubeSplit, box_tets};

    #[test]
    fn a_wall_of_cubes_shows_its_outside_and_has_faces_between_cubes() {
        let mesh = box_tets([3, 1, 1], [0.0; 3], [3.0, 1.0, 1.0], CubeSplit::Five).expect("a wall");
        let cells: Vec<u32> = (0..15).map(|t| t / 5).collect();
        let drawn = Drawn::of("wall", &mesh.tets, &cells, 7);
        assert_eq!((drawn.layout.node_count, drawn.layout.skin_triangles.len()), (24, 36));
        let outside = drawn.layout.skin_parts.iter().filter(|p| **p == 0).count();
        assert_eq!(outside, boundary_triangles(&mesh.tets).len());
        assert!(drawn.layout.skin_parts[outside..].iter().all(|p| *p == 7));
        // Each vertex is where its corner is, and the triangles of the outside are those of the mesh.
        let node = |v: u32| mesh.tets[drawn.corners[v as usize] as usize / 4][drawn.corners[v as usize] as usize % 4];
        let shown: Vec<[u32; 3]> = drawn.layout.skin_triangles[..outside].iter().map(|t| t.map(node)).collect();
        assert_eq!(shown, boundary_triangles(&mesh.tets));
    }

    #[test]
    fn the_outside_is_as_smooth_as_it_is_while_it_is_whole() {
        let mesh = box_tets([3, 2, 2], [0.0; 3], [3.0, 2.0, 2.0], CubeSplit::Five).expect("a wall");
        // Bent a little: 8 degrees from cube to cube.
        let bend = |p: &[f64; 3]| [p[0], p[1] + 0.07 * p[0] * p[0], p[2]];
        let points: Vec<[f64; 3]> = mesh.points.iter().map(bend).collect();
        let drawn = Drawn::of("wall", &mesh.tets, &[], 1).smoothed(&mesh.tets, &points);
        let outside = boundary_triangles(&mesh.tets);
        assert_eq!(drawn.layout.look.normals.len(), drawn.layout.skin_triangles.len());
        let of = |p: [f64; 3], flat: Vec3<f64>| {
            let found = outside.iter().zip(&drawn.layout.look.normals).flat_map(|(t, n)| t.iter().zip(n));
            let here = found.filter(|(n, _)| mesh.points[**n as usize] == p).map(|(_, n)| Vec3(n.map(f64::from)));
            here.filter(|n| n.dot(flat) > 0.7).collect::<Vec<_>>()
        };
        // All triangles around a place on the bent top say the same, and edges stay sharp.
        for (place, flat) in [([1.0, 2.0, 1.0], [0.0, 1.0, 0.0]), ([1.0, 2.0, 2.0], [0.0, 0.0, 1.0])] {
            let normals = of(place, Vec3(flat));
            assert!(normals.len() > 1 && normals.iter().all(|n| (*n - normals[0]).norm() < 1e-6), "{normals:?}");
        }
        assert!((of([1.0, 2.0, 2.0], Vec3([0.0, 0.0, 1.0]))[0] - Vec3([0.0, 0.0, 1.0])).norm() < 1e-6);
        assert!(drawn.layout.look.normals[outside.len()..].iter().flatten().flatten().all(|c| *c == 0.0));
    }

    #[test]
    fn loose_elements_have_vertices_of_their_own() {
        let mesh = box_tets([1, 1, 1], [0.0; 3], [1.0; 3], CubeSplit::Five).expect("a cube");
        let drawn = Drawn::of("cube", &mesh.tets, &[], 1);
        assert_eq!((drawn.layout.node_count, drawn.layout.skin_triangles.len()), (20, 20));
    }
}
