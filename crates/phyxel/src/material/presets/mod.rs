//! Matter by name.

mod table;

use super::{Fracture, LawKind, Material, Plasticity, Thermal};

pub use table::PRESETS;

/// A named material with the source of its constants.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name in scene files.
    pub name: &'static str,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// How it yields, if it does.
    pub plastic: Option<Plasticity>,
    /// How it breaks, if it does.
    pub fracture: Option<Fracture>,
    /// Its colour, sRGB.
    pub colour: [u8; 3],
    /// What it does with heat.
    pub thermal: fn() -> Thermal,
    /// Where the elastic constants come from.
    pub source: &'static str,
    /// Where the other constants come from.
    pub heat_source: &'static str,
    /// The relation between strain and stress.
    law: fn() -> LawKind,
}

impl Preset {
    /// The material, without damping.
    pub fn material(&self) -> Material {
        Material {
            law: (self.law)(),
            young_modulus: self.young_modulus,
            poisson_ratio: self.poisson_ratio,
            density: self.density,
            plastic: self.plastic,
            fracture: self.fracture,
            thermal: Some((self.thermal)()),
            colour: Some(self.colour),
            ..Material::default()
        }
    }
}

impl Material {
    /// A material of [`PRESETS`] by its name.
    pub fn preset(name: &str) -> Option<Material> {
        PRESETS.iter().find(|preset| preset.name == name).map(Preset::material)
    }
}

#[cfg(test)]
mod tests {
    use super::table::SPRUCE;
    use super::*;
    use crate::material::{AnyLaw, Law, Part};
    use crate::math::Mat3;

    #[test]
    fn every_preset_is_sound_and_found_by_its_name() {
        for preset in PRESETS {
            let material = Material::preset(preset.name).expect(preset.name);
            assert_eq!(material.check(), Ok(()), "{}", preset.name);
            assert!(!preset.source.is_empty() && !preset.heat_source.is_empty());
        }
        assert!(PRESETS.is_sorted_by_key(|p| p.name));
        assert_eq!(Material::preset("unobtainium"), None);
    }

    #[test]
    fn wood_pulled_along_the_grain_shows_its_modulus() {
        let law = AnyLaw::<f64>::new(&Material::preset("wood").expect("wood"), Part::Whole);
        // Free to contract sideways by the two Poisson's ratios.
        let e = 1e-6;
        let p = law.stress(Mat3::diagonal([e, -0.372 * e, -0.467 * e]));
        assert!((p.0[0][0] / (SPRUCE * e) - 1.0).abs() < 1e-5, "{p:?}");
        assert!(p.0[1][1].abs() < 1e-5 * SPRUCE * e && p.0[2][2].abs() < 1e-5 * SPRUCE * e, "{p:?}");
    }
}
