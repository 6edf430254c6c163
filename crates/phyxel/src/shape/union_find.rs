//! Sets that grow together.

/// Disjoint sets of `0..n`; the name of a set is its smallest member, so that names depend on the input alone.
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    pub(crate) fn new(n: usize) -> Self {
        UnionFind((0..n as u32).collect())
    }

    /// The name of the set that `i` is in.
    pub(crate) fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            // Halve the path on the way.
            let parent = self.0[i as usize];
            self.0[i as usize] = self.0[parent as usize];
            i = parent;
        }
        i
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The set of each member, numbered from zero in the order of their smallest members, and how many there are.
    pub(crate) fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut count = 0;
        let mut number = vec![0; self.0.len()];
        for i in 0..self.0.len() {
            let root = self.find(i as u32) as usize;
            if root == i {
                number[i] = count;
                count += 1;
            } else {
                number[i] = number[root];
            }
        }
        (number, count as usize)
    }
}
