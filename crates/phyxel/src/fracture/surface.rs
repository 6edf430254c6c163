//! The surfaces that contact sees follow the pieces: each fragment is a part of its own.

use super::fragile::{Fragile, Pieces};
use super::relabel::Relabel;
use crate::contact::{Part, Surface, Vertex};
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model, Skin};
use crate::scene::Fate;

/// Builds the contact surface anew, the same bodies in the same order.
pub(super) fn rebuild<R: Real>(model: &mut Model<R>, relabel: &Relabel) {
    if model.surface.parts.is_empty() {
        return;
    }
    let old = std::mem::take(&mut model.surface);
    let rest: Vec<Vec3<f64>> = model.rest.iter().map(|x| Vec3(x.to_f64())).collect();
    let mut surface = Surface::default();
    let (mut first, mut first_face, mut done) = (0, 0, None);
    for (index, part) in old.parts.iter().enumerate() {
        let end = first + old.part_of[first..].iter().take_while(|p| **p as usize == index).count();
        let in_part = |t: &[u32; 3]| (t[0] as usize) < end;
        let end_face = first_face + old.triangles[first_face..].iter().take_while(|t| in_part(t)).count();
        let spec = &model.bodies[part.body];
        let phyxels = matches!(&spec.fragile, Some(Fragile { pieces: Pieces::Points(_), .. }));
        match (&relabel.sources[part.body], &spec.skin) {
            // All pieces of a body come at once.
            (Some(_), skin) if done == Some(part.body) && (phyxels || matches!(skin, Skin::Nodes(_))) => {}
            (Some(_), _) if phyxels => add_shells(&mut surface, *part, spec, &rest),
            (Some(_), Skin::Nodes(nodes)) => add_pieces(&mut surface, *part, (spec, nodes), &rest),
            _ => {
                let moved = |v: &Vertex| Vertex { nodes: v.nodes.map(|n| relabel.node(n)), weights: v.weights };
                let vertices = old.vertices[first..end].iter().map(moved).collect();
                let own = |t: &[u32; 3]| t.map(|v| v - first as u32);
                let triangles: Vec<[u32; 3]> = old.triangles[first_face..end_face].iter().map(own).collect();
                surface.add(*part, vertices, &triangles, &rest);
            }
        }
        done = Some(part.body);
        (first, first_face) = (end, end_face);
    }
    model.surface = surface;
}

/// Adds the surface of each fragment of a body.
fn add_pieces(surface: &mut Surface, part: Part, (spec, nodes): (&BodyModel, &[u32]), rest: &[Vec3<f64>]) {
    let Some(fragile @ Fragile { pieces: Pieces::Tets(_), fragments, .. }) = &spec.fragile else { return };
    let owner = fragile.owners();
    let fragment = |vertex: u32| owner[nodes[vertex as usize] as usize - spec.nodes.start] as usize;
    let mut place = vec![0u32; nodes.len()];
    let mut vertices: Vec<Vec<Vertex>> = vec![Vec::new(); fragments.len()];
    for (k, n) in nodes.iter().enumerate() {
        let own = &mut vertices[fragment(k as u32)];
        place[k] = own.len() as u32;
        own.push(Vertex::node(*n));
    }
    let mut triangles: Vec<Vec<[u32; 3]>> = vec![Vec::new(); fragments.len()];
    for t in &spec.layout.skin_triangles {
        triangles[fragment(t[0])].push(t.map(|v| place[v as usize]));
    }
    for ((vertices, triangles), fragment) in vertices.into_iter().zip(triangles).zip(fragments) {
        if vertices.is_empty() || fragment.fate == Fate::Removed {
            continue;
        }
        surface.add(part, vertices, &triangles, rest);
    }
}

/// Adds the surface of each fragment of a body of phyxels.
pub(crate) fn add_shells(surface: &mut Surface, part: Part, spec: &BodyModel, rest: &[Vec3<f64>]) {
    let Some(Fragile { pieces: Pieces::Points(points), fragments, .. }) = &spec.fragile else { return };
    let Some(shell) = points.shell() else { return };
    let first = spec.nodes.start as u32;
    let is_solid = |piece: usize| points.flow.as_ref().is_none_or(|flow| !flow.is_liquid(piece as u32));
    let pieces = fragments.iter().enumerate().filter(|(_, f)| f.elements > 0 && f.fate != Fate::Removed);
    for (piece, _) in pieces.filter(|(piece, _)| is_solid(*piece)) {
        let (mut place, mut vertices) = (vec![u32::MAX; shell.vertices.len()], Vec::new());
        let mut triangles = Vec::new();
        for (triangle, _) in shell.triangles.iter().filter(|t| t.1 as usize == piece) {
            triangles.push(triangle.map(|v| {
                let known = &mut place[v as usize];
                if *known == u32::MAX {
                    *known = vertices.len() as u32;
                    let Vertex { nodes, weights } = shell.vertices[v as usize];
                    vertices.push(Vertex { nodes: nodes.map(|n| n + first), weights });
                }
                *known
            }));
        }
        if !triangles.is_empty() {
            surface.add(part, vertices, &triangles, rest);
        }
    }
}
