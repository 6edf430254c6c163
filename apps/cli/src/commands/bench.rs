//! `phyxel bench`: the benchmark suites.

use crate::args::BenchArgs;
use crate::failure::Failure;

/// Runs the command.
pub fn bench(_args: &BenchArgs) -> Result<(), Failure> {
    Err(super::later("bench", "`phyxel run SCENE --formats none --json -` tells the time of each stage"))
}
