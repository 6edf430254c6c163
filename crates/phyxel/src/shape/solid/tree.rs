//! A tree of boxes around triangles.

use crate::math::Vec3;
use crate::shape::TriMesh;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// Triangles of a subtree below which one thread builds it alone.
const GRAIN: usize = 4096;

/// A box around some of the triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub min: [f64; 3],
    pub max: [f64; 3],
    /// The first of its triangles.
    pub first: u32,
    /// How many triangles it has.
    pub count: u32,
    /// Its second child; the first follows the node. Zero in a leaf.
    pub second: u32,
}

/// A triangle where the tree can read it without looking elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub corners: [Vec3<f64>; 3],
    /// Its place in the mesh.
    pub index: u32,
}

/// Boxes around triangles, halved along their longest side, in depth-first order.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    pub triangles: Vec<Triangle>,
}

impl Triangle {
    pub fn centroid(&self) -> Vec3<f64> {
        let [a, b, c] = self.corners;
        (a + b + c) * (1.0 / 3.0)
    }

    /// Normal times area.
    pub fn area_vector(&self) -> Vec3<f64> {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a) * 0.5
    }

    /// A point behind the middle of the face, `depth` square roots of its area away.
    pub fn behind(&self, depth: f64) -> Vec3<f64> {
        let area = self.area_vector();
        self.centroid() - area.normalized() * (depth * area.norm().sqrt())
    }
}

impl Node {
    /// Squared distance from a point to the box.
    #[inline]
    pub fn distance_squared(&self, p: Vec3<f64>) -> f64 {
        let mut sum = 0.0;
        for a in 0..3 {
            let d = (self.min[a] - p[a]).max(p[a] - self.max[a]).max(0.0);
            sum += d * d;
        }
        sum
    }

    pub fn triangles(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Tree {
    /// Splits the triangles; ties are broken by index, so that the tree depends on nothing but the mesh.
    pub fn new(mesh: &TriMesh) -> Self {
        let corners = |t: &[u32; 3]| t.map(|n| Vec3(mesh.points[n as usize]));
        let numbered = mesh.triangles.iter().enumerate();
        let mut triangles: Vec<Triangle> =
            numbered.map(|(i, t)| Triangle { corners: corners(t), index: i as u32 }).collect();
        let empty = Node { min: [0.0; 3], max: [0.0; 3], first: 0, count: 0, second: 0 };
        let mut nodes = vec![empty; 2 * triangles.len().div_ceil(LEAF) - 1];
        build(&mut triangles, &mut nodes, 0, 0);
        Tree { nodes, triangles }
    }
}

/// Fills `nodes`, exactly as many as the triangles need. `first` and `at` are the places of the two slices in the whole.
fn build(triangles: &mut [Triangle], nodes: &mut [Node], first: usize, at: usize) {
    let (min, max) = bounds(triangles);
    nodes[0] = Node { min, max, first: first as u32, count: triangles.len() as u32, second: 0 };
    if triangles.len() <= LEAF {
        return;
    }
    let leaves = triangles.len().div_ceil(LEAF);
    let (half, parallel) = (leaves / 2, triangles.len() > GRAIN);
    let axis = longest_side(triangles);
    let key = |t: &Triangle| t.corners[0][axis] + t.corners[1][axis] + t.corners[2][axis];
    triangles.select_nth_unstable_by(half * LEAF, |a, b| key(a).total_cmp(&key(b)).then(a.index.cmp(&b.index)));
    let (low, high) = triangles.split_at_mut(half * LEAF);
    let (own, rest) = nodes.split_at_mut(1);
    let (low_nodes, high_nodes) = rest.split_at_mut(2 * half - 1);
    let second = at + 2 * half;
    own[0].second = second as u32;
    let mut low = || build(low, low_nodes, first, at + 1);
    let mut high = || build(high, high_nodes, first + half * LEAF, second);
    if parallel {
        rayon::join(low, high);
    } else {
        low();
        high();
    }
}

fn bounds(triangles: &[Triangle]) -> ([f64; 3], [f64; 3]) {
    around(triangles.iter().flat_map(|t| t.corners))
}

/// The longest side of the box around the middles of the triangles.
fn longest_side(triangles: &[Triangle]) -> usize {
    let (min, max) = around(triangles.iter().map(Triangle::centroid));
    let side = |a: usize| max[a] - min[a];
    (1..3).fold(0, |best, a| if side(a) > side(best) { a } else { best })
}

fn around(points: impl Iterator<Item = Vec3<f64>>) -> ([f64; 3], [f64; 3]) {
    points.fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(min, max), p| {
        ([0, 1, 2].map(|a| min[a].min(p[a])), [0, 1, 2].map(|a| max[a].max(p[a])))
    })
}
