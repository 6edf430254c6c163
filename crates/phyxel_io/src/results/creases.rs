//! Where a surface is smooth and where it has edges, told once, so that normals keep their places from frame to frame.

use phyxel::math::Vec3;

type V = Vec3<f64>;

/// Cosine of the angle from which an edge counts as sharp: about 41 degrees.
const SHARP: f64 = 0.75;

/// Normals of a surface, numbered: one per vertex where the surface is smooth, more where edges meet.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Creases {
    /// The number of the normal at each corner of each triangle.
    pub corners: Vec<[u32; 3]>,
    /// The vertex that each normal belongs to.
    pub vertex_of: Vec<u32>,
}

impl Creases {
    /// Finds the edges of a surface as it is now.
    pub(super) fn of(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let unit: Vec<V> = area_normals(points, triangles).into_iter().map(|n| n.normalized()).collect();
        let mut creases = Creases { corners: vec![[0; 3]; triangles.len()], vertex_of: Vec::new() };
        for (vertex, fan) in fans(points.len(), triangles).iter().enumerate() {
            for faces in smooth_groups(fan, &unit) {
                let normal = creases.vertex_of.len() as u32;
                creases.vertex_of.push(vertex as u32);
                for face in faces {
                    for corner in (0..3).filter(|k| triangles[face as usize][*k] == vertex as u32) {
                        creases.corners[face as usize][corner] = normal;
                    }
                }
            }
        }
        creases
    }

    /// The unit normals, by number: the mean of the triangles on one side of the edges, weighted by area.
    pub(super) fn normals(&self, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
        let mut sums = vec![V::zero(); self.vertex_of.len()];
        for (normal, corners) in area_normals(points, triangles).into_iter().zip(&self.corners) {
            corners.iter().for_each(|&n| sums[n as usize] += normal);
        }
        sums.into_iter().map(unit_or_up).collect()
    }
}

/// Unit normals of the vertices, smooth everywhere.
pub(super) fn vertex_normals(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut sums = vec![V::zero(); points.len()];
    for (normal, corners) in area_normals(points, triangles).into_iter().zip(triangles) {
        corners.iter().for_each(|&v| sums[v as usize] += normal);
    }
    sums.into_iter().map(unit_or_up).collect()
}

/// What has no area has no normal, but readers want unit vectors.
fn unit_or_up(sum: V) -> [f64; 3] {
    let unit = sum.normalized();
    if unit.norm_squared() > 0.5 { unit.0 } else { [0.0, 1.0, 0.0] }
}

fn area_normals(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<V> {
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| Vec3(points[v as usize]));
        let normal = (b - a).cross(c - a);
        if normal.is_finite() { normal } else { V::zero() }
    };
    triangles.iter().map(normal).collect()
}

/// The triangles around each vertex.
fn fans(vertices: usize, triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut fans = vec![Vec::new(); vertices];
    for (t, corners) in triangles.iter().enumerate() {
        for (k, &v) in corners.iter().enumerate() {
            // A degenerate triangle may name a vertex twice.
            if !corners[..k].contains(&v) {
                fans[v as usize].push(t as u32);
            }
        }
    }
    fans
}

/// Triangles around a vertex, in groups that hang together without a sharp edge.
fn smooth_groups(fan: &[u32], unit: &[V]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &face in fan {
        let alike = |other: &u32| unit[*other as usize].dot(unit[face as usize]) > SHARP;
        let mut joined = vec![face];
        groups.retain_mut(|group| {
            let apart = !group.iter().any(alike);
            if !apart {
                joined.append(group);
            }
            apart
        });
        groups.push(joined);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    const FACES: [[u32; 4]; 6] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [2, 3, 7, 6], [1, 2, 6, 5], [3, 0, 4, 7]];

    fn cube() -> Vec<[u32; 3]> {
        FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
    }

    #[test]
    fn a_cube_has_three_normals_at_each_corner_and_each_is_that_of_its_face() {
        let triangles = cube();
        let creases = Creases::of(&CUBE, &triangles);
        assert_eq!(creases.vertex_of.len(), 24);
        let normals = creases.normals(&CUBE, &triangles);
        for (t, corners) in creases.corners.iter().enumerate() {
            let face = FACES[t / 2].map(|v| CUBE[v as usize]);
            let outward = [0, 1, 2].map(|k| face.iter().map(|p| p[k]).sum::<f64>() / 2.0 - 1.0);
            for &n in corners {
                assert!((0..3).all(|k| (normals[n as usize][k] - outward[k]).abs() < 1e-12), "triangle {t}");
            }
        }
        let smooth = vertex_normals(&CUBE, &triangles);
        assert!(smooth[6].iter().all(|c| *c > 0.2), "{:?}", smooth[6]);
    }

    #[test]
    fn a_gentle_fold_shares_its_normals() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.2]];
        let creases = Creases::of(&points, &[[0, 1, 2], [0, 3, 1]]);
        assert_eq!(creases.vertex_of.len(), 4);
    }

    #[test]
    fn degenerate_triangles_and_lonely_vertices_do_no_harm() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [f64::NAN; 3], [5.0; 3]];
        let triangles = [[0, 1, 1], [0, 1, 2]];
        let creases = Creases::of(&points, &triangles);
        let normals = creases.normals(&points, &triangles);
        assert!(normals.iter().all(|n| *n == [0.0, 1.0, 0.0]));
        assert_eq!(vertex_normals(&points, &triangles).len(), 4);
    }
}
