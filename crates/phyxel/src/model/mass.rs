//! Mass: how much of it each node carries, and what moves with it.

use super::Model;
use crate::math::{Real, Vec3};
use crate::par;

impl<R: Real> Model<R> {
    /// `out = M v`, with the consistent parts.
    pub fn mass_product(&self, v: &[Vec3<R>], out: &mut [Vec3<R>]) {
        par::for_each(out, |i, out| *out = v[i] * self.masses[i]);
        self.add_consistent_mass(v, R::one(), out);
    }

    /// Adds what the consistent mass has beyond the lumped one, times `scale`.
    pub fn add_consistent_mass(&self, v: &[Vec3<R>], scale: R, out: &mut [Vec3<R>]) {
        for &(row, column, mass) in &self.consistent_mass {
            out[row as usize] += v[column as usize] * (mass * scale);
        }
    }

    /// Kinetic energy [J].
    pub fn kinetic_energy(&self, v: &[Vec3<R>]) -> f64 {
        let lumped = par::sum(v.len(), |i| 0.5 * (v[i].norm_squared() * self.masses[i]).to_f64());
        let coupled =
            |&(row, column, mass): &(u32, u32, R)| 0.5 * (v[row as usize].dot(v[column as usize]) * mass).to_f64();
        lumped + self.consistent_mass.iter().map(coupled).sum::<f64>()
    }
}
