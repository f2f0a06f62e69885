//! Progress on standard error: a bar on a terminal, nothing when piped or with `--quiet`.

use std::fs::Metadata;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use quaich::treebank::Meter;

static QUIET: AtomicBool = AtomicBool::new(false);
/// The bar on the terminal: a command has at most one at a time.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sets `--quiet`; called once, at the start.
pub(crate) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether `--quiet` was given.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// The bytes read so far of a command's input files, and their total length if it is known.
static BYTES_READ: Mutex<Option<(Meter, u64)>> = Mutex::new(None);

/// Counts the bytes read of these files for all later counters: several files share one bar.
pub(crate) fn track_bytes_read(files: &[impl AsRef<Path>]) -> Meter {
    let meter = Meter::default();
    // Pipes and devices have no length.
    let length = |file: &Path| std::fs::metadata(file).ok().filter(Metadata::is_file).map(|file| file.len());
    let total = files.iter().map(|file| length(file.as_ref())).sum::<Option<u64>>();
    *BYTES_READ.lock().unwrap_or_else(PoisonError::into_inner) = total.map(|total| (meter.clone(), total));
    meter
}

/// Counts processed sentences; shows a bar and the time left if the input length is known.
pub(crate) struct Counter {
    bar: ProgressBar,
    meter: Option<Meter>,
    n: AtomicU64,
}

/// A counter of sentences; `action` says what is done with them.
pub(crate) fn counter(action: &'static str) -> Counter {
    let read = BYTES_READ.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let template = match read {
        Some(_) => "{prefix} {msg} sentences {wide_bar} {percent} % ({elapsed}, {eta} left)",
        None => "{prefix} {msg} sentences ({elapsed})",
    };
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let (meter, total) = read.map_or((None, None), |(meter, total)| (Some(meter), Some(total.max(1))));
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let bar = start(bar.with_style(style).with_prefix(action).with_message("0"));
    Counter { bar, meter, n: AtomicU64::new(0) }
}

impl Counter {
    /// Adds `n` sentences.
    pub(crate) fn inc(&self, n: u64) {
        let before = self.n.fetch_add(n, Ordering::Relaxed);
        // Thousands of sentences per second need no more than a few updates of the bar.
        if before / 100 == (before + n) / 100 || self.bar.is_hidden() {
            return;
        }
        self.bar.set_message((before + n).to_string());
        match &self.meter {
            Some(meter) => self.bar.set_position(meter.bytes()),
            None => self.bar.tick(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for work in steps, with the time left. Set its length before the first step.
pub(crate) fn step_bar(action: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} % ({elapsed}{left})")
        .expect("the template is well-formed")
        // Nothing is known about the time left before the first step.
        .with_key("left", |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            if state.pos() > 0 {
                let _ = write!(text, ", {} left", HumanDuration(state.eta()));
            }
        });
    start(ProgressBar::new(1).with_style(style).with_message(action))
}

/// Removes the current bar.
pub(crate) fn clear() {
    if let Some(bar) = BAR.lock().unwrap_or_else(PoisonError::into_inner).take() {
        bar.finish_and_clear();
    }
}

/// Writes to standard error while the bar is hidden.
pub(crate) fn suspend_bar(write: impl FnOnce()) {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Peak memory use in megabytes; known on Linux only.
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
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    }
    bar
}
