//! The patch test on irregular points.
//!
//! A constant stress is in equilibrium when `Σ_e V_e d_ek = 0` at every interior node `k`: the divergence theorem, summed
//! over stencils. Nodal integration breaks it on irregular points, and then does not converge. Once, at build, the weights
//! are changed as little as possible, `min Σ |δ_ek|² / |d_ek|²`, such that it holds and each element stays complete,
//! `Σ_k δ_ek = 0` and `Σ_k X_k ⊗ δ_ek = 0`. Nodes on the boundary are free: theirs is the outward area.

mod conjugate;
mod system;

use super::StencilTable;
use crate::math::Vec3;
use system::System;

/// Passes of solving and measuring anew; the second already reaches rounding.
const PASSES: usize = 4;
/// Relative residual of one pass.
const PASS_TOLERANCE: f64 = 1e-10;
/// Relative imbalance at which no further pass can help.
const ROUNDING: f64 = 2e-15;
/// Entries visited by all iterations together, about ten seconds' worth. The matrix is like that of a plate, so the
/// iterations grow with the square of the nodes across; beyond some fifty across they stop here. By then the imbalance
/// of the jitter is gone and only a smooth remainder, thousandths of it, is left; the report tells how much.
const WORK: usize = 1_000_000_000;
/// So many iterations are always allowed.
const FEWEST_ITERATIONS: usize = 100;

/// What the correction found and did.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ConsistencyReport {
    /// Largest `|Σ_e V_e d_ek| / Σ_e V_e |d_ek|` over interior nodes before.
    pub imbalance_before: f64,
    /// The same after; about 1e-15 unless the body is so large that the iterations were cut short, or too few nodes are
    /// free.
    pub imbalance_after: f64,
    /// Largest change of a weight relative to the largest weight of its element.
    pub largest_change: f64,
    /// Elements left alone because their nodes do not span space.
    pub singular_elements: usize,
    /// Iterations of conjugate gradients, over all passes.
    pub iterations: usize,
}

/// Changes the weights so that a constant stress is in equilibrium at every node that is not on the boundary.
///
/// `points` are the rest positions [m] that the stencils were built for, `boundary` marks the nodes that are left free.
/// Nodes without a mark count as boundary. A body with too few of them cannot be balanced and is left as it is.
pub fn correct(table: &mut StencilTable<f64>, points: &[[f64; 3]], boundary: &[bool]) -> ConsistencyReport {
    let system = System::new(table, points, boundary);
    let original = table.weights.clone();
    let mut imbalance = system.imbalance(table);
    let before = system.largest_relative(table, &imbalance);
    let mut report = ConsistencyReport {
        imbalance_before: before,
        imbalance_after: before,
        singular_elements: system.singular_elements(),
        ..ConsistencyReport::default()
    };
    let most = (WORK / system.entry_count().max(1)).max(FEWEST_ITERATIONS);
    for _ in 0..PASSES {
        if report.imbalance_after <= ROUNDING || report.iterations >= most {
            break;
        }
        let tolerance = PASS_TOLERANCE.max(0.1 * ROUNDING / report.imbalance_after);
        let wanted: Vec<Vec3<f64>> = imbalance.iter().map(|r| -*r).collect();
        let (multipliers, iterations) = conjugate::solve(&system, &wanted, tolerance, most - report.iterations);
        report.iterations += iterations;
        let Some(multipliers) = multipliers else { break };
        let previous = table.weights.clone();
        system.apply_change(&multipliers, &mut table.weights);
        imbalance = system.imbalance(table);
        let after = system.largest_relative(table, &imbalance);
        let better = after < report.imbalance_after;
        if !better {
            table.weights = previous;
            break;
        }
        report.imbalance_after = after;
    }
    report.largest_change = largest_change(table, &original);
    report
}

fn largest_change(table: &StencilTable<f64>, original: &[Vec3<f64>]) -> f64 {
    let of_element = |e: usize| {
        let largest = table.entries(e).map(|k| original[k].norm()).fold(0.0, f64::max);
        let change = table.entries(e).map(|k| (table.weights[k] - original[k]).norm()).fold(0.0, f64::max);
        if largest > 0.0 { change / largest } else { 0.0 }
    };
    (0..table.len()).map(of_element).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
