//! Discs laid evenly on a triangle surface.

use super::Disc;
use crate::grid::PointGrid;
use crate::mesh::{Fans, area, unit};
use phyxel::math::Vec3;
use phyxel::shape::TriMesh;

type V = Vec3<f64>;

/// Candidates for every disc that is wanted: enough that no gap is left where one more would fit.
const CANDIDATES: f64 = 8.0;
/// Discs over area and distance squared that a dense random packing reaches; where the search begins.
const PACKING: f64 = 0.72;

/// Half axis of a disc over the least distance between two: places between candidates are covered too.
pub(crate) const COVER: f64 = 1.3;

/// About `count` discs that cover a surface, with their half axis [m]. `colours` is that of each vertex, or empty; those of
/// discs come back the same way. No two centres are closer than that over 1.3, and no place is outside of all discs.
pub fn sample_skin(mesh: &TriMesh, colours: &[[f32; 3]], count: usize) -> (Vec<Disc>, Vec<[f32; 3]>, f64) {
    let total = area(&mesh.points, &mesh.triangles);
    if total <= 0.0 || count == 0 {
        return (Vec::new(), Vec::new(), 0.0);
    }
    let candidates = candidates(mesh, total, count);
    let points: Vec<[f64; 3]> = candidates.iter().map(|c| c.point.0).collect();
    let mut size = (PACKING * total / count as f64).sqrt();
    let grid = PointGrid::new(&points, size);
    let mut chosen = choose(&points, &grid, size);
    for _ in 0..6 {
        let off = chosen.len() as f64 / count as f64;
        if (off - 1.0).abs() < 0.02 {
            break;
        }
        size *= off.sqrt();
        chosen = choose(&points, &grid, size);
    }
    // Discs side by side are carried by the same phyxels: neighbours in memory find them close at hand.
    chosen.sort_by_cached_key(|&i| (along_a_curve(points[i].map(|c| c / (4.0 * size))), i));
    let discs = chosen.iter().map(|&i| candidates[i].disc(COVER * size)).collect();
    let tints = if colours.is_empty() {
        Vec::new()
    } else {
        chosen.iter().map(|&i| candidates[i].colour(mesh, colours)).collect()
    };
    (discs, tints, COVER * size)
}

/// A place on the surface.
struct Candidate {
    point: V,
    normal: V,
    triangle: usize,
    weights: [f64; 3],
}

impl Candidate {
    fn disc(&self, size: f64) -> Disc {
        let (a, b) = frame(self.normal);
        Disc { point: self.point.0, tangents: [(a * size).0, (b * size).0] }
    }

    fn colour(&self, mesh: &TriMesh, colours: &[[f32; 3]]) -> [f32; 3] {
        let corners = mesh.triangles[self.triangle].map(|v| colours[v as usize]);
        [0, 1, 2].map(|c| (0..3).map(|k| corners[k][c] * self.weights[k] as f32).sum())
    }
}

/// Two unit vectors square to a unit normal and to each other, with `a × b` along it.
pub(crate) fn frame(normal: V) -> (V, V) {
    let [x, y, z] = normal.0.map(f64::abs);
    let other = if x <= y && x <= z {
        [1.0, 0.0, 0.0]
    } else if y <= z {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let a = unit(Vec3(other).cross(normal));
    (a, normal.cross(a))
}

/// Places spread over the triangles by area, in an order that jumps all over the surface.
fn candidates(mesh: &TriMesh, total: f64, count: usize) -> Vec<Candidate> {
    let corners: Vec<V> = mesh.points.iter().map(|p| Vec3(*p)).collect();
    let normals = Fans::new(mesh.points.len(), &mesh.triangles).normals(&corners);
    let per_area = CANDIDATES * count as f64 / total;
    let (mut out, mut owed, mut seed) = (Vec::new(), 0.0, 0_u64);
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|v| corners[v as usize]);
        let flat = (b - a).cross(c - a);
        owed += 0.5 * flat.norm() * per_area;
        while owed >= 1.0 {
            owed -= 1.0;
            seed += 1;
            // Evenly filled: the sequence of Roberts in two dimensions, folded into the triangle.
            let (u, v) =
                ((seed as f64 * 0.754_877_666_246_692_8).fract(), (seed as f64 * 0.569_840_290_998_053_3).fract());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let weights = [1.0 - u - v, u, v];
            let smooth = (0..3).fold(V::zero(), |s, k| s + Vec3(normals[triangle[k] as usize]) * weights[k]);
            // Across a sharp edge the mean of normals belongs to neither side.
            let own = unit(flat);
            let normal = if unit(smooth).dot(own) > 0.9 { unit(smooth) } else { own };
            out.push(Candidate { point: a * weights[0] + b * u + c * v, normal, triangle: t, weights });
        }
    }
    let mut order: Vec<usize> = (0..out.len()).collect();
    order.sort_by_key(|i| mixed(*i as u64));
    let mut slots: Vec<Option<Candidate>> = out.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| slots[i].take()).collect()
}

/// Where a place is on Morton's curve, which passes through all cubes of one unit and seldom jumps far.
fn along_a_curve(x: [f64; 3]) -> u64 {
    let spread = |c: f64| {
        let cube = (c.floor() as i64).wrapping_add(1 << 20) as u64;
        (0..21).fold(0_u64, |bits, k| bits | (cube >> k & 1) << (3 * k))
    };
    let [a, b, c] = x.map(spread);
    a | b << 1 | c << 2
}

/// A number that looks like chance (the finaliser of SplitMix64).
fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The points, first come first served, that are no closer than `distance` to one that was chosen.
fn choose(points: &[[f64; 3]], grid: &PointGrid, distance: f64) -> Vec<usize> {
    let mut chosen = vec![false; points.len()];
    let mut out = Vec::new();
    for (i, p) in points.iter().enumerate() {
        let mut free = true;
        grid.each_within(Vec3(*p), distance, |j, _, _| free &= !chosen[j as usize]);
        if free {
            chosen[i] = true;
            out.push(i);
        }
    }
    out
}
