//! Carries out edits: the one place where topology changes.

use super::Edit;
use super::cohesion::Cohesion;
use super::fragile::{Pieces, sharpness};
use super::refine::{Birth, refine};
use super::relabel::Relabel;
use super::renumber::{relabel_model, relabel_state};
use super::split::Touched;
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::scene::Method;
use crate::solver::momentum::{self, Momentum};
use crate::state::State;
use rayon::prelude::*;

/// How a body hung together before it was edited.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier {
    pub tets: Vec<[u32; 4]>,
    pub edges: Vec<[u32; 2]>,
}

/// What edits have made of one body.
struct Changed {
    /// The old node of each new one.
    sources: Vec<u32>,
    births: Vec<Birth>,
    earlier: Earlier,
    /// What is different; nothing where everything may be.
    touched: Option<Touched>,
    /// Edits that wait for the next step.
    waiting: usize,
}

/// New nodes for each body below which bodies take from one budget, one after the other.
const FAIR_SHARE: usize = 64;

/// Carries out edits on nodes that are numbered as they are now, and parts what they leave hanging together at a node alone,
/// with at most `budget` new nodes in all; says how nodes are numbered afterwards.
pub(super) fn apply<R: Real>(model: &mut Model<R>, state: &mut State<R>, edits: &[Edit], budget: usize) -> Relabel {
    let old: Vec<_> = model.bodies.iter().map(|b| b.nodes.clone()).collect();
    let changes = change_bodies(model, state, edits, budget);
    let mut relabel = Relabel::unchanged(&old);
    let mut earlier = vec![Earlier::default(); old.len()];
    for (body, changed) in changes.into_iter().enumerate() {
        let Some(changed) = changed else { continue };
        relabel.sources[body] = Some(changed.sources);
        (relabel.births[body], relabel.touched[body]) = (changed.births, changed.touched);
        earlier[body] = changed.earlier;
        relabel.waiting += changed.waiting;
    }
    relabel.count();
    let momenta: Vec<_> =
        relabel.cut().map(|b| (b, momentum::of_body(model, &model.bodies[b], &state.u, &state.v))).collect();
    relabel_state(model, state, &relabel, &earlier);
    relabel_model(model, &relabel, Some(&earlier));
    keep_momenta(model, state, &momenta);
    state.forget();
    relabel
}

/// Lets each body fall apart; they have nothing to do with each other, so each thread takes some of them. What it gives
/// does not depend on how many threads there are: bodies have equal shares of the budget, and where these are small they take
/// from it in their order.
fn change_bodies<R: Real>(
    model: &mut Model<R>,
    state: &State<R>,
    edits: &[Edit],
    budget: usize,
) -> Vec<Option<Changed>> {
    let run = |body: usize| {
        let start = edits.partition_point(|e| e.body() < body);
        &edits[start..start + edits[start..].partition_point(|e| e.body() <= body)]
    };
    let wants = |body: usize, spec: &BodyModel| {
        spec.fragile.as_ref().is_some_and(|f| !f.loose.is_empty() || !run(body).is_empty())
    };
    let some = model.bodies.iter().enumerate().filter(|(body, spec)| wants(*body, spec)).count();
    let mut left = budget.saturating_sub(edits.len());
    let follow_faces = !model.loads.pressures.is_empty() || model.heat.iter().any(Option::is_some);
    let Model { bodies, rest, .. } = model;
    let at = |n: usize| Vec3(rest[n].to_f64()) + Vec3(state.u[n].to_f64());
    let change = |body: usize, spec: &mut BodyModel, left: &mut usize| {
        wants(body, spec).then(|| change_body(spec, run(body), (at, state.time, follow_faces), left)).flatten()
    };
    let share = left / some.max(1);
    if share < FAIR_SHARE {
        return bodies.iter_mut().enumerate().map(|(body, spec)| change(body, spec, &mut left)).collect();
    }
    bodies.par_iter_mut().enumerate().map(|(body, spec)| change(body, spec, &mut share.clone())).collect()
}

fn change_body(
    spec: &mut BodyModel,
    run: &[Edit],
    (at, time, follow_faces): (impl Fn(usize) -> Vec3<f64>, f64, bool),
    left: &mut usize,
) -> Option<Changed> {
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
    let (mut sources, touched) = fragile.split(&run, left, cohesive);
    follow_births(&mut sources, before, &mut births);
    if let (true, Pieces::Tets(tets)) = (fragile.cuts, &fragile.pieces) {
        fragile.sharpness = sharpness(&tets.table);
    }
    if cuts {
        fragile.find_factors();
    }
    let nodes = fragile.origin.len();
    if let Pieces::Tets(tets) = &mut fragile.pieces {
        match cuts {
            true => tets.refresh(nodes, smoothed),
            false => tets.refresh_edges(smoothed),
        }
    }
    let apart = match &touched {
        Some(touched) if !cuts => fragile.part_fragments(touched, density, time),
        _ => {
            fragile.find_fragments(density, time);
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
    Some(Changed { sources, births, earlier, touched: touched.filter(|_| simple), waiting })
}

/// Nodes that were put on edges have no old number of their own: theirs is that of the first end. Their copies are born
/// where they are.
fn follow_births(sources: &mut [u32], before: usize, births: &mut Vec<Birth>) {
    let own = births.clone();
    for (k, source) in sources.iter_mut().enumerate().skip(before) {
        let Some(birth) = own.iter().find(|b| b.node == *source) else { continue };
        *source = birth.ends[0];
        if birth.node as usize != k {
            births.push(Birth { node: k as u32, ..*birth });
        }
    }
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
