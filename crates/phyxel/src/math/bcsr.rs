//! Sparse matrices of 3x3 blocks with a pattern that stays while the numbers change.

use super::{Mat3, Real, Vec3};
use crate::par;

/// Block rows with ascending columns; the diagonal block is always there.
#[derive(Clone, Debug, Default)]
pub struct Bcsr<R> {
    /// Row `i` owns blocks `offsets[i]..offsets[i + 1]`.
    pub offsets: Vec<u32>,
    /// Column of each block.
    pub columns: Vec<u32>,
    /// The blocks.
    pub blocks: Vec<Mat3<R>>,
    /// Where each row's diagonal block is.
    pub diagonal: Vec<u32>,
}

impl<R: Real> Bcsr<R> {
    /// The pattern in which all nodes of an element are coupled, for every element that `elements` hands out.
    pub fn pattern<E: AsRef<[u32]>>(size: usize, elements: impl Iterator<Item = E> + Clone) -> Self {
        // Upper bounds per row first, so that the columns are collected in one allocation.
        let mut bounds = vec![1u32; size + 1];
        bounds[0] = 0;
        for nodes in elements.clone() {
            let nodes = nodes.as_ref();
            for &node in nodes {
                bounds[node as usize + 1] += nodes.len() as u32;
            }
        }
        for i in 0..size {
            bounds[i + 1] += bounds[i];
        }
        let mut cursor: Vec<u32> = bounds[..size].to_vec();
        let mut collected = vec![0u32; bounds[size] as usize];
        let mut put = |row: usize, column: u32| {
            collected[cursor[row] as usize] = column;
            cursor[row] += 1;
        };
        for row in 0..size {
            put(row, row as u32);
        }
        for nodes in elements {
            let nodes = nodes.as_ref();
            for &row in nodes {
                nodes.iter().for_each(|&column| put(row as usize, column));
            }
        }
        Self::compress(size, &bounds, collected)
    }

    fn compress(size: usize, bounds: &[u32], mut collected: Vec<u32>) -> Self {
        par::rows(&mut collected, bounds, &|_, run| run.sort_unstable());
        let mut matrix = Bcsr { offsets: vec![0], ..Default::default() };
        for row in 0..size {
            let start = matrix.columns.len();
            for &column in &collected[bounds[row] as usize..bounds[row + 1] as usize] {
                if matrix.columns[start..].last() != Some(&column) {
                    if column as usize == row {
                        matrix.diagonal.push(matrix.columns.len() as u32);
                    }
                    matrix.columns.push(column);
                }
            }
            matrix.offsets.push(matrix.columns.len() as u32);
        }
        matrix.columns.shrink_to_fit();
        matrix.blocks = vec![Mat3::zero(); matrix.columns.len()];
        matrix
    }

    /// How many block rows there are.
    pub fn size(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where `column` stands within `row`.
    pub fn slot(&self, row: usize, column: u32) -> Option<usize> {
        let run = &self.columns[self.offsets[row] as usize..self.offsets[row + 1] as usize];
        run.binary_search(&column).ok()
    }

    /// `out = A x`.
    pub fn multiply(&self, x: &[Vec3<R>], out: &mut [Vec3<R>]) {
        par::chunks(out, 256, |start, chunk| {
            for (i, value) in chunk.iter_mut().enumerate() {
                let run = self.offsets[start + i] as usize..self.offsets[start + i + 1] as usize;
                let mut sum = Vec3::zero();
                for (&column, block) in self.columns[run.clone()].iter().zip(&self.blocks[run]) {
                    sum += *block * x[column as usize];
                }
                *value = sum;
            }
        });
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.offsets[..])
            + size_of_val(&self.columns[..])
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.diagonal[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_couples_the_nodes_of_elements_and_nothing_else() {
        let elements = [[0u32, 2, 3], [2, 3, 4]];
        let m = Bcsr::<f64>::pattern(6, elements.iter().map(|e| &e[..]));
        let row = |i: usize| &m.columns[m.offsets[i] as usize..m.offsets[i + 1] as usize];
        assert_eq!((row(0), row(1), row(2), row(5)), (&[0, 2, 3][..], &[1][..], &[0, 2, 3, 4][..], &[5][..]));
        assert_eq!(m.columns[m.diagonal[3] as usize], 3);
        assert_eq!(m.slot(2, 4), Some(3));
        assert_eq!(m.slot(2, 5), None);
    }

    #[test]
    fn product_agrees_with_the_dense_sum() {
        let elements = [[0u32, 1], [1, 2]];
        let mut m = Bcsr::<f64>::pattern(3, elements.iter().map(|e| &e[..]));
        for (k, block) in m.blocks.iter_mut().enumerate() {
            *block = Mat3::of([[1.0, 2.0, 3.0], [0.0, k as f64, 1.0], [2.0, 0.0, -1.0]]);
        }
        let x: Vec<_> = (0..3).map(|i| Vec3::of([i as f64, 1.0, -2.0 * i as f64])).collect();
        let mut out = vec![Vec3::zero(); 3];
        m.multiply(&x, &mut out);
        for row in 0..3 {
            let mut expected = Vec3::zero();
            for column in 0..3u32 {
                if let Some(slot) = m.slot(row, column) {
                    expected += m.blocks[m.offsets[row] as usize + slot] * x[column as usize];
                }
            }
            assert_eq!(out[row], expected);
        }
    }
}
