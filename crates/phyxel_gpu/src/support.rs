//! What the device can do, in sentences about what it cannot.

use crate::explicit;
use crate::layout::colliders;
use crate::layout::laws::{self, ANISOTROPIC};
use phyxel::model::Model;
use phyxel::scene::{Groups, Integrator, Lagrangian, LinearSolver, MassKind, Method, Scene};

/// Why a scene cannot be moved on a device; `None` when it can.
pub fn why_not(scene: &Scene, model: &Model<f32>) -> Option<String> {
    let integrator = scene.solver.integrator;
    if !explicit::has(integrator) && integrator != Integrator::ImplicitEuler {
        return Some(format!("the integrator {} runs on the CPU only", integrator.name()));
    }
    if let Some(why) = scene.colliders.iter().find_map(colliders::why_not) {
        return Some(why.into());
    }
    let updated = |b: &&phyxel::scene::Body| b.method == Method::Mls && b.mls.lagrangian != Lagrangian::Total;
    if let Some(body) = scene.bodies.iter().find(updated) {
        return Some(format!("body {:?} has phyxels without a rest shape, which the CPU alone re-anchors", body.name));
    }
    if let Some(why) = why_not_matter(model) {
        return Some(why);
    }
    if let Some(body) = scene.bodies.iter().find(|b| b.heat.is_some()) {
        return Some(format!("body {:?} has a temperature, and heat flows on the CPU only", body.name));
    }
    if let Some(body) = model.bodies.iter().find(|b| b.fragile.is_some()) {
        return Some(format!("body {:?} can break, which the CPU alone does", body.name));
    }
    if let Some(why) = why_not_together(scene, model) {
        return Some(why.into());
    }
    if integrator == Integrator::ImplicitEuler { why_not_implicit(scene, model) } else { None }
}

/// What elements would have to remember; an event may change it.
pub(crate) fn why_not_matter(model: &Model<f32>) -> Option<String> {
    let body = model.bodies.iter().find(|b| b.material.plastic.is_some())?;
    Some(format!("body {:?} is plastic, which the CPU alone calculates", body.name))
}

/// What holds bodies together or keeps them apart.
fn why_not_together(scene: &Scene, model: &Model<f32>) -> Option<&'static str> {
    let own_contact = |b: &phyxel::scene::Body| {
        b.contact.friction.is_some() || b.material.restitution > 0.0 || b.contact.groups != Groups::default()
    };
    let reasons = [
        (model.rows_needed(), "contact among bodies is solved on the CPU only"),
        (!scene.rigid_bodies.is_empty(), "rigid bodies are moved on the CPU only"),
        (!scene.attachments.is_empty(), "ties between bodies are solved on the CPU only"),
        (!scene.triggers.is_empty(), "triggers are watched on the CPU only"),
        (
            !scene.colliders.is_empty() && scene.bodies.iter().any(own_contact),
            "friction, rebound and groups of a body's own are known to the CPU only",
        ),
        (
            scene.colliders.iter().any(|c| c.groups != Groups::default()),
            "groups of colliders are known to the CPU only",
        ),
    ];
    reasons.into_iter().find_map(|(holds, why)| holds.then_some(why))
}

fn why_not_implicit(scene: &Scene, model: &Model<f32>) -> Option<String> {
    if matches!(scene.solver.linear, LinearSolver::Cholesky | LinearSolver::Lu) {
        return Some(format!("the solver {} factors on the CPU only", scene.solver.linear.name()));
    }
    if scene.solver.newton_iterations > 1 {
        return Some("more than one Newton iteration per step runs on the CPU only".into());
    }
    if let Some(body) = model.bodies.iter().find(|b| b.mass == MassKind::Consistent) {
        return Some(format!("body {:?} has a consistent mass, which the CPU alone knows", body.name));
    }
    model.blocks.iter().find_map(|block| {
        let (key, _) = laws::of_block(block);
        let numeric = key.law == ANISOTROPIC || (key.law == 0 && key.volume);
        let name = &model.bodies[block.body].name;
        numeric.then(|| format!("the tangent of body {name:?} is projected numerically, on the CPU only"))
    })
}
