//! Progress on standard error: a bar on a terminal, nothing when piped or with `--quiet`.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether to be quiet; said once, at the start.
pub(crate) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether `--quiet` was given.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A counter for work of unknown length.
pub(crate) fn counter(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix}: {human_pos} {msg} ({per_sec}, {elapsed})")
        .expect("the template is well-formed");
    start(ProgressBar::no_length().with_style(style).with_prefix(what))
}

/// A bar for work in a known number of steps, with the time left.
pub(crate) fn steps() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} ({elapsed}, {eta} left)")
        .expect("the template is well-formed");
    start(ProgressBar::new(0).with_style(style))
}

/// The most memory the program has had, in megabytes; known on Linux.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.div_ceil(1000))
}

fn start(bar: ProgressBar) -> ProgressBar {
    if is_quiet() || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    } else {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
