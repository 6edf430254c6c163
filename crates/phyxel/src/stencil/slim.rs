//! Products with phyxels whose weights come from a kernel ([`Seen`](super::Seen)): bytes are what they cost, and one number per
//! entry is all that is read.
//!
//! With `u = u_j − u_i`, `x = x_j − x_i` and `M = Σ w u ⊗ x`, the gradient is `M Nᵀ`. The gradient that acts on present offsets
//! is `G = M Nᵀ F⁻¹`, and penalty forces are `κ w (u − G x)`, so all that phyxel `i` does to a neighbour is
//! `w (B x + κ u)` with one matrix `B = S N − κ G` of its stress `S`: a line of the cache per phyxel. Where the gradient is that of
//! least squares, the penalty forces have no moment; elsewhere it is `κ (M − G Σ w x xᵀ) F⁻ᵀ`, and less stress. The forces of a
//! phyxel on its neighbours and on itself sum to zero.
//!
//! Neighbours are taken two at a time, and the algebra of phyxels eight at a time.

use super::general::{General, Penalty};
use super::packed::quad;
use crate::material::PackedTangent;
use crate::math::{Lanes, Mat3, Quad, Real, Registered, Registers, Vec3};
use crate::par;

/// Phyxels side by side.
pub const GROUP: usize = 8;
/// Phyxels per task, a multiple of [`GROUP`].
const TASK: usize = 128;

/// A number of each phyxel of a group.
type Eight<R> = Lanes<R, GROUP>;

/// The tangents of a group of phyxels, entry by entry.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Woven<R>([Eight<R>; 45]);

impl<R: Real> Woven<R> {
    /// Those of up to eight phyxels.
    pub fn of(tangents: &[PackedTangent<R>]) -> Self {
        let mut woven = Woven([Eight::default(); 45]);
        for (lane, tangent) in tangents.iter().enumerate() {
            for (eight, number) in woven.0.iter_mut().zip(&tangent.0) {
                eight.0[lane] = *number;
            }
        }
        woven
    }

    /// `∂P/∂F : δF` of each.
    #[inline(always)]
    pub fn apply(&self, df: &Mat3<Eight<R>>) -> Mat3<Eight<R>> {
        let mut sums = [Eight::default(); 9];
        let mut next = 0;
        for a in 0..9 {
            let change = df.0[a / 3][a % 3];
            sums[a] += self.0[next] * change;
            next += 1;
            for b in a + 1..9 {
                let c = self.0[next];
                sums[a] += c * df.0[b / 3][b % 3];
                sums[b] += c * change;
                next += 1;
            }
        }
        Mat3([[sums[0], sums[1], sums[2]], [sums[3], sums[4], sums[5]], [sums[6], sums[7], sums[8]]])
    }
}

/// A law of single phyxels, of which there are `count`, as one of groups.
pub fn one_by_one<R: Real>(
    count: usize,
    stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
) -> impl Fn(usize, Mat3<Eight<R>>) -> Mat3<Eight<R>> + Sync {
    move |group, g| {
        let mut answer = Mat3([[Eight::default(); 3]; 3]);
        for lane in 0..GROUP.min(count - group * GROUP) {
            answer.set_lane(lane, &stress(group * GROUP + lane, g.lane(lane)));
        }
        answer
    }
}

/// Entries, two by two: what the kernel gives for an entry and the next. The last pair of a list may end with a zero.
#[derive(Clone, Debug, Default)]
struct Lists<R> {
    /// List `i` has the pairs `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
    kernels: Vec<[R; 2]>,
    /// The node at the other end of each entry, or the phyxel, counted from the body's first.
    others: Vec<[u32; 2]>,
}

