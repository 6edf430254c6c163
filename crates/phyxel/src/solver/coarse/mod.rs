//! A second level for the preconditioner of phyxels: what moves many nodes alike is solved on a coarse grid.
//!
//! Blocks on the diagonal know how a node moves against its neighbours. Where a step carries a wave across many spacings,
//! that leaves the long waves to conjugate gradients, one spacing per iteration. Here they are found at once: the same solid
//! on trilinear cells of a few spacings, one point of integration per phyxel, factored once per step; the answer is added
//! to that of the blocks (an additive two-level Schwarz method). Trilinear fields hold all linear ones, so bodies and limbs
//! that turn are found too.

mod cells;

use super::system::Scales;
use crate::math::{Bcsr, Direct, Factorisation, Mat3, Real, Vec3, polar_rotation};
use crate::model::{Held, Model};
use crate::par;
use crate::stencil::block::{Block, BlockScratch, Stencils};
use crate::stencil::diagonal::Isotropic;
use cells::{Cells, Covered};

/// Edge of a cell in spacings.
const EDGE: f64 = 4.0;
/// Most cells: factors of many more would take longer than iterations.
const MOST_CELLS: f64 = 1000.0;
/// Fewest phyxels of a body that is worth a grid: the iterations that it saves smaller ones take less time than its factors.
const FEWEST: usize = 1000;
/// From which ratio of a node's stiffness to its mass on long waves are slow.
const STIFF: f64 = 12.0;
/// How much stiffer held nodes are than the diagonal says: what moves them would be cut off at them, which takes more energy
/// than the grid knows of.
const HELD: f64 = 1e4;
/// Part of the mean diagonal that corners have at least: some have hardly a node in their cells.
const LEAST: f64 = 1e-5;

/// The coarse grid, its factors, and room for a correction.
#[derive(Default)]
pub struct Coarse<R> {
    /// Which blocks and stencils the cells were made for, and which they are needed for.
    of: Vec<(usize, u64)>,
    wanted: Vec<(usize, u64)>,
    cells: Cells<R>,
    matrix: Bcsr<R>,
    direct: Option<Direct>,
    /// The factors are those of the present matrix.
    valid: bool,
    parts: Vec<[[Mat3<R>; 8]; 8]>,
    sums: Vec<[Vec3<R>; 8]>,
    load: Vec<Vec3<R>>,
    answer: Vec<Vec3<R>>,
}

/// The fine matrix, of which the coarse one is made.
pub struct Fine<'a, R: Real> {
    /// The model.
    pub model: &'a Model<R>,
    /// Moduli of every element.
    pub scratch: &'a [BlockScratch<R>],
    /// How the parts are scaled.
    pub scales: Scales<'a, R>,
    /// Blocks on the diagonal.
    pub diagonal: &'a [Mat3<R>],
    /// Nodes that do not move freely, ascending.
    pub held: &'a [Held<R>],
}

impl<R: Real> Fine<'_, R> {
    /// Whether long waves are slow in a block of phyxels.
    fn is_slow(&self, block: &Block<R>) -> bool {
        let body = &self.model.bodies[block.body];
        let alone = !self.model.is_united(block.body);
        if block.is_assembled() || !alone || block.len() != body.nodes.len() || block.len() < FEWEST {
            return false;
        }
        let mass = self.scales.mass[block.body].to_f64();
        let ratio = |n: usize| self.diagonal[n].trace().to_f64() / (3.0 * mass * self.model.masses[n].to_f64());
        let first = body.nodes.start;
        par::sum(body.nodes.len(), |i| ratio(first + i).min(1e9)) > STIFF * body.nodes.len() as f64
    }

    /// Stiffness and mass of one phyxel between the corners of its cell. Cells lie in the reference, where the phyxel may have a
    /// deformation already, of which `back` is the inverse: what turns the cell's gradients is what has happened since. A body
    /// that has fallen over would have its stiffness in the wrong directions otherwise.
    fn add_phyxel(
        &self,
        cells: &Cells<R>,
        node: usize,
        (isotropic, back): (&Isotropic<R>, Option<&Mat3<R>>),
        part: &mut [[Mat3<R>; 8]; 8],
    ) {
        let body = self.model.body_index(node);
        let mass = self.model.masses[node] * self.scales.mass[body];
        let (shares, gradients) = (cells.shares(node), cells.gradients(node));
        let Isotropic { shear, along, turn } = *isotropic;
        let size = turn.contract(&turn) * R::of(1.0 / 3.0);
        let since = back.map_or(turn, |back| turn * *back);
        let (rotation, lame) = (polar_rotation(&since), (along * size - shear).max(R::zero()));
        let turned = gradients.map(|g| rotation * g);
        let held = self.held.binary_search_by_key(&(node as u32), |h| h.node).ok();
        let stiff = R::of(HELD / 3.0) * self.diagonal[node].trace();
        let grip = held.map(|k| (Mat3::identity() - self.held[k].free) * stiff);
        for a in 0..8 {
            for b in 0..=a {
                let both = shares[a] * shares[b];
                let mut block = Mat3::scaled_identity(shear * gradients[a].dot(gradients[b]) + mass * both)
                    + Mat3::outer(turned[a] * lame, turned[b])
                    + Mat3::outer(turned[b] * shear, turned[a]);
                if let Some(grip) = grip {
                    block += grip * both;
                }
                part[a][b] += block;
            }
        }
    }
}

