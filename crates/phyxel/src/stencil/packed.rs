//! Products with stabilised phyxels, in one sweep over the entries of an element and one over those of a node.
//!
//! An entry of element `i` is one row: its weight `d` and its penalty `c`. With `u = u_j − u_i` and the offset
//! `x = x_j − x_i`, one sweep gives the gradient `Σ u ⊗ d`, and `Σ c u` and `Σ c u ⊗ x`, of which the penalty forces
//! `t_j = c (u − G x)` are made through two moments that belong to the stencil: `Σ t = Σ c u − G Σ c x` and
//! `Σ t ⊗ x = Σ c u ⊗ x − G Σ c x xᵀ`. Nodes gather from the same rows in their own order. Memory is the limit: a row
//! fills one register, and offsets come from positions, which stay in the cache.

use super::general::{General, Penalty};
use crate::math::{Mat3, Quad, Real, Vec3};
use crate::{par, vectorised};

/// Elements per task.
const TASK: usize = 128;

/// One entry: weight and penalty.
type Row<R> = <R as Real>::Quad;

/// The rows of one body, and room for a product.
#[derive(Clone, Debug)]
pub struct Packed<R: Real> {
    /// Which stencils these are the rows of.
    of: Option<u64>,
    elements: Vec<Row<R>>,
    nodes: Vec<Row<R>>,
    moments: Vec<Moments<R>>,
    /// Rest positions from the body's first node.
    rest: Vec<R::Quad>,
    field: Vec<R::Quad>,
    passed: Vec<Passed<R>>,
    pulls: Vec<Vec3<R>>,
}

/// `Σ c x` and `Σ c x xᵀ`.
#[derive(Clone, Copy, Debug)]
struct Moments<R> {
    first: Vec3<R>,
    second: Mat3<R>,
}

/// What nodes need of an element: its stress and its gradient by rows, its displacement with how strongly it is stabilised,
/// and where it rests.
#[derive(Clone, Copy, Debug, Default)]
struct Passed<R: Real> {
    stress: [R::Quad; 3],
    gradient: [R::Quad; 3],
    center: R::Quad,
    rest: R::Quad,
}

impl<R: Real> Default for Packed<R> {
    fn default() -> Self {
        let (of, elements, nodes, moments) = (None, Vec::new(), Vec::new(), Vec::new());
        let (rest, field, passed, pulls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Packed { of, elements, nodes, moments, rest, field, passed, pulls }
    }
}

impl<R: Real> Packed<R> {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.elements[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.moments[..])
            + size_of_val(&self.rest[..])
            + size_of_val(&self.field[..])
            + size_of_val(&self.passed[..])
            + size_of_val(&self.pulls[..])
    }

    /// Makes the rows of stencils, unless they are there.
    pub fn prepare(&mut self, stencils: &General<R>, rest: &[Vec3<R>]) {
        if self.of == Some(stencils.id()) {
            return;
        }
        self.of = Some(stencils.id());
        let Self { elements, nodes, moments, rest: places, .. } = self;
        let (table, incidence) = (&stencils.table, stencils.incidence());
        let first = incidence.nodes().start;
        places.resize(incidence.nodes().len(), R::Quad::default());
        par::for_each(places, |i, place| *place = quad(rest[first + i] - rest[first], R::zero()));
        elements.resize(table.nodes.len(), R::Quad::default());
        par::for_each(elements, |k, row| *row = quad(table.weights[k], table.penalties[k]));
        moments.resize(table.volumes.len(), Moments { first: Vec3::zero(), second: Mat3::zero() });
        par::for_each(moments, |e, moments| {
            let range = stencils.entries(e);
            *moments = Moments::new(&table.nodes[range.clone()], &table.penalties[range], rest);
        });
        let entries = incidence.entries();
        nodes.resize(entries.len(), R::Quad::default());
        par::for_each(nodes, |k, row| *row = elements[entries[k] as usize]);
        self.field.resize(incidence.nodes().len(), R::Quad::default());
        self.passed.resize(table.volumes.len(), Passed::default());
        self.pulls.resize(table.volumes.len(), Vec3::zero());
    }

    /// [`General::accumulate`] for stencils with penalties.
    pub fn accumulate(
        &mut self,
        stencils: &General<R>,
        penalty: Penalty<'_, R>,
        field: &[Vec3<R>],
        out: &mut [Vec3<R>],
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        self.prepare(stencils, penalty.rest);
        let first = stencils.incidence().nodes().start;
        par::for_each(&mut self.field, |i, f| *f = quad(field[first + i], R::zero()));
        self.pass_elements(stencils, penalty, stress);
        self.gather(stencils, out);
    }

    fn pass_elements(
        &mut self,
        stencils: &General<R>,
        Penalty { modulus, factors, .. }: Penalty<'_, R>,
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        let Self { elements, moments, rest, field, passed, pulls, .. } = self;
        let first = stencils.incidence().nodes().start;
        par::chunks2((passed, pulls), TASK, |start, passed, pulls| {
            vectorised(
                #[inline(always)]
                || {
                    for (i, (passed, pull)) in passed.iter_mut().zip(pulls.iter_mut()).enumerate() {
                        let e = start + i;
                        let range = stencils.entries(e);
                        let nodes = &stencils.table.nodes[range.clone()];
                        let center = nodes[0] as usize - first;
                        let sums = Sums::<R>::new(&elements[range], nodes, first, (rest, field));
                        let modulus = factors.get(e).map_or(modulus, |f| modulus * *f);
                        let g = sums.gradient();
                        let s = stress(e, g);
                        let (gradient, pull_of, torn) = sums.penalty(g, &moments[e], stencils.base_inverse.get(e));
                        let [x, y, z, _] = field[center].lanes();
                        *pull = pull_of * modulus;
                        *passed = Passed {
                            stress: quads(s - torn * modulus),
                            gradient: quads(gradient * -modulus),
                            center: Quad::new([x, y, z, modulus]),
                            rest: rest[center],
                        };
                    }
                },
            );
        });
    }

