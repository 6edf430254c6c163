//! All forces on all nodes.

use crate::material::plastic::Inners;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::state::State;
use crate::stencil::block::{Block, BlockScratch, Moment, Stencils};
use std::ops::Range;

/// Sets `out` to external plus elastic plus damping forces [N].
pub fn total<R: Real>(
    model: &Model<R>,
    (u, v, inner): (&[Vec3<R>], &[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
    out: &mut [Vec3<R>],
) {
    elastic_and_external(model, (u, inner), (scratch, None), out);
    add_damping(model, (u, v, inner), scratch, out);
}

/// The same at the start of a step: what looking at stresses has left behind at the end of the last one need not be found
/// again.
pub fn total_at_start<R: Real>(
    model: &Model<R>,
    state: &State<R>,
    scratch: &mut [BlockScratch<R>],
    out: &mut [Vec3<R>],
) {
    let now = Some((model.version, state.steps));
    elastic_and_external(model, (&state.u, state.inner(0.0)), (scratch, now), out);
    add_damping(model, (&state.u, &state.v, state.inner(0.0)), scratch, out);
}

fn add_damping<R: Real>(
    model: &Model<R>,
    (u, v, inner): (&[Vec3<R>], &[Vec3<R>], Inners<'_, R>),
    scratch: &mut [BlockScratch<R>],
    out: &mut [Vec3<R>],
) {
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
fn elastic_and_external<R: Real>(
    model: &Model<R>,
    (u, inner): (&[Vec3<R>], Inners<'_, R>),
    (scratch, now): (&mut [BlockScratch<R>], Option<Moment>),
    out: &mut [Vec3<R>],
) {
    if model.blocks.len() > 1 && inner.grains.iter().all(Vec::is_empty) && model.blocks.iter().all(has_own_nodes) {
        // Bodies with a block each have every node between them, and set what is steady when they come to it.
        let steady = model.blocks.len() == model.bodies.len() && model.has_steady_loads_alone();
        if !steady {
            model.external_forces(u, out);
        }
        return of_bodies(model, (0..model.blocks.len(), steady), (u, now), scratch, out);
    }
    model.external_forces(u, out);
    for (k, (block, scratch)) in model.blocks.iter().zip(scratch).enumerate() {
        let nodes = model.bodies[block.body].nodes.clone();
        let kept =
            inner.of(k).is_empty() && now.is_some_and(|now| block.add_kept_forces(now, scratch, &mut out[nodes]));
        if !kept {
            block.add_forces(&model.rest, (u, inner.of(k)), scratch, out);
        }
    }
}

/// Elements that one thread takes at least: small bodies go together.
const TASK: usize = 1024;

/// Whether a block has its nodes for itself: tetrahedra make one block of a body.
fn has_own_nodes<R: Real>(block: &Block<R>) -> bool {
    matches!(block.stencils, Stencils::Tets(_))
}

/// Adds the elastic forces of some blocks to `out`, which begins at the first node of the first, or to `steady` loads that are
/// set before; bodies share no nodes, so each thread takes some of them.
fn of_bodies<R: Real>(
    model: &Model<R>,
    (blocks, steady): (Range<usize>, bool),
    (u, now): (&[Vec3<R>], Option<Moment>),
    scratch: &mut [BlockScratch<R>],
    out: &mut [Vec3<R>],
) {
    let first_node = |k: usize| model.bodies[model.blocks[k].body].nodes.start;
    let base = first_node(blocks.start);
    let elements: usize = model.blocks[blocks.clone()].iter().map(Block::len).sum();
    if blocks.len() == 1 || elements <= TASK || rayon::current_num_threads() == 1 {
        for (k, scratch) in blocks.zip(scratch) {
            let nodes = &model.bodies[model.blocks[k].body].nodes;
            let own = &mut out[nodes.start - base..nodes.end - base];
            if steady {
                model.steady_forces(nodes.start, own);
            }
            if !now.is_some_and(|now| model.blocks[k].add_kept_forces(now, scratch, own)) {
                model.blocks[k].add_own_forces(u, scratch, own);
            }
        }
        return;
    }
    let middle = blocks.start + blocks.len() / 2;
    let (low_scratch, high_scratch) = scratch.split_at_mut(blocks.len() / 2);
    let (low, high) = out.split_at_mut(first_node(middle) - base);
    rayon::join(
        || of_bodies(model, (blocks.start..middle, steady), (u, now), low_scratch, low),
        || of_bodies(model, (middle..blocks.end, steady), (u, now), high_scratch, high),
    );
}

/// What the laws of everything store [J].
pub fn strain_energy<R: Real>(model: &Model<R>, u: &[Vec3<R>], inner: Inners<'_, R>) -> f64 {
    model.blocks.iter().enumerate().map(|(k, block)| block.strain_energy(u, inner.of(k))).sum()
}

/// What stabilisation stores [J].
pub fn residual_energy<R: Real>(model: &Model<R>, u: &[Vec3<R>], inner: Inners<'_, R>) -> f64 {
    model.blocks.iter().enumerate().map(|(k, block)| block.residual_energy(&model.rest, u, inner.of(k))).sum()
}

/// Elastic energy of everything [J].
pub fn elastic_energy<R: Real>(model: &Model<R>, u: &[Vec3<R>], inner: Inners<'_, R>) -> f64 {
    model.blocks.iter().enumerate().map(|(k, block)| block.energy(&model.rest, u, inner.of(k))).sum()
}
