//! Where a surface is smooth and where it has edges, told once, so that normals keep their places from frame to frame.

use phyxel::math::Vec3;

type V = Vec3<f64>;

/// Cosine of the angle from which an edge counts as sharp: about 41 degrees.
const SHARP: f64 = 0.75;
/// Given normals of a vertex that differ by less than about a degree are one.
const SAME: f64 = 0.9998;

/// Normals of a surface, numbered: one per vertex where the surface is smooth, more where edges meet.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Creases {
    /// The number of the normal at each corner of each triangle.
    pub corners: Vec<[u32; 3]>,
    /// The vertex that each normal belongs to.
    pub vertex_of: Vec<u32>,
    /// Given normals in the triangles' own axes; empty where none are given.
    carried: Vec<[Option<V>; 3]>,
}

impl Creases {
    /// Finds the edges of a surface as it is now. Where `given` has a normal of a corner that is not zero, that one counts,
    /// and is carried along; it has three per triangle, or nothing at all.
    pub fn of(points: &[[f64; 3]], triangles: &[[u32; 3]], given: &[[[f32; 3]; 3]]) -> Self {
        let unit: Vec<V> = area_normals(points, triangles).into_iter().map(|n| n.normalized()).collect();
        let told = |face: u32, corner: usize| {
            let normal = Vec3(given.get(face as usize)?[corner].map(f64::from)).normalized();
            (normal.norm_squared() > 0.5 && unit[face as usize].norm_squared() > 0.5).then_some(normal)
        };
        let mut creases = Creases { corners: vec![[0; 3]; triangles.len()], ..Creases::default() };
        for (vertex, fan) in fans(points.len(), triangles).iter().enumerate() {
            let corner = |face: u32| triangles[face as usize].iter().position(|v| *v == vertex as u32).unwrap_or(0);
            let alike = |a: u32, b: u32| match (told(a, corner(a)), told(b, corner(b))) {
                (Some(a), Some(b)) => a.dot(b) > SAME,
                (None, None) => unit[a as usize].dot(unit[b as usize]) > SHARP,
                _ => false,
            };
            for faces in smooth_groups(fan, alike) {
                let normal = creases.vertex_of.len() as u32;
                creases.vertex_of.push(vertex as u32);
                for face in faces {
                    for corner in (0..3).filter(|k| triangles[face as usize][*k] == vertex as u32) {
                        creases.corners[face as usize][corner] = normal;
                    }
                }
            }
        }
        if !given.is_empty() {
            let axes = triangles.iter().map(|t| axes(points, t));
            let own =
                |(t, axes): (usize, [V; 3])| [0, 1, 2].map(|k| told(t as u32, k).map(|n| Vec3(axes.map(|a| a.dot(n)))));
            creases.carried = axes.enumerate().map(own).collect();
        }
        creases
    }

    /// The same edges, with normals from the triangles alone: for surfaces whose rest shape is not known.
    #[must_use]
    pub fn by_area(mut self) -> Self {
        self.carried.clear();
        self
    }

    /// The unit normals, by number. Given ones follow the deformation of their triangles as normals do (by the inverse
    /// transpose), so that they are exact at rest and turn with what is rigid; others are the mean of the triangles on one
    /// side of the edges. Both are weighted by area.
    pub fn normals(&self, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
        let mut sums = vec![V::zero(); self.vertex_of.len()];
        for (t, (normal, corners)) in area_normals(points, triangles).into_iter().zip(&self.corners).enumerate() {
            let given = self.carried.get(t).filter(|of| of.iter().any(Option::is_some));
            let dual = given.map(|_| dual(axes(points, &triangles[t])));
            for (k, &n) in corners.iter().enumerate() {
                sums[n as usize] += match (given.and_then(|of| of[k]), dual) {
                    (Some(own), Some(dual)) => {
                        (dual[0] * own[0] + dual[1] * own[1] + dual[2] * own[2]).normalized() * normal.norm()
                    }
                    _ => normal,
                };
            }
        }
        sums.into_iter().map(unit_or_up).collect()
    }
}

/// Two edges and the unit normal of a triangle.
fn axes(points: &[[f64; 3]], triangle: &[u32; 3]) -> [V; 3] {
    let [a, b, c] = triangle.map(|v| Vec3(points[v as usize]));
    let (u, v) = (b - a, c - a);
    [u, v, u.cross(v).normalized()]
}

