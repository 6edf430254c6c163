//! New numbers for nodes: bodies keep theirs together, so those behind a body that grows move up.

use super::refine::Birth;
use crate::math::{Real, Vec3};
use std::ops::Range;

/// Where each body's nodes were, and from which of its old ones its new ones are copied.
#[derive(Clone, Debug)]
pub struct Relabel {
    /// The nodes of each body before.
    pub old: Vec<Range<usize>>,
    /// The nodes of each body after.
    pub new: Vec<Range<usize>>,
    /// For bodies that change, where their nodes come from.
    pub sources: Vec<Option<Sources>>,
    /// For each body, nodes that were put on edges: within the body, between which old ones, and how far from the first to
    /// the second.
    pub births: Vec<Vec<Birth>>,
    /// For each body, whether its elements are the same as before, but for the names of their nodes.
    pub keeps_elements: Vec<bool>,
    /// Edits that wait for the next step, because the budget is used up.
    pub(super) waiting: usize,
    /// Whether every node keeps its number within its body, and copies come behind.
    only_grows: bool,
}

/// The old node, within the body, of each new one. A node keeps its number as long as it is there, so only copies are listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// So many nodes keep their numbers;
    kept: usize,
    /// those behind them are copies of these.
    copies: Vec<u32>,
}

impl Sources {
    /// A body of so many nodes, without copies.
    pub fn unchanged(nodes: usize) -> Self {
        Sources { kept: nodes, copies: Vec::new() }
    }

    /// A body whose nodes, from the first `kept` on, are copies of these.
    pub(super) fn of_copies(origin: &[u32], kept: usize) -> Self {
        Sources { kept, copies: origin[kept..].to_vec() }
    }

    /// The same where only the first `kept` nodes have an old number.
    pub(super) fn beyond(self, kept: usize) -> Self {
        let copies = (kept as u32..self.kept as u32).chain(self.copies).collect();
        Sources { kept, copies }
    }

    /// Adds a copy of a node, which may be a copy itself.
    pub(super) fn copy(&mut self, node: u32) {
        self.copies.push(self.of(node as usize));
    }

    /// How many nodes there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.kept + self.copies.len()
    }

    /// The old node of the `k`-th one.
    #[inline]
    pub fn of(&self, k: usize) -> u32 {
        if k < self.kept { k as u32 } else { self.copies[k - self.kept] }
    }

    /// The old nodes of all.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.kept as u32).chain(self.copies.iter().copied())
    }

    /// The copies, each with its old node.
    pub fn copies(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        (self.kept..).zip(self.copies.iter().copied())
    }

    /// The same, to be changed.
    pub(super) fn copies_mut(&mut self) -> impl Iterator<Item = (usize, &mut u32)> + '_ {
        (self.kept..).zip(self.copies.iter_mut())
    }
}

impl Relabel {
    /// Bodies with these nodes, none of which changes.
    pub(super) fn unchanged(old: Vec<Range<usize>>) -> Self {
        let bodies = old.len();
        Relabel {
            new: old.clone(),
            old,
            sources: vec![None; bodies],
            births: vec![Vec::new(); bodies],
            keeps_elements: vec![true; bodies],
            waiting: 0,
            only_grows: true,
        }
    }

    /// Bodies with these nodes, some of which change, and their elements with them.
    pub fn new(old: Vec<Range<usize>>, sources: Vec<Option<Sources>>) -> Self {
        let mut relabel = Relabel::unchanged(old);
        relabel.keeps_elements = sources.iter().map(Option::is_none).collect();
        relabel.sources = sources;
        relabel.count();
        relabel
    }

    /// Numbers nodes by what each body has of them now.
    pub(super) fn count(&mut self) {
        let mut end = 0;
        self.only_grows = true;
        for ((range, sources), new) in self.old.iter().zip(&self.sources).zip(&mut self.new) {
            let start = end;
            end += sources.as_ref().map_or(range.len(), Sources::len);
            *new = start..end;
            self.only_grows &= sources.as_ref().is_none_or(|sources| sources.kept == range.len());
        }
    }

    /// How many nodes there are afterwards.
    pub fn node_count(&self) -> usize {
        self.new.last().map_or(0, |b| b.end)
    }

    /// Nodes from the first one on that gets another number.
    pub(super) fn moving(&self) -> usize {
        let first = self.old.iter().zip(&self.new).find(|(old, new)| old.start != new.start);
        first.map_or(0, |(_, new)| self.node_count() - new.start)
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
        let mut out = Vec::with_capacity(self.node_count());
        for (range, sources) in self.old.iter().zip(&self.sources) {
            match sources {
                None => out.extend_from_slice(&values[range.clone()]),
                Some(sources) => out.extend(sources.iter().map(|s| values[range.start + s as usize])),
            }
        }
        *values = out;
    }

    /// From the last body to the first, so that none is moved over one that has still to move.
    fn values_in_place<T: Copy>(&self, values: &mut Vec<T>) {
        let filler = values[0];
        values.resize(self.node_count(), filler);
        for ((old, new), sources) in self.old.iter().zip(&self.new).zip(&self.sources).rev() {
            if old.start != new.start {
                values.copy_within(old.clone(), new.start);
            }
            for (k, source) in sources.iter().flat_map(Sources::copies) {
                values[new.start + k] = values[new.start + source as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_behind_one_that_grows_move_up() {
        let mut sources = Sources::unchanged(2);
        [1, 0, 3].into_iter().for_each(|n| sources.copy(n));
        assert_eq!(sources.iter().collect::<Vec<_>>(), [0, 1, 1, 0, 0]);
        let relabel = Relabel::new(vec![0..2, 2..4, 4..5], vec![None, Some(sources), None]);
        let mut values = vec![10, 11, 20, 21, 30];
        relabel.values(&mut values);
        assert_eq!(values, [10, 11, 20, 21, 21, 20, 20, 30]);
        assert_eq!(relabel.moving(), 1);
        let shrinking = Relabel::new(vec![0..2, 2..7, 7..8], vec![None, Some(Sources::unchanged(2)), None]);
        shrinking.values(&mut values);
        assert_eq!(values, [10, 11, 20, 21, 30]);
        assert_eq!([0, 1, 2, 3, 4].map(|n| relabel.node(n)), [0, 1, 2, 3, 7]);
        assert_eq!(relabel.changed().collect::<Vec<_>>(), [1]);
        assert_eq!((relabel.shift(0), relabel.shift(2)), (0, 3));
    }
}
