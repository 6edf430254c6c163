//! Springs that stay longer or shorter.

use super::Flow;
use super::Grain;
use super::inner::share;
use crate::math::{Mat3, Real};

/// Lets the rest length of a spring flow; `f` is its vector over the length at the start. Its whole stress is axial.
pub(super) fn settle<R: Real>(modulus: R, flow: &Flow<R>, f: &Mat3<R>, grain: &mut Grain<R>, dt: R) {
    let inverse = R::one() + grain.offset.0[0][0];
    let length = f.norm();
    let strain = length * inverse / (R::one() + grain.expansion) - R::one();
    let size = strain.abs();
    let flowed = match *flow {
        Flow::None => return,
        Flow::Strain { yield_strain, relaxation, max_strain } => {
            let limit = yield_strain * grain.strength;
            let absorbed = (size * share(relaxation, grain.fluidity, dt)).min(size - limit);
            let plastic = R::one() / inverse - R::one();
            // Towards the bound and not beyond it; back from it at any time.
            let outward = plastic * strain >= R::zero();
            if outward { absorbed.min(max_strain - plastic.abs()) } else { absorbed }
        }
        Flow::Stress { yield_stress, hardening, relaxation } => {
            let modulus = modulus * grain.stiffness;
            let above = modulus * size - (yield_stress + hardening * grain.plastic_strain) * grain.strength;
            above / (modulus + hardening * grain.strength) * share(relaxation, grain.fluidity, dt)
        }
    };
    if flowed.is_finite() && flowed > R::zero() && length > R::zero() {
        let left = if strain > R::zero() { strain - flowed } else { strain + flowed };
        let inverse = (R::one() + left) * (R::one() + grain.expansion) / length;
        grain.offset = Mat3::scaled_identity(inverse - R::one());
        grain.plastic_strain += flowed;
        grain.work += modulus * grain.stiffness * R::of(0.5) * (size * size - left * left);
    }
}
