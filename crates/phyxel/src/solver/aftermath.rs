//! What a step leaves behind: impulses for rigid bodies, torn ties, who touched whom.

use super::row::Source;
use super::touch::Stage;
use super::{Kind, Solver};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::scene::Integrator;
use crate::state::State;

impl<R: Real> Solver<R> {
    /// How often the impulses of a solve act in a step: the midpoint rule solves for half a step.
    pub(super) fn times(&self) -> f64 {
        if self.settings.integrator == Integrator::ImplicitMidpoint { 2.0 } else { 1.0 }
    }

    /// Sums up what soft bodies and rigid ones do to each other.
    pub(super) fn collect_rigid_impulses(&mut self, model: &Model<R>) {
        let times = self.times();
        if model.rigid.is_empty() {
            return;
        }
        if let Some(riding) = self.kind.riding() {
            self.rigid_impulses.clone_from(&riding.impulses);
            self.from_rigid.clone_from(&riding.pushed);
        }
        let Kind::Implicit(implicit) = &self.kind else { return };
        let press = implicit.press();
        self.from_rigid.resize(model.bodies.len(), None);
        let reach = press.reach();
        for row in press.rows.iter().filter(|r| r.pressed() && r.source != Source::Support) {
            let Some(hold) = row.holds[0] else { continue };
            let pull = Vec3(row.given.to_f64()) * times;
            let (push, turn) = &mut self.rigid_impulses[hold.rigid as usize];
            *push -= pull;
            *turn -= Vec3(hold.arm.to_f64()).cross(pull);
            let body = model.body_index(reach.of(row)[0].0 as usize);
            *self.from_rigid[body].get_or_insert(Vec3::zero()) += pull;
        }
    }

    /// Makes a step that the guard has accepted final: rigid bodies move, ties tear, contacts are noted.
    pub(super) fn accept(&mut self, model: &Model<R>, state: &mut State<R>, before: (&[Vec3<R>], &[Vec3<R>]), dt: f64) {
        let times = self.times();
        self.find_touching(model);
        if let Kind::Implicit(implicit) = &self.kind {
            let gamma = R::of(dt / times);
            let (end_time, inner) = (state.time, state.inner(dt));
            let stage = Stage { u: before.0, v: before.1, gamma, over: R::of(dt), end_time, inner };
            let sources = (&implicit.touches[..], implicit.press());
            self.ledger.note_solve(model, &stage, sources, times);
            for row in &implicit.press().rows {
                if let Source::Tie(tie) = row.source {
                    let force = row.given.norm().to_f64() * times / dt;
                    state.torn[tie as usize] |= force > model.ties[tie as usize].strength;
                }
            }
        }
        if let Some(riding) = self.kind.riding() {
            self.ledger.extend(&riding.notes);
            self.ledger.extend_summed(&riding.sums);
            state.torn.clone_from(&riding.torn);
        }
        if let Some(world) = &mut self.world {
            let gravity = Vec3(model.loads.gravity.to_f64());
            world.step((state.time, dt), gravity, &model.colliders, &self.rigid_impulses);
            world.states(&mut state.rigid);
        }
    }

    /// Notes the pairs of bodies that press on each other or are one piece of matter.
    pub(super) fn find_touching(&mut self, model: &Model<R>) {
        let Self { touching, kind, .. } = self;
        touching.clear();
        match kind {
            Kind::Implicit(implicit) => implicit.press().touching_bodies(model, touching),
            Kind::Positions(xpbd) => touching.extend_from_slice(xpbd.joined()),
            Kind::Explicit(explicit) => touching.extend_from_slice(explicit.joined()),
        }
        model.for_each_united(|one, other| touching.push((one, other)));
    }
}
