//! `[[bodies]]`.

use phyxel::material::Material;
use phyxel::scene::{
    Body, ContactSettings, DEFAULT_SURFELS, KernelKind, Lagrangian, MassKind, Method, MlsSettings, Place, Support,
    SurfaceKind,
};
use phyxel::shape::{BYTES_PER_NODE, Geometry, MAX_NODES, Resolution};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::files::Skinned;
use super::groups::GroupNames;
use super::materials::{self, Materials};
use super::regions;
use super::{files, fracture, heat, shapes};
use crate::solid::Filled;

/// Discs beyond this are smaller than pixels of any picture of a body.
const MAX_SURFELS: usize = 10_000_000;

const KEYS: &[&str] = &[
    "name",
    "shape",
    "method",
    "size",
    "count",
    "cells",
    "split",
    "material",
    "position",
    "rotation",
    "velocity",
    "spin",
    "mass",
    "pins",
    "loads",
    "kernel",
    "support",
    "stabilisation",
    "consistency",
    "lagrangian",
    "reanchor",
    "contact",
    "self_contact",
    "friction",
    "groups",
    "touches",
    "temperature",
    "convection",
    "ambient",
    "conductance",
    "heat",
    "device",
    "weak",
    "whole_cubes",
    "surface",
    "surfels",
    "colour",
    "skin",
    "fragments",
    "cut_elements",
];

