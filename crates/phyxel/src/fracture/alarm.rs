//! Which elements may be near to breaking: a look at every element in every step, so it must be quick.

use crate::material::plastic::Inner;
use crate::material::{Law, with_law};
use crate::math::{Lanes, Mat3, Real, Scalar, Vec3};
use crate::par;
use crate::stencil::block::{Block, Stencils};
use crate::stencil::tets::WIDTH;

use super::criterion::principal_bound;

/// Rounding must not hide an element that is just strong enough.
const MARGIN: f64 = 0.999;

/// Sets `alarms` where the principal stress may reach `least` [Pa], or plastic strain `limit`. True when any is set.
pub(super) fn raise<R: Real>(
    block: &Block<R>,
    (u, inner): (&[Vec3<R>], Inner<'_, R>),
    (least, limit): (f64, f64),
    alarms: &mut Vec<bool>,
) -> bool {
    alarms.resize(block.len(), false);
    let least = MARGIN * least;
    match &block.stencils {
        Stencils::Tets(tets) if inner.is_empty() => with_law!(&block.law, law => {
            tets.map_gradients(
                u,
                alarms,
                // Inlined, so that the vector instructions of the loop reach it.
                #[inline(always)]
                |g: Mat3<Lanes<R, WIDTH>>| {
                    let (room, spread) = room_and_spread(g, law.stress_wide(g), Lanes::of(least));
                    std::array::from_fn(|k| is_near(room.0[k], spread.0[k]))
                },
                |g: Mat3<R>| {
                    let (room, spread) = room_and_spread(g, law.stress(g), R::of(least));
                    is_near(room, spread)
                },
            );
        }),
        _ => par::for_each(alarms, |e, alarm| {
            let (_, stress) = block.cauchy_stress(e, u, inner);
            let plastic = inner.grains.get(e).map_or(0.0, |g| g.plastic_strain.to_f64());
            *alarm = principal_bound(&Mat3(stress.to_f64())) >= least || plastic >= limit;
        }),
    }
    alarms.contains(&true)
}

/// What [`principal_bound`] compares, times `det F` and without a root: how far the mean of Kirchhoff's stress `P Fᵀ` is
/// below the strength, and `4 J₂/3`.
#[inline(always)]
fn room_and_spread<S: Scalar>(g: Mat3<S>, p: Mat3<S>, least: S) -> (S, S) {
    let f = g + Mat3::identity();
    let t = p * f.transpose();
    let third = S::of(1.0 / 3.0);
    let mean = t.trace() * third;
    let [dx, dy, dz] = [0, 1, 2].map(|k| t.0[k][k] - mean);
    let shear = |a: usize, b: usize| {
        let twice = t.0[a][b] + t.0[b][a];
        twice * twice
    };
    let squares = dx * dx + dy * dy + dz * dz;
    let j2 = squares * S::of(0.5) + (shear(0, 1) + shear(0, 2) + shear(1, 2)) * S::of(0.25);
    (least * f.det() - mean, j2 * S::of(4.0 / 3.0))
}

#[inline(always)]
fn is_near<R: Real>(room: R, spread: R) -> bool {
    room <= R::zero() || spread >= room * room
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::test_input::Numbers;

    #[test]
    fn the_quick_look_agrees_with_the_bound() {
        let mut numbers = Numbers::new(5);
        let mut near = 0;
        for _ in 0..500 {
            let g = numbers.matrix(0.2);
            let p = numbers.matrix(1.0);
            let f = g + Mat3::identity();
            let stress = p * f.transpose() * (1.0 / f.det());
            let least = 0.9;
            let (room, spread) = room_and_spread(g, p, least);
            let bound = principal_bound(&stress);
            assert_eq!(is_near(room, spread), bound >= least, "{bound}");
            near += is_near(room, spread) as usize;
        }
        assert!(near > 50 && near < 450, "{near}");
    }
}
