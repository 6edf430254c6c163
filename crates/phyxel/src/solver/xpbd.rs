//! Position-based dynamics on springs, tetrahedra and phyxels.
//!
//! XPBD (Macklin et al. 2016) with the laws' own measures of deformation as constraints, whose compliance is
//! `1/(modulus · volume)`: when converged it is implicit Euler on the same energy, whatever the number of sweeps.
//! PBD (Müller et al. 2007) removes a fixed part of each violation, so its stiffness depends on the sweeps; it is
//! here for comparison. Elements of one colour share no node: they are solved in parallel and applied in order.

use super::colour::{Colouring, colour};
use crate::contact::Path;
use crate::material::{AnyLaw, Constraint, Corotated, Law, lame, with_law};
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Held, Model};
use crate::par;
use crate::report::StepReport;
use crate::scene::{Integrator, SolverSettings};
use crate::state::State;
use crate::stencil::block::{Block, Stencils};

/// Everything that position-based steps keep between steps.
pub struct Xpbd<R> {
    version: u64,
    colourings: Vec<Colouring>,
    /// Laws that PBD projects on; XPBD takes the blocks' own.
    pbd_laws: Vec<AnyLaw<R>>,
    multipliers: Vec<Vec<[R; 4]>>,
    deltas: Vec<Vec3<R>>,
    start: Vec<Vec3<R>>,
    external: Vec<Vec3<R>>,
    /// Inverse mass along each axis; zero where held.
    inverse_mass: Vec<Vec3<R>>,
    held: Vec<Held<R>>,
    /// How far each node has been pushed out in this part of a step [m].
    pushed: Vec<R>,
    /// Nodes that touched a surface in the last step.
    pub contacts: usize,
}

/// What one sweep needs to know.
struct Sweep<'a, R> {
    model: &'a Model<R>,
    inverse_mass: &'a [Vec3<R>],
    start: &'a [Vec3<R>],
    h: R,
    /// `None` for XPBD; the part of each violation that PBD removes.
    pbd: Option<R>,
}

impl<R: Real> Xpbd<R> {
    /// Room for a model.
    pub fn new(model: &Model<R>) -> Self {
        let zero = vec![Vec3::zero(); model.node_count()];
        let pbd_law = |block: &Block<R>| {
            if block.is_fibre() {
                return block.law;
            }
            let material = &model.bodies[block.body].material;
            let (lam, mu) = lame(material.young_modulus, material.poisson_ratio);
            AnyLaw::Corotated(Corotated { lam: R::of(lam), mu: R::of(mu) })
        };
        Xpbd {
            version: model.version,
            colourings: model.blocks.iter().map(|b| colour(b, model.node_count())).collect(),
            pbd_laws: model.blocks.iter().map(pbd_law).collect(),
            multipliers: model.blocks.iter().map(|b| vec![[R::zero(); 4]; b.len()]).collect(),
            deltas: Vec::new(),
            start: zero.clone(),
            external: zero.clone(),
            inverse_mass: zero,
            held: Vec::new(),
            pushed: vec![R::zero(); model.node_count()],
            contacts: 0,
        }
    }

    /// Moves the state on by one step.
    pub fn step(
        &mut self,
        model: &Model<R>,
        state: &mut State<R>,
        settings: &SolverSettings,
        dt: f64,
        report: &mut StepReport,
    ) {
        // Updated phyxels have other neighbours in every step, so other colours too.
        let updated = (0..model.bodies.len()).any(|b| model.is_updated(b));
        if self.version != model.version || updated {
            *self = Xpbd::new(model);
        }
        let parts = settings.substeps;
        let h = dt / parts as f64;
        for part in 0..parts {
            let end = state.time + (part + 1) as f64 * h;
            self.part(model, state, settings, end, h);
            report.iterations += settings.iterations;
        }
        report.substeps += parts - 1;
        report.contacts = self.contacts;
    }

