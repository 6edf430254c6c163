//! Loops over arrays on all threads, with results that do not depend on how many there are.
//!
//! Work is cut at fixed places, and sums are added up in a fixed tree, so the same input gives the same bits on one
//! thread or on a hundred. Below one grain nothing is handed to other threads, because waking them costs more.
//!
//! What is handed over is a reference to the work (`dyn`): one call per grain costs nothing, and the compiler makes the
//! machinery of threads once per type of item instead of once per loop, which was half of the machine code of the engine.

use rayon::prelude::*;
use std::ops::Range;

/// Items per task: a few microseconds of work, many times the cost of handing it over.
pub const GRAIN: usize = 1024;
/// The same for items that cost a hundred times as much: elements, which sum over their neighbours.
pub const FEW: usize = 64;

/// Does work over so many items on one of the threads that share it. Whoever asks from outside, as games and windows do, would
/// otherwise hand over each loop of a step and wait for it: with 7 600 nodes that took about as long as the rest of the step.
pub fn among_threads<T: Send>(items: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::current_thread_index() {
        None if items > GRAIN => rayon::scope(|_| work()),
        _ => work(),
    }
}

/// Calls `f(index, item)` for every item.
#[inline]
pub fn for_each<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    chunks(items, GRAIN, |start, chunk| {
        for (i, item) in chunk.iter_mut().enumerate() {
            f(start + i, item);
        }
    });
}

/// Calls `f(first index, items)` for every run of `size` items; the last may be shorter.
#[inline]
pub fn chunks<T: Send>(items: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    hand_out(items, size, &f);
}

#[inline(never)]
fn hand_out<T: Send>(items: &mut [T], size: usize, f: &Work1<'_, T>) {
    if items.len() <= size || rayon::current_num_threads() == 1 {
        for (k, chunk) in items.chunks_mut(size).enumerate() {
            f(k * size, chunk);
        }
    } else {
        items.par_chunks_mut(size).enumerate().for_each(|(k, chunk)| f(k * size, chunk));
    }
}

/// Work on a run of items, given the index of the first, or the row that they are.
type Work1<'a, T> = dyn Fn(usize, &mut [T]) + Sync + 'a;
/// Work on the same run of two arrays.
type Work2<'a, A, B> = dyn Fn(usize, &mut [A], &mut [B]) + Sync + 'a;
/// Work on the same run of three arrays, with two sums as its result.
type Work3<'a, A, B, C> = dyn Fn(usize, &mut [A], &mut [B], &mut [C]) -> [f64; 2] + Sync + 'a;

/// Calls `f(first index, items, side)` for every run of `size` items, each with a side of its own.
pub fn chunks_with<A: Send, B: Send>(
    items: &mut [A],
    size: usize,
    sides: &mut [B],
    f: &(dyn Fn(usize, &mut [A], &mut B) + Sync),
) {
    if items.len() <= size || rayon::current_num_threads() == 1 {
        for (k, (run, side)) in items.chunks_mut(size).zip(sides).enumerate() {
            f(k * size, run, side);
        }
    } else {
        let runs = items.par_chunks_mut(size).zip(sides.par_iter_mut());
        runs.enumerate().for_each(|(k, (run, side))| f(k * size, run, side));
    }
}

/// What is done with a run of two arrays and what stands beside it.
type Work2With<'a, A, B, C> = dyn Fn(usize, &mut [A], &mut [B], &mut C) + Sync + 'a;

/// [`chunks_with`] over two arrays of the same length at once.
pub fn chunks2_with<A: Send, B: Send, C: Send>(
    (a, b): (&mut [A], &mut [B]),
    size: usize,
    sides: &mut [C],
    f: &Work2With<'_, A, B, C>,
) {
    if a.len() <= size || rayon::current_num_threads() == 1 {
        for (k, ((a, b), side)) in a.chunks_mut(size).zip(b.chunks_mut(size)).zip(sides).enumerate() {
            f(k * size, a, b, side);
        }
    } else {
        let runs = a.par_chunks_mut(size).zip(b.par_chunks_mut(size)).zip(sides.par_iter_mut());
        runs.enumerate().for_each(|(k, ((a, b), side))| f(k * size, a, b, side));
    }
}

/// [`chunks`] over two arrays of the same length at once.
#[inline]
pub fn chunks2<A: Send, B: Send>(
    arrays: (&mut [A], &mut [B]),
    size: usize,
    f: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    hand_out2(arrays, size, &f);
}

#[inline(never)]
fn hand_out2<A: Send, B: Send>((a, b): (&mut [A], &mut [B]), size: usize, f: &Work2<'_, A, B>) {
    if a.len() <= size || rayon::current_num_threads() == 1 {
        for (k, (a, b)) in a.chunks_mut(size).zip(b.chunks_mut(size)).enumerate() {
            f(k * size, a, b);
        }
    } else {
        let parts = a.par_chunks_mut(size).zip(b.par_chunks_mut(size));
        parts.enumerate().for_each(|(k, (a, b))| f(k * size, a, b));
    }
}

/// Calls `f(row, items of the row)` where row `i` owns `items[offsets[i]..offsets[i + 1]]`.
pub fn rows<T: Send>(items: &mut [T], offsets: &[u32], f: &(impl Fn(usize, &mut [T]) + Sync)) {
    let of_rows = |range: Range<usize>, items: &mut [T]| {
        let mut rest = items;
        for row in range {
            let (own, others) = rest.split_at_mut((offsets[row + 1] - offsets[row]) as usize);
            f(row, own);
            rest = others;
        }
    };
    rows_between(items, offsets, 0..offsets.len() - 1, &of_rows);
}

