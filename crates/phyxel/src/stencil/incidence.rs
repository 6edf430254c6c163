//! Which stencil entries touch a node: the transposed index through which forces are gathered without atomics.

use crate::par;
use std::ops::Range;

/// For each node of a range, the positions at which it stands in a list of stencil entries, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incidence {
    nodes: Range<usize>,
    offsets: Vec<u32>,
    entries: Vec<u32>,
}

impl Incidence {
    /// Transposes `entry_nodes` (the node of each entry) over the nodes of a body.
    pub fn new(entry_nodes: &[u32], nodes: Range<usize>) -> Self {
        let mut incidence = Incidence { nodes, ..Default::default() };
        incidence.rebuild(entry_nodes);
        incidence
    }

    /// Transposes again, into the same memory.
    pub fn rebuild(&mut self, entry_nodes: &[u32]) {
        let (first, count) = (self.nodes.start, self.nodes.len());
        self.offsets.clear();
        self.offsets.resize(count + 1, 0);
        for &node in entry_nodes {
            self.offsets[node as usize - first + 1] += 1;
        }
        for i in 0..count {
            self.offsets[i + 1] += self.offsets[i];
        }
        self.entries.clear();
        self.entries.resize(entry_nodes.len(), 0);
        for (entry, &node) in entry_nodes.iter().enumerate() {
            let cursor = &mut self.offsets[node as usize - first];
            self.entries[*cursor as usize] = entry as u32;
            *cursor += 1;
        }
        // The cursors have run to the end of each node's run; shift them back to its start.
        for i in (1..=count).rev() {
            self.offsets[i] = self.offsets[i - 1];
        }
        self.offsets[0] = 0;
    }

    /// Lets all nodes have numbers that are higher by this much.
    pub fn shift(&mut self, by: i64) {
        let moved = |n: usize| (n as i64 + by) as usize;
        self.nodes = moved(self.nodes.start)..moved(self.nodes.end);
    }

    /// The nodes that are covered.
    pub fn nodes(&self) -> Range<usize> {
        self.nodes.clone()
    }

    /// Entry positions, node by node.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Where in [`Incidence::entries`] the `local`-th node's run lies.
    #[inline(always)]
    pub fn run(&self, local: usize) -> Range<usize> {
        self.offsets[local] as usize..self.offsets[local + 1] as usize
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.offsets[..]) + size_of_val(&self.entries[..])
    }

    /// Calls `f(entries, value)` for every covered node, `value` being its place in `out` (over the whole model).
    #[inline]
    pub fn for_each_node<T: Send>(&self, out: &mut [T], f: impl Fn(&[u32], &mut T) + Sync) {
        par::for_each(&mut out[self.nodes.clone()], |i, value| f(&self.entries[self.run(i)], value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_found_at_its_node_in_order() {
        let entry_nodes = [7, 5, 5, 9, 7, 5];
        let incidence = Incidence::new(&entry_nodes, 5..10);
        let at = |node: usize| &incidence.entries()[incidence.run(node - 5)];
        assert_eq!((at(5), at(6), at(7), at(8), at(9)), (&[1, 2, 5][..], &[][..], &[0, 4][..], &[][..], &[3][..]));
    }
}
