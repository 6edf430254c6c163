//! Which stencil entries touch a node: the transposed index through which forces are gathered without atomics.

use crate::par;
use std::ops::Range;

/// For each node of a range, the positions at which it stands in a list of stencil entries, ascending.
///
/// Nodes have runs of their own, in any order: a node that splits shares its run with its copy, so that a crack moves nothing
/// else in memory.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    nodes: Range<usize>,
    /// Where the run of each node begins and ends.
    runs: Vec<[u32; 2]>,
    entries: Vec<u32>,
}

impl PartialEq for Incidence {
    /// The same entries at the same nodes, wherever they lie in memory.
    fn eq(&self, other: &Self) -> bool {
        let same = |local: usize| self.entries[self.run(local)] == other.entries[other.run(local)];
        self.nodes == other.nodes && self.entries.len() == other.entries.len() && (0..self.runs.len()).all(same)
    }
}

/// Runs are split without memory of their own up to this many entries.
const SHORT: usize = 64;

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
        self.runs.clear();
        self.runs.resize(count, [0; 2]);
        for &node in entry_nodes {
            self.runs[node as usize - first][1] += 1;
        }
        let mut at = 0;
        for run in &mut self.runs {
            let length = run[1];
            *run = [at, at];
            at += length;
        }
        self.entries.clear();
        self.entries.resize(entry_nodes.len(), 0);
        for (entry, &node) in entry_nodes.iter().enumerate() {
            let end = &mut self.runs[node as usize - first][1];
            self.entries[*end as usize] = entry as u32;
            *end += 1;
        }
    }

    /// Makes room for so many more nodes.
    pub fn make_room(&mut self, more: usize) {
        self.runs.reserve(more);
    }

    /// Gives a copy of the `local`-th node, which becomes the last one, those of its entries that `moves` names.
    pub fn split(&mut self, local: usize, moves: impl Fn(u32) -> bool) {
        let [start, end] = self.runs[local];
        let run = &mut self.entries[start as usize..end as usize];
        // Those that stay come first, all in their order.
        let kept = match run.len() <= SHORT {
            true => {
                let (mut kept, mut moved) = (0, [0; SHORT]);
                for k in 0..run.len() {
                    let (entry, to_copy) = (run[k], moves(run[k]));
                    let place = if to_copy { &mut moved[k - kept] } else { &mut run[kept] };
                    *place = entry;
                    kept += usize::from(!to_copy);
                }
                let count = run.len() - kept;
                run[kept..].copy_from_slice(&moved[..count]);
                kept
            }
            false => {
                let mut of_copy: Vec<u32> = run.to_vec();
                of_copy.retain(|entry| moves(*entry));
                let kept = run.len() - of_copy.len();
                let stay: Vec<u32> = run.iter().copied().filter(|entry| !moves(*entry)).collect();
                run[..kept].copy_from_slice(&stay);
                run[kept..].copy_from_slice(&of_copy);
                kept
            }
        };
        let middle = start + kept as u32;
        self.runs[local] = [start, middle];
        self.runs.push([middle, end]);
        self.nodes.end += 1;
    }

    /// Takes over the runs of some nodes from another one, of which this one was a copy before nodes were split there.
    pub fn follow(&mut self, other: &Incidence, locals: &[u32]) {
        self.runs.resize(other.runs.len(), [0; 2]);
        self.nodes.end = self.nodes.start + other.runs.len();
        for &local in locals {
            let run = other.run(local as usize);
            self.runs[local as usize] = other.runs[local as usize];
            self.entries[run.clone()].copy_from_slice(&other.entries[run]);
        }
    }

    /// Lets all nodes have numbers that are higher by this much.
    pub fn shift(&mut self, by: i64) {
        let moved = |n: usize| (n as i64 + by) as usize;
        self.nodes = moved(self.nodes.start)..moved(self.nodes.end);
    }

    /// Covers other nodes from the next [`Incidence::rebuild`] on.
    pub fn cover(&mut self, nodes: Range<usize>) {
        self.nodes = nodes;
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
        let [start, end] = self.runs[local];
        start as usize..end as usize
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.runs[..]) + size_of_val(&self.entries[..])
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

    #[test]
    fn a_split_node_shares_its_entries_with_its_copy() {
        let mut entry_nodes = [7, 5, 5, 9, 7, 5];
        let whole = Incidence::new(&entry_nodes, 5..10);
        let mut split = whole.clone();
        split.split(0, |entry| entry == 2);
        split.split(2, |entry| entry == 0);
        (entry_nodes[2], entry_nodes[0]) = (10, 11);
        assert_eq!(split, Incidence::new(&entry_nodes, 5..12));
        let mut follower = whole.clone();
        follower.follow(&split, &[0, 5, 2, 6]);
        assert_eq!(follower, split);
        assert_ne!(whole, split);
    }
}
