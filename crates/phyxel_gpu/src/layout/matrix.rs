//! The pattern of the assembled matrix in slices of 32 rows, and which blocks of which tetrahedra meet in each pair of entries.

use super::clusters::{CLUSTER, Clusters};
use super::general::{SLICE, slices};

/// In the place of a contribution where there is none.
const NOBODY: u32 = u32::MAX;

/// Rows of 3x3 blocks; the diagonal comes first in each, then columns beyond it, then those before it. An entry before the diagonal
/// is the transpose of one beyond it.
#[derive(Default)]
pub(crate) struct Pattern {
    /// First place and number of places of each row.
    pub rows: Vec<[u32; 2]>,
    /// The column of each place; padding points at the first.
    pub columns: Vec<u32>,
    /// Two places each, in the order of the first: the one beyond the diagonal and its transpose.
    pub pairs: Vec<[u32; 2]>,
    /// Where the contributions to each slice of 32 pairs begin, and one more.
    pub starts: Vec<u32>,
    /// Of 32 pairs side by side, two at a time: twice the block, `(6 · cluster + pair) · 256 + lane`, plus one where it is to be
    /// transposed.
    pub contributions: Vec<[u32; 2]>,
    /// Blocks without padding.
    pub blocks: usize,
}

/// One row: its columns, where the contributions of those beyond the diagonal end, and these contributions.
#[derive(Clone, Default)]
struct Row {
    columns: Vec<u32>,
    ends: Vec<u32>,
    contributions: Vec<u32>,
}

impl Row {
    /// What the k-th column gets, if it lies beyond the diagonal.
    fn of_column(&self, k: usize) -> Option<&[u32]> {
        let end = *self.ends.get(k).filter(|_| k > 0)?;
        Some(&self.contributions[self.ends[k - 1] as usize..end as usize])
    }

    /// Where among its columns a node before it is.
    fn before(&self, node: u32) -> Option<usize> {
        let beyond = self.ends.len();
        self.columns.get(beyond..)?.binary_search(&node).ok().map(|k| beyond + k)
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
        let mut contributions: Vec<&[u32]> = Vec::new();
        for (s, slice) in rows.chunks(SLICE).enumerate() {
            let longest = slice.iter().map(|row| row.columns.len()).max().unwrap_or(0);
            for k in 0..longest {
                for (lane, row) in slice.iter().enumerate() {
                    let (n, place) = (s * SLICE + lane, places[s * SLICE + lane] + SLICE * k);
                    let Some(&column) = row.columns.get(k) else { continue };
                    pattern.columns[place] = column;
                    let m = column as usize;
                    if let (Some(own), Some(mirror)) = (row.of_column(k), rows[m].before(n as u32)) {
                        pattern.pairs.push([place as u32, (places[m] + SLICE * mirror) as u32]);
                        contributions.push(own);
                    }
                }
            }
        }
        pattern.add_in_slices(&contributions);
        pattern
    }

    /// 32 pairs at a time, two contributions of each after the other, so that they read side by side.
    fn add_in_slices(&mut self, contributions: &[&[u32]]) {
        self.starts.push(0);
        for slice in contributions.chunks(SLICE) {
            let longest = slice.iter().map(|own| own.len()).max().unwrap_or(0);
            let code = |lane: usize, k: usize| slice.get(lane).and_then(|own| own.get(k)).copied().unwrap_or(NOBODY);
            for k in (0..longest).step_by(2) {
                self.contributions.extend((0..SLICE).map(|lane| [code(lane, k), code(lane, k + 1)]));
            }
            self.starts.push(self.contributions.len() as u32);
        }
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
    let (before, beyond) = found.split_at(found.partition_point(|f| f.0 < n));
    for run in beyond.chunk_by(|x, y| x.0 == y.0) {
        row.columns.push(run[0].0);
        row.contributions.extend(run.iter().map(|f| f.1));
        row.ends.push(row.contributions.len() as u32);
    }
    row.columns.extend(before.chunk_by(|x, y| x.0 == y.0).map(|run| run[0].0));
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

    /// Every place off the diagonal belongs to one pair, whose contributions are the tetrahedra that have both nodes.
    #[test]
    fn pairs_hold_each_place_off_the_diagonal_once() {
        // A fan of tetrahedra around the edge (3, 40), some of them turned, beside one of their own; node 7 has none.
        let mut nodes: Vec<[u32; 4]> = (10..37).map(|i| [i, 40, 3, i + 1]).chain([[2, 1, 41, 0]]).collect();
        nodes.iter_mut().step_by(3).for_each(|tet| tet.reverse());
        let clusters = Clusters { nodes, count: 28, ..Clusters::default() };
        let pattern = Pattern::new(&clusters, 42);
        assert_eq!(pattern.rows[7][1], 0);
        let mut owner = vec![None; pattern.columns.len()];
        for (n, [first, count]) in (0..).zip(&pattern.rows) {
            (0..*count).for_each(|k| owner[(first + SLICE as u32 * k) as usize] = Some(n));
        }
        let mut seen: Vec<u32> = pattern.pairs.iter().flatten().copied().collect();
        seen.sort_unstable();
        let diagonal = |place: &u32| pattern.rows.iter().any(|[first, count]| first == place && *count > 0);
        let expected: Vec<u32> =
            (0..owner.len() as u32).filter(|p| owner[*p as usize].is_some() && !diagonal(p)).collect();
        assert_eq!(seen, expected);
        for (i, [place, mirror]) in pattern.pairs.iter().map(|pair| pair.map(|p| p as usize)).enumerate() {
            let (n, m) = (owner[place], owner[mirror]);
            assert!((n, m) == (Some(pattern.columns[mirror]), Some(pattern.columns[place])) && n < m);
            let range = pattern.starts[i / SLICE] as usize..pattern.starts[i / SLICE + 1] as usize;
            let own = pattern.contributions[range].iter().skip(i % SLICE).step_by(SLICE).flatten();
            let mut tets: Vec<u32> = own
                .filter(|code| **code != NOBODY)
                .map(|code| {
                    let (block, turned) = (code / 2, code % 2 == 1);
                    let tet = clusters.nodes[block as usize % CLUSTER];
                    let corners = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][block as usize / CLUSTER];
                    let found = corners.map(|c| Some(tet[c]));
                    assert_eq!(found, if turned { [m, n] } else { [n, m] });
                    block % CLUSTER as u32
                })
                .collect();
            tets.sort_unstable();
            let with_both = |tet: &[u32; 4]| [n, m].iter().all(|x| tet.iter().any(|y| Some(*y) == *x));
            let expected: Vec<u32> = (0..).zip(&clusters.nodes).filter(|t| with_both(t.1)).map(|t| t.0).collect();
            assert_eq!(tets, expected);
        }
    }
}
