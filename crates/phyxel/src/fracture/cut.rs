//! Cuts that a script makes.

use super::Edit;
use super::apply::place;
use super::fragile::{Pieces, centre};
use super::points::{Crack, Disc, PointPieces};
use super::slice::{Slice, Within};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::state::State;

/// Parts the elements on both sides of a slice: along the faces that come nearest to it.
pub(super) fn propose<R: Real>(model: &Model<R>, state: &State<R>, body: usize, slice: &Slice) -> Vec<Edit> {
    let Some(fragile) = &model.bodies[body].fragile else { return Vec::new() };
    let tets = match &fragile.pieces {
        Pieces::Tets(tets) => tets,
        Pieces::Points(points) => return part_phyxels(model, state, (body, slice), (points, &fragile.origin)),
    };
    if fragile.cuts {
        return vec![Edit::CutThrough { body, slice: *slice }];
    }
    let at = |n: u32| place(model, state, body, n);
    let mut heights: Vec<f64> = tets.table.nodes.iter().map(|tet| slice.height(centre(*tet, at))).collect();
    if !tets.cells.is_empty() {
        together(&tets.cells, &tets.table.volumes, &mut heights);
    }
    let mut edits = Vec::new();
    for node in (0..fragile.origin.len() as u32).filter(|n| tets.splittable[*n as usize] && slice.reaches(at(*n))) {
        let (over, under): (Vec<u32>, Vec<u32>) = tets.around(node).partition(|t| heights[*t as usize] > 0.0);
        if !over.is_empty() && !under.is_empty() {
            edits.push(Edit::SplitNode { body, node, elements: over, hold: None, normal: slice.normal.0, ahead: None });
        }
    }
    edits
}

/// The slice as cracks in the rest shape, by the deformation of the phyxels that they are near to. Phyxels in the plane are
/// duplicated.
fn part_phyxels<R: Real>(
    model: &Model<R>,
    state: &State<R>,
    (body, slice): (usize, &Slice),
    (points, origin): (&PointPieces, &[u32]),
) -> Vec<Edit> {
    let at = |n: u32| place(model, state, body, n);
    let Some(block) = model.blocks.iter().find(|b| b.body == body) else { return Vec::new() };
    let flows = points.flow.is_some();
    // A disc around the foot of a point of the plane, as a phyxel sees it.
    let disc = |n: u32, foot: Vec3<f64>, radius: f64| {
        let f = points.from_rest(n, Mat3(block.motion(n as usize, &state.u).to_f64()));
        let own = origin[n as usize];
        let center = points.rest(own) + f.inverse()? * (foot - at(n));
        let normal = (f.transpose() * slice.normal).normalized();
        Some(Disc { center, normal, radius, ..points.disc_at(own, normal) })
    };
    let all = 0..origin.len() as u32;
    match slice.within {
        Within::Radius(radius) if !flows => {
            let distance = |n: &u32| (at(*n) - slice.point).norm();
            let nearest = all.clone().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let found = nearest.and_then(|n| Some((n, disc(n, slice.point, radius)?)));
            let Some((nearest, disc)) = found else { return Vec::new() };
            let in_plane = |n: &u32| {
                let arm = points.rest(origin[*n as usize]) - disc.center;
                let (height, spacing) = (arm.dot(disc.normal), points.spacing(origin[*n as usize]));
                height.abs() < IN_PLANE * spacing && (arm - disc.normal * height).norm() < radius
            };
            let splits = all.filter(|n| in_plane(n) && points.has_both_sides(origin, *n, disc.normal)).collect();
            let (crack, normal) = (Crack { disc, splits, at: nearest }, slice.normal.0);
            vec![Edit::SplitPhyxels { body, at: nearest, crack, hold: None, normal, ahead: None }]
        }
        _ => {
            // Discs around all phyxels that the blade passes, so large that they leave no gap: matter without a rest shape
            // has no plane in common either.
            let passed = |n: &u32| {
                let spacing = points.spacing(origin[*n as usize]);
                slice.height(at(*n)).abs() <= BESIDE * spacing && slice.reaches(at(*n))
            };
            let edit = |n: u32| {
                let (height, spacing) = (slice.height(at(n)), points.spacing(origin[n as usize]));
                let disc = disc(n, at(n) - slice.normal * height, spacing)?;
                let lies_in = height.abs() < IN_PLANE * spacing && points.has_both_sides(origin, n, disc.normal);
                let crack = Crack { disc, splits: if lies_in { vec![n] } else { Vec::new() }, at: n };
                Some(Edit::SplitPhyxels { body, at: n, crack, hold: None, normal: slice.normal.0, ahead: None })
            };
            all.filter(passed).filter_map(edit).collect()
        }
    }
}

/// Phyxels nearer to a cut than this, in spacings, lie in it.
const IN_PLANE: f64 = 0.1;
/// A blade leaves a disc at every phyxel that is nearer to it than this, in spacings: on one side at least there are some
/// everywhere, and the discs, a spacing wide, overlap.
const BESIDE: f64 = 0.6;

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
