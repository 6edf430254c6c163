//! The law of a material, chosen once before the loops.

use super::{
    Anisotropic, Constraint, Corotated, Curvature, Fibre, Law, LawKind, Linear, Material, NeoHookean, Spectrum,
    StVenantKirchhoff, Tangent, WithVolume, lame,
};
use crate::math::{Lanes, Mat3, Real};

/// Any law. Loops match on it once, outside, with `with_law!`; it is a law itself for the places where speed is no matter.
#[derive(Clone, Copy, Debug, PartialEq)]
// The 6x6 stiffness is large, but there is one of these per body, and a box would cost it `Copy`.
#[allow(clippy::large_enum_variant)]
pub enum AnyLaw<R> {
    /// Hooke's law on the small strain.
    Linear(Linear<R>),
    /// Hooke's law on Green's strain.
    StVenantKirchhoff(StVenantKirchhoff<R>),
    /// A 6x6 stiffness on Green's strain.
    Anisotropic(Anisotropic<R>),
    /// Hooke's law on the stretch.
    Corotated(Corotated<R>),
    /// Stable neo-Hookean.
    NeoHookean(NeoHookean<R>),
    /// Two-node springs.
    Fibre(Fibre<R>),
    /// Linear with the volume term.
    LinearVolume(WithVolume<Linear<R>, R>),
    /// St. Venant–Kirchhoff with the volume term.
    StVenantKirchhoffVolume(WithVolume<StVenantKirchhoff<R>, R>),
    /// Anisotropic with the volume term.
    AnisotropicVolume(WithVolume<Anisotropic<R>, R>),
    /// Corotated with the volume term.
    CorotatedVolume(WithVolume<Corotated<R>, R>),
    /// Neo-Hookean with the volume term.
    NeoHookeanVolume(WithVolume<NeoHookean<R>, R>),
}

/// Matches every law: for the law that any law is, below.
macro_rules! each_law {
    ($any:expr, $law:ident => $body:expr) => {
        match $any {
            AnyLaw::Linear($law) => $body,
            AnyLaw::StVenantKirchhoff($law) => $body,
            AnyLaw::Anisotropic($law) => $body,
            AnyLaw::Corotated($law) => $body,
            AnyLaw::NeoHookean($law) => $body,
            AnyLaw::Fibre($law) => $body,
            AnyLaw::LinearVolume($law) => $body,
            AnyLaw::StVenantKirchhoffVolume($law) => $body,
            AnyLaw::AnisotropicVolume($law) => $body,
            AnyLaw::CorotatedVolume($law) => $body,
            AnyLaw::NeoHookeanVolume($law) => $body,
        }
    };
}

/// Matches an [`AnyLaw`] once and evaluates the expression with the law inside: `with_law!(any, law => kernel(law, …))`.
macro_rules! with_law {
    ($any:expr, $law:ident => $body:expr) => {
        match $any {
            $crate::material::AnyLaw::Linear($law) => $body,
            $crate::material::AnyLaw::StVenantKirchhoff($law) => $body,
            $crate::material::AnyLaw::Corotated($law) => $body,
            $crate::material::AnyLaw::NeoHookean($law) => $body,
            $crate::material::AnyLaw::Fibre($law) => $body,
            $crate::material::AnyLaw::StVenantKirchhoffVolume($law) => $body,
            // The rarer ones match again inside the loop: each loop compiled for them would cost every build.
            $law => $body,
        }
    };
}
pub(crate) use with_law;

/// Which share of a law a set of stencils carries; [`Part::Shear`] and [`Part::Volume`] add up to [`Part::Whole`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// `lam = 0` and no volume term. All of an anisotropic law.
    Shear,
    /// `mu = 0`, with the volume term. Nothing of an anisotropic law.
    Volume,
}

