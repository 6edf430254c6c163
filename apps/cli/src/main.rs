//! The `phyxel` command.

mod args;
mod bench;
mod commands;
mod device;
mod failure;
mod interrupt;
mod painter;
mod progress;
mod report;
mod source;
mod threads;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli),
        Err(error) if !error.use_stderr() => {
            // `--help` and `--version` arrive as errors; nothing is wrong, and a closed pipe does not matter either.
            let _ = error.print();
            Ok(())
        }
        Err(error) => Err(failure::from_arguments(&error)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        None => Cli::command().print_help().map_err(Failure::work),
        Some(Command::List(args)) => commands::list::list(&args),
        Some(Command::Run(args)) => commands::run::run(&args),
        Some(Command::Check(args)) => commands::check::check(&args),
        Some(Command::Validate(args)) => commands::validate::validate(&args),
        Some(Command::Bench(args)) => commands::bench::bench(&args),
        Some(Command::Mesh(args)) => commands::mesh::mesh(&args),
        Some(Command::Render(args)) => commands::render::render(&args),
        Some(Command::Pictures(args)) => commands::pictures::pictures(&args),
        Some(Command::Studio(_)) => Err(commands::later("studio", "`phyxel render` draws results")),
    }
}
