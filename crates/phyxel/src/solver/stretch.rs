//! How far blows may stretch matter, and how much stiffer that makes it.
//!
//! A law such as Saint Venant and Kirchhoff's stiffens when it is stretched, so a step that is stable for matter at rest may not be
//! for a piece that hits the ground. An estimate at the present shape does not help: matter that rings is stretched and squeezed in
//! turn, and the estimate may meet it squeezed, when it is softer than at rest. But a blow of speed `v` strains matter by about
//! `v/c`, the speed of waves being `c = √(E/ρ)`, and speeds are cheap to look at in every step. So whenever something has become
//! faster than the rest of its body, the stable step is also that of matter which is stretched as far as that speed can do it.
//! Should that not be far enough somewhere, what shakes itself there becomes faster, and is taken to be stretched farther. What
//! falls as a whole is stretched by nothing: where it hits something, its parts differ in speed from the next step on. For matter
//! that breaks in the step in which it hits, or is pressed flat in it, that is a step too late, so it counts as fast while it falls.
//!
//! Tetrahedra that can break are left out: their steps follow the fastest element alone (`regrow.rs`), which is about half as stiff
//! again as it is among others, and loose cubes of them gain nothing though they rattle at a third of the speed of waves.

use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::par;
use crate::state::State;
use crate::stencil::block::{Block, Stencils};

/// What has become so many times as fast may be stretched farther: the stable step is found again.
const FASTER: f64 = 1.5;
/// Below this share of the speed of waves stiffness changes by less than [`super::stable_step::SAFETY`] allows for.
const SLOW: f64 = 0.02;
/// How far matter is stretched by a blow, over `v/c`. In all directions: that stiffens Saint Venant and Kirchhoff's law by 3.9 times
/// the stretch, and one along a single direction by 2.7, so it stands for waves that meet, too.
const STRAIN: f64 = 1.0;

/// Nodes of a body whose mean speed stands for that of the whole.
const FEW: usize = 16;

/// How fast the fastest node of each body is beside the whole, over the speed of waves; zero for bodies of which that is no matter.
#[derive(Clone, Debug, Default)]
pub struct Speeds {
    /// When the stable step was found.
    pub known: Vec<f64>,
    now: Vec<f64>,
}

impl Speeds {
    /// Looks at all nodes that matter.
    pub fn look<R: Real>(&mut self, model: &Model<R>, state: &State<R>) {
        self.now.clear();
        self.now.resize(model.bodies.len(), 0.0);
        for block in &model.blocks {
            let body = &model.bodies[block.body];
            if !(matches!(block.stencils, Stencils::Tets(_)) && body.fragile.is_some()) {
                self.now[block.body] = speed(body, state);
            }
        }
    }

    /// Whether something has become so fast that the stable step must be found again.
    pub fn have_risen(&self) -> bool {
        self.now.iter().zip(&self.known).any(|(now, known)| *now > FASTER * known.max(SLOW))
    }

    /// Takes note that the stable step is found for these speeds; what was faster before counts still, where it `is_known`.
    pub fn note(&mut self, is_known: bool) {
        if !is_known {
            self.known.clear();
        }
        self.known.resize(self.now.len(), 0.0);
        self.known.iter_mut().zip(&self.now).for_each(|(known, now)| *known = known.max(*now));
    }

    /// Whether some matter is so fast that blows stretch it noticeably.
    pub fn stretch_something(&self) -> bool {
        self.known.iter().any(|speed| *speed > SLOW)
    }

    /// How far a body may be stretched before this is looked at again.
    fn strain(&self, body: usize) -> f64 {
        let speed = self.known.get(body).copied().filter(|speed| *speed > SLOW);
        STRAIN * FASTER * speed.unwrap_or(0.0)
    }
}

/// How fast the fastest node of a body is beside the whole, over the speed of waves.
fn speed<R: Real>(body: &BodyModel, state: &State<R>) -> f64 {
    let v = &state.v[body.nodes.clone()];
    let over_waves = |squared: f64| (squared * body.material.density / body.material.young_modulus).sqrt();
    let mut whole = speed_of_whole(v);
    // What may break is a whole no longer where it hits something, and what is as fast as its waves is flat before they have told.
    if body.fragile.is_some() || over_waves(whole.norm_squared().to_f64()) >= 1.0 {
        whole = Vec3::zero();
    }
    let speed = over_waves(par::max(v.len(), 0.0, |n| (v[n] - whole).norm_squared().to_f64()));
    // What is not a number is no speed to compare with.
    if speed.is_finite() { speed } else { 0.0 }
}

/// About how fast a body moves as a whole: a few of its nodes tell.
fn speed_of_whole<R: Real>(v: &[Vec3<R>]) -> Vec3<R> {
    let few = v.iter().step_by(v.len().div_ceil(FEW).max(1));
    let count = few.len().max(1);
    few.fold(Vec3::zero(), |sum, v| sum + *v) * (R::one() / R::of(count as f64))
}

/// Sets `out` to displacements at which every body is stretched in all directions as far as blows may do it. What flows or has no
/// rest shape stays as it is: it yields before it stiffens.
pub fn displacements<R: Real>(model: &Model<R>, state: &State<R>, speeds: &Speeds, out: &mut Vec<Vec3<R>>) {
    out.clone_from(&state.u);
    for (b, body) in model.bodies.iter().enumerate() {
        let flows = |(block, grains): (&Block<R>, &Vec<_>)| block.body == b && !grains.is_empty();
        let (strain, rest) = (R::of(speeds.strain(b)), &model.rest[body.nodes.clone()]);
        if strain > R::zero() && !model.is_updated(b) && !model.blocks.iter().zip(&state.grains).any(flows) {
            par::for_each(&mut out[body.nodes.clone()], |n, u| *u = (rest[n] - rest[0]) * strain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_as_a_whole_is_not_fast() {
        let falling = vec![Vec3([1.0, -3.0, 0.5]); 100];
        assert!((speed_of_whole(&falling) - falling[0]).norm() < 1e-12);
        assert_eq!(speed_of_whole::<f64>(&[]), Vec3::zero());
        // Where the lower half has been stopped, each half is fast.
        let stopped: Vec<Vec3<f64>> = (0..100).map(|n| if n < 50 { Vec3::zero() } else { falling[0] }).collect();
        let whole = speed_of_whole(&stopped);
        assert!((whole - falling[0] * 0.5).norm() < 0.1 * falling[0].norm(), "{whole:?}");
    }

    #[test]
    fn what_was_fast_counts_until_all_is_found_anew() {
        let mut speeds = Speeds { known: Vec::new(), now: vec![0.01, 0.1] };
        speeds.note(false);
        assert!(speeds.stretch_something() && !speeds.have_risen());
        assert_eq!((speeds.strain(0), speeds.strain(7)), (0.0, 0.0));
        assert!((speeds.strain(1) - 0.15 * STRAIN).abs() < 1e-12);
        speeds.now = vec![0.029, 0.05];
        assert!(!speeds.have_risen(), "below the speed at which it matters");
        speeds.now = vec![0.031, 0.05];
        assert!(speeds.have_risen());
        speeds.note(true);
        assert_eq!(speeds.known, [0.031, 0.1]);
        speeds.note(false);
        assert_eq!(speeds.known, [0.031, 0.05]);
    }
}
