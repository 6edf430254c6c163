//! Elements by colour, for position-based steps: those of a launch share no node.

use super::general::{NO_ELEMENT, SLICE, slices};
use super::grains::Grains;
use super::laws::LawKey;
use super::order::Order;
use phyxel::model::Model;
use phyxel::solver::colour::colour;
use phyxel::stencil::block::{Block, Stencils};
use std::collections::BTreeMap;

/// All elements of a model, as `sweep.wgsl` reads them.
#[derive(Default)]
pub(crate) struct Colours {
    /// First entry, entries, law, volume (bits) of each element.
    pub elements: Vec<[u32; 4]>,
    /// Weight (bits) and node of each entry, in slices of 32 elements.
    pub entries: Vec<[u32; 4]>,
    /// Penalty of each entry; empty where nothing is stabilised.
    pub penalties: Vec<f32>,
    /// Three columns per element of the gradient that does not come from displacements; empty where there are no fibres.
    pub bases: Vec<[f32; 4]>,
    /// The place of each element's grain.
    pub grains: Vec<u32>,
    /// One after the other, as the CPU sweeps.
    pub launches: Vec<Launch>,
}

/// When elements are solved: the place of their block in its body, colour, whether they are stabilised, law.
type Turn = (usize, usize, bool, LawKey);

/// Elements of one colour and law.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub law: LawKey,
    pub stabilised: bool,
    pub first: u32,
    pub count: u32,
}

impl Colours {
    /// Of a model whose blocks have these laws. Bodies do not share nodes, so that equal colours of several run together; the
    /// blocks of one body follow each other.
    pub(crate) fn new(model: &Model<f32>, order: &Order, laws: &[LawKey], grains: &Grains) -> Self {
        let mut launches: BTreeMap<Turn, Vec<(u32, u32)>> = BTreeMap::new();
        let mut blocks_of_body = vec![0; model.bodies.len()];
        for (b, block) in model.blocks.iter().enumerate() {
            let turn = blocks_of_body[block.body];
            blocks_of_body[block.body] += 1;
            let colouring = colour(block, model.node_count());
            for (number, run) in colouring.colours().enumerate() {
                let own = colouring.elements(run).0.iter().map(|e| (b as u32, *e));
                launches.entry((turn, number, is_stabilised(block), laws[b])).or_default().extend(own);
            }
        }
        let mut colours = Colours::default();
        let any = |of: &dyn Fn(&Block<f32>) -> bool| model.blocks.iter().any(of);
        let (stabilised, based) = (any(&is_stabilised), laws.iter().any(|l| l.based));
        let places = grains.places_of_blocks();
        for ((_, _, own_penalty, law), list) in launches {
            let first = colours.elements.len() as u32;
            colours.add(model, order, &list, (stabilised, based));
            let of =
                |(b, e): &(u32, u32)| places.get(*b as usize).and_then(|p| p.get(*e as usize)).copied().unwrap_or(0);
            colours.grains.extend(list.iter().map(of));
            let padded = colours.elements.len().next_multiple_of(SLICE);
            colours.elements.resize(padded, [0; 4]);
            colours.grains.resize(padded, 0);
            if based {
                colours.bases.resize(3 * padded, [0.0; 4]);
            }
            colours.launches.push(Launch { law, stabilised: own_penalty, first, count: list.len() as u32 });
        }
        colours
    }

    fn add(&mut self, model: &Model<f32>, order: &Order, list: &[(u32, u32)], (stabilised, based): (bool, bool)) {
        let block_of = |b: u32| &model.blocks[b as usize];
        let lengths: Vec<usize> =
            list.iter().map(|&(b, e)| block_of(b).with_entries(e as usize, |nodes, _| nodes.len())).collect();
        let (places, room) = slices(&lengths);
        let first_entry = self.entries.len();
        self.entries.resize(first_entry + room, [0; 4]);
        if stabilised {
            self.penalties.resize(first_entry + room, 0.0);
        }
        for (&(b, e), &place) in list.iter().zip(&places) {
            debug_assert_ne!(e, NO_ELEMENT);
            let (block, e) = (block_of(b), e as usize);
            let first = first_entry + place;
            block.with_entries(e, |nodes, weights| {
                self.elements.push([first as u32, nodes.len() as u32, b, block.volumes()[e].to_bits()]);
                for (k, (n, d)) in nodes.iter().zip(weights).enumerate() {
                    let [x, y, z] = d.0.map(f32::to_bits);
                    self.entries[first + SLICE * k] = [x, y, z, order.to_device[*n as usize]];
                }
            });
            if let Stencils::General(general) = &block.stencils {
                if is_stabilised(block) {
                    for (k, entry) in general.table.entries(e).enumerate() {
                        self.penalties[first + SLICE * k] = general.table.penalties[entry];
                    }
                }
                if based {
                    let base = general.base(e);
                    self.bases.resize(3 * (self.elements.len() - 1), [0.0; 4]);
                    self.bases.extend([0, 1, 2].map(|c| {
                        let [x, y, z] = base.column(c).0;
                        [x, y, z, 0.0]
                    }));
                }
            }
        }
    }
}

fn is_stabilised(block: &Block<f32>) -> bool {
    matches!(&block.stencils, Stencils::General(g) if !g.table.penalties.is_empty())
}
