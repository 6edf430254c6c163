//! Regions that notice who enters and leaves.

use crate::math::Real;
use crate::model::Model;
use crate::solver::Partner;
use crate::state::State;

/// Something entered or left a trigger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriggerEvent {
    /// When [s].
    pub time: f64,
    /// Which trigger of the scene.
    pub trigger: usize,
    /// Who: a body or a rigid body.
    pub who: Partner,
    /// It came; if not, it went.
    pub entered: bool,
}

/// Who is where, and what has happened since the last question.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Trigger and visitor, ascending.
    inside: Vec<(usize, Partner)>,
    events: Vec<TriggerEvent>,
}

impl Watch {
    /// Compares who is inside now with who was.
    pub fn look<R: Real>(&mut self, model: &Model<R>, state: &State<R>) {
        if model.triggers.is_empty() {
            return;
        }
        let now = visitors(model, state);
        let event =
            |&(trigger, who): &(usize, Partner), entered| TriggerEvent { time: state.time, trigger, who, entered };
        let gone = self.inside.iter().filter(|v| now.binary_search(v).is_err()).map(|v| event(v, false));
        let come = now.iter().filter(|v| self.inside.binary_search(v).is_err()).map(|v| event(v, true));
        self.events.extend(gone.chain(come));
        self.inside = now;
    }

    /// Takes everyone who is inside now as having been there.
    pub fn forget<R: Real>(&mut self, model: &Model<R>, state: &State<R>) {
        self.inside = visitors(model, state);
        self.events.clear();
    }

    /// What has happened since this was last asked.
    pub fn take(&mut self) -> Vec<TriggerEvent> {
        std::mem::take(&mut self.events)
    }
}

/// Everything that has a point of its surface in a trigger, ascending.
fn visitors<R: Real>(model: &Model<R>, state: &State<R>) -> Vec<(usize, Partner)> {
    let mut found = Vec::new();
    for (index, trigger) in model.triggers.iter().enumerate() {
        let within = |x| trigger.form.distance(x, state.time) <= 0.0;
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| b.groups.meet(&trigger.groups)) {
            let mut nodes = body.nodes.clone().filter(|&n| model.is_touchable(n));
            if nodes.any(|n| within(model.place(n, state.u[n]))) {
                found.push((index, Partner::Body(b)));
            }
        }
        for (r, (body, now)) in model.rigid.iter().zip(&state.rigid).enumerate() {
            let mut points = body.drawn.points.iter().map(|p| now.pose.to_world(crate::math::Vec3(*p)));
            if body.surface.groups.meet(&trigger.groups) && (within(now.center) || points.any(within)) {
                found.push((index, Partner::Rigid(r)));
            }
        }
    }
    found
}
