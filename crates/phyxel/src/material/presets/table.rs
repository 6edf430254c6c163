//! The constants of named materials, and where they come from.

use super::Preset;
use crate::material::{EdgeStyle, Edges, Fracture, LawKind, Melting, Orthotropic, Plasticity, Table, Thermal};

/// Young's modulus of spruce along the grain: the handbook's 10.8 GPa in bending, and a tenth more for the shear in
/// that test [Pa].
pub(super) const SPRUCE: f64 = 11.9e9;

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

/// Conductivity [W/(m K)], specific heat [J/(kg K)] and expansion [1/K] of something that does not melt here.
fn solid(conductivity: f64, specific_heat: f64, expansion: f64) -> Thermal {
    Thermal { conductivity, specific_heat, expansion, ..Thermal::default() }
}

/// The same with solidus and liquidus [K], latent heat [J/kg] and viscosity of the melt [Pa s].
fn melting(heat: (f64, f64, f64), (solidus, liquidus, latent_heat, viscosity): (f64, f64, f64, f64)) -> Thermal {
    Thermal { melting: Some(Melting { solidus, liquidus, latent_heat, viscosity }), ..solid(heat.0, heat.1, heat.2) }
}

/// Structural steel softens from 100 C and has lost nine tenths of its strength at 800 C.
fn steel() -> Thermal {
    let kelvin = |rows: &[(f64, f64)]| Table(rows.iter().map(|(celsius, f)| (celsius + 273.15, *f)).collect());
    let stiffness = [
        (100.0, 1.0),
        (200.0, 0.9),
        (300.0, 0.8),
        (400.0, 0.7),
        (500.0, 0.6),
        (600.0, 0.31),
        (700.0, 0.13),
        (800.0, 0.09),
        (1000.0, 0.045),
        (1200.0, 0.01),
    ];
    let strength = [
        (400.0, 1.0),
        (500.0, 0.78),
        (600.0, 0.47),
        (700.0, 0.23),
        (800.0, 0.11),
        (900.0, 0.06),
        (1000.0, 0.04),
        (1200.0, 0.01),
    ];
    Thermal {
        stiffness: kelvin(&stiffness),
        strength: kelvin(&strength),
        ..melting((53.0, 460.0, 1.2e-5), (1698.0, 1773.0, 250.0e3, 6.0e-3))
    }
}

/// Morris's wood, table of chapter 9: edges of a tenth of a section, whose borders are off by a fifth.
const MORRIS_EDGES: Edges = Edges {
    section: [0.1, 0.1],
    randomness: [0.2, 0.2],
    frequency: [1, 1],
    amplitude: [0.01, 0.01],
    style: EdgeStyle::Splinters,
    seed: 0,
};

