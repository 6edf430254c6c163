//! What is built once: nodes, masses, elements, supports and loads, as arrays.

mod build;
mod carried;
mod check_rigid;
mod checks;
mod embedding;
mod grains;
mod heat;
mod loads;
mod mass;
mod melt;
mod outside;
mod reanchor;
mod region;
mod rigid;
mod skin;
mod supports;
mod surface;
mod ties;
mod unions;

pub(crate) use build::viscosity;
pub use build::{BuildError, Warnings};
pub use carried::{BLOCK, Blended, Carried, Lines, Maps, Site, lines};
pub(crate) use checks::{check_load, check_pin};
pub use heat::HeatModel;
pub(crate) use heat::check_heat_load;
pub use loads::Loads;
pub(crate) use outside::held_by_four;
pub use reanchor::Reanchor;
pub(crate) use region::nodes_inside;
pub use rigid::{RigidModel, TriggerModel};
pub use skin::{Outside, Skin};
pub use supports::{Held, PinSet};
pub use surface::BodySurface;
pub use ties::{Anchor, Tie};
pub use unions::{Fused, MOLTEN, Meeting};

use crate::contact::{Collider, Surface};
use crate::math::{Real, Vec3};
use crate::record::BodyLayout;
use crate::scene::{Groups, MassKind, Method, MlsSettings};
use crate::stencil::block::Block;
use std::ops::Range;

/// Everything about a scene that a step only reads. Events and changes of topology edit it between steps.
#[derive(Clone, Debug)]
pub struct Model<R> {
    /// The bodies, in the order of the scene.
    pub bodies: Vec<BodyModel>,
    /// Positions at rest [m]; displacements are counted from here.
    pub rest: Vec<Vec3<R>>,
    /// Lumped mass of each node [kg].
    pub masses: Vec<R>,
    /// Rayleigh's `alpha` of each body [1/s].
    pub rayleigh_mass: Vec<R>,
    /// The elements.
    pub blocks: Vec<Block<R>>,
    /// What bodies hit.
    pub colliders: Vec<Collider>,
    /// Bodies that do not deform.
    pub rigid: Vec<RigidModel>,
    /// Nodes that are tied to something.
    pub ties: Vec<Tie>,
    /// Regions that notice who is in them.
    pub triggers: Vec<TriggerModel>,
    /// Whether each node can touch something: those of surfaces, and all phyxels.
    pub at_surface: Vec<bool>,
    /// How far the surface is from each node [m]: zero for the nodes of meshes, which lie on it.
    pub radii: Vec<f64>,
    /// The surfaces of bodies, for contact among them.
    pub surface: Surface,
    /// What is held or moved.
    pub pins: Vec<PinSet>,
    /// Gravity and other forces.
    pub loads: Loads<R>,
    /// What each body exchanges heat with; shorter than `bodies` where the last ones have no temperature.
    pub heat: Vec<Option<HeatModel>>,
    /// Off-diagonal masses, for bodies that ask for them: `(row, column, mass)` [kg].
    pub consistent_mass: Vec<(u32, u32, R)>,
    /// Counted up by every edit; what was computed from an older model is stale.
    pub version: u64,
}

/// One body within the model.
#[derive(Clone, Debug)]
pub struct BodyModel {
    /// Its name in the scene.
    pub name: String,
    /// Its nodes.
    pub nodes: Range<usize>,
    /// How it was cut into elements.
    pub method: Method,
    /// What it is made of.
    pub material: crate::material::Material,
    /// How its mass is spread.
    pub mass: MassKind,
    /// Rest volume [m³].
    pub volume: f64,
    /// Choices for phyxels.
    pub mls: MlsSettings,
    /// Per-phyxel support radii [m]; empty for meshes.
    pub supports: Vec<f64>,
    /// How its nodes hang together, for results.
    pub layout: BodyLayout,
    /// Boundary faces over the nodes of the model, wound outward; see `outside_is_old`.
    pub faces: Vec<[u32; 3]>,
    /// The drawn surface.
    pub skin: Skin,
    /// What is drawn where it is not the skin alone.
    pub surface: BodySurface,
    /// Coulomb's coefficient, if it has one of its own.
    pub friction: Option<f64>,
    /// What it touches.
    pub groups: Groups,
    /// It has broken since `faces`, `skin` and `layout` were made: they are made anew when somebody needs them.
    pub outside_is_old: bool,
    /// How it hangs together, if it can break.
    pub fragile: Option<crate::fracture::Fragile>,
    /// It may run into others as a melt.
    pub merges: bool,
    /// Where it has run into others.
    pub fused: Fused,
}

