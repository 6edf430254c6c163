//! The linear system of the correction.
//!
//! With `W = diag(|d|²)` and `P` the rows `(1, X_k − X_0)` of an element, its smallest admissible change is
//! `δ_e = V_e (W − W P (PᵀWP)⁻¹ PᵀW) λ_e` for multipliers `λ` on the interior nodes; summing `V_e δ_ek` over elements gives
//! one symmetric positive definite matrix, the same for the three components of `δ`.

use super::super::slices::fill_rows;
use crate::math::Vec3;
use crate::stencil::StencilTable;
use rayon::prelude::*;

type Gram = [[f64; 4]; 4];

pub(super) struct System {
    offsets: Vec<u32>,
    nodes: Vec<u32>,
    volumes: Vec<f64>,
    /// `|d|²` of each entry, as built.
    squares: Vec<f64>,
    /// `(1, X_k − X_0)` of each entry, offsets in units of the element's reach.
    rows: Vec<[f64; 4]>,
    /// `(PᵀWP)⁻¹` of each element; `None` when its nodes do not span space.
    inverses: Vec<Option<Gram>>,
    /// The entries of every node, and the element of every entry.
    uses: Uses,
    interior: Vec<bool>,
}

/// Which entries belong to a node.
struct Uses {
    offsets: Vec<u32>,
    entries: Vec<u32>,
    element_of: Vec<u32>,
}

impl System {
    pub fn new(table: &StencilTable<f64>, points: &[[f64; 3]], boundary: &[bool]) -> Self {
        let rows = element_rows(table, points);
        let squares: Vec<f64> = table.weights.iter().map(|d| d.norm_squared()).collect();
        let inverses = (0..table.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|e| {
                let range = table.entries(e);
                invert(gram(&rows[range.clone()], &squares[range]))
            })
            .collect();
        System {
            offsets: table.offsets.clone(),
            nodes: table.nodes.clone(),
            volumes: table.volumes.clone(),
            squares,
            rows,
            inverses,
            uses: Uses::of(table, points.len()),
            interior: (0..points.len()).map(|k| !boundary.get(k).copied().unwrap_or(true)).collect(),
        }
    }

    pub fn entry_count(&self) -> usize {
        self.nodes.len()
    }

    /// The volume of the element of an entry.
    fn volume(&self, entry: usize) -> f64 {
        self.volumes[self.uses.element_of[entry] as usize]
    }

    pub fn singular_elements(&self) -> usize {
        self.inverses.iter().filter(|m| m.is_none()).count()
    }

    /// `Σ_e V_e d_ek` of interior nodes; zero for the others.
    pub fn imbalance(&self, table: &StencilTable<f64>) -> Vec<Vec3<f64>> {
        self.over_nodes(|sum: Vec3<f64>, entry| sum + table.weights[entry] * self.volume(entry))
    }

    /// The largest imbalance in proportion to what meets at the node.
    pub fn largest_relative(&self, table: &StencilTable<f64>, imbalance: &[Vec3<f64>]) -> f64 {
        let sizes = self.over_nodes(|sum: f64, entry| sum + table.weights[entry].norm() * self.volume(entry));
        let relative = imbalance.iter().zip(&sizes).filter(|(_, s)| **s > 0.0).map(|(r, s)| r.norm() / s);
        relative.fold(0.0, f64::max)
    }

    /// The matrix times multipliers on nodes; `forces` is room for one vector per entry.
    ///
    /// Entry by entry first and node by node after, so that the second pass gathers one small vector per entry.
    pub fn multiply(&self, multipliers: &[Vec3<f64>], forces: &mut [Vec3<f64>]) -> Vec<Vec3<f64>> {
        fill_rows(&self.offsets, &mut *forces, &|e, own: &mut [Vec3<f64>]| {
            own.fill(Vec3::zero());
            self.add_change(e, multipliers, self.volumes[e], own);
        });
        let forces = &*forces;
        self.over_nodes(|sum: Vec3<f64>, entry| sum + forces[entry])
    }

    /// The diagonal of the matrix.
    pub fn diagonal(&self) -> Vec<f64> {
        self.over_nodes(|sum: f64, entry| {
            let e = self.uses.element_of[entry] as usize;
            let Some(inverse) = &self.inverses[e] else { return sum };
            let (w, p, v) = (self.squares[entry], &self.rows[entry], self.volumes[e]);
            let taken: f64 = (0..4).map(|i| p[i] * (0..4).map(|j| inverse[i][j] * p[j]).sum::<f64>()).sum();
            sum + v * v * w * (1.0 - w * taken).max(0.0)
        })
    }

    /// Adds the change that belongs to multipliers to the weights.
    pub fn apply_change(&self, multipliers: &[Vec3<f64>], weights: &mut [Vec3<f64>]) {
        fill_rows(&self.offsets, weights, &|e, own: &mut [Vec3<f64>]| self.add_change(e, multipliers, 1.0, own));
    }

