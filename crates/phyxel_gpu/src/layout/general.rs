//! Stencils of any length in slices of 32 rows, column by column, forwards (element → nodes) and backwards.

use super::laws::{GpuLaw, LawKey};
use super::order::Order;
use super::{Run, extend_runs};
use phyxel::math::Vec3;
use phyxel::model::Model;
use phyxel::scene::Method;
use phyxel::stencil::block::Stencils;
use phyxel::stencil::general::General as Table;
use std::borrow::Cow;

/// In the place of an element where there is none.
pub(crate) const NO_ELEMENT: u32 = u32::MAX;
/// Rows per slice.
pub(crate) const SLICE: usize = 32;

/// All elements that are no tetrahedra, as `general.wgsl` and `gather.wgsl` read them.
#[derive(Default)]
pub(crate) struct General {
    /// First entry, entries, law, volume (bits) of each element. Where any is stabilised, exponents of the units of its
    /// weights and penalties are in the upper half of the second.
    pub elements: Vec<[u32; 4]>,
    /// Weight, with the penalty where any is stabilised ([`Scale`]), and node of each entry.
    pub entries: Vec<[u32; 4]>,
    /// Three vectors per element: `Σ c x` and `Σ c`, then the upper triangle of `Σ c x ⊗ x`, of its penalties; empty where
    /// there are none.
    pub moments: Vec<[f32; 4]>,
    /// Columns of the gradient that does not come from displacements; empty when no element has one.
    pub bases: Vec<[f32; 4]>,
    /// First entry and entries of each node.
    pub rows: Vec<[u32; 2]>,
    /// The same of each entry with its element, node by node.
    pub around: Vec<[u32; 4]>,
    /// Sum of the penalties of the element that each node is the centre of; empty where there are none.
    pub springs: Vec<f32>,
    /// Elements with the same law.
    pub runs: Vec<Run>,
    /// Whether any element is stabilised.
    pub stabilised: bool,
    /// The element of its block of each; padding has none.
    pub sources: Vec<u32>,
    /// Pairs of elements and nodes, without padding.
    pub pairs: usize,
    /// The most entries of an element.
    pub longest: usize,
    /// Entries that there is room for at least in each row of phyxels without a rest shape, by element and by node.
    room: usize,
}

/// What a row will hold: weight with penalty, other side, and how far along the path that is.
type Entry = ([u32; 3], u32, u32);

/// The most entries of an element in a model that is stabilised somewhere.
pub(crate) const MOST_ENTRIES: usize = 0xffff;

/// Units, powers of two, in which weights and penalties of an element are whole numbers: 26 bits with sign for each
/// part of a weight, 18 for a penalty.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// Biased exponents, as floats have them: of 2⁻⁶ of the unit of weights, and of the unit of penalties; the latter zero
    /// where there are none.
    exponents: [u32; 2],
}

/// Weights may be a little larger in sum than what the largest of them tells.
const ROOM: f32 = 1.0 + 1e-4;

impl Scale {
    fn new(weights: &[Vec3<f32>], penalties: &[f32]) -> Self {
        let exponent = |x: f32| ((x * ROOM).min(f32::MAX).to_bits() >> 23) as i32;
        let largest = weights.iter().flat_map(|d| d.0).fold(0.0, |m: f32, x| m.max(x.abs()));
        let strongest = penalties.iter().copied().fold(0.0, f32::max);
        let within = |e: i32| e.clamp(1, 254) as u32;
        let penalty = if penalties.is_empty() { 0 } else { within(exponent(strongest) - 17) };
        Scale { exponents: [within(exponent(largest) - 30), penalty] }
    }

    /// A weight as whole numbers.
    fn whole(&self, weight: [f32; 3]) -> [i32; 3] {
        let unit = f64::from(f32::from_bits(self.exponents[0] << 23)) * 64.0;
        let most = f64::from(1 << 25);
        weight.map(|x| (f64::from(x) / unit).round().clamp(-most, most - 1.0) as i32)
    }

    fn penalty(&self, c: f32) -> u32 {
        if self.exponents[1] == 0 {
            return 0;
        }
        (f64::from(c) / self.penalty_unit()).round().clamp(0.0, f64::from((1 << 18) - 1)) as u32
    }

    fn penalty_unit(&self) -> f64 {
        f64::from(f32::from_bits(self.exponents[1] << 23))
    }

    /// Both in three words: six bits of the penalty lie above each number of the weight.
    fn pack(&self, whole: [i32; 3], c: f32) -> [u32; 3] {
        let c = self.penalty(c);
        [0, 1, 2].map(|a| whole[a] as u32 & 0x03ff_ffff | (c >> (6 * a) & 0x3f) << 26)
    }

    /// The second word of the element's head.
    fn head(&self, entries: usize) -> u32 {
        entries as u32 | self.exponents[0] << 16 | self.exponents[1] << 24
    }
}

