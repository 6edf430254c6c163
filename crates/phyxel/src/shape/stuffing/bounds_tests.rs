//! The bounds of the method, tried on the patterns themselves.

use super::stencil::{self, Source};
use super::warp::{LONG, SHORT, Side};
use crate::math::Vec3;
use crate::shape::quality::dihedral_angles;

/// Nodes 0 to 3 are lattice points, 4 and on are cuts.
struct Tet {
    points: [[i32; 3]; 4],
    positions: Vec<Vec3<f64>>,
    sides: [Side; 4],
}

const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

impl Source for Tet {
    fn side(&self, node: u32) -> Side {
        self.sides[node as usize]
    }
    fn cut(&self, a: u32, b: u32) -> Option<u32> {
        let ends = [a.min(b) as usize, a.max(b) as usize];
        EDGES.iter().position(|edge| *edge == ends).map(|k| 4 + k as u32)
    }
    fn position(&self, node: u32) -> Vec3<f64> {
        self.positions[node as usize]
    }
    fn point(&self, node: u32) -> [i32; 3] {
        self.points[node as usize]
    }
}

/// Whether points that moved along edges of the tetrahedron can have been on the other side than the ends of those edges.
fn possible(sides: [Side; 4], moved: [Option<usize>; 4]) -> bool {
    let fits = |inside: [bool; 4]| {
        (0..4).all(|k| match sides[k] {
            Side::Inside => inside[k],
            Side::Outside => !inside[k],
            Side::On => moved[k].is_none_or(|j| inside[j] != inside[k]),
        })
    };
    (0..16).any(|bits: u32| fits(std::array::from_fn(|k| bits >> k & 1 == 1)))
}

/// All edges from a point of the lattice.
fn edges() -> Vec<(Vec3<f64>, f64)> {
    let long = [[2, 0, 0], [0, 2, 0], [0, 0, 2]].into_iter().flat_map(|d| [d, d.map(|c: i32| -c)]);
    let short = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|b| 2 * b - 1));
    let share = |d: &[i32; 3]| if d.iter().any(|c| *c == 0) { LONG } else { SHORT };
    long.chain(short).map(|d| (Vec3(d.map(f64::from)), share(&d))).collect()
}

/// The twelve tetrahedra of the lattice that differ by more than a shift, twice: from corners and from centres.
fn tets() -> Vec<[[i32; 3]; 4]> {
    let mut all = Vec::new();
    for origin in [[20, 20, 20], [21, 21, 21]] {
        for axis in 0..3 {
            for (u, v) in [(-1, -1), (1, -1), (1, 1), (-1, 1)] {
                let (along, across) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut end = origin;
                end[axis] += 2;
                let corner = |u: i32, v: i32| {
                    let mut c = origin;
                    (c[axis], c[along], c[across]) = (c[axis] + 1, c[along] + u, c[across] + v);
                    c
                };
                all.push([origin, end, corner(u, v), corner(-v, u)]);
            }
        }
    }
    all
}

#[test]
fn every_pattern_keeps_the_angles_between_10_5_and_163_5_degrees() {
    let mut state = 1u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let (tets, ways) = (tets(), edges());
    let (mut least, mut most) = (180.0_f64, 0.0_f64);
    for trial in 0..300_000 {
        let points = tets[trial % tets.len()];
        // Extremes are where the bounds are met: half of the shares are the largest or the smallest allowed.
        let mut share = |limit: f64| if uniform() < 0.5 { limit } else { limit * uniform() };
        let mut positions: Vec<Vec3<f64>> = points.iter().map(|p| Vec3(p.map(f64::from))).collect();
        let (mut moved, mut facing) = ([None; 4], false);
        let sides: [Side; 4] = std::array::from_fn(|k| match (share(1.0) * 3.0) as usize {
            0 => {
                let (way, limit) = ways[((share(1.0) * 13.99) as usize).min(13)];
                positions[k] += way * share(limit);
                // An edge has one cut, which takes one of its ends with it.
                let toward = (0..4).find(|j| Vec3(points[*j].map(f64::from)) - Vec3(points[k].map(f64::from)) == way);
                facing |= toward.is_some_and(|j| moved[j] == Some(k));
                moved[k] = toward;
                Side::On
            }
            1 => Side::Inside,
            _ => Side::Outside,
        });
        for [a, b] in EDGES {
            let limit = if [a, b] == [0, 1] || [a, b] == [2, 3] { LONG } else { SHORT };
            let from = share(1.0 - 2.0 * limit) + limit;
            let from = if share(1.0) < 0.5 { from } else { 1.0 - from };
            let cut = Vec3(points[a].map(f64::from)) * (1.0 - from) + Vec3(points[b].map(f64::from)) * from;
            positions.push(cut);
        }
        if facing || !possible(sides, moved) {
            continue;
        }
        let tet = Tet { points, positions, sides };
        let mut out = Vec::new();
        stencil::stuff(&tet, [0, 1, 2, 3], &mut out);
        for piece in out {
            for angle in dihedral_angles(piece.map(|n| tet.positions[n as usize].0)) {
                least = least.min(angle.to_degrees());
                most = most.max(angle.to_degrees());
            }
        }
    }
    assert!(least > 10.5 && most < 163.5, "{least}° to {most}°");
}
