//! The steel that several cases share.

use phyxel::Material;
use phyxel::material::{LawKind, Plasticity};

/// Mild steel in small strain, which is what the references are computed in.
pub fn steel() -> Material {
    Material {
        law: LawKind::Linear,
        young_modulus: 200e9,
        poisson_ratio: 0.3,
        density: 7800.0,
        plastic: Some(Plasticity::Stress { yield_stress: 250e6, hardening: 2e9, relaxation_time: 0.0 }),
        ..Material::default()
    }
}
