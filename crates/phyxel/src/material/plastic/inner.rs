//! The law of an element with a grain: elastic part first, then the law, then back.

use super::hencky::{Hencky, Surface};
use super::strain::{StrainRule, absorb, absorb_small};
use super::{Flow, Grain, Plasticity, fibre, small};
use crate::material::{AnyLaw, Constraint, Curvature, Law, LawKind, Material, Part, Tangent, lame};
use crate::math::{Mat3, Real};

/// What a block's elements do with their grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerLaw<R> {
    response: Response<R>,
    flow: Flow<R>,
    /// In which shear stress of the melt relaxes, viscosity over shear modulus [s]; zero for matter that stays solid.
    melt_time: R,
}

/// The elastic part.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // one per block
enum Response<R> {
    /// The law itself on `F_e`.
    Law(AnyLaw<R>),
    /// Logarithmic strain.
    Hencky(Hencky<R>),
    /// Small strain.
    Small(Hencky<R>),
}

/// The share of an excess that goes within `dt` at a relaxation time.
#[inline]
pub(super) fn share<R: Real>(relaxation: R, fluidity: R, dt: R) -> R {
    if relaxation <= R::zero() { R::one() } else { -((-dt * fluidity / relaxation).exp_m1()) }
}

impl<R: Real> InnerLaw<R> {
    /// For a part of a material; `law` is the block's own.
    pub fn new(material: &Material, part: Part, law: AnyLaw<R>) -> Self {
        let melting = material.thermal.as_ref().and_then(|t| t.melting);
        let flow = match plasticity(material) {
            None => Flow::None,
            Some(Plasticity::Strain { yield_strain, relaxation_time, max_strain }) => Flow::Strain {
                yield_strain: R::of(yield_strain),
                relaxation: R::of(relaxation_time),
                max_strain: R::of(max_strain),
            },
            Some(Plasticity::Stress { yield_stress, hardening, relaxation_time }) => Flow::Stress {
                yield_stress: R::of(yield_stress),
                hardening: R::of(hardening),
                relaxation: R::of(relaxation_time),
            },
        };
        let (_, mu) = lame(material.young_modulus, material.poisson_ratio);
        let melt_time = R::of(melting.map_or(0.0, |m| m.viscosity / mu));
        InnerLaw { response: Response::new(material, part, law, matches!(flow, Flow::Stress { .. })), flow, melt_time }
    }

    /// Whether anything can flow.
    pub fn flows(&self) -> bool {
        self.flow != Flow::None
    }

    /// Hooke's constants where stress is that of a yield surface, on the logarithmic or, where [`Self::is_small`], on the small
    /// strain; none where the block's own law acts.
    pub fn hencky(&self) -> Option<Hencky<R>> {
        match self.response {
            Response::Law(_) => None,
            Response::Hencky(law) | Response::Small(law) => Some(law),
        }
    }

    /// How it flows.
    #[inline(always)]
    pub(super) fn flow(&self) -> Flow<R> {
        self.flow
    }

    /// How it yields, if it does.
    pub fn plasticity(&self) -> Option<Plasticity> {
        match self.flow {
            Flow::None => None,
            Flow::Strain { yield_strain, relaxation, max_strain } => Some(Plasticity::Strain {
                yield_strain: yield_strain.to_f64(),
                relaxation_time: relaxation.to_f64(),
                max_strain: max_strain.to_f64(),
            }),
            Flow::Stress { yield_stress, hardening, relaxation } => Some(Plasticity::Stress {
                yield_stress: yield_stress.to_f64(),
                hardening: hardening.to_f64(),
                relaxation_time: relaxation.to_f64(),
            }),
        }
    }

    /// Whether stress is linear in strain at any strain, as long as nothing flows.
    pub fn is_small(&self) -> bool {
        matches!(self.response, Response::Small(_) | Response::Law(AnyLaw::Linear(_)))
    }

    /// Whether evaluations return to a yield surface.
    pub fn returns(&self) -> bool {
        matches!(self.flow, Flow::Stress { .. }) && !matches!(self.response, Response::Law(_))
    }

    /// Where flow begins for a grain within `dt`.
    #[inline(always)]
    pub(super) fn surface(&self, law: &Hencky<R>, grain: &Grain<R>, dt: R) -> Option<Surface<R>> {
        let Flow::Stress { yield_stress, hardening, relaxation } = self.flow else { return None };
        if dt < R::zero() {
            return None;
        }
        let hardening = hardening * grain.strength;
        let strength = yield_stress * grain.strength + hardening * grain.plastic_strain;
        let part = if grain.molten > R::zero() {
            // Backward Euler's share, whose stress is that of a viscous liquid however long the step.
            let time = relaxation / grain.fluidity + self.melt_time * grain.molten;
            dt / (dt + time)
        } else {
            share(relaxation, grain.fluidity, dt)
        };
        if law.mu <= R::zero() || part <= R::zero() {
            return None;
        }
        let three_mu = R::of(3.0) * law.mu;
        // Flowing a share of the way is flowing all the way against more hardening.
        Some(Surface { strength, slope: (three_mu + hardening) / part - three_mu })
    }

