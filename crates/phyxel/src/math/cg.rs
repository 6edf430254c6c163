//! Preconditioned conjugate gradients that report what they reached, not what they hoped for.

use super::{Mat3, Real, Vec3};
use crate::par;

/// How a linear solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearReport {
    /// Iterations done.
    pub iterations: usize,
    /// `|b − A x|` recomputed at the end, relative to the reference.
    pub residual: f64,
    /// What the residual is relative to: `|b − A x|` at the start, or `|b|` where that is less, or what was asked for.
    pub reference: f64,
    /// Whether the residual is within the tolerance, or as small as rounding allows; if not, the solver stopped early.
    pub converged: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Relative residual.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// Another solve follows: this one may end with the residual that its recurrence tells, without a product to find the
    /// true one.
    pub rough: bool,
    /// The residual is relative to its start, or to this where that is more: a solve that only mends an earlier one
    /// need not be more exact than that was.
    pub least_reference: f64,
    /// The residual is never relative to more than this: the springs of a contact want impulses beside which a small
    /// body's momentum would be lost.
    pub most_reference: f64,
}

/// Vectors that a solve needs; kept between solves.
#[derive(Clone, Debug, Default)]
pub struct CgScratch<R> {
    r: Vec<Vec3<R>>,
    z: Vec<Vec3<R>>,
    p: Vec<Vec3<R>>,
    q: Vec<Vec3<R>>,
    /// What iterations add to the solution: rounded by its own size, so that the solution is rounded once, and not in each of them.
    added: Vec<Vec3<R>>,
    /// The residual at held nodes, held directions included.
    whole: Vec<Vec3<R>>,
    /// `q` holds the residual that the last solve ended with, held directions included.
    ended: bool,
}

impl<R: Real> CgScratch<R> {
    /// `b − A x` at the end of the last solve, held directions included, if that was one of conjugate gradients.
    pub fn left_over(&self) -> Option<&[Vec3<R>]> {
        self.ended.then_some(&self.q[..])
    }

    /// Another solver has been used.
    pub fn forget(&mut self) {
        self.ended = false;
    }

    /// The vector for residuals, `n` long.
    pub fn residual(&mut self, n: usize) -> &mut Vec<Vec3<R>> {
        self.r.resize(n, Vec3::zero());
        &mut self.r
    }
}

/// A symmetric positive definite system, as conjugate gradients see it.
pub trait System<R: Real>: Sync {
    /// `out = A x`.
    fn multiply(&mut self, x: &[Vec3<R>], out: &mut [Vec3<R>]);
    /// `P⁻¹ r` of one node, held directions included.
    fn precondition(&self, node: usize, r: Vec3<R>) -> Vec3<R>;
    /// Adds what a second level of the preconditioner makes of `r` to `z`; returns what that adds to `r · z`.
    fn correct(&mut self, _r: &[Vec3<R>], _z: &mut [Vec3<R>]) -> f64 {
        0.0
    }
    /// `whole −= α q` at the nodes of which some direction is held.
    fn follow(&self, q: &[Vec3<R>], alpha: R, whole: &mut [Vec3<R>]);
    /// Sets `to` to `from` at those nodes.
    fn copy_held(&self, from: &[Vec3<R>], to: &mut [Vec3<R>]);
    /// Removes the directions that are held.
    fn filter(&self, v: &mut [Vec3<R>]);
}

/// Solves `A x = b` in the free directions; `x` holds the first guess, with the held directions already right.
pub fn solve<R: Real>(
    system: &mut impl System<R>,
    b: &[Vec3<R>],
    x: &mut [Vec3<R>],
    scratch: &mut CgScratch<R>,
    stop: Stop,
) -> LinearReport {
    scratch.ended = true;
    let CgScratch { r, z, p, q, added, whole, .. } = scratch;
    for v in [&mut *r, &mut *z, &mut *p, &mut *q, &mut *added, &mut *whole] {
        v.resize(b.len(), Vec3::zero());
    }
    residual(system, b, x, (r, q));
    // A body at rest starts with a residual of rounding errors; asking for a fraction of those would never end.
    let (size, start) = (norm(b), norm(r));
    let noise = size * R::EPSILON.to_f64() * 4.0;
    // A stiff body that hits something starts with a residual of its stiffness, beside which its momentum, `b`, is
    // nothing: a small part of that would still be many times its momentum, and the body would fly off.
    let scale = start.min(size.max(noise)).max(stop.least_reference).min(stop.most_reference);
    let mut report = LinearReport { converged: true, reference: scale, ..Default::default() };
    if start <= noise {
        return report;
    }
    let goal = (stop.tolerance * scale).max((size + start) * R::EPSILON.to_f64() * 4.0);
    if start <= goal {
        report.residual = start / scale;
        return report;
    }
    let mut last = f64::INFINITY;
    loop {
        system.copy_held(q, whole);
        let done = report.iterations;
        added.fill(Vec3::zero());
        report.iterations += descend(system, (added, whole), (r, z, p, q), goal, stop, done);
        par::for_each(x, |i, x| *x += added[i]);
        if stop.rough {
            report.residual = norm(r) / scale;
            q.copy_from_slice(r);
            system.copy_held(whole, q);
            report.converged = report.residual * scale <= goal;
            return report;
        }
        residual(system, b, x, (r, q));
        let reached = norm(r);
        report.residual = reached / scale;
        // The recurrence drifts from the true residual in finite precision: start again from the truth until it
        // agrees, unless that no longer helps.
        let done = reached <= goal;
        let stuck = report.residual > 0.5 * last || !report.residual.is_finite();
        if done || stuck || report.iterations >= stop.max_iterations {
            report.converged = done;
            return report;
        }
        last = report.residual;
    }
}

