//! Tetrahedra in clusters of neighbours, each the work of one workgroup.

use super::general::{NO_ELEMENT, SLICE};
use super::laws::{GpuLaw, LawKey};
use super::order::{Curve, Order};
use super::{Run, extend_runs};
use phyxel::model::Model;
use phyxel::stencil::TetTable;
use phyxel::stencil::block::Stencils;
use phyxel::stencil::tets::Tets;

/// Tetrahedra per cluster, and the most nodes of one.
pub(crate) const CLUSTER: usize = 256;
/// In the place of a node where there is none.
const NOBODY: u32 = u32::MAX;
/// Vectors per tetrahedron: three gradients, the volume, and its members, a byte each.
const PLANES: usize = 3;

/// All tetrahedra of a model, as `tets.wgsl` reads them.
#[derive(Default)]
pub(crate) struct Clusters {
    /// First member, members with the words of corners in the upper half, law, first word of corners.
    pub heads: Vec<[u32; 4]>,
    /// Node, slot, and run of corners (start, count in the upper half) of each member.
    pub members: Vec<[u32; 3]>,
    /// `corner · 256 + tetrahedron`, two per word.
    pub corners: Vec<u32>,
    /// [`PLANES`] planes of [`CLUSTER`] vectors per cluster: numbers by their bits, so that lanes read four words at once.
    pub shapes: Vec<[u32; 4]>,
    /// Where each node's slots begin, and one more.
    pub slot_offsets: Vec<u32>,
    /// Clusters with the same law.
    pub runs: Vec<Run>,
    /// Nodes of the device of each tetrahedron, by its place `cluster · 256 + lane`; padding has four equal ones.
    pub nodes: Vec<[u32; 4]>,
    /// The tetrahedron of its block at each place; padding has none.
    pub sources: Vec<u32>,
    /// How many tetrahedra there are, without padding.
    pub count: usize,
}

impl Clusters {
    /// Clusters of all blocks of tetrahedra; `laws` gives each block's law and its key.
    pub(crate) fn new(model: &Model<f32>, order: &Order, laws: &[(LawKey, GpuLaw)]) -> Self {
        let mut clusters = Clusters::default();
        let mut blocks: Vec<usize> = (0..model.blocks.len()).collect();
        blocks.sort_by_key(|&b| laws[b].0);
        for b in blocks {
            if let Stencils::Tets(tets) = &model.blocks[b].stencils {
                let first = clusters.heads.len() as u32;
                clusters.add_block(model, order, tets, b as u32);
                extend_runs(&mut clusters.runs, laws[b].0, first, clusters.heads.len() as u32 - first);
            }
        }
        clusters.assign_slots(model.node_count());
        clusters
    }

    fn add_block(&mut self, model: &Model<f32>, order: &Order, tets: &Tets<f32>, law: u32) {
        let table = &tets.table;
        let rest: Vec<[f32; 3]> = model.rest[tets.nodes()].iter().map(|p| p.0).collect();
        let curve = Curve::around(&rest);
        let middle = |tet: [u32; 4]| {
            let mut sum = [0.0; 3];
            for n in tet {
                (0..3).for_each(|a| sum[a] += 0.25 * f64::from(model.rest[n as usize].0[a]));
            }
            sum
        };
        let mut sorted: Vec<(u64, u32)> =
            (0..table.len()).map(|e| (curve.place(middle(tets.nodes_of(e))), e as u32)).collect();
        sorted.sort_unstable();
        let mut local = LocalNodes::new(model.node_count());
        let mut batch = Vec::with_capacity(CLUSTER);
        for (_, e) in sorted {
            let tet = tets.nodes_of(e as usize).map(|n| order.to_device[n as usize]);
            if batch.len() == CLUSTER || !local.fits(&tet) {
                self.close(&mut batch, &mut local, table, law);
            }
            batch.push((e, tet, local.take(&tet)));
        }
        self.close(&mut batch, &mut local, table, law);
    }

