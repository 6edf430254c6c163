//! How the points of a body become the vertices of a mesh that only moves.

use crate::drawable::{Drawable, DrawnShape, spacing};
use phyxel_draw::Creases;
use std::collections::HashMap;

/// Bodies of more phyxels than this are plain points: balls would make the file too large.
const MOST_BALLS: usize = 3000;

/// glTF's numbers for kinds of primitives.
pub(super) const POINTS: u32 = 0;
const LINES: u32 = 1;
pub(super) const TRIANGLES: u32 = 4;

/// A mesh over the points of a body.
pub(super) struct Shape {
    pub mode: u32,
    /// Part and corners.
    pub parts: Vec<(u32, Vec<u32>)>,
    pub uvs: Vec<[f32; 2]>,
    vertices: Vertices,
}

enum Vertices {
    /// The points themselves.
    Points,
    /// Copies of points, so that each has one normal and one pair of texture coordinates; the triangles over the points.
    Split { source: Vec<u32>, normal: Vec<u32>, creases: Creases, triangles: Vec<[u32; 3]> },
    /// A ball of this radius [m] around each point.
    Balls { radius: f32 },
}

impl Shape {
    /// The shape of a body whose points are first seen here [m].
    pub(super) fn of(drawable: &Drawable, first: &[[f32; 3]]) -> Self {
        let plain = |mode, corners| Shape { mode, parts: vec![(0, corners)], uvs: vec![], vertices: Vertices::Points };
        match &drawable.shape {
            DrawnShape::Triangles(triangles) => split(drawable, triangles, &wide(first)),
            DrawnShape::Segments(segments) => plain(LINES, segments.iter().flatten().copied().collect()),
            DrawnShape::Spheres if first.len() > MOST_BALLS => plain(POINTS, (0..first.len() as u32).collect()),
            DrawnShape::Spheres => {
                let radius = 0.475 * spacing(&wide(first)) as f32;
                let faces = || ICOSAHEDRON_FACES.iter().flatten().map(|v| *v as u32);
                let corners = (0..first.len() as u32).flat_map(|i| faces().map(move |v| 12 * i + v)).collect();
                Shape { vertices: Vertices::Balls { radius }, ..plain(TRIANGLES, corners) }
            }
        }
    }

    /// Positions of the vertices [m].
    pub(super) fn positions(&self, points: &[[f32; 3]]) -> Vec<[f32; 3]> {
        match &self.vertices {
            Vertices::Points => points.to_vec(),
            Vertices::Split { source, .. } => source.iter().map(|v| points[*v as usize]).collect(),
            Vertices::Balls { radius } => {
                let around = |p: &[f32; 3]| icosahedron().map(|d| [0, 1, 2].map(|k| p[k] + radius * d[k]));
                points.iter().flat_map(around).collect()
            }
        }
    }

    /// Normals of the vertices; nothing for points and lines.
    pub(super) fn normals(&self, points: &[[f32; 3]]) -> Option<Vec<[f32; 3]>> {
        match &self.vertices {
            Vertices::Points => None,
            Vertices::Balls { .. } => Some(points.iter().flat_map(|_| icosahedron()).collect()),
            Vertices::Split { normal, creases, triangles, .. } => {
                let normals = creases.normals(&wide(points), triangles);
                Some(normal.iter().map(|n| normals[*n as usize].map(|c| c as f32)).collect())
            }
        }
    }

    /// Whether normals turn when points move.
    pub(super) fn has_moving_normals(&self) -> bool {
        matches!(self.vertices, Vertices::Split { .. })
    }

    /// Values of points as values of vertices.
    pub(super) fn spread(&self, values: &[[f32; 3]]) -> Vec<[f32; 3]> {
        match &self.vertices {
            Vertices::Split { source, .. } => source.iter().map(|v| values[*v as usize]).collect(),
            _ => values.to_vec(),
        }
    }
}

fn split(drawable: &Drawable, triangles: &[[u32; 3]], first: &[[f64; 3]]) -> Shape {
    let creases = Creases::of(first, triangles, &drawable.look.normals);
    let (mut known, mut source, mut normal, mut uvs) = (HashMap::new(), vec![], vec![], vec![]);
    let mut parts: Vec<(u32, Vec<u32>)> = Vec::new();
    for (t, corners) in triangles.iter().enumerate() {
        let part = drawable.parts.get(t).copied().unwrap_or(0);
        let place = parts.iter().position(|p| p.0 == part).unwrap_or_else(|| {
            parts.push((part, vec![]));
            parts.len() - 1
        });
        for k in 0..3 {
            let uv = drawable.look.uvs.get(t).map(|uv| uv[k]);
            let key = (creases.corners[t][k], uv.map(|uv| uv.map(f32::to_bits)));
            let vertex = *known.entry(key).or_insert_with(|| {
                source.push(corners[k]);
                normal.push(key.0);
                // glTF counts v downwards.
                uvs.extend(uv.map(|[u, v]| [u, 1.0 - v].map(|c| if c.is_finite() { c } else { 0.0 })));
                source.len() as u32 - 1
            });
            parts[place].1.push(vertex);
        }
    }
    parts.sort_by_key(|p| p.0);
    let vertices = Vertices::Split { source, normal, creases, triangles: triangles.to_vec() };
    Shape { mode: TRIANGLES, parts, uvs, vertices }
}

pub(super) fn wide(points: &[[f32; 3]]) -> Vec<[f64; 3]> {
    points.iter().map(|p| p.map(f64::from)).collect()
}

/// Corners of the icosahedron in the unit ball.
fn icosahedron() -> [[f32; 3]; 12] {
    // 1 and the golden ratio, over the length of the vector of both.
    const A: f32 = 0.525_731_1;
    const B: f32 = 0.850_650_8;
    [
        [-A, B, 0.0],
        [A, B, 0.0],
        [-A, -B, 0.0],
        [A, -B, 0.0],
        [0.0, -A, B],
        [0.0, A, B],
        [0.0, -A, -B],
        [0.0, A, -B],
        [B, 0.0, -A],
        [B, 0.0, A],
        [-B, 0.0, -A],
        [-B, 0.0, A],
    ]
}

const ICOSAHEDRON_FACES: [[u8; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_is_closed_and_faces_outwards() {
        let corners = icosahedron();
        let mut edges = HashMap::new();
        for face in ICOSAHEDRON_FACES {
            let [a, b, c] = face.map(|v| corners[v as usize]);
            let (u, v) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
            let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            assert!((0..3).map(|k| normal[k] * a[k]).sum::<f32>() > 0.0, "{face:?}");
            for k in 0..3 {
                *edges.entry((face[k], face[(k + 1) % 3])).or_insert(0) += 1;
            }
        }
        assert!(edges.iter().all(|(&(a, b), n)| *n == 1 && edges.contains_key(&(b, a))));
        assert!(corners.iter().all(|c| (c.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6));
    }
}
