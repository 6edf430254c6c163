//! Points in cells, so that those near a place are found without looking at all.

use phyxel::math::Vec3;

/// Points sorted into cubes. What is visited comes in a fixed order, whatever the number of threads.
#[derive(Clone, Debug, Default)]
pub struct PointGrid {
    low: Vec3<f64>,
    cell: f64,
    counts: [usize; 3],
    starts: Vec<u32>,
    order: Vec<u32>,
    /// The points, cell by cell.
    sorted: Vec<Vec3<f64>>,
    /// Where each point is among them.
    places: Vec<u32>,
}

impl PointGrid {
    /// Sorts points into cubes of about this size [m]; larger ones where the points are few in a wide box. Points that are
    /// not finite are left out.
    pub fn new(points: &[[f64; 3]], cell: f64) -> Self {
        let mut grid = PointGrid::default();
        grid.rebuild(points, cell);
        grid
    }

    /// The same, keeping what memory there is.
    pub fn rebuild(&mut self, points: &[[f64; 3]], cell: f64) {
        let finite = |p: &&[f64; 3]| p.iter().all(|c| c.is_finite());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points.iter().filter(finite) {
            low = [0, 1, 2].map(|a| low[a].min(p[a]));
            high = [0, 1, 2].map(|a| high[a].max(p[a]));
        }
        if low[0] > high[0] {
            *self = PointGrid { cell: 1.0, counts: [1; 3], starts: vec![0, 0], ..PointGrid::default() };
            return;
        }
        self.cell = if cell > 0.0 && cell.is_finite() { cell } else { 1.0 };
        let counts = |cell: f64| [0, 1, 2].map(|a| ((high[a] - low[a]) / cell).floor() + 1.0);
        while counts(self.cell).iter().product::<f64>() > (4 * points.len() + 64) as f64 {
            self.cell *= 1.3;
        }
        self.low = Vec3(low);
        self.counts = counts(self.cell).map(|c| c as usize);
        self.sort(points);
    }

    fn sort(&mut self, points: &[[f64; 3]]) {
        let cell_of = |p: &[f64; 3]| {
            let finite = p.iter().all(|c| c.is_finite());
            finite.then(|| self.index([self.along(p[0], 0), self.along(p[1], 1), self.along(p[2], 2)]))
        };
        let cells: Vec<Option<usize>> = points.iter().map(cell_of).collect();
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        starts.resize(self.counts.iter().product::<usize>() + 1, 0);
        cells.iter().flatten().for_each(|c| starts[c + 1] += 1);
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        self.order.clear();
        self.order.resize(starts[starts.len() - 1] as usize, 0);
        for (i, cell) in cells.iter().enumerate() {
            if let Some(c) = cell {
                self.order[next[*c] as usize] = i as u32;
                next[*c] += 1;
            }
        }
        self.starts = starts;
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&i| Vec3(points[i as usize])));
        self.places.clear();
        self.places.resize(points.len(), 0);
        self.order.iter().enumerate().for_each(|(k, &i)| self.places[i as usize] = k as u32);
    }

    fn along(&self, x: f64, axis: usize) -> usize {
        // Truncation is the floor of what is not negative.
        (((x - self.low[axis]) / self.cell).max(0.0) as usize).min(self.counts[axis] - 1)
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Calls `visit(index, from x to the point, squared distance)` for every point closer to `x` than `radius` [m].
    #[inline]
    pub fn each_within(&self, x: Vec3<f64>, radius: f64, mut visit: impl FnMut(u32, Vec3<f64>, f64)) {
        if self.order.is_empty() || !x.is_finite() {
            return;
        }
        let low = [0, 1, 2].map(|a| self.along(x[a] - radius, a));
        let high = [0, 1, 2].map(|a| self.along(x[a] + radius, a));
        let limit = radius * radius;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                // Cells along x lie side by side.
                let run = self.starts[self.index([low[0], y, z])]..self.starts[self.index([high[0], y, z]) + 1];
                for k in run.start as usize..run.end as usize {
                    let arm = self.sorted[k] - x;
                    let square = arm.norm_squared();
                    if square < limit {
                        visit(self.order[k], arm, square);
                    }
                }
            }
        }
    }

    /// A point by its number [m].
    pub fn point(&self, index: u32) -> Vec3<f64> {
        self.sorted[self.places[index as usize] as usize]
    }

    /// The nearest point to `x` and its distance [m]; the first among equals.
    pub fn nearest(&self, x: Vec3<f64>) -> Option<(u32, f64)> {
        if self.order.is_empty() || !x.is_finite() {
            return None;
        }
        let away = |a: usize| {
            let high = self.low[a] + self.cell * self.counts[a] as f64;
            (self.low[a] - x[a]).max(x[a] - high).max(0.0)
        };
        let mut radius = self.cell + Vec3([away(0), away(1), away(2)]).norm();
        loop {
            let mut best: Option<(f64, u32)> = None;
            self.each_within(x, radius, |i, _, square| {
                if best.is_none_or(|b| (square, i) < b) {
                    best = Some((square, i));
                }
            });
            if let Some((square, i)) = best {
                return Some((i, square.sqrt()));
            }
            radius *= 2.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(count: usize) -> Vec<[f64; 3]> {
        let part = |i: usize, k: f64| (i as f64 * k).fract();
        (0..count).map(|i| [part(i, 0.618), 2.0 * part(i, 0.414), 0.5 * part(i, 0.732)]).collect()
    }

    #[test]
    fn what_is_near_is_found_and_nothing_else() {
        let points = cloud(500);
        for cell in [0.03, 0.2, 5.0] {
            let grid = PointGrid::new(&points, cell);
            for x in [[0.3, 0.7, 0.1], [-1.0, 0.0, 0.0], [0.9, 1.9, 0.45]].map(Vec3) {
                let mut found = Vec::new();
                grid.each_within(x, 0.3, |i, arm, square| {
                    assert!((Vec3(points[i as usize]) - x - arm).norm() == 0.0 && square < 0.09);
                    found.push(i);
                });
                found.sort_unstable();
                let near = |i: &u32| (Vec3(points[*i as usize]) - x).norm_squared() < 0.09;
                assert_eq!(found, (0..500).filter(near).collect::<Vec<u32>>());
                let distance = |i: u32| (Vec3(points[i as usize]) - x).norm();
                let least = (0..500).map(distance).fold(f64::INFINITY, f64::min);
                assert_eq!(grid.nearest(x).map(|n| n.1), Some(least));
            }
        }
    }

    #[test]
    fn points_that_are_nowhere_are_left_out() {
        let grid = PointGrid::new(&[[f64::NAN; 3], [1.0, 2.0, 3.0]], 0.1);
        assert_eq!(grid.nearest(Vec3([0.0; 3])).map(|n| n.0), Some(1));
        assert_eq!(PointGrid::new(&[], 0.1).nearest(Vec3([0.0; 3])), None);
        assert_eq!(grid.nearest(Vec3([f64::NAN; 3])), None);
    }
}