/// Reads and builds every body, in the order of the file.
pub(super) fn read_all(
    items: &[Field<'_>],
    materials: &Materials<'_>,
    groups: &GroupNames,
) -> Result<Vec<Body>, SceneError> {
    let mut bodies: Vec<Body> = Vec::with_capacity(items.len());
    let mut nodes = 0.0;
    for item in items {
        let mut body = read(item, materials, &bodies, &mut nodes)?;
        body.contact = contact(&item.fields(KEYS)?, groups)?;
        let places = [("auto", Place::Auto), ("cpu", Place::Cpu), ("gpu", Place::Gpu)];
        body.place = item.fields(KEYS)?.word("device", "device", &places, Place::Auto)?;
        bodies.push(body);
    }
    Ok(bodies)
}

fn read(
    item: &Field<'_>,
    materials: &Materials<'_>,
    earlier: &[Body],
    nodes_so_far: &mut f64,
) -> Result<Body, SceneError> {
    let fields = item.fields(KEYS)?;
    let name = name(&fields, earlier)?;
    let material = fields.or("material", Material::default(), |field| materials.find(field))?;
    let (Filled { geometry, notes, .. }, skinned, method) = geometry(&fields, &material, nodes_so_far)?;
    let mut body = Body::new(name, geometry, method, material);
    body.notes = notes;
    (body.skin, body.look, body.skin_parts) = (skinned.skin, skinned.look, skinned.parts);
    body.look.colour = fields.get("colour").map(|field| materials::colour(&field)).transpose()?;
    (body.surface, body.surfels) = surface(&fields, method)?;
    body.velocity = fields.vector("velocity", body.velocity)?;
    body.spin = fields.vector("spin", body.spin)?;
    body.mass = mass(&fields, method)?;
    body.mls = mls(&fields)?;
    body.heat = heat::body(&fields)?;
    body.cut_elements = fields.get("cut_elements").map_or(Ok(false), |field| field.flag())?;
    body.fragments = fields.get("fragments").map(|field| fracture::fragments(&field)).transpose()?;
    body.weaknesses = fields.or("weak", Vec::new(), fracture::weaknesses)?;
    body.whole_cells = fracture::whole_cells(&fields, &body.geometry, method)?;
    body.pins = fields.or("pins", Vec::new(), regions::pins)?;
    body.loads = fields.or("loads", Vec::new(), regions::loads)?;
    let points = points(&body.geometry);
    regions::check_not_empty(fields.get("pins"), body.pins.iter().map(|pin| &pin.region), points)?;
    regions::check_not_empty(fields.get("weak"), body.weaknesses.iter().map(|weak| &weak.region), points)?;
    regions::check_not_empty(fields.get("loads"), body.loads.iter().map(|load| &load.region), points)?;
    let heated = body.heat.iter().flat_map(|heat| heat.loads.iter().map(|load| &load.region));
    regions::check_not_empty(fields.get("heat"), heated, points)?;
    Ok(body)
}

fn name(fields: &Fields<'_>, earlier: &[Body]) -> Result<String, SceneError> {
    let field = fields.require("name", "name = \"…\", by which results and events call the body")?;
    let name = field.text()?;
    if name.trim().is_empty() {
        return Err(field.fail(Problem::Conflict("is empty; give the body a name")));
    }
    if earlier.iter().any(|body| body.name == name) {
        return Err(field.fail(Problem::DuplicateName { name: name.into() }));
    }
    Ok(name.into())
}

/// `surface` and `surfels`.
fn surface(fields: &Fields<'_>, method: Method) -> Result<(SurfaceKind, usize), SceneError> {
    let kinds = SurfaceKind::ALL.map(|kind| (kind.name(), kind));
    let kind = fields.word("surface", "surface", &kinds, SurfaceKind::Auto)?;
    if let Some(field) = fields.get("surface")
        && method != Method::Mls
        && !matches!(kind, SurfaceKind::Auto | SurfaceKind::Skin)
    {
        return Err(
            field.fail(Problem::Conflict("is made around phyxels; write method = \"mls\", or surface = \"skin\""))
        );
    }
    let surfels = fields.whole("surfels", 1, DEFAULT_SURFELS)?;
    if let Some(field) = fields.get("surfels") {
        if !matches!(kind, SurfaceKind::Surfels | SurfaceKind::Multi) {
            return Err(
                field.fail(Problem::Conflict("has no effect on this surface; add surface = \"surfels\" or \"multi\""))
            );
        }
        if surfels > MAX_SURFELS {
            return Err(field.fail(Problem::Conflict("is more than 10 million, which no picture shows; write less")));
        }
    }
    Ok((kind, surfels))
}

/// `skin`: whether the file's own surface is drawn; or a table that names another file.
fn own_skin(fields: &Fields<'_>, from_file: bool) -> Result<bool, SceneError> {
    if other_skin(fields).is_some() {
        return Ok(from_file);
    }
    let own = fields.word("skin", "skin", &[("cells", false), ("file", true)], false)?;
    match fields.get("skin") {
        Some(field) if own && !from_file => {
            Err(field.fail(Problem::Conflict("is that of a file, and the shape is none; leave it out")))
        }
        _ => Ok(own),
    }
}

/// `skin = { file = "…" }`.
fn other_skin<'a>(fields: &Fields<'a>) -> Option<Field<'a>> {
    fields.get("skin").filter(|field| field.named_entries().is_ok())
}

type Shaped = (Filled, Skinned, Method);

fn geometry(fields: &Fields<'_>, material: &Material, nodes_so_far: &mut f64) -> Result<Shaped, SceneError> {
    let (mut filled, mut skinned, method) = own_geometry(fields, material, nodes_so_far)?;
    if let Some(skin) = other_skin(fields) {
        skinned = files::skin(&skin, &mut filled, &shapes::placement(fields)?)?;
    }
    Ok((filled, skinned, method))
}

