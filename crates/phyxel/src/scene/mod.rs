//! What to simulate, as plain data in SI units: bodies, what they stand on, what happens to them and when.
//!
//! A [`Scene`] is checked and turned into arrays by [`Simulation::build`](crate::Simulation::build); nothing here
//! knows files or precision.

mod camera;
mod collider;
mod fracture;
mod groups;
mod heat;
mod rigid;
mod solver;
mod surface;

pub use camera::Camera;
pub use collider::{Collider, ColliderShape, Motion};
pub use fracture::{Blade, Cut, Fate, FragmentRule, Weakness};
pub use groups::Groups;
pub use heat::{BodyHeat, HeatKind, HeatLoad};
pub use rigid::{Attachment, RigidBody, Trigger};
pub use solver::{Integrator, LinearSolver, RelativeTo, SolverSettings};
pub use surface::{DEFAULT_SURFELS, SurfaceKind};

use crate::material::Material;
use crate::record::Look;
use crate::shape::{Geometry, TriMesh};

/// Everything that one simulation needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Shown to people and written into results.
    pub name: String,
    /// Simulated time [s].
    pub duration: f64,
    /// Results per simulated second [1/s].
    pub frame_rate: f64,
    /// Acceleration of everything [m/s²]; y is up.
    pub gravity: [f64; 3],
    /// How the bodies are moved.
    pub solver: SolverSettings,
    /// The bodies, each with a name of its own.
    pub bodies: Vec<Body>,
    /// Bodies that do not deform.
    pub rigid_bodies: Vec<RigidBody>,
    /// What the bodies hit.
    pub colliders: Vec<Collider>,
    /// What is tied to what.
    pub attachments: Vec<Attachment>,
    /// Regions that notice who is in them.
    pub triggers: Vec<Trigger>,
    /// What happens at a given time.
    pub events: Vec<Event>,
    /// From where pictures are drawn; `None` for a camera that sees all of it.
    pub camera: Option<Camera>,
}

impl Default for Scene {
    /// Three seconds of earth's gravity at 60 frames a second, with nothing in it yet.
    fn default() -> Self {
        Scene {
            name: "untitled".into(),
            duration: 3.0,
            frame_rate: 60.0,
            gravity: [0.0, -9.81, 0.0],
            solver: SolverSettings::default(),
            bodies: Vec::new(),
            rigid_bodies: Vec::new(),
            colliders: Vec::new(),
            attachments: Vec::new(),
            triggers: Vec::new(),
            events: Vec::new(),
            camera: None,
        }
    }
}

/// One deformable body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique within the scene.
    pub name: String,
    /// The rest shape, in world coordinates.
    pub geometry: Geometry,
    /// How the shape becomes stencils.
    pub method: Method,
    /// What it is made of.
    pub material: Material,
    /// Initial velocity [m/s].
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass [rad/s].
    pub spin: [f64; 3],
    /// Nodes that are held or moved.
    pub pins: Vec<Pin>,
    /// Forces besides gravity.
    pub loads: Vec<Load>,
    /// How mass is spread.
    pub mass: MassKind,
    /// Choices for the meshless method; ignored by the others.
    pub mls: MlsSettings,
    /// How it touches other bodies and itself.
    pub contact: ContactSettings,
    /// Its temperature, if heat is to be simulated.
    pub heat: Option<BodyHeat>,
    /// Where it is calculated, where there is a choice.
    pub place: Place,
    /// Parts that break more easily, or less, than its material.
    pub weaknesses: Vec<Weakness>,
    /// Which elements of a mesh never part from each other, by a number each: the cubes of a wall. Empty where all may.
    pub whole_cells: Vec<u32>,
    /// Which surface is drawn.
    pub surface: SurfaceKind,
    /// Discs of a surface that is made of them, about.
    pub surfels: usize,
    /// A surface that tetrahedra carry along and that is drawn instead of their boundary, at rest. Phyxels and covers have
    /// theirs in their geometry.
    pub skin: Option<TriMesh>,
    /// Colours and textures of the skin.
    pub look: Look,
    /// The part of the look that each triangle of the skin has; empty where all have the first.
    pub skin_parts: Vec<u32>,
    /// Whether cuts, blades and cracks go through elements where they pass, instead of along faces; tetrahedra only.
    pub cut_elements: bool,
    /// What becomes of its small pieces; nothing special where it says nothing.
    pub fragments: Option<FragmentRule>,
    /// What was noticed when its shape was made, in sentences; told with the warnings of the simulation.
    pub notes: Vec<String>,
}

