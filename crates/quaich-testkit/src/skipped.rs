//! Reports skipped tests visibly.

use std::io::Write;

/// Reports that the running test or a part of it is skipped, and why. `cargo xtask ci` counts these lines. Other output
/// of a test is shown only if it fails.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Output that cannot be written is ignored.
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({reason})");
}