    fn gather(&self, stencils: &General<R>, out: &mut [Vec3<R>]) {
        let Self { nodes, rest, field, passed, pulls, .. } = self;
        let incidence = stencils.incidence();
        par::chunks(&mut out[incidence.nodes()], TASK, |start, chunk| {
            vectorised(
                #[inline(always)]
                || {
                    for (i, value) in chunk.iter_mut().enumerate() {
                        let run = incidence.run(start + i);
                        let elements = &stencils.elements_of_entries()[run.clone()];
                        // Phyxel `i` is the centre of element `i`.
                        let own = (field[start + i], rest[start + i]);
                        *value -= at_node::<R>(&nodes[run], elements, own, passed) - pulls[start + i];
                    }
                },
            );
        });
    }
}

#[inline(always)]
fn quad<R: Real>(v: Vec3<R>, last: R) -> R::Quad {
    Quad::new([v.0[0], v.0[1], v.0[2], last])
}

/// The rows of a matrix.
#[inline(always)]
fn quads<R: Real>(m: Mat3<R>) -> [R::Quad; 3] {
    std::array::from_fn(|c| quad(Vec3(m.0[c]), R::zero()))
}

/// The matrix with these rows.
#[inline(always)]
fn matrix<R: Real>(rows: &[R::Quad; 3]) -> Mat3<R> {
    Mat3(rows.map(|row| {
        let [x, y, z, _] = row.lanes();
        [x, y, z]
    }))
}

impl<R: Real> Moments<R> {
    fn new(nodes: &[u32], penalties: &[R], rest: &[Vec3<R>]) -> Self {
        let mut moments = Moments { first: Vec3::zero(), second: Mat3::zero() };
        for (&node, &c) in nodes.iter().zip(penalties).skip(1) {
            let x = rest[node as usize] - rest[nodes[0] as usize];
            moments.first += x * c;
            moments.second += Mat3::outer(x * c, x);
        }
        moments
    }
}

/// By rows, `Σ u ⊗ d` with `Σ c u` in the last lane, and `Σ c u ⊗ x`.
struct Sums<R: Real> {
    weighted: [R::Quad; 3],
    moments: [R::Quad; 3],
}

impl<R: Real> Sums<R> {
    /// Differences come first, so that a common motion of all nodes costs no digits.
    #[inline(always)]
    fn new(rows: &[Row<R>], nodes: &[u32], first: usize, (rest, field): (&[R::Quad], &[R::Quad])) -> Self {
        let center = nodes[0] as usize - first;
        let (own, place) = (field[center], rest[center]);
        let (mut weighted, mut moments) = ([R::Quad::default(); 3], [R::Quad::default(); 3]);
        for (row, &node) in rows.iter().zip(nodes).skip(1) {
            let node = node as usize - first;
            let difference = (field[node] - own).lanes();
            let arm = (rest[node] - place) * Quad::splat(row.lanes()[3]);
            for c in 0..3 {
                let u = Quad::splat(difference[c]);
                weighted[c] = weighted[c] + *row * u;
                moments[c] = moments[c] + arm * u;
            }
        }
        Sums { weighted, moments }
    }

    #[inline(always)]
    fn gradient(&self) -> Mat3<R> {
        matrix(&self.weighted)
    }

    /// The gradient that acts on offsets, and `Σ t` and `Σ t ⊗ Y` of the penalty forces per modulus, `Y` being the offsets in
    /// the local rest shape.
    #[inline(always)]
    fn penalty(&self, g: Mat3<R>, of: &Moments<R>, inverse: Option<&Mat3<R>>) -> (Mat3<R>, Vec3<R>, Mat3<R>) {
        let gradient = inverse.map_or(g, |inverse| g * *inverse);
        let pull = Vec3(self.weighted.map(|row| row.lanes()[3])) - gradient * of.first;
        let torn = matrix::<R>(&self.moments) - gradient * of.second;
        // Σ t ⊗ (B x) = (Σ t ⊗ x) Bᵀ.
        (gradient, pull, inverse.map_or(torn, |inverse| torn * inverse.transpose()))
    }
}

/// What all elements do to one of their nodes, without its own pull.
#[inline(always)]
fn at_node<R: Real>(
    rows: &[Row<R>],
    elements: &[u32],
    (own, place): (R::Quad, R::Quad),
    passed: &[Passed<R>],
) -> Vec3<R> {
    let mut sums = [R::Quad::default(); 3];
    let mut springs = R::Quad::default();
    for (row, &e) in rows.iter().zip(elements) {
        let element = &passed[e as usize];
        let c = row.lanes()[3];
        let arm = (place - element.rest) * Quad::splat(c);
        for k in 0..3 {
            sums[k] = sums[k] + element.stress[k] * *row + element.gradient[k] * arm;
        }
        springs = springs + (own - element.center) * Quad::splat(c * element.center.lanes()[3]);
    }
    let springs = springs.lanes();
    Vec3(std::array::from_fn(|k| {
        let [x, y, z, _] = sums[k].lanes();
        springs[k] + (x + y + z)
    }))
}
