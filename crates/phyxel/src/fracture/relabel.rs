//! New numbers for nodes: bodies keep theirs together, so those behind a body that grows move up.

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
}

impl Relabel {
    /// Bodies with these nodes, some of which change.
    pub fn new(old: Vec<Range<usize>>, sources: Vec<Option<Vec<u32>>>) -> Self {
        let mut end = 0;
        let mut new = Vec::with_capacity(old.len());
        for (range, sources) in old.iter().zip(&sources) {
            let start = end;
            end += sources.as_ref().map_or(range.len(), Vec::len);
            new.push(start..end);
        }
        Relabel { old, new, sources }
    }

    /// The bodies that change.
    pub fn changed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.old.len()).filter(|b| self.sources[*b].is_some())
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
        let mut out = Vec::with_capacity(self.new.last().map_or(0, |b| b.end));
        for (range, sources) in self.old.iter().zip(&self.sources) {
            match sources {
                None => out.extend_from_slice(&values[range.clone()]),
                Some(sources) => out.extend(sources.iter().map(|s| values[range.start + *s as usize])),
            }
        }
        *values = out;
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
        assert_eq!([0, 1, 2, 3, 4].map(|n| relabel.node(n)), [0, 1, 2, 3, 6]);
        assert_eq!(relabel.changed().collect::<Vec<_>>(), [1]);
        assert_eq!((relabel.shift(0), relabel.shift(2)), (0, 2));
    }
}
