//! The pattern of the assembled matrix in slices of 32 rows, and which blocks of which tetrahedra meet in each entry.

use super::clusters::{CLUSTER, Clusters};
use super::general::{SLICE, slices};

/// Rows of 3x3 blocks; the diagonal comes first in each.
#[derive(Default)]
pub(crate) struct Pattern {
    /// First place and number of places of each row.
    pub rows: Vec<[u32; 2]>,
    /// The column of each place; padding points at the first.
    pub columns: Vec<u32>,
    /// Where the contributions to each place begin, and one more.
    pub starts: Vec<u32>,
    /// Twice the block, `(6 · cluster + pair) · 256 + lane`, plus one where it is to be transposed; diagonals have none.
    pub contributions: Vec<u32>,
    /// Blocks without padding.
    pub blocks: usize,
}

/// One row: its columns, where the contributions of each end, and all contributions.
#[derive(Clone, Default)]
struct Row {
    columns: Vec<u32>,
    ends: Vec<u32>,
    contributions: Vec<u32>,
}

impl Row {
    fn of_column(&self, k: usize) -> &[u32] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] as usize };
        &self.contributions[start..self.ends[k] as usize]
    }
}

impl Pattern {
    /// Of all tetrahedra.
    pub(crate) fn new(clusters: &Clusters, nodes: usize) -> Self {
        if clusters.count == 0 {
            return Pattern { rows: vec![[0; 2]; nodes], starts: vec![0], ..Pattern::default() };
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
        Pattern::of_rows(&rows.concat())
    }

    fn of_rows(rows: &[Row]) -> Self {
        let lengths: Vec<usize> = rows.iter().map(|row| row.columns.len()).collect();
        let (places, room) = slices(&lengths);
        let mut pattern = Pattern { columns: vec![0; room], blocks: lengths.iter().sum(), ..Pattern::default() };
        pattern.rows = places.iter().zip(&lengths).map(|(p, l)| [*p as u32, *l as u32]).collect();
        pattern.starts.push(0);
        for (s, slice) in rows.chunks(SLICE).enumerate() {
            let first = places[s * SLICE];
            let longest = slice.iter().map(|row| row.columns.len()).max().unwrap_or(0);
            for k in 0..longest {
                for lane in 0..SLICE {
                    if let Some(row) = slice.get(lane)
                        && let Some(column) = row.columns.get(k)
                    {
                        pattern.columns[first + SLICE * k + lane] = *column;
                        pattern.contributions.extend(row.of_column(k));
                    }
                    pattern.starts.push(pattern.contributions.len() as u32);
                }
            }
        }
        pattern
    }
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
            let code = 2 * block + u32::from(a > b);
            found.push((m, code));
        }
    }
    found.sort_unstable();
    for run in found.chunk_by(|x, y| x.0 == y.0) {
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
    fn pairs_are_numbered_row_by_row() {
        let all: Vec<u32> = (0..3).flat_map(|a| (a + 1..4).map(move |b| pair(a, b))).collect();
        assert_eq!(all, (0..6).collect::<Vec<_>>());
    }
}
