//! Cuts that a script makes.

use super::Edit;
use super::apply::place;
use super::fragile::{Pieces, centre};
use super::points::{Crack, Disc, PointPieces};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::scene::Cut;
use crate::state::State;

/// Parts the elements on both sides of a plane: along the faces that come nearest to it.
pub(super) fn propose<R: Real>(model: &Model<R>, state: &State<R>, body: usize, cut: &Cut) -> Vec<Edit> {
    let Some(fragile) = &model.bodies[body].fragile else { return Vec::new() };
    let tets = match &fragile.pieces {
        Pieces::Tets(tets) => tets,
        Pieces::Points(points) => return part_phyxels(model, state, (body, cut), (points, &fragile.origin)),
    };
    let (point, normal) = (Vec3(cut.point), Vec3(cut.normal).normalized());
    let at = |n: u32| place(model, state, body, n);
    let mut heights: Vec<f64> = tets.table.nodes.iter().map(|tet| (centre(*tet, at) - point).dot(normal)).collect();
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

/// The plane as a crack in the rest shape, by the deformation of the phyxel that is nearest to its point. Phyxels in the plane
/// are duplicated.
fn part_phyxels<R: Real>(
    model: &Model<R>,
    state: &State<R>,
    (body, cut): (usize, &Cut),
    (points, origin): (&PointPieces, &[u32]),
) -> Vec<Edit> {
    let distance = |n: &u32| (place(model, state, body, *n) - Vec3(cut.point)).norm();
    let nearest = (0..origin.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let block = model.blocks.iter().find(|b| b.body == body);
    let (Some(at), Some(block)) = (nearest, block) else { return Vec::new() };
    let f = Mat3(block.strain_argument(at as usize, &state.u).to_f64()) + Mat3::identity();
    let Some(inverse) = f.inverse() else { return Vec::new() };
    let own = origin[at as usize];
    let center = points.rest(own) + inverse * (Vec3(cut.point) - place(model, state, body, at));
    let normal = (f.transpose() * Vec3(cut.normal)).normalized();
    let disc = Disc { center, normal, radius: cut.radius, ..points.disc_at(own, normal) };
    let in_plane = |n: &u32| {
        let arm = points.rest(origin[*n as usize]) - center;
        let (height, spacing) = (arm.dot(normal), points.spacing(origin[*n as usize]));
        height.abs() < IN_PLANE * spacing && (arm - normal * height).norm() < cut.radius
    };
    let splits = (0..origin.len() as u32).filter(|n| in_plane(n) && points.has_both_sides(origin, *n, normal));
    let crack = Crack { disc, splits: splits.collect() };
    vec![Edit::SplitPhyxels { body, at, crack, normal: Vec3(cut.normal).normalized().0 }]
}

/// Phyxels nearer to a cut than this, in spacings, lie in it.
const IN_PLANE: f64 = 0.1;

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
