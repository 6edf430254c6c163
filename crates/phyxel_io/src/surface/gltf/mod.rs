//! glTF 2.0 and GLB: all meshes of all scenes, each where its node stands.
//!
//! The JSON is read into a few structures of our own; ARCHITECTURE.md says why.

mod accessor;
mod buffers;
mod document;
mod nodes;

use super::polygons::{NONE, Polygons, index};
use super::{SurfaceFile, SurfaceMaterial};
use crate::input::{Axes, MeshFileError, Place, Problem, Source};
use accessor::Data;
use document::{Document, Primitive};
use nodes::Affine;
use std::collections::HashSet;

type Result<T> = std::result::Result<T, Problem>;

/// Nodes may place one mesh many times; the copies of a file must not exceed this many corners.
const MOST_CORNERS: u64 = 50_000_000;

/// Reads a glTF or GLB file.
pub(super) fn read(source: &Source, axes: Axes) -> std::result::Result<SurfaceFile, MeshFileError> {
    let (json, chunk) = buffers::split(source)?;
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        let what = format!("the JSON is not that of a glTF file ({error})");
        let problem = Problem::Malformed { what, remedy: "correct the file or export it again" };
        let place = if chunk.is_none() { Place::Line(error.line().max(1)) } else { Place::File };
        MeshFileError::new(&source.path, place, problem)
    })?;
    check(&document).map_err(|problem| source.error(problem))?;
    let mut data = Data { document: &document, buffers: Vec::new() };
    let used = used_buffers(&document);
    let mut uris = HashSet::new();
    let mut twice = document.buffers.iter().zip(&used).filter(|(_, used)| **used).filter_map(|(b, _)| b.uri.as_ref());
    if twice.any(|uri| !uri.starts_with("data:") && !uris.insert(uri)) {
        let (what, remedy) = ("a file that is the buffer twice".into(), "export as .glb");
        return Err(source.error(Problem::Unsupported { what, remedy }));
    }
    for (buffer, used) in document.buffers.iter().zip(used) {
        data.buffers.push(if used { Some(buffers::load(source, buffer, chunk)?) } else { None });
    }
    let surface = collect(&data, axes).map_err(|problem| source.error(problem))?;
    surface.finish(source, axes, if source.bytes.starts_with(b"glTF") { "GLB" } else { "glTF" })
}

fn check(document: &Document) -> Result<()> {
    if !document.asset.version.starts_with('2') {
        let what = format!("version `{}` of glTF", crate::input::shortened(document.asset.version.as_bytes()));
        return Err(Problem::Unsupported { what, remedy: "export as glTF 2.0" });
    }
    let compressed = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
    match document.extensions_required.iter().find(|e| compressed.contains(&e.as_str())) {
        Some(what) => Err(Problem::Unsupported { what: what.clone(), remedy: "export without compression" }),
        None => Ok(()),
    }
}

/// Buffers that shapes need: those of animations and pictures may be missing.
fn used_buffers(document: &Document) -> Vec<bool> {
    let mut used = vec![false; document.buffers.len()];
    for primitive in document.meshes.iter().flat_map(|m| &m.primitives) {
        let a = &primitive.attributes;
        for accessor in [a.position, a.normal, a.uv, a.colour, primitive.indices].into_iter().flatten() {
            let view = document.accessors.get(accessor).and_then(|a| document.buffer_views.get(a.buffer_view?));
            if let Some(slot) = view.and_then(|v| used.get_mut(v.buffer)) {
                *slot = true;
            }
        }
    }
    used
}

fn collect(data: &Data, axes: Axes) -> Result<Polygons> {
    let mut surface = Polygons::default();
    surface.materials = materials(data.document);
    let placed = nodes::placed_meshes(data.document)?;
    let meshes = &data.document.meshes;
    let mut count = 0u64;
    for &(mesh, _) in &placed {
        let missing = Problem::OutOfRange { what: "mesh", index: mesh as i64, count: meshes.len() };
        for primitive in &meshes.get(mesh).ok_or(missing)?.primitives {
            count += size(data, primitive)?;
            if count > MOST_CORNERS {
                return Err(Problem::TooMany { what: "corners", count, limit: MOST_CORNERS });
            }
        }
    }
    for (mesh, map) in placed {
        meshes[mesh].primitives.iter().try_for_each(|primitive| add(data, axes, primitive, &map, &mut surface))?;
    }
    Ok(surface)
}

/// An upper bound of the vertices and corners that a primitive adds; zero when it is left out.
fn size(data: &Data, primitive: &Primitive) -> Result<u64> {
    let Some(position) = primitive.attributes.position.filter(|_| is_surface(primitive)) else { return Ok(0) };
    let vertices = data.count(position, "VEC3")?;
    let corners = primitive.indices.map_or(Ok(vertices), |accessor| data.count(accessor, "SCALAR"))?;
    Ok(vertices.max(3 * corners) as u64)
}

