//! What a simulation shows: frames, and what is measured in its elements.

use super::Simulation;
use crate::math::{Mat3, Real, Vec3};
use crate::model::{BodyModel, RigidModel};
use crate::record::{BodyFrame, BodyLayout, ContactRecord, Frame, TriggerRecord};
use crate::rigid::RigidState;
use crate::stencil::block::Block;
use crate::triggers::TriggerEvent;

impl<R: Real> Simulation<R> {
    /// What stays the same in every frame.
    pub fn layouts(&self) -> Vec<BodyLayout> {
        let rigid = self.model.rigid.iter().map(|b| b.layout.clone());
        let layout = |b: &BodyModel| b.fragile.as_ref().map_or(&b.layout, |f| &f.drawn.layout).clone();
        self.model.bodies.iter().map(layout).chain(rigid).collect()
    }

    /// Everything visible now, and what triggers have noticed and what has broken since this was last asked.
    pub fn take_frame(&mut self, index: usize) -> Frame {
        let (events, cracks) = (self.watch.take(), self.engine.take_cracks());
        let mut frame = self.frame(index);
        let record = |e: TriggerEvent| TriggerRecord {
            time: e.time,
            trigger: self.model.triggers[e.trigger].name.clone(),
            who: self.partner_name(e.who),
            entered: e.entered,
        };
        frame.triggers = events.into_iter().map(record).collect();
        frame.cracks = cracks.into_iter().map(|c| c.record(&self.model.bodies[c.body].name)).collect();
        frame
    }

    /// Everything visible now.
    pub fn frame(&self, index: usize) -> Frame {
        let rigid = self.rigid().map(|(body, state)| rigid_frame(body, state));
        let bodies = (0..self.model.bodies.len()).map(|b| self.body_frame(b)).chain(rigid).collect();
        let contacts = self.contacts().iter().map(|c| ContactRecord {
            first: self.partner_name(c.first),
            second: self.partner_name(c.second),
            force: c.force,
            point: c.point,
            normal: c.normal,
            places: c.places,
        });
        Frame { index, time: self.state.time, bodies, contacts: contacts.collect(), ..Frame::default() }
    }

    fn body_frame(&self, index: usize) -> BodyFrame {
        let body = &self.model.bodies[index];
        let block = self.model.blocks.iter().find(|b| b.body == index);
        let (model, u) = (&self.model, &self.state.u);
        let deformation = |e: usize| deformation(block, e, u);
        let (von_mises, strain) = self.node_scalars(index);
        let frame = BodyFrame {
            positions: body.nodes.clone().map(|n| self.position(n)).collect(),
            velocities: self.state.v[body.nodes.clone()].iter().map(|v| v.to_f64()).collect(),
            von_mises,
            strain,
            damage: body.fragile.as_ref().map_or(Vec::new(), |f| f.damage()),
            temperatures: self.temperatures(index),
            // What can break is drawn from its pieces.
            skin: if body.layout.skin_triangles.is_empty() || body.fragile.is_some() {
                Vec::new()
            } else {
                body.skin.positions(body.nodes.start, |n| model.place(n, u[n]).0, deformation)
            },
            ..BodyFrame::default()
        };
        body.fragile.as_ref().map_or(frame.clone(), |fragile| fragile.spread(&frame))
    }

    /// Deformation gradients of a body's phyxels, in their order: from the rest shape, or, where neighbours are found anew in
    /// every step, what is left of it after flow.
    pub fn deformations(&self, body: usize) -> Vec<Mat3<f64>> {
        let block = self.model.blocks.iter().find(|b| b.body == body);
        let mut out = vec![Mat3::identity(); self.model.bodies[body].nodes.len()];
        let u = &self.state.u;
        crate::par::chunks(&mut out, crate::par::FEW, |first, run| {
            run.iter_mut().enumerate().for_each(|(l, f)| *f = deformation(block, first + l, u));
        });
        out
    }

