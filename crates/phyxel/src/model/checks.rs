//! What is refused before anything is built, each with its remedy.

use super::BuildError;
use crate::material::LawKind;
use crate::math::{Real, Vec3};
use crate::scene::{
    Body, Camera, Collider, ColliderShape, Integrator, Load, LoadKind, MassKind, Method, Motion, Pin, Scene,
    SolverSettings,
};
use crate::shape::{EmbeddedMesh, Geometry, Placement, SpringNet, TriMesh};

pub(super) fn check_numbers(numbers: &[f64], what: impl Fn() -> String) -> Result<(), BuildError> {
    match numbers.iter().find(|n| !n.is_finite()) {
        Some(&value) => Err(BuildError::BadNumber { what: what(), value, remedy: "" }),
        None => Ok(()),
    }
}

pub(super) fn check_positive(value: f64, what: &str) -> Result<(), BuildError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(BuildError::BadNumber { what: what.into(), value, remedy: " above zero" })
}

pub(crate) fn check_pin(body: &str, pin: &Pin) -> Result<(), BuildError> {
    let numbers = [pin.velocity, pin.spin, pin.center].concat();
    check_numbers(&numbers, || format!("a pin of body {body:?}"))?;
    if pin.until.is_nan() {
        return Err(BuildError::BadNumber {
            what: format!("`until` of a pin of body {body:?}"),
            value: pin.until,
            remedy: "",
        });
    }
    Ok(())
}

pub(super) fn check_scene(scene: &Scene) -> Result<(), BuildError> {
    if scene.bodies.is_empty() && scene.rigid_bodies.is_empty() {
        return Err(BuildError::NoBodies);
    }
    check_positive(scene.duration, "duration [s]")?;
    check_positive(scene.frame_rate, "frame_rate [1/s]")?;
    check_numbers(&scene.gravity, || "gravity".into())?;
    check_solver(&scene.solver)?;
    scene.camera.iter().try_for_each(check_camera)?;
    for (i, body) in scene.bodies.iter().enumerate() {
        if scene.bodies[..i].iter().any(|b| b.name == body.name) {
            return Err(BuildError::DuplicateName { name: body.name.clone() });
        }
        check_body(body, scene)?;
    }
    scene.colliders.iter().try_for_each(check_collider)?;
    super::check_rigid::check(scene)?;
    crate::events::check(scene)
}

fn check_camera(camera: &Camera) -> Result<(), BuildError> {
    check_numbers(&[camera.position, camera.target].concat(), || "the camera".into())?;
    let bad = |what: &str, value, remedy| Err(BuildError::BadNumber { what: what.into(), value, remedy });
    if !(camera.fov >= 1.0 && camera.fov <= 150.0) {
        return bad("the camera's fov [degrees]", camera.fov, " from 1 to 150");
    }
    let distance = (Vec3(camera.position) - Vec3(camera.target)).norm();
    if distance < 1e-9 * (1.0 + Vec3(camera.target).norm()) {
        return bad("the distance of the camera from its target [m]", distance, " above zero");
    }
    Ok(())
}

fn check_solver(solver: &SolverSettings) -> Result<(), BuildError> {
    check_positive(solver.step, "solver step [s]")?;
    check_positive(solver.tolerance, "solver tolerance")?;
    check_positive(solver.newton_tolerance, "solver newton_tolerance")?;
    for (count, what) in [
        (solver.max_iterations, "solver max_iterations"),
        (solver.newton_iterations, "solver newton_iterations"),
        (solver.iterations, "solver iterations"),
        (solver.substeps, "solver substeps"),
    ] {
        check_positive(count as f64, what)?;
    }
    if !(solver.sleep_speed >= 0.0 && solver.sleep_speed.is_finite()) {
        let what = "solver sleep_speed [m/s]".into();
        return Err(BuildError::BadNumber { what, value: solver.sleep_speed, remedy: ", zero or more" });
    }
    check_positive(solver.pbd_stiffness, "solver pbd_stiffness")?;
    if solver.pbd_stiffness > 1.0 {
        let what = "solver pbd_stiffness".into();
        return Err(BuildError::BadNumber { what, value: solver.pbd_stiffness, remedy: " above zero and up to 1" });
    }
    Ok(())
}

