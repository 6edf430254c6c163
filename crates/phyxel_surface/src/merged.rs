//! Bodies that have run into each other: melts that touch are one surface, and stay one when they set.

use crate::grid::PointGrid;
use crate::saved::{Reader, Saved, Writer};
use phyxel::math::Vec3;
use phyxel::model::MOLTEN;
use std::collections::BTreeSet;

/// A body that may run into others.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Its phyxels [m].
    pub points: &'a [[f64; 3]],
    /// How far apart they are [m].
    pub spacing: f64,
    /// The molten share of each, 0 to 1; empty where nothing melts.
    pub molten: &'a [f64],
}

impl Piece<'_> {
    fn is_molten(&self, phyxel: usize) -> bool {
        self.molten.get(phyxel).is_some_and(|share| *share >= MOLTEN)
    }

    /// The box around it: least and greatest coordinates [m].
    fn bounds(&self) -> [[f64; 3]; 2] {
        let finite = || self.points.iter().filter(|p| p.iter().all(|c| c.is_finite()));
        let bound = |a: usize, start: f64, pick: fn(f64, f64) -> f64| finite().map(|p| p[a]).fold(start, pick);
        [[0, 1, 2].map(|a| bound(a, f64::INFINITY, f64::min)), [0, 1, 2].map(|a| bound(a, f64::NEG_INFINITY, f64::max))]
    }
}

/// Which bodies hang together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Pairs that met as melts and have not parted since, the smaller index first.
    links: BTreeSet<[usize; 2]>,
}

impl Merged {
    /// Looks at the bodies of a frame, `None` for those that merge with nothing, and gives the groups that are drawn as one:
    /// every body is in one of them, in ascending order. Two bodies join when a molten phyxel of each is within `reach`
    /// spacings of the other's, and part when no two phyxels are.
    pub fn groups(&mut self, pieces: &[Option<Piece<'_>>], reach: f64) -> Vec<Vec<usize>> {
        let bounds: Vec<_> = pieces.iter().map(|p| p.map(|p| p.bounds())).collect();
        let mut links = BTreeSet::new();
        for (i, a) in pieces.iter().enumerate().filter_map(|(i, p)| Some((i, (*p)?))) {
            for (j, b) in pieces.iter().enumerate().skip(i + 1).filter_map(|(j, p)| Some((j, (*p)?))) {
                let far = reach * a.spacing.max(b.spacing);
                let (Some([low, high]), Some([under, over])) = (bounds[i], bounds[j]) else { continue };
                let apart = (0..3).any(|k| low[k] > over[k] + far || under[k] > high[k] + far);
                if !apart && meet(&a, &b, far, self.links.contains(&[i, j])) {
                    links.insert([i, j]);
                }
            }
        }
        self.links = links;
        self.parts(pieces.len())
    }

    /// The bodies in groups that hang together.
    pub(crate) fn parts(&self, count: usize) -> Vec<Vec<usize>> {
        let mut first: Vec<usize> = (0..count).collect();
        // Links are in ascending order, but a chain may close late: a few rounds settle it.
        let mut changed = true;
        while changed {
            changed = false;
            for &[a, b] in self.links.iter().filter(|[_, b]| *b < count) {
                let least = first[a].min(first[b]);
                changed |= (first[a], first[b]) != (least, least);
                (first[a], first[b]) = (least, least);
            }
        }
        let members = |of: usize| (0..count).filter(|i| first[*i] == of).collect::<Vec<_>>();
        (0..count).filter(|i| first[*i] == *i).map(members).collect()
    }
}

/// Whether phyxels of two bodies are within `far` [m] of each other; only molten ones count unless they hang together
/// already.
fn meet(a: &Piece<'_>, b: &Piece<'_>, far: f64, together: bool) -> bool {
    let counts = |piece: &Piece<'_>, i: usize| together || piece.is_molten(i);
    let grid = PointGrid::new(b.points, far);
    let near = |(i, p): (usize, &[f64; 3])| {
        let mut found = false;
        if counts(a, i) && p.iter().all(|c| c.is_finite()) {
            grid.each_within(Vec3(*p), far, |j, _, _| found |= counts(b, j as usize));
        }
        found
    };
    a.points.iter().enumerate().any(near)
}

impl Saved for Merged {
    fn save(&self, to: &mut Writer) {
        let links: Vec<[usize; 2]> = self.links.iter().copied().collect();
        to.list(&links, |to, [a, b]| {
            to.number(a as u64);
            to.number(b as u64);
        });
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let index = |from: &mut Reader<'_>| usize::try_from(from.number()?).ok();
        self.links = from.list(|from| Some([index(from)?, index(from)?]))?.into_iter().collect();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(x: f64) -> Vec<[f64; 3]> {
        (0..64).map(|i| [i % 4, i / 4 % 4, i / 16].map(f64::from)).map(|[a, b, c]| [a + x, b, c]).collect()
    }

    #[test]
    fn melts_that_touch_join_and_stay_together_when_they_set() {
        let (molten, solid) = (vec![1.0; 64], vec![0.0; 64]);
        let groups = |merged: &mut Merged, gap: f64, melts: &[f64]| {
            let (a, b, c) = (cube(0.0), cube(3.0 + gap), cube(50.0));
            let piece = |points| Some(Piece { points, spacing: 1.0, molten: melts });
            merged.groups(&[piece(&a), None, piece(&b), piece(&c)], 2.5)
        };
        let apart = vec![vec![0], vec![1], vec![2], vec![3]];
        let joined = vec![vec![0, 2], vec![1], vec![3]];
        let mut merged = Merged::default();
        assert_eq!(groups(&mut merged, 4.0, &molten), apart);
        assert_eq!(groups(&mut merged, 1.0, &solid), apart, "what is solid only touches");
        assert_eq!(groups(&mut merged, 1.0, &[]), apart, "as does what never melts");
        assert_eq!(groups(&mut merged, 1.0, &molten), joined);
        assert_eq!(groups(&mut merged, 1.0, &solid), joined, "it has set");
        assert_eq!(groups(&mut merged, 4.0, &solid), apart, "torn off");
        assert_eq!(groups(&mut merged, 1.0, &solid), apart);
    }

    #[test]
    fn chains_are_one_group_in_whatever_order_they_close() {
        let merged = Merged { links: BTreeSet::from([[0, 4], [1, 3], [3, 4]]) };
        assert_eq!(merged.parts(5), [vec![0, 1, 3, 4], vec![2]]);
    }
}
