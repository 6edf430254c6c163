//! Carries out edits: the one place where topology changes.

use super::Edit;
use super::cohesion::Cohesion;
use super::fragile::{Pieces, sharpness};
use super::pool::Pool;
use super::refine::{Birth, refine};
use super::relabel::{Relabel, Sources};
use super::release::{stored_before, take_gains};
use super::renumber::{self, relabel_grains, relabel_model};
use super::reshape::Fit;
use super::split::Touched;
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::scene::Method;
use crate::solver::momentum::{self, Momentum};
use crate::state::State;
use crate::stencil::block::{Block, Stencils};
use rayon::prelude::*;

/// How a body hung together before it was edited.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier {
    pub tets: Vec<[u32; 4]>,
    pub edges: Vec<[u32; 2]>,
}

/// What edits have made of one body.
pub(super) struct Changed<R> {
    sources: Sources,
    births: Vec<Birth>,
    earlier: Earlier,
    /// What is different where the elements are the same as before; nothing where everything may be.
    fit: Option<Fit<R>>,
    /// Edits that wait for the next step.
    waiting: usize,
}

/// Bodies that have changed, each with what is different.
pub(super) type Changes<R> = Vec<(usize, Changed<R>)>;

impl<R> Changed<R> {
    /// How many nodes it has more than before.
    pub fn new_nodes(&self) -> usize {
        self.sources.copies().count()
    }
}

/// New nodes for each body below which bodies take from one budget, one after the other.
pub(super) const FAIR_SHARE: usize = 64;
/// Bodies that one thread takes at least.
const TASK: usize = 4;

/// Carries out edits on nodes that are numbered as they are now, and parts what they leave hanging together at a node alone,
/// with at most `budget` new nodes in all. Other bodies have been changed already. Says how nodes are numbered afterwards.
pub(super) fn apply<R: Real>(
    model: &mut Model<R>,
    state: &mut State<R>,
    (edits, budget, mut changes): (&[Edit], usize, Changes<R>),
    touched: &Pool<Touched>,
) -> Relabel {
    let mut relabel = Relabel::unchanged(model.bodies.iter().map(|b| b.nodes.clone()).collect());
    let mut earlier = vec![Earlier::default(); model.bodies.len()];
    let mut fits = Vec::with_capacity(changes.len());
    let more = change_bodies(model, state, (edits, budget), (&changes, touched));
    changes.extend(more);
    for (body, changed) in changes {
        relabel.sources[body] = Some(changed.sources);
        relabel.births[body] = changed.births;
        relabel.keeps_elements[body] = changed.fit.is_some();
        relabel.waiting += changed.waiting;
        earlier[body] = changed.earlier;
        fits.extend(changed.fit.map(|fit| (body, fit)));
    }
    relabel.count();
    let momenta: Vec<_> =
        relabel.cut().map(|b| (b, momentum::of_body(model, &model.bodies[b], &state.u, &state.v))).collect();
    let stored = stored_before(model, state, &relabel);
    renumber::move_up(model, Some(state), &relabel);
    relabel_grains(model, state, &relabel, &earlier);
    relabel_model(model, &relabel, (&fits, Some(&earlier)));
    keep_momenta(model, state, &momenta);
    take_gains(model, state, &relabel, &stored);
    state.forget();
    relabel
}

/// What all bodies have in common while they break.
pub(super) struct Ground<'a, R> {
    /// All nodes at rest.
    pub rest: &'a [Vec3<R>],
    pub state: &'a State<R>,
    /// Of the model.
    pub version: u64,
    /// Whether anything acts on faces, which must be found again.
    pub follow_faces: bool,
}

/// Whether anything acts on faces.
pub(super) fn follow_faces<R: Real>(model: &Model<R>) -> bool {
    !model.loads.pressures.is_empty() || model.heat.iter().any(Option::is_some)
}

/// What one thread does to one body.
pub(super) struct Task<'a, R> {
    pub body: usize,
    pub spec: &'a mut BodyModel,
    /// Its first block.
    pub block: Option<&'a mut Block<R>>,
    /// The edits of this body.
    pub run: &'a [Edit],
}

/// The bodies that have something to do, except those that `is_done` names.
fn tasks<'a, R: Real>(
    (bodies, blocks): (&'a mut [BodyModel], &'a mut [Block<R>]),
    edits: &'a [Edit],
    is_done: impl Fn(usize) -> bool,
) -> Vec<Task<'a, R>> {
    let (mut blocks, mut left) = (blocks.iter_mut().peekable(), edits);
    let mut tasks = Vec::new();
    for (body, spec) in bodies.iter_mut().enumerate() {
        let (run, others) = left.split_at(left.partition_point(|e| e.body() <= body));
        left = others;
        while blocks.next_if(|b| b.body < body).is_some() {}
        let wants = spec.fragile.as_ref().is_some_and(|f| !f.loose.is_empty() || !run.is_empty());
        if wants && !is_done(body) {
            tasks.push(Task { body, spec, block: blocks.next_if(|b| b.body == body), run });
        }
    }
    tasks
}

