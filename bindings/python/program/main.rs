//! The program `quaich` of the Python package, built with the module so that both share everything that is compiled.

use std::process::ExitCode;

fn main() -> ExitCode {
    quaich_cli::run()
}
