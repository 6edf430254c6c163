//! Brings everything that is numbered by nodes in line with new numbers.

use super::apply::Earlier;
use super::fragile::Pieces;
use super::relabel::Relabel;
use super::reshape::Fit;
use super::supports::relabel_supports;
use super::surface;
use crate::contact::Vertex;
use crate::math::{Real, Vec3};
use crate::model::{Anchor, Model, Skin};
use crate::scene::Method;
use crate::state::State;
use crate::stencil::block::{Block, Stencils};
use rayon::prelude::*;

/// Nodes that get other numbers above which two threads move them.
const MANY: usize = 1024;

/// Gives every array over nodes its new ones, in the model and in a state.
pub(super) fn move_up<R: Real>(model: &mut Model<R>, state: Option<&mut State<R>>, relabel: &Relabel) {
    // Nothing is told apart where all are zero: loads of bodies without any, and radii of nodes of tetrahedra.
    let loaded = model.loads.loaded_bodies.contains(&true);
    let thick = model.bodies.iter().any(|b| !b.supports.is_empty() || matches!(b.skin, Skin::Embedded(_)));
    let nodes = relabel.node_count();
    let Model { rest, masses, at_surface, radii, loads, .. } = model;
    let (places, speeds) = match state {
        Some(State { u, v, enthalpy, .. }) => {
            relabel.values(enthalpy);
            (Some(u), Some(v))
        }
        None => (None, None),
    };
    let follow_places = || {
        places.into_iter().for_each(|u| relabel.even_values(u));
        relabel.even_values(rest);
    };
    let follow_others = || {
        speeds.into_iter().for_each(|v| relabel.even_values(v));
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
    if relabel.moving() > MANY {
        rayon::join(follow_places, follow_others);
    } else {
        follow_places();
        follow_others();
    }
}

/// What elements remember follows them.
pub(super) fn relabel_grains<R: Real>(model: &Model<R>, state: &mut State<R>, relabel: &Relabel, earlier: &[Earlier]) {
    for (k, grains) in state.grains.iter_mut().enumerate().filter(|(_, g)| !g.is_empty()) {
        let body = model.blocks[k].body;
        let (Some(sources), Some(fragile)) = (&relabel.sources[body], &model.bodies[body].fragile) else { continue };
        let first = model.blocks.iter().position(|b| b.body == body) == Some(k);
        match (model.bodies[body].method, &fragile.pieces) {
            (Method::Edge | Method::Selective, Pieces::Tets(tets)) if first => {
                let source = |n: u32| sources.of(n as usize);
                let old = |[a, b]: [u32; 2]| [source(a).min(source(b)), source(a).max(source(b))];
                let place = |edge: &[u32; 2]| earlier[body].edges.partition_point(|e| *e < old(*edge));
                *grains = tets.edges.iter().map(|edge| grains[place(edge)]).collect();
            }
            (Method::Node | Method::Selective | Method::Mls, _) => {
                *grains = sources.iter().map(|s| grains[s as usize]).collect()
            }
            _ => {}
        }
    }
}

/// A body of tetrahedra whose nodes were split, and what is different about it.
type Fitted<R> = (usize, Fit<R>);

/// Brings the rest of the model in line, whose arrays over nodes have been already; without what was `earlier`, what events
/// can change is left to a snapshot. For bodies that keep their elements, `fits` tells what is different.
pub(super) fn relabel_model<R: Real>(
    model: &mut Model<R>,
    relabel: &Relabel,
    (fits, earlier): (&[Fitted<R>], Option<&[Earlier]>),
) {
    renumber_bodies(model, relabel);
    for body in relabel.changed().filter(|b| !relabel.keeps_elements[*b]) {
        model.reshape(body);
    }
    for (body, fit) in fits {
        model.refit(*body, fit);
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

/// Gives bodies and their stencils their new numbers; bodies that change are left to be followed, or built anew.
fn renumber_bodies<R: Real>(model: &mut Model<R>, relabel: &Relabel) {
    let Model { bodies, blocks, heat, .. } = model;
    for (body, spec) in bodies.iter_mut().enumerate() {
        spec.nodes = relabel.new[body].clone();
        let shift = relabel.shift(body);
        if shift == 0 || relabel.sources[body].is_some() || spec.outside_is_old {
            continue;
        }
        let of_pieces = spec.fragile.as_ref().is_some_and(|f| matches!(f.pieces, Pieces::Tets(_)));
        if of_pieces && heat.get(body).is_none_or(Option::is_none) {
            // Its outside can be found from its pieces, when somebody asks for it.
            spec.outside_is_old = true;
        } else {
            spec.faces.as_flattened_mut().iter_mut().for_each(|n| *n = n.wrapping_add(shift as u32));
            spec.skin.shift(shift);
        }
    }
    let follow = |block: &mut Block<R>| match &mut block.stencils {
        Stencils::Tets(tets) => tets.begin_at(relabel.new[block.body].start),
        Stencils::General(general) => {
            let shift = relabel.shift(block.body);
            match &relabel.sources[block.body] {
                // Stencils of bodies that have run into each other are about nodes of both, which may move up by different
                // amounts.
                None if bodies[block.body].fused.union > 0 => general.renumber(|n| relabel.node(n)),
                None if shift != 0 => general.shift(shift),
                Some(sources) if !general.elastic.is_empty() => {
                    general.elastic = sources.iter().map(|s| general.elastic[s as usize]).collect();
                }
                _ => {}
            }
        }
    };
    match blocks.iter().all(|b| matches!(b.stencils, Stencils::Tets(_))) {
        true => blocks.iter_mut().for_each(follow),
        false => blocks.par_iter_mut().with_min_len(TASK).for_each(follow),
    }
}
