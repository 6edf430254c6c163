//! Cracks that still hold: what a material gives up over a length, and not at once.
//!
//! Where a node has split, its copies pull each other with the strength of the material at first, and with less and less
//! until they are apart by `2 G / strength` (the linear cohesive law of Camacho and Ortiz 1996). The work that this takes is
//! `G` per area whatever the size of the elements, so the answer depends little on them.

use super::fragile::Fragile;
use super::star::between;
use super::tets::TetPieces;
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::scene::Integrator;
use crate::state::State;

/// A crack may open under a rising load by this many times what elements of its size are stretched when they break: at first
/// it must not be stiffer than they are, or steps would become shorter.
const RISE: f64 = 4.0;

/// Two copies of a node that a crack still holds together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Both, within the body.
    pub nodes: [u32; 2],
    /// Area of the crack that they stand for [m²].
    pub area: f64,
    /// Strength of the material there [Pa].
    pub strength: f64,
    /// From the first to the second, when they parted; a unit vector.
    pub normal: [f64; 3],
    /// How far the crack has been open, the rise included [m].
    pub opened: f64,
}

impl Link {
    /// How far it is open when the second is apart from the first by so much [m]: it begins at the end of the rise, under
    /// the full strength, so that nothing jumps when a crack begins.
    fn opening(&self, apart: Vec3<f64>, cohesion: &Cohesion) -> Vec3<f64> {
        apart + Vec3(self.normal) * cohesion.rise
    }
}

/// How a crack gives way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohesion {
    /// Energy per area [J/m²].
    pub energy: f64,
    /// How far it opens under a rising load [m].
    pub rise: f64,
}

impl Cohesion {
    /// Of a body; `None` when its elements are too large to tell it from a crack that opens at once.
    pub fn of(fragile: &Fragile, material: &crate::material::Material) -> Option<Self> {
        let fracture = material.fracture.filter(|f| f.softening)?;
        let rise = RISE * fracture.strength * fragile.size / material.young_modulus;
        let cohesion = Cohesion { energy: fracture.fracture_energy, rise };
        (3.0 * rise < cohesion.length(fracture.strength)).then_some(cohesion)
    }

    /// How far a crack of a strength [Pa] opens until nothing holds it, the rise included [m].
    pub fn length(&self, strength: f64) -> f64 {
        2.0 * self.energy / strength + self.rise
    }

    /// Force per area and opening [Pa/m] of a crack that has been `opened` so far: as elastic as it is until it opens further.
    pub fn stiffness(&self, strength: f64, opened: f64) -> f64 {
        let most = opened.max(self.rise);
        self.traction(strength, most, most) / most
    }

    /// Force per area [Pa] at an opening, if it has been `opened` so far already.
    pub fn traction(&self, strength: f64, opening: f64, opened: f64) -> f64 {
        let (length, most) = (self.length(strength), opened.max(opening));
        if most >= length {
            return 0.0;
        }
        let envelope = |at: f64| strength * (at / self.rise).min((length - at) / (length - self.rise)).max(0.0);
        // On the way back it is as elastic as it has become.
        if opening < most { envelope(most) * opening / most } else { envelope(opening) }
    }
}

/// Rest area around `node` of the faces that separate a side from the rest, a third of each [m²], as a vector that points out
/// of the side.
pub(super) fn rest_area(tets: &TetPieces, node: u32, side: &[u32]) -> (f64, Vec3<f64>) {
    let (mut area, mut out) = (0.0, Vec3::zero());
    for (t, corners) in between(tets, node, side) {
        let opposite = 6 - corners.iter().sum::<usize>();
        let third = tets.table.all_gradients(t as usize)[opposite] * tets.table.volumes[t as usize];
        area += third.norm();
        out -= third;
    }
    (area, out)
}

