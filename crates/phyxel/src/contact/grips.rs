//! Where soft surfaces meet rigid bodies: vertices, and faces that a small or sharp thing presses between them.

use super::collider::{Collider, Path, Plane, Pose};
use super::finder::Fitted;
use super::near::point_triangle;
use super::pairs::{FACE, NEAR, Pair, RIGID, Sweep};
use super::surface::Surface;
use super::tree::Bounds;
use crate::math::Vec3;
use crate::model::{RigidModel, joint_friction};
use crate::rigid::RigidState;

/// A point of a rigid body that takes part in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Which body.
    pub rigid: u32,
    /// From its centre of mass to the point [m].
    pub arm: Vec3<f64>,
}

/// Velocity [m/s] and spin [rad/s].
pub type Twist = (Vec3<f64>, Vec3<f64>);

/// The rigid bodies of a scene on their way through a step.
pub struct Gripper<'a> {
    bodies: &'a [RigidModel],
    states: &'a [RigidState],
    /// Velocities [m/s] and spins [rad/s] during the step.
    velocities: &'a [Twist],
    /// Over how long vertices make their moves [s].
    dt: f64,
    /// Material restitution of each part of the surface.
    bounce: &'a [f64],
    seen: Vec<u32>,
}

/// A face is looked at more closely where its inside is deeper in a rigid body than its corners by this part of an edge.
const DEEPER: f64 = 0.02;
/// Moves are looked at in at most so many pieces where a small body might pass between the vertices of a face.
const MOST_PIECES: f64 = 64.0;

impl<'a> Gripper<'a> {
    /// Rigid bodies in these states, which move at `velocities` for `dt`.
    pub fn new(
        bodies: &'a [RigidModel],
        (states, velocities): (&'a [RigidState], &'a [Twist]),
        bounce: &'a [f64],
        dt: f64,
    ) -> Self {
        Gripper { bodies, states, velocities, dt, bounce, seen: Vec::new() }
    }

    /// Whether there are no rigid bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// No rigid bodies.
    pub fn none() -> Self {
        Gripper { bodies: &[], states: &[], velocities: &[], dt: 0.0, bounce: &[], seen: Vec::new() }
    }

    /// Adds the pairs that are near or meet on their way and are not among the first `known`.
    pub(super) fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep<'_>,
        fitted: &[Fitted],
        pairs: &mut Vec<Pair>,
        known: usize,
    ) {
        for (index, (body, state)) in self.bodies.iter().zip(self.states).enumerate() {
            let end = state.pose_after(self.velocities[index], self.dt);
            let way = Way { body: &body.surface, start: state.pose, end };
            let longest = surface.parts.iter().map(|p| p.edge_length).fold(0.0, f64::max);
            let around =
                Bounds::around([state.pose.position, end.position]).grown(body.surface.form().reach() + NEAR * longest);
            let mut seen = std::mem::take(&mut self.seen);
            seen.clear();
            let add = |pair: Option<Pair>, pairs: &mut Vec<Pair>| {
                if let Some(pair) = pair
                    && pairs[..known].binary_search_by_key(&pair.key, |p| p.key).is_err()
                {
                    pairs.push(pair);
                }
            };
            for part in fitted.iter().filter(|part| part.bounds.touches(&around)) {
                if part.triangles.is_empty() {
                    let meets =
                        |v: u32| surface.parts[surface.part_of[v as usize] as usize].groups.meet(&body.surface.groups);
                    part.points_near(&around, |v| seen.extend(meets(v).then_some(v)));
                    continue;
                }
                part.near(&around, |t| {
                    let triangle = surface.triangles[t as usize];
                    let part = surface.part_of[triangle[0] as usize] as usize;
                    if !surface.parts[part].groups.meet(&body.surface.groups) {
                        return;
                    }
                    seen.extend(triangle);
                    let face = way.face(surface, sweep, t);
                    add(
                        face.map(|(weights, plane)| self.pair(index, surface, (FACE, t), weights, &plane, sweep)),
                        pairs,
                    );
                });
            }
            seen.sort_unstable();
            seen.dedup();
            for &v in &seen {
                let near = NEAR * surface.parts[surface.part_of[v as usize] as usize].edge_length;
                let plane = way.vertex(sweep.from[v as usize], sweep.moves[v as usize], (near, surface.radius(v)));
                add(plane.map(|plane| self.pair(index, surface, (0, v), [1.0, 0.0, 0.0], &plane, sweep)), pairs);
            }
            self.seen = seen;
        }
    }

    fn pair(
        &self,
        index: usize,
        surface: &Surface,
        (kind, item): (u64, u32),
        weights: [f64; 3],
        plane: &Plane<f64>,
        sweep: &Sweep<'_>,
    ) -> Pair {
        let [a, b, c] = if kind == FACE { surface.triangles[item as usize] } else { [item; 3] };
        let from = [a, b, c].iter().zip(&weights).fold(Vec3::zero(), |sum, (&v, w)| sum + sweep.from[v as usize] * *w);
        // The plane is where the body will be; the pair asks how far they are apart now.
        let gap = plane.gap + plane.normal.dot(plane.velocity);
        let state = &self.states[index];
        let radius = if kind == FACE { 0.0 } else { surface.radius(item) };
        let grip = Grip { rigid: index as u32, arm: from - plane.normal * (gap + radius) - state.center };
        let part = surface.part_of[a as usize] as usize;
        let body = &self.bodies[index].surface;
        Pair {
            key: RIGID | kind | (index as u64) << 32 | item as u64,
            vertices: [a, b, c, a],
            weights: [weights[0], weights[1], weights[2], 0.0],
            normal: plane.normal,
            gap,
            friction: joint_friction(surface.parts[part].friction, Some(body.friction)),
            restitution: body.restitution.max(self.bounce[part]),
            grip: Some(grip),
        }
    }
}