fn check_body(body: &Body, scene: &Scene) -> Result<(), BuildError> {
    let numbers = [body.velocity, body.spin].concat();
    check_numbers(&numbers, || format!("the initial velocity or spin of body {:?}", body.name))?;
    let unsupported = |what| Err(BuildError::Unsupported { body: body.name.clone(), what });
    if let Some(friction) = body.friction()
        && !(friction >= 0.0 && friction.is_finite())
    {
        let what = format!("the friction of body {:?}", body.name);
        return Err(BuildError::BadNumber { what, value: friction, remedy: ", zero or more" });
    }
    if !(0.0..=1.0).contains(&body.material.restitution) {
        let what = format!("the restitution of body {:?}", body.name);
        return Err(BuildError::BadNumber { what, value: body.material.restitution, remedy: ", from zero to one" });
    }
    if body.mass == MassKind::Consistent {
        if !matches!(body.geometry, Geometry::Tets(_) | Geometry::Embedded(_)) {
            return unsupported("consistent mass needs tetrahedra: use mass = \"lumped\"");
        }
        let implicit = matches!(
            scene.solver.integrator,
            Integrator::ImplicitEuler | Integrator::ImplicitMidpoint | Integrator::Bdf2 | Integrator::QuasiStatic
        );
        if !implicit {
            return unsupported("consistent mass needs an implicit solver: use mass = \"lumped\"");
        }
    }
    if body.method == Method::Selective && matches!(body.material.law, LawKind::Anisotropic(_)) {
        return unsupported("selective smoothing needs an isotropic law: use method = \"edge\"");
    }
    Ok(())
}

pub(super) fn check_collider(collider: &Collider) -> Result<(), BuildError> {
    let length = |value: f64, what: &'static str| check_positive(value, what);
    let name = || "a collider's shape".to_string();
    match &collider.shape {
        ColliderShape::HalfSpace { normal, offset } => {
            check_numbers(&[normal[0], normal[1], normal[2], *offset], || "a collider's plane".into())?;
            check_positive(Vec3(*normal).norm(), "the length of a collider's normal")?;
        }
        ColliderShape::Sphere { radius } => length(*radius, "a collider's radius")?,
        ColliderShape::Box { size } => size.iter().try_for_each(|s| length(*s, "a collider's edge length"))?,
        ColliderShape::Capsule { radius, height } => {
            length(*radius, "a collider's radius")?;
            length(height - 2.0 * radius, "what a capsule's height is above twice its radius")?;
        }
        ColliderShape::Cylinder { radius, height } => {
            length(*radius, "a collider's radius")?;
            length(*height, "a collider's height")?;
        }
        ColliderShape::HeightField(field) => {
            length(field.spacing, "a height field's spacing")?;
            check_numbers(&field.heights, || "a height of a collider".into())?;
            let [nx, nz] = field.counts;
            if nx < 2 || nz < 2 || nx.checked_mul(nz) != Some(field.heights.len()) {
                let value = field.heights.len() as f64;
                let remedy = ", and as many as the rows and columns ask for, at least 2 x 2";
                return Err(BuildError::BadNumber {
                    what: "the number of heights of a collider".into(),
                    value,
                    remedy,
                });
            }
        }
        ColliderShape::Mesh { solid, cell } => {
            if let Some(cell) = cell {
                length(*cell, "the cell of a collider's distance field")?;
            }
            if !solid.closed() {
                return Err(BuildError::OpenCollider { triangles: solid.mesh().triangles.len() });
            }
        }
    }
    if let Some(temperature) = collider.temperature {
        check_numbers(&[temperature], || "a collider's temperature".into())?;
        if temperature < 0.0 {
            let what = "a collider's temperature [K]".into();
            return Err(BuildError::BadNumber { what, value: temperature, remedy: ", zero or more" });
        }
    }
    let Motion { velocity, spin, center, keys, .. } = &collider.motion;
    let Placement { position, rotation } = &collider.placement;
    for v in [velocity, spin, center, position, rotation] {
        check_numbers(v, name)?;
    }
    for (key, next) in keys.iter().zip(keys.iter().skip(1).map(Some).chain([None])) {
        check_numbers(&[key.0, key.1[0], key.1[1], key.1[2]], || "a key of a collider's motion".into())?;
        if let Some(next) = next {
            check_positive(next.0 - key.0, "the time between two keys of a collider's motion")?;
        }
    }
    for (what, value, most) in [
        ("a collider's friction", collider.friction, f64::MAX),
        ("a collider's restitution", collider.restitution, 1.0),
    ] {
        if !(0.0..=most).contains(&value) {
            let remedy = if most > 1.0 { ", zero or more" } else { ", from zero to one" };
            return Err(BuildError::BadNumber { what: what.into(), value, remedy });
        }
    }
    Ok(())
}

