//! Pins: nodes that are held or moved as a rigid whole.

use super::Model;
use crate::math::{Mat3, Real, Vec3};
use crate::scene::Pin;

/// The nodes of one pin and the motion that they follow.
#[derive(Clone, Debug, PartialEq)]
pub struct PinSet {
    /// Which body.
    pub body: usize,
    /// Nodes of the model.
    pub nodes: Vec<u32>,
    /// Where they were when the pin began [m].
    pub from: Vec<[f64; 3]>,
    /// When the pin began [s].
    pub start: f64,
    /// The motion.
    pub motion: Pin,
}

/// A node whose velocity is given in some directions.
#[derive(Clone, Copy, Debug)]
pub struct Held<R> {
    /// Which node.
    pub node: u32,
    /// Projects on the directions that stay free.
    pub free: Mat3<R>,
    /// The velocity that it must have in the others [m/s].
    pub velocity: Vec3<R>,
}

impl<R: Real> Held<R> {
    /// Adds the directions, along axes, that an earlier pin of the same node holds and this one leaves free.
    fn also(&mut self, earlier: &Held<R>) {
        for a in 0..3 {
            if self.free.0[a][a] != R::zero() && earlier.free.0[a][a] == R::zero() {
                self.free.0[a][a] = R::zero();
                self.velocity[a] = earlier.velocity[a];
            }
        }
    }
}

impl PinSet {
    /// Where the `i`-th node must be at a time [m].
    pub fn target(&self, i: usize, time: f64) -> [f64; 3] {
        let m = &self.motion;
        let t = (time.min(m.until) - self.start).max(0.0);
        let arm: [f64; 3] = std::array::from_fn(|a| self.from[i][a] - m.center[a]);
        let turned = rotate(arm, m.spin, t);
        std::array::from_fn(|a| m.center[a] + m.velocity[a] * t + turned[a])
    }

    /// Whether it ever moves its nodes.
    pub fn moves(&self) -> bool {
        self.motion.velocity != [0.0; 3] || self.motion.spin != [0.0; 3]
    }
}

/// Turns `v` by `spin · t` (Rodrigues).
pub(crate) fn rotate(v: [f64; 3], spin: [f64; 3], t: f64) -> [f64; 3] {
    let axis = Vec3(spin);
    let angle = axis.norm() * t;
    if angle == 0.0 {
        return v;
    }
    let (k, v) = (axis.normalized(), Vec3(v));
    (v * angle.cos() + k.cross(v) * angle.sin() + k * (k.dot(v) * (1.0 - angle.cos()))).0
}

impl<R: Real> Model<R> {
    /// Adds the nodes of bodies that are asleep to those that are held, which are ascending.
    pub fn hold_sleepers(&self, asleep: impl Iterator<Item = bool>, held: &mut Vec<Held<R>>) {
        let pinned = held.len();
        for (body, _) in self.bodies.iter().zip(asleep).filter(|(_, asleep)| *asleep) {
            let still = |n: usize| Held { node: n as u32, free: Mat3::zero(), velocity: Vec3::zero() };
            held.extend(body.nodes.clone().map(still));
        }
        for body in &self.bodies {
            let Some(fragile) = &body.fragile else { continue };
            // What has been removed stays where it was.
            for n in fragile.removed_nodes().map(|n| body.nodes.start as u32 + n) {
                if held[..pinned].binary_search_by_key(&n, |h| h.node).is_err() {
                    held.push(Held { node: n, free: Mat3::zero(), velocity: Vec3::zero() });
                }
            }
        }
        if held.len() > pinned {
            held.sort_unstable_by_key(|h| h.node);
            held.dedup_by_key(|h| h.node);
        }
    }

    /// The pinned nodes, ascending, with the velocities that bring them from displacements `u` to where they must be
    /// at `time`, if they move for `dt`. Where pins overlap, the later one decides about the directions that it holds, and
    /// the earlier one about those that are left.
    pub fn held_by_pins(&self, u: &[Vec3<R>], time: f64, dt: f64, held: &mut Vec<Held<R>>) {
        held.clear();
        for pin in self.pins.iter().rev() {
            let free = Mat3::diagonal(pin.motion.axes.map(|held| if held { R::zero() } else { R::one() }));
            let known = held.len();
            for (i, &node) in pin.nodes.iter().enumerate() {
                let target = pin.target(i, time);
                let n = node as usize;
                let velocity: [f64; 3] =
                    std::array::from_fn(|a| (target[a] - self.rest[n].0[a].to_f64() - u[n].0[a].to_f64()) / dt);
                let own = Held { node, free, velocity: Vec3::of(velocity) };
                match held[..known].binary_search_by_key(&node, |h| h.node) {
                    Ok(later) => held[later].also(&own),
                    Err(_) => held.push(own),
                }
            }
            // Each node is there once, so this order is the only one; and it needs no memory, as a stable sort would.
            held.sort_unstable_by_key(|h| h.node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Region;

    #[test]
    fn a_spinning_pin_stops_where_it_should() {
        let mut motion = Pin::hold(Region::All);
        motion.spin = [0.0, std::f64::consts::PI, 0.0];
        motion.until = 0.5;
        let pin = PinSet { body: 0, nodes: vec![0], from: vec![[1.0, 2.0, 0.0]], start: 0.0, motion };
        for (time, expected) in [(0.0, [1.0, 2.0, 0.0]), (0.5, [0.0, 2.0, -1.0]), (9.0, [0.0, 2.0, -1.0])] {
            let at = pin.target(0, time);
            assert!((0..3).all(|a| (at[a] - expected[a]).abs() < 1e-12), "{at:?} at {time}");
        }
    }

    #[test]
    fn pins_of_one_node_hold_the_axes_of_both_and_the_later_one_wins() {
        let held = |axes: [bool; 3], velocity| Held::<f64> {
            node: 0,
            free: Mat3::diagonal(axes.map(|held| if held { 0.0 } else { 1.0 })),
            velocity: Vec3(velocity),
        };
        let mut later = held([true, false, false], [1.0, 0.0, 0.0]);
        later.also(&held([true, true, false], [5.0, 2.0, 7.0]));
        assert_eq!(later.free, Mat3::diagonal([0.0, 0.0, 1.0]));
        assert_eq!([later.velocity[0], later.velocity[1]], [1.0, 2.0]);
    }
}
