//! Heat: conduction through the stencils, melting, and what it exchanges with everything around.
//!
//! `∇T = Σ T_k d_k` is the gradient of a scalar on the same weights as that of displacements, so meshes and phyxels conduct
//! alike. A step is implicit Euler on the enthalpy, in `f64` whatever the simulation's precision; latent heat makes that
//! nonlinear, and Newton's method on the enthalpy of each node (Voller 1990) takes care of it.

mod conjugate;
mod operator;
mod surroundings;
mod warm;

use crate::math::Real;
use crate::model::Model;
use crate::par;
use crate::state::State;
use conjugate::Conjugate;
use operator::Conduction;
use surroundings::Surroundings;

/// Most iterations of Newton's method within one step.
const MOST_ITERATIONS: usize = 100;
/// Change of temperature at which it ends, relative to the largest temperature.
const TOLERANCE: f64 = 1e-10;

/// The buffers of heat, kept between steps.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    conduction: Conduction,
    surroundings: Surroundings,
    conjugate: Conjugate,
    temperature: Vec<f64>,
    capacity: Vec<f64>,
    enthalpy: Vec<f64>,
    rhs: Vec<f64>,
    diagonal: Vec<f64>,
    /// Nodes without a temperature of their own, or with a given one.
    held: Vec<bool>,
}

impl Heat {
    /// Lets heat flow for `dt` [s] and gives elements the constants of their new temperature.
    pub(crate) fn conduct<R: Real>(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        if state.enthalpy.is_empty() {
            return;
        }
        self.temperature.resize(state.enthalpy.len(), 0.0);
        self.read_temperatures(model, &state.enthalpy);
        self.conduction.refresh(model, state);
        self.surroundings.refresh(model, state, state.time);
        self.surroundings.take_work(model, state, dt);
        self.hold(model, state);
        self.solve(model, state, dt);
        self.warm(model, state);
    }

    /// Sets temperatures of all nodes from enthalpies.
    fn read_temperatures<R: Real>(&mut self, model: &Model<R>, enthalpy: &[f64]) {
        for (k, body) in model.bodies.iter().enumerate() {
            if let (true, Some(thermal)) = (model.is_heated(k), &body.material.thermal) {
                for n in body.nodes.clone() {
                    self.temperature[n] = thermal.of_enthalpy(enthalpy[n]).0;
                }
            }
        }
    }

    /// Marks nodes whose temperature is no unknown, and sets it.
    fn hold<R: Real>(&mut self, model: &Model<R>, state: &mut State<R>) {
        self.held.clear();
        self.held.resize(model.node_count(), true);
        for (k, body) in model.bodies.iter().enumerate() {
            let (Some(Some(heat)), Some(thermal)) = (model.heat.get(k), &body.material.thermal) else { continue };
            self.held[body.nodes.clone()].fill(false);
            for &(n, program) in &heat.held {
                let temperature = heat.program(program, state.time);
                self.held[n as usize] = true;
                self.temperature[n as usize] = temperature;
                state.enthalpy[n as usize] = thermal.enthalpy(temperature);
            }
        }
    }

    /// Implicit Euler: `m (H(T) − H₀)/dt + K T = q`, with `H(T)` straight around the last iterate.
    fn solve<R: Real>(&mut self, model: &Model<R>, state: &mut State<R>, dt: f64) {
        let nodes = state.enthalpy.len();
        self.enthalpy.clone_from(&state.enthalpy);
        self.rhs.resize(nodes, 0.0);
        self.diagonal.resize(nodes, 0.0);
        for _ in 0..MOST_ITERATIONS {
            self.refresh_capacities(model);
            let Self { conduction, surroundings, conjugate, temperature, capacity, enthalpy, rhs, diagonal, held } =
                self;
            let rate = |n: usize| model.masses[n].to_f64() / dt;
            let old = &state.enthalpy;
            par::for_each(rhs, |n, rhs| {
                let known = old[n] - enthalpy[n] + capacity[n] * temperature[n];
                *rhs = rate(n) * known + surroundings.power[n];
            });
            par::for_each(diagonal, |n, d| *d = rate(n) * capacity[n] + surroundings.loss[n]);
            let before = temperature.clone();
            let product = |x: &[f64], out: &mut [f64]| {
                par::for_each(out, |n, out| *out = diagonal[n] * x[n]);
                conduction.add_product(model, x, out);
                surroundings.add_links(x, out);
            };
            let preconditioner = |n: usize| diagonal[n] + conduction.diagonal(n) + surroundings.link_diagonal(n);
            conjugate.solve(product, preconditioner, held, rhs, temperature);
            let mut largest = (0.0f64, 1e-30f64);
            for n in 0..nodes {
                if !held[n] {
                    enthalpy[n] += capacity[n] * (temperature[n] - before[n]);
                }
            }
            let after = temperature.clone();
            self.read_temperatures_from_iterate(model);
            for n in 0..nodes {
                if !self.held[n] {
                    largest.0 = largest.0.max((self.temperature[n] - after[n]).abs());
                    largest.1 = largest.1.max(self.temperature[n].abs());
                }
            }
            if largest.0 <= TOLERANCE * largest.1 {
                break;
            }
        }
        let (enthalpy, held) = (&self.enthalpy, &self.held);
        par::for_each(&mut state.enthalpy, |n, h| {
            if !held[n] {
                *h = enthalpy[n];
            }
        });
    }

    fn read_temperatures_from_iterate<R: Real>(&mut self, model: &Model<R>) {
        let enthalpy = std::mem::take(&mut self.enthalpy);
        let given: Vec<f64> = self.temperature.clone();
        self.read_temperatures(model, &enthalpy);
        for (n, held) in self.held.iter().enumerate() {
            if *held {
                self.temperature[n] = given[n];
            }
        }
        self.enthalpy = enthalpy;
    }

    fn refresh_capacities<R: Real>(&mut self, model: &Model<R>) {
        self.capacity.clear();
        self.capacity.resize(self.enthalpy.len(), 1.0);
        for (k, body) in model.bodies.iter().enumerate() {
            if let (true, Some(thermal)) = (model.is_heated(k), &body.material.thermal) {
                for n in body.nodes.clone() {
                    self.capacity[n] = thermal.capacity(self.enthalpy[n]);
                }
            }
        }
    }
}
