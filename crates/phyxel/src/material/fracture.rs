//! When matter breaks.

use super::checks::{finite, not_negative, positive};
use super::{Edges, Material, MaterialError, Plasticity};

/// How a material breaks.
///
/// A crack starts where the largest principal stress reaches the strength, square to its direction (Rankine's criterion;
/// Stegmayr 2008, section 4.1.3), and where plastic strain has used up what the matter can bear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fracture {
    /// Tensile strength [Pa]; across the grain where there is one. Infinite for matter that only its plastic strain breaks.
    pub strength: f64,
    /// Strength at the tip of a crack over `strength`, above 0 and up to 1: below one, cracks run more easily than they start.
    pub tip_strength: f64,
    /// Energy that a crack takes per area [J/m²]. Above zero it decides whether a crack runs on, whatever the size of the
    /// elements, instead of `tip_strength`; see [`Fracture::strength_at_tip`].
    pub fracture_energy: f64,
    /// Whether cracks give way over a length, so that they take `fracture_energy` whatever the size of the elements; if not,
    /// they open at once.
    pub softening: bool,
    /// Wood and other matter that is stronger along one direction.
    pub grain: Option<GrainStrength>,
    /// Accumulated plastic strain at which matter that yields breaks; infinite for never.
    pub plastic_limit: f64,
    /// How much the strength differs from place to place, as a share of it: 0.1 for ±10 %.
    pub scatter: f64,
    /// Chooses among such differences.
    pub seed: u64,
    /// What the faces of cracks are drawn as; 0 is the outside.
    pub interior: u32,
    /// How broken edges look; `None` for straight ones.
    pub edges: Option<Edges>,
}

/// Distance from the tip of a crack, in sizes of elements, at which the stress is the mean of those around the tip.
pub const TIP_DISTANCE: f64 = 0.5;

/// Strength along a direction of the rest shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainStrength {
    /// Along the fibres; of any length.
    pub direction: [f64; 3],
    /// Tensile strength along it [Pa].
    pub along: f64,
}

impl Fracture {
    /// Brittle matter of a tensile strength [Pa].
    pub const fn brittle(strength: f64) -> Self {
        Fracture {
            strength,
            tip_strength: 1.0,
            fracture_energy: 0.0,
            softening: false,
            grain: None,
            plastic_limit: f64::INFINITY,
            scatter: 0.0,
            seed: 0,
            interior: 1,
            edges: None,
        }
    }

    /// The energy per area [J/m²] of a fracture toughness [Pa √m]: Irwin's `G = K²/E`.
    pub fn energy_of_toughness(toughness: f64, young_modulus: f64) -> f64 {
        toughness * toughness / young_modulus
    }

    /// The stress [Pa] that elements of a size [m] show around the tip of a crack when it runs on.
    ///
    /// Stress grows without bound towards a tip, `K/√(2π r)`, so what elements show of it depends on their size. A mean over
    /// elements of size `h` around the tip is that at a distance proportional to `h`; a crack runs when `K² = G E`
    /// (Irwin 1957). With `TIP_DISTANCE`, notched beams of tetrahedra, smoothed or not, and of phyxels break within a fifth of
    /// what linear fracture mechanics says.
    pub fn strength_at_tip(&self, young_modulus: f64, size: f64) -> f64 {
        // A crack that gives way over a length needs no rule for its tip.
        if self.softening {
            return self.strength;
        }
        if self.fracture_energy <= 0.0 {
            return self.strength * self.tip_strength;
        }
        (self.fracture_energy * young_modulus / (std::f64::consts::TAU * TIP_DISTANCE * size)).sqrt()
    }

    /// Whether toughness decides where cracks run on: those that give way over a length need no rule for their tips.
    pub(crate) fn judges_tips(&self) -> bool {
        self.fracture_energy > 0.0 && !self.softening
    }

