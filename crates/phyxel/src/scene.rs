//! What to simulate, as plain data in SI units: bodies, what they stand on, what happens to them and when.
//!
//! A [`Scene`] is checked and turned into arrays by [`Simulation::build`](crate::Simulation::build); nothing here
//! knows files or precision.

use crate::contact::HeightField;
use crate::material::Material;
use crate::shape::{Geometry, Placement, Solid};
use std::sync::Arc;

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
    /// What the bodies hit.
    pub colliders: Vec<Collider>,
    /// What happens at a given time.
    pub events: Vec<Event>,
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
            colliders: Vec::new(),
            events: Vec::new(),
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
            notes: Vec::new(),
        }
    }
}

/// How a body touches other bodies and itself; colliders have their own friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Whether it touches other bodies at all.
    pub enabled: bool,
    /// Whether it touches itself.
    pub self_contact: bool,
    /// Coulomb friction coefficient; between two bodies the geometric mean counts.
    pub friction: f64,
}

impl Default for ContactSettings {
    /// Touches others with friction 0.5, and not itself, which costs a search in every step.
    fn default() -> Self {
        ContactSettings { enabled: true, self_contact: false, friction: 0.5 }
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
    /// Total: stencils are built once. Updated: they are rebuilt every step from the present positions.
    pub lagrangian: Lagrangian,
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
    /// The present shape and the stored elastic deformation (Zhou et al. 2013); rebuilt every step.
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

/// Something that bodies hit, and that they do not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its shape.
    pub shape: ColliderShape,
    /// Where it stands at the start.
    pub placement: Placement,
    /// How it moves.
    pub motion: Motion,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Part of the approach speed with which things leave, 0 to 1.
    pub restitution: f64,
}

impl Collider {
    /// At the origin, at rest, with friction 0.5 and no restitution.
    pub fn new(shape: ColliderShape) -> Self {
        Collider { shape, placement: Placement::default(), motion: Motion::default(), friction: 0.5, restitution: 0.0 }
    }
}

/// The shapes of colliders; all but the half-space are centred at their origin, long ones along y.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Everything with `normal · x < offset` is solid.
    HalfSpace {
        /// Points out of the solid; any length but zero.
        normal: [f64; 3],
        /// Distance of the surface from the origin along the unit normal [m].
        offset: f64,
    },
    /// A ball.
    Sphere {
        /// [m]
        radius: f64,
    },
    /// A block.
    Box {
        /// Edge lengths [m].
        size: [f64; 3],
    },
    /// A cylinder with round ends.
    Capsule {
        /// [m]
        radius: f64,
        /// From end to end, at least twice the radius [m].
        height: f64,
    },
    /// A cylinder.
    Cylinder {
        /// [m]
        radius: f64,
        /// Length along y [m].
        height: f64,
    },
    /// Terrain: everything below it is solid.
    HeightField(Arc<HeightField>),
    /// A closed surface, met through a distance field.
    Mesh {
        /// The surface.
        solid: Arc<Solid>,
        /// Size of the field's finest cells [m]; `None` for a 64th of the longest side.
        cell: Option<f64>,
    },
}

/// How a scripted thing moves: along a path, and around a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Translation [m/s].
    pub velocity: [f64; 3],
    /// Axis times rate, about `center` [rad/s].
    pub spin: [f64; 3],
    /// What it turns about, at the start [m].
    pub center: [f64; 3],
    /// When velocity and spin end [s].
    pub until: f64,
    /// Shifts at given times, straight in between: `(time [s], shift [m])`, ascending; added to the above.
    pub keys: Vec<(f64, [f64; 3])>,
}

impl Default for Motion {
    fn default() -> Self {
        Motion { velocity: [0.0; 3], spin: [0.0; 3], center: [0.0; 3], until: f64::INFINITY, keys: Vec::new() }
    }
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
pub enum Action {
    /// Replaces the material; density and law must stay.
    SetMaterial(Material),
    /// Frees every pin of the body.
    Release,
    /// Adds pins where the body is now.
    Pin(Vec<Pin>),
    /// Adds this velocity to every node [m/s].
    Push([f64; 3]),
    /// Replaces the loads of the body.
    SetLoads(Vec<Load>),
    /// Replaces gravity [m/s²].
    SetGravity([f64; 3]),
}

/// The time integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// Explicit Euler, for comparison: it gains energy.
    ExplicitEuler,
    /// Symplectic Euler: first the velocity, then the position with it.
    SymplecticEuler,
    /// Leap-frog, started with a half step of positions; symplectic, second order.
    LeapFrog,
    /// Velocity Verlet.
    Verlet,
    /// Midpoint Runge–Kutta.
    Rk2,
    /// Classical Runge–Kutta.
    Rk4,
    /// Implicit Euler.
    ImplicitEuler,
    /// Implicit midpoint rule.
    ImplicitMidpoint,
    /// Second-order backward differences.
    Bdf2,
    /// Equilibrium at every step, without inertia.
    QuasiStatic,
    /// Position-based dynamics: stiffness depends on iterations.
    Pbd,
    /// Extended position-based dynamics: physical compliance.
    Xpbd,
}