type Vectors<'a, R> = (&'a mut Vec<Vec3<R>>, &'a mut Vec<Vec3<R>>, &'a mut Vec<Vec3<R>>, &'a mut Vec<Vec3<R>>);

fn descend<R: Real>(
    system: &mut impl System<R>,
    (added, whole): (&mut [Vec3<R>], &mut [Vec3<R>]),
    (r, z, p, q): Vectors<'_, R>,
    goal: f64,
    stop: Stop,
    done: usize,
) -> usize {
    p.fill(Vec3::zero());
    q.fill(Vec3::zero());
    let (mut rz, mut rr) = step(system, [added, r, z], R::zero(), (p, q));
    p.copy_from_slice(z);
    let mut iterations = 0;
    while done + iterations < stop.max_iterations && rr.sqrt() > 0.9 * goal {
        system.multiply(p, q);
        // Held directions of `p` are zero, so the product need not know of them.
        let curvature = dot(p, q);
        if curvature <= 0.0 || !curvature.is_finite() {
            break;
        }
        system.follow(q, R::of(rz / curvature), whole);
        system.filter(q);
        let next = step(system, [added, r, z], R::of(rz / curvature), (p, q));
        let beta = R::of(next.0 / rz);
        par::for_each(p, |i, p| *p = z[i] + *p * beta);
        (rz, rr) = next;
        iterations += 1;
    }
    iterations
}

/// `added += α p`, `r −= α q`, `z = P⁻¹ r` in one pass over memory; returns `r · z` and `r · r`.
fn step<R: Real>(
    system: &mut impl System<R>,
    [added, r, z]: [&mut [Vec3<R>]; 3],
    alpha: R,
    (p, q): (&[Vec3<R>], &[Vec3<R>]),
) -> (f64, f64) {
    let fine = &*system;
    let [rz, rr] = par::update3((added, &mut *r, &mut *z), &|first, added, r, z| {
        let mut sums = [0.0; 2];
        for (k, ((added, r), z)) in added.iter_mut().zip(r).zip(z).enumerate() {
            let i = first + k;
            *added += p[i] * alpha;
            *r -= q[i] * alpha;
            *z = fine.precondition(i, *r);
            sums[0] += r.dot(*z).to_f64();
            sums[1] += r.dot(*r).to_f64();
        }
        sums
    });
    let rz = rz + system.correct(r, z);
    // The residual has no part in held directions, so the products above need not know of them.
    system.filter(z);
    (rz, rr)
}

/// Sets `r` to `b − A x` in the free directions, and `whole` to all of it.
fn residual<R: Real>(
    system: &mut impl System<R>,
    b: &[Vec3<R>],
    x: &[Vec3<R>],
    (r, whole): (&mut [Vec3<R>], &mut [Vec3<R>]),
) {
    system.multiply(x, whole);
    par::for_each(whole, |i, r| *r = b[i] - *r);
    r.copy_from_slice(whole);
    system.filter(r);
}

/// `a · b`, summed in `f64`.
pub fn dot<R: Real>(a: &[Vec3<R>], b: &[Vec3<R>]) -> f64 {
    par::sum(a.len(), |i| a[i].dot(b[i]).to_f64())
}

/// Length, summed in `f64`.
pub fn norm<R: Real>(a: &[Vec3<R>]) -> f64 {
    dot(a, a).sqrt()
}

/// Inverts the 3x3 diagonal blocks; one that is singular falls back to its trace.
pub fn invert_blocks<R: Real>(diagonal: &[Mat3<R>], inverse: &mut Vec<Mat3<R>>) {
    inverse.resize(diagonal.len(), Mat3::zero());
    par::for_each(inverse, |i, inverse| *inverse = invert_block(&diagonal[i]));
}

/// Inverts one 3x3 block; a singular one falls back to its trace.
pub fn invert_block<R: Real>(block: &Mat3<R>) -> Mat3<R> {
    let scale = block.trace() * R::of(1.0 / 3.0);
    // Scaling first keeps the determinant of small masses away from underflow in f32.
    let inverted = (*block * (R::one() / scale)).inverse().filter(|m| m.is_finite());
    inverted.unwrap_or(Mat3::identity()) * (R::one() / scale)
}
