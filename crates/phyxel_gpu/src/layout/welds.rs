//! Bodies that break as `welds.wgsl` reads them: cells that own their corners, and the nodes that joined corners share.

use super::laws::{GpuLaw, LawKey};
use super::nodes::AS_FLOAT;
use super::{Run, extend_runs};
use bytemuck::{Pod, Zeroable};
use phyxel::State;
use phyxel::fracture::{Fragile, Pieces, TetPieces};
use phyxel::model::{BodyModel, Model};
use phyxel::stencil::block::{Block, Stencils};
use std::collections::BTreeMap;

const TOUCHABLE: u32 = 1 << 29;
/// A face that no other tetrahedron has.
const ALONE: u32 = u32::MAX;
/// Corners that can meet in a node: one bit of a word each.
pub(crate) const MOST_CORNERS: usize = 32;

/// The twin of `Welded` in `welds.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct GpuBody {
    first_node: u32,
    first_tet: u32,
    tets: u32,
    first_bond: u32,
    bonds: u32,
    law: u32,
    number: u32,
    damping: f32,
    strength: f32,
    unused: [u32; 3],
}

/// Where tables begin, as `Job` in `welds.wgsl` has them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    /// Origins, flags, masks, queues and edits of nodes; whether bonds hold.
    pub words: [u32; 6],
    /// First tetrahedron of each corner, tetrahedra, first bond of each corner, bonds, corners of bonds, masses, strengths.
    pub index: [u32; 7],
}

/// What stays on the CPU of one body.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// Its number in the scene.
    pub number: usize,
    /// Its first node, origin and tetrahedron on the device.
    pub first_node: usize,
    first_origin: usize,
    first_tet: u32,
    /// How many nodes it has now.
    pub nodes: u32,
}

/// All bodies.
#[derive(Default)]
pub(crate) struct Welds {
    pub bodies: Vec<GpuBody>,
    pub kept: Vec<Kept>,
    /// Bodies of the same law.
    pub runs: Vec<Run>,
    /// Rest position and contact radius of each origin.
    pub rest: Vec<[f32; 4]>,
    /// Four vectors per tetrahedron.
    pub shapes: Vec<[u32; 4]>,
    /// What changes when something breaks.
    pub words: Vec<u32>,
    /// What does not.
    pub index: Vec<u32>,
    pub places: Places,
    /// Nodes that all bodies can have.
    pub slots: usize,
    /// First corner of each origin, and one more; first of `around` of each corner, and one more.
    first_corners: Vec<u32>,
    starts: Vec<u32>,
    /// `4 · tetrahedron + corner`.
    around: Vec<u32>,
}

/// Lists while bodies are added.
#[derive(Default)]
struct Lists {
    welds: Vec<u32>,
    origins: Vec<u32>,
    holds: Vec<u32>,
    /// Six corners each.
    bonds: Vec<[u32; 6]>,
    bonds_around: Vec<Vec<u32>>,
    masses: Vec<f32>,
    strengths: Vec<f32>,
}

/// The tetrahedra of a body that can break.
pub(crate) fn pieces_of(body: &BodyModel) -> Option<(&Fragile, &TetPieces)> {
    let fragile = body.fragile.as_ref()?;
    match &fragile.pieces {
        Pieces::Tets(tets) => Some((fragile, tets)),
        Pieces::Points(_) => None,
    }
}

/// The corners of a body's cells, by origin and cell, and the `4 · tetrahedron + corner` that each stands for.
pub(crate) fn corners_of(fragile: &Fragile, tets: &TetPieces) -> BTreeMap<(u32, u32), Vec<u32>> {
    let mut corners: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for (t, nodes) in tets.table.nodes.iter().enumerate() {
        for (k, n) in nodes.iter().enumerate() {
            let corner = (fragile.origin[*n as usize], cell_of(tets, t));
            corners.entry(corner).or_default().push((4 * t + k) as u32);
        }
    }
    corners
}

fn cell_of(tets: &TetPieces, tet: usize) -> u32 {
    tets.cells.get(tet).copied().unwrap_or(tet as u32)
}

