//! The generalised winding number, far parts of the surface replaced by three of their moments.

use super::tree::{Node, Tree, Triangle};
use crate::math::Vec3;
use std::f64::consts::PI;

/// A part of the surface is far when its distance is this many times its radius, as in Barill et al. 2018: with three moments the error
/// then stays below 0.01.
const FAR: f64 = 2.0;

/// Moments of a part of the surface about its middle (Barill et al. 2018, section 3.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expansion {
    centre: Vec3<f64>,
    /// Squared distance beyond which the moments are good enough.
    far_squared: f64,
    /// `∫ n dA`.
    dipole: Vec3<f64>,
    /// `∫ (x − centre) nᵀ dA`, symmetrised: `xx, yy, zz, xy, yz, zx`.
    quadrupole: [f64; 6],
    /// `½ ∫ (x − centre) (x − centre)ᵀ ⊗ n dA`, symmetrised, in the order of [`TRIPLES`].
    octupole: [f64; 10],
}

/// Components of a symmetric tensor of third order.
const TRIPLES: [[usize; 3]; 10] =
    [[0, 0, 0], [1, 1, 1], [2, 2, 2], [0, 0, 1], [0, 0, 2], [1, 1, 0], [1, 1, 2], [2, 2, 0], [2, 2, 1], [0, 1, 2]];

/// Moments of every node, children before parents.
pub(crate) fn expansions(tree: &Tree) -> Vec<Expansion> {
    let mut all = vec![Expansion::default(); tree.nodes.len()];
    let mut areas = vec![0.0; tree.nodes.len()];
    for i in (0..tree.nodes.len()).rev() {
        let node = &tree.nodes[i];
        if node.second == 0 {
            (all[i], areas[i]) = of_leaf(&tree.triangles[node.triangles()], node);
        } else {
            let children = [i + 1, node.second as usize];
            let parts = children.map(|c| (all[c], areas[c]));
            (all[i], areas[i]) = merged(parts, node);
        }
    }
    all
}

fn of_leaf(triangles: &[Triangle], node: &Node) -> (Expansion, f64) {
    let areas = triangles.iter().map(|t| (t.area_vector().norm(), t.centroid()));
    let (area, centre) = middle(areas, node);
    let mut e = Expansion { centre, far_squared: far_squared(centre, node), ..Expansion::default() };
    for t in triangles {
        let corners = t.corners.map(|c| c - centre);
        let (normal, offset) = (t.area_vector(), t.centroid() - centre);
        e.add(normal, offset);
        // The mean of x xᵀ over a triangle: that of its corners and nine times that of its middle, over twelve.
        let mean = |i: usize, j: usize| {
            (corners.iter().map(|c| c[i] * c[j]).sum::<f64>() + 9.0 * offset[i] * offset[j]) / 12.0
        };
        e.add_octupole(|i, j, k| mean(i, j) * normal[k] / 6.0);
    }
    (e, area)
}

fn merged(parts: [(Expansion, f64); 2], node: &Node) -> (Expansion, f64) {
    let (area, centre) = middle(parts.iter().map(|(e, area)| (*area, e.centre)), node);
    let mut e = Expansion { centre, far_squared: far_squared(centre, node), ..Expansion::default() };
    for (part, _) in parts {
        let offset = part.centre - centre;
        e.add(part.dipole, offset);
        for k in 0..6 {
            e.quadrupole[k] += part.quadrupole[k];
        }
        for k in 0..10 {
            e.octupole[k] += part.octupole[k];
        }
        let quadrupole = |i: usize, j: usize| part.quadrupole[if i == j { i } else { 3 + PAIRS[i + j] }];
        e.add_octupole(|i, j, k| quadrupole(i, j) * offset[k] / 3.0 + offset[i] * offset[j] * part.dipole[k] / 6.0);
    }
    (e, area)
}

/// From the sum of two different axes to the place of their pair: xy, yz, zx.
const PAIRS: [usize; 4] = [0, 0, 2, 1];

