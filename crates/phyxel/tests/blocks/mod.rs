//! Soft blocks and a floor, for tests of bodies that meet.

use phyxel::Material;
use phyxel::scene::{Body, Collider, ColliderShape, Method};
use phyxel::shape::{Placement, Resolution, Shape};

pub fn material(young_modulus: f64) -> Material {
    Material { young_modulus, poisson_ratio: 0.3, rayleigh_stiffness: 0.01, ..Material::default() }
}

pub fn block(name: &str, size: [f64; 3], spacing: f64, position: [f64; 3], turned: f64, method: Method) -> Body {
    let placement = Placement { position, rotation: [0.0, turned, 0.0] };
    let shape = Shape::Box { size };
    let geometry = shape.discretise(method, &Resolution::Size(spacing), &placement, &material(1e5)).expect("a block");
    Body::new(name, geometry, method, material(1e5))
}

pub fn floor() -> Collider {
    Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 })
}
