//! Matter by name.

use super::{LawKind, Material, Orthotropic};

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
    /// Where the constants come from.
    pub source: &'static str,
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

/// Young's modulus of spruce along the grain: the handbook's 10.8 GPa in bending, and a tenth more for the shear in
/// that test [Pa].
const SPRUCE: f64 = 11.9e9;

/// Sitka spruce with the grain along x, the rings' radius along y and their tangent along z.
fn spruce() -> LawKind {
    let wood = Orthotropic {
        young_modulus: [SPRUCE, 0.078 * SPRUCE, 0.043 * SPRUCE],
        poisson_ratio: [0.372, 0.435, 0.467],
        shear_modulus: [0.003 * SPRUCE, 0.061 * SPRUCE, 0.064 * SPRUCE],
    };
    match wood.stiffness() {
        Some(c) => LawKind::Anisotropic(Box::new(c)),
        None => LawKind::Corotated,
    }
}

/// Every named material, in alphabetical order.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "chocolate",
        young_modulus: 1.0e8,
        poisson_ratio: 0.35,
        density: 1300.0,
        source: "order of magnitude of bending and compression tests at room temperature, see Bikos et al., Journal of Materials Science 58 (2023)",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "clay",
        young_modulus: 1.0e7,
        poisson_ratio: 0.45,
        density: 1900.0,
        source: "soft saturated clay, within the ranges of Bowles, Foundation Analysis and Design, 5th ed., tables 2-7 and 2-8",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "concrete",
        young_modulus: 3.1e10,
        poisson_ratio: 0.2,
        density: 2400.0,
        source: "strength class C25/30: EN 1992-1-1 (Eurocode 2), table 3.1 and section 3.1.3; weight from EN 1991-1-1",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "glass",
        young_modulus: 7.0e10,
        poisson_ratio: 0.22,
        density: 2500.0,
        source: "soda-lime glass: EN 572-1 and Ashby, Materials Selection in Mechanical Design, appendix A",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "ice",
        young_modulus: 9.33e9,
        poisson_ratio: 0.325,
        density: 917.0,
        source: "polycrystalline ice at -16 C: Gammon et al. 1983, quoted by Schulson & Duval, Creep and Fracture of Ice, chapter 4",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "jelly",
        young_modulus: 5.0e4,
        poisson_ratio: 0.45,
        density: 1000.0,
        source: "one part gelatine to five of water, from the power law between 277 kPa at 1:2 and 4.3 kPa at 1:20 of Bonavia 2025, arXiv:2512.20502; made more compressible than it is",
        law: || LawKind::NeoHookean,
    },
    Preset {
        name: "lead",
        young_modulus: 1.61e10,
        poisson_ratio: 0.44,
        density: 11340.0,
        source: "Kaye & Laby, Tables of Physical and Chemical Constants, elasticities of metals",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "rubber",
        young_modulus: 2.0e6,
        poisson_ratio: 0.49,
        density: 930.0,
        source: "natural rubber: Ashby, Materials Selection in Mechanical Design, appendix A; Poisson's ratio lowered from 0.4999",
        law: || LawKind::NeoHookean,
    },
    Preset {
        name: "steel",
        young_modulus: 2.1e11,
        poisson_ratio: 0.29,
        density: 7850.0,
        source: "mild steel: Kaye & Laby, Tables of Physical and Chemical Constants; density from EN 1991-1-1",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "wax",
        young_modulus: 2.0e8,
        poisson_ratio: 0.4,
        density: 900.0,
        source: "paraffin at room temperature, order of magnitude of tensile tests; density from Kaye & Laby",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "wood",
        young_modulus: SPRUCE,
        poisson_ratio: 0.372,
        density: 450.0,
        source: "Sitka spruce at 12 % moisture, grain along x: USDA Wood Handbook, tables 5-1 to 5-3",
        law: spruce,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{AnyLaw, Law, Part};
    use crate::math::Mat3;

    #[test]
    fn every_preset_is_sound_and_found_by_its_name() {
        for preset in PRESETS {
            let material = Material::preset(preset.name).expect(preset.name);
            assert_eq!(material.check(), Ok(()), "{}", preset.name);
            assert!(!preset.source.is_empty());
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