impl Body {
    /// A body at rest, free, without loads.
    pub fn new(name: impl Into<String>, geometry: Geometry, method: Method, material: Material) -> Self {
        Body {
            name: name.into(),
            geometry,
            method,
            material,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            pins: Vec::new(),
            loads: Vec::new(),
            mass: MassKind::Lumped,
            mls: MlsSettings::default(),
            contact: ContactSettings::default(),
            heat: None,
            place: Place::Auto,
            weaknesses: Vec::new(),
            whole_cells: Vec::new(),
            surface: SurfaceKind::Auto,
            surfels: DEFAULT_SURFELS,
            skin: None,
            look: Look::default(),
            skin_parts: Vec::new(),
            cut_elements: false,
            fragments: None,
            notes: Vec::new(),
        }
    }

    /// Its colour, sRGB: its own, or its material's; nothing where neither has one.
    pub fn colour(&self) -> Option<[u8; 3]> {
        self.look.colour.or(self.material.colour)
    }

    /// Its own friction coefficient, if it has one.
    pub fn friction(&self) -> Option<f64> {
        self.contact.friction.or(self.material.friction)
    }
}

/// How a body touches other things and itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Whether it touches other bodies at all.
    pub enabled: bool,
    /// Whether it touches itself.
    pub self_contact: bool,
    /// Coulomb friction coefficient; `None` for its material's. Between two things that have one the geometric mean
    /// counts, beside a thing that has none the other's; two bodies without have 0.5.
    pub friction: Option<f64>,
    /// What it touches.
    pub groups: Groups,
}

impl Default for ContactSettings {
    /// Touches everything but itself, which costs a search in every step.
    fn default() -> Self {
        ContactSettings { enabled: true, self_contact: false, friction: None, groups: Groups::default() }
    }
}

/// How a shape becomes stencils.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Linear tetrahedra.
    Tet,
    /// Tetrahedra with gradients averaged around each edge.
    Edge,
    /// Tetrahedra with gradients averaged around each node.
    Node,
    /// Shear from edges, volume change from nodes: for nearly incompressible matter.
    Selective,
    /// Meshless phyxels, moving least squares.
    Mls,
    /// Two-node springs.
    Spring,
}

impl Method {
    /// Every method, in the order in which they are listed to people.
    pub const ALL: [Method; 6] =
        [Method::Tet, Method::Edge, Method::Node, Method::Selective, Method::Mls, Method::Spring];
    /// The name in scene files and results.
    pub fn name(self) -> &'static str {
        match self {
            Method::Tet => "tet",
            Method::Edge => "edge",
            Method::Node => "node",
            Method::Selective => "selective",
            Method::Mls => "mls",
            Method::Spring => "spring",
        }
    }
}

/// Where a body is calculated when a scene runs on a graphics device. Bodies that can touch each other go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// On the device if that can do it, otherwise on the processor, at the same time.
    #[default]
    Auto,
    /// On the processor.
    Cpu,
    /// On the device; a scene whose device cannot do it does not run there.
    Gpu,
}

/// How mass is spread over nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassKind {
    /// A diagonal matrix: each node carries its share of the volume.
    Lumped,
    /// The finite-element mass matrix; tetrahedra with implicit solvers only.
    Consistent,
}

/// Choices for moving least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MlsSettings {
    /// Weight as a function of distance.
    pub kernel: KernelKind,
    /// How far a phyxel sees.
    pub support: Support,
    /// Strength of the penalty against zero-energy modes, relative to Young's modulus; 0 turns it off.
    pub stabilisation: f64,
    /// Corrects the weights so that the patch test holds on irregular points.
    pub consistency: bool,
    /// Total: stencils are built once. Updated: they are rebuilt from the present positions.
    pub lagrangian: Lagrangian,
    /// How far a phyxel may move against its body as a whole before stencils are rebuilt, in spacings; 0 rebuilds them in
    /// every step, as those of melts always are.
    pub reanchor: f64,
}

