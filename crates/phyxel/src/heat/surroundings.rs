//! What bodies exchange heat with: air, sources, colliders, other bodies, and their own plastic work.

use crate::contact::near::point_triangle;
use crate::contact::tree::{Bounds, Tree};
use crate::math::Real;
use crate::model::{HeatModel, Model};
use crate::state::State;
use crate::stencil::block::Stencils;

/// Heat that does not come through the stencils, per node.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings {
    /// Heat into each node [W], that of surroundings at zero degrees.
    pub power: Vec<f64>,
    /// Heat out of each node per degree [W/K].
    pub loss: Vec<f64>,
    areas: Vec<f64>,
    links: Vec<Link>,
    link_diagonal: Vec<f64>,
}

/// A node that touches a face of another body.
#[derive(Clone, Copy, Debug)]
struct Link {
    nodes: [u32; 4],
    /// One for the first, minus the barycentric coordinates for the others.
    weights: [f64; 4],
    /// [W/K]
    conductance: f64,
}

impl Surroundings {
    /// Collects everything at a time.
    pub fn refresh<R: Real>(&mut self, model: &Model<R>, state: &State<R>, time: f64) {
        for v in [&mut self.power, &mut self.loss, &mut self.areas, &mut self.link_diagonal] {
            v.clear();
            v.resize(model.node_count(), 0.0);
        }
        for (k, heat) in model.heat.iter().enumerate() {
            if let Some(heat) = heat {
                self.add_air(model, state, k, heat);
                heat.power.iter().for_each(|&(n, watts)| self.power[n as usize] += watts);
                self.add_colliders(model, state, (k, heat), time);
            }
        }
        self.link_bodies(model, state);
    }

    fn add_air<R: Real>(&mut self, model: &Model<R>, state: &State<R>, body: usize, heat: &HeatModel) {
        let first = model.bodies[body].nodes.start;
        let fused = |n: &u32| model.bodies[body].fused.has(*n as usize - first);
        // What has run into another body is no longer in the air.
        for &face in model.bodies[body].faces.iter().filter(|face| !face.iter().all(fused)) {
            let third = model.face_area(face, &state.u) / 3.0;
            face.iter().for_each(|&n| self.areas[n as usize] += third);
        }
        for n in model.bodies[body].nodes.clone() {
            self.exchange(n, heat.convection * self.areas[n], heat.ambient);
        }
        for &(face, flux) in &heat.flux {
            let third = model.face_area(face, &state.u) / 3.0;
            face.iter().for_each(|&n| self.power[n as usize] += flux * third);
        }
        for &(face, coefficient, ambient) in &heat.air {
            let third = model.face_area(face, &state.u) / 3.0;
            face.iter().for_each(|&n| self.exchange(n as usize, coefficient * third, ambient));
        }
    }

    fn exchange(&mut self, node: usize, per_degree: f64, temperature: f64) {
        self.loss[node] += per_degree;
        self.power[node] += per_degree * temperature;
    }

    fn add_colliders<R: Real>(
        &mut self,
        model: &Model<R>,
        state: &State<R>,
        (body, heat): (usize, &HeatModel),
        time: f64,
    ) {
        for collider in &model.colliders {
            let Some(temperature) = collider.temperature else { continue };
            for n in model.bodies[body].nodes.clone().filter(|&n| model.is_touchable(n)) {
                let gap = collider.distance(model.place(n, state.u[n]), time) - model.contact_radius(n);
                let area = self.areas[n];
                if gap <= TOUCHING * area.sqrt() {
                    self.exchange(n, heat.conductance * area, temperature);
                }
            }
        }
    }

    /// Each surface node of a heated body looks for the nearest face of another one; of two bodies, the one with smaller
    /// areas looks, so that no contact counts twice.
    fn link_bodies<R: Real>(&mut self, model: &Model<R>, state: &State<R>) {
        self.links.clear();
        let heated: Vec<usize> = (0..model.bodies.len()).filter(|&b| model.is_heated(b)).collect();
        if heated.len() < 2 {
            return;
        }
        let faces: Vec<(usize, [u32; 3])> =
            heated.iter().flat_map(|&b| model.bodies[b].faces.iter().map(move |f| (b, *f))).collect();
        let place = |n: u32| model.place(n as usize, state.u[n as usize]);
        let boxes: Vec<Bounds> = faces.iter().map(|(_, f)| Bounds::around(f.map(place))).collect();
        let tree = Tree::new(&boxes);
        let mean = |b: usize| {
            let nodes = model.bodies[b].nodes.clone();
            let wet = nodes.clone().filter(|&n| self.areas[n] > 0.0).count().max(1);
            nodes.map(|n| self.areas[n]).sum::<f64>() / wet as f64
        };
        let means: Vec<f64> = (0..model.bodies.len()).map(|b| if model.is_heated(b) { mean(b) } else { 0.0 }).collect();
        for &b in &heated {
            for n in model.bodies[b].nodes.clone().filter(|&n| self.areas[n] > 0.0) {
                let finer = |other: usize| (means[b], b) < (means[other], other);
                if let Some(link) = nearest_face(model, state, (n, b), (&faces, &tree), &self.areas, finer) {
                    self.links.push(link);
                }
            }
        }
        for link in &self.links {
            for (n, w) in link.nodes.iter().zip(link.weights) {
                self.link_diagonal[*n as usize] += w * w * link.conductance;
            }
        }
    }

