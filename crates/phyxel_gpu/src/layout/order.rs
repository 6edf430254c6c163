//! An order in which what is near in space is near in memory, and neighbours have as much to do as each other.

use phyxel::model::Model;
use phyxel::scene::Method;
use phyxel::stencil::block::Stencils;
use std::ops::Range;

/// Nodes that are sorted among themselves by how many elements they have. Slices of 32 rows are as long as their longest,
/// and what lies between short rows is fetched with them; few enough nodes that they stay near each other.
const WINDOW: usize = 512;

/// Places of nodes on the device and in the model. Bodies stay where they are; their nodes follow a [`Path`], window by
/// window, and within a window those with most elements come first.
pub(crate) struct Order {
    /// The model's node at each place of the device.
    pub to_model: Vec<u32>,
    /// The place on the device of each node of the model.
    pub to_device: Vec<u32>,
    /// How far along the path of its body each node of the model is, before windows are sorted. Entries that follow this
    /// within their rows are met by neighbouring lanes at the same time.
    pub along: Vec<u32>,
    /// Whether all phyxels are in rows.
    pub in_rows: bool,
}

impl Order {
    /// Orders the nodes of a model.
    pub(crate) fn of(model: &Model<f32>) -> Self {
        let rest: Vec<[f32; 3]> = model.rest.iter().map(|p| p.0).collect();
        let paths = (0..model.bodies.len()).map(|b| Path::of_body(model, b));
        let bodies = model.bodies.iter().map(|b| b.nodes.clone()).zip(paths);
        Order::new(&rest, &elements_around(model), bodies)
    }

    /// Orders the nodes of each body along its path; `elements` says how many each has.
    fn new(rest: &[[f32; 3]], elements: &[u32], bodies: impl Iterator<Item = (Range<usize>, Path)>) -> Self {
        let mut to_model: Vec<u32> = (0..rest.len() as u32).collect();
        let mut along = to_model.clone();
        let mut in_rows = true;
        for (nodes, path) in bodies {
            let own = &mut to_model[nodes.clone()];
            match path.rows(&rest[nodes.clone()]) {
                Some(rows) => own.sort_by_cached_key(|&n| rows[n as usize - nodes.start]),
                None => {
                    in_rows &= path == Path::Curve;
                    let curve = Curve::around(&rest[nodes.clone()]);
                    own.sort_by_cached_key(|&n| curve.place(rest[n as usize].map(f64::from)));
                }
            }
            own.iter().enumerate().for_each(|(place, &n)| along[n as usize] = (nodes.start + place) as u32);
            for window in own.chunks_mut(WINDOW) {
                window.sort_by_key(|&n| std::cmp::Reverse(elements[n as usize]));
            }
        }
        let mut to_device = vec![0; rest.len()];
        for (place, &n) in to_model.iter().enumerate() {
            to_device[n as usize] = place as u32;
        }
        Order { to_model, to_device, along, in_rows }
    }
}

/// How the nodes of a body follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    /// A Z-shaped curve: what is near in space is near in memory.
    Curve,
    /// Rows of phyxels so far apart [m]. In a lattice the k-th neighbours of 32 phyxels of a row are a row themselves: what 32
    /// lanes ask for lies side by side, where a curve scatters it over as many lines of memory.
    Rows(f64),
}

/// Of a hundred phyxels, so many must follow their predecessor as in a lattice; others are better off on the curve.
const ROWS_FROM: usize = 75;

impl Path {
    fn of_body(model: &Model<f32>, body: usize) -> Self {
        if model.bodies[body].method != Method::Mls {
            return Path::Curve;
        }
        let blocks = model.blocks.iter().filter(|block| block.body == body);
        let tables = blocks.filter_map(|block| match &block.stencils {
            Stencils::General(general) => Some(&general.table),
            Stencils::Tets(_) => None,
        });
        let at = |n: u32| model.rest[n as usize].to_f64();
        let mut nearest: Vec<f64> = Vec::new();
        for table in tables {
            for e in 0..table.len() {
                let nodes = &table.nodes[table.entries(e)];
                let Some((&first, others)) = nodes.split_first() else { continue };
                let distance = |n: &u32| (0..3).map(|a| (at(*n)[a] - at(first)[a]).powi(2)).sum::<f64>();
                nearest.extend(others.iter().map(distance).filter(|d| *d > 0.0).min_by(f64::total_cmp));
            }
        }
        let middle = nearest.len() / 2;
        if nearest.is_empty() {
            return Path::Curve;
        }
        let (_, squared, _) = nearest.select_nth_unstable_by(middle, f64::total_cmp);
        Path::Rows(squared.sqrt())
    }

