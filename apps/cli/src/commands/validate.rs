//! `phyxel validate`: the mechanics cases with known answers.

use crate::args::ValidateArgs;
use crate::failure::Failure;

/// The names of all cases.
pub fn case_names() -> Vec<&'static str> {
    Vec::new()
}

/// Runs the command.
pub fn validate(_args: &ValidateArgs) -> Result<(), Failure> {
    Err(super::later("validate", "`cargo test` runs the checks that exist"))
}
