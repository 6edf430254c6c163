//! A pile of any number of bodies in a box, for benchmarks and tests.

use phyxel::Material;
use phyxel::material::LawKind;
use phyxel::scene::{Body, Collider, ColliderShape, Method, Scene};
use phyxel::shape::{Placement, Resolution, Shape, ShapeError};

/// Distance between the centres of bodies at the start [m].
const APART: f64 = 0.16;

/// `count` soft boxes, balls, cylinders and rings, one in ten of them phyxels, a tenth of a metre across, dropped in layers
/// into a box with the floor at zero, `along` by `along` of them in a layer. A body of tetrahedra has about `tets` of them.
///
/// # Errors
/// A [`ShapeError`] where `tets` is too few for a shape.
pub fn pile(count: usize, along: usize, tets: usize) -> Result<Scene, ShapeError> {
    let mut scene = Scene { name: format!("pile-{count}"), duration: 6.0, ..Scene::default() };
    for index in 0..count {
        scene.bodies.push(body(index, along.max(1), tets)?);
    }
    scene.colliders.push(Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 }));
    let (inside, thick, high) = (APART * along as f64 + 0.04, 0.2, 20.0);
    for (axis, side) in [(0, -1.0), (0, 1.0), (2, -1.0), (2, 1.0)] {
        let mut size = [inside + 2.0 * thick, high, inside + 2.0 * thick];
        size[axis] = thick;
        let mut position = [0.0, 0.5 * high, 0.0];
        position[axis] = side * 0.5 * (inside + thick);
        let wall = Collider::new(ColliderShape::Box { size });
        scene.colliders.push(Collider { placement: Placement::at(position), ..wall });
    }
    Ok(scene)
}

fn body(index: usize, along: usize, tets: usize) -> Result<Body, ShapeError> {
    let shape = match index % 5 {
        0 | 3 => Shape::Box { size: [0.1, 0.08, 0.12] },
        1 => Shape::Sphere { radius: 0.055 },
        2 => Shape::Cylinder { radius: 0.05, height: 0.1 },
        _ => Shape::Torus { major_radius: 0.045, minor_radius: 0.02 },
    };
    let method = if index % 10 == 3 { Method::Mls } else { Method::Tet };
    // About five tetrahedra share a node.
    let resolution = Resolution::Count((tets / 4).max(30));
    let material = Material {
        law: LawKind::Corotated,
        young_modulus: 2e5,
        poisson_ratio: 0.3,
        density: 1000.0,
        rayleigh_stiffness: 4e-3,
        ..Material::default()
    };
    let (layer, row, column) = (index / (along * along), index / along % along, index % along);
    let middle = 0.5 * (along - 1) as f64;
    let jitter = |k: usize| 0.01 * (((index * 7919 + k * 104_729) % 1009) as f64 / 504.5 - 1.0);
    let placement = Placement {
        position: [
            (column as f64 - middle) * APART + jitter(1),
            0.1 + APART * layer as f64,
            (row as f64 - middle) * APART + jitter(2),
        ],
        rotation: [60.0 * jitter(3), 100.0 * jitter(4), 60.0 * jitter(5)],
    };
    let geometry = shape.discretise(method, &resolution, &placement, &material)?;
    Ok(Body::new(format!("body {index}"), geometry, method, material))
}
