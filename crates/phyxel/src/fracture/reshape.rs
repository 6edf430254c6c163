//! Gives broken bodies the masses, stencils and faces of their pieces: all of them, or those of what has changed.

use super::fragile::{Fragile, Pieces};
use super::split::Touched;
use super::tets::TetPieces;
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Model, Skin};
use crate::record::Cells;
use crate::scene::Method;
use crate::stencil::StencilTable;
use crate::stencil::block::Stencils;
use crate::stencil::general::General;
use crate::stencil::tets::Tets;

/// What is different about a body of tetrahedra whose nodes were split; numbers are within the body.
pub(super) struct Fit<R> {
    /// Nodes that were split and their copies, with their masses [kg].
    masses: Vec<(u32, R)>,
    /// Other nodes of faces that have parted.
    bare: Vec<u32>,
}

impl<R: Real> Fit<R> {
    /// After splits.
    pub fn of(pieces: &TetPieces, touched: &Touched, density: f64) -> Self {
        let volumes = &pieces.table.volumes;
        let mass = |&n: &u32| {
            // In the order of the tetrahedra, as when a body is built.
            let share = |corner: &u32| R::of(0.25 * density * volumes[*corner as usize / 4]);
            (n, pieces.corners(n).iter().map(share).fold(R::zero(), |sum, m| sum + m))
        };
        Fit { masses: touched.nodes.as_flattened().iter().map(mass).collect(), bare: touched.bare.clone() }
    }
}

impl<R: Real> Model<R> {
    /// Gives a body of phyxels the masses and stencils of its present pieces.
    fn reshape_points(&mut self, body: usize) {
        let spec = &mut self.bodies[body];
        let (nodes, density) = (spec.nodes.clone(), spec.material.density);
        let Some(fragile) = &spec.fragile else { return };
        let Fragile { pieces: Pieces::Points(points), origin, strength, .. } = fragile else { return };
        let mut table = match points.flow {
            Some(_) => alone(&points.table),
            None => points.table.clone(),
        };
        for (mass, volume) in self.masses[nodes.clone()].iter_mut().zip(&table.volumes) {
            *mass = R::of(density * volume);
        }
        table.nodes.iter_mut().for_each(|n| *n += nodes.start as u32);
        quieten(&mut table, fragile, nodes.start as u32);
        if let Some(block) = self.blocks.iter_mut().find(|b| b.body == body) {
            let mut general = General::new(table.cast(), nodes.clone(), false);
            if let (Some(_), Stencils::General(old)) = (&points.flow, &block.stencils) {
                // Relabelled already; before the first step nothing is deformed.
                general.elastic.clone_from(&old.elastic);
                general.elastic.resize(nodes.len(), Mat3::identity());
                general.rebase();
            }
            block.stencils = Stencils::General(general);
        }
        spec.supports = origin.iter().map(|o| points.radius(*o)).collect();
        spec.layout.node_count = nodes.len();
        fragile.removed_nodes().for_each(|n| self.at_surface[nodes.start + n as usize] = false);
        // Copies lie on the faces of a crack.
        for (copy, n) in nodes.enumerate().skip(strength.len()) {
            self.radii[n] = 0.0;
            self.radii[n - copy + origin[copy] as usize] = 0.0;
        }
    }