fn rows_between<T: Send>(
    items: &mut [T],
    offsets: &[u32],
    range: Range<usize>,
    of_rows: &(dyn Fn(Range<usize>, &mut [T]) + Sync),
) {
    if range.len() <= 256 {
        return of_rows(range, items);
    }
    let middle = range.start + range.len() / 2;
    let (low, high) = items.split_at_mut((offsets[middle] - offsets[range.start]) as usize);
    rayon::join(
        || rows_between(low, offsets, range.start..middle, of_rows),
        || rows_between(high, offsets, middle..range.end, of_rows),
    );
}

/// `Σ term(i)` for `i` in `0..n`, added in an order that does not depend on the number of threads.
#[inline]
pub fn sum(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    sum_ranges(0..n, &|range: Range<usize>| range.map(&term).sum())
}

/// The largest of `term(i)` for `i` in `0..n`; `start` when there is none.
#[inline]
pub fn max(n: usize, start: f64, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    fold_ranges(0..n, &|range: Range<usize>| range.map(&term).fold(start, f64::max), &f64::max)
}

/// [`sum`] over elements, [`FEW`] at a time.
#[inline]
pub fn sum_few(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    fold_runs(0..n, FEW, &|range: Range<usize>| range.map(&term).sum(), &|a, b| a + b)
}

fn sum_ranges(range: Range<usize>, part: &(dyn Fn(Range<usize>) -> f64 + Sync)) -> f64 {
    fold_ranges(range, part, &|a, b| a + b)
}

/// Folds runs of at most [`GRAIN`] indices in a fixed binary tree.
pub fn fold_ranges<T: Send>(
    range: Range<usize>,
    part: &(dyn Fn(Range<usize>) -> T + Sync),
    merge: &(dyn Fn(T, T) -> T + Sync),
) -> T {
    fold_runs(range, GRAIN, part, merge)
}

/// Folds runs of at most `grain` indices in a fixed binary tree.
pub fn fold_runs<T: Send>(
    range: Range<usize>,
    grain: usize,
    part: &(dyn Fn(Range<usize>) -> T + Sync),
    merge: &(dyn Fn(T, T) -> T + Sync),
) -> T {
    if range.len() <= grain {
        return part(range);
    }
    let grains = range.len().div_ceil(grain);
    let middle = range.start + grains.div_ceil(2) * grain;
    let (low, high) = (range.start..middle, middle..range.end);
    let (a, b) = rayon::join(|| fold_runs(low, grain, part, merge), || fold_runs(high, grain, part, merge));
    merge(a, b)
}

/// Calls `part(first index, a, b, c)` for runs of at most [`GRAIN`] items of three arrays of the same length, and adds up
/// the pairs that it returns in a fixed binary tree.
pub fn update3<A: Send, B: Send, C: Send>(
    (a, b, c): (&mut [A], &mut [B], &mut [C]),
    part: &(impl Fn(usize, &mut [A], &mut [B], &mut [C]) -> [f64; 2] + Sync),
) -> [f64; 2] {
    update3_from(0, (a, b, c), part)
}

fn update3_from<A: Send, B: Send, C: Send>(
    first: usize,
    (a, b, c): (&mut [A], &mut [B], &mut [C]),
    part: &Work3<'_, A, B, C>,
) -> [f64; 2] {
    if a.len() <= GRAIN {
        return part(first, a, b, c);
    }
    let middle = a.len().div_ceil(GRAIN).div_ceil(2) * GRAIN;
    let (a, b, c) = (a.split_at_mut(middle), b.split_at_mut(middle), c.split_at_mut(middle));
    let (low, high) = rayon::join(
        || update3_from(first, (a.0, b.0, c.0), part),
        || update3_from(first + middle, (a.1, b.1, c.1), part),
    );
    [low[0] + high[0], low[1] + high[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads")
    }

    #[test]
    fn sums_have_the_same_bits_for_any_number_of_threads() {
        let term = |i: usize| 1.0 / (i as f64 + 1.0);
        let one = pool(1).install(|| sum(100_001, term));
        for threads in [2, 3, 8] {
            assert_eq!(one.to_bits(), pool(threads).install(|| sum(100_001, term)).to_bits());
        }
        let exact: f64 = (0..100_001).map(term).sum();
        assert!((one - exact).abs() < 1e-9);
    }

    #[test]
    fn updates_of_three_arrays_see_every_place_and_sum_to_the_same_bits() {
        let run = || {
            let (mut a, mut b, mut c) = (vec![0.0; 5000], vec![1.0; 5000], vec![2.0; 5000]);
            let sums = update3((&mut a, &mut b, &mut c), &|first, a, b, c| {
                a.iter_mut().enumerate().for_each(|(i, a)| *a = ((first + i) as f64).sqrt());
                [a.iter().zip(b.iter()).map(|(a, b)| a * b).sum(), c.iter().sum()]
            });
            assert!(a.iter().enumerate().all(|(i, &a)| a == (i as f64).sqrt()));
            sums
        };
        let one = pool(1).install(run);
        assert_eq!(one[1], 10_000.0);
        assert_eq!(one.map(f64::to_bits), pool(3).install(run).map(f64::to_bits));
    }

    #[test]
    fn every_item_is_visited_once_at_its_index() {
        let mut items = vec![0usize; 10_000];
        for_each(&mut items, |i, item| *item += i + 1);
        assert!(items.iter().enumerate().all(|(i, &item)| item == i + 1));
    }
}