impl Welds {
    /// Of all bodies of a model; `laws` gives each block's law and its key.
    pub(crate) fn new(model: &Model<f32>, laws: &[(LawKey, GpuLaw)]) -> Self {
        let (mut all, mut lists) = (Welds::default(), Lists::default());
        let mut blocks: Vec<usize> = (0..model.blocks.len()).collect();
        blocks.sort_by_key(|&b| laws[b].0);
        for b in blocks {
            let block = &model.blocks[b];
            if let Some((fragile, tets)) = pieces_of(&model.bodies[block.body]) {
                extend_runs(&mut all.runs, laws[b].0, all.bodies.len() as u32, 1);
                all.add(model, (block, b as u32), (fragile, tets), &mut lists);
            }
        }
        all.first_corners.push(lists.welds.len() as u32);
        all.starts.push(all.around.len() as u32);
        all.close(lists);
        all
    }

    fn add(
        &mut self,
        model: &Model<f32>,
        (block, law): (&Block<f32>, u32),
        (fragile, tets): (&Fragile, &TetPieces),
        lists: &mut Lists,
    ) {
        let spec = &model.bodies[block.body];
        let corners = corners_of(fragile, tets);
        let (first_node, first_tet) = (self.slots as u32, (self.shapes.len() / 4) as u32);
        let kept = Kept {
            number: block.body,
            first_node: self.slots,
            first_origin: self.rest.len(),
            first_tet,
            nodes: fragile.origin.len() as u32,
        };
        let first_corner = lists.welds.len() as u32;
        let number: BTreeMap<(u32, u32), u32> = corners.keys().copied().zip(first_corner..).collect();
        self.add_origins(model, spec, fragile, lists);
        self.add_corners(&corners, (tets, &kept), spec.material.density, lists);
        let origin = |t: usize, k: usize| fragile.origin[tets.table.nodes[t][k] as usize];
        let corner = |t: usize, k: usize| number[&(origin(t, k), cell_of(tets, t))];
        let first_bond = lists.bonds.len();
        add_bonds(tets, origin, corner, lists);
        self.add_shapes(block, fragile, corner);
        self.slots += corners.len();
        lists.origins.extend(fragile.origin.iter().map(|o| kept.first_origin as u32 + o));
        lists.origins.resize(self.slots, 0);
        let strength = spec.material.fracture.map_or(f64::INFINITY, |f| f.strength);
        self.bodies.push(GpuBody {
            first_node,
            first_tet,
            tets: tets.table.len() as u32,
            first_bond: first_bond as u32,
            bonds: (lists.bonds.len() - first_bond) as u32,
            law,
            number: block.body as u32,
            damping: model.rayleigh_mass[block.body],
            // Nothing bears more; kernels may not rely on infinities.
            strength: strength.min(1e12) as f32,
            unused: [0; 3],
        });
        self.kept.push(kept);
    }

    fn add_origins(&mut self, model: &Model<f32>, spec: &BodyModel, fragile: &Fragile, lists: &mut Lists) {
        for (o, strength) in fragile.strength.iter().enumerate() {
            let n = spec.nodes.start + o;
            let [x, y, z] = model.rest[n].0;
            self.rest.push([x, y, z, model.radii[n] as f32]);
            lists.strengths.push(*strength as f32);
        }
    }

    fn add_corners(
        &mut self,
        corners: &BTreeMap<(u32, u32), Vec<u32>>,
        (tets, kept): (&TetPieces, &Kept),
        density: f64,
        lists: &mut Lists,
    ) {
        for (&(origin, _), around) in corners {
            while self.first_corners.len() <= kept.first_origin + origin as usize {
                self.first_corners.push(lists.welds.len() as u32);
            }
            let (t, k) = (around[0] as usize / 4, around[0] as usize % 4);
            lists.welds.push(kept.first_node as u32 + tets.table.nodes[t][k]);
            let share = |corner: &u32| 0.25 * density * tets.table.volumes[*corner as usize / 4];
            lists.masses.push(around.iter().map(share).sum::<f64>() as f32);
            self.starts.push(self.around.len() as u32);
            self.around.extend(around.iter().map(|corner| corner + 4 * kept.first_tet));
            lists.bonds_around.push(Vec::new());
        }
        // Nodes of no tetrahedron have no corners.
        self.first_corners.resize(self.rest.len(), lists.welds.len() as u32);
    }

