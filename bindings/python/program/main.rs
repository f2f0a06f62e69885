//! The program `quaich` of the Python package, which the wheel has next to the module.

use std::process::ExitCode;

fn main() -> ExitCode {
    quaich_cli::run()
}
