//! Running the command as a user does.

use std::path::Path;
use std::process::{Command, Output};

/// Runs `phyxel` in a folder.
pub fn phyxel(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phyxel"));
    // Mesa's layer looks for a desktop and complains on stderr, beside our own sentences, where this is not set.
    command.current_dir(folder).args(args).env("XDG_RUNTIME_DIR", folder);
    command.output().expect("the command starts")
}

/// What it said on stderr.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What it said on stdout.
#[allow(dead_code)]
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