impl General {
    /// All blocks that are no tetrahedra; rows of phyxels without a rest shape have room for so many entries at least.
    pub(crate) fn new(model: &Model<f32>, order: &Order, laws: &[(LawKey, GpuLaw)], room: usize) -> Self {
        let mut general = General { room, ..General::default() };
        let mut blocks: Vec<usize> = (0..model.blocks.len()).collect();
        blocks.sort_by_key(|&b| laws[b].0);
        let tables = |b: &usize| match &model.blocks[*b].stencils {
            Stencils::General(g) => Some((*b, g)),
            Stencils::Tets(_) => None,
        };
        let found: Vec<(usize, &Table<f32>)> = blocks.iter().filter_map(tables).collect();
        general.stabilised = found.iter().any(|(_, g)| !g.table.penalties.is_empty());
        general.springs = vec![0.0; if general.stabilised { model.node_count() } else { 0 }];
        let mut around: Vec<Vec<Entry>> = vec![Vec::new(); if found.is_empty() { 0 } else { model.node_count() }];
        for (b, table) in found {
            let first = general.elements.len() as u32;
            general.add_block(model, order, table, b as u32, &mut around);
            // Slices belong to one law each; bodies of one law run together.
            let padded = general.elements.len().next_multiple_of(SLICE);
            general.elements.resize(padded, [0; 4]);
            general.sources.resize(padded, NO_ELEMENT);
            if general.stabilised {
                general.moments.resize(3 * padded, [0.0; 4]);
            }
            extend_runs(&mut general.runs, laws[b].0, first, padded as u32 - first);
        }
        let mut lengths: Vec<usize> = around.iter().map(Vec::len).collect();
        for block in model.blocks.iter().zip(laws).filter(|(_, law)| law.0.updated).map(|(block, _)| block) {
            // Bodies stay where they are on the device.
            lengths[model.bodies[block.body].nodes.clone()].iter_mut().for_each(|length| *length = room.max(*length));
        }
        let (places, room) = slices(&lengths);
        general.around = vec![[0; 4]; room];
        for (row, &first) in around.iter_mut().zip(&places) {
            row.sort_by_key(|entry| (entry.2, entry.1));
            general.rows.push([first as u32, row.len() as u32]);
            for (k, ([x, y, z], e, _)) in row.iter().enumerate() {
                general.around[first + SLICE * k] = [*x, *y, *z, *e];
            }
        }
        let keeps = laws.iter().any(|law| law.0.updated);
        if !keeps && general.bases.iter().all(|b| b == &[0.0; 4]) {
            general.bases.clear();
        } else {
            general.bases.resize(3 * general.elements.len(), [0.0; 4]);
        }
        general
    }

    fn add_block(
        &mut self,
        model: &Model<f32>,
        order: &Order,
        general: &Table<f32>,
        law: u32,
        around: &mut [Vec<Entry>],
    ) {
        let table = &general.table;
        let count = table.volumes.len();
        let phyxels = model.bodies[model.blocks[law as usize].body].method == Method::Mls;
        // Elements follow the path that their first nodes lie on.
        let mut sorted: Vec<u32> = (0..count as u32).collect();
        sorted.sort_by_key(|&e| {
            let entries = table.entries(e as usize);
            (order.to_device[table.nodes[entries.start] as usize], e)
        });
        let least = if general.base_inverse.is_empty() { 0 } else { self.room };
        let lengths: Vec<usize> = sorted.iter().map(|&e| table.entries(e as usize).len().max(least)).collect();
        let (places, room) = slices(&lengths);
        let (first_element, first_entry) = (self.elements.len(), self.entries.len());
        self.entries.resize(first_entry + room, [0; 4]);
        for (i, (&e, &place)) in sorted.iter().zip(&places).enumerate() {
            let element = (first_element + i) as u32;
            let range = table.entries(e as usize);
            let along = if phyxels { order.along[table.nodes[range.start] as usize] } else { 0 };
            let first = first_entry + place;
            let volume = table.volumes[e as usize].to_bits();
            let penalties = table.penalties.get(range.clone()).unwrap_or_default();
            let weights = about_present_offsets(general, e as usize);
            let scale = Scale::new(&weights, penalties);
            let count = if self.stabilised { scale.head(range.len()) } else { range.len() as u32 };
            self.elements.push([first as u32, count, law, volume]);
            self.sources.push(e);
            self.pairs += range.len();
            self.longest = self.longest.max(range.len());
            if self.stabilised {
                self.moments.resize(3 * element as usize, [0.0; 4]);
                self.moments.extend(moments(model, general, e as usize, &scale));
            }
            let base = general.base(e as usize);
            self.bases.resize(3 * element as usize, [0.0; 4]);
            self.bases.extend([0, 1, 2].map(|c| {
                let [x, y, z] = base.column(c).0;
                [x, y, z, 0.0]
            }));
            let center = order.to_device[table.nodes[range.start] as usize];
            if !penalties.is_empty() {
                self.springs[center as usize] = penalties.iter().sum();
            }
            let start = range.start;
            let mut entries: Vec<usize> = range.collect();
            // The centre stays first. Other stencils have too few entries for their order to matter.
            let others = entries.get_mut(1..).unwrap_or_default();
            if phyxels {
                others.sort_by_key(|&k| order.along[table.nodes[k] as usize]);
            }
            // Whole numbers add up to nothing exactly: an element then moves no centre of mass.
            let sum = others
                .iter()
                .map(|&k| scale.whole(weights[k - start].0))
                .fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
            for (k, entry) in entries.into_iter().enumerate() {
                let node = order.to_device[table.nodes[entry] as usize];
                let d = weights[entry - start].0;
                let words = if self.stabilised {
                    let whole = if k == 0 { sum.map(|x| -x) } else { scale.whole(d) };
                    scale.pack(whole, table.penalties.get(entry).copied().unwrap_or(0.0))
                } else {
                    d.map(f32::to_bits)
                };
                let [x, y, z] = words;
                self.entries[first + SLICE * k] = [x, y, z, node];
                around[node as usize].push((words, element, along));
            }
        }
    }
}

