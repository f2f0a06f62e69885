//! Work on many source files in parallel, with results in the order of the files.

use std::sync::{Mutex, PoisonError};

use quaich_code::files::{self, Found};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

/// Files that are in work at the same time, per thread; their results wait for each other.
const PER_THREAD: usize = 16;

/// A file that was read.
#[derive(Debug)]
pub struct File<'a> {
    /// Its number, counted from 0.
    pub number: usize,
    /// Where it was found.
    pub found: &'a Found,
    /// Its bytes, or why it could not be read.
    pub source: quaich_code::Result<Vec<u8>>,
}

/// Calls `work` for each file in parallel, each thread with a worker of its own, and `take` with the results in order. Returns
/// the workers. `take` is also where progress is shown.
///
/// # Errors
/// The first error of `work` or `take` in the order of the files.
pub fn for_each<W: Send, R: Send, E: Send>(
    files: &[Found],
    new_worker: impl Fn() -> Result<W, E> + Sync,
    work: impl Fn(&mut W, File<'_>) -> Result<R, E> + Sync,
    mut take: impl FnMut(&Found, R) -> Result<(), E>,
) -> Result<Vec<W>, E> {
    let idle: Mutex<Vec<W>> = Mutex::new(Vec::new());
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let size = PER_THREAD * rayon::current_num_threads();
    for (chunk_number, chunk) in files.chunks(size).enumerate() {
        let results: Vec<Result<R, E>> = chunk
            .par_iter()
            .enumerate()
            .map(|(i, found)| {
                let waiting = lock().pop();
                let mut worker = match waiting {
                    Some(worker) => worker,
                    None => new_worker()?,
                };
                let file = File { number: chunk_number * size + i, found, source: files::read(&found.path) };
                let result = work(&mut worker, file);
                lock().push(worker);
                result
            })
            .collect();
        for (found, result) in chunk.iter().zip(results) {
            take(found, result?)?;
        }
    }
    Ok(idle.into_inner().unwrap_or_else(PoisonError::into_inner))
}
