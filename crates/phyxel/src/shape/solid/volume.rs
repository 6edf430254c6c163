//! How much a surface encloses.

use super::Solid;
use super::column::{self, Crossing};
use crate::math::Vec3;
use crate::par;
use crate::shape::TriMesh;
use crate::shape::quality::enclosed_volume;

/// Columns along the longer side of the box's cross-section: errors of 1e-4 on smooth solids.
const COLUMNS: f64 = 192.0;

/// Columns through surfaces with holes, where the winding number has to be asked along the way.
const OPEN_COLUMNS: f64 = 96.0;

/// Below this difference the divergence theorem, which is exact, is believed.
const AGREES: f64 = 5e-3;

/// The middle of the vertices.
pub(super) fn middle(mesh: &TriMesh) -> Vec3<f64> {
    let sum = mesh.points.iter().fold(Vec3::zero(), |sum, p| sum + Vec3(*p));
    let middle = sum * (1.0 / mesh.points.len() as f64);
    if middle.is_finite() { middle } else { Vec3::zero() }
}

/// The volume by the divergence theorem about the middle of the vertices, which keeps the digits of a small thing far from the
/// origin and gives an open surface the volume of the cone under it.
pub(super) fn by_divergence(mesh: &TriMesh) -> f64 {
    let middle = middle(mesh);
    let points = mesh.points.iter().map(|p| (Vec3(*p) - middle).0).collect();
    enclosed_volume(&TriMesh { points, triangles: mesh.triangles.clone() })
}

/// Volume where the winding number is above one half.
pub(super) fn enclosed(solid: &Solid) -> f64 {
    let integral = by_columns(solid);
    if !solid.closed {
        return integral;
    }
    let exact = by_divergence(&solid.mesh);
    if (integral - exact).abs() <= AGREES * exact { exact } else { integral }
}

/// Lengths inside, summed over columns along the longest side of the box.
fn by_columns(solid: &Solid) -> f64 {
    let (min, max) = solid.bounds();
    let size = [0, 1, 2].map(|a| max[a] - min[a]);
    let axis = (1..3).fold(0, |best, a| if size[a] > size[best] { a } else { best });
    let (au, av) = ((axis + 1) % 3, (axis + 2) % 3);
    let columns = if solid.closed { COLUMNS } else { OPEN_COLUMNS };
    // Thin cross-sections get at least a third as many columns across.
    let count = |a: usize| (columns * size[a] / size[au].max(size[av])).ceil().max(columns / 3.0) as usize;
    let (nu, nv) = (count(au), count(av));
    let (du, dv) = (size[au] / nu as f64, size[av] / nv as f64);
    let lengths = par::sum(nu * nv, |k| {
        // Off the middle by an odd fraction: meshes made of grids have edges at round ones.
        let (i, j) = ((k % nu) as f64 + 0.486_917, (k / nu) as f64 + 0.519_283);
        let place = [min[au] + i * du, min[av] + j * dv];
        length_inside(solid, axis, place, (min[axis], max[axis]))
    });
    lengths * du * dv
}

fn length_inside(solid: &Solid, axis: usize, place: [f64; 2], (low, high): (f64, f64)) -> f64 {
    let mut crossings = Vec::new();
    column::crossings(&solid.tree, axis, place, &mut crossings);
    if solid.closed { closed_length(&crossings) } else { open_length(solid, axis, place, &crossings, (low, high)) }
}

/// In a closed surface crossings are all there is to know.
fn closed_length(crossings: &[Crossing]) -> f64 {
    let (mut winding, mut length) = (0, 0.0);
    for pair in crossings.windows(2) {
        winding += pair[0].turn;
        if winding > 0 {
            length += pair[1].at - pair[0].at;
        }
    }
    length
}

/// Between crossings the winding number of an open surface is smooth; where it passes one half is found by halving.
fn open_length(solid: &Solid, axis: usize, place: [f64; 2], crossings: &[Crossing], (low, high): (f64, f64)) -> f64 {
    let winding = |at: f64| {
        let mut p = [0.0; 3];
        (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (at, place[0], place[1]);
        solid.winding_number(p)
    };
    let step = (high - low) / 24.0;
    let mut length = 0.0;
    let mut stops: Vec<f64> = crossings.iter().map(|c| c.at).collect();
    stops.insert(0, low);
    stops.push(high);
    for pair in stops.windows(2) {
        // Rounding may put a face a little beyond the box.
        let gap = (pair[1] - pair[0]).max(0.0);
        // Right at the surface the winding number is not defined.
        let margin = 1e-3 * gap;
        let pieces = (gap / step).ceil().max(1.0) as usize;
        let at = |k: usize| pair[0] + (gap * k as f64 / pieces as f64).clamp(margin, gap - margin);
        let mut before = winding(at(0));
        for k in 1..=pieces {
            let after = winding(at(k));
            length += inside_between(&winding, (at(k - 1), before), (at(k), after));
            before = after;
        }
        if gap > 0.0 {
            length += margin * (f64::from(u8::from(winding(at(0)) > 0.5)) + f64::from(u8::from(before > 0.5)));
        }
    }
    length
}

/// The part of an interval that is inside, when the winding number passes one half at most once.
fn inside_between(winding: &impl Fn(f64) -> f64, (mut a, wa): (f64, f64), (mut b, wb): (f64, f64)) -> f64 {
    let (start, end) = (a, b);
    match (wa > 0.5, wb > 0.5) {
        (true, true) => return b - a,
        (false, false) => return 0.0,
        _ => {}
    }
    for _ in 0..8 {
        let middle = 0.5 * (a + b);
        if (winding(middle) > 0.5) == (wa > 0.5) { a = middle } else { b = middle }
    }
    let change = 0.5 * (a + b);
    if wa > 0.5 { change - start } else { end - change }
}