/// Triangles as a list, a strip or a fan.
fn is_surface(primitive: &Primitive) -> bool {
    matches!(mode(primitive), 4..=6)
}

fn mode(primitive: &Primitive) -> u32 {
    primitive.mode.unwrap_or(4)
}

/// Adds the triangles of one primitive.
fn add(data: &Data, axes: Axes, primitive: &Primitive, map: &Affine, surface: &mut Polygons) -> Result<()> {
    let Some(position) = primitive.attributes.position.filter(|_| is_surface(primitive)) else {
        surface
            .found
            .skip(if mode(primitive) < 4 { "groups of points and lines" } else { "meshes without positions" }, 1);
        return Ok(());
    };
    let first = index(surface.points.len(), "vertices")?;
    let count = data.count(position, "VEC3")?;
    let corners = match primitive.indices {
        Some(accessor) => data.indices(accessor)?,
        None => (0..index(count, "vertices")?).collect(),
    };
    for point in data.vectors::<3>(position, &["VEC3"], 0.0)? {
        surface.points.push(axes.point(nodes::apply(map, point))?);
    }
    attributes(data, primitive, map, count, surface)?;
    if let Some(&bad) = corners.iter().find(|c| **c as usize >= count) {
        return Err(Problem::OutOfRange { what: "vertex", index: i64::from(bad), count });
    }
    let mirrored = nodes::determinant(map) < 0.0;
    for triangle in triangles(&corners, mode(primitive)) {
        let [a, b, c] = triangle.map(|v| first + v);
        surface.corners.extend(if mirrored { [a, c, b] } else { [a, b, c] });
        surface.close_face()?;
    }
    let material = primitive.material.filter(|m| *m < surface.materials.len()).map_or(NONE, |m| m as u32);
    surface.material_of.resize(surface.faces(), material);
    Ok(())
}

/// Data of vertices; vertices of primitives without it get zeros, or white.
fn attributes(data: &Data, primitive: &Primitive, map: &Affine, count: usize, surface: &mut Polygons) -> Result<()> {
    let (first, a) = (surface.points.len() - count, &primitive.attributes);
    if let Some(accessor) = a.normal {
        let normals = same_count(data.vectors::<3>(accessor, &["VEC3"], 0.0)?, count, "normals")?;
        surface.normals.values.resize(first, [0.0; 3]);
        surface.normals.values.extend(normals.iter().map(|n| nodes::apply_to_normal(map, *n).map(|c| c as f32)));
    }
    if let Some(accessor) = a.uv {
        let uvs = same_count(data.vectors::<2>(accessor, &["VEC2"], 0.0)?, count, "texture coordinates")?;
        surface.uvs.values.resize(first, [0.0; 2]);
        surface.uvs.values.extend(uvs.iter().map(|[u, v]| [*u as f32, 1.0 - *v as f32]));
    }
    if let Some(accessor) = a.colour {
        let colours = same_count(data.vectors::<4>(accessor, &["VEC3", "VEC4"], 1.0)?, count, "colours")?;
        surface.colours.values.resize(first, [255; 4]);
        let byte = |c: f64| (255.0 * c.clamp(0.0, 1.0)).round() as u8;
        surface.colours.values.extend(colours.iter().map(|c| c.map(byte)));
    }
    Ok(())
}

/// Refuses data that does not fit the vertices.
fn same_count<T>(values: Vec<T>, count: usize, what: &str) -> Result<Vec<T>> {
    if values.len() == count {
        return Ok(values);
    }
    let what = format!("a mesh has {count} vertices but {} {what}", values.len());
    Err(Problem::Malformed { what, remedy: "export the file again" })
}

/// Triangles of a list (4), a strip (5) or a fan (6); those that a strip degenerates on purpose are left out.
fn triangles(corners: &[u32], mode: u32) -> Vec<[u32; 3]> {
    let proper = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    match mode {
        4 => corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        5 => {
            let turn = |(k, w): (usize, &[u32])| if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] };
            corners.windows(3).enumerate().map(turn).filter(proper).collect()
        }
        _ => {
            let rim = corners.get(1..).unwrap_or_default();
            rim.windows(2).map(|w| [corners[0], w[0], w[1]]).filter(proper).collect()
        }
    }
}

fn materials(document: &Document) -> Vec<SurfaceMaterial> {
    let one = |material: &document::Material| {
        let pbr = &material.pbr_metallic_roughness;
        let image = pbr.base_color_texture.as_ref().and_then(|t| document.textures.get(t.index)?.source);
        let uri = image.and_then(|i| document.images.get(i)?.uri.as_deref()).filter(|u| !u.starts_with("data:"));
        SurfaceMaterial {
            name: material.name.clone(),
            colour: pbr.base_color_factor,
            texture: uri.map(buffers::decoded),
        }
    };
    document.materials.iter().map(one).collect()
}
