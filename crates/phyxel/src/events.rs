//! What happens at a given time: changes of material, loads, pins and velocities, applied between steps.

use crate::fracture::Slice;
use crate::material::plastic::InnerLaw;
use crate::material::{AnyLaw, LawKind, Material, Part};
use crate::math::{Real, Vec3};
use crate::model::{BuildError, Model, check_heat_load, check_load, check_pin, viscosity};
use crate::scene::{Action, BodyHeat, Event, Method, Scene};
use crate::state::State;

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
            return Err(unknown_body(name, scene.bodies.iter().map(|b| &b.name)));
        }
        for body in scene.bodies.iter().filter(|b| event.body.as_ref().is_none_or(|n| *n == b.name)) {
            let heated = body.heat.is_some();
            check_on(event, &body.name, &body.material, (body.method == Method::Selective, heated))?;
        }
        let name = event.body.as_deref().unwrap_or("all");
        match &event.action {
            Action::Pin(pins) => pins.iter().try_for_each(|pin| check_pin(name, pin))?,
            Action::SetLoads(loads) => loads.iter().try_for_each(|load| check_load(name, load))?,
            Action::SetHeat(loads) => loads.iter().try_for_each(|load| check_heat_load(name, load))?,
            _ => {}
        }
        check_numbers(event)?;
    }
    Ok(())
}

/// Checks the numbers of what an event does to any body.
fn check_numbers(event: &Event) -> Result<(), BuildError> {
    let bad = |why| Err(BuildError::BadEvent { at: event.at, why });
    let numbers: &[f64] = match &event.action {
        Action::Push(v) | Action::SetGravity(v) => v,
        Action::Cut(cut) if cut.normal == [0.0; 3] => {
            return bad("its plane has no normal: give one that is not zero");
        }
        Action::Cut(cut) if cut.radius.is_nan() || cut.radius <= 0.0 => {
            return bad("the radius of its cut must be above zero");
        }
        Action::Cut(cut) => &[cut.point, cut.normal].concat(),
        Action::Sweep(blade) if blade.duration.is_nan() || blade.duration <= 0.0 => {
            return bad("its blade must take some time: give a duration above zero");
        }
        Action::Sweep(blade) if Slice::swept(blade, 0.0, (0.0, blade.duration)).is_none() => {
            return bad("its blade cuts nothing: let its edge have a length, and move across it");
        }
        Action::Sweep(blade) => &[blade.from.concat(), blade.to.concat(), vec![blade.duration]].concat(),
        _ => &[],
    };
    if numbers.iter().any(|n| !n.is_finite()) {
        return bad("its numbers must be finite");
    }
    Ok(())
}

/// Checks an event that happens now.
pub(crate) fn check_one<R: Real>(event: &Event, model: &Model<R>) -> Result<(), BuildError> {
    if let Some(name) = &event.body
        && model.body_named(name).is_none()
    {
        return Err(unknown_body(name, model.bodies.iter().map(|b| &b.name)));
    }
    check_numbers(event)?;
    bodies(event, model).into_iter().try_for_each(|k| {
        let body = &model.bodies[k];
        if matches!(event.action, Action::Cut(_) | Action::Sweep(_)) && body.fragile.is_none() {
            let what = "it was not built to be cut: give its material a strength, or its scene a cut";
            return Err(BuildError::Unsupported { body: body.name.clone(), what });
        }
        check_on(event, &body.name, &body.material, (body.method == Method::Selective, model.is_heated(k)))
    })
}

fn unknown_body<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> BuildError {
    let known = known.map(|b| format!("{b:?}")).collect::<Vec<_>>().join(", ");
    BuildError::UnknownBody { body: name.into(), known }
}

/// Checks what an event does to one body.
fn check_on(
    event: &Event,
    name: &str,
    present: &Material,
    (selective, heated): (bool, bool),
) -> Result<(), BuildError> {
    let bad = |why| Err(BuildError::BadEvent { at: event.at, why });
    match &event.action {
        Action::SetMaterial(material) => {
            material.check().map_err(|source| BuildError::Material { body: name.into(), source })?;
            if material.density != present.density {
                return bad("the density of a body cannot change while it moves: its mass would");
            }
            if selective && matches!(material.law, LawKind::Anisotropic(_)) {
                return bad("selective smoothing needs an isotropic law");
            }
            if heated && material.thermal.is_none() {
                return bad("a body that has a temperature needs conductivity and specific_heat: give both");
            }
            Ok(())
        }
        Action::SetHeat(_) if !heated => bad("the body has no temperature: give it one at the start"),
        _ => Ok(()),
    }
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
            Action::SetMaterial(material) => {
                set_material(model, body, material);
                model.add_grains(state);
            }
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
            Action::SetHeat(loads) => {
                let Some(Some(old)) = model.heat.get(body) else { continue };
                let (convection, ambient, conductance) = (old.convection, old.ambient, old.conductance);
                let heat = BodyHeat { convection, ambient, conductance, loads: loads.clone(), ..BodyHeat::default() };
                model.set_heat(body, &heat, &points)?;
            }
            Action::SetGravity(_) | Action::Cut(_) | Action::Sweep(_) => {}
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
        block.inner = InnerLaw::new(material, part, block.law);
        block.rayleigh_stiffness = R::of(material.rayleigh_stiffness);
        block.penalty_modulus = R::of(material.young_modulus);
    }
    model.rayleigh_mass[body] = R::of(material.rayleigh_mass);
    model.bodies[body].material = material.clone();
}