/// The vectors that give one with their own axis and nothing with the others; zero for a triangle without area.
fn dual([u, v, n]: [V; 3]) -> [V; 3] {
    let volume = u.cross(v).dot(n);
    let per = if volume > 0.0 { 1.0 / volume } else { 0.0 };
    [v.cross(n) * per, n.cross(u) * per, n]
}

/// Unit normals of the vertices, smooth everywhere.
pub fn vertex_normals(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
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
fn smooth_groups(fan: &[u32], alike: impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &face in fan {
        let mut joined = vec![face];
        groups.retain_mut(|group| {
            let apart = !group.iter().any(|other| alike(*other, face));
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
        let creases = Creases::of(&CUBE, &triangles, &[]);
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
        let creases = Creases::of(&points, &[[0, 1, 2], [0, 3, 1]], &[]);
        assert_eq!(creases.vertex_of.len(), 4);
    }

    #[test]
    fn degenerate_triangles_and_lonely_vertices_do_no_harm() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [f64::NAN; 3], [5.0; 3]];
        let triangles = [[0, 1, 1], [0, 1, 2]];
        let creases = Creases::of(&points, &triangles, &[]);
        let normals = creases.normals(&points, &triangles);
        assert!(normals.iter().all(|n| *n == [0.0, 1.0, 0.0]));
        assert_eq!(vertex_normals(&points, &triangles).len(), 4);
    }

    /// Normals of a ball, given at the corners of a cube: smooth where there are right angles.
    fn round() -> Vec<[[f32; 3]; 3]> {
        let away = |v: u32| Vec3(CUBE[v as usize].map(|c| c - 0.5)).normalized().0.map(|c| c as f32);
        cube().iter().map(|t| t.map(away)).collect()
    }

    #[test]
    fn given_normals_are_kept_at_rest_and_turn_with_the_body() {
        let triangles = cube();
        let creases = Creases::of(&CUBE, &triangles, &round());
        assert_eq!(creases.vertex_of.len(), 8, "smooth at every corner");
        let check = |points: &[[f64; 3]], turn: &dyn Fn(V) -> V| {
            for (n, v) in creases.normals(points, &triangles).iter().zip(&creases.vertex_of) {
                let wanted = turn(Vec3(CUBE[*v as usize].map(|c| c - 0.5)).normalized());
                assert!((Vec3(*n) - wanted).norm() < 1e-6, "{n:?} {wanted:?}");
            }
        };
        check(&CUBE, &|n| n);
        let turn = |p: V| Vec3([0.6 * p[0] - 0.8 * p[1], 0.8 * p[0] + 0.6 * p[1], p[2]]);
        check(&CUBE.map(|p| (turn(Vec3(p)) + Vec3([3.0, 0.0, -1.0])).0), &turn);
        // Twice as wide: normals lean away from the long axis, as those of an ellipsoid do.
        let wide = creases.normals(&CUBE.map(|[x, y, z]| [2.0 * x, y, z]), &triangles);
        assert!(wide.iter().all(|n| n[0].abs() < 0.5 && n[1].abs() > 0.6 && n[2].abs() > 0.6), "{wide:?}");
    }

    #[test]
    fn edges_of_the_file_stay_edges_and_missing_normals_are_found() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.2]];
        let triangles = [[0, 1, 2], [0, 3, 1]];
        let flat = |n: [f32; 3]| [n; 3];
        let hard = Creases::of(&points, &triangles, &[flat([0.0, 0.0, 1.0]), flat([0.0, 0.19, 0.98])]);
        assert_eq!(hard.vertex_of.len(), 6, "a fold that would be smooth is an edge in the file");
        let half = Creases::of(&points, &triangles, &[flat([0.0, 0.0, 2.0]), flat([0.0; 3])]);
        let normals = half.normals(&points, &triangles);
        let of = |t: usize| Vec3(normals[half.corners[t][2] as usize]);
        assert!((of(0) - Vec3([0.0, 0.0, 1.0])).norm() < 1e-12);
        let own = Vec3([0.0, 0.2, 1.0]).normalized();
        assert!((of(1) - own).norm() < 1e-12, "{:?}", of(1));
    }
}
