//! What a snapshot keeps of how bodies have broken.

use super::apply::is_smoothed_over_edges;
use super::cohesion::Link;
use super::flow::{Carried, Flow};
use super::fragile::{Pieces, sharpness};
use super::fragments::Fragment;
use super::points::Crack;
use super::relabel::{Relabel, Sources};
use super::renumber::{self, relabel_model};
use crate::math::Real;
use crate::model::Model;
use crate::stencil::TetTable;

/// How one body hangs together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Topology {
    pub origin: Vec<u32>,
    pub tets: Vec<[u32; 4]>,
    pub cracks: Vec<Crack>,
    pub tips: Vec<bool>,
    pub loose: Vec<u32>,
    pub fragment_of: Vec<u32>,
    pub fragments: Vec<Fragment>,
    pub links: Vec<Link>,
    pub rest: Vec<[f64; 3]>,
    pub outside: Vec<[bool; 4]>,
    pub carried: Option<Carried>,
}

impl<R: Real> Model<R> {
    /// How bodies that can break hang together now.
    pub(crate) fn topologies(&self) -> Vec<Option<Topology>> {
        (0..self.bodies.len()).map(|body| self.topology(body)).collect()
    }

    /// How one of them does.
    pub(crate) fn topology(&self, body: usize) -> Option<Topology> {
        let f = self.bodies[body].fragile.as_ref()?;
        let (rest, outside) = match &f.pieces {
            Pieces::Tets(tets) => (tets.rest.clone(), tets.outside.clone()),
            Pieces::Points(_) => (Vec::new(), Vec::new()),
        };
        let (tets, cracks, carried) = match &f.pieces {
            Pieces::Tets(tets) => (tets.table.nodes.clone(), Vec::new(), None),
            Pieces::Points(points) => (Vec::new(), points.cracks.clone(), points.flow.as_ref().map(Flow::carried)),
        };
        Some(Topology {
            origin: f.origin.clone(),
            tets,
            cracks,
            tips: f.tips.clone(),
            loose: f.loose.clone(),
            fragment_of: f.fragment_of.clone(),
            fragments: f.fragments.clone(),
            links: f.links.clone(),
            rest,
            outside,
            carried,
        })
    }

    /// Lets bodies hang together as they did; how nodes are numbered then, if that differs.
    pub(crate) fn set_topologies(&mut self, topologies: Vec<Option<Topology>>) -> Option<Relabel> {
        let mut sources = vec![None; self.bodies.len()];
        for ((spec, topology), sources) in self.bodies.iter_mut().zip(topologies).zip(&mut sources) {
            let smoothed = is_smoothed_over_edges(spec.method);
            let (Some(fragile), Some(topology)) = (&mut spec.fragile, topology) else { continue };
            (fragile.tips, fragile.fragment_of) = (topology.tips, topology.fragment_of);
            (fragile.fragments, fragile.loose) = (topology.fragments, topology.loose);
            fragile.debris.clear();
            fragile.links = topology.links;
            let same = match &fragile.pieces {
                Pieces::Tets(tets) => tets.table.nodes == topology.tets,
                Pieces::Points(points) => points.cracks == topology.cracks,
            };
            if same && fragile.origin == topology.origin {
                fragile.carry_on(topology.carried);
                fragile.list_debris();
                fragile.renew_shell();
                continue;
            }
            match &mut fragile.pieces {
                Pieces::Tets(tets) => {
                    fragile.origin = topology.origin;
                    if fragile.cuts
                        && let Ok(table) = TetTable::build(&topology.rest, &topology.tets)
                    {
                        (tets.table, tets.rest, tets.outside) = (table, topology.rest, topology.outside);
                        fragile.sharpness = sharpness(&tets.table);
                    }
                    tets.set_nodes(topology.tets, fragile.origin.len(), smoothed);
                }
                Pieces::Points(points) => {
                    points.mend();
                    fragile.origin.truncate(fragile.strength.len());
                    for crack in &topology.cracks {
                        points.crack(&mut fragile.origin, crack);
                    }
                }
            }
            if fragile.cuts {
                fragile.find_factors();
            }
            fragile.carry_on(topology.carried);
            fragile.list_debris();
            fragile.renew_shell();
            // Nodes of the unbroken body are always there, under their own numbers.
            *sources = Some(Sources::of_copies(&fragile.origin, fragile.strength.len()));
        }
        let old = self.bodies.iter().map(|b| b.nodes.clone()).collect();
        let relabel = Relabel::new(old, sources);
        relabel.changed().next()?;
        renumber::move_up(self, None, &relabel);
        relabel_model(self, &relabel, (&[], None));
        Some(relabel)
    }

    /// Finds the pieces of phyxels without a rest shape after they have looked around: some may be out of each other's sight,
    /// and molten ones may have grown together. How nodes are numbered then, which is as before, if anything is different.
    pub(crate) fn regroup(&mut self, body: usize, time: f64) -> Option<Relabel> {
        let spec = &mut self.bodies[body];
        let density = spec.material.density;
        if !spec.fragile.as_mut()?.part_by_flow(density, time) {
            return None;
        }
        let mut sources = vec![None; self.bodies.len()];
        sources[body] = Some(Sources::unchanged(self.bodies[body].nodes.len()));
        let relabel = Relabel::new(self.bodies.iter().map(|b| b.nodes.clone()).collect(), sources);
        relabel_model(self, &relabel, (&[], None));
        Some(relabel)
    }
}
