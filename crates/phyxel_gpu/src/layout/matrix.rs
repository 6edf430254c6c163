//! The pattern of the assembled matrix in slices of 32 rows, and which blocks of which tetrahedra meet in each entry.

use super::clusters::{CLUSTER, Clusters};
use super::general::{SLICE, slices};
use super::order::Order;

/// Rows of 3x3 blocks; the diagonal comes first in each.
#[derive(Default)]
pub(crate) struct Pattern {
    /// First place and number of places of each row.
    pub rows: Vec<[u32; 2]>,
    /// The column of each place; padding points at the first.
    pub columns: Vec<u32>,
    /// Of [`SLICE`] places side by side that something contributes to, the first, and where their contributions begin; and one more.
    /// Groups of slices that are near each other in space follow each other.
    pub groups: Vec<[u32; 2]>,
    /// One of each place of a group, then the next of each: twice the block, `(6 · cluster + pair) · 256 + lane`, plus one where the
    /// row comes after the column, or [`NOTHING`].
    pub contributions: Vec<u32>,
    /// Blocks without padding.
    pub blocks: usize,
}

/// Where a place of a group has fewer contributions than another.
const NOTHING: u32 = u32::MAX;

/// One row: its columns, where the contributions of each end, and all contributions.
#[derive(Clone, Default)]
struct Row {
    columns: Vec<u32>,
    ends: Vec<u32>,
    contributions: Vec<u32>,
}

impl Row {
    /// What contributes to the k-th column; nothing where there are fewer.
    fn of_column(&self, k: usize) -> &[u32] {
        let Some(&end) = self.ends.get(k) else { return &[] };
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.contributions[start as usize..end as usize]
    }
}

impl Pattern {
    /// Of all tetrahedra.
    pub(crate) fn new(clusters: &Clusters, order: &Order) -> Self {
        let nodes = order.to_model.len();
        if clusters.count == 0 {
            return Pattern { rows: vec![[0; 2]; nodes], groups: vec![[0; 2]], ..Pattern::default() };
        }
        let around = Around::new(clusters, nodes);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
        let share = nodes.div_ceil(threads);
        let rows: Vec<Vec<Row>> = std::thread::scope(|scope| {
            let work = |t: usize| {
                let around = &around;
                let range = (t * share).min(nodes)..((t + 1) * share).min(nodes);
                scope.spawn(move || range.map(|n| row(n as u32, around, clusters)).collect::<Vec<Row>>())
            };
            let handles: Vec<_> = (0..threads).map(work).collect();
            // A thread can only panic where this code is wrong.
            handles.into_iter().map(|h| h.join().expect("rows are plain sorting")).collect()
        });
        Pattern::of_rows(&rows.concat(), order)
    }

    fn of_rows(rows: &[Row], order: &Order) -> Self {
        let lengths: Vec<usize> = rows.iter().map(|row| row.columns.len()).collect();
        let (places, room) = slices(&lengths);
        let mut pattern = Pattern { columns: vec![0; room], blocks: lengths.iter().sum(), ..Pattern::default() };
        pattern.rows = places.iter().zip(&lengths).map(|(p, l)| [*p as u32, *l as u32]).collect();
        for (row, first) in rows.iter().zip(&places) {
            row.columns.iter().enumerate().for_each(|(k, column)| pattern.columns[first + SLICE * k] = *column);
        }
        for s in near_each_other(rows.len(), order) {
            let slice = &rows[s * SLICE..rows.len().min((s + 1) * SLICE)];
            let longest = slice.iter().map(|row| row.columns.len()).max().unwrap_or(0);
            (0..longest).for_each(|k| pattern.add_group(places[s * SLICE] + SLICE * k, slice, k));
        }
        pattern.groups.push([0, pattern.contributions.len() as u32]);
        pattern
    }

    /// The k-th places of the rows of a slice.
    fn add_group(&mut self, first: usize, slice: &[Row], k: usize) {
        let most = slice.iter().map(|row| row.of_column(k).len()).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let start = self.contributions.len();
        self.groups.push([first as u32, start as u32]);
        self.contributions.resize(start + SLICE * most, NOTHING);
        for (lane, row) in slice.iter().enumerate() {
            for (round, code) in row.of_column(k).iter().enumerate() {
                self.contributions[start + SLICE * round + lane] = *code;
            }
        }
    }
}

/// Slices of so many rows, along the path of their nodes: those with many elements and those with few that are in the same place follow
/// each other.
fn near_each_other(rows: usize, order: &Order) -> Vec<usize> {
    let along = |node: usize| u64::from(order.along[order.to_model[node] as usize]);
    let middle = |slice: &usize| {
        let nodes = slice * SLICE..rows.min((slice + 1) * SLICE);
        nodes.clone().map(along).sum::<u64>() / nodes.len() as u64
    };
    let mut slices: Vec<usize> = (0..rows.div_ceil(SLICE)).collect();
    slices.sort_by_cached_key(middle);
    slices
}

