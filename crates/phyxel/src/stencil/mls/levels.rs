//! Neighbours across levels of different spacing.

use super::super::Neighbours;
use super::row::Pair;
use crate::math::Vec3;

/// Pairs within the mean of their two supports, from the neighbours that each finds with its own.
///
/// Of two phyxels the one that sees further finds every such pair, since the mean is no larger than its own support; what
/// it found is kept if near enough, and told to the other.
pub(super) fn mutual(own: &Neighbours, points: &[Vec3<f64>], radii: &[f64]) -> Neighbours {
    let n = points.len();
    let near = |i: usize, j: usize| {
        let pair = Pair::between(radii[i], radii[j]);
        (points[j] - points[i]).norm_squared() * pair.narrowing < radii[i] * radii[i]
    };
    // Equal ones find each other, so only unequal pairs are told.
    let found = |i: usize| {
        let seen = own.of(i).iter().map(|j| *j as usize);
        seen.filter(move |&j| radii[i] >= radii[j] && near(i, j))
    };
    let mut offsets = vec![0_u32; n + 1];
    for i in 0..n {
        for j in found(i) {
            offsets[i + 1] += 1;
            offsets[j + 1] += (radii[i] > radii[j]) as u32;
        }
    }
    for i in 0..n {
        offsets[i + 1] += offsets[i];
    }
    let mut next = offsets.clone();
    let mut indices = vec![0; offsets[n] as usize];
    let mut put = |at: usize, j: usize| {
        indices[next[at] as usize] = j as u32;
        next[at] += 1;
    };
    for i in 0..n {
        for j in found(i) {
            put(i, j);
            if radii[i] > radii[j] {
                put(j, i);
            }
        }
    }
    for i in 0..n {
        indices[offsets[i] as usize..offsets[i + 1] as usize].sort_unstable();
    }
    Neighbours { offsets, indices }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::neighbours::tests::cloud;
    use crate::stencil::{NeighbourSearch, Radii};

    #[test]
    fn pairs_are_those_within_the_mean_of_their_supports() {
        let points = cloud(400, 3);
        let radii: Vec<f64> = (0..400).map(|i| 0.05 * f64::from(1 << (i % 3))).collect();
        let mut own = Neighbours::default();
        NeighbourSearch::default().rebuild(&points, Radii::Each(&radii), &mut own).unwrap();
        let found = mutual(&own, &points, &radii);
        for i in 0..400 {
            let near = |j: &usize| *j != i && (points[*j] - points[i]).norm() < 0.5 * (radii[i] + radii[*j]);
            let expected: Vec<u32> = (0..400).filter(near).map(|j| j as u32).collect();
            assert_eq!(found.of(i), expected);
        }
    }
}
