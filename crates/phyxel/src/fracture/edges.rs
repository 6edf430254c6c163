//! Broken edges that are there from the start: every face along which a body can break is divided and bent, the same way on
//! both sides, so that both fit together and an undamaged body looks undamaged.
//!
//! The drawn surface is that of the elements after a small displacement of the rest shape, one that leaves the outside of
//! the body where it is. Each vertex is carried by the corners of its own element.

use super::tets::{ALONE, TetPieces};
use crate::material::{EdgeStyle, Edges};
use crate::math::Vec3;
use crate::record::BodyLayout;
use crate::shape::quality::FACES;
use std::collections::BTreeMap;

/// A vertex of the drawn surface: its tetrahedron, and what each corner of that counts.
pub type Carried = (u32, [f64; 4]);

/// Vertices are not moved by more than this share of a typical element, so that none is drawn inside out.
const FARTHEST: f64 = 0.3;
/// Normals that differ by less are those of one plane.
const ONE_PLANE: f64 = 1e-6;

/// The displacement of the rest shape.
struct Warp<'a> {
    points: &'a [[f64; 3]],
    edges: &'a Edges,
    grain: Option<Vec3<f64>>,
    farthest: f64,
    /// Normals of the outside at nodes, and at edges between them.
    outside: BTreeMap<Vec<u32>, Vec<Vec3<f64>>>,
}

/// What edges look like needs to know of a body.
pub(super) struct Site<'a> {
    /// Its nodes at rest [m].
    pub points: &'a [[f64; 3]],
    /// The look.
    pub edges: &'a Edges,
    /// Direction of the grain.
    pub grain: Option<[f64; 3]>,
    /// Length of the edge of a typical element [m].
    pub size: f64,
}

