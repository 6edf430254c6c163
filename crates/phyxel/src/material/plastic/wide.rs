//! Hooke's law on moderate logarithmic strains for several elements side by side: the same formulas, and the same bits, as
//! one by one. Elements whose strains are larger, or whose law is another, are left to the law of single ones.

use super::hencky::{Hencky, Surface, terms};
use super::inner::{InnerLaw, note_work};
use super::{Flow, Grain};
use crate::math::{Lanes, Mat3, Real};

/// The strains of several elements, and what the yield surface leaves of them.
struct Strains<R, const N: usize> {
    /// `F_e − I`, and `F_p⁻¹` over thermal expansion.
    elastic: Mat3<Lanes<R, N>>,
    plastic: Mat3<Lanes<R, N>>,
    trace: Lanes<R, N>,
    deviator: Mat3<Lanes<R, N>>,
    /// Von Mises stress of the trial.
    trial: Lanes<R, N>,
    ratio: Lanes<R, N>,
    increment: Lanes<R, N>,
    laws: [Hencky<R>; N],
    surfaces: [Option<Surface<R>>; N],
    moderate: [bool; N],
}

/// Which of the two symmetric products of a deformation its strain is made of.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    /// `F Fᵀ`, whose principal directions stress has.
    Left,
    /// `Fᵀ F`, whose principal directions flow has.
    Right,
}

impl<R: Real> InnerLaw<R> {
    /// First Piola–Kirchhoff stress [Pa] of an element per grain.
    #[inline(always)]
    pub fn stress_wide<const N: usize>(&self, g: &Mat3<Lanes<R, N>>, grains: &[Grain<R>], dt: R) -> Mat3<Lanes<R, N>> {
        let one_by_one = |lane: usize| self.stress(g.lane(lane), &grains[lane], dt);
        let mut stress = Mat3::<Lanes<R, N>>::zero();
        let mut done = [false; N];
        if let Some(strains) = self.strains(g, grains, (dt, Of::Left)) {
            let whole = Mat3::identity() + strains.elastic;
            let det = whole.det();
            let inverse = whole.cofactor().transpose() * det.map(|det| R::one() / det);
            let mut shear = strains.ratio;
            let mut swell = strains.trace;
            for lane in 0..N {
                let Hencky { bulk, mu } = strains.laws[lane];
                shear.0[lane] = (mu + mu) * shear.0[lane];
                swell.0[lane] = bulk * swell.0[lane];
                done[lane] = strains.moderate[lane] && det.0[lane].is_finite() && det.0[lane] != R::zero();
            }
            // P = τ F⁻ᵀ.
            let tau = Mat3::scaled_identity(swell) + strains.deviator * shear;
            stress = tau * inverse.transpose() * strains.plastic.transpose();
        }
        (0..grains.len()).filter(|lane| !done[*lane]).for_each(|lane| stress.set_lane(lane, &one_by_one(lane)));
        stress
    }

    /// Energy per rest volume of an element per grain; in the middle of a step, the incremental potential [J/m³].
    #[inline(always)]
    pub fn energy_wide<const N: usize>(&self, g: &Mat3<Lanes<R, N>>, grains: &[Grain<R>], dt: R) -> Lanes<R, N> {
        let mut energy = Lanes::<R, N>::default();
        let strains = self.strains(g, grains, (dt, Of::Left));
        for (lane, grain) in grains.iter().enumerate() {
            energy.0[lane] = match &strains {
                Some(s) if s.moderate[lane] => {
                    s.laws[lane].potential(s.trace.0[lane], &s.returned(lane), s.surfaces[lane])
                }
                _ => self.energy(g.lane(lane), grain, dt),
            };
        }
        energy
    }

