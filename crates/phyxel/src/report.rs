//! What a step tells about itself.

/// How one step, or several together, went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Simulated time [s].
    pub dt: f64,
    /// Steps taken, each of the solver's `step` or less.
    pub steps: usize,
    /// Parts into which stability or the guard cut the steps.
    pub substeps: usize,
    /// Newton iterations.
    pub newton_iterations: usize,
    /// Iterations of the linear solver, or constraint sweeps.
    pub iterations: usize,
    /// Largest true relative residual that a linear solve ended with.
    pub residual: f64,
    /// Largest relative residual of the equations of motion that Newton's method ended with.
    pub newton_residual: f64,
    /// Linear solves that stopped before their tolerance.
    pub stopped_early: usize,
    /// Times the guard rolled a step back.
    pub rollbacks: usize,
    /// Nodes in contact at the end.
    pub contacts: usize,
    /// Linear solves.
    pub solves: usize,
    /// Time that was spent on finding contacts and deciding what they do, without the linear solves [s].
    pub contact_s: f64,
    /// Nodes that cracks have added.
    pub new_nodes: usize,
    /// Nodes that would break, but wait for the next step because this one has added as many as it may.
    pub waiting: usize,
    /// Mass of small pieces that have been removed [kg].
    pub removed_kg: f64,
}

impl StepReport {
    /// Adds what came after.
    pub fn merge(&mut self, later: &StepReport) {
        self.dt += later.dt;
        self.steps += later.steps;
        self.substeps += later.substeps;
        self.newton_iterations += later.newton_iterations;
        self.iterations += later.iterations;
        self.residual = self.residual.max(later.residual);
        self.newton_residual = self.newton_residual.max(later.newton_residual);
        self.stopped_early += later.stopped_early;
        self.rollbacks += later.rollbacks;
        self.contacts = later.contacts;
        self.solves += later.solves;
        self.contact_s += later.contact_s;
        self.new_nodes += later.new_nodes;
        self.waiting = later.waiting;
        self.removed_kg += later.removed_kg;
    }
}
