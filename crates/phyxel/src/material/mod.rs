//! What a body is made of: deformation in, stress out.
//!
//! A law is a pure function of the displacement gradient `G = F − I`. It takes `G` rather than `F` because strains of
//! stiff matter are far below one, and `F − I` in `f32` would keep only three digits of them.

mod anisotropic;
mod any;
pub(crate) mod checks;
mod corotated;
mod edges;
mod fibre;
mod fracture;
mod isotropic;
mod law;
mod linear;
mod neo_hookean;
pub mod plastic;
mod presets;
mod stvk;
mod thermal;
mod viscosity;
mod volume;

pub use anisotropic::{Anisotropic, Orthotropic};
pub use any::{AnyLaw, Part};
pub use checks::MaterialError;
pub use corotated::Corotated;
pub use edges::{EdgeStyle, Edges};
pub use fibre::Fibre;
pub use fracture::{Fracture, GrainStrength};
pub use isotropic::Spectrum;
pub use law::{Constraint, Curvature, Law, PackedTangent, Tangent};
pub use linear::Linear;
pub use neo_hookean::NeoHookean;
pub use plastic::{Grain, Plasticity};
pub use presets::{PRESETS, Preset};
pub use stvk::StVenantKirchhoff;
pub use thermal::{Melting, Table, Thermal};
pub use viscosity::Viscosity;
pub use volume::WithVolume;

pub(crate) use any::with_law;
pub(crate) use thermal::kelvin;

/// The constants of a material, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The relation between strain and stress.
    pub law: LawKind,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Poisson's ratio, between −1 and 0.5, both excluded.
    pub poisson_ratio: f64,
    /// Mass per rest volume [kg/m³].
    pub density: f64,
    /// Extra resistance to volume change, `½ k_v (det F − 1)²` (Müller et al. 2004, eq. 7) [Pa].
    pub volume_stiffness: f64,
    /// Kelvin–Voigt shear viscosity [Pa s].
    pub viscosity: f64,
    /// Kelvin–Voigt viscosity against volume change [Pa s].
    pub bulk_viscosity: f64,
    /// Rayleigh damping proportional to mass, `alpha` [1/s].
    pub rayleigh_mass: f64,
    /// Rayleigh damping proportional to stiffness, `beta` [s].
    pub rayleigh_stiffness: f64,
    /// Coulomb friction coefficient of its surface; `None` where the other thing's counts.
    pub friction: Option<f64>,
    /// Part of the approach speed with which it leaves a collider or a rigid body, 0 to 1; the larger of both counts.
    pub restitution: f64,
    /// How it yields; `None` for matter that always finds back.
    pub plastic: Option<Plasticity>,
    /// What it does with heat; needed by bodies that have a temperature.
    pub thermal: Option<Thermal>,
    /// How it breaks; `None` for matter that never does.
    pub fracture: Option<Fracture>,
    /// What it looks like: red, green and blue as screens have them (sRGB). `None`: each body has a colour of its own.
    pub colour: Option<[u8; 3]>,
}

impl Default for Material {
    /// A soft jelly.
    fn default() -> Self {
        Material {
            law: LawKind::Corotated,
            young_modulus: 5.0e4,
            poisson_ratio: 0.45,
            density: 1000.0,
            volume_stiffness: 0.0,
            viscosity: 0.0,
            bulk_viscosity: 0.0,
            rayleigh_mass: 0.0,
            rayleigh_stiffness: 0.0,
            friction: None,
            restitution: 0.0,
            plastic: None,
            thermal: None,
            fracture: None,
            colour: None,
        }
    }
}

/// The relations between strain and stress.
#[derive(Clone, Debug, PartialEq)]
pub enum LawKind {
    /// Small strain; rotations create spurious stress.
    Linear,
    /// St. Venant–Kirchhoff: Green strain, isotropic.
    StVenantKirchhoff,
    /// Green strain with a 6x6 stiffness in Voigt order xx, yy, zz, yz, zx, xy and engineering shear [Pa].
    Anisotropic(Box<[[f64; 6]; 6]>),
    /// Linear in the stretch of the polar decomposition.
    Corotated,
    /// Stable neo-Hookean (Smith, de Goes, Kim 2018).
    NeoHookean,
}

impl LawKind {
    /// The name in scene files and results.
    pub fn name(&self) -> &'static str {
        match self {
            LawKind::Linear => "linear",
            LawKind::StVenantKirchhoff => "stvk",
            LawKind::Anisotropic(_) => "anisotropic",
            LawKind::Corotated => "corotated",
            LawKind::NeoHookean => "neo-hookean",
        }
    }
}

/// Lamé's constants `(lam, mu)` of a Young's modulus and a Poisson's ratio.
pub fn lame(young_modulus: f64, poisson_ratio: f64) -> (f64, f64) {
    let lam = young_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    (lam, young_modulus / (2.0 * (1.0 + poisson_ratio)))
}
