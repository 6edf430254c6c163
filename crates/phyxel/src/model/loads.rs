//! Forces that come from outside: gravity, forces on nodes, traction and pressure on faces.

use super::{BodyModel, Model};
use crate::math::{Real, Vec3};
use crate::par;

/// All external forces.
#[derive(Clone, Debug, Default)]
pub struct Loads<R> {
    /// Acceleration of everything [m/s²].
    pub gravity: Vec3<R>,
    /// Forces that keep their size and direction, per node and without gravity [N].
    pub dead: Vec<Vec3<R>>,
    /// Faces under pressure, over nodes of the model, with the pressure on each [Pa].
    pub pressures: Vec<([u32; 3], R)>,
    /// Bodies that carry a load besides gravity: their momentum is not their own.
    pub loaded_bodies: Vec<bool>,
}

impl<R: Real> Model<R> {
    /// Sets `out` to the external forces [N] at displacements `u`.
    pub fn external_forces(&self, u: &[Vec3<R>], out: &mut [Vec3<R>]) {
        let Loads { gravity, dead, pressures, .. } = &self.loads;
        par::for_each(out, |i, f| *f = *gravity * self.masses[i] + dead[i]);
        for &(face, pressure) in pressures {
            let [a, b, c] = face.map(|n| self.rest[n as usize] + u[n as usize]);
            let share = (b - a).cross(c - a) * (pressure * R::of(-1.0 / 6.0));
            for node in face {
                out[node as usize] += share;
            }
        }
        self.add_cohesion(u, out);
    }

    /// Whether gravity and steady loads are all that acts from outside.
    pub(crate) fn has_steady_loads_alone(&self) -> bool {
        let held = |b: &BodyModel| b.fragile.as_ref().is_some_and(|f| !f.links.is_empty());
        self.loads.pressures.is_empty() && !self.bodies.iter().any(held)
    }

    /// Sets forces of gravity and steady loads on the nodes from the `first` on [N].
    pub(crate) fn steady_forces(&self, first: usize, out: &mut [Vec3<R>]) {
        let Loads { gravity, dead, .. } = &self.loads;
        for (i, f) in (first..).zip(out) {
            *f = *gravity * self.masses[i] + dead[i];
        }
    }

    /// Energy of gravity and steady loads, zero at the origin [J]; pressure is not counted, because it
    /// follows the surface and has no energy of its own.
    pub fn potential_energy(&self, u: &[Vec3<R>]) -> f64 {
        let g = self.loads.gravity.to_f64();
        -par::sum(u.len(), |i| {
            let (m, x, u) = (self.masses[i].to_f64(), self.rest[i].to_f64(), u[i].to_f64());
            let dead = self.loads.dead[i].to_f64();
            (0..3).map(|a| (m * g[a] + dead[a]) * (x[a] + u[a])).sum()
        })
    }
}