impl<R: Real> Lists<R> {
    /// Lists of so many entries each, of which `fill` writes kernels and other ends into pairs of zeros and of `i`.
    fn rebuild(
        &mut self,
        lists: usize,
        count: impl Fn(usize) -> usize,
        fill: impl Fn(usize, &mut dyn FnMut(u32, R)) + Sync,
    ) {
        let Self { starts, kernels, others } = self;
        starts.clear();
        starts.push(0);
        for i in 0..lists {
            starts.push(starts[i] + count(i).div_ceil(2) as u32);
        }
        let pairs = starts[lists] as usize;
        kernels.resize(pairs, [R::zero(); 2]);
        others.resize(pairs, [0; 2]);
        let data = (kernels.as_mut_slice(), others.as_mut_slice());
        super::slices::fill_rows(starts, data, &|i, (kernels, others): (&mut [[R; 2]], &mut [[u32; 2]])| {
            if let (Some(kernel), Some(other)) = (kernels.last_mut(), others.last_mut()) {
                (*kernel, *other) = ([R::zero(); 2], [i as u32; 2]);
            }
            let mut next = 0;
            fill(i, &mut |other, kernel| {
                (kernels[next / 2][next % 2], others[next / 2][next % 2]) = (kernel, other);
                next += 1;
            });
        });
    }

    #[inline(always)]
    fn list(&self, i: usize) -> (&[[R; 2]], &[[u32; 2]]) {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        (&self.kernels[range.clone()], &self.others[range])
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.kernels[..]) + size_of_val(&self.others[..])
    }
}

/// What stays the same for a group of phyxels while their stencils do.
#[derive(Clone, Debug)]
struct Group<R> {
    /// `N`.
    map: Mat3<Eight<R>>,
    /// `F⁻¹`.
    back: Mat3<Eight<R>>,
    /// `Σ w x`.
    first: [Eight<R>; 3],
    /// `κ`.
    pull: Eight<R>,
    /// Whether all gradients are those of least squares.
    exact: bool,
}

impl<R: Real> Default for Group<R> {
    fn default() -> Self {
        let zero = Mat3([[Eight::default(); 3]; 3]);
        Group { map: zero, back: zero, first: Default::default(), pull: Eight::default(), exact: true }
    }
}

/// What neighbours need of a phyxel: rows of `B` with its displacement, and its place with `κ` times the modulus.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Told<R: Real> {
    rows: [R::Quad; 3],
    place: R::Quad,
}

/// Where a phyxel is, from the body's first, and what is multiplied.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct At<R: Real> {
    place: R::Quad,
    field: R::Quad,
}

/// The lists of one body, and room for a product.
#[derive(Clone, Debug)]
pub struct Slim<R: Real> {
    /// Which stencils these are the lists of.
    of: Option<u64>,
    elements: Lists<R>,
    nodes: Lists<R>,
    groups: Vec<Group<R>>,
    /// `Σ w x xᵀ` of the phyxels whose gradient is not that of least squares; zero for others.
    seconds: Vec<Mat3<R>>,
    at: Vec<At<R>>,
    told: Vec<Told<R>>,
    /// What each phyxel does to itself.
    own: Vec<Vec3<R>>,
}

impl<R: Real> Default for Slim<R> {
    fn default() -> Self {
        let (elements, nodes, groups, seconds) = (Lists::default(), Lists::default(), Vec::new(), Vec::new());
        let (at, told, own) = (Vec::new(), Vec::new(), Vec::new());
        Slim { of: None, elements, nodes, groups, seconds, at, told, own }
    }
}

