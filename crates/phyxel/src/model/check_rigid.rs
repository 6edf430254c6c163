//! What is refused of rigid bodies, attachments and triggers, each with its remedy.

use super::BuildError;
use super::checks::{check_collider, check_numbers, check_positive};
use crate::scene::{Collider, ColliderShape, Integrator, RigidBody, Scene};

/// Checks everything of a scene that is rigid or tied.
pub(super) fn check(scene: &Scene) -> Result<(), BuildError> {
    let soft = || scene.bodies.iter().map(|b| &b.name);
    for (i, body) in scene.rigid_bodies.iter().enumerate() {
        if soft().chain(scene.rigid_bodies[..i].iter().map(|b| &b.name)).any(|n| *n == body.name) {
            return Err(BuildError::DuplicateName { name: body.name.clone() });
        }
        check_body(body)?;
    }
    let refuse = |what| match scene.rigid_bodies.first() {
        Some(body) => Err(BuildError::BadRigidBody { body: body.name.clone(), what }),
        None => Ok(()),
    };
    match scene.solver.integrator {
        Integrator::QuasiStatic => refuse("equilibria have no motion for it: use a dynamic solver")?,
        Integrator::Bdf2 => refuse("bdf2 looks back where impulses do not: use implicit-euler or implicit-midpoint")?,
        _ => {}
    }
    for (i, trigger) in scene.triggers.iter().enumerate() {
        if scene.triggers[..i].iter().any(|t| t.name == trigger.name) {
            return Err(BuildError::DuplicateName { name: trigger.name.clone() });
        }
        check_collider(&Collider { placement: trigger.placement, ..Collider::new(trigger.shape.clone()) })?;
    }
    Ok(())
}

fn check_body(body: &RigidBody) -> Result<(), BuildError> {
    let collider = Collider {
        placement: body.placement,
        friction: body.friction,
        restitution: body.restitution,
        ..Collider::new(body.shape.clone())
    };
    check_collider(&collider)?;
    check_positive(body.density, &format!("the density of rigid body {:?} [kg/m³]", body.name))?;
    let numbers = [body.velocity, body.spin].concat();
    check_numbers(&numbers, || format!("the velocity or spin of rigid body {:?}", body.name))?;
    match body.shape {
        ColliderShape::HalfSpace { .. } | ColliderShape::HeightField(_) => {
            let what = "a plane or a terrain has no end and cannot move: make it a collider";
            Err(BuildError::BadRigidBody { body: body.name.clone(), what })
        }
        _ => Ok(()),
    }
}
