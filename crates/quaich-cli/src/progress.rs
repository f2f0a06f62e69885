//! Progress on standard error: a bar on a terminal, nothing when piped or with `--quiet`.

use std::fs::Metadata;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use quaich::treebank::Meter;

static QUIET: AtomicBool = AtomicBool::new(false);
/// The bar on the terminal, if there is one: a command has one at a time.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Whether to be quiet; said once, at the start.
pub(crate) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether `--quiet` was given.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// What is read of the files that a command is given, and their length in bytes if it is known.
static READ: Mutex<Option<(Meter, u64)>> = Mutex::new(None);

/// Has what is read of these files counted, for all counters to come: several files are one job.
pub(crate) fn measure(files: &[impl AsRef<Path>]) -> Meter {
    let meter = Meter::default();
    // Pipes and devices have no length.
    let length = |file: &Path| std::fs::metadata(file).ok().filter(Metadata::is_file).map(|file| file.len());
    let total = files.iter().map(|file| length(file.as_ref())).sum::<Option<u64>>();
    *READ.lock().unwrap_or_else(PoisonError::into_inner) = total.map(|total| (meter.clone(), total));
    meter
}

/// Sentences that go by: with a bar and the time left where it is known how much there is to read.
pub(crate) struct Counter {
    bar: ProgressBar,
    meter: Option<Meter>,
    n: AtomicU64,
}

/// A counter of sentences.
pub(crate) fn counter(what: &'static str) -> Counter {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let template = match read {
        Some(_) => "{prefix} {msg} sentences {wide_bar} {percent} % ({elapsed}, {eta} left)",
        None => "{prefix} {msg} sentences ({elapsed})",
    };
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let (meter, total) = read.map_or((None, None), |(meter, total)| (Some(meter), Some(total.max(1))));
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let bar = start(bar.with_style(style).with_prefix(what).with_message("0"));
    Counter { bar, meter, n: AtomicU64::new(0) }
}

impl Counter {
    /// So many more have gone by.
    pub(crate) fn inc(&self, n: u64) {
        let before = self.n.fetch_add(n, Ordering::Relaxed);
        // A bar is looked at a few times a second, sentences go by by the thousand.
        if before / 100 == (before + n) / 100 || self.bar.is_hidden() {
            return;
        }
        self.bar.set_message((before + n).to_string());
        match &self.meter {
            Some(meter) => self.bar.set_position(meter.bytes()),
            None => self.bar.tick(),
        }
    }

    /// All have gone by.
    pub(crate) fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for work in steps, with the time left. How many there are must be told before the first.
pub(crate) fn steps(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} % ({elapsed}, {eta} left)")
        .expect("the template is well-formed");
    start(ProgressBar::new(1).with_style(style).with_message(what))
}

/// Takes away the bar of work that has ended.
pub(crate) fn clear() {
    if let Some(bar) = BAR.lock().unwrap_or_else(PoisonError::into_inner).take() {
        bar.finish_and_clear();
    }
}

/// Does something on standard error while no bar is in the way.
pub(crate) fn aside(say: impl FnOnce()) {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(say),
        None => say(),
    }
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
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    }
    bar
}
