//! A device for tests, and scenes to try on it.
#![allow(dead_code)]

use phyxel::material::{LawKind, Material, Orthotropic};
use phyxel::math::Vec3;
use phyxel::scene::{Body, Method, MlsSettings, Scene};
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::shape::{Geometry, Placement, Resolution, Shape};
use phyxel_gpu::{Choice, Device};
use std::sync::{Arc, OnceLock};

/// The device; `None`, with a line that says so, where there is none. `PHYXEL_REQUIRE_GPU` makes that a failure.
pub fn device() -> Option<Arc<Device>> {
    static DEVICE: OnceLock<Option<Arc<Device>>> = OnceLock::new();
    let found = DEVICE.get_or_init(|| match Device::open(&Choice::Any) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(std::env::var_os("PHYXEL_REQUIRE_GPU").is_none(), "a device is required: {error}");
            eprintln!("GPU tests are skipped: {error}");
            None
        }
    });
    found.clone()
}

/// Numbers of a fixed sequence (splitmix64), between −1 and 1.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| size * self.next())
    }
}

pub fn laws() -> Vec<LawKind> {
    let wood =
        Orthotropic { young_modulus: [5e4, 2e4, 1e4], poisson_ratio: [0.3, 0.2, 0.25], shear_modulus: [6e3, 7e3, 8e3] };
    let c = wood.stiffness().expect("a stiffness");
    vec![
        LawKind::Linear,
        LawKind::StVenantKirchhoff,
        LawKind::Corotated,
        LawKind::NeoHookean,
        LawKind::Anisotropic(Box::new(c)),
    ]
}

pub fn soft(law: LawKind) -> Material {
    Material { law, young_modulus: 2e4, poisson_ratio: 0.35, density: 1000.0, ..Material::default() }
}

/// A box of 0.4 x 0.3 x 0.3 m, more than one cluster of tetrahedra.
pub fn solid(name: &str, method: Method, material: Material, at: [f64; 3]) -> Body {
    let corner = [at[0] + 0.4, at[1] + 0.3, at[2] + 0.3];
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points([5, 4, 4], at, corner).expect("points")),
        Method::Spring => {
            let shape = Shape::Box { size: [0.4, 0.3, 0.3] };
            let placement = Placement::at([at[0] + 0.2, at[1] + 0.15, at[2] + 0.15]);
            let resolution = Resolution::Size(0.1);
            shape.discretise(method, &resolution, &placement, &material).expect("springs")
        }
        _ => Geometry::Tets(box_tets([5, 4, 4], at, corner, CubeSplit::Five).expect("tetrahedra")),
    };
    let mut body = Body::new(name, geometry, method, material);
    body.mls = MlsSettings { stabilisation: 0.1, ..MlsSettings::default() };
    body
}

pub fn scene(bodies: Vec<Body>) -> Scene {
    Scene { bodies, ..Scene::default() }
}

/// The largest difference between two sets of vectors, relative to the largest vector of the second.
pub fn difference(found: &[Vec3<f32>], expected: &[Vec3<f64>]) -> f64 {
    let size = expected.iter().map(|e| e.norm()).fold(1e-30, f64::max);
    let error = |(f, e): (&Vec3<f32>, &Vec3<f64>)| {
        let d = (Vec3(f.to_f64()) - *e).norm();
        if d.is_nan() { f64::INFINITY } else { d }
    };
    found.iter().zip(expected).map(error).fold(0.0, f64::max) / size
}
