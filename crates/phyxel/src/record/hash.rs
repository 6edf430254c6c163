//! Sameness: one number over everything that moves.

use crate::math::Real;
use crate::state::State;

/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a), eight bytes at a time.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Mixes in eight bytes.
    pub fn add(&mut self, value: u64) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash so far.
    pub fn finish(self) -> u64 {
        self.0
    }
}

/// A hash over the bits of all displacements, velocities and plastic deformations: equal exactly when two runs went the same way.
pub fn state_hash<R: Real>(state: &State<R>) -> u64 {
    let mut hash = Fnv::default();
    for v in state.u.iter().chain(&state.v) {
        v.0.iter().for_each(|c| hash.add(c.bits()));
    }
    for body in &state.rigid {
        let vectors = [body.pose.position, body.velocity, body.spin];
        let turned = [0, 1, 2].map(|k| body.pose.rotation.column(k));
        vectors.iter().chain(&turned).flat_map(|v| v.0).for_each(|c| hash.add(c.to_bits()));
    }
    for grain in state.grains.iter().flatten() {
        grain.offset.0.iter().flatten().chain([&grain.plastic_strain]).for_each(|c| hash.add(c.bits()));
    }
    state.enthalpy.iter().for_each(|h| hash.add(h.to_bits()));
    hash.finish()
}