/// Lets each body fall apart; they have nothing to do with each other, so each thread takes some of them. What it gives
/// does not depend on how many threads there are: bodies have equal shares of the budget, and where these are small they take
/// from it in their order.
fn change_bodies<R: Real>(
    model: &mut Model<R>,
    state: &State<R>,
    (edits, budget): (&[Edit], usize),
    (done, touched): (&[(usize, Changed<R>)], &Pool<Touched>),
) -> Changes<R> {
    let mut left = budget.saturating_sub(edits.len());
    let follow_faces = follow_faces(model);
    let Model { bodies, blocks, rest, version, .. } = model;
    let ground = Ground { rest, state, version: *version, follow_faces };
    let change = |task: Task<'_, R>, left: &mut usize| {
        let body = task.body;
        let changed = touched.with(|touched| change_body(task, &ground, left, touched));
        changed.map(|changed| (body, changed))
    };
    let is_done = |body: usize| done.binary_search_by_key(&body, |d| d.0).is_ok();
    let tasks = tasks((bodies, blocks), edits, is_done);
    let share = left / tasks.len().max(1);
    if share < FAIR_SHARE {
        return tasks.into_iter().filter_map(|task| change(task, &mut left)).collect();
    }
    let changed = tasks.into_par_iter().with_min_len(TASK);
    changed.filter_map(|task| change(task, &mut share.clone())).collect()
}

/// Carries out the edits of one body, with at most `left` nodes more than they ask for.
pub(super) fn change_body<R: Real>(
    Task { spec, block, run, .. }: Task<'_, R>,
    ground: &Ground<'_, R>,
    left: &mut usize,
    touched: &mut Touched,
) -> Option<Changed<R>> {
    let Ground { rest, state, follow_faces, .. } = *ground;
    let at = |n: usize| Vec3(rest[n].to_f64()) + Vec3(state.u[n].to_f64());
    let (smoothed, density) = (is_smoothed_over_edges(spec.method), spec.material.density);
    let fragile = spec.fragile.as_mut()?;
    let mut earlier = Earlier::default();
    if let Pieces::Tets(tets) = &mut fragile.pieces {
        earlier.edges = std::mem::take(&mut tets.edges);
        if follow_faces {
            earlier.tets.clone_from(&tets.table.nodes);
        }
    }
    let cohesive = Cohesion::of(fragile, &spec.material).is_some();
    let before = fragile.origin.len();
    let (mut run, mut births, mut waiting) = (std::borrow::Cow::Borrowed(run), Vec::new(), 0);
    let cuts = fragile.cuts && !run.is_empty();
    if cuts {
        let mut places = spec.nodes.clone().map(at).collect();
        let (along_faces, born, late) = refine(fragile, &run, &mut places, left);
        (run, births, waiting) = (along_faces.into(), born, late);
    }
    let mut sources = fragile.split(&run, left, (cohesive, touched));
    if cuts {
        sources = follow_births(sources.beyond(before), &mut births);
        fragile.find_factors();
    }
    if let (true, Pieces::Tets(tets)) = (fragile.cuts, &fragile.pieces) {
        fragile.sharpness = sharpness(&tets.table);
    }
    let nodes = fragile.origin.len();
    let mut looked_around = false;
    if let Pieces::Tets(tets) = &mut fragile.pieces {
        match cuts {
            true => tets.refresh(nodes, smoothed),
            false => tets.refresh_edges(smoothed),
        }
        looked_around = !cuts;
    }
    let apart = match looked_around {
        true => fragile.part_fragments(touched, density, state.time),
        false => {
            fragile.find_fragments(density, state.time);
            true
        }
    };
    if apart || !fragile.debris.is_empty() {
        let rule = fragile.rule;
        fragile.sort_out(rule.as_ref());
    }
    fragile.renew_shell();
    // Only tetrahedra that are neither smoothed nor cut, nor stiff, have nothing else that depends on what has split.
    let simple = spec.method == Method::Tet && !cuts && fragile.debris.is_empty();
    let fit = match (&fragile.pieces, block.map(|b| &mut b.stencils)) {
        (Pieces::Tets(pieces), Some(Stencils::Tets(tets))) if simple => {
            let lists = (touched.nodes.as_flattened(), &touched.tets[..]);
            tets.follow(&pieces.table.nodes, pieces.incidence(), lists);
            Some(Fit::of(pieces, touched, density))
        }
        _ => None,
    };
    Some(Changed { sources, births, earlier, fit, waiting })
}

/// Nodes that were put on edges have no old number of their own: theirs is that of the first end. Their copies are born
/// where they are.
fn follow_births(mut sources: Sources, births: &mut Vec<Birth>) -> Sources {
    let own = births.clone();
    for (k, source) in sources.copies_mut() {
        let Some(birth) = own.iter().find(|b| b.node == *source) else { continue };
        *source = birth.ends[0];
        if birth.node as usize != k {
            births.push(Birth { node: k as u32, ..*birth });
        }
    }
    sources
}

/// New nodes on edges carry mass that was at the ends before: that keeps linear momentum, and changes spin by a little, which
/// is given back.
fn keep_momenta<R: Real>(model: &Model<R>, state: &mut State<R>, momenta: &[(usize, Momentum)]) {
    for (body, before) in momenta {
        let body = &model.bodies[*body];
        let now = momentum::of_body(model, body, &state.u, &state.v);
        let State { u, v, .. } = state;
        momentum::restore(model, [body].into_iter(), &now, (u, v), (before.linear, before.angular, 0.0));
    }
}

/// Whether a body's strains are smoothed over its edges.
pub(super) fn is_smoothed_over_edges(method: Method) -> bool {
    matches!(method, Method::Edge | Method::Selective)
}

/// Where a node of a body is now [m].
pub(super) fn place<R: Real>(model: &Model<R>, state: &State<R>, body: usize, node: u32) -> Vec3<f64> {
    let n = model.bodies[body].nodes.start + node as usize;
    model.place(n, state.u[n])
}