/// Refuses loads that are not finite.
pub(crate) fn check_load(body: &str, load: &Load) -> Result<(), BuildError> {
    let numbers: &[f64] = match &load.kind {
        LoadKind::ForcePerNode(v) | LoadKind::TotalForce(v) | LoadKind::Traction(v) => v,
        LoadKind::Pressure(p) => std::slice::from_ref(p),
    };
    check_numbers(numbers, || format!("a load of body {body:?}"))
}

/// Refuses nodes that nothing gives mass to: a force would throw them to infinity.
pub(super) fn check_masses<R: Real>(body: &str, masses: &[R]) -> Result<(), BuildError> {
    let sound = |m: &R| *m > R::zero() && m.is_finite();
    match masses.iter().position(|m| !sound(m)) {
        Some(index) => {
            let why = format!("has a mass of {} kg: make it part of an element, or remove it", masses[index]);
            Err(BuildError::BadPart { body: body.into(), part: "node", index, why })
        }
        None => Ok(()),
    }
}

/// Refuses springs that lead nowhere.
pub(super) fn check_springs(body: &str, net: &SpringNet) -> Result<(), BuildError> {
    let bad = |part, index, why| Err(BuildError::BadPart { body: body.into(), part, index, why });
    let count = net.points.len();
    if net.masses.len() != count {
        return bad(
            "node",
            net.masses.len(),
            format!("is wrong: {} masses for {count} nodes, give one each", net.masses.len()),
        );
    }
    if let Some(node) = net.points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        return bad("node", node, "has a coordinate that is not a finite number: give it a position".into());
    }
    for (i, spring) in net.springs.iter().enumerate() {
        if let Some(node) = spring.nodes.iter().find(|&&n| n as usize >= count) {
            return bad("spring", i, format!("names node {node}, but there are only {count}: number nodes from 0"));
        }
        let [a, b] = spring.nodes.map(|n| Vec3(net.points[n as usize]));
        for (what, value) in
            [("a rest length", spring.rest_length), ("a length", (b - a).norm()), ("a stiffness", spring.stiffness)]
        {
            let sound = value > 0.0 && value.is_finite();
            if !sound {
                return bad("spring", i, format!("has {what} of {value}: it must be finite and above zero"));
            }
        }
    }
    let corner = net.triangles.iter().flatten().find(|&&n| n as usize >= count);
    corner.map_or(Ok(()), |&n| bad("node", n as usize, format!("is in a triangle, but there are only {count} nodes")))
}

/// Refuses surfaces whose triangles name vertices that are not there.
pub(super) fn check_skin(body: &str, skin: &TriMesh) -> Result<(), BuildError> {
    let count = skin.points.len();
    let missing = |t: &[u32; 3]| t.iter().any(|&n| n as usize >= count);
    if let Some(index) = skin.triangles.iter().position(missing) {
        let why = format!("names a vertex that is not there (there are {count}): number vertices from 0");
        return Err(BuildError::BadPart { body: body.into(), part: "skin triangle", index, why });
    }
    if let Some(index) = skin.points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        let why = "has a coordinate that is not a finite number: give it a position".into();
        return Err(BuildError::BadPart { body: body.into(), part: "skin vertex", index, why });
    }
    Ok(())
}

/// Refuses covers whose tetrahedra are filled by less than nothing or more than all, or not at all.
pub(super) fn check_fill(body: &str, embedded: &EmbeddedMesh) -> Result<(), BuildError> {
    let bad = |index, why| Err(BuildError::BadPart { body: body.into(), part: "tetrahedron", index, why });
    let (count, fills) = (embedded.mesh.tets.len(), embedded.fill.len());
    if fills != count {
        return bad(fills.min(count), format!("is wrong: {fills} fill fractions for {count} of them, give one each"));
    }
    if let Some(index) = embedded.fill.iter().position(|f| !(0.0..=1.0).contains(f)) {
        return bad(index, format!("has a fill fraction of {}: give one from 0 to 1", embedded.fill[index]));
    }
    if embedded.fill.iter().all(|f| *f == 0.0) {
        return bad(0, "and all others are empty: fill some of them".into());
    }
    Ok(())
}
