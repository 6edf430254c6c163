//! The exact surfaces of shapes, as triangles wound outward.

use super::super::{ShapeError, TriMesh};
use super::ball::icosahedron;
use super::block::Block;
use super::section::rings;
use crate::math::Vec3;
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Adds the triangles of a grid whose nodes are named by `node(i, j)`; wound from `i` to `j`.
fn grid(m: usize, n: usize, triangles: &mut Vec<[u32; 3]>, mut node: impl FnMut(usize, usize) -> u32) {
    for j in 0..n {
        for i in 0..m {
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}

/// The six faces of a block, two squares per cell along each axis.
pub(crate) fn box_skin(cells: [usize; 3], min: [f64; 3], max: [f64; 3]) -> Result<TriMesh, ShapeError> {
    // Twice as fine as the cells, unless only the interior could afford that.
    let fine = if cells.iter().all(|c| *c <= 200) { cells.map(|c| 2 * c) } else { cells };
    let block = Block { cells: fine, min, max };
    let mut skin = TriMesh::default();
    let mut known = HashMap::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, fine[axis]] {
            let (points, triangles) = (&mut skin.points, &mut skin.triangles);
            // The far side looks along the axis; the near side is the same with its directions swapped.
            let (u, v) = if side == 0 { (v, u) } else { (u, v) };
            grid(fine[u], fine[v], triangles, |i, j| {
                let mut c = [0; 3];
                (c[axis], c[u], c[v]) = (side, i, j);
                *known.entry(c).or_insert_with(|| {
                    points.push(block.position(c.map(|x| x as f64)));
                    (points.len() - 1) as u32
                })
            });
        }
    }
    Ok(skin)
}

/// An icosphere with edges of about `size`.
pub(crate) fn sphere_skin(radius: f64, size: f64) -> TriMesh {
    let m = parts(1.05 * radius, size, 1);
    let (corners, faces) = icosahedron();
    let mut skin = TriMesh::default();
    let mut known = HashMap::new();
    for face in faces {
        let points = &mut skin.points;
        let mut node = |i: usize, j: usize| {
            let mut key = [(face[0], m - i - j), (face[1], i), (face[2], j)]
                .map(|(c, w)| if w > 0 { (c + 1, w) } else { (0, 0) });
            key.sort_unstable();
            *known.entry(key).or_insert_with(|| {
                let toward =
                    corners[face[0]] * (m - i - j) as f64 + corners[face[1]] * i as f64 + corners[face[2]] * j as f64;
                points.push((toward.normalized() * radius).0);
                (points.len() - 1) as u32
            })
        };
        for j in 0..m {
            for i in 0..m - j {
                skin.triangles.push([node(i, j), node(i + 1, j), node(i, j + 1)]);
                if i + j + 1 < m {
                    skin.triangles.push([node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]);
                }
            }
        }
    }
    skin
}

/// Two discs of rings and the wall between them.
pub(crate) fn cylinder_skin(radius: f64, height: f64, size: f64) -> Result<TriMesh, ShapeError> {
    let m = parts(radius, size, 2);
    let (around, layers) = (6 * m, parts(height, size, 1));
    let disc = rings(m)?;
    let inner = disc.points.len() - around;
    let mut skin = TriMesh::default();
    // Rims first, level by level from below; then the insides of the lower and the upper disc.
    let rim = &disc.points[inner..];
    for level in 0..=layers {
        let y = height * (level as f64 / layers as f64 - 0.5);
        skin.points.extend(rim.iter().map(|[u, v]| [radius * u, y, radius * v]));
    }
    let wall = skin.points.len();
    for y in [-0.5 * height, 0.5 * height] {
        skin.points.extend(disc.points[..inner].iter().map(|[u, v]| [radius * u, y, radius * v]));
    }
    let cap = |n: u32, upper: usize| {
        let n = n as usize;
        let at = if n >= inner { upper * layers * around + n - inner } else { wall + upper * inner + n };
        at as u32
    };
    // Discs are wound from x to z, whose normal points down.
    for t in &disc.triangles {
        skin.triangles.push(t.map(|n| cap(n, 0)));
        skin.triangles.push([t[0], t[2], t[1]].map(|n| cap(n, 1)));
    }
    grid(layers, around, &mut skin.triangles, |level, i| (level * around + i % around) as u32);
    Ok(skin)
}

/// A grid around the ring and around the tube.
pub(crate) fn torus_skin(major: f64, minor: f64, size: f64) -> TriMesh {
    let (m, n) = (parts(TAU * (major + minor), size, 8), parts(TAU * minor, size, 8));
    let mut skin = TriMesh::default();
    for j in 0..n {
        for i in 0..m {
            let (sin, cos) = (TAU * i as f64 / m as f64).sin_cos();
            let (v, u) = (TAU * j as f64 / n as f64).sin_cos();
            let from_axis = major + minor * u;
            skin.points.push(Vec3([from_axis * cos, minor * v, -from_axis * sin]).0);
        }
    }
    grid(m, n, &mut skin.triangles, |i, j| ((j % n) * m + i % m) as u32);
    skin
}

/// Into how many parts a length is cut; bounded, since a surface needs no more to look round.
fn parts(length: f64, size: f64, least: usize) -> usize {
    (length / size).ceil().clamp(least as f64, 400.0) as usize
}
