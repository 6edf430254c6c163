//! The surfaces that contact sees follow the pieces.

use super::relabel::Relabel;
use crate::contact::{Surface, Vertex};
use crate::math::{Real, Vec3};
use crate::model::{Model, Skin};

/// Builds the contact surface anew, the same parts in the same order. A body in pieces touches itself.
pub(super) fn rebuild<R: Real>(model: &mut Model<R>, relabel: &Relabel) {
    if model.surface.parts.is_empty() {
        return;
    }
    let old = std::mem::take(&mut model.surface);
    let rest: Vec<Vec3<f64>> = model.rest.iter().map(|x| Vec3(x.to_f64())).collect();
    let mut surface = Surface::default();
    let (mut first, mut first_face) = (0, 0);
    for (index, part) in old.parts.iter().enumerate() {
        let end = first + old.part_of[first..].iter().take_while(|p| **p as usize == index).count();
        let in_part = |t: &[u32; 3]| (t[0] as usize) < end;
        let end_face = first_face + old.triangles[first_face..].iter().take_while(|t| in_part(t)).count();
        let spec = &model.bodies[part.body];
        let mut part = *part;
        match (&relabel.sources[part.body], &spec.skin) {
            (Some(_), Skin::Nodes(nodes)) => {
                part.touches_itself |= spec.fragile.as_ref().is_some_and(|f| f.fragment_count() > 1);
                let vertices = nodes.iter().map(|n| Vertex::node(*n)).collect();
                surface.add(part, vertices, &spec.layout.skin_triangles, &rest);
            }
            _ => {
                let moved = |v: &Vertex| Vertex { nodes: v.nodes.map(|n| relabel.node(n)), weights: v.weights };
                let vertices = old.vertices[first..end].iter().map(moved).collect();
                let own = |t: &[u32; 3]| t.map(|v| v - first as u32);
                let triangles: Vec<[u32; 3]> = old.triangles[first_face..end_face].iter().map(own).collect();
                surface.add(part, vertices, &triangles, &rest);
            }
        }
        (first, first_face) = (end, end_face);
    }
    model.surface = surface;
}