    fn part(&mut self, model: &Model<R>, state: &mut State<R>, settings: &SolverSettings, end: f64, h: f64) {
        model.held_by_pins(&state.u, end, h, &mut self.held);
        model.external_forces(&state.u, &mut self.external);
        self.predict(model, state, R::of(h));
        self.multipliers.iter_mut().for_each(|m| m.fill([R::zero(); 4]));
        let pbd = (settings.integrator == Integrator::Pbd).then(|| {
            // A violation that is removed in n sweeps by k' each has 1 − (1 − k')ⁿ of it removed (Müller 2007, 3.3).
            R::of(1.0 - (1.0 - settings.pbd_stiffness).powf(1.0 / settings.iterations as f64))
        });
        self.pushed.fill(R::zero());
        for _ in 0..settings.iterations {
            self.sweep(model, state, R::of(h), pbd);
            self.contacts =
                project_contacts(model, state, (&self.start, &self.inverse_mass), &mut self.pushed, (end, R::of(h)));
        }
        let (start, inverse) = (&self.start, R::of(1.0 / h));
        let State { u, v, .. } = state;
        par::for_each(v, |i, v| *v = (u[i] - start[i]) * inverse);
        for (body, &alpha) in model.bodies.iter().zip(&model.rayleigh_mass) {
            if alpha > R::zero() {
                let keep = R::one() / (R::one() + alpha * R::of(h));
                par::for_each(&mut v[body.nodes.clone()], |_, v| *v = *v * keep);
            }
        }
    }

    fn predict(&mut self, model: &Model<R>, state: &mut State<R>, h: R) {
        self.start.copy_from_slice(&state.u);
        par::for_each(&mut self.inverse_mass, |i, w| *w = Vec3([R::one() / model.masses[i]; 3]));
        let (external, w) = (&self.external, &self.inverse_mass);
        let State { u, v, .. } = state;
        par::for_each(u, |i, u| *u += (v[i] + external[i] * (h * w[i].0[0])) * h);
        for held in &self.held {
            let n = held.node as usize;
            let moved = state.u[n] - self.start[n];
            let given = held.velocity - held.free * held.velocity;
            state.u[n] = self.start[n] + held.free * moved + given * h;
            for axis in 0..3 {
                self.inverse_mass[n].0[axis] = self.inverse_mass[n].0[axis] * held.free.0[axis][axis];
            }
        }
    }

    fn sweep(&mut self, model: &Model<R>, state: &mut State<R>, h: R, pbd: Option<R>) {
        let sweep = Sweep { model, inverse_mass: &self.inverse_mass, start: &self.start, h, pbd };
        for (k, block) in model.blocks.iter().enumerate() {
            let law = if pbd.is_some() { &self.pbd_laws[k] } else { &block.law };
            let (colouring, multipliers) = (&self.colourings[k], &mut self.multipliers[k]);
            with_law!(law, law => sweep_block(&sweep, block, law, colouring, multipliers, &mut self.deltas, &mut state.u));
        }
    }
}

fn sweep_block<R: Real>(
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

/// Calls `f(element, its deltas, its multipliers)` for every element of a colour, on all threads.
fn par_elements<R: Real>(
    elements: &[u32],
    offsets: &[u32],
    deltas: &mut [Vec3<R>],
    multipliers: &mut [[R; 4]],
    f: &(impl Fn(usize, &mut [Vec3<R>], &mut [R; 4]) + Sync),
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
            let Constraint { value, gradient, modulus } = law.constraints(g)[c];
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
                element.apply(value, block.penalty_modulus, &mut multipliers[3], |k, at| {
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

/// Pushes nodes out of solids, with friction against their motion over the step; returns how many there were.
fn project_contacts<R: Real>(
    model: &Model<R>,
    state: &mut State<R>,
    (start, inverse_mass): (&[Vec3<R>], &[Vec3<R>]),
    pushed: &mut [R],
    (end, h): (f64, R),
) -> usize {
    let mut count = 0;
    for collider in &model.colliders {
        let friction = R::of(collider.friction);
        for &node in &model.touchable {
            let n = node as usize;
            let u = &mut state.u[n];
            if inverse_mass[n].0.contains(&R::zero()) {
                continue;
            }
            let moved = *u - start[n];
            let path = Path {
                from: model.place(n, start[n]),
                velocity: Vec3((moved * (R::one() / h)).to_f64()),
                radius: model.contact_radius(n),
                start: end - h.to_f64(),
                dt: h.to_f64(),
            };
            let Some(plane) = collider.meet::<R>(&path) else { continue };
            // Matter that was inside at the start rises at a bounded speed.
            let push = (plane.least_normal_velocity(h) - plane.normal.dot(moved) / h) * h;
            if push <= R::zero() {
                continue;
            }
            count += 1;
            let relative = moved - plane.velocity * h;
            let slip = relative - plane.normal * plane.normal.dot(relative);
            let length = slip.norm();
            pushed[n] += push;
            // Each sweep pushes a little; what friction can hold in all is measured by all the pushes together.
            let held = if length <= friction * pushed[n] { R::one() } else { (friction * push / length).min(R::one()) };
            *u += plane.normal * push - slip * held;
        }
    }
    count
}
