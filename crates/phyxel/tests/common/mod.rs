//! Scenes that several tests need.
#![allow(dead_code)] // each test takes what it needs

use phyxel::material::{Fracture, LawKind};
use phyxel::scene::{
    Body, Collider, ColliderShape, Integrator, Lagrangian, Method, MlsSettings, Scene, SolverSettings,
};
use phyxel::shape::{Placement, Resolution, Shape};
use phyxel::{AnySimulation, Material, Simulation};

/// A cube with its centre at `center`, `cells` cells and `size` metres along every edge.
pub fn cube(method: Method, cells: usize, size: f64, center: [f64; 3], material: &Material) -> Body {
    let shape = Shape::Box { size: [size; 3] };
    let geometry = shape.discretise(method, &Resolution::Cells([cells; 3]), &Placement::at(center), material);
    Body::new("cube", geometry.expect("a cube"), method, material.clone())
}

/// The kinds of stencils that differ in what they keep between steps; the name, the method, the kind of phyxels.
pub const KINDS: [(&str, Method, Lagrangian); 7] = [
    ("tet", Method::Tet, Lagrangian::Total),
    ("edge", Method::Edge, Lagrangian::Total),
    ("node", Method::Node, Lagrangian::Total),
    ("selective", Method::Selective, Lagrangian::Total),
    ("mls", Method::Mls, Lagrangian::Total),
    ("updated mls", Method::Mls, Lagrangian::Updated),
    ("spring", Method::Spring, Lagrangian::Total),
];

/// Phyxels that refer to the rest shape or to the present one.
pub fn phyxels(lagrangian: Lagrangian) -> MlsSettings {
    MlsSettings { lagrangian, ..MlsSettings::default() }
}

/// The half-space below y = 0.
pub fn floor(friction: f64) -> Collider {
    Collider { friction, ..Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 }) }
}

/// One body above a floor.
pub fn above_floor(body: Body, integrator: Integrator, step: f64, friction: f64) -> Scene {
    let solver = SolverSettings { integrator, step, ..SolverSettings::default() };
    Scene { bodies: vec![body], colliders: vec![floor(friction)], solver, duration: 100.0, ..Scene::default() }
}

/// One body in empty space.
pub fn alone(body: Body, integrator: Integrator, step: f64) -> Scene {
    let solver = SolverSettings { integrator, step, ..SolverSettings::default() };
    Scene { bodies: vec![body], gravity: [0.0; 3], solver, duration: 100.0, ..Scene::default() }
}

/// The simulation inside, in eight bytes.
pub fn double(simulation: &mut AnySimulation) -> &mut Simulation<f64> {
    match simulation {
        AnySimulation::F64(s) => s,
        AnySimulation::F32(_) => panic!("built in f64"),
    }
}

/// Numbers between −1 and 1 that are the same in every run (xorshift64*).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        2.0 * bits as f64 / (1u64 << 53) as f64 - 1.0
    }
    pub fn triple(&mut self) -> [f64; 3] {
        [self.next(), self.next(), self.next()]
    }
}

/// Brittle matter, soft enough for quick steps, that breaks at this stress [Pa].
pub fn chalk(strength: f64) -> Material {
    Material {
        law: LawKind::Corotated,
        young_modulus: 1e7,
        poisson_ratio: 0.2,
        fracture: Some(Fracture::brittle(strength)),
        ..Material::default()
    }
}
