//! How a command ends when it does not end well: one sentence on stderr, and an exit status that scripts can rely on.

use std::fmt::{self, Display};
use std::process::ExitCode;

use clap::error::ErrorKind;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// What was given is wrong: exit status 2.
    Input(String),
    /// What was asked for could not be done: exit status 1.
    Work(String),
    /// Ctrl-C, after everything was put away: exit status 130, as shells expect of an interrupted program.
    Interrupted(String),
}

impl Failure {
    /// The input was wrong.
    pub fn input(error: impl Display) -> Self {
        Failure::Input(error.to_string())
    }

    /// The work failed.
    pub fn work(error: impl Display) -> Self {
        Failure::Work(error.to_string())
    }

    fn sentence(&self) -> &str {
        match self {
            Failure::Input(sentence) | Failure::Work(sentence) | Failure::Interrupted(sentence) => sentence,
        }
    }

    /// Tells the user, and gives the status with which to exit.
    pub fn tell(&self) -> ExitCode {
        let (status, prefix) = match self {
            Failure::Input(_) => (2, "error: "),
            Failure::Work(_) => (1, "error: "),
            Failure::Interrupted(_) => (130, ""),
        };
        eprintln!("{prefix}{self}");
        ExitCode::from(status)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// The first paragraph of what clap says, on one line; its usage text would bury it.
pub fn from_arguments(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let sentence: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let sentence = sentence.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    let tip = text.lines().map(str::trim).find_map(|line| line.strip_prefix("tip: "));
    match (error.kind(), tip) {
        (ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument, Some(tip)) => {
            Failure::Input(format!("{sentence}; {tip}; see `phyxel --help`"))
        }
        _ => Failure::Input(format!("{sentence}; see `phyxel --help`")),
    }
}
