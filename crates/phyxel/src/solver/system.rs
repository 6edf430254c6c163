//! The matrix of an implicit step, `A = a M + Σ_e tangents`: assembled for meshes, matrix-free for phyxels.

use super::coarse::{Coarse, Fine};
use super::press::Press;
use crate::material::{PackedTangent, Tangent};
use crate::math::cg::{self, CgScratch, LinearReport, Stop, System};
use crate::math::{Bcsr, Direct, FactorError, Factorisation, Mat3, Real, Vec3};
use crate::model::{Held, Model};
use crate::par;
use crate::scene::MassKind;
use crate::stencil::block::{Block, BlockScratch, Stencils};
use crate::stencil::diagonal::Isotropic;
use std::ops::Range;

/// The matrix, its preconditioner and its factors.
pub struct SystemMatrix<R> {
    matrix: Bcsr<R>,
    slots: Vec<Slots>,
    /// Where each off-diagonal mass goes, parallel to the model's list.
    mass_slots: Vec<u32>,
    diagonal: Vec<Mat3<R>>,
    inverse_diagonal: Vec<Mat3<R>>,
    direct: Option<Direct>,
    projectors: Vec<(u32, Mat3<R>)>,
    cg: CgScratch<R>,
    /// Contact among bodies.
    pub press: Press<R>,
    /// What friction on colliders puts on the diagonal.
    pub drags: Vec<(u32, Mat3<R>)>,
    /// Mass and inertia of rigid bodies, whose unknowns stand behind those of the nodes.
    riders: Vec<Mat3<R>>,
    /// Nodes whose preconditioner holds rows of contact, and room for the sums of what these put on the diagonal.
    row_nodes: Vec<u32>,
    row_sums: Vec<Option<Mat3<R>>>,
    coarse: Coarse<R>,
    /// Cracks that still hold: both nodes, and `γ²` times their stiffness.
    holds: Vec<([u32; 2], R)>,
}

/// Relative residual where factors were asked for and cannot be used.
const DIRECT: f64 = 1e-10;

/// For each node of a block's body, the places within its row of the blocks that each element around it touches.
#[derive(Default)]
struct Slots {
    starts: Vec<u32>,
    places: Vec<u16>,
}

/// How the parts of the matrix are scaled.
#[derive(Clone, Copy, Debug)]
pub struct Scales<'a, R> {
    /// Factor of each body's mass.
    pub mass: &'a [R],
    /// Factor of each block's stabilisation.
    pub penalty: &'a [R],
    /// The step's `gamma` [s].
    pub gamma: R,
}

impl<R: Real> SystemMatrix<R> {
    /// The pattern of a model; `direct` asks for a factorisation instead of conjugate gradients.
    pub fn new(model: &Model<R>, direct: Option<Factorisation>) -> Result<Self, FactorError> {
        let assembled = model.blocks.iter().filter(|b| b.is_assembled());
        let elements = assembled.flat_map(|block| (0..block.len()).map(move |e| entry_nodes(block, e)));
        let matrix = Bcsr::pattern(model.node_count(), elements);
        let slots = model.blocks.iter().map(|b| Slots::new(b, model, &matrix)).collect();
        let place = |&(row, column, _): &(u32, u32, R)| {
            let slot = matrix.slot(row as usize, column).expect("masses couple nodes of one element");
            matrix.offsets[row as usize] + slot as u32
        };
        let mass_slots = model.consistent_mass.iter().map(place).collect();
        let direct = direct.map(|kind| Direct::new(&matrix, kind)).transpose()?;
        Ok(SystemMatrix {
            matrix,
            slots,
            mass_slots,
            diagonal: Vec::new(),
            inverse_diagonal: Vec::new(),
            direct,
            projectors: Vec::new(),
            cg: CgScratch::default(),
            press: Press::default(),
            drags: Vec::new(),
            riders: Vec::new(),
            row_nodes: Vec::new(),
            row_sums: Vec::new(),
            coarse: Coarse::default(),
            holds: Vec::new(),
        })
    }

