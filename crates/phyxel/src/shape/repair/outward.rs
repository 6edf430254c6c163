//! Shells whose normals point into the matter.
//!
//! A shell is a patch that encloses a volume: a closed one, or one whose holes are small against it. A model that came
//! inside out is turned as a whole: a shell that lies in no other decides for itself and for everything within it. So the
//! wall of a cavity, which is wound against its outer shell, stays one whichever way the file was wound, and a solid
//! within a solid stays a solid.

use super::edges::{ends, is_forward};
use super::nesting::Nesting;
use super::orient::{Patches, current, turn};
use crate::math::Vec3;
use crate::shape::union_find::UnionFind;

/// An open patch is a shell when lids over its holes would be less than this fraction of its area.
const MOST_LID: f64 = 0.25;
/// ... and when the volume under them is more than this fraction of the area to the power 3/2 (a ball has 0.094).
const LEAST_VOLUME: f64 = 1e-3;

/// What a patch encloses.
#[derive(Clone, Copy, Default)]
pub(super) struct Shell {
    /// Positive when normals point out [m³]; zero when the patch is no shell.
    pub(super) six_volume: f64,
    /// Twice the area [m²].
    area: f64,
    lids: f64,
    /// Neighbours disagree, or the patch ends at an edge of three and more faces.
    undecided: bool,
}

impl Shell {
    fn settle(&mut self) {
        let area = 0.5 * (self.area + self.lids);
        let hollow = self.six_volume.abs() / 6.0 > LEAST_VOLUME * area * area.sqrt();
        let open = self.lids > 0.0;
        if self.undecided || (open && (self.lids > MOST_LID * self.area || !hollow)) {
            self.six_volume = 0.0;
        }
    }
}

/// Turns shells outward, and gives their number.
pub(super) fn outward(
    points: &[[f64; 3]],
    patches: &Patches,
    triangles: &mut [[u32; 3]],
    turned: &mut [bool],
) -> usize {
    let shells = shells(points, patches, triangles, turned);
    if shells.iter().all(|s| s.six_volume >= 0.0) {
        return 0;
    }
    let wrong = inside_out(points, patches, triangles, &shells);
    for face in 0..triangles.len() {
        if wrong[patches.of_face[face] as usize] {
            turn(face, triangles, turned);
        }
    }
    wrong.iter().filter(|w| **w).count()
}

/// Measures every patch about its first vertex, so that a small part far from the origin keeps its digits.
fn shells(points: &[[f64; 3]], patches: &Patches, triangles: &[[u32; 3]], turned: &[bool]) -> Vec<Shell> {
    let mut shells = vec![Shell::default(); patches.count];
    let mut origins = vec![None; patches.count];
    let at = |v: u32| Vec3(points[v as usize]);
    for (face, t) in triangles.iter().enumerate() {
        let patch = patches.of_face[face] as usize;
        let origin = *origins[patch].get_or_insert(at(t[0]));
        let [a, b, c] = t.map(|v| at(v) - origin);
        shells[patch].six_volume += a.dot(b.cross(c));
        shells[patch].area += (b - a).cross(c - a).norm();
    }
    let mut rim = Vec::new();
    let mut sides: Vec<(u32, i32)> = Vec::new();
    patches.edges.for_each(|edge| {
        if let [(_, half)] = *edge {
            rim.push(current(half, turned));
            return;
        }
        // Where three and more faces meet, each patch must still run as often forward as backward.
        let side = |half: u32| {
            let forward = is_forward(triangles, current(half, turned));
            (patches.of_face[half as usize / 3], if forward { 1 } else { -1 })
        };
        sides.clear();
        sides.extend(edge.iter().map(|(_, half)| side(*half)));
        sides.sort_unstable();
        for own in sides.chunk_by(|a, b| a.0 == b.0) {
            shells[own[0].0 as usize].undecided |= own.iter().map(|s| s.1).sum::<i32>() != 0;
        }
    });
    for (half, centre) in lids(points, triangles, &rim) {
        let patch = patches.of_face[half as usize / 3] as usize;
        let Some(origin) = origins[patch] else { continue };
        let (from, to) = ends(triangles, half);
        let [a, b, c] = [at(to) - origin, at(from) - origin, centre - origin];
        shells[patch].six_volume += a.dot(b.cross(c));
        shells[patch].lids += (b - a).cross(c - a).norm();
    }
    shells.iter_mut().for_each(Shell::settle);
    shells
}

/// For each half-edge of a rim the middle of its hole: lids are fans around it.
fn lids(points: &[[f64; 3]], triangles: &[[u32; 3]], rim: &[u32]) -> Vec<(u32, Vec3<f64>)> {
    if rim.is_empty() {
        return Vec::new();
    }
    let mut sets = UnionFind::new(points.len());
    for &half in rim {
        let (a, b) = ends(triangles, half);
        sets.join(a, b);
    }
    let mut middle = vec![(Vec3::zero(), 0.0); points.len()];
    for &half in rim {
        let (from, _) = ends(triangles, half);
        let (sum, count) = &mut middle[sets.find(from) as usize];
        *sum += Vec3(points[from as usize]);
        *count += 1.0;
    }
    let centre = |half: u32| {
        let (sum, count) = middle[sets.find(ends(triangles, half).0) as usize];
        (half, sum * (1.0 / count))
    };
    rim.iter().copied().map(centre).collect()
}

/// Which patches are to be turned.
fn inside_out(points: &[[f64; 3]], patches: &Patches, triangles: &[[u32; 3]], shells: &[Shell]) -> Vec<bool> {
    let nesting = Nesting::of(points, triangles, &patches.of_face, shells);
    let around = nesting.containers();
    // Containers are larger than what they contain, so this ends.
    let outermost = |shell: usize| {
        let mut outer = shell;
        while let Some(larger) = around[outer] {
            outer = larger as usize;
        }
        outer
    };
    (0..shells.len()).map(|s| shells[s].six_volume != 0.0 && shells[outermost(s)].six_volume < 0.0).collect()
}
