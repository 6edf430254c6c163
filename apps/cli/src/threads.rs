//! The threads in which everything is calculated.

use crate::failure::Failure;

/// The most threads that are accepted; more would only cost memory.
const MOST: usize = 1024;

/// Runs `work` in a pool of `threads` threads, or of one per core, and tells it how many there are.
pub fn with_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce(usize) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    if let Some(count) = threads
        && !(1..=MOST).contains(&count)
    {
        return Err(Failure::input(format!("--threads {count}: give a number from 1 to {MOST}")));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| Failure::work(format!("the threads could not be started: {error}")))?;
    pool.install(|| work(rayon::current_num_threads()))
}