impl<R: Real> AnyLaw<R> {
    /// The law of a material, or a part of it.
    pub fn new(material: &Material, part: Part) -> Self {
        let (lam, mu) = lame(material.young_modulus, material.poisson_ratio);
        let lam = R::of(if part == Part::Shear { 0.0 } else { lam });
        let mu = R::of(if part == Part::Volume { 0.0 } else { mu });
        let law = match &material.law {
            LawKind::Linear => AnyLaw::Linear(Linear { lam, mu }),
            LawKind::StVenantKirchhoff => AnyLaw::StVenantKirchhoff(StVenantKirchhoff { lam, mu }),
            LawKind::Corotated => AnyLaw::Corotated(Corotated { lam, mu }),
            LawKind::NeoHookean => AnyLaw::NeoHookean(NeoHookean { lam, mu }),
            LawKind::Anisotropic(c) => {
                let share = if part == Part::Volume { 0.0 } else { 1.0 };
                AnyLaw::Anisotropic(Anisotropic { stiffness: c.map(|row| row.map(|x| R::of(share * x))) })
            }
        };
        let resists_volume_change = material.volume_stiffness != 0.0 && part != Part::Shear;
        if resists_volume_change { law.with_volume(R::of(material.volume_stiffness)) } else { law }
    }

    /// The law of two-node springs made of a material: its Young's modulus alone.
    pub fn fibre(material: &Material) -> Self {
        AnyLaw::Fibre(Fibre { modulus: R::of(material.young_modulus) })
    }

    /// Adds the volume term [Pa]; fibres have no volume and stay as they are.
    fn with_volume(self, stiffness: R) -> Self {
        match self {
            AnyLaw::Linear(law) => AnyLaw::LinearVolume(WithVolume { law, stiffness }),
            AnyLaw::StVenantKirchhoff(law) => AnyLaw::StVenantKirchhoffVolume(WithVolume { law, stiffness }),
            AnyLaw::Anisotropic(law) => AnyLaw::AnisotropicVolume(WithVolume { law, stiffness }),
            AnyLaw::Corotated(law) => AnyLaw::CorotatedVolume(WithVolume { law, stiffness }),
            AnyLaw::NeoHookean(law) => AnyLaw::NeoHookeanVolume(WithVolume { law, stiffness }),
            other => other,
        }
    }
}

impl<R: Real> Law<R> for AnyLaw<R> {
    fn energy(&self, g: Mat3<R>) -> R {
        each_law!(self, law => law.energy(g))
    }
    fn stress(&self, g: Mat3<R>) -> Mat3<R> {
        each_law!(self, law => law.stress(g))
    }
    fn stress_wide<const N: usize>(&self, g: Mat3<Lanes<R, N>>) -> Mat3<Lanes<R, N>> {
        each_law!(self, law => law.stress_wide(g))
    }
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        each_law!(self, law => law.tangent(g, curvature))
    }
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        each_law!(self, law => law.stress_change(g, dg, curvature))
    }
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        each_law!(self, law => law.constraints(g))
    }
    fn spectrum(&self, sigma: [R; 3]) -> Option<Spectrum<R>> {
        each_law!(self, law => law.spectrum(sigma))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Vec<LawKind> {
        let mut c = [[0.0; 6]; 6];
        for i in 0..6 {
            c[i][i] = 1e5 * (i + 3) as f64;
        }
        let laws = [LawKind::Linear, LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean];
        laws.into_iter().chain([LawKind::Anisotropic(Box::new(c))]).collect()
    }

    #[test]
    fn shear_and_volume_make_the_whole() {
        let g = Mat3([[0.2, 0.1, 0.0], [0.05, -0.1, 0.2], [0.0, -0.1, 0.1]]);
        for law in kinds() {
            for volume_stiffness in [0.0, 3e5] {
                let material = Material { law: law.clone(), volume_stiffness, ..Material::default() };
                let of = |part| AnyLaw::<f64>::new(&material, part).stress(g);
                let error = of(Part::Shear) + of(Part::Volume) - of(Part::Whole);
                assert!(error.norm() < 1e-12 * of(Part::Whole).norm(), "{}", law.name());
            }
        }
    }

    #[test]
    fn a_spring_takes_its_modulus_from_the_material() {
        let law = AnyLaw::<f32>::fibre(&Material { young_modulus: 2e6, ..Material::default() });
        assert_eq!(law, AnyLaw::Fibre(Fibre { modulus: 2e6 }));
    }
}