    /// Lets grains flow for `dt` at deformations that stay.
    #[inline(always)]
    pub fn settle_wide<const N: usize>(&self, g: &Mat3<Lanes<R, N>>, grains: &mut [Grain<R>], dt: R) {
        let Some(strains) = self.strains(g, grains, (dt, Of::Right)) else {
            grains.iter_mut().enumerate().for_each(|(lane, grain)| self.settle(g.lane(lane), grain, dt));
            return;
        };
        let flows = |lane: usize| strains.moderate[lane] && strains.increment.0[lane] > R::zero();
        let flow = if (0..grains.len()).any(flows) {
            let lost = strains.ratio.map(|ratio| -(R::one() - ratio));
            exp_m1(&(strains.deviator * lost))
        } else {
            Mat3::zero()
        };
        for (lane, grain) in grains.iter_mut().enumerate() {
            if !strains.moderate[lane] {
                self.settle(g.lane(lane), grain, dt);
            } else if flows(lane) {
                let flow = flow.lane(lane);
                grain.offset = grain.offset + flow + grain.offset * flow;
                let after = strains.trial.0[lane] * strains.ratio.0[lane];
                note_work(grain, after, strains.increment.0[lane], strains.surfaces[lane]);
            }
        }
    }

    /// The strains of an element per grain; none where the law has no use for them.
    #[inline(always)]
    fn strains<const N: usize>(
        &self,
        g: &Mat3<Lanes<R, N>>,
        grains: &[Grain<R>],
        (dt, of): (R, Of),
    ) -> Option<Strains<R, N>> {
        let law = self.hencky().filter(|_| !self.is_small())?;
        if of == Of::Right && !matches!(self.flow(), Flow::Stress { .. }) {
            return None;
        }
        let mut laws = [law; N];
        let mut surfaces = [None; N];
        let mut less_one = Mat3::<Lanes<R, N>>::zero();
        for (lane, grain) in grains.iter().enumerate() {
            laws[lane] = law.scaled(grain.stiffness);
            surfaces[lane] = self.surface(&laws[lane], grain, dt);
            let shrink = R::one() / (R::one() + grain.expansion);
            less_one.set_lane(lane, &(grain.offset * shrink - Mat3::scaled_identity(grain.expansion * shrink)));
        }
        let elastic = less_one + *g + *g * less_one;
        let seen = if of == Of::Left { elastic } else { elastic.transpose() };
        let (strain, moderate) = log_strain(&seen);
        let trace = strain.trace();
        let deviator = strain - Mat3::scaled_identity(trace * Lanes([R::of(1.0 / 3.0); N]));
        let size = (Lanes([R::of(6.0); N]) * deviator.contract(&deviator)).map(R::sqrt);
        let (mut trial, mut ratio, mut increment) = (size, Lanes([R::one(); N]), Lanes::default());
        for lane in 0..N {
            trial.0[lane] = laws[lane].mu * size.0[lane];
            let returned = laws[lane].return_to(trial.0[lane], surfaces[lane]);
            (ratio.0[lane], increment.0[lane]) = (returned.ratio, returned.increment);
        }
        let plastic = Mat3::identity() + less_one;
        Some(Strains { elastic, plastic, trace, deviator, trial, ratio, increment, laws, surfaces, moderate })
    }
}

impl<R: Real, const N: usize> Strains<R, N> {
    #[inline(always)]
    fn returned(&self, lane: usize) -> super::hencky::Returned<R> {
        self.laws[lane].return_to(self.trial.0[lane], self.surfaces[lane])
    }
}

/// The logarithmic strains of several `F = I + G`, and whether each is moderate enough to be right.
#[inline(always)]
fn log_strain<R: Real, const N: usize>(g: &Mat3<Lanes<R, N>>) -> (Mat3<Lanes<R, N>>, [bool; N]) {
    let excess = *g + g.transpose() + *g * g.transpose();
    let whole = excess + Mat3::scaled_identity(Lanes([R::of(2.0); N]));
    let det = whole.det();
    let size = excess.contract(&excess);
    let limit = R::of(super::hencky::MODERATE * super::hencky::MODERATE);
    let moderate = std::array::from_fn(|k| size.0[k] < limit && det.0[k].is_finite() && det.0[k] != R::zero());
    let z = (excess * (whole.cofactor().transpose() * det.map(|det| R::one() / det))).symmetric_part();
    let square = z * z;
    let last = terms::<R>(4, 9) - 1;
    let odd = |k: usize| Mat3::scaled_identity(Lanes([R::one() / R::of((2 * k + 1) as f64); N]));
    let mut sum = odd(last);
    for k in (0..last).rev() {
        sum = odd(k) + square * sum;
    }
    ((z * sum).symmetric_part(), moderate)
}

