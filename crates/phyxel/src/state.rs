//! What lives on from step to step.

use crate::material::plastic::{Grain, Inners};
use crate::math::{Real, Vec3};
use crate::rigid::RigidState;
use crate::solver::Rest;

/// Displacements and velocities of every node, and the time.
///
/// Displacements instead of positions: in `f32` a millimetre of bending on a metre of beam would otherwise leave only
/// four digits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State<R> {
    /// Displacement of each node from its rest position [m].
    pub u: Vec<Vec3<R>>,
    /// Velocity of each node [m/s].
    pub v: Vec<Vec3<R>>,
    /// What the elements of each block remember; empty for bodies that are cold and elastic.
    pub grains: Vec<Vec<Grain<R>>>,
    /// Enthalpy per mass of each node, zero at 0 K [J/kg]; empty where nothing has a temperature.
    pub enthalpy: Vec<f64>,
    /// Simulated time [s].
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// The state one step ago, for schemes that look back; empty after anything that breaks continuity.
    pub before: Before<R>,
    /// Rigid bodies.
    pub rigid: Vec<RigidState>,
    /// Which ties of the model have torn.
    pub torn: Vec<bool>,
    /// Which bodies are at rest.
    pub rest: Vec<Rest>,
}

/// The state one step ago.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Before<R> {
    /// Displacements [m].
    pub u: Vec<Vec3<R>>,
    /// Velocities [m/s].
    pub v: Vec<Vec3<R>>,
    /// How long ago that was [s]; zero when there is no such state.
    pub dt: f64,
}

impl<R: Real> State<R> {
    /// Everything at rest.
    pub fn at_rest(nodes: usize) -> Self {
        State { u: vec![Vec3::zero(); nodes], v: vec![Vec3::zero(); nodes], ..Default::default() }
    }

    /// What elements remember, when they may flow for `dt` [s].
    pub fn inner(&self, dt: f64) -> Inners<'_, R> {
        Inners { grains: &self.grains, dt: R::of(dt) }
    }

    /// Forgets the past, after an event that breaks continuity.
    pub fn forget(&mut self) {
        self.before.dt = 0.0;
    }
}