impl<R: Real> Coarse<R> {
    /// Makes the coarse matrix of the present fine one, and its factors; none where it is not worth it.
    pub fn prepare(&mut self, fine: &Fine<'_, R>) {
        self.valid = false;
        self.wanted.clear();
        for (k, block) in fine.model.blocks.iter().enumerate().filter(|(_, block)| fine.is_slow(block)) {
            if let Stencils::General(general) = &block.stencils {
                self.wanted.push((k, general.id()));
            }
        }
        if self.wanted.is_empty() {
            return;
        }
        if self.of != self.wanted {
            self.cover(fine.model);
        }
        let Self { of, cells, parts, matrix, direct, .. } = self;
        let moduli_of = |node: usize| {
            let body = fine.model.body_index(node);
            let (k, _) = of.iter().find(|(k, _)| fine.model.blocks[*k].body == body)?;
            let local = node - fine.model.bodies[body].nodes.start;
            let back = match &fine.model.blocks[*k].stencils {
                Stencils::General(general) => general.base_inverse.get(local),
                Stencils::Tets(_) => None,
            };
            Some((fine.scratch[*k].isotropic.get(local)?, back))
        };
        parts.resize(cells.corners.len(), [[Mat3::zero(); 8]; 8]);
        par::chunks(parts, 4, |start, chunk| {
            for (i, part) in chunk.iter_mut().enumerate() {
                *part = [[Mat3::zero(); 8]; 8];
                for n in cells.nodes(start + i) {
                    if let Some(moduli) = moduli_of(n) {
                        fine.add_phyxel(cells, n, moduli, part);
                    }
                }
            }
        });
        assemble(cells, parts, matrix);
        self.valid = direct.as_mut().is_some_and(|direct| direct.factor(matrix, &[]).is_ok());
    }

    fn cover(&mut self, model: &Model<R>) {
        self.of.clone_from(&self.wanted);
        let blocks = self.of.iter().map(|(k, _)| &model.blocks[*k]);
        let all: usize = blocks.clone().map(Block::len).sum();
        let edge = EDGE.max((all as f64 / MOST_CELLS).cbrt());
        let bodies = blocks.map(|block| {
            let volume: f64 = block.volumes().iter().map(|v| v.to_f64()).sum();
            let edge = edge * (volume / block.len() as f64).cbrt();
            Covered { nodes: model.bodies[block.body].nodes.clone(), edge }
        });
        self.cells = Cells::new(&model.rest, &bodies.collect::<Vec<_>>());
        let corners = self.cells.corner_count();
        self.matrix = Bcsr::pattern(corners, self.cells.corners.iter().map(|c| &c[..]));
        self.direct = Direct::new(&self.matrix, Factorisation::Cholesky).ok();
        self.load.resize(corners, Vec3::zero());
        self.answer.resize(corners, Vec3::zero());
    }

    /// Adds the correction `P A_c⁻¹ Pᵀ r` to `z`; returns what that adds to `r · z`.
    pub fn correct(&mut self, r: &[Vec3<R>], z: &mut [Vec3<R>]) -> f64 {
        let Self { cells, direct, valid, sums, load, answer, .. } = self;
        let (true, Some(direct)) = (*valid, direct) else { return 0.0 };
        cells.collect(r, sums, load);
        answer.copy_from_slice(load);
        direct.solve(answer);
        cells.spread(answer, z);
        crate::math::cg::dot(load, answer)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes()
            + self.matrix.memory_bytes()
            + size_of_val(&self.parts[..])
            + size_of_val(&self.sums[..])
            + self.direct.as_ref().map_or(0, Direct::memory_bytes)
    }
}

/// Puts the parts of all cells together.
fn assemble<R: Real>(cells: &Cells<R>, parts: &[[[Mat3<R>; 8]; 8]], matrix: &mut Bcsr<R>) {
    let Bcsr { offsets, columns, blocks, diagonal } = matrix;
    par::rows(blocks, offsets, &|row, run| {
        run.fill(Mat3::zero());
        let columns = &columns[offsets[row] as usize..offsets[row + 1] as usize];
        for (cell, a) in cells.around(row) {
            let part = &parts[cell];
            for (b, column) in cells.corners[cell].iter().enumerate() {
                let block = if b <= a { part[a][b] } else { part[b][a].transpose() };
                if let Ok(place) = columns.binary_search(column) {
                    run[place] += block;
                }
            }
        }
    });
    let sum: f64 = diagonal.iter().map(|&k| blocks[k as usize].trace().to_f64()).sum();
    let least = Mat3::scaled_identity(R::of(LEAST * sum / (3.0 * diagonal.len().max(1) as f64)));
    diagonal.iter().for_each(|&k| blocks[k as usize] += least);
}
