//! Bodies of phyxels that have run into each other as melts: where they met, they are one piece of matter.
//!
//! Phyxels of two bodies that come near each other while both are molten are *fused*. From then on fused phyxels of both
//! bodies see each other as those of one body do: in their stencils, each with its own material, in the density of melts, and
//! in the conduction of heat. They go on doing so when they set, and cease to be fused when they see nobody of another body
//! any more. Bodies with fused phyxels make up a union, whose references move together: a stencil counts displacements of
//! nodes of another body too. What is not fused touches as ever, so a melt does not stick to what is cold.

use super::{BodyModel, Model};
use crate::contact::tree::Bounds;
use crate::math::{Real, Vec3};
use crate::shape::union_find::UnionFind;
use crate::solver::Rest;
use crate::state::State;
use crate::stencil::block::Stencils;
use crate::stencil::{Crowd, NeighbourSearch, Neighbours, Radii, StencilError};

/// A phyxel of which at least this share is molten runs into others that are, grows together with them and carries no cracks.
pub const MOLTEN: f64 = 0.5;

/// Which phyxels of a body hang together with those of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fused {
    /// One more than the first body of the union; zero for a body that is in none.
    pub union: u32,
    /// Whether each phyxel sees those of other bodies; empty where none does.
    pub phyxels: Vec<bool>,
}

impl Fused {
    /// Whether phyxel `i` sees those of other bodies.
    pub fn has(&self, i: usize) -> bool {
        self.phyxels.get(i).is_some_and(|fused| *fused)
    }
}

/// A body of phyxels, and behind it those of others that it sees, side by side; empty where it is in no union.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixed<R> {
    positions: Vec<Vec3<R>>,
    volumes: Vec<R>,
    radii: Vec<R>,
    sees: Vec<bool>,
    /// The node of each.
    pub nodes: Vec<u32>,
}

impl<R: Real> Mixed<R> {
    /// Whether the body is in no union.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All of them.
    pub fn crowd(&self) -> Crowd<'_, R> {
        let Mixed { positions, volumes, radii, sees, .. } = self;
        Crowd { positions, volumes, radii, sees }
    }

    fn clear(&mut self) {
        self.positions.clear();
        self.volumes.clear();
        self.radii.clear();
        self.sees.clear();
        self.nodes.clear();
    }

    fn add(&mut self, model: &Model<R>, block: usize, wanted: impl Fn(usize) -> bool) {
        let body = &model.bodies[model.blocks[block].body];
        for (i, n) in body.nodes.clone().enumerate().filter(|(i, _)| wanted(*i)) {
            self.positions.push(model.rest[n]);
            self.volumes.push(model.blocks[block].volumes()[i]);
            self.radii.push(R::of(body.supports[i]));
            self.nodes.push(n as u32);
        }
    }
}

/// Buffers of looking for melts that meet.
#[derive(Clone, Debug, Default)]
pub struct Meeting<R> {
    search: NeighbourSearch<R>,
    neighbours: Neighbours,
    points: Vec<Vec3<R>>,
    radii: Vec<R>,
    /// Block and phyxel of each point.
    of: Vec<(usize, usize)>,
    /// Around the molten phyxels of each body, and what they see.
    boxes: Vec<(usize, Bounds)>,
    /// Blocks that hang together, for one union at a time.
    pub(crate) together: Vec<usize>,
}

impl<R: Real> Model<R> {
    /// The blocks of all bodies that are one piece of matter with that of a block, ascending.
    pub(crate) fn blocks_together(&self, block: usize, out: &mut Vec<usize>) {
        out.clear();
        let union = |k: usize| self.bodies[self.blocks[k].body].fused.union;
        match union(block) {
            0 => out.push(block),
            own => out.extend((0..self.blocks.len()).filter(|&k| union(k) == own)),
        }
    }

    /// Calls `f` with pairs of bodies that are one piece of matter: each body of a union with the first.
    pub fn for_each_united(&self, mut f: impl FnMut(usize, usize)) {
        for (b, body) in self.bodies.iter().enumerate() {
            if body.fused.union > 0 && body.fused.union as usize != b + 1 {
                f(body.fused.union as usize - 1, b);
            }
        }
    }

    /// Whether a body is one piece of matter with another.
    pub fn is_united(&self, body: usize) -> bool {
        self.bodies[body].fused.union > 0
    }

    /// Whether two phyxels, each with its body, have run into each other: stencils conduct heat between them.
    pub fn are_one(&self, (body, node): (usize, usize), (other, theirs): (usize, usize)) -> bool {
        let [one, two] =
            [(body, node), (other, theirs)].map(|(b, n)| (&self.bodies[b].fused, n - self.bodies[b].nodes.start));
        one.0.union > 0 && one.0.union == two.0.union && one.0.has(one.1) && two.0.has(two.1)
    }

    /// Puts a block's phyxels and those of others that they see side by side.
    pub(super) fn mix(&self, block: usize, mixed: &mut Mixed<R>) {
        mixed.clear();
        let own = &self.bodies[self.blocks[block].body];
        if own.fused.union == 0 {
            return;
        }
        mixed.add(self, block, |_| true);
        mixed.sees.extend_from_slice(&own.fused.phyxels);
        for other in (0..self.blocks.len()).filter(|k| *k != block) {
            let fused = &self.bodies[self.blocks[other].body].fused;
            if fused.union == own.fused.union {
                mixed.add(self, other, |i| fused.has(i));
            }
        }
    }