    /// `F_e − I` (the strain's own gradient where it is small, `F_e` of a fibre) and `A = F_p⁻¹ / (1 + expansion)`.
    #[inline]
    fn elastic(&self, g: Mat3<R>, grain: &Grain<R>) -> (Mat3<R>, Mat3<R>) {
        let shrink = R::one() / (R::one() + grain.expansion);
        match self.response {
            Response::Small(_) | Response::Law(AnyLaw::Linear(_)) => {
                (g + grain.offset - Mat3::scaled_identity(grain.expansion), Mat3::identity())
            }
            Response::Law(AnyLaw::Fibre(_)) => {
                let a = (R::one() + grain.offset.0[0][0]) * shrink;
                (g * a, Mat3::scaled_identity(a))
            }
            _ => {
                let less_one = grain.offset * shrink - Mat3::scaled_identity(grain.expansion * shrink);
                (less_one + g + g * less_one, Mat3::identity() + less_one)
            }
        }
    }

    /// Energy per rest volume; in the middle of a step, the incremental potential [J/m³].
    pub fn energy(&self, g: Mat3<R>, grain: &Grain<R>, dt: R) -> R {
        let (g, _) = self.elastic(g, grain);
        match &self.response {
            Response::Law(law) => law.energy(g) * grain.stiffness,
            Response::Hencky(law) => {
                let law = law.scaled(grain.stiffness);
                law.energy(g, self.surface(&law, grain, dt))
            }
            Response::Small(law) => {
                let law = law.scaled(grain.stiffness);
                small::energy(&law, g, self.surface(&law, grain, dt))
            }
        }
    }

    /// First Piola–Kirchhoff stress [Pa].
    pub fn stress(&self, g: Mat3<R>, grain: &Grain<R>, dt: R) -> Mat3<R> {
        let (g, a) = self.elastic(g, grain);
        let stress = match &self.response {
            Response::Law(law) => law.stress(g) * grain.stiffness,
            Response::Hencky(law) => {
                let law = law.scaled(grain.stiffness);
                law.stress(g, self.surface(&law, grain, dt))
            }
            Response::Small(law) => {
                let law = law.scaled(grain.stiffness);
                small::stress(&law, g, self.surface(&law, grain, dt))
            }
        };
        stress * a.transpose()
    }

    /// `∂P/∂F` [Pa].
    pub fn tangent(&self, g: Mat3<R>, grain: &Grain<R>, dt: R, curvature: Curvature) -> Tangent<R> {
        let (g, a) = self.elastic(g, grain);
        match &self.response {
            Response::Law(law) => {
                let mut tangent = law.tangent(g, curvature);
                tangent.scale(grain.stiffness);
                tangent.seen_through(&a)
            }
            Response::Hencky(law) => {
                let law = law.scaled(grain.stiffness);
                law.tangent(g, self.surface(&law, grain, dt), curvature).seen_through(&a)
            }
            Response::Small(law) => {
                let law = law.scaled(grain.stiffness);
                small::tangent(&law, g, self.surface(&law, grain, dt))
            }
        }
    }

    /// `∂P/∂F : δF` [Pa].
    pub fn stress_change(&self, (g, dg): (Mat3<R>, Mat3<R>), grain: &Grain<R>, dt: R, curvature: Curvature) -> Mat3<R> {
        let (g, a) = self.elastic(g, grain);
        let change = match &self.response {
            Response::Law(law) => law.stress_change(g, dg * a, curvature) * grain.stiffness,
            Response::Hencky(law) => {
                let law = law.scaled(grain.stiffness);
                law.change(g, &(dg * a), self.surface(&law, grain, dt), curvature)
            }
            Response::Small(law) => {
                let law = law.scaled(grain.stiffness);
                small::change(&law, g, &dg, self.surface(&law, grain, dt))
            }
        };
        change * a.transpose()
    }

    /// The law as springs, for position-based methods; flow waits for the end of the step.
    pub fn constraints(&self, g: Mat3<R>, grain: &Grain<R>) -> [Constraint<R>; 3] {
        let (g, a) = self.elastic(g, grain);
        let constraints = match &self.response {
            Response::Law(law) => law.constraints(g),
            Response::Hencky(law) => law.constraints(g),
            Response::Small(law) => small::constraints(law, g),
        };
        constraints.map(|c| Constraint {
            gradient: c.gradient * a.transpose(),
            modulus: c.modulus * grain.stiffness,
            ..c
        })
    }

