//! One file per command.

pub mod bench;
pub mod check;
pub mod list;
pub mod mesh;
pub mod pictures;
pub mod render;
pub mod run;
pub mod validate;

use crate::failure::Failure;

/// The answer of a command that will come.
pub fn later(command: &str, meanwhile: &str) -> Failure {
    Failure::input(format!("`phyxel {command}` is not in this version; meanwhile {meanwhile}"))
}
