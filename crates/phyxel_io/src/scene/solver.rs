//! `[solver]`.

use phyxel::scene::{Integrator, LinearSolver, RelativeTo, SolverSettings};

use super::error::SceneError;
use super::fields::{Field, Range};

const KEYS: &[&str] = &[
    "method",
    "step",
    "linear",
    "tolerance",
    "relative_to",
    "max_iterations",
    "newton_iterations",
    "newton_tolerance",
    "iterations",
    "substeps",
    "pbd_stiffness",
    "conserve_momentum",
    "sleep_speed",
    "max_new_nodes",
];

pub(super) fn read(field: &Field<'_>) -> Result<SolverSettings, SceneError> {
    let fields = field.fields(KEYS)?;
    let default = SolverSettings::default();
    Ok(SolverSettings {
        integrator: fields.word("method", "solver", &Integrator::ALL.map(|i| (i.name(), i)), default.integrator)?,
        step: fields.number("step", Range::Positive, default.step)?,
        linear: fields.word("linear", "linear solver", &LinearSolver::ALL.map(|l| (l.name(), l)), default.linear)?,
        tolerance: fields.number("tolerance", Range::Fraction, default.tolerance)?,
        relative_to: fields.word(
            "relative_to",
            "measure of the residual",
            &RelativeTo::ALL.map(|r| (r.name(), r)),
            default.relative_to,
        )?,
        max_iterations: fields.whole("max_iterations", 1, default.max_iterations)?,
        newton_iterations: fields.whole("newton_iterations", 1, default.newton_iterations)?,
        newton_tolerance: fields.number("newton_tolerance", Range::Fraction, default.newton_tolerance)?,
        iterations: fields.whole("iterations", 1, default.iterations)?,
        substeps: fields.whole("substeps", 1, default.substeps)?,
        pbd_stiffness: fields.number("pbd_stiffness", Range::Share, default.pbd_stiffness)?,
        conserve_momentum: fields.flag("conserve_momentum", default.conserve_momentum)?,
        sleep_speed: fields.number("sleep_speed", Range::NotNegative, default.sleep_speed)?,
        max_new_nodes: fields.whole("max_new_nodes", 1, default.max_new_nodes)?,
    })
}