    fn close(&mut self, batch: &mut Vec<Member>, local: &mut LocalNodes, table: &TetTable<f32>, law: u32) {
        if batch.is_empty() {
            return;
        }
        sort_by_shape(batch, table);
        local.sort_by_corners(batch);
        let cluster = self.heads.len();
        let head = [self.members.len() as u32, local.nodes.len() as u32, law, self.corners.len() as u32];
        self.shapes.resize((cluster + 1) * PLANES * CLUSTER, [0; 4]);
        self.nodes.resize((cluster + 1) * CLUSTER, [local.nodes[0]; 4]);
        self.sources.resize((cluster + 1) * CLUSTER, NO_ELEMENT);
        self.count += batch.len();
        let mut around: Vec<Vec<u16>> = vec![Vec::new(); local.nodes.len()];
        for (lane, (e, tet, own)) in batch.iter().enumerate() {
            let e = *e as usize;
            let numbers = table.gradients[e].iter().flat_map(|d| d.0).chain([table.volumes[e]]);
            let words = numbers.map(f32::to_bits).chain([u32::from_le_bytes(*own)]);
            for (i, word) in words.enumerate() {
                self.shapes[(cluster * PLANES + i / 4) * CLUSTER + lane][i % 4] = word;
            }
            self.nodes[cluster * CLUSTER + lane] = *tet;
            self.sources[cluster * CLUSTER + lane] = e as u32;
            for (corner, node) in own.iter().enumerate() {
                around[*node as usize].push((corner * CLUSTER + lane) as u16);
            }
        }
        let mut list: Vec<u16> = Vec::new();
        for (slice, rows) in around.chunks(SLICE).enumerate() {
            // 32 nodes at a time, corner by corner, so that they read side by side.
            let (start, longest) = (list.len(), rows.iter().map(Vec::len).max().unwrap_or(0));
            list.resize(start + SLICE * longest, 0);
            for (i, corners) in rows.iter().enumerate() {
                let node = local.nodes[slice * SLICE + i];
                self.members.push([node, 0, (start + i) as u32 | (corners.len() as u32) << 16]);
                for (k, corner) in corners.iter().enumerate() {
                    list[start + SLICE * k + i] = *corner;
                }
            }
        }
        let words = list.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(*pair.get(1).unwrap_or(&0)) << 16);
        self.corners.extend(words);
        let words = self.corners.len() as u32 - head[3];
        self.heads.push([head[0], head[1] | words << 16, head[2], head[3]]);
        batch.clear();
        local.clear();
    }

    /// Room for the nodes of a cluster: as many as any has, so that all are found without looking at the cluster's head first.
    pub(crate) fn stride(&self) -> usize {
        self.heads.iter().map(|head| head[1] as usize & 0xffff).max().unwrap_or(0).next_multiple_of(SLICE)
    }

    /// Members as kernels read them, [`stride`](Self::stride) vectors per cluster, and heads that point at the first.
    pub(crate) fn in_strides(&self) -> (Vec<[u32; 4]>, Vec<[u32; 4]>) {
        let stride = self.stride();
        let mut members = vec![[NOBODY; 4]; stride * self.heads.len()];
        let mut heads = self.heads.clone();
        for (cluster, (head, own)) in heads.iter_mut().zip(members.chunks_exact_mut(stride.max(1))).enumerate() {
            let first = head[0] as usize;
            let from = &self.members[first..first + (head[1] as usize & 0xffff)];
            own.iter_mut().zip(from).for_each(|(to, &[node, slot, run])| *to = [node, slot, run, 0]);
            head[0] = (stride * cluster) as u32;
        }
        (members, heads)
    }

    /// Gives every member a slot; those of a node lie side by side.
    fn assign_slots(&mut self, nodes: usize) {
        self.slot_offsets = vec![0; nodes + 1];
        for member in &self.members {
            self.slot_offsets[member[0] as usize + 1] += 1;
        }
        for n in 0..nodes {
            self.slot_offsets[n + 1] += self.slot_offsets[n];
        }
        let mut next = self.slot_offsets.clone();
        for member in &mut self.members {
            let slot = &mut next[member[0] as usize];
            member[1] = *slot;
            *slot += 1;
        }
    }
}

/// A tetrahedron of its block, its nodes, and their places in the cluster.
type Member = (u32, [u32; 4], [u8; 4]);

