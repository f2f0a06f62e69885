//! Long work: on a thread of its own, while the calling thread waits without the interpreter lock and looks for signals.
//!
//! Every call has a thread pool of its own. The global pool of rayon is never used: its threads would not exist in a forked process, which
//! would wait for them for ever.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{no_threads, of_panic};

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);

/// The result of long work, and the first exception of a signal handler or callback, after which the work was asked to stop.
pub(crate) struct Outcome<T> {
    pub(crate) result: PyResult<T>,
    pub(crate) stopped_by: Option<PyErr>,
}

/// Runs long work in a pool of `jobs` threads. It must return soon after the flag is set. `on_event` receives what it sends, on the
/// calling thread.
pub(crate) fn run_with_events<T: Send, E: Send>(
    py: Python<'_>,
    jobs: usize,
    work: impl FnOnce(&AtomicBool, Sender<E>) -> T + Send,
    mut on_event: impl FnMut(E) -> PyResult<()>,
) -> Outcome<T> {
    let stop = AtomicBool::new(false);
    let (sender, mut receiver) = mpsc::channel();
    let mut stopped_by = None;
    let result = thread::scope(|scope| {
        let in_pool = || -> PyResult<T> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().map_err(no_threads)?;
            Ok(pool.install(|| work(&stop, sender)))
        };
        let worker = match thread::Builder::new().name("quaich".to_owned()).spawn_scoped(scope, in_pool) {
            Ok(worker) => worker,
            Err(error) => return Err(no_threads(error)),
        };
        let mut checked = Instant::now();
        loop {
            let receiver = &mut receiver;
            let mut outcome = match py.detach(move || receiver.recv_timeout(TICK)) {
                Ok(event) if stopped_by.is_none() => on_event(event),
                Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if outcome.is_ok() && checked.elapsed() >= TICK {
                checked = Instant::now();
                outcome = py.check_signals();
            }
            if let Err(error) = outcome {
                stop.store(true, Ordering::Relaxed);
                stopped_by.get_or_insert(error);
            }
        }
        py.detach(|| worker.join()).unwrap_or_else(|panic| Err(of_panic(&*panic)))
    });
    Outcome { result, stopped_by }
}

/// Runs long work in a pool of `jobs` threads.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    jobs: usize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    // The sender lives as long as the work: when it is gone, the work is done.
    let work = |stop: &AtomicBool, _sender: Sender<()>| work(stop);
    let Outcome { result, stopped_by } = run_with_events(py, jobs, work, |()| Ok(()));
    stopped_by.map_or(result, Err)
}

/// The number of threads: what was asked for, or one per core.
pub(crate) fn n_jobs(jobs: Option<isize>) -> PyResult<usize> {
    match jobs.map(usize::try_from) {
        None => Ok(thread::available_parallelism().map_or(1, NonZeroUsize::get)),
        Some(Ok(jobs)) if jobs > 0 => Ok(jobs),
        Some(_) => Err(PyValueError::new_err("jobs must be 1 or more, or None for one per core")),
    }
}