    /// Whether the constants make sense.
    pub fn check(&self) -> Result<(), MaterialError> {
        let typical = "chalk has 1e6, wood along the grain 8e7, glass 5e7, steel 4e8 Pa";
        above_zero("strength", self.strength, typical)?;
        above_zero("plastic_limit", self.plastic_limit, "0.2 for steel, 1 for copper")?;
        positive("tip_strength", self.tip_strength, "1 where cracks run no more easily than they start")?;
        if self.tip_strength > 1.0 {
            return Err(MaterialError::Share { field: "tip_strength", value: self.tip_strength });
        }
        not_negative("fracture_energy", self.fracture_energy)?;
        if self.softening {
            positive("fracture_energy", self.fracture_energy, "100 J/m² for concrete: softening needs one")?;
        }
        finite("scatter", self.scatter)?;
        if !(0.0..1.0).contains(&self.scatter) {
            return Err(MaterialError::Share { field: "scatter", value: self.scatter });
        }
        if let Some(edges) = &self.edges {
            edges.check()?;
        }
        if let Some(grain) = &self.grain {
            above_zero("grain_strength", grain.along, typical)?;
            grain.direction.iter().try_for_each(|c| finite("grain", *c))?;
            if grain.direction == [0.0; 3] {
                return Err(MaterialError::NoGrain);
            }
        }
        Ok(())
    }

    /// The smallest stress at which anything can break [Pa].
    pub fn least_strength(&self, young_modulus: f64, size: f64) -> f64 {
        let along = self.grain.map_or(f64::INFINITY, |grain| grain.along) / self.strength;
        self.strength.min(self.strength_at_tip(young_modulus, size)) * along.min(1.0)
    }
}

impl Material {
    /// Whether it stays solid and breaks when it has flowed so far.
    pub(crate) fn tears(&self) -> bool {
        let melts = self.thermal.as_ref().is_some_and(|thermal| thermal.melting.is_some());
        !melts && self.plastic.is_some() && self.fracture.is_some_and(|f| f.plastic_limit.is_finite())
    }

    /// The stress at which it begins to flow [Pa]; zero for matter that does not.
    pub(crate) fn flow_stress(&self) -> f64 {
        match self.plastic {
            Some(Plasticity::Stress { yield_stress, .. }) => yield_stress,
            Some(Plasticity::Strain { yield_strain, .. }) => yield_strain * self.young_modulus,
            None => 0.0,
        }
    }
}

/// Above zero; infinity is allowed.
fn above_zero(field: &'static str, value: f64, typical: &'static str) -> Result<(), MaterialError> {
    if value > 0.0 { Ok(()) } else { Err(MaterialError::NotPositive { field, value, typical }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_constants_are_named() {
        let sound = Fracture::brittle(1e6);
        assert_eq!(sound.check(), Ok(()));
        assert_eq!(Fracture { strength: f64::INFINITY, plastic_limit: 0.3, ..sound }.check(), Ok(()));
        let said = |fracture: Fracture| fracture.check().expect_err("a mistake").to_string();
        assert!(said(Fracture { strength: 0.0, ..sound }).starts_with("strength is 0: it must be above zero"));
        assert!(said(Fracture { strength: f64::NAN, ..sound }).starts_with("strength is NaN"));
        assert!(said(Fracture { tip_strength: 1.5, ..sound }).contains("between 0 and 1"));
        assert!(said(Fracture { scatter: 1.0, ..sound }).contains("scatter"));
        assert!(said(Fracture { fracture_energy: -1.0, ..sound }).contains("below zero"));
        assert!(said(Fracture { softening: true, ..sound }).contains("softening needs one"));
        let grain = |direction, along| Fracture { grain: Some(GrainStrength { direction, along }), ..sound };
        assert!(said(grain([0.0; 3], 1e7)).contains("the grain has no direction"));
        assert!(said(grain([1.0, 0.0, 0.0], -1.0)).starts_with("grain_strength is -1"));
        assert_eq!(grain([0.0, 2.0, 0.0], 1e7).check(), Ok(()));
    }

    #[test]
    fn toughness_is_energy() {
        assert_eq!(Fracture::energy_of_toughness(1e6, 1e9), 1e3);
    }
}