    /// The diagonal of the links [W/K].
    pub fn link_diagonal(&self, node: usize) -> f64 {
        self.link_diagonal[node]
    }

    /// `out += L x`.
    pub fn add_links(&self, x: &[f64], out: &mut [f64]) {
        for link in &self.links {
            let pairs = || link.nodes.iter().map(|n| *n as usize).zip(link.weights);
            let flow = link.conductance * pairs().map(|(n, w)| w * x[n]).sum::<f64>();
            pairs().for_each(|(n, w)| out[n] += w * flow);
        }
    }

    /// Turns the plastic work of elements into heat of their nodes: each gets the mean of the elements around it, and all
    /// together what there was.
    pub fn take_work<R: Real>(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        for (block, grains) in model.blocks.iter().zip(&mut state.grains) {
            let body = &model.bodies[block.body];
            let (true, Some(thermal)) = (model.is_heated(block.body), &body.material.thermal) else { continue };
            if grains.iter().all(|g| g.work == R::zero()) {
                continue;
            }
            let centred = matches!(&block.stencils, Stencils::General(g) if !g.assembled);
            let first = body.nodes.start;
            let (mut work, mut volume) = (vec![0.0; body.nodes.len()], vec![0.0; body.nodes.len()]);
            let mut total = 0.0;
            for (e, grain) in grains.iter_mut().enumerate() {
                let (density, size) = (grain.work.to_f64(), block.volumes()[e].to_f64());
                grain.work = R::zero();
                total += density * size;
                block.with_entries(e, |nodes, _| {
                    let nodes = if centred { &nodes[..1] } else { nodes };
                    for &n in nodes {
                        work[n as usize - first] += density * size;
                        volume[n as usize - first] += size;
                    }
                });
            }
            let of_node = |i: usize| model.masses[first + i].to_f64() * work[i] / volume[i].max(f64::MIN_POSITIVE);
            let spread: f64 = (0..work.len()).map(of_node).sum();
            let scale = thermal.work_to_heat * total / (spread.max(f64::MIN_POSITIVE) * dt);
            for i in 0..work.len() {
                self.power[first + i] += of_node(i) * scale;
            }
        }
    }
}

/// Surfaces nearer than this part of a node's size touch.
const TOUCHING: f64 = 0.1;

fn nearest_face<R: Real>(
    model: &Model<R>,
    state: &State<R>,
    (node, body): (usize, usize),
    (faces, tree): (&[(usize, [u32; 3])], &Tree),
    areas: &[f64],
    finer: impl Fn(usize) -> bool,
) -> Option<Link> {
    let place = |n: u32| model.place(n as usize, state.u[n as usize]);
    let x = place(node as u32);
    let reach = model.contact_radius(node) + TOUCHING * areas[node].sqrt();
    let mut best: Option<(f64, Link)> = None;
    // Phyxels are as thick as they are deep; the widest of them decides how far to look.
    let thickest = 2.0 * areas[node].sqrt();
    tree.visit(&Bounds::around([x]).grown(reach + thickest), |f| {
        let (other, face) = faces[f as usize];
        let one = |n: &u32| model.are_one((body, node), (other, *n as usize));
        if other == body || !finer(other) || face.iter().any(one) {
            return;
        }
        let [a, b, c] = face.map(place);
        let near = point_triangle([x, a, b, c]);
        let thick = face.iter().map(|&n| model.contact_radius(n as usize)).fold(0.0, f64::max);
        let distance = near.between.norm() - thick;
        if distance <= reach && best.is_none_or(|known| distance < known.0) {
            let heat = |b: usize| model.heat[b].as_ref().map_or(0.0, |h| h.conductance);
            let conductance = heat(body).min(heat(other)) * areas[node];
            let nodes = [node as u32, face[0], face[1], face[2]];
            best = Some((distance, Link { nodes, weights: near.weights, conductance }));
        }
    });
    best.map(|b| b.1)
}