impl<R: Real> Slim<R> {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.elements.memory_bytes()
            + self.nodes.memory_bytes()
            + size_of_val(&self.groups[..])
            + size_of_val(&self.seconds[..])
            + size_of_val(&self.at[..])
            + size_of_val(&self.told[..])
            + size_of_val(&self.own[..])
    }

    /// Makes the lists of stencils, unless they are there.
    fn prepare(&mut self, stencils: &General<R>, rest: &[Vec3<R>]) {
        if self.of == Some(stencils.id()) {
            return;
        }
        self.of = Some(stencils.id());
        let (table, incidence, seen) = (&stencils.table, stencils.incidence(), &stencils.seen);
        let (count, first) = (stencils.len(), incidence.nodes().start);
        let Self { elements, nodes, groups, seconds, at, .. } = self;
        at.resize(count, At::default());
        par::for_each(at, |i, at| at.place = quad(rest[first + i] - rest[first], R::zero()));
        // A phyxel sees itself where it is: its own entry, the first, needs no place in a list.
        let others = |e: usize| stencils.entries(e).start + 1..stencils.entries(e).end;
        elements.rebuild(
            count,
            |e| others(e).len(),
            |e, put| others(e).for_each(|k| put(table.nodes[k] - first as u32, seen.kernels[k])),
        );
        let (entries, elements_of) = (incidence.entries(), stencils.elements_of_entries());
        nodes.rebuild(
            count,
            |n| incidence.run(n).len() - 1,
            |n, put| {
                let run = incidence.run(n).filter(|place| elements_of[*place] as usize != n);
                run.for_each(|place| put(elements_of[place], seen.kernels[entries[place] as usize]));
            },
        );
        let arms =
            |e: usize| others(e).map(move |k| (rest[table.nodes[k] as usize] - rest[first + e], seen.kernels[k]));
        seconds.resize(count, Mat3::zero());
        par::for_each(seconds, |e, second| {
            let weak = !seen.phyxels[e].exact;
            *second =
                if weak { arms(e).fold(Mat3::zero(), |sum, (x, w)| sum + Mat3::outer(x * w, x)) } else { Mat3::zero() };
        });
        groups.resize(count.div_ceil(GROUP), Group::default());
        par::chunks(groups, TASK / GROUP, |start, groups| {
            for (k, group) in groups.iter_mut().enumerate() {
                let begin = (start + k) * GROUP;
                *group = Group::default();
                for (lane, e) in (begin..count.min(begin + GROUP)).enumerate() {
                    let phyxel = &seen.phyxels[e];
                    group.map.set_lane(lane, &phyxel.map);
                    group.back.set_lane(lane, &stencils.base_inverse[e]);
                    let sum = arms(e).fold(Vec3::zero(), |sum, (x, w)| sum + x * w);
                    (0..3).for_each(|a| group.first[a].0[lane] = sum.0[a]);
                    group.pull.0[lane] = phyxel.pull;
                    group.exact &= phyxel.exact;
                }
            }
        });
        self.told.resize(count, Told::default());
        self.own.resize(count, Vec3::zero());
    }

    /// [`General::accumulate`] for phyxels of a kernel, times `sign`; `stress` answers for a whole group.
    #[inline(always)]
    pub fn accumulate(
        &mut self,
        stencils: &General<R>,
        penalty: Penalty<'_, R>,
        field: &[Vec3<R>],
        (out, sign): (&mut [Vec3<R>], R),
        stress: impl Fn(usize, Mat3<Eight<R>>) -> Mat3<Eight<R>> + Sync,
    ) {
        self.prepare(stencils, penalty.rest);
        let first = stencils.incidence().nodes().start;
        par::for_each(&mut self.at, |i, at| at.field = quad(field[first + i], R::zero()));
        self.pass_elements(penalty, stress);
        self.gather(&mut out[stencils.incidence().nodes()], sign);
    }

    #[inline(always)]
    fn pass_elements(
        &mut self,
        penalty: Penalty<'_, R>,
        stress: impl Fn(usize, Mat3<Eight<R>>) -> Mat3<Eight<R>> + Sync,
    ) {
        let Self { elements, groups, seconds, at, told, own, .. } = self;
        let lists = (&*elements, &groups[..], &seconds[..], &at[..]);
        par::chunks2((told, own), TASK, |start, told, own| {
            R::registered(Tell { start, told, own, lists, penalty, stress: &stress });
        });
    }

    fn gather(&self, out: &mut [Vec3<R>], sign: R) {
        par::chunks(out, TASK, |start, out| R::registered(Gather { start, out, sign, slim: self }));
    }
}

/// What a pass over elements reads: their lists, groups, second moments, and where phyxels are.
type Read<'a, R> = (&'a Lists<R>, &'a [Group<R>], &'a [Mat3<R>], &'a [At<R>]);

/// The pass over a run of elements from `start` on, which leaves what neighbours need of them.
struct Tell<'a, R: Real, S> {
    start: usize,
    told: &'a mut [Told<R>],
    own: &'a mut [Vec3<R>],
    lists: Read<'a, R>,
    penalty: Penalty<'a, R>,
    stress: &'a S,
}

