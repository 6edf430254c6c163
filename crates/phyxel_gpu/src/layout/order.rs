//! An order in which what is near in space is near in memory, and neighbours have as much to do as each other.

use phyxel::model::Model;
use phyxel::stencil::block::Stencils;
use std::ops::Range;

/// Nodes that are sorted among themselves by how many elements they have. Slices of 32 rows are as long as their longest,
/// and what lies between short rows is fetched with them; few enough nodes that they stay near each other.
const WINDOW: usize = 512;

/// Places of nodes on the device and in the model. Bodies stay where they are; their nodes follow a Z-shaped curve, window
/// by window, and within a window those with most elements come first.
pub(crate) struct Order {
    /// The model's node at each place of the device.
    pub to_model: Vec<u32>,
    /// The place on the device of each node of the model.
    pub to_device: Vec<u32>,
}

impl Order {
    /// Orders the nodes of each body; `elements` says how many each has.
    pub(crate) fn new(rest: &[[f32; 3]], elements: &[u32], bodies: impl Iterator<Item = Range<usize>>) -> Self {
        let mut to_model: Vec<u32> = (0..rest.len() as u32).collect();
        for nodes in bodies {
            let curve = Curve::around(&rest[nodes.clone()]);
            let own = &mut to_model[nodes];
            own.sort_by_cached_key(|&n| curve.place(rest[n as usize].map(f64::from)));
            for window in own.chunks_mut(WINDOW) {
                window.sort_by_key(|&n| std::cmp::Reverse(elements[n as usize]));
            }
        }
        let mut to_device = vec![0; rest.len()];
        for (place, &n) in to_model.iter().enumerate() {
            to_device[n as usize] = place as u32;
        }
        Order { to_model, to_device }
    }
}

/// How many elements each node has.
pub(crate) fn elements_around(model: &Model<f32>) -> Vec<u32> {
    let mut counts = vec![0_u32; model.node_count()];
    for block in &model.blocks {
        match &block.stencils {
            Stencils::Tets(tets) => tets.table.nodes.iter().flatten().for_each(|n| counts[*n as usize] += 1),
            Stencils::General(general) => general.table.nodes.iter().for_each(|n| counts[*n as usize] += 1),
        }
    }
    counts
}

/// A curve through a box.
pub(crate) struct Curve {
    min: [f64; 3],
    cells_per_metre: f64,
}

/// Bits per axis.
const BITS: u32 = 20;

impl Curve {
    /// Through the box around some points.
    pub(crate) fn around(points: &[[f32; 3]]) -> Self {
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points {
            for a in 0..3 {
                min[a] = min[a].min(f64::from(p[a]));
                max[a] = max[a].max(f64::from(p[a]));
            }
        }
        let longest = (0..3).map(|a| max[a] - min[a]).fold(f64::MIN_POSITIVE, f64::max);
        Curve { min, cells_per_metre: f64::from((1_u32 << BITS) - 1) / longest }
    }

    /// How far along the curve a point is (Morton 1966: the bits of its coordinates, one after the other).
    pub(crate) fn place(&self, p: [f64; 3]) -> u64 {
        (0..3).fold(0, |key, a| {
            let cell = ((p[a] - self.min[a]) * self.cells_per_metre).clamp(0.0, f64::from((1_u32 << BITS) - 1)) as u64;
            key | spread(cell) << a
        })
    }
}

/// Puts two zeros between the bits of a 21-bit number.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_bits_stand_three_apart() {
        assert_eq!(spread(0b1011), 0b1_000_001_001);
        assert_eq!(
            (0..21).map(|b| spread(1 << b)).collect::<Vec<_>>(),
            (0..21).map(|b| 1 << (3 * b)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_order_is_a_permutation_that_keeps_bodies_apart() {
        let rest: Vec<[f32; 3]> = (0..60).map(|i| [(i * 7 % 13) as f32, (i * 5 % 11) as f32, (i % 3) as f32]).collect();
        let elements: Vec<u32> = (0..60).map(|i| i * 11 % 7).collect();
        let order = Order::new(&rest, &elements, [0..25, 25..60].into_iter());
        for (place, &n) in order.to_model.iter().enumerate() {
            assert_eq!(order.to_device[n as usize] as usize, place);
            assert_eq!(place < 25, n < 25);
        }
        let sorted = |nodes: &[u32]| nodes.is_sorted_by_key(|n| std::cmp::Reverse(elements[*n as usize]));
        assert!(sorted(&order.to_model[..25]) && sorted(&order.to_model[25..]));
    }
}