    /// Refills the matrix from the stored tangents, which are those at displacements `u`, in place.
    pub fn refill(
        &mut self,
        model: &Model<R>,
        (u, held): (&[Vec3<R>], &[Held<R>]),
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
    ) {
        let Self { matrix, slots, diagonal, inverse_diagonal, .. } = self;
        let Bcsr { offsets, blocks, diagonal: diagonal_places, .. } = matrix;
        par::rows(blocks, offsets, &|row, run| {
            run.fill(Mat3::zero());
            let body = model.bodies.partition_point(|b| b.nodes.end <= row);
            let own = (diagonal_places[row] - offsets[row]) as usize;
            run[own] = Mat3::scaled_identity(model.masses[row] * scales.mass[body]);
            let local = row - model.bodies[body].nodes.start;
            for (k, block) in model.blocks.iter().enumerate() {
                if block.body == body && block.is_assembled() {
                    slots[k].add_row(block, &scratch[k].tangents, local, run);
                }
            }
        });
        for (&place, &(row, _, mass)) in self.mass_slots.iter().zip(&model.consistent_mass) {
            let body = model.bodies.partition_point(|b| b.nodes.end <= row as usize);
            blocks[place as usize] += Mat3::scaled_identity(mass * scales.mass[body]);
        }
        diagonal.resize(model.node_count(), Mat3::zero());
        par::for_each(diagonal, |i, d| *d = blocks[diagonal_places[i] as usize]);
        for (k, block) in model.blocks.iter().enumerate() {
            if let (Stencils::General(general), false) = (&block.stencils, block.is_assembled()) {
                let BlockScratch { tangents, penalty_factors, isotropic, .. } = &mut scratch[k];
                let strain = block.strain_arguments(u);
                let moduli = |e: usize| Isotropic::like(&tangents[e], strain(e) + Mat3::identity());
                let penalty = block.penalty_modulus * scales.penalty[k];
                general.add_diagonal(moduli, (penalty, penalty_factors), isotropic, diagonal);
            }
        }
        self.holds.clear();
        model.for_each_hold(|nodes, stiffness| {
            let scaled = scales.gamma * scales.gamma * R::of(stiffness);
            self.holds.push((nodes.map(|n| n as u32), scaled));
            nodes.iter().for_each(|n| diagonal[*n] += Mat3::scaled_identity(scaled));
        });
        cg::invert_blocks(diagonal, inverse_diagonal);
        self.row_nodes.clear();
        self.coarse.prepare(&Fine { model, scratch, scales, diagonal, held });
    }

    /// Takes the mass and inertia of rigid bodies, which turn from step to step.
    pub fn set_riders(&mut self, nodes: usize, masses: &[Mat3<R>]) {
        self.riders.clear();
        self.riders.extend_from_slice(masses);
        self.diagonal.truncate(nodes);
        self.diagonal.extend_from_slice(masses);
        self.inverse_diagonal.truncate(nodes);
        self.inverse_diagonal.extend(masses.iter().map(cg::invert_block));
    }

    /// Brings preconditioner and products up to date with the rows of contact.
    pub fn precondition_rows(&mut self) {
        self.press.prepare_products();
        let Self { diagonal, inverse_diagonal, press, drags, row_nodes, row_sums, .. } = self;
        for &n in row_nodes.iter() {
            inverse_diagonal[n as usize] = cg::invert_block(&diagonal[n as usize]);
        }
        row_nodes.clear();
        row_sums.resize(diagonal.len(), None);
        let mut add = |n: usize, block: Mat3<R>| {
            let sum = row_sums[n].get_or_insert_with(|| {
                row_nodes.push(n as u32);
                diagonal[n]
            });
            *sum += block;
        };
        drags.iter().for_each(|(n, block)| add(*n as usize, *block));
        press.add_diagonal(add);
        for &n in row_nodes.iter() {
            if let Some(sum) = row_sums[n as usize].take() {
                inverse_diagonal[n as usize] = cg::invert_block(&sum);
            }
        }
    }

    /// The 3x3 blocks on the diagonal, without contact.
    pub fn diagonal(&self) -> &[Mat3<R>] {
        &self.diagonal
    }

    /// Whether a direct solver is used.
    pub fn is_direct(&self) -> bool {
        self.direct.is_some()
    }

