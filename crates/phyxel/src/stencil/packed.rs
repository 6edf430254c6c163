//! Products with stabilised phyxels, in one sweep over the entries of an element and one over those of a node.
//!
//! An entry of element `i` is one row: its weight `d` and its penalty `c`. With `u = u_j − u_i` and the offset
//! `x = x_j − x_i`, one sweep gives the gradient `Σ u ⊗ d`, and `Σ c u` and `Σ c u ⊗ x`, of which the penalty forces
//! `t_j = c (u − G x)` are made through two moments that belong to the stencil: `Σ t = Σ c u − G Σ c x` and
//! `Σ t ⊗ x = Σ c u ⊗ x − G Σ c x xᵀ`. Nodes gather from the same rows in their own order. Two rows fill one register;
//! offsets come from positions, which stay in the cache. Sums are hidden from the compiler before they are used (`black_box`):
//! it would see that a lane is never read, and cut whole registers down to three numbers, one by one.

use super::general::{General, Penalty};
use crate::math::{Mat3, Quad, Real, Twin, Vec3};
use crate::{par, vectorised};
use std::hint::black_box;

/// Elements per task.
const TASK: usize = 128;

/// Rows, two by two: weight and penalty of an entry, and of the next. The last pair of a list may end with a row of zeros.
#[derive(Clone, Debug)]
struct Rows<R> {
    /// List `i` has the pairs `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
    rows: Vec<Twin<R>>,
    /// The node at the other end of each entry, or the element, counted from the body's first.
    others: Vec<[u32; 2]>,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Rows { starts: Vec::new(), rows: Vec::new(), others: Vec::new() }
    }
}

impl<R: Real> Rows<R> {
    /// Lists of so many entries each, of which `fill` gives the weight, the penalty and the other end; it is asked for one
    /// beyond the last where their number is odd.
    fn rebuild(
        &mut self,
        lists: usize,
        count: impl Fn(usize) -> usize,
        fill: impl Fn(usize, usize) -> (Vec3<R>, R, u32) + Sync,
    ) {
        let Self { starts, rows, others } = self;
        starts.clear();
        starts.push(0);
        for i in 0..lists {
            starts.push(starts[i] + count(i).div_ceil(2) as u32);
        }
        let pairs = starts[lists] as usize;
        rows.resize(pairs, Twin::zero());
        others.resize(pairs, [0; 2]);
        par::rows(others, starts, &|i, others| {
            for (k, others) in others.iter_mut().enumerate() {
                *others = [fill(i, 2 * k).2, fill(i, 2 * k + 1).2];
            }
        });
        par::rows(rows, starts, &|i, rows| {
            for (k, row) in rows.iter_mut().enumerate() {
                let [one, next] = [fill(i, 2 * k), fill(i, 2 * k + 1)];
                *row = Twin::of(quad(one.0, one.1), quad(next.0, next.1));
            }
        });
    }

    #[inline(always)]
    fn list(&self, i: usize) -> (&[Twin<R>], &[[u32; 2]]) {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        (&self.rows[range.clone()], &self.others[range])
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.others[..])
    }
}