/// Every named material, in alphabetical order.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "chocolate",
        young_modulus: 1.0e8,
        poisson_ratio: 0.35,
        density: 1300.0,
        source: "order of magnitude of bending and compression tests at room temperature, see Bikos et al., Journal of Materials Science 58 (2023)",
        plastic: Some(Plasticity::Stress { yield_stress: 1.0e6, hardening: 0.0, relaxation_time: 0.0 }),
        fracture: None,
        colour: [96, 58, 36],
        thermal: || melting((0.25, 1600.0, 1.0e-4), (300.15, 307.15, 45.0e3, 5.0)),
        heat_source: "melts between 27 and 34 C: Beckett, Industrial Chocolate Manufacture and Use, 4th ed.; yield stress an order of magnitude",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "clay",
        young_modulus: 1.0e7,
        poisson_ratio: 0.45,
        density: 1900.0,
        source: "soft saturated clay, within the ranges of Bowles, Foundation Analysis and Design, 5th ed., tables 2-7 and 2-8",
        plastic: Some(Plasticity::Stress { yield_stress: 2.0e4, hardening: 0.0, relaxation_time: 0.0 }),
        fracture: None,
        colour: [178, 104, 76],
        thermal: || solid(1.3, 1500.0, 1.0e-5),
        heat_source: "undrained strength of soft clay, 12 kPa in shear: Bowles, table 3-4; heat of wet clay: EN ISO 10456",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "concrete",
        young_modulus: 3.1e10,
        poisson_ratio: 0.2,
        density: 2400.0,
        source: "strength class C25/30: EN 1992-1-1 (Eurocode 2), table 3.1 and section 3.1.3; weight from EN 1991-1-1",
        plastic: None,
        fracture: None,
        colour: [156, 154, 148],
        thermal: || solid(2.0, 1000.0, 1.0e-5),
        heat_source: "EN ISO 10456; expansion from EN 1992-1-1, section 3.1.3",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "glass",
        young_modulus: 7.0e10,
        poisson_ratio: 0.22,
        density: 2500.0,
        source: "soda-lime glass: EN 572-1 and Ashby, Materials Selection in Mechanical Design, appendix A",
        plastic: None,
        fracture: None,
        colour: [150, 196, 190],
        thermal: || solid(1.0, 720.0, 9.0e-6),
        heat_source: "soda-lime glass: EN 572-1",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "ice",
        young_modulus: 9.33e9,
        poisson_ratio: 0.325,
        density: 917.0,
        source: "polycrystalline ice at -16 C: Gammon et al. 1983, quoted by Schulson & Duval, Creep and Fracture of Ice, chapter 4",
        plastic: None,
        fracture: None,
        colour: [186, 214, 232],
        thermal: || melting((2.2, 2100.0, 5.0e-5), (273.15, 273.15, 334.0e3, 1.8e-3)),
        heat_source: "Kaye & Laby; viscosity of the water",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "jelly",
        young_modulus: 5.0e4,
        poisson_ratio: 0.45,
        density: 1000.0,
        source: "one part gelatine to five of water, from the power law between 277 kPa at 1:2 and 4.3 kPa at 1:20 of Bonavia 2025, arXiv:2512.20502; made more compressible than it is",
        plastic: None,
        fracture: None,
        colour: [214, 66, 72],
        thermal: || melting((0.5, 3800.0, 7.0e-5), (303.15, 308.15, 5.0e3, 1.0e-2)),
        heat_source: "gelatine melts between 30 and 35 C: Gómez-Guillén et al., Food Hydrocolloids 25 (2011); heat of water with a fifth of gelatine",
        law: || LawKind::NeoHookean,
    },
    Preset {
        name: "lead",
        young_modulus: 1.61e10,
        poisson_ratio: 0.44,
        density: 11340.0,
        source: "Kaye & Laby, Tables of Physical and Chemical Constants, elasticities of metals",
        plastic: Some(Plasticity::Stress { yield_stress: 5.5e6, hardening: 1.0e7, relaxation_time: 0.0 }),
        fracture: None,
        colour: [112, 118, 128],
        thermal: || melting((35.3, 129.0, 2.89e-5), (600.6, 600.6, 23.0e3, 2.6e-3)),
        heat_source: "Kaye & Laby; proof stress of annealed lead: Ashby, appendix A",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "morris-rubber",
        young_modulus: 5.0e5,
        poisson_ratio: 0.3,
        density: 500.0,
        source: "Morris 2010, table of chapter 9: E = 500 and a largest stress of 1000, in thousands of pascals",
        plastic: None,
        fracture: Some(Fracture::brittle(1.0e6)),
        colour: [62, 66, 74],
        thermal: || solid(0.15, 1900.0, 2.2e-4),
        heat_source: "natural rubber: Ashby, appendix A",
        law: || LawKind::StVenantKirchhoff,
    },
    Preset {
        name: "morris-wood",
        young_modulus: 7.0e5,
        poisson_ratio: 0.3,
        density: 500.0,
        source: "Morris 2010, table of chapter 9: E = 700 and a largest stress of 1, in thousands of pascals",
        plastic: None,
        fracture: Some(Fracture { edges: Some(MORRIS_EDGES), ..Fracture::brittle(1.0e3) }),
        colour: [186, 138, 88],
        thermal: || solid(0.12, 1600.0, 5.0e-6),
        heat_source: "spruce: EN ISO 10456",
        law: || LawKind::StVenantKirchhoff,
    },
    Preset {
        name: "rubber",
        young_modulus: 2.0e6,
        poisson_ratio: 0.49,
        density: 930.0,
        source: "natural rubber: Ashby, Materials Selection in Mechanical Design, appendix A; Poisson's ratio lowered from 0.4999",
        plastic: None,
        fracture: None,
        colour: [62, 66, 74],
        thermal: || solid(0.15, 1900.0, 2.2e-4),
        heat_source: "natural rubber: Ashby, appendix A; Kaye & Laby",
        law: || LawKind::NeoHookean,
    },
    Preset {
        name: "steel",
        young_modulus: 2.1e11,
        poisson_ratio: 0.29,
        density: 7850.0,
        source: "mild steel: Kaye & Laby, Tables of Physical and Chemical Constants; density from EN 1991-1-1",
        plastic: Some(Plasticity::Stress { yield_stress: 2.35e8, hardening: 1.0e9, relaxation_time: 0.0 }),
        fracture: None,
        colour: [146, 154, 164],
        thermal: steel,
        heat_source: "S235: EN 10025-2; heat, stiffness and strength over temperature: EN 1993-1-2, table 3.1 and section 3.4; melting: Kaye & Laby",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "wax",
        young_modulus: 2.0e8,
        poisson_ratio: 0.4,
        density: 900.0,
        source: "paraffin at room temperature, order of magnitude of tensile tests; density from Kaye & Laby",
        plastic: Some(Plasticity::Stress { yield_stress: 8.0e5, hardening: 0.0, relaxation_time: 0.0 }),
        fracture: None,
        colour: [232, 214, 168],
        thermal: || melting((0.25, 2100.0, 2.5e-4), (319.15, 337.15, 200.0e3, 5.0e-3)),
        heat_source: "paraffin: Ukrainczyk et al., Chemical and Biochemical Engineering Quarterly 24 (2010); yield stress an order of magnitude",
        law: || LawKind::Corotated,
    },
    Preset {
        name: "wood",
        young_modulus: SPRUCE,
        poisson_ratio: 0.372,
        density: 450.0,
        source: "Sitka spruce at 12 % moisture, grain along x: USDA Wood Handbook, tables 5-1 to 5-3",
        plastic: None,
        fracture: None,
        colour: [200, 156, 104],
        thermal: || solid(0.12, 1600.0, 5.0e-6),
        heat_source: "spruce: EN ISO 10456; expansion along the grain: USDA Wood Handbook, chapter 4",
        law: spruce,
    },
];