/// Gives a layout finer triangles over vertices of their own; returns what carries these. `faces` are `4 · tet + face` of
/// the triangles that the layout has now.
pub(super) fn refine(layout: &mut BodyLayout, tets: &TetPieces, faces: &[u32], site: &Site<'_>) -> Vec<Carried> {
    let warp = Warp::new(tets, site);
    let parts = match site.edges.style {
        EdgeStyle::Shards => 1,
        _ => 1 + site.edges.frequency[0].max(site.edges.frequency[1]) as usize,
    };
    let (mut carried, mut triangles, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (&face, &kind) in faces.iter().zip(&layout.skin_parts) {
        let (t, corners) = (face as usize / 4, FACES[face as usize % 4]);
        let first = carried.len() as u32;
        // Rows of points, the first at the first corner.
        let row = |i: usize| first + (i * (i + 1) / 2) as u32;
        for i in 0..=parts {
            for j in 0..=i {
                let counts = [parts - i, i - j, j];
                carried.push(warp.vertex(tets, t, corners, counts));
            }
        }
        for i in 0..parts {
            for j in 0..=i as u32 {
                triangles.push([row(i) + j, row(i + 1) + j, row(i + 1) + j + 1]);
                if j > 0 {
                    triangles.push([row(i) + j - 1, row(i + 1) + j, row(i) + j]);
                }
            }
        }
        kinds.resize(triangles.len(), kind);
    }
    (layout.skin_triangles, layout.skin_parts) = (triangles, kinds);
    carried
}

impl<'a> Warp<'a> {
    fn new(tets: &TetPieces, site: &Site<'a>) -> Self {
        let mut outside: BTreeMap<Vec<u32>, Vec<Vec3<f64>>> = BTreeMap::new();
        for (t, twins) in tets.twins.iter().enumerate() {
            for (corners, _) in FACES.iter().zip(twins).filter(|(_, twin)| **twin == ALONE) {
                let face = corners.map(|k| tets.table.nodes[t][k]);
                let [a, b, c] = face.map(|n| Vec3(site.points[n as usize]));
                let normal = (b - a).cross(c - a).normalized();
                for k in 0..3 {
                    let (one, two) = (face[k], face[(k + 1) % 3]);
                    add(outside.entry(vec![one]).or_default(), normal);
                    add(outside.entry(vec![one.min(two), one.max(two)]).or_default(), normal);
                }
                let mut all = face.to_vec();
                all.sort_unstable();
                add(outside.entry(all).or_default(), normal);
            }
        }
        let (points, edges, grain) = (site.points, site.edges, site.grain.map(|g| Vec3(g).normalized()));
        Warp { points, edges, grain, farthest: FARTHEST * site.size, outside }
    }

    /// The vertex that lies `counts` over the corners of a face, in parts of their sum.
    fn vertex(&self, tets: &TetPieces, t: usize, corners: [usize; 3], counts: [usize; 3]) -> Carried {
        let nodes = corners.map(|k| tets.table.nodes[t][k]);
        let whole = counts.iter().sum::<usize>() as f64;
        let mut weights = [0.0; 4];
        let mut moved = Vec3::zero();
        for k in 0..3 {
            let share = counts[k] as f64 / whole;
            weights[corners[k]] = share;
            moved += self.of_node(nodes[k]) * share;
        }
        moved += self.of_point(nodes, counts);
        let moved = self.inside(nodes, counts, moved);
        // A step in the rest shape, in what corners count.
        let gradients = tets.table.all_gradients(t);
        (0..4).for_each(|k| weights[k] += gradients[k].dot(moved));
        (t as u32, weights)
    }

    /// How far a corner of a section is off.
    fn of_node(&self, node: u32) -> Vec3<f64> {
        let Edges { section, randomness, seed, .. } = self.edges;
        let off = |axis: u64, k: usize| 0.5 * section[k] * randomness[k] * noise(*seed, &[u64::from(node), axis]);
        self.held(&[node], Vec3([off(0, 0), off(1, 1), off(2, 0)]))
    }

    /// How far a point between corners is off, beyond what they are.
    fn of_point(&self, nodes: [u32; 3], counts: [usize; 3]) -> Vec3<f64> {
        let mut here: Vec<(u32, usize)> = nodes.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect();
        if here.len() < 2 || self.edges.style == EdgeStyle::Shards {
            return Vec3::zero();
        }
        here.sort_unstable();
        let whole = counts.iter().sum::<usize>() as f64;
        let at = here
            .iter()
            .fold(Vec3::zero(), |sum, (n, count)| sum + Vec3(self.points[*n as usize]) * (*count as f64 / whole));
        let Edges { section, amplitude, seed, style, .. } = self.edges;
        // The same for everybody who has this point, and for whole sections where edges run in steps.
        let key: Vec<u64> = match style {
            EdgeStyle::Steps => {
                let cell = |x: f64, k: usize| ((x / section[k]).floor() as i64) as u64;
                vec![cell(at[0], 0), cell(at[1], 1), cell(at[2], 0)]
            }
            _ => here.iter().flat_map(|(n, count)| [u64::from(*n), *count as u64]).collect(),
        };
        let off = |axis: u64, k: usize| amplitude[k] * noise(seed ^ (axis + 1), &key);
        let free = Vec3([off(0, 0), off(1, 1), off(2, 0)]);
        let moved = match (style, self.grain) {
            (EdgeStyle::Splinters, Some(grain)) => grain * (free[0] + free[1] * grain[1].abs()),
            (EdgeStyle::Splinters, None) if section[0] >= section[1] => Vec3([free[0], 0.0, 0.0]),
            (EdgeStyle::Splinters, None) => Vec3([0.0, free[1], 0.0]),
            _ => free,
        };
        let names: Vec<u32> = here.into_iter().map(|(n, _)| n).collect();
        self.held(&names, moved)
    }

    /// What is left of a displacement so that nothing near to the outside comes through it: half of the way there at most.
    fn inside(&self, nodes: [u32; 3], counts: [usize; 3], moved: Vec3<f64>) -> Vec3<f64> {
        let whole = counts.iter().sum::<usize>() as f64;
        let place = |k: usize| Vec3(self.points[nodes[k] as usize]);
        let at = (0..3).fold(Vec3::zero(), |sum, k| sum + place(k) * (counts[k] as f64 / whole));
        let mut left = moved;
        for k in (0..3).filter(|k| counts[*k] > 0) {
            for normal in self.outside.get(&[nodes[k]][..]).map_or(&[][..], |n| n) {
                let way = (place(k) - at).dot(*normal);
                let beyond = left.dot(*normal) - 0.5 * way;
                if way > 0.0 && beyond > 0.0 {
                    left -= *normal * beyond;
                }
            }
        }
        left
    }

    /// What the outside leaves of a displacement: it must stay where it is.
    fn held(&self, place: &[u32], moved: Vec3<f64>) -> Vec3<f64> {
        let mut held: Vec<Vec3<f64>> = Vec::new();
        for normal in self.outside.get(place).map_or(&[][..], |n| n) {
            let own = held.iter().fold(*normal, |own, known| own - *known * known.dot(own));
            if own.norm() > ONE_PLANE {
                held.push(own.normalized());
            }
        }
        let free = held.iter().fold(moved, |left, normal| left - *normal * normal.dot(left));
        let length = free.norm();
        if length > self.farthest { free * (self.farthest / length) } else { free }
    }
}

/// Adds a normal to those of other planes.
fn add(known: &mut Vec<Vec3<f64>>, normal: Vec3<f64>) {
    if known.iter().all(|n| (*n - normal).norm() > ONE_PLANE) {
        known.push(normal);
    }
}

/// A number in −1..1 for each key (splitmix64).
fn noise(seed: u64, key: &[u64]) -> f64 {
    let mut z = seed;
    for part in key {
        z = z.wrapping_add(part.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    2.0 * (z >> 11) as f64 / (1u64 << 53) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fracture::Drawn;
    use crate::shape::structured::{CubeSplit, box_tets};
    use crate::stencil::TetTable;

    fn wall(style: EdgeStyle, grain: Option<[f64; 3]>) -> (Drawn, TetPieces, Vec<[f64; 3]>) {
        let mesh = box_tets([4, 2, 2], [0.0; 3], [0.4, 0.2, 0.2], CubeSplit::Five).expect("a wall");
        let table = TetTable::build(&mesh.points, &mesh.tets).expect("sound");
        let tets = TetPieces::new(table, Vec::new(), false, mesh.points.len());
        let edges = Edges {
            section: [0.1, 0.1],
            randomness: [0.2, 0.2],
            frequency: [2, 1],
            amplitude: [0.01, 0.01],
            style,
            seed: 3,
        };
        let site = Site { points: &mesh.points, edges: &edges, grain, size: 0.1 };
        let mut drawn = Drawn::of("wall", &mesh.tets, &[], 1);
        drawn.roughen(&tets, &site);
        (drawn, tets, mesh.points)
    }

    fn places(drawn: &Drawn, tets: &TetPieces, points: &[[f64; 3]]) -> Vec<Vec3<f64>> {
        let place = |(t, weights): &Carried| {
            let nodes = tets.table.nodes[*t as usize];
            (0..4).fold(Vec3::zero(), |sum, k| sum + Vec3(points[nodes[k] as usize]) * weights[k])
        };
        drawn.carried.iter().map(place).collect()
    }

    #[test]
    fn both_faces_of_a_crack_fit_and_the_outside_stays_where_it_is() {
        for style in [EdgeStyle::Jagged, EdgeStyle::Splinters, EdgeStyle::Steps, EdgeStyle::Shards] {
            let (drawn, tets, points) = wall(style, None);
            let at = places(&drawn, &tets, &points);
            // Every inner triangle is there twice, wound both ways.
            let rounded = |v: u32| at[v as usize].0.map(|x| (x * 1e9).round() as i64);
            let mut inner = BTreeMap::new();
            let (mut bent, mut outside) = (0, 0.0);
            for (triangle, part) in drawn.layout.skin_triangles.iter().zip(&drawn.layout.skin_parts) {
                let [a, b, c] = triangle.map(|v| at[v as usize]);
                if *part == 0 {
                    outside += 0.5 * (b - a).cross(c - a).norm();
                    let flat = [0, 1, 2].iter().any(|k| {
                        let low = [a[*k], b[*k], c[*k]];
                        let side = [0.4, 0.2, 0.2][*k];
                        low.iter().all(|x| x.abs() < 1e-9) || low.iter().all(|x| (x - side).abs() < 1e-9)
                    });
                    assert!(flat, "{style:?}: the outside bulges at {a:?}");
                } else {
                    let mut key = triangle.map(rounded);
                    key.sort_unstable();
                    *inner.entry(key).or_insert(0) += 1;
                    bent += (0..3).all(|k| (a[k] * 10.0 - (a[k] * 10.0).round()).abs() > 1e-6) as usize;
                }
            }
            assert!(inner.values().all(|count| *count == 2), "{style:?}");
            assert!(bent > 0, "{style:?}: nothing is rough");
            // 2 (0.4 · 0.2 + 0.4 · 0.2 + 0.2 · 0.2) when nothing of it folds over.
            assert!((outside - 0.4).abs() < 1e-9, "{style:?}: {outside}");
        }
    }

    #[test]
    fn nothing_inside_comes_through_the_outside() {
        let mesh = box_tets([4, 2, 2], [0.0; 3], [0.4, 0.2, 0.2], CubeSplit::Five).expect("a wall");
        let table = TetTable::build(&mesh.points, &mesh.tets).expect("sound");
        let tets = TetPieces::new(table, Vec::new(), false, mesh.points.len());
        for style in [EdgeStyle::Jagged, EdgeStyle::Splinters, EdgeStyle::Steps] {
            // As long as sections.
            let (section, amplitude) = ([0.1, 0.1], [0.1, 0.1]);
            let edges = Edges { section, randomness: [0.5, 0.5], frequency: [3, 3], amplitude, style, seed: 5 };
            let mut drawn = Drawn::of("wall", &mesh.tets, &[], 1);
            let grain = Some([1.0, 0.06, 0.0]);
            drawn.roughen(&tets, &Site { points: &mesh.points, edges: &edges, grain, size: 0.1 });
            let at = places(&drawn, &tets, &mesh.points);
            let [low, high] = [[0.0; 3], [0.4, 0.2, 0.2]];
            let beyond = |x: &Vec3<f64>| (0..3).any(|k| x[k] < low[k] - 1e-9 || x[k] > high[k] + 1e-9);
            assert_eq!(at.iter().filter(|x| beyond(x)).count(), 0, "{style:?}");
        }
    }

    #[test]
    fn splinters_point_along_the_grain() {
        let (drawn, tets, points) = wall(EdgeStyle::Splinters, Some([1.0, 0.0, 0.0]));
        let (plain, _, _) = wall(EdgeStyle::Shards, Some([1.0, 0.0, 0.0]));
        assert!(drawn.carried.len() > plain.carried.len());
        let at = places(&drawn, &tets, &points);
        assert!(at.iter().all(|x| x[0] > -1e-9 && x[0] < 0.4 + 1e-9));
    }
}
