//! All forces on all nodes.

use crate::material::plastic::Inners;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::stencil::block::BlockScratch;

/// Sets `out` to external plus elastic plus damping forces [N].
pub fn total<R: Real>(
    model: &Model<R>,
    (u, v, inner): (&[Vec3<R>], &[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
    out: &mut [Vec3<R>],
) {
    elastic_and_external(model, (u, inner), scratch, out);
    for (k, (block, scratch)) in model.blocks.iter().zip(scratch).enumerate() {
        block.add_damping_forces(&model.rest, (u, v, inner.of(k)), scratch, out);
    }
    for (body, &alpha) in model.bodies.iter().zip(&model.rayleigh_mass) {
        if alpha > R::zero() {
            let first = body.nodes.start;
            par::for_each(&mut out[body.nodes.clone()], |i, f| {
                *f -= v[first + i] * (model.masses[first + i] * alpha);
            });
        }
    }
}

/// Sets `out` to external plus elastic forces [N].
pub fn elastic_and_external<R: Real>(
    model: &Model<R>,
    (u, inner): (&[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
    out: &mut [Vec3<R>],
) {
    model.external_forces(u, out);
    for (k, (block, scratch)) in model.blocks.iter().zip(scratch).enumerate() {
        block.add_forces(&model.rest, (u, inner.of(k)), scratch, out);
    }
}

/// Elastic energy of everything [J].
pub fn elastic_energy<R: Real>(model: &Model<R>, u: &[Vec3<R>], inner: Inners<'_, R>) -> f64 {
    model.blocks.iter().enumerate().map(|(k, block)| block.energy(&model.rest, u, inner.of(k))).sum()
}
