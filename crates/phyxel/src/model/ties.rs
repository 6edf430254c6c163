//! Nodes that are tied to a point of another body or of a rigid one.

use super::{BuildError, Model};
use crate::contact::{Pose, Vertex};
use crate::math::{Mat3, Real, Vec3};
use crate::scene::Scene;

/// A node that is tied to something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Which node.
    pub node: u32,
    /// To what.
    pub anchor: Anchor,
    /// The pull at which it tears off [N].
    pub strength: f64,
    /// Which attachment of the scene it belongs to.
    pub attachment: u32,
    /// It has torn.
    pub torn: bool,
}

/// The other end of a tie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A point of another body: a combination of its nodes.
    Body(Vertex),
    /// A point of a rigid body, in its own frame [m].
    Rigid {
        /// Which one.
        rigid: u32,
        /// Where [m].
        local: Vec3<f64>,
    },
}

impl<R: Real> Model<R> {
    /// Ties the nodes of one of the scene's attachments, where they are at the start.
    pub(super) fn attach(&mut self, index: usize, scene: &Scene) -> Result<(), BuildError> {
        let attachment = &scene.attachments[index];
        let strong = attachment.strength > 0.0;
        if !strong {
            let what = format!("the strength of attachment {index} [N]");
            return Err(BuildError::BadNumber { what, value: attachment.strength, remedy: " above zero, or left out" });
        }
        let unknown = |name: &str| {
            let soft = scene.bodies.iter().map(|b| &b.name[..]);
            let names: Vec<&str> = soft.chain(scene.rigid_bodies.iter().map(|b| &b.name[..])).collect();
            BuildError::UnknownAttachment { index, name: name.into(), known: names.join(", ") }
        };
        let body = self.body_named(&attachment.body).ok_or_else(|| unknown(&attachment.body))?;
        let points = scene.bodies[body].geometry.points();
        let nodes = self.region_nodes(body, &attachment.region, points, "an attachment")?;
        let rigid = self.rigid.iter().position(|r| r.name == attachment.to);
        let other = self.body_named(&attachment.to).filter(|&other| other != body);
        let first = self.bodies[body].nodes.start as u32;
        for node in nodes {
            let x = Vec3(points[node as usize]);
            let anchor = match (rigid, other) {
                (Some(rigid), _) => {
                    let place = scene.rigid_bodies[rigid].placement;
                    let pose = Pose { rotation: place.rotation_matrix(), position: Vec3(place.position) };
                    Anchor::Rigid { rigid: rigid as u32, local: pose.to_local(x) }
                }
                (None, Some(other)) => Anchor::Body(self.nearest_four(other, scene, x)),
                (None, None) => return Err(unknown(&attachment.to)),
            };
            let (strength, attachment) = (attachment.strength, index as u32);
            self.ties.push(Tie { node: node + first, anchor, strength, attachment, torn: false });
        }
        Ok(())
    }

    /// A point as a combination of nodes of a body around it; exact for every affine motion.
    fn nearest_four(&self, body: usize, scene: &Scene, x: Vec3<f64>) -> Vertex {
        const CANDIDATES: usize = 12;
        let points = scene.bodies[body].geometry.points();
        let first = self.bodies[body].nodes.start as u32;
        let mut near: Vec<(f64, u32)> =
            points.iter().enumerate().map(|(i, p)| ((Vec3(*p) - x).norm(), i as u32)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(CANDIDATES);
        let at = |k: usize| Vec3(points[near[k].1 as usize]);
        let mut best = (f64::INFINITY, Vertex::node(near[0].1 + first));
        let scale = near.last().map_or(0.0, |n| n.0).max(f64::MIN_POSITIVE);
        if near[0].0 < 1e-9 * scale {
            return best.1;
        }
        for (i, j, k, l) in quadruples(near.len()) {
            let edges = Mat3::from_columns([at(j) - at(i), at(k) - at(i), at(l) - at(i)]);
            if edges.det().abs() < 1e-3 * scale.powi(3) {
                continue;
            }
            let Some(inverse) = edges.inverse() else { continue };
            let [b, c, d] = (inverse * (x - at(i))).0;
            let weights = [1.0 - b - c - d, b, c, d];
            // Outside all of them, the least extrapolation wins; inside several, the nearest ones.
            let outside: f64 = weights.iter().map(|w| (-w).max(0.0)).sum();
            let cost = outside + 1e-3 * (i + j + k + l) as f64 / CANDIDATES as f64;
            if cost < best.0 {
                best = (cost, Vertex { nodes: [i, j, k, l].map(|m| near[m].1 + first), weights });
            }
        }
        best.1
    }
}

fn quadruples(count: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    (0..count).flat_map(move |i| {
        (i + 1..count).flat_map(move |j| (j + 1..count).flat_map(move |k| (k + 1..count).map(move |l| (i, j, k, l))))
    })
}