impl<R: Real, S: Fn(usize, Mat3<Eight<R>>) -> Mat3<Eight<R>> + Sync> Registered<R> for Tell<'_, R, S> {
    #[inline(always)]
    fn work<G: Registers<R>>(self, registers: G) {
        let Tell { start, told, own, lists: (elements, groups, seconds, at), penalty, stress } = self;
        for (k, (told, own)) in told.chunks_mut(GROUP).zip(own.chunks_mut(GROUP)).enumerate() {
            let begin = start + k * GROUP;
            let group = &groups[begin / GROUP];
            let (mut moment, mut sums) = (Mat3([[Eight::default(); 3]; 3]), [Eight::default(); 3]);
            for lane in 0..told.len() {
                let e = begin + lane;
                let seen = Sums::<R>::new(registers, elements.list(e), e, at);
                for r in 0..3 {
                    (0..3).for_each(|c| moment.0[r][c].0[lane] = seen.moment[r][c]);
                    sums[r].0[lane] = seen.first[r];
                }
            }
            let g = moment * group.map.transpose();
            let mut s = stress(begin / GROUP, g);
            let gradient = g * group.back;
            let mut pull = group.pull * Lanes([penalty.modulus; GROUP]);
            for (lane, factor) in penalty.factors.iter().skip(begin).take(told.len()).enumerate() {
                pull.0[lane] = pull.0[lane] * *factor;
            }
            if !group.exact {
                let weak = |lane: &usize| seconds[begin + lane] != Mat3::zero();
                for lane in (0..told.len()).filter(weak) {
                    let (m, g) = (moment.lane(lane), gradient.lane(lane));
                    let torn = (m - g * seconds[begin + lane]) * group.back.lane(lane).transpose();
                    let left = s.lane(lane) - torn * pull.0[lane];
                    s.set_lane(lane, &left);
                }
            }
            let mut b = s * group.map;
            let mut back = [Eight::default(); 3];
            for r in 0..3 {
                back[r] = pull * sums[r];
                for c in 0..3 {
                    b.0[r][c] -= pull * gradient.0[r][c];
                    back[r] += b.0[r][c] * group.first[c];
                }
            }
            for (lane, (told, own)) in told.iter_mut().zip(own).enumerate() {
                let (u, x) = (at[begin + lane].field.lanes(), at[begin + lane].place.lanes());
                for r in 0..3 {
                    let [x, y, z] = b.0[r];
                    told.rows[r] = Quad::new([x.0[lane], y.0[lane], z.0[lane], u[r]]);
                }
                told.place = Quad::new([x[0], x[1], x[2], pull.0[lane]]);
                *own = Vec3(back.map(|b| b.0[lane]));
            }
        }
    }
}

/// The pass over a run of nodes from `start` on, which gathers what phyxels do to them, times `sign`.
struct Gather<'a, R: Real> {
    start: usize,
    out: &'a mut [Vec3<R>],
    sign: R,
    slim: &'a Slim<R>,
}

impl<R: Real> Registered<R> for Gather<'_, R> {
    #[inline(always)]
    fn work<G: Registers<R>>(self, registers: G) {
        let Slim { nodes, at, told, own, .. } = self.slim;
        for (n, value) in (self.start..).zip(self.out) {
            *value -= (at_node(registers, nodes.list(n), at[n], told) - own[n]) * self.sign;
        }
    }
}

/// `M = Σ w u ⊗ x` by rows, and `Σ w u`.
struct Sums<R> {
    moment: [[R; 4]; 3],
    first: [R; 4],
}

impl<R: Real> Sums<R> {
    /// Differences come first, so that a common motion of all nodes costs no digits. The two entries of a pair are summed
    /// apart, side by side.
    #[inline(always)]
    fn new<G: Registers<R>>(two: G, (kernels, nodes): (&[[R; 2]], &[[u32; 2]]), center: usize, at: &[At<R>]) -> Self {
        let own = at[center];
        let (field, place) = (two.join(own.field, own.field), two.join(own.place, own.place));
        let (mut moment, mut first) = ([two.zero(); 3], two.zero());
        for (kernel, nodes) in kernels.iter().zip(nodes) {
            let (a, b) = (&at[nodes[0] as usize], &at[nodes[1] as usize]);
            let u = two.mul(two.sub(two.join(a.field, b.field), field), two.fill(*kernel));
            let arm = two.sub(two.join(a.place, b.place), place);
            let spread = two.spread(u);
            for c in 0..3 {
                moment[c] = two.add(moment[c], two.mul(arm, spread[c]));
            }
            first = two.add(first, u);
        }
        Sums { moment: moment.map(|sum| two.sum(sum)), first: two.sum(first) }
    }
}

