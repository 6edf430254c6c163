//! Vertices that are meant to be one.

/// Cells of the search grid are this many tolerances wide: wide enough that most vertices look into one cell only,
/// narrow enough that few vertices share one.
const CELL: f64 = 16.0;
const NONE: u32 = u32::MAX;

/// Renames the corners of faces so that vertices within `fraction` of the diagonal are one, and says of each vertex
/// whether it lost its name. Going through the vertices in their order, each joins the first earlier one that
/// stayed and is near enough, so clusters do not creep along chains of near neighbours. Only vertices of faces count.
pub(super) fn weld(points: &[[f64; 3]], triangles: &mut [[u32; 3]], fraction: f64) -> Vec<bool> {
    let mut used = vec![false; points.len()];
    triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let mut grid = Grid::around(points, &used, fraction);
    let mut name: Vec<u32> = (0..points.len() as u32).collect();
    let mut welded = vec![false; points.len()];
    for v in (0..points.len()).filter(|&v| used[v]) {
        if let Some(earlier) = grid.find(points, v) {
            name[v] = earlier;
            welded[v] = true;
        } else {
            grid.insert(points, v);
        }
    }
    triangles.iter_mut().flatten().for_each(|v| *v = name[*v as usize]);
    welded
}

/// Hash grid over the vertices that stayed.
struct Grid {
    low: [f64; 3],
    tolerance: f64,
    heads: Vec<u32>,
    /// The next vertex in the same bucket.
    next: Vec<u32>,
}

impl Grid {
    fn around(points: &[[f64; 3]], used: &[bool], fraction: f64) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (p, _) in points.iter().zip(used).filter(|(_, used)| **used) {
            for k in 0..3 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        let diagonal = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
        let tolerance = if diagonal.is_finite() { fraction * diagonal } else { 0.0 };
        let buckets = (2 * points.len()).next_power_of_two();
        Grid { low, tolerance, heads: vec![NONE; buckets], next: vec![NONE; points.len()] }
    }

    /// Cells that points within the tolerance of `p` along axis `k` may be in.
    fn cells(&self, p: [f64; 3], k: usize) -> [i64; 2] {
        if self.tolerance == 0.0 {
            // Zero plus zero: the two zeros are the same place.
            return [(p[k] + 0.0).to_bits() as i64; 2];
        }
        let x = p[k] - self.low[k];
        [x - self.tolerance, x + self.tolerance].map(|x| (x / (CELL * self.tolerance)).floor() as i64)
    }

    fn bucket(&self, cell: [i64; 3]) -> usize {
        let mut hash = 0u64;
        for c in cell {
            // The finaliser of splitmix64.
            hash = (hash ^ c as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
            hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            hash ^= hash >> 31;
        }
        hash as usize & (self.heads.len() - 1)
    }

    fn find(&self, points: &[[f64; 3]], v: usize) -> Option<u32> {
        let p = points[v];
        let [xs, ys, zs] = [0, 1, 2].map(|k| self.cells(p, k));
        let mut best = NONE;
        for x in xs[0]..=xs[1] {
            for y in ys[0]..=ys[1] {
                for z in zs[0]..=zs[1] {
                    let mut at = self.heads[self.bucket([x, y, z])];
                    while at != NONE {
                        if at < best && self.near(points[at as usize], p) {
                            best = at;
                        }
                        at = self.next[at as usize];
                    }
                }
            }
        }
        (best != NONE).then_some(best)
    }

    fn near(&self, a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>() <= self.tolerance * self.tolerance
    }

    fn insert(&mut self, points: &[[f64; 3]], v: usize) {
        let p = points[v];
        let cell = [0, 1, 2].map(|k| {
            if self.tolerance == 0.0 {
                self.cells(p, k)[0]
            } else {
                ((p[k] - self.low[k]) / (CELL * self.tolerance)).floor() as i64
            }
        });
        let bucket = self.bucket(cell);
        self.next[v] = self.heads[bucket];
        self.heads[bucket] = v as u32;
    }
}
