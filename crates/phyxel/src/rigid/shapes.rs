//! The shapes of a scene as rapier knows them, and what they weigh.

use crate::contact::HeightField;
use crate::math::{Mat3, Vec3};
use crate::scene::ColliderShape;
use crate::shape::TriMesh;
use rapier3d_f64::glamx;
use rapier3d_f64::parry::mass_properties::MassProperties;
use rapier3d_f64::parry::utils::Array2;
use rapier3d_f64::prelude::*;

/// What a rigid body weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// [kg]
    pub mass: f64,
    /// [m³]
    pub volume: f64,
    /// Centre of mass in the body's own frame [m].
    pub center: Vec3<f64>,
    /// Inertia about the centre of mass, in the body's own frame [kg m²].
    pub inertia: Mat3<f64>,
}

pub(super) fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0], v[1], v[2])
}

pub(super) fn vec3(v: Vector) -> Vec3<f64> {
    Vec3([v.x, v.y, v.z])
}

pub(super) fn mat3(m: glamx::DMat3) -> Mat3<f64> {
    Mat3::from_columns([vec3(m.x_axis), vec3(m.y_axis), vec3(m.z_axis)])
}

fn triangles(mesh: &TriMesh) -> (Vec<Vector>, Vec<[u32; 3]>) {
    (mesh.points.iter().map(|p| vector(*p)).collect(), mesh.triangles.clone())
}

/// Mass properties of a checked shape at a density [kg/m³].
pub fn mass_properties(shape: &ColliderShape, density: f64) -> Mass {
    let properties = properties(shape, density);
    let (mass, center) = (properties.mass(), vec3(properties.local_com));
    Mass { mass, volume: mass / density, center, inertia: mat3(properties.reconstruct_inertia_matrix()) }
}

pub(super) fn properties(shape: &ColliderShape, density: f64) -> MassProperties {
    if let ColliderShape::Mesh { solid, .. } = shape {
        let (points, indices) = triangles(solid.mesh());
        return MassProperties::from_trimesh(density, &points, &indices);
    }
    shared(shape, Moving::Yes).map_or(MassProperties::default(), |(shape, _)| shape.mass_properties(density))
}

/// Whether a shape belongs to a body that moves; a mesh that does is met as convex pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moving {
    Yes,
    No,
}

/// A shape, and how far from its frame it stands.
pub(super) fn shared(shape: &ColliderShape, moving: Moving) -> Option<(SharedShape, Vector)> {
    let here = |shape| Some((shape, Vector::ZERO));
    match shape {
        ColliderShape::HalfSpace { normal, offset } => {
            let normal = Vec3(*normal).normalized();
            Some((SharedShape::halfspace(vector(normal.0)), vector((normal * *offset).0)))
        }
        ColliderShape::Sphere { radius } => here(SharedShape::ball(*radius)),
        ColliderShape::Box { size: [x, y, z] } => here(SharedShape::cuboid(0.5 * x, 0.5 * y, 0.5 * z)),
        ColliderShape::Capsule { radius, height } => here(SharedShape::capsule_y(0.5 * height - radius, *radius)),
        ColliderShape::Cylinder { radius, height } => here(SharedShape::cylinder(0.5 * height, *radius)),
        ColliderShape::HeightField(field) => here(terrain(field)),
        ColliderShape::Mesh { solid, .. } => {
            let (points, indices) = triangles(solid.mesh());
            match moving {
                Moving::Yes => here(SharedShape::convex_decomposition(&points, &indices)),
                Moving::No => {
                    let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
                    SharedShape::trimesh_with_flags(points, indices, flags).ok().and_then(here)
                }
            }
        }
    }
}

fn terrain(field: &HeightField) -> SharedShape {
    let [nx, nz] = field.counts;
    // Rapier's columns run along x and its rows along z; its field is centred, as ours is.
    let heights = Array2::new(nz, nx, (0..nx * nz).map(|k| field.heights[(k % nz) * nx + k / nz]).collect());
    let side = |count: usize| (count - 1) as f64 * field.spacing;
    SharedShape::heightfield(heights, Vector::new(side(nx), 1.0, side(nz)))
}