    /// Fuses phyxels of different bodies that are near each other and molten now.
    pub(crate) fn fuse(&mut self, state: &mut State<R>, meeting: &mut Meeting<R>) -> Result<(), StencilError> {
        if !self.find_molten(state, meeting) {
            return Ok(());
        }
        let Meeting { search, neighbours, points, radii, of, .. } = meeting;
        search.rebuild(points, Radii::Each(radii), neighbours)?;
        let mut links = Vec::new();
        for (i, &(block, phyxel)) in of.iter().enumerate() {
            for j in neighbours.of(i).iter().map(|j| *j as usize).filter(|j| of[*j].0 > block) {
                let apart = (points[j] - points[i]).norm_squared();
                let [one, other] = [block, of[j].0].map(|k| self.blocks[k].body);
                if apart < radii[j] * radii[j] && self.bodies[one].groups.meet(&self.bodies[other].groups) {
                    self.bodies[one].fuse(phyxel);
                    self.bodies[other].fuse(of[j].1);
                    links.push((one, other));
                }
            }
        }
        links.sort_unstable();
        links.dedup();
        for &(one, other) in &links {
            let [a, b] = [one, other].map(|body| self.bodies[body].fused.union);
            if a == 0 || a != b {
                [one, other].iter().for_each(|&body| state.rest[body] = Rest::default());
            }
        }
        if !links.is_empty() {
            self.for_each_united(|one, other| links.push((one, other)));
            self.number_unions(&links);
        }
        Ok(())
    }

    /// Collects the molten phyxels of bodies that may run into others; false where there are none.
    fn find_molten(&self, state: &State<R>, meeting: &mut Meeting<R>) -> bool {
        let Meeting { points, radii, of, boxes, .. } = meeting;
        boxes.clear();
        let molten = |block: usize, i: usize| state.grains[block][i].molten.to_f64() >= MOLTEN;
        let place = |n: usize| self.rest[n] + state.u[n];
        for (block, grains) in state.grains.iter().enumerate().filter(|(_, g)| !g.is_empty()) {
            let body = &self.bodies[self.blocks[block].body];
            if body.merges && self.is_heated(self.blocks[block].body) {
                let liquid = (0..grains.len()).filter(|&i| molten(block, i));
                let around = |i: usize| {
                    let at = Vec3(place(body.nodes.start + i).to_f64());
                    Bounds { min: at.0, max: at.0 }.grown(0.5 * body.supports[i])
                };
                boxes.push((block, liquid.fold(Bounds::EMPTY, |all, i| all.with(&around(i)))));
            }
        }
        points.clear();
        radii.clear();
        of.clear();
        for (k, (block, own)) in boxes.iter().enumerate() {
            let body = &self.bodies[self.blocks[*block].body];
            let near = boxes.iter().enumerate().any(|(other, (_, theirs))| other != k && own.touches(theirs));
            for i in (0..body.nodes.len()).filter(|&i| near && molten(*block, i)) {
                points.push(place(body.nodes.start + i));
                radii.push(R::of(body.supports[i]));
                of.push((*block, i));
            }
        }
        !of.is_empty()
    }

    /// Numbers unions by links between bodies.
    fn number_unions(&mut self, links: &[(usize, usize)]) {
        let mut sets = UnionFind::new(self.bodies.len());
        links.iter().for_each(|&(a, b)| sets.join(a as u32, b as u32));
        self.bodies.iter_mut().for_each(|body| body.fused.union = 0);
        for body in links.iter().flat_map(|&(a, b)| [a, b]) {
            self.bodies[body].fused.union = sets.find(body as u32) + 1;
        }
    }

    /// After stencils of united bodies have been rebuilt: phyxels that see nobody of another body are no longer fused.
    pub(crate) fn part(&mut self, blocks: &[usize]) {
        let mut still: Vec<Vec<bool>> = blocks.iter().map(|&k| vec![false; self.blocks[k].len()]).collect();
        let mut links = Vec::new();
        for (place, &block) in blocks.iter().enumerate() {
            let own = self.blocks[block].body;
            let nodes = self.bodies[own].nodes.clone();
            let Stencils::General(general) = &self.blocks[block].stencils else { continue };
            for e in (0..general.len()).filter(|&e| self.bodies[own].fused.has(e)) {
                for &n in general.table.nodes[general.entries(e)].iter().filter(|n| !nodes.contains(&(**n as usize))) {
                    let body = self.body_index(n as usize);
                    still[place][e] = true;
                    if let Some(other) = blocks.iter().position(|&k| self.blocks[k].body == body) {
                        still[other][n as usize - self.bodies[body].nodes.start] = true;
                    }
                    links.push((own.min(body), own.max(body)));
                }
            }
        }
        links.sort_unstable();
        links.dedup();
        let mine: Vec<usize> = blocks.iter().map(|&k| self.blocks[k].body).collect();
        self.for_each_united(|one, other| {
            if !mine.contains(&one) {
                links.push((one, other));
            }
        });
        for (&body, still) in mine.iter().zip(still) {
            self.bodies[body].fused.phyxels = if still.contains(&true) { still } else { Vec::new() };
        }
        self.number_unions(&links);
    }

    /// Tells contact which parts of melts are one piece of matter.
    pub(crate) fn tell_contact(&mut self) {
        let Self { bodies, surface, .. } = self;
        surface.fused.clear();
        if bodies.iter().all(|body| body.fused.union == 0) {
            return;
        }
        let parts = &surface.parts;
        surface.fused.extend(surface.vertices.iter().zip(&surface.part_of).map(|(vertex, &part)| {
            let body = &bodies[parts[part as usize].body];
            let fused = parts[part as usize].cloud && body.fused.has(vertex.nodes[0] as usize - body.nodes.start);
            if fused { body.fused.union } else { 0 }
        }));
    }
}

impl BodyModel {
    fn fuse(&mut self, phyxel: usize) {
        self.fused.phyxels.resize(self.nodes.len(), false);
        self.fused.phyxels[phyxel] = true;
    }
}
