//! Tests that are skipped say so where everybody sees it.

use std::io::Write;

/// Says that the running test is skipped, or a part of it, and for want of what. `cargo xtask ci` counts these lines. What
/// a test prints otherwise is shown only if it fails.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Whoever cannot read it does not need it.
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({reason})");
}
