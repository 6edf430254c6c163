//! Faces that are none, and faces that are there twice.

use super::edges::{Edges, bucket};
use super::{RepairReport, RepairSettings};
use crate::math::Vec3;
use crate::shape::union_find::UnionFind;

/// A face is flat when its height is below this fraction of its longest side: rounding of points on a line.
const FLAT: f64 = 1e-12;

/// Drops degenerate and duplicate faces; `origins` goes along.
pub(super) fn clean(
    points: &[[f64; 3]],
    triangles: &mut Vec<[u32; 3]>,
    origins: &mut Vec<u32>,
    settings: &RepairSettings,
    report: &mut RepairReport,
) {
    // Without an edge there is nothing to share: such faces cannot take part in anything below.
    let mut keep: Vec<bool> = triangles.iter().map(|[a, b, c]| a != b && b != c && c != a).collect();
    let collapsed = keep.iter().filter(|k| !**k).count();
    if settings.drop_degenerate || settings.weld.is_some() {
        retain(triangles, origins, &keep);
        report.degenerate = collapsed;
    }
    loop {
        if settings.drop_duplicates {
            keep = vec![true; triangles.len()];
            report.duplicates += drop_copies(points.len(), triangles, &mut keep);
            retain(triangles, origins, &keep);
        }
        let (dropped, kept) = if settings.drop_degenerate { drop_flat(points, triangles, origins) } else { (0, 0) };
        report.degenerate += dropped;
        report.flat_kept = kept;
        // A face less may change what its neighbours are: a wall, a seam.
        if dropped == 0 {
            break;
        }
    }
}

fn retain(triangles: &mut Vec<[u32; 3]>, origins: &mut Vec<u32>, keep: &[bool]) {
    if keep.iter().all(|k| *k) {
        return;
    }
    let (mut a, mut b) = (keep.iter(), keep.iter());
    triangles.retain(|_| *a.next().unwrap_or(&true));
    origins.retain(|_| *b.next().unwrap_or(&true));
}

/// Marks copies of faces. A copy wound the same way always goes. One wound the other way goes as well, because programs
/// that export both sides of every face mean one face, unless it belongs to a wall between two solids: a region of such
/// pairs where at some edge two other faces meet, one of each solid.
fn drop_copies(vertices: usize, triangles: &[[u32; 3]], keep: &mut [bool]) -> usize {
    let sorted = |face: u32| {
        let mut t = triangles[face as usize];
        t.sort_unstable();
        t
    };
    let (starts, order) = bucket(vertices, triangles.len() as u32, |f| sorted(f)[0]);
    let mut entries: Vec<([u32; 3], u32)> = order.into_iter().map(|f| (sorted(f), f)).collect();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for range in starts.windows(2) {
        let bucket = &mut entries[range[0] as usize..range[1] as usize];
        bucket.sort_unstable();
        for same in bucket.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            let first = same[0].1;
            let mut other = None;
            for &(_, face) in &same[1..] {
                let alike = is_even(triangles[first as usize]) == is_even(triangles[face as usize]);
                if !alike && other.is_none() {
                    other = Some(face);
                } else {
                    keep[face as usize] = false;
                }
            }
            pairs.extend(other.map(|other| (first, other)));
        }
    }
    if !pairs.is_empty() {
        drop_backs(vertices, triangles, keep, &pairs);
    }
    keep.iter().filter(|k| !**k).count()
}

/// Decides about faces that are there once in each direction, region by region.
fn drop_backs(vertices: usize, triangles: &[[u32; 3]], keep: &mut [bool], pairs: &[(u32, u32)]) {
    let mut once = keep.to_vec();
    let mut back_of = vec![None; triangles.len()];
    for &(front, back) in pairs {
        once[back as usize] = false;
        back_of[front as usize] = Some(back);
    }
    let fronts: Vec<usize> = (0..triangles.len()).filter(|&f| once[f]).collect();
    let faces: Vec<[u32; 3]> = fronts.iter().map(|&f| triangles[f]).collect();
    let is_double = |half: u32| back_of[fronts[half as usize / 3]].is_some();
    let edges = Edges::of(vertices, &faces);
    let mut regions = UnionFind::new(faces.len());
    edges.for_each(|edge| {
        if edge.iter().all(|(_, half)| is_double(*half)) {
            edge[1..].iter().for_each(|(_, half)| regions.join(edge[0].1 / 3, half / 3));
        }
    });
    let (region, count) = regions.numbered();
    let mut is_wall = vec![false; count];
    edges.for_each(|edge| {
        let single = edge.iter().filter(|(_, half)| !is_double(*half)).count();
        for (_, half) in edge.iter().filter(|(_, half)| is_double(*half)) {
            is_wall[region[*half as usize / 3] as usize] |= single > 0 && single % 2 == 0;
        }
    });
    for (i, &front) in fronts.iter().enumerate() {
        if let Some(back) = back_of[front] {
            keep[back as usize] = is_wall[region[i] as usize];
        }
    }
}

/// Whether the corners are an even permutation of their sorted order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    [a > b, b > c, a > c].into_iter().filter(|x| *x).count() % 2 == 0
}

/// Drops faces whose three corners lie on a line, except where such a face is the seam that closes a surface: each of its
/// edges has exactly one other face, and without it three open edges would appear. Gives both counts.
fn drop_flat(points: &[[f64; 3]], triangles: &mut Vec<[u32; 3]>, origins: &mut Vec<u32>) -> (usize, usize) {
    let mut keep: Vec<bool> = triangles.iter().map(|t| !is_flat(points, *t)).collect();
    let flat = keep.iter().filter(|k| !**k).count();
    if flat == 0 {
        return (0, 0);
    }
    let edges = Edges::of(points.len(), triangles);
    let mut seams = 0;
    for (face, &[a, b, c]) in triangles.iter().enumerate().filter(|(f, _)| !keep[*f]).collect::<Vec<_>>() {
        if [(a, b), (b, c), (c, a)].into_iter().all(|(a, b)| edges.between(a, b).len() == 2) {
            keep[face] = true;
            seams += 1;
        }
    }
    retain(triangles, origins, &keep);
    (flat - seams, seams)
}

fn is_flat(points: &[[f64; 3]], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| Vec3(points[v as usize]));
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    (b - a).cross(c - a).norm() <= FLAT * longest
}
