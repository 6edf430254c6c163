//! Stencils of any number of nodes: smoothed tetrahedra, phyxels, springs.

use super::incidence::Incidence;
use super::packed::Packed;
use super::slim::{GROUP, Slim, Woven, one_by_one};
use super::{Seen, StencilTable};
use crate::material::plastic::Grain;
use crate::math::{Lanes, Mat3, Quad, Real, Vec3};
use crate::par;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// How the weights come from a kernel, for updated-Lagrangian phyxels; empty for everything else.
    pub seen: Seen<R>,
    /// Whether products go through a matrix; phyxels couple too many nodes for that.
    pub assembled: bool,
    transposed: Transposed<R>,
    /// No other stencils have had this number; a clone shares it, being the same.
    id: u64,
}

/// The number of the next stencils.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The table again, node by node, so that the gather reads memory in order.
#[derive(Clone, Debug, Default)]
struct Transposed<R> {
    incidence: Incidence,
    elements: Vec<u32>,
    weights: Vec<Vec3<R>>,
    penalties: Vec<R>,
    element_of_entry: Vec<u32>,
}

/// A 3x3 matrix by columns, each in one register.
type Columns<R> = [<R as Real>::Quad; 3];

/// How strongly the residual of phyxels is resisted.
#[derive(Clone, Copy, Debug)]
pub struct Penalty<'a, R> {
    /// Rest positions of the whole model [m].
    pub rest: &'a [Vec3<R>],
    /// Multiplies the stabilisation of all entries [Pa].
    pub modulus: R,
    /// Multiplies it once more element by element; empty where all are one.
    pub factors: &'a [R],
}

/// Room for one pass over the elements.
#[derive(Clone, Debug)]
pub struct GeneralScratch<R: Real> {
    field: Vec<R::Quad>,
    stresses: Vec<Columns<R>>,
    /// Rows of stencils with penalties.
    packed: Packed<R>,
    /// Lists of stencils of a kernel.
    slim: Slim<R>,
}

impl<R: Real> Default for GeneralScratch<R> {
    fn default() -> Self {
        GeneralScratch { field: Vec::new(), stresses: Vec::new(), packed: Packed::default(), slim: Slim::default() }
    }
}

