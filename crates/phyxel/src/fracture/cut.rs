//! Cuts that a script makes.

use super::Edit;
use super::apply::place;
use super::fragile::{Pieces, centre};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::scene::Cut;
use crate::state::State;

/// Parts the elements on both sides of a plane: along the faces that come nearest to it.
pub(super) fn propose<R: Real>(model: &Model<R>, state: &State<R>, body: usize, cut: &Cut) -> Vec<Edit> {
    let Some(fragile) = &model.bodies[body].fragile else { return Vec::new() };
    let Pieces::Tets(tets) = &fragile.pieces;
    let (point, normal) = (Vec3(cut.point), Vec3(cut.normal).normalized());
    let at = |n: u32| place(model, state, body, n);
    let mut heights: Vec<f64> =
        tets.table.nodes.iter().map(|tet| (centre(*tet, at) - point).dot(normal)).collect();
    if !tets.cells.is_empty() {
        together(&tets.cells, &tets.table.volumes, &mut heights);
    }
    let mut edits = Vec::new();
    for node in 0..fragile.origin.len() as u32 {
        let arm = at(node) - point;
        let reached = (arm - normal * arm.dot(normal)).norm() <= cut.radius;
        let (over, under): (Vec<u32>, Vec<u32>) = tets.around(node).partition(|t| heights[*t as usize] > 0.0);
        if reached && !over.is_empty() && !under.is_empty() {
            edits.push(Edit::SplitNode { body, node, elements: over, normal: normal.0 });
        }
    }
    edits
}

/// Gives elements that never part the mean height of their cell.
fn together(cells: &[u32], volumes: &[f64], heights: &mut [f64]) {
    let count = cells.iter().map(|c| *c as usize + 1).max().unwrap_or(0);
    let mut sums = vec![0.0; count];
    for ((cell, volume), height) in cells.iter().zip(volumes).zip(heights.iter()) {
        sums[*cell as usize] += volume * height;
    }
    for (cell, height) in cells.iter().zip(heights) {
        *height = sums[*cell as usize];
    }
}
