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

fn start(bar: ProgressBar) -> ProgressBar {
    if is_quiet() || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    } else {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