impl<R: Real> GeneralScratch<R> {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.field[..])
            + size_of_val(&self.stresses[..])
            + self.packed.memory_bytes()
            + self.slim.memory_bytes()
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
        let mut general = General {
            table,
            base: Vec::new(),
            base_inverse: Vec::new(),
            elastic: Vec::new(),
            seen: Seen::default(),
            assembled,
            transposed,
            id: 0,
        };
        general.table_changed();
        general
    }

    /// Lets all nodes have numbers that are higher by this much.
    pub fn shift(&mut self, by: i64) {
        self.table.nodes.iter_mut().for_each(|n| *n = (*n as i64 + by) as u32);
        self.transposed.incidence.shift(by);
        self.renew();
    }

    /// Gives all nodes other numbers, which need not be in the same order.
    pub fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.table.nodes.iter_mut().for_each(|n| *n = number(*n));
        let nodes = self.table.nodes.iter();
        let (low, high) = nodes.fold((u32::MAX, 0), |(low, high), &n| (low.min(n), high.max(n + 1)));
        self.cover(low.min(high) as usize..high as usize);
    }

    /// Takes note of a table that has changed and is about these nodes of the model, which may be those of several bodies.
    pub fn cover(&mut self, nodes: Range<usize>) {
        self.transposed.incidence.cover(nodes);
        self.table_changed();
    }

    /// The nodes that stencils may be about.
    pub fn nodes(&self) -> Range<usize> {
        self.transposed.incidence.nodes()
    }

    /// How many of [`General::nodes`] stand before the centre of the first element, which those of the others follow.
    pub(super) fn ahead(&self) -> usize {
        self.table.nodes.first().map_or(0, |n| *n as usize - self.nodes().start)
    }

    fn renew(&mut self) {
        self.id = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    /// A number that changes with the stencils.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Which entries lie at which node.
    pub(super) fn incidence(&self) -> &Incidence {
        &self.transposed.incidence
    }

    /// The element of each entry, node by node.
    pub(super) fn elements_of_entries(&self) -> &[u32] {
        &self.transposed.elements
    }

    /// Weight and penalty of each entry, node by node; no penalties where there are none.
    pub(super) fn entries_of_nodes(&self) -> (&[Vec3<R>], &[R]) {
        (&self.transposed.weights, &self.transposed.penalties)
    }

    /// Brings the transposed copy up to date after a change of the table.
    pub fn table_changed(&mut self) {
        self.renew();
        self.seen.clear();
        let (table, t) = (&self.table, &mut self.transposed);
        t.incidence.rebuild(&table.nodes);
        t.element_of_entry.resize(table.nodes.len(), 0);
        par::rows(&mut t.element_of_entry, &table.offsets, &|e, entries| entries.fill(e as u32));
        let (entries, of_entry) = (t.incidence.entries(), &t.element_of_entry);
        t.elements.resize(entries.len(), 0);
        par::for_each(&mut t.elements, |i, element| *element = of_entry[entries[i] as usize]);
        t.weights.resize(entries.len(), Vec3::zero());
        par::for_each(&mut t.weights, |i, weight| *weight = table.weights[entries[i] as usize]);
        t.penalties.resize(table.penalties.len(), R::zero());
        par::for_each(&mut t.penalties, |i, penalty| *penalty = table.penalties[entries[i] as usize]);
    }

    /// Makes the elastic deformation the part of the gradient that does not come from displacements.
    pub fn rebase(&mut self) {
        self.renew();
        let elastic = &self.elastic;
        self.base.resize(elastic.len(), Mat3::zero());
        par::for_each(&mut self.base, |e, base| *base = elastic[e] - Mat3::identity());
        self.base_inverse.resize(elastic.len(), Mat3::zero());
        par::for_each(&mut self.base_inverse, |e, inverse| {
            *inverse = elastic[e].inverse().unwrap_or(Mat3::identity());
        });
    }

    /// Remembers the elastic part of the deformation at displacements `u`; what has flowed is thereby forgotten.
    pub fn note_deformation(&mut self, u: &[Vec3<R>], grains: &mut [Grain<R>]) {
        let mut elastic = std::mem::take(&mut self.elastic);
        let this = &*self;
        par::for_each(&mut elastic, |e, f| {
            *f = this.gradient(e, u) + this.base(e) + Mat3::identity();
            if let Some(grain) = grains.get(e) {
                *f = *f + *f * grain.offset;
            }
        });
        if !elastic.is_empty() {
            grains.iter_mut().for_each(|grain| grain.offset = Mat3::zero());
        }
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
        let center = pad(field[nodes[0] as usize]);
        let mut g = Columns::<R>::default();
        for (&node, &d) in nodes.iter().zip(weights).skip(1) {
            let difference = pad(field[node as usize]) - center;
            for c in 0..3 {
                g[c] = g[c] + difference * Quad::splat(d.0[c]);
            }
        }
        matrix::<R>(&g)
    }

    /// Whether the stencils have just been rebuilt, so that nothing has moved since and all gradients are zero.
    pub fn is_still(&self, field: &[Vec3<R>]) -> bool {
        !self.base_inverse.is_empty()
            && field[self.transposed.incidence.nodes()].iter().all(|u| u.0.iter().all(|c| *c == R::zero()))
    }

    /// The part of the gradient that does not come from displacements.
    #[inline(always)]
    pub fn base(&self, e: usize) -> Mat3<R> {
        if self.base.is_empty() { Mat3::zero() } else { self.base[e] }
    }

    /// The rest offset of a neighbour from the centre of an element.
    #[inline(always)]
    pub(crate) fn offset(&self, e: usize, rest: &[Vec3<R>], center: usize, node: usize) -> Vec3<R> {
        let x = rest[node] - rest[center];
        if self.base_inverse.is_empty() { x } else { self.base_inverse[e] * x }
    }

    /// `out_k −= Σ_e S_e d_k` with `S_e = stress(e, Σ p ⊗ d)`, and the penalty forces of the same field with the
    /// given modulus [Pa].
    pub fn accumulate(
        &self,
        penalty: Penalty<'_, R>,
        field: &[Vec3<R>],
        scratch: &mut GeneralScratch<R>,
        out: &mut [Vec3<R>],
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        let still = self.is_still(field);
        if !self.seen.is_empty() && !still {
            return scratch.slim.accumulate(self, penalty, field, (out, R::one()), one_by_one(self.len(), stress));
        }
        if !self.table.penalties.is_empty() && !still {
            return scratch.packed.accumulate(self, penalty, field, out, stress);
        }
        self.prepare(scratch);
        if still {
            par::for_each(&mut scratch.stresses, |e, s| *s = columns(&stress(e, Mat3::zero())));
            return self.gather(scratch, out);
        }
        let first = self.transposed.incidence.nodes().start;
        let GeneralScratch { field: padded, stresses, .. } = &mut *scratch;
        par::for_each(padded, |i, quad| *quad = pad(field[first + i]));
        par::chunks(stresses, TASK, |start, chunk| {
            for (i, s) in chunk.iter_mut().enumerate() {
                *s = columns(&stress(start + i, matrix::<R>(&self.gradient_columns(start + i, padded))));
            }
        });
        self.gather(scratch, out);
    }

    /// [`General::accumulate`] for phyxels of a kernel, whose stress is told for a whole group at once; false, and nothing done,
    /// for others.
    #[inline(always)]
    pub fn accumulate_groups(
        &self,
        penalty: Penalty<'_, R>,
        field: &[Vec3<R>],
        scratch: &mut GeneralScratch<R>,
        out: &mut [Vec3<R>],
        stress: impl Fn(usize, Mat3<Lanes<R, GROUP>>) -> Mat3<Lanes<R, GROUP>> + Sync,
    ) -> bool {
        if self.seen.is_empty() {
            return false;
        }
        scratch.slim.accumulate(self, penalty, field, (out, R::one()), stress);
        true
    }

    /// [`General::accumulate`] for phyxels of a kernel, with tangents woven together, times a sign.
    pub fn accumulate_woven(
        &self,
        penalty: Penalty<'_, R>,
        field: &[Vec3<R>],
        scratch: &mut GeneralScratch<R>,
        (out, sign): (&mut [Vec3<R>], R),
        tangents: &[Woven<R>],
    ) {
        scratch.slim.accumulate(
            self,
            penalty,
            field,
            (out, sign),
            #[inline(always)]
            |group, g| tangents[group].apply(&g),
        );
    }

    /// [`General::gradient`] over padded vectors, which start at the body's first node.
    #[inline(always)]
    fn gradient_columns(&self, e: usize, field: &[R::Quad]) -> Columns<R> {
        let range = self.entries(e);
        let first = self.transposed.incidence.nodes().start;
        let (nodes, weights) = (&self.table.nodes[range.clone()], &self.table.weights[range]);
        let center = field[nodes[0] as usize - first];
        let mut g = Columns::<R>::default();
        for (&node, &d) in nodes.iter().zip(weights).skip(1) {
            let difference = field[node as usize - first] - center;
            for c in 0..3 {
                g[c] = g[c] + difference * Quad::splat(d.0[c]);
            }
        }
        g
    }

    /// Energy of the penalty per modulus, `½ Σ_j c_j |u_j − u_i − G X_j|²` [m³].
    pub fn penalty_energy(&self, e: usize, rest: &[Vec3<R>], field: &[Vec3<R>], g: Mat3<R>) -> R {
        if self.table.penalties.is_empty() {
            return R::zero();
        }
        let range = self.entries(e);
        let center = self.table.nodes[range.start] as usize;
        // The gradient that acts on present offsets.
        let g = self.base_inverse.get(e).map_or(g, |inverse| g * *inverse);
        let (g, at, moved) = (columns::<R>(&g), pad::<R>(rest[center]), pad::<R>(field[center]));
        let mut energy = R::zero();
        for k in range.skip(1) {
            let node = self.table.nodes[k] as usize;
            let [x, y, z, _] = (pad(rest[node]) - at).lanes();
            let turned = g[0] * Quad::splat(x) + g[1] * Quad::splat(y) + g[2] * Quad::splat(z);
            let residual: Vec3<R> = unpad((pad(field[node]) - moved) - turned);
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
        par::chunks(&mut out[t.incidence.nodes()], TASK, |start, chunk| {
            for (i, value) in chunk.iter_mut().enumerate() {
                let run = t.incidence.run(start + i);
                let mut sum = R::Quad::default();
                for (&e, &d) in t.elements[run.clone()].iter().zip(&t.weights[run]) {
                    sum = sum + times_vec(&scratch.stresses[e as usize], d);
                }
                *value -= unpad(sum);
            }
        });
    }

    /// Makes `scratch` large enough; does nothing when it already is.
    fn prepare(&self, scratch: &mut GeneralScratch<R>) {
        let nodes = self.transposed.incidence.nodes().len();
        scratch.field.resize(nodes, R::Quad::default());
        scratch.stresses.resize(self.len(), Columns::<R>::default());
    }

    /// The elements around the `local`-th of [`General::nodes`], each with the place of the node among its entries.
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
            + self.seen.memory_bytes()
            + t.incidence.memory_bytes()
            + size_of_val(&t.elements[..])
            + size_of_val(&t.weights[..])
            + size_of_val(&t.penalties[..])
            + size_of_val(&t.element_of_entry[..])
    }
}

#[inline(always)]
fn pad<R: Real>(v: Vec3<R>) -> R::Quad {
    Quad::new([v.0[0], v.0[1], v.0[2], R::zero()])
}

#[inline(always)]
fn unpad<R: Real, Q: Quad<R>>(q: Q) -> Vec3<R> {
    let [x, y, z, _] = q.lanes();
    Vec3([x, y, z])
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
fn times_vec<R: Real>(m: &Columns<R>, x: Vec3<R>) -> R::Quad {
    m[0] * Quad::splat(x.0[0]) + m[1] * Quad::splat(x.0[1]) + m[2] * Quad::splat(x.0[2])
}
