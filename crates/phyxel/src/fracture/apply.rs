//! Carries out edits: the one place where topology changes.

use super::fragile::{Fragile, Pieces};
use super::relabel::Relabel;
use super::{Edit, surface};
use crate::contact::Vertex;
use crate::math::{Real, Vec3};
use crate::model::{Anchor, Model};
use crate::scene::Method;
use crate::shape::quality::boundary_triangles;
use crate::state::State;
use crate::stencil::StencilTable;
use crate::stencil::block::Stencils;
use crate::stencil::general::General;

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
    for (body, spec) in model.bodies.iter_mut().enumerate() {
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
        sources[body] = Some(fragile.split(run, &mut left));
        let nodes = fragile.origin.len();
        if let Pieces::Tets(tets) = &mut fragile.pieces {
            tets.refresh(nodes, smoothed);
        }
        fragile.find_fragments(density, state.time);
    }
    let relabel = Relabel::new(old, sources);
    relabel_state(model, state, &relabel, &earlier);
    relabel_model(model, &relabel, Some(&earlier));
    state.forget();
    relabel
}

/// Whether a body's strains are smoothed over its edges.
pub(super) fn is_smoothed_over_edges(method: Method) -> bool {
    matches!(method, Method::Edge | Method::Selective)
}

fn relabel_state<R: Real>(model: &Model<R>, state: &mut State<R>, relabel: &Relabel, earlier: &[Earlier]) {
    relabel.values(&mut state.u);
    relabel.values(&mut state.v);
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
    relabel.values(&mut model.rest);
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
                if let Some(i) = pin.nodes.iter().position(|n| *n == source + old) {
                    pin.nodes.push(k as u32 + old);
                    pin.from.push(pin.from[i]);
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
        let Some(Fragile { pieces: Pieces::Points(points), origin, strength, .. }) = &spec.fragile else { return };
        let mut table = points.table.clone();
        for (mass, volume) in self.masses[nodes.clone()].iter_mut().zip(&table.volumes) {
            *mass = R::of(density * volume);
        }
        table.nodes.iter_mut().for_each(|n| *n += nodes.start as u32);
        if let Some(block) = self.blocks.iter_mut().find(|b| b.body == body) {
            block.stencils = Stencils::General(General::new(table.cast(), nodes.clone(), false));
        }
        spec.supports = origin.iter().map(|o| points.radius(*o)).collect();
        spec.layout.node_count = nodes.len();
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
        let tets = match &spec.fragile {
            Some(Fragile { pieces: Pieces::Tets(tets), .. }) => tets,
            Some(Fragile { pieces: Pieces::Points(_), .. }) => return self.reshape_points(body),
            None => return,
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
                (Stencils::Tets(tets), _) => {
                    tets.set_nodes(table.nodes.iter().map(|tet| tet.map(|n| n + first)), nodes.clone());
                }
                (stencils, Some(mut table)) => {
                    table.nodes.iter_mut().for_each(|n| *n += first);
                    *stencils = Stencils::General(General::new(table.cast(), nodes.clone(), true));
                }
                _ => {}
            }
        }
        spec.faces = boundary_triangles(&table.nodes).into_iter().map(|f| f.map(|n| n + first)).collect();
        self.at_surface[nodes.clone()].fill(false);
        spec.faces.iter().flatten().for_each(|n| self.at_surface[*n as usize] = true);
        let (skin, triangles) = crate::model::Skin::of_boundary(&spec.faces);
        spec.skin = skin;
        let layout = &mut spec.layout;
        (layout.node_count, layout.skin_triangles) = (nodes.len(), triangles);
        layout.cells = crate::record::Cells::Tets(table.nodes.clone());
    }
}

/// Where a node of a body is now [m].
pub(super) fn place<R: Real>(model: &Model<R>, state: &State<R>, body: usize, node: u32) -> Vec3<f64> {
    let n = model.bodies[body].nodes.start + node as usize;
    model.place(n, state.u[n])
}
