//! The program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    quaich_cli::run()
}