    /// Deformation gradient and Cauchy stress [Pa] of each element of a body's first stencil set.
    pub fn stresses(&self, body: usize) -> Vec<(Mat3<R>, Mat3<R>)> {
        let block = self.model.blocks.iter().position(|b| b.body == body);
        block.map_or(Vec::new(), |block| self.engine.stresses(&self.model, block, &self.state))
    }

    /// The smallest `det F` of all elements: 1 at rest, 0 where matter is pressed flat, negative where it is inside out;
    /// 1 when there is nothing but springs.
    pub fn smallest_determinant(&self) -> f64 {
        let solid = self.model.blocks.iter().filter(|block| !block.is_fibre());
        let of_block = |block: &Block<R>| {
            let determinant = |e| (Mat3::identity() + block.strain_argument(e, &self.state.u)).det().to_f64();
            (0..block.len()).map(determinant).fold(f64::INFINITY, f64::min)
        };
        let smallest = solid.map(of_block).fold(f64::INFINITY, f64::min);
        if smallest.is_finite() { smallest } else { 1.0 }
    }

    /// Von Mises stress [Pa] and equivalent strain at the nodes of a body, averaged over the elements around them.
    fn node_scalars(&self, body: usize) -> (Vec<f64>, Vec<f64>) {
        let nodes = self.model.bodies[body].nodes.clone();
        let (mut sums, mut weights) = (vec![[0.0; 2]; nodes.len()], vec![0.0; nodes.len()]);
        let zeros = || vec![0.0; nodes.len()];
        let Some(block) = self.model.blocks.iter().find(|b| b.body == body) else { return (zeros(), zeros()) };
        let square = |m: Mat3<f64>| {
            let deviator = m - Mat3::scaled_identity(m.trace() / 3.0);
            deviator.contract(&deviator)
        };
        for (e, (f, sigma)) in self.stresses(body).into_iter().enumerate() {
            let (f, sigma) = (Mat3(f.to_f64()), Mat3(sigma.to_f64()));
            let green = (f.transpose() * f - Mat3::identity()) * 0.5;
            let (stress, strain) = ((1.5 * square(sigma)).sqrt(), (square(green) / 1.5).sqrt());
            let volume = block.volumes()[e].to_f64();
            if !stress.is_finite() || !strain.is_finite() {
                continue; // an element that is pressed flat has no area for a stress to act on
            }
            let mut add = |n: usize| {
                let sum = &mut sums[n - nodes.start];
                *sum = [sum[0] + stress * volume, sum[1] + strain * volume];
                weights[n - nodes.start] += volume;
            };
            if block.is_assembled() {
                block.with_entries(e, |entries, _| entries.iter().for_each(|&n| add(n as usize)));
            } else {
                add(nodes.start + e);
            }
        }
        let mean = |k: usize| {
            let sums = sums.iter().zip(&weights);
            sums.map(|(s, w)| if *w > 0.0 { s[k] / w } else { 0.0 }).collect()
        };
        (mean(0), mean(1))
    }
}

fn deformation<R: Real>(block: Option<&Block<R>>, element: usize, u: &[Vec3<R>]) -> Mat3<f64> {
    match block {
        Some(block) if element < block.len() => Mat3((Mat3::identity() + block.strain_argument(element, u)).to_f64()),
        _ => Mat3::identity(),
    }
}

fn rigid_frame(body: &RigidModel, state: &RigidState) -> BodyFrame {
    let positions: Vec<[f64; 3]> = body.drawn.points.iter().map(|p| state.pose.to_world(Vec3(*p)).0).collect();
    let velocity = |p: &[f64; 3]| (state.velocity + state.spin.cross(Vec3(*p) - state.center)).0;
    let velocities = positions.iter().map(velocity).collect();
    let (von_mises, strain) = (vec![0.0; positions.len()], vec![0.0; positions.len()]);
    BodyFrame { von_mises, strain, skin: positions.clone(), positions, velocities, ..BodyFrame::default() }
}
