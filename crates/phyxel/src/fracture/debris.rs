//! Small pieces that are no longer deformed: they move as rigid bodies, or are taken away.
//!
//! Such a piece keeps its nodes, so that contact, results and snapshots go on as before. Its elements give no forces any
//! more; instead, after every step, its nodes are put back to where a rigid body with their momenta would have them (the
//! shape matching of Müller et al. 2005, at full strength).

use super::fragile::{Fragile, Pieces};
use crate::math::{Mat3, Real, Vec3, polar_rotation, pseudo_inverse_symmetric};
use crate::model::Model;
use crate::scene::{Fate, FragmentRule};
use crate::state::State;

/// A piece that is not deformed any more.
#[derive(Clone, Debug, PartialEq)]
pub struct Debris {
    /// Which fragment.
    pub fragment: u32,
    /// Rigid, or removed.
    pub fate: Fate,
    /// Its nodes, within the body, ascending.
    pub nodes: Vec<u32>,
}

impl Fragile {
    /// Decides what becomes of pieces that are new, and lists those that are not deformed any more. A body that is whole is
    /// never small.
    pub(super) fn sort_out(&mut self, rule: Option<&FragmentRule>) {
        if let Some(rule) = rule.filter(|_| self.fragment_count() > 1) {
            for fragment in self.fragments.iter_mut().filter(|f| f.elements > 0 && f.fate == Fate::Kept) {
                if fragment.volume < rule.smaller_than {
                    fragment.fate = rule.fate;
                }
            }
        }
        self.list_debris();
    }

    /// Lists the pieces that are not deformed any more, and takes their nodes from those that can part.
    pub(super) fn list_debris(&mut self) {
        self.debris.clear();
        if self.fragments.iter().all(|f| f.fate == Fate::Kept) {
            return;
        }
        let owner = self.owners();
        for (k, fragment) in self.fragments.iter().enumerate().filter(|(_, f)| f.fate != Fate::Kept && f.elements > 0) {
            let nodes = (0..owner.len() as u32).filter(|n| owner[*n as usize] as usize == k).collect();
            self.debris.push(Debris { fragment: k as u32, fate: fragment.fate, nodes });
        }
        let Fragile { debris, pieces, .. } = self;
        if let Pieces::Tets(tets) = pieces {
            debris.iter().flat_map(|d| &d.nodes).for_each(|n| tets.splittable[*n as usize] = false);
        }
    }

    /// The fragment of each node.
    pub(super) fn owners(&self) -> Vec<u32> {
        match &self.pieces {
            Pieces::Points(_) => self.fragment_of.clone(),
            Pieces::Tets(tets) => {
                let mut owner = vec![0; self.origin.len()];
                for (tet, fragment) in tets.table.nodes.iter().zip(&self.fragment_of) {
                    tet.iter().for_each(|n| owner[*n as usize] = *fragment);
                }
                owner
            }
        }
    }

    /// Mass of the pieces that have been removed [kg].
    pub fn removed_mass(&self) -> f64 {
        self.fragments.iter().filter(|f| f.fate == Fate::Removed && f.elements > 0).map(|f| f.mass).sum()
    }

    /// Nodes, within the body, of pieces that have been removed.
    pub fn removed_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.debris.iter().filter(|d| d.fate == Fate::Removed).flat_map(|d| d.nodes.iter().copied())
    }

    /// Whether an element is part of a piece that is not deformed any more.
    pub(super) fn is_debris(&self, element: usize) -> bool {
        self.fragments[self.fragment_of[element] as usize].fate != Fate::Kept
    }
}

/// Lets rigid pieces move as such: gives their nodes the places and velocities of a rigid body with the same momenta.
pub(super) fn stiffen<R: Real>(model: &Model<R>, state: &mut State<R>) {
    for body in &model.bodies {
        let Some(fragile) = &body.fragile else { continue };
        for debris in fragile.debris.iter().filter(|d| d.fate == Fate::Rigid) {
            let nodes: Vec<usize> = debris.nodes.iter().map(|n| body.nodes.start + *n as usize).collect();
            stiffen_one(model, state, &nodes);
        }
    }
}

fn stiffen_one<R: Real>(model: &Model<R>, state: &mut State<R>, nodes: &[usize]) {
    if model.pins.iter().flat_map(|p| &p.nodes).any(|n| nodes.binary_search(&(*n as usize)).is_ok()) {
        return; // what holds it decides where it is
    }
    let mass = |n: usize| model.masses[n].to_f64();
    let rest = |n: usize| Vec3(model.rest[n].to_f64());
    let sum = |of: &dyn Fn(usize) -> Vec3<f64>| nodes.iter().fold(Vec3::zero(), |s, n| s + of(*n) * mass(*n));
    let share = 1.0 / nodes.iter().map(|n| mass(*n)).sum::<f64>();
    let (center, home) = (sum(&|n| model.place(n, state.u[n])) * share, sum(&rest) * share);
    let velocity = sum(&|n| Vec3(state.v[n].to_f64())) * share;
    let mut moment = Mat3::zero();
    let mut spin = Vec3::zero();
    for &n in nodes {
        let arm = model.place(n, state.u[n]) - center;
        moment += Mat3::outer(arm, rest(n) - home) * mass(n);
        spin += arm.cross(Vec3(state.v[n].to_f64()) - velocity) * mass(n);
    }
    // Of the order of one, whatever the piece weighs and measures.
    let size = moment.norm();
    let turn = if size > 0.0 { polar_rotation(&(moment * (1.0 / size))) } else { Mat3::identity() };
    let mut inertia = Mat3::zero();
    for &n in nodes {
        let arm = turn * (rest(n) - home);
        inertia += (Mat3::scaled_identity(arm.norm_squared()) - Mat3::outer(arm, arm)) * mass(n);
    }
    let rate = pseudo_inverse_symmetric(&inertia, 1e-9).0 * spin;
    for &n in nodes {
        let arm = turn * (rest(n) - home);
        state.u[n] = Vec3::of((center + arm - rest(n)).0);
        state.v[n] = Vec3::of((velocity + rate.cross(arm)).0);
    }
}