    /// Factors the present matrix with these nodes held.
    pub fn factor(&mut self, held: &[Held<R>]) -> Result<(), FactorError> {
        let Self { matrix, direct, projectors, .. } = self;
        projectors.clear();
        projectors.extend(held.iter().map(|h| (h.node, h.free)));
        direct.as_mut().map_or(Ok(()), |direct| direct.factor(matrix, projectors))
    }

    /// `out = A x − b` after [`SystemMatrix::solve`], held directions included: what holds a node must do to it.
    pub fn reactions(
        &self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        (b, x): (&[Vec3<R>], &[Vec3<R>]),
        out: &mut [Vec3<R>],
    ) {
        match self.cg.left_over() {
            Some(left) => par::for_each(out, |i, out| *out = -left[i]),
            None => {
                self.multiply(model, scratch, scales, x, out);
                par::for_each(out, |i, out| *out -= b[i]);
            }
        }
    }

    /// `out = A x`.
    pub fn multiply(
        &self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        x: &[Vec3<R>],
        out: &mut [Vec3<R>],
    ) {
        let (nodes, riders) = x.split_at(model.node_count());
        let (soft, rigid) = out.split_at_mut(nodes.len());
        self.multiply_bodies(model, scratch, scales, nodes, soft);
        self.add_holds(x, R::of(-1.0), soft);
        for ((out, mass), x) in rigid.iter_mut().zip(&self.riders).zip(riders) {
            *out = *mass * *x;
        }
        self.drags.iter().for_each(|(n, block)| out[*n as usize] += *block * x[*n as usize]);
        self.press.add_product(x, out);
    }

    /// Adds to `out`, `scale` times, what cracks that still hold do where nodes move apart by `x`.
    pub fn add_holds(&self, x: &[Vec3<R>], scale: R, out: &mut [Vec3<R>]) {
        for &([a, b], stiffness) in &self.holds {
            let pull = (x[b as usize] - x[a as usize]) * (stiffness * scale);
            out[a as usize] += pull;
            out[b as usize] -= pull;
        }
    }

    /// What cracks that still hold have stored where nodes move apart by `x`.
    pub fn stored_in_holds(&self, x: &[Vec3<R>]) -> f64 {
        let stored =
            |&([a, b], k): &([u32; 2], R)| 0.5 * (x[b as usize] - x[a as usize]).norm_squared().to_f64() * k.to_f64();
        self.holds.iter().map(stored).sum()
    }

    fn multiply_bodies(
        &self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        x: &[Vec3<R>],
        out: &mut [Vec3<R>],
    ) {
        self.matrix.multiply(x, out);
        let mut others = false;
        for (k, (block, scratch)) in model.blocks.iter().zip(&mut *scratch).enumerate() {
            let added =
                block.is_assembled() || block.add_product_of_kernel(&model.rest, x, scales.penalty[k], scratch, out);
            others |= !added;
        }
        if !others {
            return;
        }
        // Other blocks subtract their product: turn the sign before and after.
        par::for_each(out, |_, out| *out = -*out);
        for (k, (block, scratch)) in model.blocks.iter().zip(scratch).enumerate() {
            if !block.is_assembled() && !scratch.is_of_kernel() {
                block.add_product(&model.rest, x, scales.penalty[k], scratch, out);
            }
        }
        par::for_each(out, |_, out| *out = -*out);
    }

    /// Solves `A x = b` with the held directions of `x` given.
    pub fn solve(
        &mut self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        held: &[Held<R>],
        (b, x): (&[Vec3<R>], &mut [Vec3<R>]),
        stop: Stop,
    ) -> LinearReport {
        let mut work = std::mem::take(&mut self.cg);
        let report = if self.direct.is_some() && self.press.is_empty() && self.drags.is_empty() && self.holds.is_empty()
        {
            work.forget();
            self.solve_directly(model, scratch, scales, held, (b, x), &mut work)
        } else {
            // Who asked for factors wants their exactness, even where friction leaves no time for them.
            let tolerance = if self.direct.is_some() { stop.tolerance.min(DIRECT) } else { stop.tolerance };
            let stop = Stop { tolerance, ..stop };
            let mut coarse = std::mem::take(&mut self.coarse);
            let mut system = Bound { matrix: self, coarse: &mut coarse, model, scratch, scales, held };
            let report = cg::solve(&mut system, b, x, &mut work, stop);
            self.coarse = coarse;
            report
        };
        self.cg = work;
        report
    }

