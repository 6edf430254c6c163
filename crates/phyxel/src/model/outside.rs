//! What of a body can be touched, and by what.

use super::{BodyModel, Model, Skin};
use crate::contact::{Part, Surface, Vertex};
use crate::math::{Mat3, Real, Vec3};
use crate::scene::{Body, Lagrangian, Scene};
use crate::shape::{EmbeddedMesh, Geometry, PointSampling, Solid, TriMesh};
use std::borrow::Cow;

impl<R: Real> Model<R> {
    /// Notes the nodes that contact looks at: those of boundary faces, all nodes of springs, and all phyxels, which may be
    /// laid bare as they move. Phyxels within their body are as thick as their distance from its surface, and nodes of a
    /// cover are as much thinner than nothing.
    pub(super) fn find_touchable(&mut self, scene: &Scene) {
        self.at_surface = vec![false; self.rest.len()];
        self.radii = vec![0.0; self.rest.len()];
        for (body, spec) in self.bodies.iter().zip(&scene.bodies) {
            match &spec.geometry {
                Geometry::Springs(_) => self.at_surface[body.nodes.clone()].fill(true),
                Geometry::Points(sampling) => {
                    self.at_surface[body.nodes.clone()].fill(true);
                    self.radii[body.nodes.clone()].copy_from_slice(&depths(sampling));
                }
                Geometry::Embedded(embedded) => {
                    self.at_surface[body.nodes.clone()].fill(true);
                    self.radii[body.nodes.clone()].copy_from_slice(&heights(embedded));
                }
                Geometry::Tets(_) => body.faces.iter().flatten().for_each(|&n| self.at_surface[n as usize] = true),
            }
        }
        for (body, spec) in self.bodies.iter_mut().zip(&scene.bodies) {
            body.merges = is_cloud(body, spec) && spec.contact.enabled;
        }
        if self.bodies.iter().filter(|b| b.merges).count() < 2 {
            self.bodies.iter_mut().for_each(|b| b.merges = false);
        }
        self.surface = self.contact_surface(scene);
    }

    /// Whether all surfaces are skins of solid phyxels, which are finer than what carries them.
    pub(crate) fn has_fine_skins(&self) -> bool {
        let solid = self.surface.parts.iter().all(|p| p.solid && !p.cloud && !p.touches_itself);
        solid && self.blocks.iter().all(|b| !b.is_assembled())
    }

    fn contact_surface(&self, scene: &Scene) -> Surface {
        let mut surface = Surface::default();
        let touching = || scene.bodies.iter().map(|b| b.contact).filter(|c| c.enabled);
        let partners = touching().count() + scene.rigid_bodies.len();
        // The pieces of a body that breaks touch each other.
        let breaks = self.bodies.iter().zip(&scene.bodies).any(|(b, spec)| b.fragile.is_some() && spec.contact.enabled);
        if partners < 2 && !breaks && !touching().any(|c| c.self_contact) {
            return surface;
        }
        let rest: Vec<Vec3<f64>> = self.rest.iter().map(|x| Vec3(x.to_f64())).collect();
        for (index, (body, spec)) in self.bodies.iter().zip(&scene.bodies).enumerate() {
            let (skin, triangles) = touched(body, spec);
            let cloud = is_cloud(body, spec);
            if (triangles.is_empty() && !cloud) || !spec.contact.enabled {
                continue;
            }
            let part = Part {
                body: index,
                edge_length: 0.0,
                solid: !matches!(spec.geometry, Geometry::Springs(_)),
                touches_itself: spec.contact.self_contact,
                friction: spec.friction(),
                groups: spec.contact.groups,
                cloud,
            };
            if let (true, Geometry::Points(sampling)) = (cloud, &spec.geometry) {
                surface.radii.clone_from(&self.radii);
                let vertices = body.nodes.clone().map(|n| Vertex::node(n as u32)).collect();
                surface.add(Part { edge_length: sampling.spacing, ..part }, vertices, &[], &rest);
                continue;
            }
            // Phyxels that can break have the surface of their pieces from the start.
            if body.fragile.is_some() && matches!(spec.geometry, Geometry::Points(_)) {
                crate::fracture::add_shells(&mut surface, part, body, &rest);
                continue;
            }
            let first = body.nodes.start as u32;
            let vertices = match (skin.as_ref(), &spec.geometry) {
                (Skin::Nodes(nodes), _) => nodes.iter().map(|&n| Vertex::node(n)).collect(),
                (Skin::Embedded(vertices), _) => {
                    let shifted = vertices.iter();
                    shifted
                        .map(|(nodes, weights)| Vertex { nodes: nodes.map(|n| n + first), weights: *weights })
                        .collect()
                }
                (Skin::Carried(carried), Geometry::Points(sampling)) => {
                    let vertex = |i: usize| {
                        let near = carriers(sampling, carried.weighed_around(i), first);
                        held_by_four(Vec3(sampling.skin.points[i]), &near, sampling.spacing)
                    };
                    (0..sampling.skin.points.len()).map(vertex).collect()
                }
                _ => continue,
            };
            surface.add(part, vertices, &triangles, &rest);
        }
        surface
    }
}