/// What all phyxels do to one that they see.
#[inline(always)]
fn at_node<R: Real, G: Registers<R>>(
    two: G,
    (kernels, phyxels): (&[[R; 2]], &[[u32; 2]]),
    own: At<R>,
    told: &[Told<R>],
) -> Vec3<R> {
    // The last lanes become `w κ (u_j − u_i)`.
    let [x, y, z, _] = own.field.lanes();
    let zero = R::zero();
    let last = |u: R| {
        let lanes: R::Quad = Quad::new([zero, zero, zero, u]);
        two.join(lanes, lanes)
    };
    let (field, place) = ([last(x), last(y), last(z)], two.join(own.place, own.place));
    let mut sums = [two.zero(); 3];
    for (kernel, phyxels) in kernels.iter().zip(phyxels) {
        let (a, b) = (&told[phyxels[0] as usize], &told[phyxels[1] as usize]);
        let arm = two.mul(two.sub(place, two.join(a.place, b.place)), two.fill(*kernel));
        for k in 0..3 {
            sums[k] = two.add(sums[k], two.mul(two.sub(two.join(a.rows[k], b.rows[k]), field[k]), arm));
        }
    }
    Vec3(sums.map(|sum| {
        let [x, y, z, spring] = two.sum(sum);
        (x + y) + (z + spring)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::KernelKind;
    use crate::stencil::{Present, Seen, StencilTable, UpdatedStencils};

    const F: [[f64; 3]; 3] = [[1.1, 0.2, -0.1], [0.1, 0.9, 0.3], [0.0, -0.2, 1.05]];

    /// Phyxels on a lattice, some of them in a sheet where gradients are not those of least squares, behind `first` other
    /// nodes.
    fn body<R: Real>(stabilisation: f64, first: usize) -> (General<R>, Vec<Vec3<R>>) {
        let f = Mat3::<R>::of(F);
        let noise = |i: usize| 0.004 * ((i * 37 % 11) as f64 / 5.0 - 1.0);
        let block = (0..150).map(|i| [i % 5, i / 5 % 6, i / 30].map(|c| 0.1 * c as f64 + noise(i + c)));
        let sheet = (0..37).map(|i| [1.0 + 0.1 * (i % 7) as f64, 0.1 * (i / 7) as f64, 0.3 * noise(i)]);
        let positions: Vec<Vec3<R>> = block.chain(sheet).map(|x| f * Vec3::of(x)).collect();
        let n = positions.len();
        let now = Present {
            positions: &positions,
            elastic: &vec![f; n],
            known: None,
            volumes: &vec![R::of(1e-3); n],
            radii: &vec![R::of(0.18); n],
            mutual: true,
            kernel: KernelKind::Cosine,
            stabilisation,
        };
        let (mut table, mut seen) = (StencilTable::default(), Seen::default());
        UpdatedStencils::default().rebuild(&now, (&mut table, &mut seen)).unwrap();
        table.nodes.iter_mut().for_each(|n| *n += first as u32);
        assert!(seen.phyxels.iter().any(|p| p.exact) && seen.phyxels.iter().any(|p| !p.exact));
        let mut general = General::new(table, first..first + n, false);
        general.seen = seen;
        general.elastic = vec![f; n];
        general.rebase();
        let ahead = vec![Vec3::zero(); first];
        (general, ahead.into_iter().chain(positions).collect())
    }

    /// A law that turns and mixes, another for each phyxel.
    fn stress<R: Real>(e: usize, g: Mat3<R>) -> Mat3<R> {
        (g + g.transpose() * R::of(0.4)) * R::of(1.0 + (e % 7) as f64) + Mat3::scaled_identity(g.trace() * R::of(0.5))
    }

    /// The same sums, term by term, from the table alone.
    fn plainly(general: &General<f64>, penalty: Penalty<'_, f64>, field: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
        let mut out = vec![Vec3::zero(); field.len()];
        for e in 0..general.len() {
            let nodes = &general.table.nodes[general.entries(e)];
            let weights = &general.table.weights[general.entries(e)];
            let g = general.gradient(e, field);
            let modulus = penalty.modulus * penalty.factors.get(e).copied().unwrap_or(1.0);
            let offset = |n: u32| general.offset(e, penalty.rest, nodes[0] as usize, n as usize);
            let pull = |k: usize| {
                let c = general.table.penalties.get(general.entries(e).start + k).copied().unwrap_or(0.0);
                (field[nodes[k] as usize] - field[nodes[0] as usize] - g * offset(nodes[k])) * (c * modulus)
            };
            let torn = (1..nodes.len()).fold(Mat3::zero(), |sum, k| sum + Mat3::outer(pull(k), offset(nodes[k])));
            let left = stress(e, g) - torn;
            for k in 0..nodes.len() {
                out[nodes[k] as usize] -= left * weights[k] + pull(k);
                out[nodes[0] as usize] += pull(k);
            }
        }
        out
    }

    #[test]
    fn products_are_those_of_the_table() {
        let field = |n: usize| Vec3([0.3 * (n as f64).sin(), 5.0 + 0.2 * (n as f64 * 0.7).cos(), (n % 5) as f64 * 0.1]);
        for (stabilisation, factors) in [(0.0, 0), (0.1, 0), (0.1, 187)] {
            let (general, rest) = body::<f64>(stabilisation, 3);
            let field: Vec<Vec3<f64>> = (0..rest.len()).map(field).collect();
            let factors: Vec<f64> = (0..factors).map(|e| 0.5 + (e % 3) as f64).collect();
            let penalty = Penalty { rest: &rest, modulus: 40.0, factors: &factors };
            let expected = plainly(&general, penalty, &field);
            let size = expected.iter().map(|f| f.norm()).fold(0.0, f64::max);
            let mut out = vec![Vec3::zero(); rest.len()];
            general.accumulate(penalty, &field, &mut Default::default(), &mut out, stress);
            let worst = |out: &[Vec3<f64>]| (0..out.len()).map(|i| (out[i] - expected[i]).norm()).fold(0.0, f64::max);
            assert!(worst(&out) < 1e-12 * size, "{:e} of {size}", worst(&out));

            let full = |e: usize| {
                let unit = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
                let column =
                    |b: usize| stress(e, Mat3(std::array::from_fn(|i| std::array::from_fn(|j| unit(3 * i + j, b)))));
                crate::material::Tangent(std::array::from_fn(|a| std::array::from_fn(|b| column(b).0[a / 3][a % 3])))
            };
            let tangents: Vec<PackedTangent<f64>> = (0..general.len()).map(|e| PackedTangent::pack(&full(e))).collect();
            let woven: Vec<Woven<f64>> = tangents.chunks(GROUP).map(Woven::of).collect();
            let mut out = vec![Vec3::zero(); rest.len()];
            general.accumulate_woven(penalty, &field, &mut Default::default(), (&mut out, 1.0), &woven);
            assert!(worst(&out) < 1e-12 * size, "{:e} of {size}", worst(&out));
            let total = out.iter().fold(Vec3::zero(), |sum, f| sum + *f);
            assert!(total.norm() < 1e-12 * size, "forces sum to {total:?}");
        }
    }

    #[test]
    fn a_common_motion_costs_no_digits_in_single_precision() {
        let (general, rest) = body::<f32>(0.1, 0);
        let penalty = Penalty { rest: &rest, modulus: 40.0, factors: &[] };
        let product = |shift: f32| {
            let field: Vec<Vec3<f32>> =
                (0..rest.len()).map(|n| Vec3([shift + (n % 4) as f32 * 0.25, 0.0, -shift])).collect();
            let mut out = vec![Vec3::zero(); rest.len()];
            general.accumulate(penalty, &field, &mut Default::default(), &mut out, stress);
            out
        };
        // Exact in binary, so that only what the product itself does is seen.
        assert_eq!(product(0.0), product(1024.0));
    }
}