    /// Gives each body that nothing holds the velocity with which it falls as a whole, which conjugate gradients find last of
    /// all. Returns what the residual was before, or `|b|` where that is less: solving needs not be more exact for a better start.
    pub fn drop_free_bodies(
        &mut self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        held: &[Held<R>],
        b: &[Vec3<R>],
        [x, r]: [&mut [Vec3<R>]; 2],
    ) -> f64 {
        if !model.ties.is_empty() {
            return 0.0;
        }
        let mut busy = self.press.take_busy(model.bodies.len().max(1));
        held.iter().for_each(|h| busy[model.body_index(h.node as usize)] = true);
        for (k, body) in model.bodies.iter().enumerate() {
            busy[k] |= scales.mass[k] <= R::zero() || body.mass == MassKind::Consistent || model.is_united(k);
        }
        if busy.iter().all(|b| *b) {
            self.press.give_back_busy(busy);
            return 0.0;
        }
        let start = self.residual(model, scratch, scales, held, (b, x), r);
        for (k, body) in model.bodies.iter().enumerate().filter(|(k, _)| !busy[*k]) {
            let add = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|i| a[i] + b[i]);
            let part = |nodes: Range<usize>| {
                nodes.fold([0.0; 4], |sum, i| {
                    let [x, y, z] = r[i].to_f64();
                    add(sum, [x, y, z, model.masses[i].to_f64()])
                })
            };
            let [px, py, pz, mass] = par::fold_ranges(body.nodes.clone(), &part, &add);
            let gain: Vec3<R> = Vec3::of([px, py, pz].map(|p| p / (mass * scales.mass[k].to_f64())));
            x[body.nodes.clone()].iter_mut().for_each(|x| *x += gain);
        }
        self.press.give_back_busy(busy);
        start.min(cg::norm(b))
    }

    fn solve_directly(
        &mut self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        held: &[Held<R>],
        (b, x): (&[Vec3<R>], &mut [Vec3<R>]),
        work: &mut CgScratch<R>,
    ) -> LinearReport {
        let r = work.residual(b.len());
        let start = self.residual(model, scratch, scales, held, (b, x), r);
        let reference = start.max(cg::norm(b) * R::EPSILON.to_f64() * 4.0);
        if start == 0.0 {
            return LinearReport { converged: true, reference, ..Default::default() };
        }
        let (nodes, riders) = r.split_at_mut(model.node_count());
        if let Some(direct) = &mut self.direct {
            direct.solve(nodes);
        }
        riders.iter_mut().zip(&self.riders).for_each(|(r, mass)| *r = cg::invert_block(mass) * *r);
        filter(held, r);
        par::for_each(x, |i, x| *x += r[i]);
        let residual = self.residual(model, scratch, scales, held, (b, x), r) / reference;
        LinearReport { iterations: 1, residual, reference, converged: residual < 1e-3 }
    }

    /// Sets `r` to `b − A x` in the free directions and returns its length.
    fn residual(
        &self,
        model: &Model<R>,
        scratch: &mut [BlockScratch<R>],
        scales: Scales<'_, R>,
        held: &[Held<R>],
        (b, x): (&[Vec3<R>], &[Vec3<R>]),
        r: &mut [Vec3<R>],
    ) -> f64 {
        self.multiply(model, scratch, scales, x, r);
        par::for_each(r, |i, r| *r = b[i] - *r);
        filter(held, r);
        cg::norm(r)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let slots: usize = self.slots.iter().map(|s| 4 * s.starts.len() + 2 * s.places.len()).sum();
        let vectors = size_of::<Mat3<R>>() * (self.diagonal.len() + self.inverse_diagonal.len())
            + 4 * size_of::<Vec3<R>>() * self.diagonal.len();
        self.matrix.memory_bytes()
            + self.coarse.memory_bytes()
            + slots
            + vectors
            + self.direct.as_ref().map_or(0, Direct::memory_bytes)
    }
}