impl Integrator {
    /// Every integrator, in the order in which they are listed to people.
    pub const ALL: [Integrator; 12] = [
        Integrator::ExplicitEuler,
        Integrator::SymplecticEuler,
        Integrator::LeapFrog,
        Integrator::Verlet,
        Integrator::Rk2,
        Integrator::Rk4,
        Integrator::ImplicitEuler,
        Integrator::ImplicitMidpoint,
        Integrator::Bdf2,
        Integrator::QuasiStatic,
        Integrator::Pbd,
        Integrator::Xpbd,
    ];
    /// The name in scene files and results.
    pub fn name(self) -> &'static str {
        match self {
            Integrator::ExplicitEuler => "explicit-euler",
            Integrator::SymplecticEuler => "symplectic-euler",
            Integrator::LeapFrog => "leap-frog",
            Integrator::Verlet => "verlet",
            Integrator::Rk2 => "rk2",
            Integrator::Rk4 => "rk4",
            Integrator::ImplicitEuler => "implicit-euler",
            Integrator::ImplicitMidpoint => "implicit-midpoint",
            Integrator::Bdf2 => "bdf2",
            Integrator::QuasiStatic => "quasi-static",
            Integrator::Pbd => "pbd",
            Integrator::Xpbd => "xpbd",
        }
    }
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearSolver {
    /// Factors once when every law is linear and every body is assembled, conjugate gradients otherwise.
    Auto,
    /// Preconditioned conjugate gradients.
    Cg,
    /// Sparse Cholesky; bodies with a mesh only.
    Cholesky,
    /// Sparse LU; bodies with a mesh only.
    Lu,
}

impl LinearSolver {
    /// Every choice, in the order in which they are listed to people.
    pub const ALL: [LinearSolver; 4] = [LinearSolver::Auto, LinearSolver::Cg, LinearSolver::Cholesky, LinearSolver::Lu];
    /// The name in scene files and results.
    pub fn name(self) -> &'static str {
        match self {
            LinearSolver::Auto => "auto",
            LinearSolver::Cg => "cg",
            LinearSolver::Cholesky => "cholesky",
            LinearSolver::Lu => "lu",
        }
    }
}

/// How the bodies are moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// The time integrator.
    pub integrator: Integrator,
    /// Time step [s]; explicit methods sub-step below it as stability demands.
    pub step: f64,
    /// How implicit steps solve their linear systems.
    pub linear: LinearSolver,
    /// Relative residual at which the linear solver stops.
    pub tolerance: f64,
    /// Most iterations of the linear solver before it stops early and says so.
    pub max_iterations: usize,
    /// Newton iterations per implicit step: 1 linearises once, as in the papers; more use a line search.
    pub newton_iterations: usize,
    /// Relative residual at which Newton stops.
    pub newton_tolerance: f64,
    /// Constraint sweeps per step of PBD and XPBD.
    pub iterations: usize,
    /// Equal parts into which each step of PBD and XPBD is cut.
    pub substeps: usize,
    /// Part of each violation that PBD removes per step, above 0 and up to 1.
    pub pbd_stiffness: f64,
    /// Restores the linear and angular momentum that an integrator or an unfinished linear solve loses on free bodies.
    pub conserve_momentum: bool,
}

impl Default for SolverSettings {
    /// Implicit Euler at 120 Hz, linearised once, solved to a relative residual of 1e-4.
    fn default() -> Self {
        SolverSettings {
            integrator: Integrator::ImplicitEuler,
            step: 1.0 / 120.0,
            linear: LinearSolver::Auto,
            tolerance: 1e-4,
            max_iterations: 10_000,
            newton_iterations: 1,
            newton_tolerance: 1e-5,
            iterations: 10,
            substeps: 10,
            pbd_stiffness: 0.9,
            conserve_momentum: true,
        }
    }
}
