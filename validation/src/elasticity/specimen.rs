//! Bodies that many cases share.

use super::rig::Vector;
use phyxel::material::{LawKind, Material};
use phyxel::scene::Method;
use phyxel::shape::quality::boundary_triangles;
use phyxel::shape::structured::{CubeSplit, Movable, box_points, box_tets, jitter};
use phyxel::shape::{Geometry, PointSampling, TetMesh, TriMesh};

/// The methods that most cases compare.
pub const METHODS: [Method; 3] = [Method::Tet, Method::Edge, Method::Mls];

/// A block of cells for a method: tetrahedra, or phyxels on the nodes of the same lattice.
pub fn block(method: Method, cells: [usize; 3], min: Vector, max: Vector, split: CubeSplit) -> Geometry {
    const SOUND: &str = "the blocks of the cases are sound";
    match method {
        Method::Mls => Geometry::Points(box_points(cells, min, max).expect(SOUND)),
        _ => Geometry::Tets(box_tets(cells, min, max, split).expect(SOUND)),
    }
}

/// Moves the nodes inside a block by up to `amplitude` [m].
pub fn shaken(geometry: Geometry, amplitude: f64, seed: u64) -> Geometry {
    match geometry {
        Geometry::Tets(mut mesh) => {
            let boundary = on_boundary(&mesh);
            jitter(&mut mesh.points, &boundary, amplitude, seed, Movable::Interior);
            Geometry::Tets(mesh)
        }
        Geometry::Points(mut sampling) => {
            let PointSampling { points, boundary, .. } = &mut sampling;
            jitter(points, boundary, amplitude, seed, Movable::Interior);
            Geometry::Points(sampling)
        }
        other => other,
    }
}

/// The same body for a method that wants a mesh, or with phyxels on the nodes of the mesh.
pub fn of_mesh(method: Method, mesh: TetMesh, spacing: f64) -> Geometry {
    match method {
        Method::Mls => Geometry::Points(sampling_of(mesh, spacing)),
        _ => Geometry::Tets(mesh),
    }
}

/// Phyxels on the nodes of a mesh, each with a quarter of the tetrahedra around it.
fn sampling_of(mesh: TetMesh, spacing: f64) -> PointSampling {
    let mut volumes = vec![0.0; mesh.points.len()];
    for tet in &mesh.tets {
        let quarter = volume(&mesh, *tet) / 4.0;
        tet.iter().for_each(|&n| volumes[n as usize] += quarter);
    }
    let boundary = on_boundary(&mesh);
    let skin = TriMesh { points: mesh.points.clone(), triangles: boundary_triangles(&mesh.tets) };
    PointSampling { points: mesh.points, volumes, spacing, boundary, skin, ..Default::default() }
}

/// Volume of a tetrahedron [m³].
pub fn volume(mesh: &TetMesh, tet: [u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|n| phyxel::math::Vec3(mesh.points[n as usize]));
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

fn on_boundary(mesh: &TetMesh) -> Vec<bool> {
    let mut marks = vec![false; mesh.points.len()];
    for n in boundary_triangles(&mesh.tets).into_iter().flatten() {
        marks[n as usize] = true;
    }
    marks
}

/// A material without damping.
pub fn material(law: LawKind, young_modulus: f64, poisson_ratio: f64) -> Material {
    Material { law, young_modulus, poisson_ratio, ..Material::default() }
}

/// What to call the sampling of a block.
pub fn cells_name(method: Method, cells: [usize; 3]) -> String {
    let [x, y, z] = cells;
    match method {
        Method::Mls => format!("{}x{}x{} phyxels", x + 1, y + 1, z + 1),
        _ => format!("{x}x{y}x{z} cells"),
    }
}