    fn add_shapes(&mut self, block: &Block<f32>, fragile: &Fragile, corner: impl Fn(usize, usize) -> u32) {
        let Stencils::Tets(tets) = &block.stencils else { return };
        for (t, gradients) in tets.table.gradients.iter().enumerate() {
            let factor = fragile.factors.get(t).copied().unwrap_or(1.0) as f32;
            let beside = [tets.table.volumes[t], factor, 0.0];
            for (d, w) in gradients.iter().zip(beside) {
                self.shapes.push([d.0[0].to_bits(), d.0[1].to_bits(), d.0[2].to_bits(), w.to_bits()]);
            }
            self.shapes.push([0, 1, 2, 3].map(|k| corner(t, k)));
        }
    }

    /// Puts the lists one after the other.
    fn close(&mut self, lists: Lists) {
        let mut words = lists.welds;
        let mut place = |list: Vec<u32>| {
            words.extend(&list);
            (words.len() - list.len()) as u32
        };
        let nodes = || vec![0; self.slots];
        let tables = [lists.origins, nodes(), nodes(), nodes(), nodes(), lists.holds];
        self.places.words = tables.map(&mut place);
        self.words = words;
        let mut index = self.first_corners.clone();
        let mut place = |list: Vec<u32>| {
            index.extend(&list);
            (index.len() - list.len()) as u32
        };
        let mut bond_starts = vec![0];
        for bonds in &lists.bonds_around {
            bond_starts.push(bond_starts[bond_starts.len() - 1] + bonds.len() as u32);
        }
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        let tables = [
            self.starts.clone(),
            self.around.clone(),
            bond_starts,
            lists.bonds_around.concat(),
            lists.bonds.concat(),
            bits(&lists.masses),
            bits(&lists.strengths),
        ];
        self.places.index = tables.map(&mut place);
        self.index = index;
    }

    /// Displacements with masses and velocities with flags of all nodes, by their places on the device.
    pub(crate) fn state(&self, model: &Model<f32>, state: &State<f32>) -> [Vec<[f32; 4]>; 2] {
        let (mut u, mut v) = (vec![[0.0; 4]; self.slots], vec![[0.0; 4]; self.slots]);
        for kept in &self.kept {
            for (n, slot) in model.bodies[kept.number].nodes.clone().zip(kept.first_node..) {
                let ([x, y, z], [a, b, c]) = (state.u[n].0, state.v[n].0);
                let flags = if model.is_touchable(n) { AS_FLOAT | TOUCHABLE } else { AS_FLOAT };
                u[slot] = [x, y, z, model.masses[n]];
                v[slot] = [a, b, c, f32::from_bits(flags)];
            }
        }
        [u, v]
    }

    /// The tetrahedra of a body at some corners of one of its origins, ascending; `mask` has a bit for each corner.
    pub(crate) fn elements(&self, kept: &Kept, origin: u32, mask: u32) -> Vec<u32> {
        let first = self.first_corners[kept.first_origin + origin as usize] as usize;
        let chosen = (0..MOST_CORNERS).filter(|bit| mask >> bit & 1 == 1).map(|bit| first + bit);
        let around = chosen.flat_map(|c| &self.around[self.starts[c] as usize..self.starts[c + 1] as usize]);
        let mut elements: Vec<u32> = around.map(|corner| corner / 4 - kept.first_tet).collect();
        elements.sort_unstable();
        elements
    }
}

/// Lists the faces between cells, whether or not they have parted.
fn add_bonds(
    tets: &TetPieces,
    origin: impl Fn(usize, usize) -> u32,
    corner: impl Fn(usize, usize) -> u32,
    lists: &mut Lists,
) {
    for (t, mates) in tets.mates.iter().enumerate() {
        for (face, &mate) in mates.iter().enumerate() {
            let other = mate as usize / 4;
            if mate == ALONE || mate < (4 * t + face) as u32 || cell_of(tets, t) == cell_of(tets, other) {
                continue;
            }
            let mut bond = [0; 6];
            let shared = (0..4).filter_map(|k| Some((k, (0..4).find(|j| origin(t, k) == origin(other, *j))?)));
            for (place, (k, j)) in shared.take(3).enumerate() {
                (bond[place], bond[place + 3]) = (corner(t, k), corner(other, j));
            }
            let number = lists.bonds.len() as u32;
            for (place, c) in bond.iter().enumerate() {
                lists.bonds_around[*c as usize].push(6 * number + place as u32);
            }
            let holds = (0..3).all(|k| lists.welds[bond[k] as usize] == lists.welds[bond[k + 3] as usize]);
            lists.holds.push(u32::from(holds));
            lists.bonds.push(bond);
        }
    }
}