/// The nodes of an element.
enum EntryNodes<'a> {
    Tet([u32; 4]),
    General(&'a [u32]),
}

impl AsRef<[u32]> for EntryNodes<'_> {
    fn as_ref(&self) -> &[u32] {
        match self {
            EntryNodes::Tet(nodes) => nodes,
            EntryNodes::General(nodes) => nodes,
        }
    }
}

fn entry_nodes<R: Real>(block: &Block<R>, e: usize) -> EntryNodes<'_> {
    match &block.stencils {
        Stencils::Tets(t) => EntryNodes::Tet(t.nodes_of(e)),
        Stencils::General(g) => EntryNodes::General(&g.table.nodes[g.entries(e)]),
    }
}

/// Removes the held directions of `v`.
pub fn filter<R: Real>(held: &[Held<R>], v: &mut [Vec3<R>]) {
    for h in held {
        v[h.node as usize] = h.free * v[h.node as usize];
    }
}

impl Slots {
    fn new<R: Real>(block: &Block<R>, model: &Model<R>, matrix: &Bcsr<R>) -> Self {
        let mut slots = Slots { starts: vec![0], places: Vec::new() };
        if !block.is_assembled() {
            return slots;
        }
        for row in model.bodies[block.body].nodes.clone() {
            around(block, row - model.bodies[block.body].nodes.start, |e, _| {
                for &column in entry_nodes(block, e).as_ref() {
                    slots.places.push(matrix.slot(row, column).expect("nodes of one element are coupled") as u16);
                }
            });
            slots.starts.push(slots.places.len() as u32);
        }
        slots
    }

    /// Adds the block's part of one row.
    fn add_row<R: Real>(&self, block: &Block<R>, tangents: &[PackedTangent<R>], local: usize, row: &mut [Mat3<R>]) {
        let mut next = self.starts[local] as usize;
        around(block, local, |e, k| {
            block.with_entries(e, |nodes, weights| {
                let left = tangents[e].contract_left(weights[k]);
                for (&place, &d) in self.places[next..next + nodes.len()].iter().zip(weights) {
                    row[place as usize] += Tangent::contract_right(&left, d);
                }
                next += nodes.len();
            });
        });
    }
}

fn around<R: Real>(block: &Block<R>, local: usize, mut f: impl FnMut(usize, usize)) {
    match &block.stencils {
        Stencils::Tets(t) => t.around(local).for_each(|(e, k)| f(e, k)),
        Stencils::General(g) => g.around(local).for_each(|(e, k)| f(e, k)),
    }
}

/// The matrix together with what its products need, as conjugate gradients see it.
struct Bound<'a, R: Real> {
    matrix: &'a SystemMatrix<R>,
    coarse: &'a mut Coarse<R>,
    model: &'a Model<R>,
    scratch: &'a mut [BlockScratch<R>],
    scales: Scales<'a, R>,
    held: &'a [Held<R>],
}

impl<R: Real> System<R> for Bound<'_, R> {
    fn multiply(&mut self, x: &[Vec3<R>], out: &mut [Vec3<R>]) {
        self.matrix.multiply(self.model, self.scratch, self.scales, x, out);
    }
    fn precondition(&self, node: usize, r: Vec3<R>) -> Vec3<R> {
        self.matrix.inverse_diagonal[node] * r
    }
    fn correct(&mut self, r: &[Vec3<R>], z: &mut [Vec3<R>]) -> f64 {
        // The grid knows nothing of rows between bodies: what it moves, they would stop.
        if self.matrix.press.is_empty() { self.coarse.correct(r, z) } else { 0.0 }
    }
    fn follow(&self, q: &[Vec3<R>], alpha: R, whole: &mut [Vec3<R>]) {
        self.held.iter().map(|h| h.node as usize).for_each(|n| whole[n] -= q[n] * alpha);
    }
    fn copy_held(&self, from: &[Vec3<R>], to: &mut [Vec3<R>]) {
        self.held.iter().map(|h| h.node as usize).for_each(|n| to[n] = from[n]);
    }
    fn filter(&self, v: &mut [Vec3<R>]) {
        filter(self.held, v);
    }
}
