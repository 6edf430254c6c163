//! Pinned nodes: per axis, which pin holds it and where it starts from.

use super::nodes::AS_FLOAT;
use phyxel::model::{Model, PinSet};
use std::collections::BTreeMap;

/// All pinned nodes.
pub(crate) struct Pinned {
    places: BTreeMap<u32, u32>,
    /// Four vectors per node: the pins of the three axes; then per axis the arm from the pin's centre and how far the
    /// node was from its rest position when the pin began.
    pub vectors: Vec<[f32; 4]>,
    /// Whether any pin moves.
    pub moves: bool,
}

const NO_PIN: u32 = AS_FLOAT | 0x7f_ffff;

impl Pinned {
    /// Of a model. Where pins overlap, the later one decides about the axes that it holds.
    pub(crate) fn new(model: &Model<f32>) -> Self {
        let mut pinned = Pinned { places: BTreeMap::new(), vectors: Vec::new(), moves: false };
        for (p, pin) in model.pins.iter().enumerate() {
            pinned.moves |= pin.moves();
            for (i, &node) in pin.nodes.iter().enumerate() {
                let next = pinned.places.len() as u32;
                let place = *pinned.places.entry(node).or_insert(next) as usize;
                if pinned.vectors.len() < 4 * (place + 1) {
                    pinned.vectors.push([f32::from_bits(NO_PIN); 4]);
                    pinned.vectors.resize(4 * (place + 1), [0.0; 4]);
                }
                let from = pin.from[i];
                for a in 0..3 {
                    if pin.motion.axes[a] {
                        pinned.vectors[4 * place][a] = f32::from_bits(AS_FLOAT | p as u32);
                        let [x, y, z] = [0, 1, 2].map(|b| (from[b] - pin.motion.center[b]) as f32);
                        let shift = from[a] - f64::from(model.rest[node as usize].0[a]);
                        pinned.vectors[4 * place + 1 + a] = [x, y, z, shift as f32];
                    }
                }
            }
        }
        pinned
    }

    /// The place of a node of the model among the pinned ones.
    pub(crate) fn place_of(&self, node: u32) -> Option<u32> {
        self.places.get(&node).copied()
    }
}

/// Three vectors per pin: the rows of `R − I`, and how far the pin has gone, at a time.
pub(crate) fn targets(pins: &[PinSet], time: f64, out: &mut Vec<[f32; 4]>) {
    for pin in pins {
        let m = &pin.motion;
        let t = (time.min(m.until) - pin.start).max(0.0);
        let rows = turn_minus_identity(m.spin.map(|w| w * t));
        for a in 0..3 {
            let [x, y, z] = rows[a].map(|r| r as f32);
            out.push([x, y, z, (m.velocity[a] * t) as f32]);
        }
    }
}

/// Rodrigues' `R − I = sin θ K + (1 − cos θ) K²`, without the one that would swallow small angles.
fn turn_minus_identity(turn: [f64; 3]) -> [[f64; 3]; 3] {
    let angle = turn.iter().map(|w| w * w).sum::<f64>().sqrt();
    if angle == 0.0 {
        return [[0.0; 3]; 3];
    }
    let [x, y, z] = turn.map(|w| w / angle);
    let (s, c) = (angle.sin(), 2.0 * (0.5 * angle).sin().powi(2));
    let k = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    std::array::from_fn(|i| std::array::from_fn(|j| s * k[i][j] + c * (0..3).map(|l| k[i][l] * k[l][j]).sum::<f64>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_y_brings_x_to_minus_z() {
        let m = turn_minus_identity([0.0, std::f64::consts::FRAC_PI_2, 0.0]);
        let x = [0, 1, 2].map(|i| m[i][0]);
        for (found, expected) in x.iter().zip([-1.0, 0.0, -1.0]) {
            assert!((found - expected).abs() < 1e-15, "{m:?}");
        }
    }
}