/// The weights of an element. Those of phyxels without a rest shape give `F − F₀`; `F₀⁻ᵀ d` give the gradient of displacements in
/// the reference instead (see `pushed.wgsl`), in which penalties are.
fn about_present_offsets(general: &Table<f32>, e: usize) -> Cow<'_, [Vec3<f32>]> {
    let weights = &general.table.weights[general.table.entries(e)];
    match general.base_inverse.get(e) {
        None => Cow::Borrowed(weights),
        Some(inverse) => Cow::Owned(weights.iter().map(|d| inverse.transpose() * *d).collect()),
    }
}

/// What the penalty of an element needs of its offsets, in one visit of its entries instead of two.
fn moments(model: &Model<f32>, general: &Table<f32>, e: usize, scale: &Scale) -> [[f32; 4]; 3] {
    let table = &general.table;
    let mut sums = [0.0_f64; 10];
    let range = if table.penalties.is_empty() { 0..0 } else { table.entries(e) };
    let center = range.clone().next().map(|first| model.rest[table.nodes[first] as usize].to_f64());
    for k in range.skip(1) {
        // As kernels know it, so that a linear field has no residual.
        let c = f64::from(scale.penalty(table.penalties[k])) * scale.penalty_unit();
        let at = model.rest[table.nodes[k] as usize].to_f64();
        let [x, y, z] = std::array::from_fn(|a| at[a] - center.map_or(0.0, |center| center[a]));
        let terms = [x, y, z, 1.0, x * x, x * y, x * z, y * y, y * z, z * z];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += c * term);
    }
    let s = sums.map(|x| x as f32);
    [[s[0], s[1], s[2], s[3]], [s[4], s[5], s[6], s[7]], [s[8], s[9], 0.0, 0.0]]
}

/// Where each row begins when 32 rows at a time lie column by column, and how much room all of them take.
pub(crate) fn slices(lengths: &[usize]) -> (Vec<usize>, usize) {
    let mut places = Vec::with_capacity(lengths.len());
    let mut room = 0;
    for slice in lengths.chunks(SLICE) {
        places.extend((0..slice.len()).map(|lane| room + lane));
        room += SLICE * slice.iter().copied().max().unwrap_or(0);
    }
    (places, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `entry.wgsl` reads them.
    fn read(words: [u32; 3], [weight, penalty]: [u32; 2]) -> ([f32; 3], f32) {
        let unit = |exponent: u32| f32::from_bits(exponent << 23);
        let c = words[0] >> 26 | words[1] >> 20 & 0xfc0 | words[2] >> 14 & 0x3f000;
        (words.map(|w| (w << 6) as i32 as f32 * unit(weight)), c as f32 * unit(penalty))
    }

    #[test]
    fn weights_and_penalties_keep_their_digits_in_sixteen_bytes() {
        let weights: Vec<Vec3<f32>> =
            (1..40).map(|i| Vec3([0.37, -1.9, 51.3].map(|a: f32| (a * i as f32).sin() * 73.0))).collect();
        let penalties: Vec<f32> = (1..40).map(|i| 1e-7 / i as f32).collect();
        let scale = Scale::new(&weights, &penalties);
        for (d, c) in weights.iter().zip(&penalties) {
            let (found, penalty) = read(scale.pack(scale.whole(d.0), *c), scale.exponents);
            for a in 0..3 {
                assert!((found[a] - d.0[a]).abs() <= 73.0 * 6e-8, "{found:?} {d:?}");
            }
            assert!((penalty - c).abs() <= 1e-7 * 4e-6, "{penalty} {c}");
        }
    }

    #[test]
    fn rows_of_a_slice_do_not_overlap() {
        let lengths: Vec<usize> = (0..100).map(|i| i * 7 % 11).collect();
        let (places, room) = slices(&lengths);
        let mut taken = vec![false; room];
        for (place, length) in places.iter().zip(&lengths) {
            for k in 0..*length {
                assert!(!std::mem::replace(&mut taken[place + SLICE * k], true));
            }
        }
    }
}
