//! Groups of elements that share no node, so that they can be solved at the same time.

use crate::math::Real;
use crate::stencil::block::Block;
use std::ops::Range;

/// Elements sorted by colour.
#[derive(Clone, Debug, Default)]
pub struct Colouring {
    elements: Vec<u32>,
    /// Where each element's entries begin when all are laid out in this order, and one more for the end.
    entry_offsets: Vec<u32>,
    starts: Vec<u32>,
}

impl Colouring {
    /// The runs of elements of each colour.
    pub fn colours(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|w| w[0] as usize..w[1] as usize)
    }

    /// The elements of a run and where their entries begin.
    pub fn elements(&self, run: Range<usize>) -> (&[u32], &[u32]) {
        (&self.elements[run.clone()], &self.entry_offsets[run.start..=run.end])
    }
}

/// Greedy colouring in the order of elements: the first colour that no node of the element has yet.
pub fn colour<R: Real>(block: &Block<R>, node_count: usize) -> Colouring {
    let mut used: Vec<Vec<u64>> = vec![Vec::new(); node_count];
    let mut colours: Vec<Vec<u32>> = Vec::new();
    for e in 0..block.len() {
        let first = block.with_entries(e, |nodes, _| {
            let colour = first_free(nodes, &used);
            for &n in nodes {
                let words = &mut used[n as usize];
                if words.len() <= colour / 64 {
                    words.resize(colour / 64 + 1, 0);
                }
                words[colour / 64] |= 1 << (colour % 64);
            }
            colour
        });
        if colours.len() <= first {
            colours.resize(first + 1, Vec::new());
        }
        colours[first].push(e as u32);
    }
    let mut result = Colouring { entry_offsets: vec![0], starts: vec![0], ..Default::default() };
    let mut entries = 0;
    for colour in colours {
        for e in colour {
            entries += block.with_entries(e as usize, |nodes, _| nodes.len() as u32);
            result.elements.push(e);
            result.entry_offsets.push(entries);
        }
        result.starts.push(result.elements.len() as u32);
    }
    result
}

fn first_free(nodes: &[u32], used: &[Vec<u64>]) -> usize {
    let mut word = 0;
    loop {
        let taken = nodes.iter().fold(0, |bits, &n| bits | used[n as usize].get(word).copied().unwrap_or(0));
        if taken != u64::MAX {
            return 64 * word + taken.trailing_ones() as usize;
        }
        word += 1;
    }
}