/// The rows of one body, and room for a product.
#[derive(Clone, Debug)]
pub struct Packed<R: Real> {
    /// Which stencils these are the rows of.
    of: Option<u64>,
    elements: Rows<R>,
    nodes: Rows<R>,
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
#[repr(align(64))]
struct Passed<R: Real> {
    stress: [R::Quad; 3],
    gradient: [R::Quad; 3],
    center: R::Quad,
    rest: R::Quad,
}

impl<R: Real> Default for Packed<R> {
    fn default() -> Self {
        let (of, elements, nodes, moments) = (None, Rows::default(), Rows::default(), Vec::new());
        let (rest, field, passed, pulls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Packed { of, elements, nodes, moments, rest, field, passed, pulls }
    }
}

impl<R: Real> Packed<R> {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.elements.memory_bytes()
            + self.nodes.memory_bytes()
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
        // A phyxel sees itself where it is: its own entry, the first, needs no row.
        let others = |e: usize| stencils.entries(e).start + 1..stencils.entries(e).end;
        elements.rebuild(
            table.volumes.len(),
            |e| others(e).len(),
            |e, k| match others(e).nth(k) {
                Some(k) => (table.weights[k], table.penalties[k], table.nodes[k] - first as u32),
                None => (Vec3::zero(), R::zero(), table.nodes[stencils.entries(e).start] - first as u32),
            },
        );
        moments.resize(table.volumes.len(), Moments { first: Vec3::zero(), second: Mat3::zero() });
        par::for_each(moments, |e, moments| {
            let range = stencils.entries(e);
            *moments = Moments::new(&table.nodes[range.clone()], &table.penalties[range], rest);
        });
        let (entries, elements_of) = (incidence.entries(), stencils.elements_of_entries());
        nodes.rebuild(
            incidence.nodes().len(),
            |n| incidence.run(n).len(),
            |n, k| match incidence.run(n).nth(k) {
                Some(place) => {
                    let k = entries[place] as usize;
                    (table.weights[k], table.penalties[k], elements_of[place])
                }
                None => (Vec3::zero(), R::zero(), elements_of[incidence.run(n).start]),
            },
        );
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
                        let center = stencils.table.nodes[stencils.entries(e).start] as usize - first;
                        let sums = Sums::<R>::new(elements.list(e), center, (rest, field));
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
        let ahead = stencils.ahead();
        par::chunks(&mut out[stencils.nodes()], TASK, |start, chunk| {
            vectorised(
                #[inline(always)]
                || {
                    for (i, value) in chunk.iter_mut().enumerate() {
                        let own = (field[start + i], rest[start + i]);
                        // Phyxel `i` of the body is the centre of element `i`; those of other bodies are of none.
                        let pull = pulls.get((start + i).wrapping_sub(ahead)).copied().unwrap_or(Vec3::zero());
                        *value -= at_node::<R>(nodes.list(start + i), own, passed) - pull;
                    }
                },
            );
        });
    }
}

/// A vector and one number more in one register.
#[inline(always)]
pub(super) fn quad<R: Real>(v: Vec3<R>, last: R) -> R::Quad {
    Quad::new([v.0[0], v.0[1], v.0[2], last])
}

/// The rows of a matrix.
#[inline(always)]
fn quads<R: Real>(m: Mat3<R>) -> [R::Quad; 3] {
    std::array::from_fn(|c| quad(Vec3(m.0[c]), R::zero()))
}

/// The matrix with these rows.
#[inline(always)]
fn matrix<R: Real>(rows: &[[R; 4]; 3]) -> Mat3<R> {
    Mat3(rows.map(|[x, y, z, _]| [x, y, z]))
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
    weighted: [[R; 4]; 3],
    moments: [[R; 4]; 3],
}

impl<R: Real> Sums<R> {
    /// Differences come first, so that a common motion of all nodes costs no digits.
    #[inline(always)]
    fn new((rows, nodes): (&[Twin<R>], &[[u32; 2]]), center: usize, (rest, field): (&[R::Quad], &[R::Quad])) -> Self {
        let (own, place) = (Twin::<R>::of(field[center], field[center]), Twin::<R>::of(rest[center], rest[center]));
        let (mut weighted, mut moments) = ([Twin::zero(); 3], [Twin::zero(); 3]);
        for (row, nodes) in rows.iter().zip(nodes) {
            let [a, b] = nodes.map(|n| n as usize);
            let difference = Twin::of(field[a], field[b]) - own;
            let arm = (Twin::of(rest[a], rest[b]) - place) * row.spread(3);
            for c in 0..3 {
                let u = difference.spread(c);
                weighted[c] = weighted[c] + *row * u;
                moments[c] = moments[c] + arm * u;
            }
        }
        let [weighted, moments] = black_box([weighted, moments]);
        Sums { weighted: weighted.map(Twin::sum), moments: moments.map(Twin::sum) }
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
        let pull = Vec3(self.weighted.map(|row| row[3])) - gradient * of.first;
        let torn = matrix(&self.moments) - gradient * of.second;
        // Σ t ⊗ (B x) = (Σ t ⊗ x) Bᵀ.
        (gradient, pull, inverse.map_or(torn, |inverse| torn * inverse.transpose()))
    }
}

/// What all elements do to one of their nodes, without its own pull.
#[inline(always)]
fn at_node<R: Real>(
    (rows, elements): (&[Twin<R>], &[[u32; 2]]),
    (own, place): (R::Quad, R::Quad),
    passed: &[Passed<R>],
) -> Vec3<R> {
    let (own, place) = (Twin::<R>::of(own, own), Twin::<R>::of(place, place));
    let (mut sums, mut springs) = ([Twin::<R>::zero(); 3], Twin::<R>::zero());
    for (row, elements) in rows.iter().zip(elements) {
        let [a, b] = elements.map(|e| &passed[e as usize]);
        let c = row.spread(3);
        let arm = (place - Twin::of(a.rest, b.rest)) * c;
        for k in 0..3 {
            let (stress, gradient) = (Twin::of(a.stress[k], b.stress[k]), Twin::of(a.gradient[k], b.gradient[k]));
            sums[k] = sums[k] + stress * *row + gradient * arm;
        }
        let center = Twin::of(a.center, b.center);
        springs = springs + (own - center) * (c * center.spread(3));
    }
    let (sums, springs) = black_box((sums, springs));
    let springs = springs.sum();
    Vec3(std::array::from_fn(|k| {
        let [x, y, z, _] = sums[k].sum();
        springs[k] + (x + y + z)
    }))
}