/// The corners at each node: `4 · tetrahedron + corner`.
struct Around {
    offsets: Vec<u32>,
    corners: Vec<u32>,
}

impl Around {
    fn new(clusters: &Clusters, nodes: usize) -> Self {
        let mut offsets = vec![0_u32; nodes + 1];
        let tets = || clusters.nodes.iter().enumerate().filter(|(_, tet)| !is_padding(tet));
        for (_, tet) in tets() {
            tet.iter().for_each(|n| offsets[*n as usize + 1] += 1);
        }
        for n in 0..nodes {
            offsets[n + 1] += offsets[n];
        }
        let mut next = offsets.clone();
        let mut corners = vec![0; offsets[nodes] as usize];
        for (t, tet) in tets() {
            for (c, n) in tet.iter().enumerate() {
                corners[next[*n as usize] as usize] = (4 * t + c) as u32;
                next[*n as usize] += 1;
            }
        }
        Around { offsets, corners }
    }
}

fn is_padding(tet: &[u32; 4]) -> bool {
    tet[0] == tet[1]
}

/// The place of the pair (a, b), a < b, among the six blocks of a tetrahedron.
fn pair(a: u32, b: u32) -> u32 {
    [0, 2, 3][a as usize] + b - 1
}

fn row(n: u32, around: &Around, clusters: &Clusters) -> Row {
    let own = around.offsets[n as usize] as usize..around.offsets[n as usize + 1] as usize;
    let mut found: Vec<(u32, u32)> = Vec::with_capacity(3 * own.len());
    if own.is_empty() {
        return Row::default();
    }
    let mut row = Row { columns: vec![n], ends: vec![0], ..Row::default() };
    for &corner in &around.corners[own] {
        let (tet, a) = (corner / 4, corner % 4);
        for (b, &m) in (0..).zip(&clusters.nodes[tet as usize]) {
            if m == n {
                continue;
            }
            let (cluster, lane) = (tet / CLUSTER as u32, tet % CLUSTER as u32);
            let block = (6 * cluster + pair(a.min(b), a.max(b))) * CLUSTER as u32 + lane;
            let code = 2 * block + u32::from(n > m);
            found.push((m, code));
        }
    }
    found.sort_unstable();
    // Columns with most contributions first, so that those of a group have about as many as each other.
    let mut runs: Vec<&[(u32, u32)]> = found.chunk_by(|x, y| x.0 == y.0).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
    for run in runs {
        row.columns.push(run[0].0);
        row.contributions.extend(run.iter().map(|f| f.1));
        row.ends.push(row.contributions.len() as u32);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_finds_its_contributions_and_slices_that_are_near_each_other_come_together() {
        let length = |n: usize| n % 3 + usize::from(n < SLICE);
        let rows: Vec<Row> = (0..3 * SLICE)
            .map(|n| {
                let mut row = Row { columns: vec![n as u32], ends: vec![0], ..Row::default() };
                for k in 0..length(n) {
                    row.columns.push(k as u32);
                    let codes = (0..1 + (n + k) % 4).map(|i| (100 * n + 10 * k + i) as u32);
                    row.contributions.extend(codes);
                    row.ends.push(row.contributions.len() as u32);
                }
                row
            })
            .collect();
        // The last slice lies between the others.
        let along = |n: usize| ([0, 2, 1][n / SLICE] * SLICE + n % SLICE) as u32;
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let order = Order {
            to_model: all.clone(),
            to_device: all,
            along: (0..rows.len()).map(along).collect(),
            in_rows: false,
        };
        let pattern = Pattern::of_rows(&rows, &order);
        let mut found = std::collections::BTreeMap::new();
        for pair in pattern.groups.windows(2) {
            let codes = &pattern.contributions[pair[0][1] as usize..pair[1][1] as usize];
            for (i, code) in codes.iter().enumerate().filter(|(_, code)| **code != NOTHING) {
                found.entry(pair[0][0] as usize + i % SLICE).or_insert_with(Vec::new).push(*code);
            }
        }
        let mut places = 0;
        for (row, [first, length]) in rows.iter().zip(&pattern.rows) {
            for k in 1..*length as usize {
                assert_eq!(found[&(*first as usize + SLICE * k)], row.of_column(k));
                places += 1;
            }
        }
        assert_eq!(places, found.len());
        let firsts: Vec<u32> = pattern.groups.iter().map(|group| group[0]).collect();
        let beginning = |s: usize| pattern.rows[s * SLICE][0] + SLICE as u32;
        let at = |s: usize| firsts.iter().position(|first| *first == beginning(s)).expect("a group of that slice");
        assert!(at(0) < at(2) && at(2) < at(1), "{firsts:?}");
    }

    #[test]
    fn pairs_are_numbered_row_by_row() {
        let all: Vec<u32> = (0..3).flat_map(|a| (a + 1..4).map(move |b| pair(a, b))).collect();
        assert_eq!(all, (0..6).collect::<Vec<_>>());
    }
}