/// `exp X − I` of several symmetric matrices that are at most as large as moderate strains are.
#[inline(always)]
fn exp_m1<R: Real, const N: usize>(x: &Mat3<Lanes<R, N>>) -> Mat3<Lanes<R, N>> {
    let mut sum = Mat3::identity();
    for k in (2..=terms::<R>(7, 14)).rev() {
        sum = Mat3::identity() + *x * sum * Lanes([R::one() / R::of(k as f64); N]);
    }
    (*x * sum).symmetric_part()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;
    use crate::material::{AnyLaw, LawKind, Part, Plasticity};
    use crate::math::test_input::Numbers;

    /// Grains that have flowed and grown, and deformations of all sizes, large ones among them.
    fn matter<R: Real>(numbers: &mut Numbers, k: usize) -> (Mat3<R>, Grain<R>) {
        let size = [0.0, 1e-4, 0.02, 0.3][k % 4];
        let mut noise =
            |size: f64| Mat3::<R>::of(std::array::from_fn(|_| std::array::from_fn(|_| size * numbers.uniform())));
        let (g, offset) = (noise(size), noise(0.05));
        let expansion = if k.is_multiple_of(3) { R::zero() } else { R::of(0.01) };
        (g, Grain { offset, expansion, stiffness: R::of(1.0 - 0.1 * (k % 5) as f64), ..Grain::default() })
    }

    fn compare<R: Real>(law: LawKind, plastic: Option<Plasticity>) {
        let material =
            Material { law: law.clone(), plastic, young_modulus: 10.0, poisson_ratio: 0.3, ..Material::default() };
        let inner = InnerLaw::<R>::new(&material, Part::Whole, AnyLaw::new(&material, Part::Whole));
        let mut numbers = Numbers::new(5);
        let dt = R::of(0.01);
        for round in 0..40 {
            let matter: Vec<(Mat3<R>, Grain<R>)> = (0..7).map(|k| matter(&mut numbers, round + k)).collect();
            let grains: Vec<Grain<R>> = matter.iter().map(|m| m.1).collect();
            let mut g = Mat3::<Lanes<R, 8>>::zero();
            matter.iter().enumerate().for_each(|(lane, m)| g.set_lane(lane, &m.0));
            let (stress, energy) = (inner.stress_wide(&g, &grains, dt), inner.energy_wide(&g, &grains, dt));
            let mut settled = grains.clone();
            inner.settle_wide(&g, &mut settled, dt);
            for (lane, (g, grain)) in matter.iter().enumerate() {
                assert_eq!(stress.lane(lane), inner.stress(*g, grain, dt), "{law:?} {lane}");
                assert_eq!(energy.0[lane], inner.energy(*g, grain, dt));
                let mut alone = *grain;
                inner.settle(*g, &mut alone, dt);
                assert_eq!(settled[lane], alone);
            }
        }
    }

    #[test]
    fn several_elements_find_what_each_finds_alone() {
        let stress =
            |relaxation_time: f64| Some(Plasticity::Stress { yield_stress: 0.3, hardening: 1.0, relaxation_time });
        let strain = Some(Plasticity::Strain { yield_strain: 0.02, relaxation_time: 0.1, max_strain: 1.0 });
        for plastic in [stress(0.0), stress(0.02), strain, None] {
            compare::<f32>(LawKind::Corotated, plastic);
            compare::<f64>(LawKind::Corotated, plastic);
        }
        compare::<f64>(LawKind::Linear, stress(0.0));
    }
}
