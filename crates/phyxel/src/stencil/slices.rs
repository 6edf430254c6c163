//! Filling variable-length rows in parallel, each row by one thread.

/// Below this many rows a range is not split further.
const GRAIN: usize = 128;

/// An array, or several side by side, that can be cut in two.
pub(crate) trait Cut: Send + Sized {
    /// What belongs to the first `rows` rows, which have `entries` entries together, and the rest.
    fn cut(self, rows: usize, entries: usize) -> (Self, Self);
}

impl<T: Send> Cut for &mut [T] {
    fn cut(self, _: usize, entries: usize) -> (Self, Self) {
        self.split_at_mut(entries)
    }
}

/// An array with one item per row.
pub(crate) struct PerRow<'a, T>(pub &'a mut [T]);

impl<T: Send> Cut for PerRow<'_, T> {
    fn cut(self, rows: usize, _: usize) -> (Self, Self) {
        let (low, high) = self.0.split_at_mut(rows);
        (PerRow(low), PerRow(high))
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, rows: usize, entries: usize) -> (Self, Self) {
        let (a0, a1) = self.0.cut(rows, entries);
        let (b0, b1) = self.1.cut(rows, entries);
        ((a0, b0), (a1, b1))
    }
}

impl<A: Cut> Cut for Option<A> {
    fn cut(self, rows: usize, entries: usize) -> (Self, Self) {
        match self {
            Some(a) => {
                let (low, high) = a.cut(rows, entries);
                (Some(low), Some(high))
            }
            None => (None, None),
        }
    }
}

/// What rows add up to; the order of merging must not matter.
pub(crate) trait Tally: Default + Send {
    /// Both together.
    fn merge(self, other: Self) -> Self;
}

impl Tally for () {
    fn merge(self, _: Self) {}
}

/// Calls `fill(row, its part of data)` for every row and merges the answers; row `i` owns `offsets[i]..offsets[i + 1]`.
pub(crate) fn fill_rows<D: Cut, T: Tally>(offsets: &[u32], data: D, fill: &(impl Fn(usize, D) -> T + Sync)) -> T {
    split(offsets, 0, offsets.len().saturating_sub(1), data, fill)
}

fn split<D: Cut, T: Tally>(
    offsets: &[u32],
    first: usize,
    count: usize,
    data: D,
    fill: &(dyn Fn(usize, D) -> T + Sync),
) -> T {
    if count <= GRAIN {
        let (mut rest, mut tally) = (data, T::default());
        for row in first..first + count {
            let (own, others) = rest.cut(1, (offsets[row + 1] - offsets[row]) as usize);
            tally = tally.merge(fill(row, own));
            rest = others;
        }
        return tally;
    }
    let half = count / 2;
    let (low, high) = data.cut(half, (offsets[first + half] - offsets[first]) as usize);
    let (a, b) = rayon::join(
        || split(offsets, first, half, low, fill),
        || split(offsets, first + half, count - half, high, fill),
    );
    a.merge(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_gets_its_own_entries() {
        let lengths: Vec<u32> = (0..1000).map(|i| i % 7).collect();
        let mut offsets = vec![0];
        for l in &lengths {
            offsets.push(offsets.last().unwrap() + l);
        }
        let mut rows = vec![u32::MAX; *offsets.last().unwrap() as usize];
        fill_rows(&offsets, rows.as_mut_slice(), &|row, own: &mut [u32]| own.fill(row as u32));
        let expected: Vec<u32> = lengths.iter().enumerate().flat_map(|(i, &l)| vec![i as u32; l as usize]).collect();
        assert_eq!(rows, expected);
        fill_rows(&[], &mut [] as &mut [u32], &|_, _| -> () { panic!("no rows") });
    }
}
