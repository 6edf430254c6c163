//! Who shares an edge with whom.
//!
//! Edges are sorted by counting into one bucket per lower vertex and then within these small buckets, which is linear
//! in the number of faces where a tree or a hash map would dominate the whole repair.

/// One side of an edge: corner `half % 3` of face `half / 3`, towards the next corner.
pub(super) type Half = u32;

/// The two ends of a half-edge, in the direction of its face.
pub(super) fn ends(triangles: &[[u32; 3]], half: Half) -> (u32, u32) {
    let t = &triangles[half as usize / 3];
    let k = half as usize % 3;
    (t[k], t[(k + 1) % 3])
}

/// Whether a half-edge runs from its lower to its higher vertex.
pub(super) fn is_forward(triangles: &[[u32; 3]], half: Half) -> bool {
    let (from, to) = ends(triangles, half);
    from < to
}

/// All half-edges, grouped by edge.
pub(super) struct Edges {
    /// Where the bucket of each lower vertex begins.
    starts: Vec<u32>,
    /// Higher vertex and half-edge, sorted within a bucket.
    entries: Vec<(u32, Half)>,
}

impl Edges {
    /// Groups the half-edges of all faces.
    pub(super) fn of(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let halves = 3 * triangles.len() as u32;
        let lower = |half| {
            let (a, b) = ends(triangles, half);
            a.min(b)
        };
        let (starts, order) = bucket(vertices, halves, lower);
        let higher = |half| {
            let (a, b) = ends(triangles, half);
            (a.max(b), half)
        };
        let mut entries: Vec<(u32, Half)> = order.into_iter().map(higher).collect();
        for pair in starts.windows(2) {
            entries[pair[0] as usize..pair[1] as usize].sort_unstable();
        }
        Edges { starts, entries }
    }

    /// Calls `f` with the half-edges of every edge that has two different ends.
    pub(super) fn for_each(&self, mut f: impl FnMut(&[(u32, Half)])) {
        for (low, pair) in self.starts.windows(2).enumerate() {
            let bucket = &self.entries[pair[0] as usize..pair[1] as usize];
            bucket.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge[0].0 as usize != low).for_each(&mut f);
        }
    }

    /// The half-edges between two vertices.
    pub(super) fn between(&self, a: u32, b: u32) -> &[(u32, Half)] {
        let (low, high) = (a.min(b) as usize, a.max(b));
        let bucket = &self.entries[self.starts[low] as usize..self.starts[low + 1] as usize];
        let begin = bucket.partition_point(|e| e.0 < high);
        let end = bucket.partition_point(|e| e.0 <= high);
        &bucket[begin..end]
    }
}

/// Sorts `0..items` by counting: where the bucket of each of `buckets` keys begins, and the items in that order.
/// Items of a bucket keep their order.
pub(super) fn bucket(buckets: usize, items: u32, key: impl Fn(u32) -> u32) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; buckets + 1];
    for item in 0..items {
        starts[key(item) as usize + 1] += 1;
    }
    for b in 0..buckets {
        starts[b + 1] += starts[b];
    }
    let mut next = starts.clone();
    let mut order = vec![0; items as usize];
    for item in 0..items {
        let place = &mut next[key(item) as usize];
        order[*place as usize] = item;
        *place += 1;
    }
    (starts, order)
}
