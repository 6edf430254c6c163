//! Carries out edits: the one place where topology changes.

use super::cohesion::Cohesion;
use super::fragile::{Fragile, Pieces, sharpness};
use super::refine::{Birth, refine};
use super::relabel::Relabel;
use super::{Edit, surface};
use crate::contact::Vertex;
use crate::math::{Real, Vec3};
use crate::model::{Anchor, Model};
use crate::scene::Method;
use crate::solver::momentum::{self, Momentum};
use crate::state::State;
use crate::stencil::StencilTable;
use crate::stencil::block::Stencils;
use crate::stencil::general::General;
use crate::stencil::tets::Tets;

/// How a body hung together before it was edited.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier {
    tets: Vec<[u32; 4]>,
    edges: Vec<[u32; 2]>,
}

/// Carries out edits on nodes that are numbered as they are now, and parts what they leave hanging together at a node alone,
/// with at most `budget` new nodes in all; says how nodes are numbered afterwards.
pub(super) fn apply<R: Real>(model: &mut Model<R>, state: &mut State<R>, edits: &[Edit], budget: usize) -> Relabel {
    let old: Vec<_> = model.bodies.iter().map(|b| b.nodes.clone()).collect();
    let mut sources = vec![None; old.len()];
    let mut earlier = vec![Earlier::default(); old.len()];
    let mut left = budget.saturating_sub(edits.len());
    let mut births = vec![Vec::new(); old.len()];
    let Model { bodies, rest, .. } = model;
    for (body, spec) in bodies.iter_mut().enumerate() {
        let (smoothed, density) = (is_smoothed_over_edges(spec.method), spec.material.density);
        let Some(fragile) = &mut spec.fragile else { continue };
        let start = edits.partition_point(|e| e.body() < body);
        let run = &edits[start..edits.partition_point(|e| e.body() <= body)];
        if run.is_empty() && fragile.loose.is_empty() {
            continue;
        }
        if let Pieces::Tets(tets) = &mut fragile.pieces {
            earlier[body] = Earlier { tets: tets.table.nodes.clone(), edges: std::mem::take(&mut tets.edges) };
        }
        let cohesive = Cohesion::of(fragile, &spec.material).is_some();
        let before = fragile.origin.len();
        let mut run = std::borrow::Cow::Borrowed(run);
        // Cracks that stress makes follow faces, of elements that have been cut as well.
        if run.iter().any(|edit| matches!(edit, Edit::CutThrough { .. })) {
            let at = |n: usize| Vec3(rest[n].to_f64()) + Vec3(state.u[n].to_f64());
            let mut places = spec.nodes.clone().map(at).collect();
            let (left_over, born) = refine(fragile, &run, &mut places);
            (run, births[body]) = (left_over.into(), born);
        }
        let mut from = fragile.split(&run, &mut left, cohesive);
        follow_births(&mut from, before, &mut births[body]);
        sources[body] = Some(from);
        if let (true, Pieces::Tets(tets)) = (fragile.cuts, &fragile.pieces) {
            fragile.sharpness = sharpness(&tets.table);
        }
        let nodes = fragile.origin.len();
        if let Pieces::Tets(tets) = &mut fragile.pieces {
            tets.refresh(nodes, smoothed);
        }
        fragile.find_fragments(density, state.time);
        let rule = fragile.rule;
        fragile.sort_out(rule.as_ref());
    }
    let relabel = Relabel { births, ..Relabel::new(old, sources) };
    let momenta: Vec<_> =
        relabel.cut().map(|b| (b, momentum::of_body(model, &model.bodies[b], &state.u, &state.v))).collect();
    relabel_state(model, state, &relabel, &earlier);
    relabel_model(model, &relabel, Some(&earlier));
    keep_momenta(model, state, &momenta);
    state.forget();
    relabel
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

fn relabel_state<R: Real>(model: &Model<R>, state: &mut State<R>, relabel: &Relabel, earlier: &[Earlier]) {
    relabel.even_values(&mut state.u);
    relabel.even_values(&mut state.v);
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
    relabel.even_values(&mut model.rest);
    relabel.values(&mut model.masses);
    relabel.values(&mut model.at_surface);
    relabel.values(&mut model.radii);
    relabel.values(&mut model.loads.dead);
    for (body, spec) in model.bodies.iter_mut().enumerate() {
        spec.nodes = relabel.new[body].clone();
    }
    for body in 0..model.bodies.len() {
        if relabel.sources[body].is_some() {
            model.reshape(body);
        } else if relabel.shift(body) != 0 {
            let shift = relabel.shift(body);
            let spec = &mut model.bodies[body];
            spec.faces.iter_mut().flatten().for_each(|n| *n = (*n as i64 + shift) as u32);
            spec.skin.shift(shift);
            for block in model.blocks.iter_mut().filter(|b| b.body == body) {
                match &mut block.stencils {
                    Stencils::Tets(tets) => tets.shift(shift),
                    Stencils::General(general) => general.shift(shift),
                }
            }
        }
    }
    model.touchable = (0..model.rest.len() as u32).filter(|n| model.at_surface[*n as usize]).collect();
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

/// Pins hold the copies of what they held, loads are shared by mass, and what acts on faces stays with them.
fn relabel_supports<R: Real>(model: &mut Model<R>, relabel: &Relabel, earlier: &[Earlier]) {
    for body in relabel.changed() {
        let (old, new) = (relabel.old[body].start as u32, relabel.new[body].clone());
        let Some(sources) = &relabel.sources[body] else { continue };
        let mut total = vec![R::zero(); relabel.old[body].len()];
        for (s, n) in sources.iter().zip(new.clone()) {
            total[*s as usize] += model.masses[n];
        }
        let share = |k: usize| model.masses[new.start + k] / total[sources[k] as usize];
        for k in 0..sources.len() {
            model.loads.dead[new.start + k] = model.loads.dead[new.start + k] * share(k);
        }
        let copies = || sources.iter().enumerate().skip(relabel.old[body].len());
        for pin in model.pins.iter_mut().filter(|p| p.body == body) {
            for (k, source) in copies() {
                let place = |n: u32| pin.nodes.iter().position(|m| *m == n + old);
                // On an edge, both ends must be held.
                let birth = relabel.births[body].iter().find(|b| b.node as usize == k);
                let from = match birth.map(|b| (b.ends.map(place), b.share)) {
                    None => place(*source).map(|i| pin.from[i]),
                    Some(([Some(i), Some(j)], share)) => {
                        Some((Vec3(pin.from[i]) * (1.0 - share) + Vec3(pin.from[j]) * share).0)
                    }
                    Some(_) => None,
                };
                if let Some(from) = from {
                    pin.nodes.push(k as u32 + old);
                    pin.from.push(from);
                }
            }
        }
        if let Some(Some(heat)) = model.heat.get_mut(body) {
            for (k, source) in copies() {
                let held = heat.held.iter().find(|h| h.0 == source + old).map(|h| (k as u32 + old, h.1));
                heat.held.extend(held);
                let power = heat.power.iter().find(|p| p.0 == source + old).map(|p| (k as u32 + old, p.1));
                heat.power.extend(power);
            }
            for (n, watts) in &mut heat.power {
                *watts *= share((*n - old) as usize).to_f64();
            }
        }
    }
    // Copies have numbers beyond those of their body before, which only their own body can tell.
    for pin in &mut model.pins {
        let shift = relabel.shift(pin.body);
        pin.nodes.iter_mut().for_each(|n| *n = (*n as i64 + shift) as u32);
    }
    let followed = |face: [u32; 3], model: &Model<R>| {
        let body = relabel.old.partition_point(|b| b.end <= face[0] as usize);
        match relabel.sources[body] {
            Some(_) => follow(face, (body, &earlier[body]), model, relabel),
            None => face.map(|n| relabel.node(n)),
        }
    };
    for k in 0..model.loads.pressures.len() {
        model.loads.pressures[k].0 = followed(model.loads.pressures[k].0, model);
    }
    for body in 0..model.heat.len() {
        let Some(mut heat) = model.heat[body].take() else { continue };
        let shift = relabel.shift(body);
        let moved = |n: u32| (n as i64 + shift) as u32;
        heat.held.iter_mut().for_each(|h| h.0 = moved(h.0));
        heat.power.iter_mut().for_each(|p| p.0 = moved(p.0));
        heat.flux.iter_mut().for_each(|f| f.0 = followed(f.0, model));
        heat.air.iter_mut().for_each(|f| f.0 = followed(f.0, model));
        model.heat[body] = Some(heat);
    }
}

/// Where the corners of a boundary face are now: they stay with its tetrahedron.
fn follow<R: Real>(
    face: [u32; 3],
    (body, earlier): (usize, &Earlier),
    model: &Model<R>,
    relabel: &Relabel,
) -> [u32; 3] {
    let local = face.map(|n| n - relabel.old[body].start as u32);
    let owner = earlier.tets.iter().position(|t| local.iter().all(|n| t.contains(n)));
    let (Some(owner), Some(Fragile { pieces: Pieces::Tets(tets), .. })) = (owner, &model.bodies[body].fragile) else {
        return face.map(|n| relabel.node(n));
    };
    let corner = |n: u32| earlier.tets[owner].iter().position(|m| *m == n).unwrap_or(0);
    local.map(|n| tets.table.nodes[owner][corner(n)] + relabel.new[body].start as u32)
}

impl<R: Real> Model<R> {
    /// Gives a body of phyxels the masses and stencils of its present pieces.
    fn reshape_points(&mut self, body: usize) {
        let spec = &mut self.bodies[body];
        let (nodes, density) = (spec.nodes.clone(), spec.material.density);
        let Some(fragile) = &spec.fragile else { return };
        let Fragile { pieces: Pieces::Points(points), origin, strength, .. } = fragile else { return };
        let mut table = points.table.clone();
        for (mass, volume) in self.masses[nodes.clone()].iter_mut().zip(&table.volumes) {
            *mass = R::of(density * volume);
        }
        table.nodes.iter_mut().for_each(|n| *n += nodes.start as u32);
        quieten(&mut table, fragile, nodes.start as u32);
        if let Some(block) = self.blocks.iter_mut().find(|b| b.body == body) {
            block.stencils = Stencils::General(General::new(table.cast(), nodes.clone(), false));
        }
        spec.supports = origin.iter().map(|o| points.radius(*o)).collect();
        spec.layout.node_count = nodes.len();
        fragile.removed_nodes().for_each(|n| self.at_surface[nodes.start + n as usize] = false);
        // Copies lie on the faces of a crack.
        for (copy, n) in nodes.enumerate().skip(strength.len()) {
            self.radii[n] = 0.0;
            self.radii[n - copy + origin[copy] as usize] = 0.0;
        }
    }

    /// Gives a body of tetrahedra the masses, stencils and faces of its present pieces.
    fn reshape(&mut self, body: usize) {
        let spec = &mut self.bodies[body];
        let (nodes, density) = (spec.nodes.clone(), spec.material.density);
        let Some(fragile) = &spec.fragile else { return };
        let tets = match &fragile.pieces {
            Pieces::Tets(tets) => tets,
            Pieces::Points(_) => return self.reshape_points(body),
        };
        let first = nodes.start as u32;
        let table = &tets.table;
        self.masses[nodes.clone()].fill(R::zero());
        for (tet, volume) in table.nodes.iter().zip(&table.volumes) {
            tet.iter().for_each(|n| self.masses[(first + n) as usize] += R::of(0.25 * density * volume));
        }
        let mut first_block = true;
        for block in self.blocks.iter_mut().filter(|b| b.body == body) {
            let smoothed = match (spec.method, first_block) {
                (Method::Edge, _) | (Method::Selective, true) => Some(StencilTable::edge_smoothed(table)),
                (Method::Node, _) | (Method::Selective, false) => Some(StencilTable::node_smoothed(table)),
                _ => None,
            };
            first_block = false;
            match (&mut block.stencils, smoothed) {
                (Stencils::Tets(own), _) if own.table.len() != table.len() => {
                    let mut table = table.clone();
                    table.nodes.as_flattened_mut().iter_mut().for_each(|n| *n += first);
                    *own = Tets::new(table.cast(), nodes.clone());
                }
                (Stencils::Tets(tets), _) => {
                    tets.set_nodes(table.nodes.iter().map(|tet| tet.map(|n| n + first)), nodes.clone());
                    // Pieces that are not deformed any more give no forces.
                    let any = !fragile.debris.is_empty();
                    for (e, volume) in tets.table.volumes.iter_mut().enumerate() {
                        *volume = if any && fragile.is_debris(e) { R::zero() } else { R::of(table.volumes[e]) };
                    }
                }
                (stencils, Some(mut table)) => {
                    table.nodes.iter_mut().for_each(|n| *n += first);
                    quieten(&mut table, fragile, first);
                    *stencils = Stencils::General(General::new(table.cast(), nodes.clone(), true));
                }
                _ => {}
            }
        }
        spec.faces.clear();
        spec.faces.extend(tets.boundary().map(|f| f.map(|n| n + first)));
        self.at_surface[nodes.clone()].fill(false);
        spec.faces.iter().flatten().for_each(|n| self.at_surface[*n as usize] = true);
        fragile.removed_nodes().for_each(|n| self.at_surface[nodes.start + n as usize] = false);
        let (skin, triangles) = crate::model::Skin::of_boundary(&spec.faces);
        spec.skin = skin;
        let layout = &mut spec.layout;
        (layout.node_count, layout.skin_triangles) = (nodes.len(), triangles);
        layout.cells = crate::record::Cells::Tets(table.nodes.clone());
    }
}

/// Takes the forces from stencils of pieces that are not deformed any more.
fn quieten(table: &mut StencilTable<f64>, fragile: &Fragile, first: u32) {
    if fragile.debris.is_empty() {
        return;
    }
    for e in 0..table.volumes.len() {
        let own = table.nodes[table.entries(e)][0] - first;
        if fragile.debris.iter().any(|d| d.nodes.binary_search(&own).is_ok()) {
            table.volumes[e] = 0.0;
            let entries = table.entries(e);
            if !table.penalties.is_empty() {
                table.penalties[entries].fill(0.0);
            }
        }
    }
}

/// Where a node of a body is now [m].
pub(super) fn place<R: Real>(model: &Model<R>, state: &State<R>, body: usize, node: u32) -> Vec3<f64> {
    let n = model.bodies[body].nodes.start + node as usize;
    model.place(n, state.u[n])
}