    /// Adds `scale · δ_e` of one element to its entries.
    fn add_change(&self, e: usize, multipliers: &[Vec3<f64>], scale: f64, own: &mut [Vec3<f64>]) {
        let Some(inverse) = &self.inverses[e] else { return };
        let range = self.offsets[e] as usize..self.offsets[e + 1] as usize;
        let (nodes, squares, rows) = (&self.nodes[range.clone()], &self.squares[range.clone()], &self.rows[range]);
        let mut moments = [Vec3::zero(); 4];
        for k in 0..own.len() {
            let weighted = multipliers[nodes[k] as usize] * squares[k];
            for i in 0..4 {
                moments[i] += weighted * rows[k][i];
            }
        }
        let mut completeness = [Vec3::zero(); 4];
        for i in 0..4 {
            for j in 0..4 {
                completeness[i] -= moments[j] * inverse[i][j];
            }
        }
        let scale = scale * self.volumes[e];
        for k in 0..own.len() {
            let p = &rows[k];
            let [a, b, c, d] = completeness;
            let sum = multipliers[nodes[k] as usize] + a * p[0] + b * p[1] + c * p[2] + d * p[3];
            own[k] += sum * (squares[k] * scale);
        }
    }

    /// A sum over the entries of each interior node, in the order of elements.
    fn over_nodes<T: Default + Send>(&self, add: impl Fn(T, usize) -> T + Sync) -> Vec<T> {
        let of_node = |k: usize| {
            if !self.interior[k] {
                return T::default();
            }
            let own = &self.uses.entries[self.uses.offsets[k] as usize..self.uses.offsets[k + 1] as usize];
            own.iter().fold(T::default(), |sum, &entry| add(sum, entry as usize))
        };
        (0..self.interior.len()).into_par_iter().with_min_len(64).map(of_node).collect()
    }
}

impl Uses {
    fn of(table: &StencilTable<f64>, nodes: usize) -> Self {
        let mut offsets = vec![0; nodes + 1];
        for n in &table.nodes {
            offsets[*n as usize + 1] += 1;
        }
        for k in 0..nodes {
            offsets[k + 1] += offsets[k];
        }
        let mut next = offsets.clone();
        let mut entries = vec![0; table.nodes.len()];
        let mut element_of = vec![0; table.nodes.len()];
        for e in 0..table.len() {
            for entry in table.entries(e) {
                let slot = &mut next[table.nodes[entry] as usize];
                entries[*slot as usize] = entry as u32;
                element_of[entry] = e as u32;
                *slot += 1;
            }
        }
        Uses { offsets, entries, element_of }
    }
}

fn element_rows(table: &StencilTable<f64>, points: &[[f64; 3]]) -> Vec<[f64; 4]> {
    let mut rows = Vec::with_capacity(table.nodes.len());
    for e in 0..table.len() {
        let at = |entry: usize| Vec3(points[table.nodes[entry] as usize]);
        let Some(first) = table.entries(e).next().map(at) else { continue };
        let reach = table.entries(e).map(|k| (at(k) - first).norm()).fold(0.0, f64::max);
        let scale = if reach > 0.0 { 1.0 / reach } else { 0.0 };
        rows.extend(table.entries(e).map(|k| {
            let [x, y, z] = ((at(k) - first) * scale).0;
            [1.0, x, y, z]
        }));
    }
    rows
}

/// `PᵀWP`.
fn gram(rows: &[[f64; 4]], squares: &[f64]) -> Gram {
    let mut m = [[0.0; 4]; 4];
    for (p, w) in rows.iter().zip(squares) {
        for i in 0..4 {
            for j in 0..4 {
                m[i][j] += w * p[i] * p[j];
            }
        }
    }
    m
}

/// Inverse by Gauss–Jordan without pivoting, which is safe for positive definite matrices; `None` for singular ones.
fn invert(mut m: Gram) -> Option<Gram> {
    let size = (0..4).map(|i| m[i][i]).fold(0.0, f64::max);
    let mut inverse = [[0.0; 4]; 4];
    for i in 0..4 {
        inverse[i][i] = 1.0;
    }
    for i in 0..4 {
        let pivot = m[i][i];
        let usable = pivot > 1e-10 * size && pivot.is_finite();
        if !usable {
            return None;
        }
        for j in 0..4 {
            m[i][j] /= pivot;
            inverse[i][j] /= pivot;
        }
        for r in (0..4).filter(|r| *r != i) {
            let factor = m[r][i];
            for j in 0..4 {
                m[r][j] -= factor * m[i][j];
                inverse[r][j] -= factor * inverse[i][j];
            }
        }
    }
    Some(inverse)
}
