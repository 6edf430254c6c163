//! Elements as constraints: their laws' measures of deformation, and the penalty of phyxels.

use crate::material::{Constraint, Grain, Law};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::solver::colour::Colouring;
use crate::stencil::block::{Block, Stencils};

/// What one sweep needs to know.
pub(super) struct Sweep<'a, R> {
    pub model: &'a Model<R>,
    /// What the elements of the block in hand remember.
    pub grains: &'a [Grain<R>],
    pub inverse_mass: &'a [Vec3<R>],
    pub start: &'a [Vec3<R>],
    pub h: R,
    /// `None` for XPBD; the part of each violation that PBD removes.
    pub pbd: Option<R>,
}

/// One sweep over the elements of a block, colour after colour.
pub(super) fn sweep_block<R: Real>(
    sweep: &Sweep<'_, R>,
    block: &Block<R>,
    law: &impl Law<R>,
    colouring: &Colouring,
    multipliers: &mut [[R; 4]],
    deltas: &mut Vec<Vec3<R>>,
    u: &mut [Vec3<R>],
) {
    for run in colouring.colours() {
        // Multipliers are stored in the order of colours, so that each colour owns a slice of them.
        let (elements, offsets) = colouring.elements(run.clone());
        deltas.clear();
        deltas.resize((offsets[elements.len()] - offsets[0]) as usize, Vec3::zero());
        let multipliers = &mut multipliers[run];
        par_elements(elements, offsets, deltas, multipliers, &|e, delta, multiplier| {
            solve_element(sweep, block, law, e, u, delta, multiplier);
        });
        for (i, &e) in elements.iter().enumerate() {
            let own = &deltas[(offsets[i] - offsets[0]) as usize..(offsets[i + 1] - offsets[0]) as usize];
            block.with_entries(e as usize, |nodes, _| {
                nodes.iter().zip(own).for_each(|(&n, &delta)| u[n as usize] += delta);
            });
        }
    }
}

/// What is done with an element, its deltas and its multipliers.
type Solve<'a, R> = dyn Fn(usize, &mut [Vec3<R>], &mut [R; 4]) + Sync + 'a;

/// Calls `f(element, its deltas, its multipliers)` for every element of a colour, on all threads.
fn par_elements<R: Real>(
    elements: &[u32],
    offsets: &[u32],
    deltas: &mut [Vec3<R>],
    multipliers: &mut [[R; 4]],
    f: &Solve<'_, R>,
) {
    if elements.len() <= 128 {
        let mut rest = deltas;
        for (i, (&e, multiplier)) in elements.iter().zip(multipliers).enumerate() {
            let (own, others) = rest.split_at_mut((offsets[i + 1] - offsets[i]) as usize);
            f(e as usize, own, multiplier);
            rest = others;
        }
        return;
    }
    let middle = elements.len() / 2;
    let (low, high) = deltas.split_at_mut((offsets[middle] - offsets[0]) as usize);
    let (low_m, high_m) = multipliers.split_at_mut(middle);
    rayon::join(
        || par_elements(&elements[..middle], &offsets[..=middle], low, low_m, f),
        || par_elements(&elements[middle..], &offsets[middle..], high, high_m, f),
    );
}

fn solve_element<R: Real>(
    sweep: &Sweep<'_, R>,
    block: &Block<R>,
    law: &impl Law<R>,
    e: usize,
    u: &[Vec3<R>],
    delta: &mut [Vec3<R>],
    multipliers: &mut [R; 4],
) {
    let volume = block.volumes()[e];
    block.with_entries(e, |nodes, weights| {
        let mut element = Element { sweep, block, nodes, u, delta };
        for c in 0..3 {
            let g = element.gradient(weights) + base(block, e);
            let constraints = match sweep.grains.get(e) {
                Some(grain) => block.inner.constraints(g, grain),
                None => law.constraints(g),
            };
            let Constraint { value, gradient, modulus } = constraints[c];
            if modulus > R::zero() {
                element.apply(value, modulus * volume, &mut multipliers[c], |k, _| gradient * weights[k]);
            }
        }
        if let Stencils::General(general) = &block.stencils {
            let g = element.gradient(weights);
            let center = element.at(0);
            let slopes = general.penalty_slopes(e, &sweep.model.rest, g, |k| element.at(k));
            let value = (slopes.energy + slopes.energy).sqrt();
            if value > R::zero() {
                let scale = R::one() / value;
                let factor = sweep.grains.get(e).map_or(R::one(), |grain| block.inner.penalty_factor(grain));
                element.apply(value, block.penalty_modulus * factor, &mut multipliers[3], |k, at| {
                    slopes.slope(general, e, &sweep.model.rest, (k, at, center)) * scale
                });
            }
        }
    });
}

fn base<R: Real>(block: &Block<R>, e: usize) -> Mat3<R> {
    match &block.stencils {
        Stencils::Tets(_) => Mat3::zero(),
        Stencils::General(g) => g.base(e),
    }
}

/// One element in the middle of a sweep: shared displacements and its own changes to them.
struct Element<'a, R> {
    sweep: &'a Sweep<'a, R>,
    block: &'a Block<R>,
    nodes: &'a [u32],
    u: &'a [Vec3<R>],
    delta: &'a mut [Vec3<R>],
}

impl<R: Real> Element<'_, R> {
    fn at(&self, k: usize) -> Vec3<R> {
        self.u[self.nodes[k] as usize] + self.delta[k]
    }

    fn gradient(&self, weights: &[Vec3<R>]) -> Mat3<R> {
        let mut g = Mat3::zero();
        for (k, &d) in weights.iter().enumerate() {
            g += Mat3::outer(self.at(k), d);
        }
        g
    }

    /// Moves the nodes against the constraint `value` with energy `½ stiffness value²`; `slope(k, u_k)` is its
    /// derivative by the displacement of entry `k`.
    fn apply(&mut self, value: R, stiffness: R, multiplier: &mut R, slope: impl Fn(usize, Vec3<R>) -> Vec3<R>) {
        let Sweep { inverse_mass, start, h, pbd, .. } = self.sweep;
        let damping = if pbd.is_some() { R::zero() } else { self.block.rayleigh_stiffness / *h };
        let (mut weight, mut rate) = (R::zero(), R::zero());
        for (k, &n) in self.nodes.iter().enumerate() {
            let (s, w) = (slope(k, self.at(k)), inverse_mass[n as usize]);
            weight += s.dot(Vec3([s.0[0] * w.0[0], s.0[1] * w.0[1], s.0[2] * w.0[2]]));
            if damping > R::zero() {
                rate += s.dot(self.at(k) - start[n as usize]);
            }
        }
        if weight <= R::zero() {
            return;
        }
        let change = match pbd {
            Some(part) => -value * *part / weight,
            None => {
                // Macklin et al. 2016, eq. 26, with damping of the constraint's own rate.
                let compliance = R::one() / (stiffness * *h * *h);
                let change =
                    -(value + compliance * *multiplier + damping * rate) / ((R::one() + damping) * weight + compliance);
                *multiplier += change;
                change
            }
        };
        for (k, &n) in self.nodes.iter().enumerate() {
            let (s, w) = (slope(k, self.at(k)), inverse_mass[n as usize]);
            self.delta[k] += Vec3([s.0[0] * w.0[0], s.0[1] * w.0[1], s.0[2] * w.0[2]]) * change;
        }
    }
}
