//! How bodies are moved.

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

/// What the residual of a linear solve in an implicit step is relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelativeTo {
    /// What the step changes: the residual of going on as before. Slow motion within a fast one is as exact as any other.
    #[default]
    Change,
    /// The momentum with which bodies go into the step, as in most papers, or what loads give them in it where that is more: a
    /// solve ends when velocities are wrong by the tolerance times the speed of bodies. Where they fly or bounce this
    /// takes fewer iterations.
    Momentum,
}

impl RelativeTo {
    /// Every choice, in the order in which they are listed to people.
    pub const ALL: [RelativeTo; 2] = [RelativeTo::Change, RelativeTo::Momentum];
    /// The name in scene files and results.
    pub fn name(self) -> &'static str {
        match self {
            RelativeTo::Change => "change",
            RelativeTo::Momentum => "momentum",
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
    /// What that is relative to.
    pub relative_to: RelativeTo,
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
    /// Bodies that are slower than this for half a second, and everything that they touch, sleep until something disturbs
    /// them [m/s]; zero for never. Bodies that are pinned or loaded do not sleep.
    pub sleep_speed: f64,
    /// Most nodes that cracks may add in one step, so that no frame stalls; what is left waits for the next.
    pub max_new_nodes: usize,
}

impl Default for SolverSettings {
    /// Implicit Euler at 120 Hz, linearised once, solved to a relative residual of 1e-4.
    fn default() -> Self {
        SolverSettings {
            integrator: Integrator::ImplicitEuler,
            step: 1.0 / 120.0,
            linear: LinearSolver::Auto,
            tolerance: 1e-4,
            relative_to: RelativeTo::Change,
            max_iterations: 10_000,
            newton_iterations: 1,
            newton_tolerance: 1e-5,
            iterations: 10,
            substeps: 10,
            pbd_stiffness: 0.9,
            conserve_momentum: true,
            sleep_speed: 2e-4,
            max_new_nodes: 4096,
        }
    }
}
