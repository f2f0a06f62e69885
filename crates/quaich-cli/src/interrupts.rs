//! Signals: Ctrl-C, and on Unix also SIGTERM and SIGHUP.
//!
//! Every command removes incomplete files before it exits. Training handles the first signal itself: it stops at once and
//! saves the model of the finished epochs. A second signal exits.

use std::sync::atomic::{AtomicBool, Ordering};

use quaich::treebank::remove_unfinished;

/// The exit code of an interrupted training run: 128 plus the number of SIGINT, as in shells.
pub(crate) const INTERRUPTED: u8 = 130;

static STOPS_EARLY: AtomicBool = AtomicBool::new(false);
static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);

/// Installs the handlers; from here on no incomplete file is left behind.
pub(crate) fn handle_signals() {
    // Without handlers, signals end the program as usual.
    #[cfg(unix)]
    let _ = spawn_signal_thread();
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(|| {
        #[allow(clippy::exit, reason = "the user pressed Ctrl-C")]
        on_signal(|| std::process::exit(i32::from(INTERRUPTED)));
    });
}

/// From here on the first signal only sets the returned flag.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    STOPS_EARLY.store(true, Ordering::Relaxed);
    &STOP_REQUESTED
}

fn on_signal(exit: impl FnOnce()) {
    if STOPS_EARLY.load(Ordering::Relaxed) && !STOP_REQUESTED.swap(true, Ordering::Relaxed) {
        return;
    }
    remove_unfinished();
    exit();
}

#[cfg(unix)]
fn spawn_signal_thread() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // Signals that the parent process ignores, as `nohup` does, stay ignored.
    let handled = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(handled)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            // The exit status shows the parent process which signal it was.
            on_signal(|| drop(emulate_default_handler(signal)));
        }
    })?;
    Ok(())
}

/// Whether a signal was ignored when the program started; known on Linux.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