    /// Lets the grain flow for `dt` at a deformation that stays.
    pub fn settle(&self, g: Mat3<R>, grain: &mut Grain<R>, dt: R) {
        if self.flow == Flow::None {
            return;
        }
        let (elastic, _) = self.elastic(g, grain);
        match (&self.response, self.flow) {
            (_, Flow::None) => {}
            (Response::Law(AnyLaw::Fibre(law)), flow) => fibre::settle(law.modulus, &flow, &g, grain, dt),
            (Response::Hencky(law), Flow::Stress { .. }) => {
                let law = law.scaled(grain.stiffness);
                let surface = self.surface(&law, grain, dt);
                if let Some((flow, returned)) = law.flow(elastic, surface) {
                    grain.offset = grain.offset + flow + grain.offset * flow;
                    note_work(grain, returned.trial * returned.ratio, returned.increment, surface);
                }
            }
            (Response::Small(law), Flow::Stress { .. }) => {
                let law = law.scaled(grain.stiffness);
                let surface = self.surface(&law, grain, dt);
                if let Some((flow, returned)) = small::flow(&law, elastic, surface) {
                    grain.offset -= flow;
                    note_work(grain, returned.trial * returned.ratio, returned.increment, surface);
                }
            }
            (_, Flow::Strain { yield_strain, relaxation, max_strain }) => {
                let rule = StrainRule { yield_strain, relaxation, max_strain };
                let before = self.energy(g, grain, dt);
                let absorb = if self.is_small() { absorb_small } else { absorb };
                let absorbed = absorb(&rule, &elastic, grain, dt);
                if absorbed > R::zero() {
                    grain.plastic_strain += absorbed * R::of((2.0f64 / 3.0).sqrt());
                    grain.work += (before - self.energy(g, grain, dt)).max(R::zero());
                }
            }
            // A law that yields by stress is one of the two above.
            (Response::Law(_), Flow::Stress { .. }) => {}
        }
    }

    /// Secant stiffness of flowing matter over the elastic one: what stabilisation may resist with, as it cannot flow itself.
    pub fn penalty_factor(&self, grain: &Grain<R>) -> R {
        let mut factor = grain.stiffness;
        if let (Flow::Stress { yield_stress, hardening, .. }, Response::Hencky(law) | Response::Small(law)) =
            (self.flow, &self.response)
        {
            let strength = (yield_stress + hardening * grain.plastic_strain) * grain.strength;
            let three_mu = R::of(3.0) * law.mu * grain.stiffness;
            if three_mu > R::zero() {
                factor = factor * (strength / (strength + three_mu * grain.plastic_strain));
            }
        }
        // Of a melt, as little as keeps its phyxels from running through each other.
        factor * (R::one() - grain.molten).max(R::of(0.01))
    }
}

/// How a material yields; one that melts yields by stress, because its melt does.
fn plasticity(material: &Material) -> Option<Plasticity> {
    if material.thermal.as_ref().is_none_or(|t| t.melting.is_none()) {
        return material.plastic;
    }
    Some(match material.plastic {
        Some(stress @ Plasticity::Stress { .. }) => stress,
        Some(Plasticity::Strain { yield_strain, relaxation_time, .. }) => {
            let yield_stress = yield_strain * material.young_modulus;
            Plasticity::Stress { yield_stress, hardening: 0.0, relaxation_time }
        }
        None => {
            let yield_stress = BRITTLE_YIELD_STRAIN * material.young_modulus;
            Plasticity::Stress { yield_stress, hardening: 0.0, relaxation_time: 0.0 }
        }
    })
}

/// Where matter that melts but is not said to yield does so after all.
const BRITTLE_YIELD_STRAIN: f64 = 0.1;

/// Plastic work of an increment at the mean of the yield stress before and the stress after.
pub(super) fn note_work<R: Real>(grain: &mut Grain<R>, after: R, increment: R, surface: Option<Surface<R>>) {
    let before = surface.map_or(after, |s| s.strength);
    grain.work += R::of(0.5) * (before + after) * increment;
    grain.plastic_strain += increment;
}

impl<R: Real> Response<R> {
    fn new(material: &Material, part: Part, law: AnyLaw<R>, by_stress: bool) -> Self {
        // Volume stencils of selective smoothing do not flow with their shear stencils: their resistance must depend on the
        // volume alone.
        let split = part != Part::Whole && !matches!(plasticity(material), Some(Plasticity::Strain { .. }));
        if matches!(law, AnyLaw::Fibre(_)) || !(by_stress || split) {
            return Response::Law(law);
        }
        let (lam, mu) = lame(material.young_modulus, material.poisson_ratio);
        let bulk = lam + mu * 2.0 / 3.0 + material.volume_stiffness;
        let bulk = R::of(if part == Part::Shear { 0.0 } else { bulk });
        let mu = R::of(if part == Part::Volume { 0.0 } else { mu });
        let law = Hencky { bulk, mu };
        if material.law == LawKind::Linear { Response::Small(law) } else { Response::Hencky(law) }
    }
}

impl<R: Real> Hencky<R> {
    #[inline(always)]
    pub(super) fn scaled(&self, factor: R) -> Self {
        Hencky { bulk: self.bulk * factor, mu: self.mu * factor }
    }
}
