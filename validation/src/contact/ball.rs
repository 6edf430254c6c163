//! The lower half of a ball of radius one around (0, 1, 0), fine where it touches the origin.

use crate::elasticity::volume;
use crate::motion::bench::Failure;
use phyxel::math::Vec3;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::shape::{PointSampling, TetMesh};
use std::collections::BTreeMap;

/// Size of the cells that touch: six across the smaller contact [m].
const CELL: f64 = 0.0236;
/// Cells of that size along a line from the origin.
const EQUAL: i32 = 6;
/// Layers of cells of tetrahedra, the outer ones growing.
const SHELLS: i32 = 12;
/// How many times the cells of phyxels double.
const LEVELS: u32 = 4;

/// How much of it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All.
    Whole,
    /// Where x and z are not negative.
    Quarter,
}

/// Tetrahedra in shells around the origin.
pub fn tets(extent: Extent) -> Result<TetMesh, Failure> {
    let n = SHELLS as f64;
    let (low, cells) = match extent {
        Extent::Whole => (-n, 2 * SHELLS as usize),
        Extent::Quarter => (0.0, SHELLS as usize),
    };
    let mesh = box_tets([cells, SHELLS as usize, cells], [low, -n, low], [n, 0.0, n], CubeSplit::Five)?;
    let growth = (2.0 / (CELL * EQUAL as f64)).powf(1.0 / (SHELLS - EQUAL) as f64);
    let radius = |shell: f64| {
        let beyond = (shell - EQUAL as f64).max(0.0);
        CELL * shell.min(EQUAL as f64) * growth.powf(beyond)
    };
    let place = |p: &[f64; 3]| {
        let p = Vec3(*p);
        let shell = largest(p);
        if shell == 0.0 { p.0 } else { inverted(rounded(p * (radius(shell) / shell), (0.1, 0.3))).0 }
    };
    let points: Vec<[f64; 3]> = mesh.points.iter().map(place).collect();
    // An inversion mirrors, and tetrahedra with all corners on the outermost shell are flat now.
    let tets = mesh.tets.into_iter().map(|[a, b, c, d]| [a, b, d, c]);
    let flat = |tet: &[u32; 4]| tet.iter().all(|&n| (points[n as usize][1] - 1.0).abs() < 1e-9);
    let tets: Vec<[u32; 4]> = tets.filter(|tet| !flat(tet)).collect();
    Ok(without_unused(points, tets))
}

fn without_unused(points: Vec<[f64; 3]>, tets: Vec<[u32; 4]>) -> TetMesh {
    let mut numbers = vec![u32::MAX; points.len()];
    let mut kept = Vec::new();
    for &n in tets.iter().flatten() {
        if numbers[n as usize] == u32::MAX {
            numbers[n as usize] = kept.len() as u32;
            kept.push(points[n as usize]);
        }
    }
    TetMesh { points: kept, tets: tets.into_iter().map(|tet| tet.map(|n| numbers[n as usize])).collect() }
}

/// Phyxels in the corners of cubes that double away from the origin; each cube gives an eighth of itself to each corner.
pub fn phyxels(extent: Extent) -> PointSampling {
    // Corners in units of the smallest cube, with the volume and the size of the smallest cube around each.
    let mut corners: BTreeMap<[i32; 3], (f64, f64)> = BTreeMap::new();
    for level in 0..=LEVELS {
        let size = 1 << level;
        for (i, j, k) in cubes(extent) {
            let low = [i, j, k].map(|c| c * size);
            let inner = |c: i32| 2 * c >= -EQUAL && 2 * c < EQUAL;
            if level > 0 && inner(i) && inner(j) && inner(k) {
                continue;
            }
            let corner = |bits: i32| [0, 1, 2].map(|a| low[a] + size * (bits >> a & 1));
            let share = cube_volume(std::array::from_fn(|b| place(corner(b as i32)))) / 8.0;
            for bits in 0..8 {
                let entry = corners.entry(corner(bits)).or_insert((0.0, f64::INFINITY));
                entry.0 += share;
                entry.1 = entry.1.min(CELL * size as f64);
            }
        }
    }
    let outermost = EQUAL << LEVELS;
    let mut sampling = PointSampling { spacing: CELL, ..PointSampling::default() };
    for (corner, (volume, size)) in corners {
        let point = place(corner);
        let arm = Vec3([0.0, 2.0, 0.0]) - point;
        sampling.points.push(point.0);
        sampling.volumes.push(volume);
        // Inversions shrink what is near by this much.
        sampling.spacings.push(size * 0.25 * arm.norm_squared());
        sampling.boundary.push(corner[1] == 0 || corner.iter().any(|c| c.abs() == outermost));
    }
    sampling
}

fn cubes(extent: Extent) -> impl Iterator<Item = (i32, i32, i32)> {
    let low = if extent == Extent::Whole { -EQUAL } else { 0 };
    (low..EQUAL).flat_map(move |i| (-EQUAL..0).flat_map(move |j| (low..EQUAL).map(move |k| (i, j, k))))
}

/// Where a corner of the cubes is in the ball.
fn place(corner: [i32; 3]) -> Vec3<f64> {
    let outermost = CELL * (EQUAL << LEVELS) as f64;
    let p = Vec3(corner.map(|c| c as f64 * CELL));
    let shrunk = p * (1.0 - (1.0 - 2.0 / outermost) * (largest(p) / outermost).powi(2));
    inverted(rounded(shrunk, (0.8, 2.0)))
}

/// Volume of a cube, bent, as six tetrahedra around a diagonal [m³].
fn cube_volume(at: [Vec3<f64>; 8]) -> f64 {
    let mesh = TetMesh { points: at.iter().map(|p| p.0).collect(), tets: Vec::new() };
    let paths: [[u32; 4]; 6] = [[0, 1, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 1, 5, 7], [0, 4, 6, 7], [0, 2, 3, 7]];
    paths.iter().map(|tet| volume(&mesh, *tet).abs()).sum()
}

/// From cubes about the origin to spheres, between two distances.
fn rounded(p: Vec3<f64>, (from, to): (f64, f64)) -> Vec3<f64> {
    let size = largest(p);
    let round = ((size - from) / (to - from)).clamp(0.0, 1.0);
    if size == 0.0 { p } else { p * (1.0 - round + round * size / p.norm()) }
}

fn largest(p: Vec3<f64>) -> f64 {
    p.0.iter().fold(0.0f64, |m, c| m.max(c.abs()))
}

/// The inversion about (0, 2, 0) that leaves the origin where it is; it maps the lower half-space into the ball, and the
/// sphere of radius 2 on the plane of the equator.
fn inverted(p: Vec3<f64>) -> Vec3<f64> {
    let center = Vec3([0.0, 2.0, 0.0]);
    let arm = p - center;
    center + arm * (4.0 / arm.norm_squared())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_fill_half_a_ball() {
        let half = 2.0 / 3.0 * std::f64::consts::PI;
        for (extent, share) in [(Extent::Whole, 1.0), (Extent::Quarter, 0.25)] {
            let mesh = tets(extent).expect("a mesh");
            let filled: f64 = mesh.tets.iter().map(|tet| volume(&mesh, *tet)).sum();
            assert!((filled / (share * half) - 1.0).abs() < 0.05, "{filled}");
            let sampled: f64 = phyxels(extent).volumes.iter().sum();
            assert!((sampled / (share * half) - 1.0).abs() < 0.05, "{sampled}");
        }
    }
}
