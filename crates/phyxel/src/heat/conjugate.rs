//! Conjugate gradients on one number per node.

use crate::par;

/// Relative residual at which iterations end: temperatures are wanted to more digits than motion.
const TOLERANCE: f64 = 1e-11;
const MOST_ITERATIONS: usize = 10_000;

/// The vectors of the iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjugate {
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    par::sum(a.len(), |i| a[i] * b[i])
}

impl Conjugate {
    /// Solves `A x = b` where nodes are not held; `x` comes with a guess and with the held values.
    pub fn solve(
        &mut self,
        product: impl Fn(&[f64], &mut [f64]),
        diagonal: impl Fn(usize) -> f64 + Sync,
        held: &[bool],
        b: &[f64],
        x: &mut [f64],
    ) {
        let Self { r, z, p, q } = self;
        for v in [&mut *r, z, p, q] {
            v.clear();
            v.resize(x.len(), 0.0);
        }
        let free = |n: usize, value: f64| if held[n] { 0.0 } else { value };
        product(x, q);
        par::for_each(r, |n, r| *r = free(n, b[n] - q[n]));
        let scale = par::sum(b.len(), |n| free(n, b[n] * b[n])).sqrt();
        let goal = TOLERANCE * scale.max(f64::MIN_POSITIVE);
        par::for_each(z, |n, z| *z = r[n] / diagonal(n));
        p.copy_from_slice(z);
        let mut rz = dot(r, z);
        for _ in 0..MOST_ITERATIONS {
            if dot(r, r).sqrt() <= goal {
                return;
            }
            product(p, q);
            par::for_each(q, |n, q| *q = free(n, *q));
            let alpha = rz / dot(p, q);
            if !alpha.is_finite() {
                return;
            }
            par::for_each(x, |n, x| *x += alpha * p[n]);
            par::for_each(r, |n, r| *r -= alpha * q[n]);
            par::for_each(z, |n, z| *z = r[n] / diagonal(n));
            let next = dot(r, z);
            let beta = next / rz;
            rz = next;
            par::for_each(p, |n, p| *p = z[n] + beta * *p);
        }
    }
}
