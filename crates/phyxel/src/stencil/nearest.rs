//! Distances to the nearest points, by a k-d tree: exact for any distribution, however clustered.

use crate::math::{Real, Vec3};
use rayon::prelude::*;

/// Leaves of the tree hold at most this many points.
const LEAF: usize = 16;

/// Mean distance of every point to its `k` nearest others [m]; to all others when there are fewer, and 0 when there are
/// none.
pub fn mean_nearest_distances<R: Real>(points: &[Vec3<R>], k: usize) -> Vec<R> {
    let mut tree: Vec<(Vec3<R>, u32)> = points.iter().zip(0..).map(|(p, i)| (*p, i)).collect();
    build(&mut tree, 0);
    (0..points.len())
        .into_par_iter()
        .with_min_len(64)
        .map_with(Vec::new(), |best, i| {
            best.clear();
            let query = Query { point: points[i], index: i as u32, k };
            query.search(&tree, 0, best);
            let sum = best.iter().fold(R::zero(), |s, d| s + d.sqrt());
            if best.is_empty() { R::zero() } else { sum / R::of(best.len() as f64) }
        })
        .collect()
}

/// Orders the points so that the middle one separates both halves along the axis of its depth.
fn build<R: Real>(points: &mut [(Vec3<R>, u32)], axis: usize) {
    if points.len() <= LEAF {
        return;
    }
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a.0[axis].to_f64().total_cmp(&b.0[axis].to_f64()));
    let (low, high) = points.split_at_mut(middle);
    let next = (axis + 1) % 3;
    if high.len() > 4096 {
        rayon::join(|| build(low, next), || build(&mut high[1..], next));
    } else {
        build(low, next);
        build(&mut high[1..], next);
    }
}

struct Query<R> {
    point: Vec3<R>,
    index: u32,
    k: usize,
}

impl<R: Real> Query<R> {
    /// Keeps the `k` smallest squared distances in `best`, ascending.
    fn search(&self, tree: &[(Vec3<R>, u32)], axis: usize, best: &mut Vec<R>) {
        if tree.len() <= LEAF {
            return tree.iter().for_each(|p| self.offer(p, best));
        }
        let middle = tree.len() / 2;
        let (low, high) = (&tree[..middle], &tree[middle + 1..]);
        let beyond = self.point[axis] - tree[middle].0[axis];
        let (near, far) = if beyond < R::zero() { (low, high) } else { (high, low) };
        let next = (axis + 1) % 3;
        self.search(near, next, best);
        self.offer(&tree[middle], best);
        if best.len() < self.k || best.last().is_some_and(|worst| beyond * beyond < *worst) {
            self.search(far, next, best);
        }
    }

    fn offer(&self, candidate: &(Vec3<R>, u32), best: &mut Vec<R>) {
        let d = (candidate.0 - self.point).norm_squared();
        if candidate.1 == self.index || !d.is_finite() {
            return;
        }
        let place = best.partition_point(|b| *b <= d);
        if place < self.k {
            best.truncate(self.k - 1);
            best.insert(place, d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::neighbours::tests::cloud;

    fn brute<R: Real>(points: &[Vec3<R>], i: usize, k: usize) -> f64 {
        let others = (0..points.len()).filter(|&j| j != i);
        let mut d: Vec<f64> = others.map(|j| (points[j] - points[i]).norm().to_f64()).collect();
        d.sort_by(f64::total_cmp);
        d.truncate(k);
        if d.is_empty() { 0.0 } else { d.iter().sum::<f64>() / d.len() as f64 }
    }

    #[test]
    fn mean_distances_equal_those_of_a_sort() {
        let mut points = cloud(700, 3);
        points.extend_from_within(..50);
        points.extend((0..40).map(|i| Vec3([i as f64 * 1e3, 0.0, 0.0])));
        for k in [0, 1, 10] {
            let found = mean_nearest_distances(&points, k);
            for i in 0..points.len() {
                let expected = brute(&points, i, k);
                assert!((found[i] - expected).abs() <= 1e-12 * expected, "k {k}, point {i}");
            }
        }
    }

    #[test]
    fn few_points_are_no_special_case() {
        assert!(mean_nearest_distances::<f64>(&[], 10).is_empty());
        assert_eq!(mean_nearest_distances(&[Vec3([1.0_f32, 2.0, 3.0])], 10), [0.0]);
        let two = [Vec3([0.0, 0.0, 0.0]), Vec3([0.0, 3.0, 4.0])];
        assert_eq!(mean_nearest_distances(&two, 10), [5.0, 5.0]);
    }
}
