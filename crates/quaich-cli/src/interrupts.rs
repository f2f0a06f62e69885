//! Being told to end: Ctrl-C, and on Unix also SIGTERM and SIGHUP.
//!
//! Whatever the command, files that are not complete are removed first. A training listens: it ends early and keeps
//! what it has learned, unless it is told twice.

use std::sync::atomic::{AtomicBool, Ordering};

use quaich::treebank::remove_unfinished;

/// What an interrupted training exits with: 128 and the number of SIGINT, as shells count.
pub(crate) const INTERRUPTED: u8 = 130;

static LISTENING: AtomicBool = AtomicBool::new(false);
static TOLD: AtomicBool = AtomicBool::new(false);

/// From here on nothing unfinished is left behind.
pub(crate) fn watch() {
    // Where nobody can watch, the program ends as any other does.
    #[cfg(unix)]
    let _ = watch_signals();
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(|| {
        #[allow(clippy::exit, reason = "the user asked for it")]
        told(|| std::process::exit(i32::from(INTERRUPTED)));
    });
}

/// From here on the first time only sets what is returned.
pub(crate) fn listen() -> &'static AtomicBool {
    LISTENING.store(true, Ordering::Relaxed);
    &TOLD
}

fn told(end: impl FnOnce()) {
    if LISTENING.load(Ordering::Relaxed) && !TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    remove_unfinished();
    end();
}

#[cfg(unix)]
fn watch_signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // Whoever started us may have wanted that we go on, as `nohup` does.
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(wanted)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            // Who waits for us learns what we ended by.
            told(|| drop(emulate_default_handler(signal)));
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
