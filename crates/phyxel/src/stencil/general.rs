//! Stencils of any number of nodes: smoothed tetrahedra, phyxels, springs.

use super::StencilTable;
use super::incidence::Incidence;
use crate::math::{Lanes, Mat3, Real, Scalar, Vec3};
use crate::par;
use std::ops::Range;

/// Elements per task.
const TASK: usize = 128;

/// Stencils with their transposed copy, from which nodes gather.
#[derive(Clone, Debug)]
pub struct General<R> {
    /// Entries element by element, over the nodes of the whole model.
    pub table: StencilTable<R>,
    /// Part of the gradient that does not come from displacements, per element: `F₀ − I`, or `F₀` for fibres;
    /// empty when it is zero.
    pub base: Vec<Mat3<R>>,
    /// `F₀⁻¹` per element for updated-Lagrangian phyxels; empty when `F₀ = I`.
    pub base_inverse: Vec<Mat3<R>>,
    /// Elastic deformation gradient of each updated-Lagrangian phyxel; empty for everything else.
    pub elastic: Vec<Mat3<R>>,
    /// Whether products go through a matrix; phyxels couple too many nodes for that.
    pub assembled: bool,
    transposed: Transposed<R>,
}

/// The table again, node by node, so that the gather reads memory in order.
#[derive(Clone, Debug, Default)]
struct Transposed<R> {
    incidence: Incidence,
    elements: Vec<u32>,
    weights: Vec<Vec3<R>>,
    penalties: Vec<R>,
    element_of_entry: Vec<u32>,
}

/// Four numbers side by side: a vector of three and a spare, so that one instruction works on all of it.
type Quad<R> = Lanes<R, 4>;
/// A 3x3 matrix by columns, each padded to four.
type Columns<R> = [Quad<R>; 3];

/// Room for one pass over the elements.
#[derive(Clone, Debug, Default)]
pub struct GeneralScratch<R> {
    field: Vec<Quad<R>>,
    rest: Vec<Quad<R>>,
    stresses: Vec<Columns<R>>,
    /// With penalties: the gradient of each element.
    gradients: Vec<Columns<R>>,
    /// With penalties: the sum of the penalty forces on the centre of each element.
    pulls: Vec<Quad<R>>,
}

impl<R: Real> GeneralScratch<R> {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.field[..])
            + size_of_val(&self.rest[..])
            + size_of_val(&self.stresses[..])
            + size_of_val(&self.gradients[..])
            + size_of_val(&self.pulls[..])
    }
}

/// The penalty of one element, per modulus: energy, and what its slopes are made of.
#[derive(Clone, Copy, Debug)]
pub struct PenaltySlopes<R> {
    /// `½ Σ c |r|²`.
    pub energy: R,
    g: Mat3<R>,
    pull: Vec3<R>,
    moment: Mat3<R>,
}

impl<R: Real> PenaltySlopes<R> {
    /// Derivative of the energy by the displacement of entry `k`, which is now at `at`, the centre being at `center`.
    pub fn slope(
        &self,
        stencils: &General<R>,
        e: usize,
        rest: &[Vec3<R>],
        (k, at, center): (usize, Vec3<R>, Vec3<R>),
    ) -> Vec3<R> {
        let first = stencils.table.offsets[e] as usize;
        let through_gradient = self.moment * stencils.table.weights[first + k];
        if k == 0 {
            return -self.pull - through_gradient;
        }
        let nodes = &stencils.table.nodes;
        let x = stencils.offset(e, rest, nodes[first] as usize, nodes[first + k] as usize);
        (at - center - self.g * x) * stencils.table.penalties[first + k] - through_gradient
    }
}

impl<R: Real> General<R> {
    /// Stencils over `nodes` of the model.
    pub fn new(table: StencilTable<R>, nodes: Range<usize>, assembled: bool) -> Self {
        let transposed = Transposed { incidence: Incidence::new(&[], nodes), ..Default::default() };
        let mut general =
            General { table, base: Vec::new(), base_inverse: Vec::new(), elastic: Vec::new(), assembled, transposed };
        general.table_changed();
        general
    }

    /// Brings the transposed copy up to date after a change of the table.
    pub fn table_changed(&mut self) {
        let (table, t) = (&self.table, &mut self.transposed);
        t.incidence.rebuild(&table.nodes);
        t.element_of_entry.clear();
        for e in 0..table.volumes.len() {
            t.element_of_entry.resize(table.offsets[e + 1] as usize, e as u32);
        }
        let entries = t.incidence.entries();
        t.elements.clear();
        t.elements.extend(entries.iter().map(|&k| t.element_of_entry[k as usize]));
        t.weights.clear();
        t.weights.extend(entries.iter().map(|&k| table.weights[k as usize]));
        t.penalties.clear();
        if !table.penalties.is_empty() {
            t.penalties.extend(entries.iter().map(|&k| table.penalties[k as usize]));
        }
    }

