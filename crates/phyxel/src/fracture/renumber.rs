//! Brings everything that is numbered by nodes in line with new numbers.

use super::apply::Earlier;
use super::fragile::Pieces;
use super::relabel::Relabel;
use super::supports::relabel_supports;
use super::surface;
use crate::contact::Vertex;
use crate::math::{Real, Vec3};
use crate::model::{Anchor, Model, Skin};
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
    // Nothing is told apart where all are zero: loads of bodies without any, and radii of nodes of tetrahedra.
    let loaded = model.loads.loaded_bodies.contains(&true);
    let thick = model.bodies.iter().any(|b| !b.supports.is_empty() || matches!(b.skin, Skin::Embedded(_)));
    let nodes = relabel.new.last().map_or(0, |b| b.end);
    let Model { rest, masses, at_surface, radii, loads, .. } = model;
    let follow_rest = || relabel.even_values(rest);
    let follow_others = || {
        relabel.values(masses);
        match loaded {
            true => relabel.values(&mut loads.dead),
            false => loads.dead.resize(nodes, Vec3::zero()),
        }
        match thick {
            true => relabel.values(radii),
            false => radii.resize(nodes, 0.0),
        }
        relabel.values(at_surface);
    };
    rayon::join(follow_rest, follow_others);
    renumber_bodies(model, relabel);
    for body in relabel.changed() {
        match &relabel.touched[body] {
            Some(touched) => model.refit(body, touched),
            None => model.reshape(body),
        }
    }
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
            // Stencils of bodies that have run into each other are about nodes of both, which may move up by different amounts.
            Stencils::General(general) if bodies[block.body].fused.union > 0 => general.renumber(|n| relabel.node(n)),
            Stencils::General(general) if shift != 0 && !changes => general.shift(shift),
            Stencils::General(_) => {}
        }
    };
    blocks.par_iter_mut().with_min_len(TASK).for_each(follow);
}
