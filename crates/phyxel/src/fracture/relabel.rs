//! New numbers for nodes: bodies keep theirs together, so those behind a body that grows move up.

use super::refine::Birth;
use super::split::Touched;
use crate::math::{Real, Vec3};
use std::ops::Range;

/// Where each body's nodes were, and from which of its old ones its new ones are copied.
#[derive(Clone, Debug)]
pub struct Relabel {
    /// The nodes of each body before.
    pub old: Vec<Range<usize>>,
    /// The nodes of each body after.
    pub new: Vec<Range<usize>>,
    /// For bodies that change, the old node, within the body, of each new one; a node keeps its number as long as it is
    /// there.
    pub sources: Vec<Option<Vec<u32>>>,
    /// For each body, nodes that were put on edges: within the body, between which old ones, and how far from the first to
    /// the second.
    pub births: Vec<Vec<Birth>>,
    /// For bodies that change, what of them; nothing where everything may have.
    pub(super) touched: Vec<Option<Touched>>,
    /// Edits that wait for the next step, because the budget is used up.
    pub(super) waiting: usize,
    /// Whether every node keeps its number within its body, and copies come behind.
    only_grows: bool,
}

impl Relabel {
    /// Bodies with these nodes, none of which changes.
    pub(super) fn unchanged(old: &[Range<usize>]) -> Self {
        let bodies = old.len();
        Relabel {
            old: old.to_vec(),
            new: old.to_vec(),
            sources: vec![None; bodies],
            births: vec![Vec::new(); bodies],
            touched: vec![None; bodies],
            waiting: 0,
            only_grows: true,
        }
    }

    /// Bodies with these nodes, some of which change.
    pub fn new(old: Vec<Range<usize>>, sources: Vec<Option<Vec<u32>>>) -> Self {
        let mut relabel = Relabel { sources, ..Relabel::unchanged(&old) };
        relabel.count();
        relabel
    }

    /// Numbers nodes by what each body has of them now.
    pub(super) fn count(&mut self) {
        let mut end = 0;
        self.only_grows = true;
        for ((range, sources), new) in self.old.iter().zip(&self.sources).zip(&mut self.new) {
            let start = end;
            end += sources.as_ref().map_or(range.len(), Vec::len);
            *new = start..end;
            self.only_grows &= sources.as_ref().is_none_or(|sources| {
                sources.len() >= range.len() && sources[..range.len()].iter().enumerate().all(|(k, s)| *s as usize == k)
            });
        }
    }

    /// Values over all nodes that change evenly along edges, with those of nodes that were put there.
    pub fn even_values<R: Real>(&self, values: &mut Vec<Vec3<R>>) {
        self.values(values);
        if values.is_empty() {
            return;
        }
        for (births, range) in self.births.iter().zip(&self.new) {
            for birth in births {
                let [a, b] = birth.ends.map(|n| values[range.start + n as usize]);
                let share = R::of(birth.share);
                values[range.start + birth.node as usize] = a * (R::one() - share) + b * share;
            }
        }
    }

    /// The bodies that change.
    pub fn changed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.old.len()).filter(|b| self.sources[*b].is_some())
    }

    /// Whether the elements of a body are the same as before, but for the names of their nodes.
    pub fn keeps_elements(&self, body: usize) -> bool {
        self.sources[body].is_none() || self.touched[body].is_some()
    }

    /// The bodies whose elements were cut.
    pub fn cut(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.old.len()).filter(|b| !self.births[*b].is_empty())
    }

    /// The new number of a node.
    #[inline]
    pub fn node(&self, node: u32) -> u32 {
        let body = self.old.partition_point(|b| b.end <= node as usize);
        (node as usize - self.old[body].start + self.new[body].start) as u32
    }

    /// How far a body's nodes move up.
    pub fn shift(&self, body: usize) -> i64 {
        self.new[body].start as i64 - self.old[body].start as i64
    }

    /// An array over all nodes, with the values of copies.
    pub fn values<T: Copy>(&self, values: &mut Vec<T>) {
        if values.is_empty() {
            return;
        }
        if self.only_grows {
            return self.values_in_place(values);
        }
        let mut out = Vec::with_capacity(self.new.last().map_or(0, |b| b.end));
        for (range, sources) in self.old.iter().zip(&self.sources) {
            match sources {
                None => out.extend_from_slice(&values[range.clone()]),
                Some(sources) => out.extend(sources.iter().map(|s| values[range.start + *s as usize])),
            }
        }
        *values = out;
    }

    /// From the last body to the first, so that none is moved over one that has still to move.
    fn values_in_place<T: Copy>(&self, values: &mut Vec<T>) {
        let filler = values[0];
        values.resize(self.new.last().map_or(0, |b| b.end), filler);
        for ((old, new), sources) in self.old.iter().zip(&self.new).zip(&self.sources).rev() {
            if old.start != new.start {
                values.copy_within(old.clone(), new.start);
            }
            if let Some(sources) = sources {
                for k in old.len()..sources.len() {
                    values[new.start + k] = values[new.start + sources[k] as usize];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_behind_one_that_grows_move_up() {
        let relabel = Relabel::new(vec![0..2, 2..4, 4..5], vec![None, Some(vec![0, 1, 1, 0]), None]);
        let mut values = vec![10, 11, 20, 21, 30];
        relabel.values(&mut values);
        assert_eq!(values, [10, 11, 20, 21, 21, 20, 30]);
        let shrinking = Relabel::new(vec![0..2, 2..6, 6..7], vec![None, Some(vec![0, 1]), None]);
        shrinking.values(&mut values);
        assert_eq!(values, [10, 11, 20, 21, 30]);
        assert_eq!([0, 1, 2, 3, 4].map(|n| relabel.node(n)), [0, 1, 2, 3, 6]);
        assert_eq!(relabel.changed().collect::<Vec<_>>(), [1]);
        assert_eq!((relabel.shift(0), relabel.shift(2)), (0, 2));
    }
}
