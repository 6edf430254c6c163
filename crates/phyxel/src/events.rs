//! What happens at a given time: changes of material, loads, pins and velocities, applied between steps.

use crate::material::{AnyLaw, Part};
use crate::math::{Real, Vec3};
use crate::model::{BuildError, Model, check_load, check_pin, viscosity};
use crate::scene::{Action, Event, Method, Scene};
use crate::state::State;
use std::mem::discriminant;

/// Checks that every event can be carried out.
pub(crate) fn check(scene: &Scene) -> Result<(), BuildError> {
    for event in &scene.events {
        let bad = |why| Err(BuildError::BadEvent { at: event.at, why });
        if !event.at.is_finite() || event.at < 0.0 || event.at > scene.duration {
            return bad("its time lies outside the scene's duration");
        }
        if let Some(name) = &event.body
            && !scene.bodies.iter().any(|b| b.name == *name)
        {
            let known = scene.bodies.iter().map(|b| format!("{:?}", b.name)).collect::<Vec<_>>().join(", ");
            return Err(BuildError::UnknownBody { body: name.clone(), known });
        }
        if let Action::SetMaterial(material) = &event.action {
            for body in scene.bodies.iter().filter(|b| event.body.as_ref().is_none_or(|n| *n == b.name)) {
                material.check().map_err(|source| BuildError::Material { body: body.name.clone(), source })?;
                if material.density != body.material.density {
                    return bad("the density of a body cannot change while it moves: its mass would");
                }
                if discriminant(&material.law) != discriminant(&body.material.law) {
                    return bad("the law of a body cannot change while it moves: change its constants only");
                }
            }
        }
        let name = event.body.as_deref().unwrap_or("all");
        match &event.action {
            Action::Pin(pins) => pins.iter().try_for_each(|pin| check_pin(name, pin))?,
            Action::SetLoads(loads) => loads.iter().try_for_each(|load| check_load(name, load))?,
            _ => {}
        }
        let numbers: &[f64] = match &event.action {
            Action::Push(v) | Action::SetGravity(v) => v,
            _ => &[],
        };
        if numbers.iter().any(|n| !n.is_finite()) {
            return bad("its numbers must be finite");
        }
    }
    Ok(())
}

/// The bodies that an event means.
pub(crate) fn bodies<R: Real>(event: &Event, model: &Model<R>) -> Vec<usize> {
    match &event.body {
        Some(name) => model.body_named(name).into_iter().collect(),
        None => (0..model.bodies.len()).collect(),
    }
}

/// Carries out one event.
pub(crate) fn apply<R: Real>(event: &Event, model: &mut Model<R>, state: &mut State<R>) -> Result<(), BuildError> {
    if let Action::SetGravity(g) = &event.action {
        model.loads.gravity = Vec3::of(*g);
    }
    for body in bodies(event, model) {
        let points: Vec<[f64; 3]> = model.bodies[body]
            .nodes
            .clone()
            .map(|n| (Vec3(model.rest[n].to_f64()) + Vec3(state.u[n].to_f64())).0)
            .collect();
        match &event.action {
            Action::SetMaterial(material) => set_material(model, body, material),
            Action::Release => model.pins.retain(|p| p.body != body),
            Action::Pin(pins) => {
                for pin in pins {
                    model.add_pin(body, pin, &points, event.at)?;
                }
            }
            Action::Push(velocity) => {
                let nodes = model.bodies[body].nodes.clone();
                state.v[nodes].iter_mut().for_each(|v| *v += Vec3::of(*velocity));
            }
            Action::SetLoads(loads) => model.set_loads(body, loads, &points)?,
            Action::SetGravity(_) => {}
        }
    }
    model.version += 1;
    state.forget();
    Ok(())
}

/// Makes a body of another material with the same density.
pub(crate) fn set_material<R: Real>(model: &mut Model<R>, body: usize, material: &crate::material::Material) {
    let selective = model.bodies[body].method == Method::Selective;
    let mut first = true;
    for block in model.blocks.iter_mut().filter(|b| b.body == body) {
        let part = match (selective, first) {
            (true, true) => Part::Shear,
            (true, false) => Part::Volume,
            _ => Part::Whole,
        };
        first = false;
        if block.is_fibre() {
            block.law = AnyLaw::fibre(material);
        } else {
            block.law = AnyLaw::new(material, part);
            block.viscosity = viscosity(material, part);
        }
        block.rayleigh_stiffness = R::of(material.rayleigh_stiffness);
        block.penalty_modulus = R::of(material.young_modulus);
    }
    model.rayleigh_mass[body] = R::of(material.rayleigh_mass);
    model.bodies[body].material = material.clone();
}
