//! Which elements may be near to breaking: a look at every element in every step, so it must be quick.

use crate::material::plastic::Inner;
use crate::material::{Law, with_law};
use crate::math::{Lanes, Mat3, Real, Scalar, Vec3};
use crate::par;
use crate::stencil::block::{Block, BlockScratch, Moment, Stencils};
use crate::stencil::tets::WIDTH;

use super::criterion::{STRONGEST, is_definite, minors, reaches};

/// Rounding must not hide an element that is just strong enough.
pub(super) const MARGIN: f64 = 0.999;

/// What elements bear.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    /// The least stress at which anything may break [Pa].
    pub least: f64,
    /// By how much more each tetrahedron bears; empty where all bear the same.
    pub factors: &'a [f64],
    /// The least of these.
    pub weakest: f64,
    /// Plastic strain at which matter breaks.
    pub plastic: f64,
}

/// Sets `alarms` where the principal stress may reach what elements bear, or plastic strain its limit. True when any is set.
/// Where there is `room` for them, the forces that follow from the same stresses are left there, for the step to come.
pub(super) fn raise<R: Real>(
    block: &Block<R>,
    (u, inner): (&[Vec3<R>], Inner<'_, R>),
    limits: &Limits<'_>,
    alarms: &mut Vec<bool>,
    room: Option<(&mut BlockScratch<R>, Moment)>,
) -> bool {
    alarms.resize(block.len(), false);
    match &block.stencils {
        Stencils::Tets(tets) if inner.is_empty() => with_law!(&block.law, law => match room {
            None => tets.map_gradients(
                u,
                alarms,
                // Inlined, so that the vector instructions of the loops reach them.
                #[inline(always)]
                |e, g| near_wide(law, (e, g), limits).1,
                |e, g| near(law, (e, g), limits).1,
            ),
            Some((scratch, now)) => {
                block.prepare(scratch);
                tets.map_with_forces(
                    u,
                    (&mut scratch.corner_forces, alarms),
                    #[inline(always)]
                    |e, g| near_wide(law, (e, g), limits),
                    |e, g| near(law, (e, g), limits),
                );
                scratch.kept = Some(now);
            }
        }),
        _ => {
            let least = MARGIN * limits.least * limits.weakest;
            par::for_each(alarms, |e, alarm| {
                let (_, stress) = block.cauchy_stress(e, u, inner);
                let plastic = inner.grains.get(e).map_or(0.0, |g| g.plastic_strain.to_f64());
                *alarm = reaches(&Mat3(stress.to_f64()), least) || plastic >= limits.plastic;
            });
        }
    }
    alarms.chunks(FEW).any(any)
}

/// Alarms that are looked at in one go.
const FEW: usize = 64;

/// Whether any of a few alarms is raised; without a way out, so that many are looked at by one instruction.
#[inline(always)]
pub(super) fn any(alarms: &[bool]) -> bool {
    alarms.iter().fold(false, |any, alarm| any | alarm)
}

/// Several tetrahedra side by side.
type Wide<R> = Lanes<R, WIDTH>;

/// The stresses of the tetrahedra from `e` on, and whether they are near to breaking.
#[inline(always)]
fn near_wide<R: Real>(
    law: &impl Law<R>,
    (e, g): (usize, Mat3<Wide<R>>),
    limits: &Limits<'_>,
) -> (Mat3<Wide<R>>, [bool; WIDTH]) {
    let stress = law.stress_wide(g);
    let least = (MARGIN * limits.least).min(STRONGEST);
    let least = match limits.factors.get(e..e + WIDTH) {
        Some(factors) => Lanes(std::array::from_fn(|k| R::of(least * factors[k]))),
        None => Lanes::of(least),
    };
    let [first, second, third] = minors_times_volume(g, stress, least);
    (stress, std::array::from_fn(|k| !is_definite([first.0[k], second.0[k], third.0[k]])))
}

/// The same for one of them.
#[inline(always)]
fn near<R: Real>(law: &impl Law<R>, (e, g): (usize, Mat3<R>), limits: &Limits<'_>) -> (Mat3<R>, bool) {
    let stress = law.stress(g);
    let least = (MARGIN * limits.least).min(STRONGEST) * limits.factors.get(e).copied().unwrap_or(1.0);
    (stress, !is_definite(minors_times_volume(g, stress, R::of(least))))
}

/// The [`minors`] of what is left of the strength, times `det F`, which spares a division: of Kirchhoff's stress `P Fᵀ`.
#[inline(always)]
fn minors_times_volume<S: Scalar>(g: Mat3<S>, p: Mat3<S>, least: S) -> [S; 3] {
    let f = g + Mat3::identity();
    minors(&(p * f.transpose()), least * f.det())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::eigen_symmetric;
    use crate::math::test_input::Numbers;

    #[test]
    fn the_quick_look_agrees_with_eigenvalues() {
        let mut numbers = Numbers::new(5);
        let mut near = 0;
        for _ in 0..500 {
            let g = numbers.matrix(0.2);
            let p = numbers.matrix(1.0);
            let f = g + Mat3::identity();
            let stress = p * f.transpose() * (1.0 / f.det());
            let least = 0.9;
            let largest = eigen_symmetric(&stress.symmetric_part()).0[0];
            let is_near = !is_definite(minors_times_volume(g, p, least));
            assert_eq!(is_near, largest >= least, "{largest}");
            near += is_near as usize;
        }
        assert!(near > 50 && near < 450, "{near}");
    }
}
