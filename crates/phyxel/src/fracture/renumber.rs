//! Brings everything that is numbered by nodes in line with new numbers.

use super::apply::Earlier;
use super::fragile::Pieces;
use super::relabel::Relabel;
use super::supports::relabel_supports;
use super::surface;
use crate::contact::Vertex;
use crate::math::Real;
use crate::model::{Anchor, Model};
use crate::scene::Method;
use crate::state::State;
use crate::stencil::block::{Block, Stencils};
use rayon::prelude::*;

pub(super) fn relabel_state<R: Real>(model: &Model<R>, state: &mut State<R>, relabel: &Relabel, earlier: &[Earlier]) {
    let State { u, v, .. } = state;
    rayon::join(|| relabel.even_values(u), || relabel.even_values(v));
    relabel.values(&mut state.enthalpy);
    for (k, grains) in state.grains.iter_mut().enumerate().filter(|(_, g)| !g.is_empty()) {
        let body = model.blocks[k].body;
        let (Some(sources), Some(fragile)) = (&relabel.sources[body], &model.bodies[body].fragile) else { continue };
        let first = model.blocks.iter().position(|b| b.body == body) == Some(k);
        match (model.bodies[body].method, &fragile.pieces) {
            (Method::Edge | Method::Selective, Pieces::Tets(tets)) if first => {
                let source = |n: u32| sources[n as usize];
                let old = |[a, b]: [u32; 2]| [source(a).min(source(b)), source(a).max(source(b))];
                let place = |edge: &[u32; 2]| earlier[body].edges.partition_point(|e| *e < old(*edge));
                *grains = tets.edges.iter().map(|edge| grains[place(edge)]).collect();
            }
            (Method::Node | Method::Selective | Method::Mls, _) => {
                *grains = sources.iter().map(|s| grains[*s as usize]).collect()
            }
            _ => {}
        }
    }
}

/// Brings every array of the model in line; without `earlier` what events can change is left to a snapshot.
pub(super) fn relabel_model<R: Real>(model: &mut Model<R>, relabel: &Relabel, earlier: Option<&[Earlier]>) {
    let Model { rest, masses, at_surface, radii, loads, .. } = model;
    rayon::join(
        || {
            relabel.even_values(rest);
            relabel.values(masses);
        },
        || {
            relabel.values(&mut loads.dead);
            relabel.values(radii);
            relabel.values(at_surface);
        },
    );
    renumber_bodies(model, relabel);
    for body in relabel.changed() {
        match &relabel.touched[body] {
            Some(touched) => model.refit(body, touched),
            None => model.reshape(body),
        }
    }
    renumber_touchable(model, relabel);
    surface::rebuild(model, relabel);
    for (row, column, _) in &mut model.consistent_mass {
        (*row, *column) = (relabel.node(*row), relabel.node(*column));
    }
    for tie in &mut model.ties {
        tie.node = relabel.node(tie.node);
        if let Anchor::Body(Vertex { nodes, .. }) = &mut tie.anchor {
            *nodes = nodes.map(|n| relabel.node(n));
        }
    }
    if let Some(earlier) = earlier {
        relabel_supports(model, relabel, earlier);
    }
    model.version += 1;
}

/// Bodies that one thread takes at least: most only get other numbers.
const TASK: usize = 8;

/// Gives bodies and their stencils their new numbers; what is told about a body that changes is followed, and the rest of it
/// left to be built anew.
fn renumber_bodies<R: Real>(model: &mut Model<R>, relabel: &Relabel) {
    let Model { bodies, blocks, .. } = model;
    bodies.par_iter_mut().enumerate().with_min_len(TASK).for_each(|(body, spec)| {
        spec.nodes = relabel.new[body].clone();
        let shift = relabel.shift(body);
        if shift != 0 && relabel.sources[body].is_none() && !spec.outside_is_old {
            spec.faces.as_flattened_mut().iter_mut().for_each(|n| *n = n.wrapping_add(shift as u32));
            spec.skin.shift(shift);
        }
    });
    let follow = |block: &mut Block<R>| {
        let shift = relabel.shift(block.body);
        let changes = relabel.sources[block.body].is_some();
        let touched = relabel.touched[block.body].as_ref();
        match &mut block.stencils {
            Stencils::Tets(tets) => {
                if shift != 0 {
                    tets.shift(shift);
                }
                let pieces = bodies[block.body].fragile.as_ref().map(|f| &f.pieces);
                if let (Some(touched), Some(Pieces::Tets(pieces))) = (touched, pieces) {
                    let lists = (touched.nodes.as_flattened(), &touched.tets[..]);
                    tets.follow(&pieces.table.nodes, pieces.incidence(), lists);
                }
            }
            Stencils::General(general) if shift != 0 && !changes => general.shift(shift),
            Stencils::General(_) => {}
        }
    };
    blocks.par_iter_mut().with_min_len(TASK).for_each(follow);
}

/// Lists the nodes that can touch something, from the last body to the first, so that none is moved over one that has still to
/// move.
fn renumber_touchable<R: Real>(model: &mut Model<R>, relabel: &Relabel) {
    let Model { touchable, at_surface, .. } = model;
    let before = |body: usize| touchable.partition_point(|n| (*n as usize) < relabel.old[body].start);
    let mut starts: Vec<usize> = (0..relabel.old.len()).map(before).collect();
    starts.push(touchable.len());
    let had = |body: usize| starts[body + 1] - starts[body];
    let count = |body: usize| match &relabel.sources[body] {
        None => had(body),
        Some(_) => at_surface[relabel.new[body].clone()].iter().filter(|is| **is).count(),
    };
    let counts: Vec<usize> = (0..relabel.old.len()).map(count).collect();
    if (0..counts.len()).any(|body| counts[body] < had(body)) {
        *touchable = (0..at_surface.len() as u32).filter(|n| at_surface[*n as usize]).collect();
        return;
    }
    let mut end = counts.iter().sum();
    touchable.resize(end, 0);
    for body in (0..counts.len()).rev() {
        let own = end - counts[body]..end;
        end = own.start;
        if relabel.sources[body].is_some() {
            let nodes = relabel.new[body].clone().filter(|n| at_surface[*n]);
            touchable[own].iter_mut().zip(nodes).for_each(|(to, n)| *to = n as u32);
            continue;
        }
        touchable.copy_within(starts[body]..starts[body + 1], own.start);
        let shift = relabel.shift(body) as u32;
        touchable[own].iter_mut().for_each(|n| *n = n.wrapping_add(shift));
    }
}
