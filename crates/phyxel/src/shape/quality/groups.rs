//! Sides of cells brought together by their nodes.

use rayon::prelude::*;

/// A side of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// Its lowest node.
    pub first: u32,
    /// Its other nodes.
    pub rest: u64,
    /// Whose side it is.
    pub tag: u32,
}

/// Sides sorted by their nodes: into buckets by their lowest one, which has few sides, then within each bucket.
pub(super) struct Groups {
    entries: Vec<Entry>,
}

impl Groups {
    pub fn new(count: usize, entry: impl Fn(usize) -> Entry + Sync) -> Self {
        let highest = (0..count).into_par_iter().with_min_len(4096).map(|i| entry(i).first).max().unwrap_or(0);
        // Numbers with large gaps are no nodes of this mesh alone; sorting them costs more time but no memory.
        if highest as usize > 8 * count + 1024 {
            let mut entries: Vec<Entry> = (0..count).map(entry).collect();
            entries.par_sort_unstable();
            return Groups { entries };
        }
        let mut starts = vec![0u32; highest as usize + 2];
        (0..count).for_each(|i| starts[entry(i).first as usize + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![Entry::default(); count];
        for i in 0..count {
            let own = entry(i);
            entries[next[own.first as usize] as usize] = own;
            next[own.first as usize] += 1;
        }
        crate::par::rows(&mut entries, &starts, &|_, bucket| bucket.sort_unstable());
        Groups { entries }
    }

    /// Sides with the same nodes.
    pub fn iter(&self) -> impl Iterator<Item = &[Entry]> {
        self.entries.chunk_by(|a, b| a.first == b.first && a.rest == b.rest)
    }
}