/// A rigid body on its way through a step.
struct Way<'a> {
    body: &'a Collider,
    start: Pose,
    end: Pose,
}

impl Way<'_> {
    /// The plane in which a vertex meets the body, or that it is near to.
    fn vertex(&self, from: Vec3<f64>, way: Vec3<f64>, (near, radius): (f64, f64)) -> Option<Plane<f64>> {
        let path = Path { from, velocity: way, radius, start: 0.0, dt: 1.0 };
        let poses = (self.start, self.end);
        self.body.meet_between(&path, poses).or_else(|| {
            let distance = self.body.form().probe(self.start.to_local(from)).distance - radius;
            (distance.abs() < near).then(|| self.body.nearest_between(&path, poses))
        })
    }

    /// The place inside a face that meets the body before the corners do, and the plane there.
    fn face(&self, surface: &Surface, sweep: &Sweep<'_>, t: u32) -> Option<([f64; 3], Plane<f64>)> {
        let corners = surface.triangles[t as usize];
        let length = surface.parts[surface.part_of[corners[0] as usize] as usize].edge_length;
        let (from, moves) = (corners.map(|v| sweep.from[v as usize]), corners.map(|v| sweep.moves[v as usize]));
        let local = |s: f64| -> [Vec3<f64>; 3] {
            std::array::from_fn(|k| {
                let (a, b) = (self.start.to_local(from[k]), self.end.to_local(from[k] + moves[k]));
                a + (b - a) * s
            })
        };
        let (first, last) = (local(0.0), local(1.0));
        let longest = (0..3).map(|k| (last[k] - first[k]).norm()).fold(0.0, f64::max);
        let pieces = (longest / (0.5 * self.body.form().detail())).ceil().clamp(1.0, MOST_PIECES) as usize;
        for piece in 0..=pieces {
            let at = local(piece as f64 / pieces as f64);
            let corner = at.iter().map(|x| self.body.form().probe(*x).distance).fold(f64::INFINITY, f64::min);
            // No point of the face is nearer than its corners by more than the longest way to one of them.
            if corner > 2.0 * length {
                continue;
            }
            let (weights, depth) = self.deepest(&at, length);
            if depth > NEAR * length || depth > corner - DEEPER * length {
                continue;
            }
            let mix = |x: &[Vec3<f64>; 3]| x.iter().zip(&weights).fold(Vec3::zero(), |sum, (x, w)| sum + *x * *w);
            let path = Path { from: mix(&from), velocity: mix(&moves), radius: 0.0, start: 0.0, dt: 1.0 };
            let poses = (self.start, self.end);
            let plane = self.body.meet_between(&path, poses);
            return Some((weights, plane.unwrap_or_else(|| self.body.nearest_between(&path, poses))));
        }
        None
    }

    /// The point of a triangle that is deepest in the body: downhill, with steps that shrink where they lead up (in the
    /// manner of Macklin et al. 2020, who go by corners).
    fn deepest(&self, at: &[Vec3<f64>; 3], length: f64) -> ([f64; 3], f64) {
        let form = self.body.form();
        let mut x = (at[0] + at[1] + at[2]) * (1.0 / 3.0);
        let mut probe = form.probe(x);
        let mut weights = [1.0 / 3.0; 3];
        let mut step = length;
        for _ in 0..16 {
            let found = point_triangle([x - probe.normal * step, at[0], at[1], at[2]]);
            let next: [f64; 3] = std::array::from_fn(|k| -found.weights[k + 1]);
            let place = (0..3).fold(Vec3::zero(), |sum, k| sum + at[k] * next[k]);
            let there = form.probe(place);
            if there.distance < probe.distance {
                (x, probe, weights) = (place, there, next);
            } else {
                step *= 0.5;
            }
        }
        (weights, probe.distance)
    }
}
