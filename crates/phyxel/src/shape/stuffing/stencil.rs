//! Tetrahedra of the lattice that the surface goes through, cut down to what is inside.

use super::warp::Side;
use crate::math::Vec3;
use crate::shape::quality::dihedral_cosines;

/// What the pieces of a cut tetrahedron are made from.
pub(super) trait Source {
    /// Which side a node is on.
    fn side(&self, node: u32) -> Side;
    /// The node where the edge between two neighbours is cut.
    fn cut(&self, a: u32, b: u32) -> Option<u32>;
    /// Where a node is [m].
    fn position(&self, node: u32) -> Vec3<f64>;
    /// Coordinates of a lattice point.
    fn point(&self, node: u32) -> [i32; 3];
}

/// Adds what is inside of a tetrahedron `a b c d` whose long edges are `ab` and `cd` (Labelle and Shewchuk 2007, figure 3).
pub(super) fn stuff(source: &impl Source, tet: [u32; 4], out: &mut Vec<[u32; 4]>) {
    let sides = tet.map(|n| source.side(n));
    if !sides.contains(&Side::Inside) {
        return;
    }
    if !sides.contains(&Side::Outside) {
        out.push(tet);
        return;
    }
    // A cut that is missing would leave a hole the size of a tetrahedron; the band has found them all.
    let first = out.len();
    if pieces(source, tet, sides, out).is_none() {
        out.truncate(first);
    }
    for piece in &mut out[first..] {
        let [a, b, c, d] = piece.map(|n| source.position(n));
        if (b - a).dot((c - a).cross(d - a)) < 0.0 {
            piece.swap(2, 3);
        }
    }
}

fn pieces(source: &impl Source, tet: [u32; 4], sides: [Side; 4], out: &mut Vec<[u32; 4]>) -> Option<()> {
    let (mut plus, mut zero, mut minus) = (Few::new(), Few::new(), Few::new());
    for k in 0..4 {
        match sides[k] {
            Side::Inside => plus.push(k),
            Side::On => zero.push(k),
            Side::Outside => minus.push(k),
        }
    }
    let cut = |i: usize, j: usize| source.cut(tet[i], tet[j]);
    let lower = |a: usize, b: usize, d: usize| lower(source, tet, a, b, d);
    match (plus.list(), zero.list(), minus.list()) {
        (&[a], &[y, z], &[d]) => out.push([tet[a], tet[y], tet[z], cut(a, d)?]),
        (&[a], &[z], &[c, d]) => out.push([tet[a], tet[z], cut(a, c)?, cut(a, d)?]),
        (&[a], &[], &[b, c, d]) => out.push([tet[a], cut(a, b)?, cut(a, c)?, cut(a, d)?]),
        (&[a, b], &[z], &[d]) => {
            let (a, b) = if lower(a, b, d) { (a, b) } else { (b, a) };
            let (at_a, at_b) = (cut(a, d)?, cut(b, d)?);
            out.extend([[tet[a], tet[b], at_b, tet[z]], [tet[a], at_b, at_a, tet[z]]]);
        }
        (&[a, b, c], &[], &[d]) => {
            let top = [a, b, c];
            let bottom = [cut(a, d)?, cut(b, d)?, cut(c, d)?];
            let ranks = rank([lower(a, b, d), lower(b, c, d), lower(a, c, d)])?;
            out.extend(prism(top.map(|k| tet[k]), bottom, ranks));
        }
        (&[a, b], &[], &[c, d]) => {
            let top = [tet[a], cut(a, c)?, cut(a, d)?];
            let bottom = [tet[b], cut(b, c)?, cut(b, d)?];
            // The side on the surface is nobody else's: whichever diagonal gives the better angles.
            let both = [true, false].map(|free| rank([lower(a, b, c), free, lower(a, b, d)]));
            let best = both.into_iter().flatten().map(|ranks| prism(top, bottom, ranks));
            out.extend(best.min_by(|p, q| worst(source, p).total_cmp(&worst(source, q)))?);
        }
        _ => {}
    }
    Some(())
}

/// At most four numbers.
struct Few {
    items: [usize; 4],
    len: usize,
}

impl Few {
    fn new() -> Self {
        Few { items: [0; 4], len: 0 }
    }
    fn push(&mut self, k: usize) {
        self.items[self.len] = k;
        self.len += 1;
    }
    fn list(&self) -> &[usize] {
        &self.items[..self.len]
    }
}

/// Whether the diagonal of the quadrilateral that is left of face `a b d` begins at `a` and ends on edge `b d`. It ends on the long
/// edge if that is cut. Otherwise the order of the coordinates decides, so that both tetrahedra at the face agree.
fn lower(source: &impl Source, tet: [u32; 4], a: usize, b: usize, d: usize) -> bool {
    let long = |i: usize, j: usize| i ^ j == 1;
    if long(b, d) {
        return true;
    }
    if long(a, d) {
        return false;
    }
    source.point(tet[a]) < source.point(tet[b])
}

/// Orders the three edges of a prism such that each diagonal begins at the top of the lower one and ends at the bottom of the
/// higher one. `before` says so for edges 0 and 1, 1 and 2, 0 and 2. None if they go round in a circle.
fn rank(before: [bool; 3]) -> Option<[usize; 3]> {
    match before {
        [true, true, true] => Some([0, 1, 2]),
        [true, false, true] => Some([0, 2, 1]),
        [true, false, false] => Some([2, 0, 1]),
        [false, true, true] => Some([1, 0, 2]),
        [false, true, false] => Some([1, 2, 0]),
        [false, false, false] => Some([2, 1, 0]),
        [true, true, false] | [false, false, true] => None,
    }
}

/// Three tetrahedra of a prism.
fn prism(top: [u32; 3], bottom: [u32; 3], [i, j, k]: [usize; 3]) -> [[u32; 4]; 3] {
    [
        [top[i], top[j], top[k], bottom[k]],
        [top[i], top[j], bottom[j], bottom[k]],
        [top[i], bottom[i], bottom[j], bottom[k]],
    ]
}

/// How far from good the worst angle is: the largest cosine of a dihedral angle, small angles and flat ones alike.
fn worst(source: &impl Source, tets: &[[u32; 4]]) -> f64 {
    let cosines = tets.iter().flat_map(|t| dihedral_cosines(t.map(|n| source.position(n).0)));
    cosines.map(f64::abs).fold(0.0, f64::max)
}
