//! The `quaich` program: one subcommand a file in `commands/`.

mod commands;
mod feature_models;
mod interrupts;
mod output;
mod places;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;

/// Give it a treebank, get a parser.
#[derive(Parser)]
#[command(name = "quaich", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Say nothing on standard error but errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return output::told_by_clap(&told),
    };
    progress::set_quiet(arguments.quiet);
    interrupts::watch();
    match arguments.command.run() {
        Ok(code) => code,
        // Whoever read our output has seen enough: that is success.
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            if output::is_usage(&error) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