    /// Gives a body of tetrahedra the masses, stencils and faces of its present pieces.
    pub(super) fn reshape(&mut self, body: usize) {
        let spec = &mut self.bodies[body];
        let (nodes, density) = (spec.nodes.clone(), spec.material.density);
        let Some(fragile) = &spec.fragile else { return };
        let tets = match &fragile.pieces {
            Pieces::Tets(tets) => tets,
            Pieces::Points(_) => return self.reshape_points(body),
        };
        let first = nodes.start as u32;
        let table = &tets.table;
        self.masses[nodes.clone()].fill(R::zero());
        for (tet, volume) in table.nodes.iter().zip(&table.volumes) {
            tet.iter().for_each(|n| self.masses[(first + n) as usize] += R::of(0.25 * density * volume));
        }
        let mut first_block = true;
        for block in self.blocks.iter_mut().filter(|b| b.body == body) {
            let smoothed = match (spec.method, first_block) {
                (Method::Edge, _) | (Method::Selective, true) => Some(StencilTable::edge_smoothed(table)),
                (Method::Node, _) | (Method::Selective, false) => Some(StencilTable::node_smoothed(table)),
                _ => None,
            };
            first_block = false;
            match (&mut block.stencils, smoothed) {
                (Stencils::Tets(own), _) if own.table.len() != table.len() => {
                    *own = Tets::new(table.cast(), nodes.clone());
                }
                (Stencils::Tets(tets), _) => {
                    tets.set_nodes(&table.nodes, nodes.clone());
                    // Pieces that are not deformed any more give no forces.
                    let any = !fragile.debris.is_empty();
                    for (e, volume) in tets.table.volumes.iter_mut().enumerate() {
                        *volume = if any && fragile.is_debris(e) { R::zero() } else { R::of(table.volumes[e]) };
                    }
                }
                (stencils, Some(mut table)) => {
                    table.nodes.iter_mut().for_each(|n| *n += first);
                    quieten(&mut table, fragile, first);
                    *stencils = Stencils::General(General::new(table.cast(), nodes.clone(), true));
                }
                _ => {}
            }
        }
        self.at_surface[nodes.clone()].fill(false);
        for face in tets.boundary() {
            face.iter().for_each(|n| self.at_surface[nodes.start + *n as usize] = true);
        }
        fragile.removed_nodes().for_each(|n| self.at_surface[nodes.start + n as usize] = false);
        self.renew_outside(body);
    }

    /// Gives a body of tetrahedra the masses of nodes that were split, and lets its bare faces be touched. Its stencils have
    /// followed already; its outside does so where anybody looks at it in every step, and elsewhere when it is asked for.
    pub(super) fn refit(&mut self, body: usize, fit: &Fit<R>) {
        let spec = &mut self.bodies[body];
        let first = spec.nodes.start;
        for &(n, mass) in &fit.masses {
            self.masses[first + n as usize] = mass;
            self.at_surface[first + n as usize] = true;
        }
        for &n in &fit.bare {
            self.at_surface[first + n as usize] = true;
        }
        spec.layout.node_count = spec.nodes.len();
        spec.outside_is_old = true;
        if !self.surface.parts.is_empty() || self.is_heated(body) {
            self.renew_outside(body);
        }
    }

    /// Brings the outside of bodies that have broken up to date.
    pub(crate) fn renew_outsides(&mut self) {
        for body in 0..self.bodies.len() {
            if self.bodies[body].outside_is_old {
                self.renew_outside(body);
            }
        }
    }

    /// Lists the faces of a body of tetrahedra that lie bare now.
    fn renew_outside(&mut self, body: usize) {
        let spec = &mut self.bodies[body];
        spec.outside_is_old = false;
        let Some(Fragile { pieces: Pieces::Tets(tets), .. }) = &spec.fragile else { return };
        let first = spec.nodes.start as u32;
        spec.faces.clear();
        spec.faces.extend(tets.boundary().map(|f| f.map(|n| n + first)));
        let (skin, triangles) = Skin::of_boundary(&spec.faces);
        spec.skin = skin;
        let layout = &mut spec.layout;
        (layout.node_count, layout.skin_triangles) = (spec.nodes.len(), triangles);
        layout.cells = Cells::Tets(tets.table.nodes.clone());
    }
}

/// Stencils of phyxels that see nobody, until those that have no rest shape look around.
fn alone(table: &StencilTable<f64>) -> StencilTable<f64> {
    let count = table.volumes.len() as u32;
    StencilTable {
        offsets: (0..=count).collect(),
        nodes: (0..count).collect(),
        weights: vec![Vec3::zero(); count as usize],
        penalties: vec![0.0; if table.penalties.is_empty() { 0 } else { count as usize }],
        volumes: table.volumes.clone(),
    }
}

/// Takes the forces from stencils of pieces that are not deformed any more.
fn quieten(table: &mut StencilTable<f64>, fragile: &Fragile, first: u32) {
    if fragile.debris.is_empty() {
        return;
    }
    for e in 0..table.volumes.len() {
        let own = table.nodes[table.entries(e)][0] - first;
        if fragile.debris.iter().any(|d| d.nodes.binary_search(&own).is_ok()) {
            table.volumes[e] = 0.0;
            let entries = table.entries(e);
            if !table.penalties.is_empty() {
                table.penalties[entries].fill(0.0);
            }
        }
    }
}