fn own_geometry(fields: &Fields<'_>, material: &Material, nodes_so_far: &mut f64) -> Result<Shaped, SceneError> {
    let shape_field = fields.require("shape", "shape = { box = [x, y, z] } or another shape")?;
    let methods = Method::ALL.map(|method| (method.name(), method));
    if files::is_file(&shape_field) {
        let resolution = shapes::resolution(fields, Resolution::Count(shapes::DEFAULT_COUNT))?;
        let method = fields.word("method", "method", &methods, Method::Mls)?;
        let own_skin = own_skin(fields, true)?;
        let (filled, skinned) = files::body(&shape_field, method, &resolution, &shapes::placement(fields)?, own_skin)?;
        *nodes_so_far += points(&filled.geometry).len() as f64;
        check_nodes(fields, *nodes_so_far)?;
        return Ok((filled, skinned, method));
    }
    own_skin(fields, false)?;
    let shape = shapes::shape(&shape_field)?;
    let resolution = shapes::resolution(fields, shapes::usual_resolution(&shape_field, &shape))?;
    let method = fields.word("method", "method", &methods, shapes::default_method(&shape))?;
    let estimate = shape.node_estimate(method, &resolution);
    *nodes_so_far += estimate.map_err(|error| shape_field.fail(Problem::Shape(error)))?;
    check_nodes(fields, *nodes_so_far)?;
    let geometry = shapes::discretise(fields, &shape, method, &resolution, material)?;
    Ok((Filled { geometry, notes: Vec::new(), size: None }, Skinned::default(), method))
}

fn check_nodes(fields: &Fields<'_>, nodes: f64) -> Result<(), SceneError> {
    if nodes <= MAX_NODES {
        return Ok(());
    }
    Err(fields.fail(Problem::TooLarge { nodes, bytes: nodes * BYTES_PER_NODE, limit: MAX_NODES }))
}

fn contact(fields: &Fields<'_>, groups: &GroupNames) -> Result<ContactSettings, SceneError> {
    let default = ContactSettings::default();
    Ok(ContactSettings {
        enabled: fields.flag("contact", default.enabled)?,
        self_contact: fields.flag("self_contact", default.self_contact)?,
        friction: fields.or("friction", None, |field| field.number(Range::NotNegative).map(Some))?,
        groups: groups.read(fields)?,
    })
}

fn mass(fields: &Fields<'_>, method: Method) -> Result<MassKind, SceneError> {
    let Some(field) = fields.get("mass") else { return Ok(MassKind::Lumped) };
    let mass = field.word("mass", &[("lumped", MassKind::Lumped), ("consistent", MassKind::Consistent)])?;
    if mass == MassKind::Consistent && matches!(method, Method::Mls | Method::Spring) {
        return Err(field.fail(Problem::Conflict(
            "is consistent, which needs tetrahedra; write mass = \"lumped\" or method = \"tet\"",
        )));
    }
    Ok(mass)
}

fn mls(fields: &Fields<'_>) -> Result<MlsSettings, SceneError> {
    let default = MlsSettings::default();
    let kernels = [("poly6", KernelKind::Poly6), ("cosine", KernelKind::Cosine)];
    let lagrangians = [("total", Lagrangian::Total), ("updated", Lagrangian::Updated)];
    Ok(MlsSettings {
        kernel: fields.word("kernel", "kernel", &kernels, default.kernel)?,
        support: fields.or("support", default.support, support)?,
        stabilisation: fields.number("stabilisation", Range::NotNegative, default.stabilisation)?,
        consistency: fields.flag("consistency", default.consistency)?,
        lagrangian: fields.word("lagrangian", "description", &lagrangians, default.lagrangian)?,
        reanchor: fields.number("reanchor", Range::NotNegative, default.reanchor)?,
    })
}

fn support(field: &Field<'_>) -> Result<Support, SceneError> {
    match field.number(Range::Positive) {
        Ok(spacings) => Ok(Support::Spacings(spacings)),
        Err(error) if matches!(error.problem, Problem::OutOfRange { .. }) => Err(error),
        Err(_) => {
            let fields = field.fields(&["k", "factor"])?;
            Ok(Support::Nearest {
                k: fields.require("k", "k, the number of neighbours")?.whole(1)?,
                factor: fields.require("factor", "factor, a multiple of their distance")?.number(Range::Positive)?,
            })
        }
    }
}

fn points(geometry: &Geometry) -> &[[f64; 3]] {
    match geometry {
        Geometry::Tets(mesh) => &mesh.points,
        Geometry::Points(sampling) => &sampling.points,
        Geometry::Springs(net) => &net.points,
        Geometry::Embedded(embedded) => &embedded.mesh.points,
    }
}