/// Where there are few shapes, as in a lattice (of each eight tetrahedra or more, on average), puts those of a shape side by side: what
/// neighbouring lanes ask for then is side by side too, blocks of the matrix above all. Elsewhere they stay in the order of the curve.
fn sort_by_shape(batch: &mut [Member], table: &TetTable<f32>) {
    let shape = |member: &Member| {
        let gradients = &table.gradients[member.0 as usize];
        let largest = gradients.iter().flat_map(|d| d.0).fold(0.0, |most: f32, x| most.max(x.abs()));
        gradients.map(|d| d.0.map(|x| (8.0 * x / largest).round() as i8))
    };
    let shapes: Vec<_> = batch.iter().map(shape).collect();
    let distinct: std::collections::BTreeSet<_> = shapes.iter().collect();
    if 8 * distinct.len() > batch.len() {
        return;
    }
    let mut sorted: Vec<_> = shapes.into_iter().zip(batch.iter().copied()).collect();
    sorted.sort_by_key(|(shape, _)| *shape);
    batch.iter_mut().zip(sorted).for_each(|(to, (_, member))| *to = member);
}

/// The nodes of the cluster that is being filled.
struct LocalNodes {
    /// The place of each node of the device among them, or none.
    places: Vec<u16>,
    nodes: Vec<u32>,
}

const NONE: u16 = u16::MAX;

impl LocalNodes {
    fn new(nodes: usize) -> Self {
        LocalNodes { places: vec![NONE; nodes], nodes: Vec::with_capacity(CLUSTER) }
    }

    /// Whether the nodes of one more tetrahedron have room.
    fn fits(&self, tet: &[u32; 4]) -> bool {
        let new = tet.iter().filter(|n| self.places[**n as usize] == NONE).count();
        self.nodes.len() + new <= CLUSTER
    }

    fn take(&mut self, tet: &[u32; 4]) -> [u8; 4] {
        tet.map(|n| {
            let place = &mut self.places[n as usize];
            if *place == NONE {
                *place = self.nodes.len() as u16;
                self.nodes.push(n);
            }
            *place as u8
        })
    }

    /// Puts nodes with many corners first: those of one slice then have about as many, and none waits for another.
    fn sort_by_corners(&mut self, batch: &mut [Member]) {
        let mut counts = vec![0_u32; self.nodes.len()];
        batch.iter().flat_map(|(_, _, own)| own).for_each(|node| counts[*node as usize] += 1);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(counts[i]), self.nodes[i]));
        let mut place = vec![0_u8; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new as u8);
        batch.iter_mut().for_each(|(_, _, own)| *own = own.map(|node| place[node as usize]));
        self.nodes = order.iter().map(|&i| self.nodes[i]).collect();
    }

    fn clear(&mut self) {
        for n in self.nodes.drain(..) {
            self.places[n as usize] = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel::math::Vec3;

    #[test]
    fn tetrahedra_of_a_lattice_are_sorted_by_shape_and_others_are_not() {
        let unit = |x: f32| [Vec3([x, 0.0, 0.0]), Vec3([0.0, 1.0, 0.0]), Vec3([0.0, 0.0, 1.0])];
        let order = |first: &dyn Fn(usize) -> f32| {
            let gradients: Vec<_> = (0..64).map(|e| unit(first(e))).collect();
            let table = TetTable { nodes: vec![[0; 4]; 64], gradients, volumes: vec![1.0; 64] };
            let mut batch: Vec<Member> = (0..64).map(|e| (e, [0; 4], [0; 4])).collect();
            sort_by_shape(&mut batch, &table);
            batch.iter().map(|member| member.0).collect::<Vec<u32>>()
        };
        let lattice = order(&|e| if e % 2 == 0 { 1.0 } else { -1.0 });
        let expected: Vec<u32> = (0..64).filter(|e| e % 2 == 1).chain((0..64).filter(|e| e % 2 == 0)).collect();
        assert_eq!(lattice, expected);
        assert_eq!(order(&|e| e as f32 / 64.0), (0..64).collect::<Vec<u32>>());
    }
}