/// Coulomb's coefficient between two things, of which either may leave it to the other.
pub fn joint_friction(a: Option<f64>, b: Option<f64>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => (a * b).sqrt(),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => DEFAULT_FRICTION,
    }
}

/// Coulomb's coefficient where nothing says otherwise.
const DEFAULT_FRICTION: f64 = 0.5;

impl<R: Real> Model<R> {
    /// Where a node is, when its displacement is `u`; in `f64`, so that small gaps of far bodies keep their digits [m].
    #[inline(always)]
    pub fn place(&self, node: usize, u: Vec3<R>) -> Vec3<f64> {
        Vec3(self.rest[node].to_f64()) + Vec3(u.to_f64())
    }

    /// How far around a node its matter reaches, as contact sees it [m].
    #[inline(always)]
    pub fn contact_radius(&self, node: usize) -> f64 {
        self.radii[node]
    }

    /// Whether a node can touch something.
    #[inline(always)]
    pub fn is_touchable(&self, node: usize) -> bool {
        self.at_surface[node]
    }

    /// Those of some nodes that can touch something.
    pub fn touchable(&self, nodes: Range<usize>) -> impl Iterator<Item = u32> + '_ {
        nodes.filter(|n| self.at_surface[*n]).map(|n| n as u32)
    }

    /// Coulomb's coefficient between a node and a collider.
    #[inline]
    pub fn friction_on(&self, node: usize, collider: usize) -> f64 {
        self.friction_between(self.body_index(node), collider)
    }

    /// Coulomb's coefficient between a body and a collider.
    #[inline]
    pub fn friction_between(&self, body: usize, collider: usize) -> f64 {
        match self.bodies[body].friction {
            None => self.colliders[collider].friction,
            own => joint_friction(own, Some(self.colliders[collider].friction)),
        }
    }

    /// Part of its approach speed with which a node leaves a collider.
    #[inline]
    pub fn restitution_on(&self, node: usize, collider: usize) -> f64 {
        self.restitution_between(self.body_index(node), collider)
    }

    /// Part of its approach speed with which a body leaves a collider.
    #[inline]
    pub fn restitution_between(&self, body: usize, collider: usize) -> f64 {
        self.colliders[collider].restitution.max(self.bodies[body].material.restitution)
    }

    /// Whether a node and a collider touch at all.
    #[inline]
    pub fn meets(&self, node: usize, collider: usize) -> bool {
        self.bodies[self.body_index(node)].groups.meet(&self.colliders[collider].groups)
    }

    /// Whether anything can touch a surface of a body besides colliders.
    pub fn rows_needed(&self) -> bool {
        self.surface.touches_soft() || (!self.rigid.is_empty() && !self.surface.parts.is_empty())
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.rest.len()
    }

    /// The number of the body that owns a node.
    #[inline]
    pub fn body_index(&self, node: usize) -> usize {
        self.bodies.partition_point(|b| b.nodes.end <= node)
    }

    /// The body that owns a node.
    pub fn body_of_node(&self, node: usize) -> &BodyModel {
        let place = self.bodies.partition_point(|b| b.nodes.end <= node);
        &self.bodies[place.min(self.bodies.len() - 1)]
    }

    /// The blocks of a body, which stand together.
    pub(crate) fn blocks_of(&self, body: usize) -> Range<usize> {
        let first = self.blocks.partition_point(|b| b.body < body);
        first..first + self.blocks[first..].iter().take_while(|b| b.body == body).count()
    }

    /// The body with a name.
    pub fn body_named(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// Bytes held by the arrays that grow with the model.
    pub fn memory_bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(Block::memory_bytes).sum();
        let bodies: usize = self.bodies.iter().map(|b| 12 * b.faces.len() + 8 * b.supports.len()).sum();
        let nodes = (2 * size_of::<Vec3<R>>() + size_of::<R>()) * self.node_count();
        blocks + bodies + nodes + size_of_val(&self.consistent_mass[..])
    }
}