    /// Makes the elastic deformation the part of the gradient that does not come from displacements.
    pub fn rebase(&mut self) {
        let elastic = &self.elastic;
        self.base.resize(elastic.len(), Mat3::zero());
        par::for_each(&mut self.base, |e, base| *base = elastic[e] - Mat3::identity());
        self.base_inverse.resize(elastic.len(), Mat3::zero());
        par::for_each(&mut self.base_inverse, |e, inverse| {
            *inverse = elastic[e].inverse().unwrap_or(Mat3::identity());
        });
    }

    /// Remembers the deformation at displacements `u` as elastic deformation.
    pub fn note_deformation(&mut self, u: &[Vec3<R>]) {
        let mut elastic = std::mem::take(&mut self.elastic);
        let this = &*self;
        par::for_each(&mut elastic, |e, f| *f = this.gradient(e, u) + this.base(e) + Mat3::identity());
        self.elastic = elastic;
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.table.volumes.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries of an element.
    #[inline(always)]
    pub fn entries(&self, e: usize) -> Range<usize> {
        self.table.offsets[e] as usize..self.table.offsets[e + 1] as usize
    }

    /// `Σ_k p_k ⊗ d_k`, from differences to the first entry: the weights sum to zero, and a common motion of all nodes
    /// must not cost digits.
    #[inline(always)]
    pub fn gradient(&self, e: usize, field: &[Vec3<R>]) -> Mat3<R> {
        let range = self.entries(e);
        let (nodes, weights) = (&self.table.nodes[range.clone()], &self.table.weights[range]);
        let center = field[nodes[0] as usize];
        let mut g = Mat3::zero();
        for (&node, &d) in nodes.iter().zip(weights).skip(1) {
            g += Mat3::outer(field[node as usize] - center, d);
        }
        g
    }

    /// The part of the gradient that does not come from displacements.
    #[inline(always)]
    pub fn base(&self, e: usize) -> Mat3<R> {
        if self.base.is_empty() { Mat3::zero() } else { self.base[e] }
    }

    /// The rest offset of a neighbour from the centre of an element.
    #[inline(always)]
    fn offset(&self, e: usize, rest: &[Vec3<R>], center: usize, node: usize) -> Vec3<R> {
        let x = rest[node] - rest[center];
        if self.base_inverse.is_empty() { x } else { self.base_inverse[e] * x }
    }

    /// `out_k −= Σ_e S_e d_k` with `S_e = stress(e, Σ p ⊗ d)`, and the penalty forces of the same field with the
    /// given modulus [Pa].
    pub fn accumulate(
        &self,
        (rest, penalty): (&[Vec3<R>], R),
        field: &[Vec3<R>],
        scratch: &mut GeneralScratch<R>,
        out: &mut [Vec3<R>],
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        let nodes = self.transposed.incidence.nodes();
        par::for_each(&mut scratch.field, |i, quad| *quad = pad(field[nodes.start + i]));
        if self.table.penalties.is_empty() {
            self.element_pass(scratch, stress);
            self.gather(scratch, out);
        } else {
            par::for_each(&mut scratch.rest, |i, quad| *quad = pad(rest[nodes.start + i]));
            self.element_pass_with_penalty(penalty, scratch, stress);
            self.gather_with_penalty(penalty, scratch, out);
        }
    }

    fn element_pass(&self, scratch: &mut GeneralScratch<R>, stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync) {
        let GeneralScratch { field, stresses, .. } = scratch;
        let arch = pulp::Arch::new();
        par::chunks(stresses, TASK, |start, chunk| {
            arch.dispatch(
                #[inline(always)]
                || {
                    for (i, s) in chunk.iter_mut().enumerate() {
                        let g = self.gradient_columns(start + i, field);
                        *s = columns(&stress(start + i, matrix(&g)));
                    }
                },
            );
        });
    }

    fn element_pass_with_penalty(
        &self,
        modulus: R,
        scratch: &mut GeneralScratch<R>,
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        let GeneralScratch { field, rest, stresses, gradients, pulls } = scratch;
        let arch = pulp::Arch::new();
        par::chunks3((stresses, gradients, pulls), TASK, |start, stresses, gradients, pulls| {
            arch.dispatch(
                #[inline(always)]
                || {
                    for (i, s) in stresses.iter_mut().enumerate() {
                        let e = start + i;
                        let g = self.gradient_columns(e, field);
                        let (pull, moment) = self.penalty(e, modulus, (rest, field), &g);
                        let elastic = columns(&stress(e, matrix(&g)));
                        *s = std::array::from_fn(|c| elastic[c] - moment[c]);
                        gradients[i] = g;
                        pulls[i] = pull;
                    }
                },
            );
        });
    }

    /// [`General::gradient`] over padded vectors, which start at the body's first node.
    #[inline(always)]
    fn gradient_columns(&self, e: usize, field: &[Quad<R>]) -> Columns<R> {
        let range = self.entries(e);
        let first = self.transposed.incidence.nodes().start;
        let (nodes, weights) = (&self.table.nodes[range.clone()], &self.table.weights[range]);
        let center = field[nodes[0] as usize - first];
        let mut g = [Quad::zero(); 3];
        for (&node, &d) in nodes.iter().zip(weights).skip(1) {
            let difference = field[node as usize - first] - center;
            for c in 0..3 {
                g[c] += difference * Lanes([d.0[c]; 4]);
            }
        }
        g
    }

    /// `Σ_j t_j` and `Σ_j t_j ⊗ X_j` of the penalty forces `t_j = c_j (u_j − u_i − G X_j)` (ARCHITECTURE, phyxels).
    #[inline(always)]
    fn penalty(
        &self,
        e: usize,
        modulus: R,
        (rest, field): (&[Quad<R>], &[Quad<R>]),
        g: &Columns<R>,
    ) -> (Quad<R>, Columns<R>) {
        let range = self.entries(e);
        let first = self.transposed.incidence.nodes().start;
        let center = self.table.nodes[range.start] as usize - first;
        let (mut pull, mut moment) = (Quad::zero(), [Quad::zero(); 3]);
        for k in range.skip(1) {
            let node = self.table.nodes[k] as usize - first;
            let x = self.padded_offset(e, rest[node] - rest[center]);
            let stretched = times(g, x);
            let t = (field[node] - field[center] - stretched) * Lanes([modulus * self.table.penalties[k]; 4]);
            pull += t;
            for c in 0..3 {
                moment[c] += t * Lanes([x.0[c]; 4]);
            }
        }
        (pull, moment)
    }

    /// [`General::offset`] of a padded difference of rest positions.
    #[inline(always)]
    fn padded_offset(&self, e: usize, x: Quad<R>) -> Quad<R> {
        if self.base_inverse.is_empty() { x } else { pad(self.base_inverse[e] * Vec3([x.0[0], x.0[1], x.0[2]])) }
    }

    /// Energy of the penalty per modulus, `½ Σ_j c_j |u_j − u_i − G X_j|²` [m³].
    pub fn penalty_energy(&self, e: usize, rest: &[Vec3<R>], field: &[Vec3<R>], g: Mat3<R>) -> R {
        if self.table.penalties.is_empty() {
            return R::zero();
        }
        let range = self.entries(e);
        let center = self.table.nodes[range.start] as usize;
        let mut energy = R::zero();
        for k in range.skip(1) {
            let node = self.table.nodes[k] as usize;
            let residual = field[node] - field[center] - g * self.offset(e, rest, center, node);
            energy += residual.norm_squared() * self.table.penalties[k];
        }
        energy * R::of(0.5)
    }

    /// What position-based methods need of the penalty: its energy per modulus, and its slopes.
    pub fn penalty_slopes(
        &self,
        e: usize,
        rest: &[Vec3<R>],
        g: Mat3<R>,
        at: impl Fn(usize) -> Vec3<R>,
    ) -> PenaltySlopes<R> {
        let mut slopes = PenaltySlopes { energy: R::zero(), g, pull: Vec3::zero(), moment: Mat3::zero() };
        if self.table.penalties.is_empty() {
            return slopes;
        }
        let range = self.entries(e);
        let center = self.table.nodes[range.start] as usize;
        for (k, entry) in range.enumerate().skip(1) {
            let x = self.offset(e, rest, center, self.table.nodes[entry] as usize);
            let residual = at(k) - at(0) - g * x;
            let t = residual * self.table.penalties[entry];
            slopes.energy += residual.dot(t) * R::of(0.5);
            slopes.pull += t;
            slopes.moment += Mat3::outer(t, x);
        }
        slopes
    }

    fn gather(&self, scratch: &GeneralScratch<R>, out: &mut [Vec3<R>]) {
        let t = &self.transposed;
        let arch = pulp::Arch::new();
        par::chunks(&mut out[t.incidence.nodes()], TASK, |start, chunk| {
            arch.dispatch(
                #[inline(always)]
                || {
                    for (i, value) in chunk.iter_mut().enumerate() {
                        let run = t.incidence.run(start + i);
                        let mut sum = Quad::zero();
                        for (&e, &d) in t.elements[run.clone()].iter().zip(&t.weights[run]) {
                            sum += times(&scratch.stresses[e as usize], pad(d));
                        }
                        *value -= unpad(sum);
                    }
                },
            );
        });
    }

    fn gather_with_penalty(&self, modulus: R, scratch: &GeneralScratch<R>, out: &mut [Vec3<R>]) {
        let t = &self.transposed;
        let GeneralScratch { field, rest, stresses, gradients, pulls } = scratch;
        let arch = pulp::Arch::new();
        par::chunks(&mut out[t.incidence.nodes()], TASK, |start, chunk| {
            arch.dispatch(
                #[inline(always)]
                || {
                    for (i, value) in chunk.iter_mut().enumerate() {
                        // Phyxel `node` is the centre of element `node`; its own entry has no penalty.
                        let node = start + i;
                        let mut sum = -pulls[node];
                        for k in t.incidence.run(node) {
                            let e = t.elements[k] as usize;
                            let x = self.padded_offset(e, rest[node] - rest[e]);
                            let residual = field[node] - field[e] - times(&gradients[e], x);
                            sum += times(&stresses[e], pad(t.weights[k]));
                            sum += residual * Lanes([modulus * t.penalties[k]; 4]);
                        }
                        *value -= unpad(sum);
                    }
                },
            );
        });
    }

    /// Adds the 3x3 diagonal block of every node: `Σ_e d_k · C_e · d_k` plus the penalty's share.
    ///
    /// The penalty also couples through `G`; only its direct springs are counted here, which is what a
    /// preconditioner needs.
    pub fn add_diagonal(&self, block: impl Fn(usize, Vec3<R>) -> Mat3<R> + Sync, penalty: R, out: &mut [Mat3<R>]) {
        let t = &self.transposed;
        let nodes = t.incidence.nodes();
        par::chunks(&mut out[nodes], 64, |start, chunk| {
            for (i, value) in chunk.iter_mut().enumerate() {
                for k in t.incidence.run(start + i) {
                    *value += block(t.elements[k] as usize, t.weights[k]);
                    if !t.penalties.is_empty() {
                        let e = t.elements[k] as usize;
                        let own = e == start + i;
                        let c = if own { self.penalty_sum(e) } else { t.penalties[k] };
                        *value += Mat3::scaled_identity(c * penalty);
                    }
                }
            }
        });
    }

    fn penalty_sum(&self, e: usize) -> R {
        self.table.penalties[self.entries(e)].iter().fold(R::zero(), |a, &c| a + c)
    }

    /// Makes `scratch` large enough; does nothing when it already is.
    pub fn prepare(&self, scratch: &mut GeneralScratch<R>) {
        let nodes = self.transposed.incidence.nodes().len();
        scratch.field.resize(nodes, Quad::zero());
        scratch.stresses.resize(self.len(), [Quad::zero(); 3]);
        if !self.table.penalties.is_empty() {
            scratch.rest.resize(nodes, Quad::zero());
            scratch.gradients.resize(self.len(), [Quad::zero(); 3]);
            scratch.pulls.resize(self.len(), Quad::zero());
        }
    }

    /// The elements around the `local`-th node of the body, each with the place of the node among its entries.
    pub fn around(&self, local: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let t = &self.transposed;
        t.incidence.run(local).map(move |k| {
            let e = t.elements[k] as usize;
            (e, t.incidence.entries()[k] as usize - self.table.offsets[e] as usize)
        })
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let (table, t) = (&self.table, &self.transposed);
        size_of_val(&table.offsets[..])
            + size_of_val(&table.nodes[..])
            + size_of_val(&table.weights[..])
            + size_of_val(&table.volumes[..])
            + size_of_val(&table.penalties[..])
            + size_of_val(&self.base[..])
            + size_of_val(&self.base_inverse[..])
            + size_of_val(&self.elastic[..])
            + t.incidence.memory_bytes()
            + size_of_val(&t.elements[..])
            + size_of_val(&t.weights[..])
            + size_of_val(&t.penalties[..])
            + size_of_val(&t.element_of_entry[..])
    }
}

#[inline(always)]
fn pad<R: Real>(v: Vec3<R>) -> Quad<R> {
    Lanes([v.0[0], v.0[1], v.0[2], R::zero()])
}

#[inline(always)]
fn unpad<R: Real>(q: Quad<R>) -> Vec3<R> {
    Vec3([q.0[0], q.0[1], q.0[2]])
}

#[inline(always)]
fn columns<R: Real>(m: &Mat3<R>) -> Columns<R> {
    std::array::from_fn(|c| pad(m.column(c)))
}

#[inline(always)]
fn matrix<R: Real>(c: &Columns<R>) -> Mat3<R> {
    Mat3::from_columns(c.map(unpad))
}

/// Matrix times vector.
#[inline(always)]
fn times<R: Real>(m: &Columns<R>, x: Quad<R>) -> Quad<R> {
    m[0] * Lanes([x.0[0]; 4]) + m[1] * Lanes([x.0[1]; 4]) + m[2] * Lanes([x.0[2]; 4])
}
