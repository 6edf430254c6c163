//! Triangle meshes: who is beside whom, smoothing, normals, volume, and whether anything is open.

use phyxel::math::Vec3;
use phyxel::par;
use rayon::slice::ParallelSliceMut;

type V = Vec3<f64>;

/// How well a surface closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closedness {
    /// Edges that have a triangle on one side only.
    pub boundary_edges: usize,
    /// Edges with more than two triangles.
    pub crowded_edges: usize,
}

impl Closedness {
    /// Whether the surface has an inside: no boundary edge.
    pub fn is_closed(&self) -> bool {
        self.boundary_edges == 0
    }
}

/// Counts open edges of triangles. An edge is closed when it is passed as often in one direction as in the other.
pub fn closedness(triangles: &[[u32; 3]]) -> Closedness {
    let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut sides: Vec<(u64, i8)> = Vec::with_capacity(3 * triangles.len());
    for [a, b] in triangles.iter().flat_map(edges) {
        let (low, high) = (a.min(b) as u64, a.max(b) as u64);
        sides.push((low << 32 | high, if a < b { 1 } else { -1 }));
    }
    sides.par_sort_unstable();
    let mut found = Closedness::default();
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let balance: i64 = edge.iter().map(|e| e.1 as i64).sum();
        found.boundary_edges += usize::from(balance != 0);
        found.crowded_edges += usize::from(edge.len() > 2);
    }
    found
}

/// Into how many pieces triangles fall that share vertices.
pub fn components(triangles: &[[u32; 3]]) -> usize {
    let count = triangles.iter().flatten().max().map_or(0, |v| *v as usize + 1);
    let mut root: Vec<u32> = (0..count as u32).collect();
    fn find(root: &mut [u32], mut v: u32) -> u32 {
        while root[v as usize] != v {
            root[v as usize] = root[root[v as usize] as usize];
            v = root[v as usize];
        }
        v
    }
    for t in triangles {
        let [a, b, c] = t.map(|v| find(&mut root, v));
        let least = a.min(b).min(c);
        [a, b, c].into_iter().for_each(|r| root[r as usize] = least);
    }
    let mut used = vec![false; count];
    triangles.iter().flatten().for_each(|v| used[*v as usize] = true);
    (0..count as u32).filter(|&v| used[v as usize] && root[v as usize] == v).count()
}

/// Enclosed volume [m³]; negative when the surface is inside out.
pub fn volume(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let origin = points.first().map_or(Vec3::zero(), |p| Vec3(*p));
    par::sum(triangles.len(), |t| {
        let [a, b, c] = triangles[t].map(|n| Vec3(points[n as usize]) - origin);
        a.dot(b.cross(c)) / 6.0
    })
}

/// Area [m²].
pub fn area(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    par::sum(triangles.len(), |t| {
        let [a, b, c] = triangles[t].map(|n| Vec3(points[n as usize]));
        0.5 * (b - a).cross(c - a).norm()
    })
}

/// Which triangles are around each vertex.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fans {
    starts: Vec<u32>,
    /// The two other corners of each triangle around a vertex, in their order.
    others: Vec<[u32; 2]>,
}

