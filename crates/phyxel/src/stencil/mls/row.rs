//! One phyxel's stencil, from the offsets to its neighbours.

use super::super::slices::Tally;
use super::moment::inverse_of_moment;
use crate::math::{Mat3, Real, Vec3};
use crate::scene::KernelKind;

/// Directions in which phyxels have no neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Dropped {
    /// Phyxels that lack at least one direction.
    pub phyxels: usize,
    /// Directions lacked, over all phyxels.
    pub directions: usize,
}

impl Dropped {
    /// Of one phyxel.
    pub fn of(directions: usize) -> Self {
        Dropped { phyxels: (directions > 0) as usize, directions }
    }
}

impl Tally for Dropped {
    fn merge(self, o: Self) -> Self {
        Dropped { phyxels: self.phyxels + o.phyxels, directions: self.directions + o.directions }
    }
}

/// The entries of one phyxel: itself first, then its neighbours.
pub(crate) struct Entries<'a, R> {
    pub nodes: &'a mut [u32],
    pub weights: &'a mut [Vec3<R>],
    pub penalties: Option<&'a mut [R]>,
}

/// What is left to be known of a stencil beside what its kernel gave.
pub(crate) struct ByKernel<R> {
    pub dropped: Dropped,
    /// `d_ij = w_ij map X_ij`.
    pub map: Mat3<R>,
    /// `c_ij = pull w_ij` [m].
    pub pull: R,
    /// Whether the gradient is that of least squares in all directions.
    pub exact: bool,
}

/// How far the two phyxels of a pair see each other, when their own supports differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<R> {
    /// Square of the first one's support over that of the pair.
    pub narrowing: R,
    /// How much matter the second one stands for, relative to the first.
    pub share: R,
}

impl<R: Real> Pair<R> {
    /// Phyxels that see as far as the first one does.
    pub fn alike() -> Self {
        Pair { narrowing: R::one(), share: R::one() }
    }

    /// A pair sees as far as both do on average: a fine phyxel then sees the coarse ones behind the border of their
    /// levels, which its own support hardly reaches, and they see it. The second one counts by its volume, as in an
    /// integral, and the kernel by the fifth power of the pair's support, which makes `A` the same on all levels. The
    /// pull of `j` on `i` is then that of `i` on `j`, and what is left unbalanced at a border is small enough for the
    /// consistency correction. Equal supports give exactly [`Pair::alike`].
    pub fn between(own: R, other: R) -> Self {
        let ratio = own / ((own + other) * R::of(0.5));
        let (squared, larger) = (ratio * ratio, other / own);
        Pair { narrowing: squared, share: larger * larger * larger * (squared * squared * ratio) }
    }
}

/// What the weights of one phyxel are made from.
pub(crate) struct Row<R, O: Fn(u32) -> Vec3<R>, P: Fn(u32) -> Pair<R>> {
    pub kernel: KernelKind,
    /// Support radius [m].
    pub radius: R,
    /// Offset from the phyxel to node `j` in the rest shape [m].
    pub offset: O,
    /// How it sees node `j`.
    pub pair: P,
    /// The least share of the largest moment that counts; see [`inverse_of_moment`].
    pub least: R,
}

impl<R: Real, O: Fn(u32) -> Vec3<R>, P: Fn(u32) -> Pair<R>> Row<R, O, P> {
    /// Weights and penalties for the nodes already in `entries`; `penalty` is the stabilisation times the volume [m³].
    pub fn fill(&self, entries: Entries<'_, R>, penalty: R) -> Dropped {
        let Entries { nodes, weights, mut penalties } = entries;
        let (mut moment, mut weight_sum) = (Mat3::zero(), R::zero());
        let per_radius = R::one() / self.radius;
        // The kernel is the dearest part of a rebuild: it is evaluated once, and what it gives waits in its entry.
        for k in 1..nodes.len() {
            let (q, w) = self.scaled(nodes[k]);
            moment += Mat3::outer(q, q * w);
            weight_sum += w;
            weights[k] = q * (w * per_radius);
            if let Some(penalties) = &mut penalties {
                penalties[k] = self.pull(q, w);
            }
        }
        let inverse = inverse_of_moment(moment, self.least);
        finish(weights, inverse.matrix);
        if let Some(penalties) = penalties {
            penalties[0] = R::zero();
            penalties[1..].iter_mut().for_each(|p| *p = *p * (penalty / weight_sum));
        }
        Dropped::of(inverse.dropped)
    }

    /// The same with penalties that the kernel alone makes, `c_ij = κ_i w_ij` with `Σ c |X|² = penalty` as above; `kernels`
    /// keeps what the kernel gives.
    pub fn fill_by_kernel(&self, entries: Entries<'_, R>, kernels: &mut [R], penalty: R) -> ByKernel<R> {
        let Entries { nodes, weights, penalties } = entries;
        let mut moment = Mat3::zero();
        let per_radius = R::one() / self.radius;
        kernels[0] = R::zero();
        for k in 1..nodes.len() {
            let q = (self.offset)(nodes[k]) * per_radius;
            weights[k] = q;
            kernels[k] = q.norm_squared() * (self.pair)(nodes[k]).narrowing;
        }
        self.kernel.profiles(&mut kernels[1..]);
        for k in 1..nodes.len() {
            let (q, w) = (weights[k], kernels[k] * (self.pair)(nodes[k]).share);
            moment += Mat3::outer(q, q * w);
            weights[k] = q * (w * per_radius);
            kernels[k] = w;
        }
        let inverse = inverse_of_moment(moment, self.least);
        finish(weights, inverse.matrix);
        let squared = self.radius * self.radius;
        let extent = moment.trace() * squared;
        let pull = if extent > R::zero() { penalty / extent } else { R::zero() };
        if let Some(penalties) = penalties {
            penalties.iter_mut().zip(&*kernels).for_each(|(p, w)| *p = *w * pull);
        }
        let map = inverse.matrix * (R::one() / squared);
        ByKernel { dropped: Dropped::of(inverse.dropped), map, pull, exact: inverse.exact }
    }

    /// `w_ij / |X_ij|²`, which stabilisation multiplies with `a V_i / Σ w_ij`; a neighbour in the very same place can
    /// have no residual.
    #[inline(always)]
    fn pull(&self, q: Vec3<R>, w: R) -> R {
        let distance_squared = q.norm_squared() * self.radius * self.radius;
        if distance_squared > R::zero() { w / distance_squared } else { R::zero() }
    }

    /// Whether node `j` is within the support of the pair.
    #[inline(always)]
    pub fn sees(&self, j: u32) -> bool {
        (self.offset)(j).norm_squared() * (self.pair)(j).narrowing < self.radius * self.radius
    }

    /// Offset in units of the support, and its weight.
    #[inline(always)]
    fn scaled(&self, j: u32) -> (Vec3<R>, R) {
        let q = (self.offset)(j) * (R::one() / self.radius);
        let pair = (self.pair)(j);
        (q, self.kernel.profile(q.norm_squared() * pair.narrowing) * pair.share)
    }
}

/// Weights from what waits in their entries; they sum to zero.
fn finish<R: Real>(weights: &mut [Vec3<R>], inverse: Mat3<R>) {
    let mut sum = Vec3::zero();
    for weight in &mut weights[1..] {
        *weight = inverse * *weight;
        sum += *weight;
    }
    weights[0] = -sum;
}
