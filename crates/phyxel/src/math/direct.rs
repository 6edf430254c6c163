//! Sparse direct solvers (faer) on block matrices: factor once, solve often.

use super::{Bcsr, Mat3, Real, Vec3};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// Which factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factorisation {
    /// `L Lᵀ`, for symmetric positive definite matrices.
    Cholesky,
    /// `L U` with pivoting, for any regular matrix.
    Lu,
}

/// Why a matrix could not be factored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// A pivot was zero or negative.
    #[error("the system matrix is singular or indefinite: hold the body with pins, or use linear = \"cg\"")]
    Singular,
    /// The factors do not fit into memory.
    #[error("the factors of the system matrix do not fit into memory: use linear = \"cg\"")]
    OutOfMemory,
}

/// A block matrix in factored form. Numbers are `f64` whatever the matrix holds: the factors of a stiff body lose
/// half of the digits.
pub struct Direct {
    columns: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    rhs: Vec<f64>,
    kind: Factors,
}

enum Factors {
    Cholesky { symbolic: Box<SymbolicCholesky<usize>>, values: Vec<f64>, memory: MemBuffer },
    Lu { symbolic: SymbolicLu<usize>, numeric: Option<Box<Lu<usize, f64>>> },
}

impl Direct {
    /// Analyses a pattern; the numbers come with [`Direct::factor`].
    pub fn new<R: Real>(matrix: &Bcsr<R>, kind: Factorisation) -> Result<Self, FactorError> {
        let lower_only = kind == Factorisation::Cholesky;
        let (columns, rows) = scalar_pattern(matrix, lower_only);
        let n = 3 * matrix.size();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &columns, None, &rows);
        let kind = match kind {
            Factorisation::Cholesky => {
                let symbolic =
                    factorize_symbolic_cholesky(pattern, Side::Lower, Default::default(), Default::default())
                        .map_err(|_| FactorError::OutOfMemory)?;
                let factor = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
                let request = factor.or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
                let memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
                let values = vec![0.0; symbolic.len_val()];
                Factors::Cholesky { symbolic: Box::new(symbolic), values, memory }
            }
            Factorisation::Lu => {
                let symbolic = SymbolicLu::try_new(pattern).map_err(|_| FactorError::OutOfMemory)?;
                Factors::Lu { symbolic, numeric: None }
            }
        };
        Ok(Direct { values: vec![0.0; rows.len()], rhs: vec![0.0; n], columns, rows, kind })
    }

    /// Factors the matrix with the held directions taken out: `S A S + (I − S)` for the projectors `S` of `held`,
    /// which is sorted by node.
    pub fn factor<R: Real>(&mut self, matrix: &Bcsr<R>, held: &[(u32, Mat3<R>)]) -> Result<(), FactorError> {
        self.fill(matrix, held);
        let n = self.rhs.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.columns, None, &self.rows);
        let a = SparseColMatRef::new(pattern, &self.values[..]);
        match &mut self.kind {
            Factors::Cholesky { symbolic, values, memory } => symbolic
                .factorize_numeric_llt(
                    values,
                    a,
                    Side::Lower,
                    LltRegularization::default(),
                    Par::Seq,
                    MemStack::new(memory),
                    Default::default(),
                )
                .map(|_| ())
                .map_err(|_| FactorError::Singular),
            Factors::Lu { symbolic, numeric } => {
                let lu = Lu::try_new_with_symbolic(symbolic.clone(), a).map_err(|_| FactorError::Singular)?;
                *numeric = Some(Box::new(lu));
                Ok(())
            }
        }
    }

    fn fill<R: Real>(&mut self, matrix: &Bcsr<R>, held: &[(u32, Mat3<R>)]) {
        let lower_only = matches!(self.kind, Factors::Cholesky { .. });
        let projector = |node: usize| {
            let found = held.binary_search_by_key(&(node as u32), |h| h.0);
            found.map(|i| held[i].1).ok()
        };
        let mut next = 0;
        for node in 0..matrix.size() {
            let run = matrix.offsets[node] as usize..matrix.offsets[node + 1] as usize;
            let own = projector(node);
            for axis in 0..3 {
                for k in run.clone() {
                    let other = matrix.columns[k] as usize;
                    // The matrix is symmetric: its block rows are its block columns, transposed.
                    let mut block = matrix.blocks[k];
                    if let Some(s) = own {
                        block = s * block;
                    }
                    if let Some(s) = projector(other) {
                        block = block * s;
                    }
                    if let (true, Some(s)) = (other == node, own) {
                        block = block + Mat3::identity() - s;
                    }
                    for row in 0..3 {
                        if !lower_only || 3 * other + row >= 3 * node + axis {
                            self.values[next] = block.0[axis][row].to_f64();
                            next += 1;
                        }
                    }
                }
            }
        }
    }

    /// Solves with the present factors; `b` is replaced by the solution.
    pub fn solve<R: Real>(&mut self, b: &mut [Vec3<R>]) {
        for (slots, v) in self.rhs.chunks_exact_mut(3).zip(b.iter()) {
            slots.copy_from_slice(&v.to_f64());
        }
        let n = self.rhs.len();
        let rhs = MatMut::from_column_major_slice_mut(&mut self.rhs, n, 1);
        match &mut self.kind {
            Factors::Cholesky { symbolic, values, memory } => {
                LltRef::new(symbolic, values).solve_in_place_with_conj(Conj::No, rhs, Par::Seq, MemStack::new(memory))
            }
            Factors::Lu { numeric, .. } => {
                if let Some(lu) = numeric {
                    faer::linalg::solvers::SolveCore::solve_in_place_with_conj(lu.as_ref(), Conj::No, rhs);
                }
            }
        }
        for (v, slots) in b.iter_mut().zip(self.rhs.chunks_exact(3)) {
            *v = Vec3::of([slots[0], slots[1], slots[2]]);
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let factors = match &self.kind {
            Factors::Cholesky { values, memory, .. } => size_of_val(&values[..]) + memory.len(),
            Factors::Lu { .. } => size_of_val(&self.values[..]),
        };
        factors + size_of_val(&self.values[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.columns[..])
    }
}

/// The pattern of single numbers, column by column.
fn scalar_pattern<R: Real>(matrix: &Bcsr<R>, lower_only: bool) -> (Vec<usize>, Vec<usize>) {
    let (mut columns, mut rows) = (vec![0], Vec::new());
    for node in 0..matrix.size() {
        let run = matrix.offsets[node] as usize..matrix.offsets[node + 1] as usize;
        for axis in 0..3 {
            for &other in &matrix.columns[run.clone()] {
                let candidates = (0..3).map(|row| 3 * other as usize + row);
                rows.extend(candidates.filter(|&row| !lower_only || row >= 3 * node + axis));
            }
            columns.push(rows.len());
        }
    }
    (columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of nodes on springs, held at the first node by a projector.
    fn chain(n: usize) -> Bcsr<f64> {
        let elements: Vec<[u32; 2]> = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
        let mut m = Bcsr::<f64>::pattern(n, elements.iter().map(|e| &e[..]));
        let k = Mat3::of([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]]);
        for [a, b] in elements {
            for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                let slot = m.offsets[row as usize] as usize + m.slot(row as usize, column).expect("in the pattern");
                m.blocks[slot] += k * sign;
            }
        }
        m
    }

    #[test]
    fn both_factorisations_solve_a_held_chain() {
        let matrix = chain(20);
        let held = [(0u32, Mat3::zero()), (7, Mat3::diagonal([1.0, 0.0, 1.0]))];
        let b: Vec<Vec3<f64>> = (0..20).map(|i| Vec3::of([i as f64, 1.0, -2.0])).collect();
        for kind in [Factorisation::Cholesky, Factorisation::Lu] {
            let mut direct = Direct::new(&matrix, kind).expect("small enough");
            direct.factor(&matrix, &held).expect("held");
            let mut x = b.clone();
            x[0] = Vec3::zero();
            x[7] = held[1].1 * x[7];
            let rhs = x.clone();
            direct.solve(&mut x);
            let mut ax = vec![Vec3::zero(); 20];
            matrix.multiply(&x, &mut ax);
            ax[7] = held[1].1 * ax[7];
            assert_eq!(x[0], Vec3::zero());
            assert_eq!(x[7].0[1], 0.0);
            for i in 1..20 {
                assert!((ax[i] - rhs[i]).norm() < 1e-10, "{kind:?} node {i}");
            }
        }
    }

    #[test]
    fn a_free_chain_is_reported_as_singular() {
        let matrix = chain(5);
        let mut direct = Direct::new(&matrix, Factorisation::Cholesky).expect("small enough");
        // Rounding may leave a tiny positive pivot; a slightly negative one makes the case certain.
        let mut tilted = matrix.clone();
        let last = tilted.diagonal[4] as usize;
        tilted.blocks[last] -= Mat3::scaled_identity(1e-9);
        assert_eq!(direct.factor(&tilted, &[]), Err(FactorError::Singular));
    }
}