impl Default for MlsSettings {
    /// Support of 1.8 spacings with a tenth of full stabilisation was three times cheaper and more accurate than the
    /// wide supports of the papers (cantilever study in ARCHITECTURE.md).
    fn default() -> Self {
        MlsSettings {
            kernel: KernelKind::Poly6,
            support: Support::Spacings(1.8),
            stabilisation: 0.1,
            consistency: true,
            lagrangian: Lagrangian::Total,
            reanchor: 0.25,
        }
    }
}

/// The weight kernels of the meshless method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelKind {
    /// `315/(64π h⁹) (h² − r²)³` (Müller et al. 2004, eq. 9).
    Poly6,
    /// `½ (1 + cos(π r/h))`, normalised (Zhou et al. 2013).
    Cosine,
}

/// How the support radius of a phyxel is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Support {
    /// A multiple of the sampling's spacing; where two phyxels differ in theirs, of the mean of both.
    Spacings(f64),
    /// A multiple of the mean distance to the `k` nearest phyxels (Müller et al. 2004: k = 10, factor 3).
    Nearest {
        /// How many neighbours are averaged.
        k: usize,
        /// Multiple of their mean distance.
        factor: f64,
    },
}

/// What a meshless stencil refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lagrangian {
    /// The rest shape; stencils are built once.
    Total,
    /// The present shape and the stored elastic deformation (Zhou et al. 2013); rebuilt as phyxels move.
    Updated,
}

/// A part of a body, in world coordinates: of the rest shape, or, in events, of the body as it is then.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// Every node.
    All,
    /// Nodes inside an axis-aligned box, its faces included (with a tolerance of 1e-9 of the body's size).
    Box {
        /// Lowest corner [m].
        min: [f64; 3],
        /// Highest corner [m].
        max: [f64; 3],
    },
    /// Nodes inside a ball [m].
    Sphere {
        /// Centre [m].
        center: [f64; 3],
        /// Radius [m].
        radius: f64,
    },
    /// These nodes of the body.
    Nodes(Vec<u32>),
}

/// Nodes that are held, or moved as a rigid whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Which nodes.
    pub region: Region,
    /// Velocity [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity [rad/s] about `center`.
    pub spin: [f64; 3],
    /// A point on the axis of `spin`; it moves with `velocity` [m].
    pub center: [f64; 3],
    /// Directions that are held; the others stay free.
    pub axes: [bool; 3],
    /// The motion stops at this time and the nodes are held from then on [s].
    pub until: f64,
}

impl Pin {
    /// Holds a region in place.
    pub fn hold(region: Region) -> Self {
        Pin { region, velocity: [0.0; 3], spin: [0.0; 3], center: [0.0; 3], axes: [true; 3], until: f64::INFINITY }
    }
}

/// A force on part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Nodes that share it, or whose boundary faces (all corners inside) carry it.
    pub region: Region,
    /// What acts there.
    pub kind: LoadKind,
}

/// What a load does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadKind {
    /// This force on every node of the region [N].
    ForcePerNode([f64; 3]),
    /// This force in all, spread over the region by node mass [N].
    TotalForce([f64; 3]),
    /// Force per rest area, fixed in direction, on the boundary faces of the region [Pa].
    Traction([f64; 3]),
    /// Pressure along the inward normal of the boundary faces of the region, following them as they move [Pa].
    Pressure(f64),
}

/// Something that happens at a given time.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When [s].
    pub at: f64,
    /// To which body, by name; `None` for all.
    pub body: Option<String>,
    /// What.
    pub action: Action,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // events are few
pub enum Action {
    /// Replaces the material; density must stay.
    SetMaterial(Material),
    /// Frees every pin of the body.
    Release,
    /// Adds pins where the body is now.
    Pin(Vec<Pin>),
    /// Adds this velocity to every node [m/s].
    Push([f64; 3]),
    /// Replaces the loads of the body.
    SetLoads(Vec<Load>),
    /// Replaces what heats or cools a body that has a temperature.
    SetHeat(Vec<HeatLoad>),
    /// Replaces gravity [m/s²].
    SetGravity([f64; 3]),
    /// Cuts the body, as it is then, along a plane.
    Cut(Cut),
    /// Lets a blade set out, which cuts the body where it passes it.
    Sweep(Blade),
}
