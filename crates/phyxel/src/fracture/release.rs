//! A break gives no energy.
//!
//! A stencil takes the deformation of matter from those that it sees. When a crack hides some of them it is built anew from the others,
//! and what the mean over both sides did not show, deformation that changes from neighbour to neighbour, is shown and stored all
//! at once: the more, the stiffer matter is against changes of its volume, for which stabilisation does not stand. Matter that breaks
//! while it is squeezed hard would gain its energy several times over. In truth a crack takes energy. So what new stencils store more
//! than the old ones did is taken from the motion of the nodes around the crack, as far as it is not that of a rigid body: no
//! momentum is lost.

use super::relabel::Relabel;
use crate::math::{Mat3, Real, Vec3, pseudo_inverse_symmetric};
use crate::model::Model;
use crate::scene::Method;
use crate::state::State;
use crate::stencil::block::Stencils;

/// What each body that breaks, and whose stencils are built anew, stores before that [J].
pub(super) fn stored_before<R: Real>(model: &Model<R>, state: &State<R>, relabel: &Relabel) -> Vec<(usize, f64)> {
    // Tetrahedra keep their gradients; what has no rest shape looks around later, and keeps its stress.
    let is_rebuilt = |b: &usize| model.bodies[*b].method != Method::Tet && !model.is_updated(*b);
    relabel.changed().filter(is_rebuilt).map(|b| (b, stored(model, state, b))).collect()
}

/// Takes what they store more afterwards from the motion around their cracks.
pub(super) fn take_gains<R: Real>(model: &Model<R>, state: &mut State<R>, relabel: &Relabel, before: &[(usize, f64)]) {
    for (body, before) in before {
        let gain = stored(model, state, *body) - before;
        if gain > 0.0 {
            let near = take(model, state, &around_cracks(model, relabel, *body), gain);
            let all: Vec<usize> = model.bodies[*body].nodes.clone().collect();
            take(model, state, &all, gain - near);
        }
    }
}

/// What a body stores now [J].
fn stored<R: Real>(model: &Model<R>, state: &State<R>, body: usize) -> f64 {
    let own = model.blocks.iter().enumerate().filter(|(_, block)| block.body == body);
    own.map(|(k, block)| block.energy(&model.rest, &state.u, state.inner(0.0).of(k))).sum()
}

/// The nodes that have been split, and all that have a stencil in common with one of them; ascending.
fn around_cracks<R: Real>(model: &Model<R>, relabel: &Relabel, body: usize) -> Vec<usize> {
    let own = model.bodies[body].nodes.clone();
    let mut is_split = vec![false; own.len()];
    for (copy, source) in relabel.sources[body].iter().flat_map(|sources| sources.copies()) {
        (is_split[copy], is_split[source as usize]) = (true, true);
    }
    let mut is_near = is_split.clone();
    for block in model.blocks.iter().filter(|block| block.body == body) {
        let Stencils::General(general) = &block.stencils else { continue };
        for e in 0..general.len() {
            let nodes = || general.table.nodes[general.table.entries(e)].iter().map(|n| *n as usize - own.start);
            if nodes().any(|n| is_split[n]) {
                nodes().for_each(|n| is_near[n] = true);
            }
        }
    }
    own.clone().filter(|n| is_near[n - own.start]).collect()
}

/// Takes so much energy from the motion of some nodes, as far as it is not that of a rigid body; how much that was [J].
fn take<R: Real>(model: &Model<R>, state: &mut State<R>, nodes: &[usize], energy: f64) -> f64 {
    if energy <= 0.0 || nodes.is_empty() {
        return 0.0;
    }
    let motion = RigidMotion::of(model, state, nodes);
    let place = |n: usize, state: &State<R>| model.place(n, state.u[n]);
    let own = |n: usize, state: &State<R>| Vec3(state.v[n].to_f64()) - motion.at(place(n, state));
    let kinetic: f64 = nodes.iter().map(|n| 0.5 * model.masses[*n].to_f64() * own(*n, state).norm_squared()).sum();
    if kinetic <= 0.0 {
        return 0.0;
    }
    let taken = energy.min(kinetic);
    let left = (1.0 - taken / kinetic).sqrt();
    for &n in nodes {
        state.v[n] = Vec3::of((motion.at(place(n, state)) + own(n, state) * left).0);
    }
    taken
}

/// The motion of a rigid body.
struct RigidMotion {
    center: Vec3<f64>,
    velocity: Vec3<f64>,
    spin: Vec3<f64>,
}

impl RigidMotion {
    /// The one that has the momenta of some nodes.
    fn of<R: Real>(model: &Model<R>, state: &State<R>, nodes: &[usize]) -> Self {
        let first = model.place(nodes[0], state.u[nodes[0]]);
        let arm = |n: usize| model.place(n, state.u[n]) - first;
        let mass = |n: usize| model.masses[n].to_f64();
        let (mut total, mut center, mut velocity) = (0.0, Vec3::zero(), Vec3::zero());
        for &n in nodes {
            total += mass(n);
            center += arm(n) * mass(n);
            velocity += Vec3(state.v[n].to_f64()) * mass(n);
        }
        (center, velocity) = (center * (1.0 / total), velocity * (1.0 / total));
        let (mut angular, mut inertia) = (Vec3::zero(), Mat3::zero());
        for &n in nodes {
            let arm = arm(n) - center;
            angular += arm.cross(Vec3(state.v[n].to_f64()) - velocity) * mass(n);
            inertia += (Mat3::scaled_identity(arm.norm_squared()) - Mat3::outer(arm, arm)) * mass(n);
        }
        // A straight row of nodes has no inertia about itself.
        let (inverse, _) = pseudo_inverse_symmetric(&inertia, 1e-9);
        RigidMotion { center: first + center, velocity, spin: inverse * angular }
    }

    fn at(&self, place: Vec3<f64>) -> Vec3<f64> {
        self.velocity + self.spin.cross(place - self.center)
    }
}