    /// The place of each point in rows along the longest side, layer by layer across the middle one; none where most points
    /// would not follow each other at the distance of a lattice.
    fn rows(self, points: &[[f32; 3]]) -> Option<Vec<[u32; 3]>> {
        let Path::Rows(spacing) = self else { return None };
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points {
            for a in 0..3 {
                min[a] = min[a].min(f64::from(p[a]));
                max[a] = max[a].max(f64::from(p[a]));
            }
        }
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| (max[b] - min[b]).total_cmp(&(max[a] - min[a])));
        let [long, middle, short] = axes;
        let cell = |p: &[f32; 3], a: usize| ((f64::from(p[a]) - min[a]) / spacing).round() as u32;
        let places: Vec<[u32; 3]> = points.iter().map(|p| [cell(p, middle), cell(p, short), cell(p, long)]).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let next = |pair: &&[[u32; 3]]| pair[0][..2] == pair[1][..2] && pair[0][2] + 1 == pair[1][2];
        let following = sorted.windows(2).filter(next).count();
        (100 * following >= ROWS_FROM * points.len()).then_some(places)
    }
}

/// How many elements each node has.
fn elements_around(model: &Model<f32>) -> Vec<u32> {
    let mut counts = vec![0_u32; model.node_count()];
    for block in &model.blocks {
        match &block.stencils {
            Stencils::Tets(tets) => {
                (0..tets.table.len()).flat_map(|e| tets.nodes_of(e)).for_each(|n| counts[n as usize] += 1)
            }
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
        let order = Order::new(&rest, &elements, [(0..25, Path::Curve), (25..60, Path::Rows(0.5))].into_iter());
        for (place, &n) in order.to_model.iter().enumerate() {
            assert_eq!(order.to_device[n as usize] as usize, place);
            assert_eq!(place < 25, n < 25);
        }
        let sorted = |nodes: &[u32]| nodes.is_sorted_by_key(|n| std::cmp::Reverse(elements[*n as usize]));
        assert!(sorted(&order.to_model[..25]) && sorted(&order.to_model[25..]));
    }

    #[test]
    fn phyxels_of_a_lattice_follow_each_other_in_rows() {
        let lattice: Vec<[f32; 3]> = (0..6 * 40 * 5)
            .map(|i| [0.1 * (i % 6) as f32, 0.1 * (i / 6 % 40) as f32, 0.1 * (i / 240) as f32])
            .collect();
        let elements = vec![7; lattice.len()];
        let order = Order::new(&lattice, &elements, [(0..lattice.len(), Path::Rows(0.1))].into_iter());
        assert!(order.in_rows);
        // The second side is the longest: rows of 40 along it, six of them across, then the next layer.
        for (place, &n) in order.to_model.iter().enumerate() {
            let [x, y, z] = lattice[n as usize].map(|x| (x / 0.1).round() as usize);
            assert_eq!(place, y + 40 * (z + 5 * x));
        }
    }

    #[test]
    fn a_cloud_without_rows_stays_on_the_curve() {
        let cloud: Vec<[f32; 3]> =
            (0..500_u32).map(|i| [0, 1, 2].map(|a| (i * 7 + a * 13 + i * i * 31 % 97) as f32 % 17.3)).collect();
        assert_eq!(Path::Rows(0.7).rows(&cloud), None);
        assert!(!Order::new(&cloud, &vec![7; 500], [(0..500, Path::Rows(0.7))].into_iter()).in_rows);
    }
}