/// Whether a body parts and merges when it melts.
fn melts(spec: &Body) -> bool {
    let melts = spec.material.thermal.as_ref().is_some_and(|t| t.melting.is_some());
    melts && matches!(spec.geometry, Geometry::Points(_)) && spec.mls.lagrangian == Lagrangian::Updated
}

/// Whether others touch the points of a body and no surface. What can break keeps the surfaces of its pieces, and is left out.
fn is_cloud(body: &BodyModel, spec: &Body) -> bool {
    melts(spec) && body.fragile.is_none()
}

/// The surface that others touch, whatever is drawn: the skin of phyxels and of covers, the boundary of everything else.
/// A melt has none: it parts and merges. What can break as well has one where none of a piece is molten.
fn touched<'a>(body: &'a BodyModel, spec: &'a Body) -> (Cow<'a, Skin>, Cow<'a, [[u32; 3]]>) {
    match &spec.geometry {
        Geometry::Points(_) if is_cloud(body, spec) => (Cow::Owned(Skin::None), Cow::Owned(Vec::new())),
        Geometry::Points(sampling) => (Cow::Borrowed(&body.skin), Cow::Borrowed(&sampling.skin.triangles)),
        Geometry::Tets(_) if spec.skin.is_some() => {
            let (skin, triangles) = Skin::of_boundary(&body.faces);
            (Cow::Owned(skin), Cow::Owned(triangles))
        }
        _ => (Cow::Borrowed(&body.skin), Cow::Borrowed(&body.layout.skin_triangles)),
    }
}

/// The phyxels around a vertex of the skin, those that carry most of it first, and where they are at rest.
fn carriers(sampling: &PointSampling, mut near: Vec<(u32, f64)>, first: u32) -> Vec<(u32, Vec3<f64>)> {
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    near.into_iter().map(|(n, _)| (n + first, Vec3(sampling.points[n as usize]))).collect()
}

/// A point as a combination of four of the first phyxels around it: those that it lies least far outside of. Exact for
/// every affine motion.
pub(crate) fn held_by_four(x: Vec3<f64>, near: &[(u32, Vec3<f64>)], spacing: f64) -> Vertex {
    const CANDIDATES: usize = 10;
    let near = &near[..near.len().min(CANDIDATES)];
    let at = |k: usize| near[k].1;
    let fallback = Vertex::node(near.first().map_or(0, |n| n.0));
    if near.is_empty() || (at(0) - x).norm() < 1e-9 * spacing {
        return fallback;
    }
    let mut best: Option<(f64, Vertex)> = None;
    for i in 1..near.len() {
        for j in i + 1..near.len() {
            for k in j + 1..near.len() {
                let edges = Mat3::from_columns([at(i) - at(0), at(j) - at(0), at(k) - at(0)]);
                if edges.det().abs() < 0.05 * spacing.powi(3) {
                    continue;
                }
                let Some(inverse) = edges.inverse() else { continue };
                let [b, c, d] = (inverse * (x - at(0))).0;
                let weights = [1.0 - b - c - d, b, c, d];
                let extrapolation: f64 = weights.iter().map(|w| w.abs()).sum();
                if best.as_ref().is_none_or(|(least, _)| extrapolation < *least - 1e-9) {
                    let nodes = [0, i, j, k].map(|m| near[m].0);
                    best = Some((extrapolation, Vertex { nodes, weights }));
                }
            }
        }
    }
    best.map_or(fallback, |(_, vertex)| vertex)
}

/// How far each phyxel is from the skin, at most half the spacing: deeper ones are never the first to touch [m].
fn depths(sampling: &PointSampling) -> Vec<f64> {
    let Some(solid) = solid(&sampling.skin) else { return vec![0.0; sampling.points.len()] };
    let depth = |i: usize| {
        let most = 0.5 * sampling.spacings.get(i).unwrap_or(&sampling.spacing);
        if sampling.boundary[i] { solid.nearest(sampling.points[i]).distance.min(most) } else { most }
    };
    (0..sampling.points.len()).map(depth).collect()
}

/// Minus how far each node of a cover is outside the surface that it carries; those inside are left alone [m].
fn heights(embedded: &EmbeddedMesh) -> Vec<f64> {
    let Some(solid) = solid(&embedded.skin) else { return vec![0.0; embedded.mesh.points.len()] };
    embedded.mesh.points.iter().map(|p| -solid.signed_distance(*p).max(0.0)).collect()
}

fn solid(skin: &TriMesh) -> Option<Solid> {
    if skin.triangles.is_empty() { None } else { Solid::new(skin.clone()).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::box_points;

    #[test]
    fn phyxels_on_the_faces_of_a_block_are_thin_and_those_within_are_not() {
        let sampling = box_points([4, 4, 4], [0.0; 3], [1.0; 3]).expect("a block");
        let depths = depths(&sampling);
        for (p, depth) in sampling.points.iter().zip(&depths) {
            let face = p.iter().any(|c| *c == 0.0 || *c == 1.0);
            assert!(if face { *depth == 0.0 } else { *depth == 0.125 }, "{p:?}: {depth}");
        }
    }
}
