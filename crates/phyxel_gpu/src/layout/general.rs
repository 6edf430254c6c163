//! Stencils of any length in slices of 32 rows, column by column, forwards (element → nodes) and backwards.

use super::laws::{GpuLaw, LawKey};
use super::order::Order;
use super::{Run, extend_runs};
use phyxel::model::Model;
use phyxel::stencil::block::Stencils;
use phyxel::stencil::general::General as Table;

/// In the place of an element where there is none.
pub(crate) const NO_ELEMENT: u32 = u32::MAX;
/// Rows per slice.
pub(crate) const SLICE: usize = 32;

/// All elements that are no tetrahedra, as `general.wgsl` and `gather.wgsl` read them.
#[derive(Default)]
pub(crate) struct General {
    /// First entry, entries, law, volume (bits) of each element.
    pub elements: Vec<[u32; 4]>,
    /// Weight (bits) and node of each entry.
    pub entries: Vec<[u32; 4]>,
    /// Penalty of each entry.
    pub penalties: Vec<f32>,
    /// Three vectors per element: `Σ c x` and `Σ c`, then the upper triangle of `Σ c x ⊗ x`, of its penalties; empty where
    /// there are none.
    pub moments: Vec<[f32; 4]>,
    /// Columns of the gradient that does not come from displacements; empty when no element has one.
    pub bases: Vec<[f32; 4]>,
    /// First entry and entries of each node.
    pub rows: Vec<[u32; 2]>,
    /// Weight (bits) and element of each entry, node by node.
    pub around: Vec<[u32; 4]>,
    /// Penalty of each of them; minus the sum of all for the element whose centre the node is.
    pub around_penalties: Vec<f32>,
    /// Elements with the same law.
    pub runs: Vec<Run>,
    /// Whether any element is stabilised.
    pub stabilised: bool,
    /// The element of its block of each; padding has none.
    pub sources: Vec<u32>,
    /// Pairs of elements and nodes, without padding.
    pub pairs: usize,
}

/// What a row will hold: weight, other side, penalty.
type Entry = ([f32; 3], u32, f32);

impl General {
    /// All blocks that are no tetrahedra.
    pub(crate) fn new(model: &Model<f32>, order: &Order, laws: &[(LawKey, GpuLaw)]) -> Self {
        let mut general = General::default();
        let mut blocks: Vec<usize> = (0..model.blocks.len()).collect();
        blocks.sort_by_key(|&b| laws[b].0);
        let tables = |b: &usize| match &model.blocks[*b].stencils {
            Stencils::General(g) => Some((*b, g)),
            Stencils::Tets(_) => None,
        };
        let found: Vec<(usize, &Table<f32>)> = blocks.iter().filter_map(tables).collect();
        general.stabilised = found.iter().any(|(_, g)| !g.table.penalties.is_empty());
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
        let lengths: Vec<usize> = around.iter().map(Vec::len).collect();
        let (places, room) = slices(&lengths);
        general.around = vec![[0; 4]; room];
        general.around_penalties = vec![0.0; if general.stabilised { room } else { 0 }];
        for (row, &first) in around.iter().zip(&places) {
            general.rows.push([first as u32, row.len() as u32]);
            for (k, (d, e, c)) in row.iter().enumerate() {
                let [x, y, z] = d.map(f32::to_bits);
                general.around[first + SLICE * k] = [x, y, z, *e];
                if general.stabilised {
                    general.around_penalties[first + SLICE * k] = *c;
                }
            }
        }
        if general.bases.iter().all(|b| b == &[0.0; 4]) {
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
        // Elements follow the curve that their first nodes lie on.
        let mut sorted: Vec<u32> = (0..count as u32).collect();
        sorted.sort_by_key(|&e| {
            let entries = table.entries(e as usize);
            (order.to_device[table.nodes[entries.start] as usize], e)
        });
        let lengths: Vec<usize> = sorted.iter().map(|&e| table.entries(e as usize).len()).collect();
        let (places, room) = slices(&lengths);
        let (first_element, first_entry) = (self.elements.len(), self.entries.len());
        self.entries.resize(first_entry + room, [0; 4]);
        if self.stabilised {
            self.penalties.resize(first_entry + room, 0.0);
        }
        for (i, (&e, &place)) in sorted.iter().zip(&places).enumerate() {
            let element = (first_element + i) as u32;
            let range = table.entries(e as usize);
            let first = first_entry + place;
            let volume = table.volumes[e as usize].to_bits();
            self.elements.push([first as u32, range.len() as u32, law, volume]);
            self.sources.push(e);
            self.pairs += range.len();
            if self.stabilised {
                self.moments.resize(3 * element as usize, [0.0; 4]);
                self.moments.extend(moments(model, general, e as usize));
            }
            let base = general.base(e as usize);
            self.bases.resize(3 * element as usize, [0.0; 4]);
            self.bases.extend([0, 1, 2].map(|c| {
                let [x, y, z] = base.column(c).0;
                [x, y, z, 0.0]
            }));
            for (k, entry) in range.enumerate() {
                let node = order.to_device[table.nodes[entry] as usize];
                let d = table.weights[entry].0;
                let [x, y, z] = d.map(f32::to_bits);
                self.entries[first + SLICE * k] = [x, y, z, node];
                let c = table.penalties.get(entry).copied().unwrap_or(0.0);
                if self.stabilised {
                    self.penalties[first + SLICE * k] = c;
                }
                let own = k == 0 && !table.penalties.is_empty();
                // The sum of its penalties is what the diagonal of the centre needs; never zero, for its sign is the mark.
                let all: f32 = if own { table.penalties[table.entries(e as usize)].iter().sum() } else { 0.0 };
                around[node as usize].push((d, element, if own { -all.max(f32::MIN_POSITIVE) } else { c }));
            }
        }
    }
}

/// What the penalty of an element needs of its offsets, in one visit of its entries instead of two.
fn moments(model: &Model<f32>, general: &Table<f32>, e: usize) -> [[f32; 4]; 3] {
    let table = &general.table;
    let mut sums = [0.0_f64; 10];
    let range = if table.penalties.is_empty() { 0..0 } else { table.entries(e) };
    let center = range.clone().next().map(|first| model.rest[table.nodes[first] as usize].to_f64());
    for k in range.skip(1) {
        let c = f64::from(table.penalties[k]);
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