impl<R: Real> Model<R> {
    /// Adds the forces of cracks that still hold to `out` [N], at displacements `u`.
    pub(crate) fn add_cohesion(&self, u: &[Vec3<R>], out: &mut [Vec3<R>]) {
        for body in &self.bodies {
            let Some(fragile) = body.fragile.as_ref().filter(|f| !f.links.is_empty()) else { continue };
            let Some(cohesion) = Cohesion::of(fragile, &body.material) else { continue };
            for link in &fragile.links {
                let [a, b] = link.nodes.map(|n| body.nodes.start + n as usize);
                let apart = link.opening(self.place(b, u[b]) - self.place(a, u[a]), &cohesion);
                let opening = apart.norm();
                if opening > 0.0 {
                    let traction = cohesion.traction(link.strength, opening, link.opened);
                    let pull = Vec3::of((apart * (traction * link.area / opening)).0);
                    out[a] += pull;
                    out[b] -= pull;
                }
            }
        }
    }

    /// Whether cracks may still hold after they have begun.
    pub(crate) fn may_hold(&self) -> bool {
        let softens = |b: &BodyModel| b.fragile.is_some() && b.material.fracture.is_some_and(|f| f.softening);
        self.bodies.iter().any(softens)
    }

    /// Calls `visit` with both nodes of every crack that still holds and its stiffness [N/m]. An implicit step takes cracks for
    /// as elastic as they were at its start: that stiffness is never below zero, and damage follows after the step.
    pub(crate) fn for_each_hold(&self, mut visit: impl FnMut([usize; 2], f64)) {
        for body in &self.bodies {
            let Some(fragile) = body.fragile.as_ref().filter(|f| !f.links.is_empty()) else { continue };
            let Some(cohesion) = Cohesion::of(fragile, &body.material) else { continue };
            for link in &fragile.links {
                let nodes = link.nodes.map(|n| body.nodes.start + n as usize);
                visit(nodes, link.area * cohesion.stiffness(link.strength, link.opened));
            }
        }
    }

    /// Takes note of how far cracks have opened, and lets go of those that nothing holds any more.
    pub(super) fn open_cracks(&mut self, state: &State<R>) {
        for body in 0..self.bodies.len() {
            if self.bodies[body].fragile.as_ref().is_none_or(|f| f.links.is_empty()) {
                continue;
            }
            let start = self.bodies[body].nodes.start;
            let place = |n: u32| self.place(start + n as usize, state.u[start + n as usize]);
            let Some(fragile) = &self.bodies[body].fragile else { continue };
            let Some(cohesion) = Cohesion::of(fragile, &self.bodies[body].material) else { continue };
            let apart = |link: &Link| place(link.nodes[1]) - place(link.nodes[0]);
            let openings: Vec<f64> =
                fragile.links.iter().map(|link| link.opening(apart(link), &cohesion).norm()).collect();
            let Some(fragile) = &mut self.bodies[body].fragile else { continue };
            fragile.links.iter_mut().zip(openings).for_each(|(link, at)| link.opened = link.opened.max(at));
            fragile.links.retain(|link| link.opened < cohesion.length(link.strength));
        }
    }
}

/// Whether an integrator knows forces: those that move positions by constraints do not.
pub(crate) fn can_follow(integrator: Integrator) -> bool {
    !matches!(integrator, Integrator::Pbd | Integrator::Xpbd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crack_takes_its_energy_and_is_elastic_on_the_way_back() {
        let cohesion = Cohesion { energy: 50.0, rise: 1e-6 };
        let strength = 1e6;
        let (way, steps) = (cohesion.length(strength) - cohesion.rise, 100_000);
        let at = |k: usize| cohesion.rise + way * (k as f64 + 0.5) / steps as f64;
        let work: f64 = (0..steps).map(|k| cohesion.traction(strength, at(k), 0.0) * way / steps as f64).sum();
        assert!((work / 50.0 - 1.0).abs() < 1e-6, "{work}");
        let most = cohesion.traction(strength, 5e-5, 0.0);
        assert!((cohesion.traction(strength, 2.5e-5, 5e-5) / (0.5 * most) - 1.0).abs() < 1e-12);
        assert!((cohesion.traction(strength, cohesion.rise, 0.0) / strength - 1.0).abs() < 1e-12);
        assert_eq!(cohesion.traction(strength, 2e-5, 1.02e-4), 0.0);
    }
}