impl Fans {
    pub fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut starts = vec![0_u32; vertices + 1];
        triangles.iter().flatten().for_each(|&v| starts[v as usize + 1] += 1);
        for v in 1..starts.len() {
            starts[v] += starts[v - 1];
        }
        let mut next = starts.clone();
        let mut others = vec![[0; 2]; 3 * triangles.len()];
        for t in triangles {
            for k in 0..3 {
                let place = &mut next[t[k] as usize];
                others[*place as usize] = [t[(k + 1) % 3], t[(k + 2) % 3]];
                *place += 1;
            }
        }
        Fans { starts, others }
    }

    fn of(&self, v: usize) -> &[[u32; 2]] {
        &self.others[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Moves every vertex by `share` of the way to the mean of those beside it.
    fn relax(&self, points: &[V], share: f64, out: &mut [V]) {
        par::for_each(out, |v, x| {
            let fan = self.of(v);
            // On a closed surface every neighbour is the first corner once.
            let sum = fan.iter().fold(V::zero(), |s, o| s + points[o[0] as usize]);
            let mean = sum * (1.0 / fan.len().max(1) as f64);
            *x = if fan.is_empty() { points[v] } else { points[v] + (mean - points[v]) * share };
        });
    }

    /// Smooths without shrinking: each round takes a step in and a slightly larger one out (Taubin 1995), which damps
    /// what is as small as the cells of the grid and leaves what is larger.
    pub fn smooth(&self, points: &mut [V], rounds: usize) {
        const IN: f64 = 0.6;
        const OUT: f64 = -0.64;
        let mut other = points.to_vec();
        for _ in 0..rounds {
            self.relax(points, IN, &mut other);
            self.relax(&other, OUT, points);
        }
    }

    /// Brings down tips of a few small triangles, which are no larger than a cell and which [`Fans::smooth`] leaves standing.
    /// What is round shrinks a little.
    pub fn flatten(&self, points: &mut [V], rounds: usize) {
        let mut other = points.to_vec();
        for _ in 0..rounds {
            self.relax(points, 0.5, &mut other);
            points.copy_from_slice(&other);
        }
    }

    /// Unit normals of the vertices, from the triangles around them by area.
    pub fn normals(&self, points: &[V]) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; points.len()];
        par::for_each(&mut out, |v, n| *n = unit(self.normal(points, v)).0);
        out
    }

    /// Twice the area of the triangles around a vertex, as a vector.
    fn normal(&self, points: &[V], v: usize) -> V {
        let x = points[v];
        let part = |o: &[u32; 2]| (points[o[0] as usize] - x).cross(points[o[1] as usize] - x);
        self.of(v).iter().fold(V::zero(), |s, o| s + part(o))
    }

    /// Moves all vertices along their normals, by the same distance, until the surface holds `wanted` [m³]; by `most` [m]
    /// at most.
    pub fn inflate(&self, points: &mut [[f64; 3]], triangles: &[[u32; 3]], wanted: f64, most: f64) {
        let mut left = most;
        for _ in 0..3 {
            let now: Vec<V> = points.iter().map(|p| Vec3(*p)).collect();
            let (has, surface) = (volume(points, triangles), area(points, triangles));
            if surface <= 0.0 {
                return;
            }
            let by = ((wanted - has) / surface).clamp(-left, left);
            left -= by.abs();
            par::for_each(points, |v, p| *p = (now[v] + unit(self.normal(&now, v)) * by).0);
        }
    }
}

/// A vector of length one, or zero where there is none.
pub(crate) fn unit(v: V) -> V {
    let length = v.norm();
    if length > 0.0 { v * (1.0 / length) } else { V::zero() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

    #[test]
    fn open_edges_are_counted() {
        assert!(closedness(&FACES).is_closed());
        assert_eq!(closedness(&FACES[..3]).boundary_edges, 3);
        // Two tetrahedra that share an edge: four triangles meet there, and all is closed.
        let second = FACES.map(|f| f.map(|n| if n > 1 { n + 2 } else { n }));
        let both = [FACES, second].concat();
        assert_eq!(closedness(&both), Closedness { boundary_edges: 0, crowded_edges: 1 });
        assert_eq!((components(&both), components(&[[0, 1, 2], [7, 9, 8], [2, 4, 3]]), components(&[])), (1, 2, 0));
        // A triangle that is turned is open all around.
        let mut turned = FACES;
        turned[0].swap(0, 1);
        assert_eq!(closedness(&turned).boundary_edges, 3);
    }

    #[test]
    fn volume_and_area_are_those_of_the_tetrahedron() {
        assert!((volume(&CORNERS, &FACES) - 1.0 / 6.0).abs() < 1e-15);
        let wanted = 1.5 + 0.5 * 3.0_f64.sqrt();
        assert!((area(&CORNERS, &FACES) - wanted).abs() < 1e-15);
    }

    #[test]
    fn inflating_meets_the_volume() {
        let skin = phyxel::shape::structured::box_points([8; 3], [-1.0; 3], [1.0; 3]).expect("a cube").skin;
        let mut points: Vec<[f64; 3]> = skin.points.iter().map(|p| Vec3(*p).normalized().0).collect();
        // Sides of the cube have vertices of their own along edges; welding is not needed to move them alike on a ball.
        let fans = Fans::new(points.len(), &skin.triangles);
        fans.inflate(&mut points, &skin.triangles, 4.6, 0.5);
        let has = volume(&points, &skin.triangles);
        assert!((has / 4.6 - 1.0).abs() < 5e-3, "{has}");
        fans.inflate(&mut points, &skin.triangles, 40.0, 0.01);
        assert!(points.iter().all(|p| Vec3(*p).norm() < 1.06), "no farther than allowed");
    }
}