/// The sum of the areas and their centre; the middle of the box when there is no area.
fn middle(parts: impl Iterator<Item = (f64, Vec3<f64>)>, node: &Node) -> (f64, Vec3<f64>) {
    let (area, moment) = parts.fold((0.0, Vec3::zero()), |(sum, moment), (area, c)| (sum + area, moment + c * area));
    let centre = moment * (1.0 / area);
    if centre.is_finite() { (area, centre) } else { (area, (Vec3(node.min) + Vec3(node.max)) * 0.5) }
}

fn far_squared(centre: Vec3<f64>, node: &Node) -> f64 {
    let reach = [0, 1, 2].map(|a| (centre[a] - node.min[a]).max(node.max[a] - centre[a]));
    FAR * FAR * Vec3(reach).norm_squared()
}

impl Expansion {
    /// Adds a part with a given `∫ n dA` around `offset` from the centre.
    fn add(&mut self, dipole: Vec3<f64>, offset: Vec3<f64>) {
        self.dipole += dipole;
        for a in 0..3 {
            let b = (a + 1) % 3;
            self.quadrupole[a] += offset[a] * dipole[a];
            self.quadrupole[3 + a] += 0.5 * (offset[a] * dipole[b] + offset[b] * dipole[a]);
        }
    }

    /// Adds `term(i, j, k) + term(j, k, i) + term(k, i, j)`, where `term` is symmetric in its first two axes.
    fn add_octupole(&mut self, term: impl Fn(usize, usize, usize) -> f64) {
        for (sum, [i, j, k]) in self.octupole.iter_mut().zip(TRIPLES) {
            *sum += term(i, j, k) + term(j, k, i) + term(k, i, j);
        }
    }

    /// `∫ (x − p)·n / |x − p|³ dA` to third order, `d` from `p` to the centre (Barill et al. 2018, eq. 10–12).
    #[inline]
    fn solid_angle(&self, d: Vec3<f64>, squared: f64) -> f64 {
        let [xx, yy, zz, xy, yz, zx] = self.quadrupole;
        let [x, y, z] = d.0;
        let inverse = 1.0 / squared;
        let around = x * x * xx + y * y * yy + z * z * zz + 2.0 * (x * y * xy + y * z * yz + z * x * zx);
        let [xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz] = self.octupole;
        let trace = x * (xxx + yyx + zzx) + y * (xxy + yyy + zzy) + z * (xxz + yyz + zzz);
        let cubes = x * x * (x * xxx + 3.0 * (y * xxy + z * xxz))
            + y * y * (y * yyy + 3.0 * (x * yyx + z * yyz))
            + z * z * (z * zzz + 3.0 * (x * zzx + y * zzy))
            + 6.0 * x * y * z * xyz;
        let third = (15.0 * cubes * inverse - 9.0 * trace) * inverse;
        (self.dipole.dot(d) + (xx + yy + zz) - 3.0 * around * inverse + third) * inverse * inverse.sqrt()
    }
}

/// The winding number around `p`.
pub(crate) fn at(tree: &Tree, expansions: &[Expansion], p: Vec3<f64>) -> f64 {
    let (mut sum, mut i) = (0.0, 0);
    let mut stack = [0u32; 64];
    let mut depth = 0;
    loop {
        let (node, e) = (&tree.nodes[i], &expansions[i]);
        let d = e.centre - p;
        let squared = d.norm_squared();
        if squared > e.far_squared {
            sum += e.solid_angle(d, squared);
        } else if node.second == 0 {
            sum += tree.triangles[node.triangles()].iter().map(|t| solid_angle(t, p)).sum::<f64>();
        } else {
            stack[depth] = node.second;
            depth += 1;
            i += 1;
            continue;
        }
        if depth == 0 {
            return sum / (4.0 * PI);
        }
        depth -= 1;
        i = stack[depth] as usize;
    }
}

/// The solid angle of a triangle seen from `p`, positive from behind (Van Oosterom and Strackee 1983, eq. 8).
pub(crate) fn solid_angle(triangle: &Triangle, p: Vec3<f64>) -> f64 {
    let [a, b, c] = triangle.corners.map(|corner| corner - p);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(b.cross(c));
    let scale = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    // On the triangle itself either side would do; none is taken.
    if volume == 0.0 { 0.0 } else { 2.0 * volume.atan2(scale) }
}
