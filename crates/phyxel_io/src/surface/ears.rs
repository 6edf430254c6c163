//! Polygons into triangles: fans where they are enough, ears cut off one by one where a polygon is not convex.

/// The most corners that a polygon which no fan can cut may have: the time of cutting ears grows with their square.
const MOST_CORNERS: usize = 5_000;

/// A polygon that would take too long.
#[derive(Debug)]
pub(super) struct TooManyCorners {
    pub(super) corners: usize,
    pub(super) limit: usize,
}

/// Calls `out` with the corners (places in `polygon`) of each triangle, wound as the polygon is.
pub(super) fn triangulate(
    points: &[[f64; 3]],
    polygon: &[u32],
    mut out: impl FnMut([u32; 3]),
) -> Result<(), TooManyCorners> {
    if let [_, _, _] = polygon {
        out([0, 1, 2]);
        return Ok(());
    }
    let flat = flattened(points, polygon);
    let n = flat.len();
    let fan_from = |first: usize| (1..n - 1).map(move |k| [first, (first + k) % n, (first + k + 1) % n]);
    // For four corners one of two fans is right; larger polygons that are not convex go by their ears.
    let starts = if n == 4 { 0..2 } else { 0..1 };
    if let Some(first) = starts.into_iter().find(|&s| fan_from(s).all(|t| area(t.map(|k| flat[k])) > 0.0)) {
        fan_from(first).for_each(|t| out(t.map(|k| k as u32)));
        return Ok(());
    }
    if n > MOST_CORNERS {
        return Err(TooManyCorners { corners: n, limit: MOST_CORNERS });
    }
    Clipping::new(flat).run(out);
    Ok(())
}

/// The polygon in a plane, wound to the left: the axis along which its normal (Newell's: the sum of cross products, which
/// needs no planar polygon) is longest is left out.
fn flattened(points: &[[f64; 3]], polygon: &[u32]) -> Vec<[f64; 2]> {
    let origin = points[polygon[0] as usize];
    let at = |k: usize| {
        let p = points[polygon[k % polygon.len()] as usize];
        [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]]
    };
    let mut normal = [0.0; 3];
    for k in 0..polygon.len() {
        let (p, q) = (at(k), at(k + 1));
        for i in 0..3 {
            let (u, v) = ((i + 1) % 3, (i + 2) % 3);
            normal[i] += p[u] * q[v] - p[v] * q[u];
        }
    }
    let longest = (0..3).fold(0, |best, i| if normal[i].abs() > normal[best].abs() { i } else { best });
    let (u, v) = ((longest + 1) % 3, (longest + 2) % 3);
    let (u, v) = if normal[longest] < 0.0 { (v, u) } else { (u, v) };
    (0..polygon.len()).map(|k| [at(k)[u], at(k)[v]]).collect()
}

/// Twice the area of a triangle, positive when it is wound to the left.
fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// A ring of corners that loses its ears.
struct Clipping {
    flat: Vec<[f64; 2]>,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Corners that bend to the right when last looked at: only they can lie in an ear.
    hollow: Vec<bool>,
    ear: Vec<bool>,
}

impl Clipping {
    fn new(flat: Vec<[f64; 2]>) -> Self {
        let n = flat.len();
        let next = (0..n).map(|k| (k + 1) % n).collect();
        let previous = (0..n).map(|k| (k + n - 1) % n).collect();
        let mut ring = Clipping { flat, next, previous, hollow: vec![false; n], ear: vec![false; n] };
        (0..n).for_each(|k| ring.hollow[k] = ring.bend(k) <= 0.0);
        (0..n).for_each(|k| ring.ear[k] = ring.is_ear(k));
        ring
    }

    fn bend(&self, k: usize) -> f64 {
        area([self.previous[k], k, self.next[k]].map(|k| self.flat[k]))
    }

    /// A corner that bends to the left, with no other corner in its triangle.
    fn is_ear(&self, k: usize) -> bool {
        let (before, after) = (self.previous[k], self.next[k]);
        if self.hollow[k] {
            return false;
        }
        let [a, b, c] = [before, k, after].map(|k| self.flat[k]);
        let mut other = self.next[after];
        while other != before {
            let p = self.flat[other];
            // A corner in the same place as one of the ear's own is where a slit leads to a hole: it is no obstacle.
            let same = p == a || p == b || p == c;
            let within = area([a, b, p]) >= 0.0 && area([b, c, p]) >= 0.0 && area([c, a, p]) >= 0.0;
            if self.hollow[other] && !same && within {
                return false;
            }
            other = self.next[other];
        }
        true
    }

    /// Cuts until a triangle is left. Where no ear is left (a polygon that crosses itself), the next corner goes as if it
    /// were one, so that this always ends.
    fn run(mut self, mut out: impl FnMut([u32; 3])) {
        let (mut left, mut at, mut tried) = (self.flat.len(), 0, 0);
        while left > 3 {
            if !self.ear[at] && tried <= left {
                at = self.next[at];
                tried += 1;
                continue;
            }
            let (before, after) = (self.previous[at], self.next[at]);
            out([before as u32, at as u32, after as u32]);
            self.next[before] = after;
            self.previous[after] = before;
            left -= 1;
            for k in [before, after] {
                self.hollow[k] = self.bend(k) <= 0.0;
            }
            for k in [before, after] {
                self.ear[k] = self.is_ear(k);
            }
            (at, tried) = (after, 0);
        }
        out([self.previous[at], at, self.next[at]].map(|k| k as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
        // In a tilted plane, so that no axis is special.
        let points: Vec<[f64; 3]> = outline.iter().map(|[x, y]| [*x, 2.0 * y + x, 3.0 * y - x]).collect();
        let polygon: Vec<u32> = (0..points.len() as u32).collect();
        let mut all = Vec::new();
        triangulate(&points, &polygon, |t| all.push(t)).unwrap();
        all
    }

    /// All triangles are wound like the outline, and their areas add up to its own: nothing overlaps.
    fn check(outline: &[[f64; 2]]) {
        let triangles = cut(outline);
        assert_eq!(triangles.len(), outline.len() - 2);
        let n = outline.len();
        let shoelace = |k: usize| outline[k][0] * outline[(k + 1) % n][1] - outline[k][1] * outline[(k + 1) % n][0];
        let whole: f64 = (0..n).map(shoelace).sum();
        let areas: Vec<f64> = triangles.iter().map(|t| area(t.map(|k| outline[k as usize]))).collect();
        assert!(areas.iter().all(|a| *a * whole.signum() >= -1e-12), "{areas:?}");
        assert!((areas.iter().sum::<f64>() - whole).abs() < 1e-12 * whole.abs(), "{areas:?}, {whole}");
    }

    #[test]
    fn convex_and_hollow_outlines_are_covered_once() {
        check(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 1.0]]);
        for turn in 0..4 {
            let mut arrow = vec![[0.0, 0.0], [2.0, -1.0], [0.0, 3.0], [-2.0, -1.0]];
            arrow.rotate_left(turn);
            check(&arrow);
            arrow.reverse();
            check(&arrow);
        }
        let comb = [[0., 0.], [7., 0.], [7., 3.], [6., 1.], [5., 3.], [4., 1.], [3., 3.], [2., 1.], [1., 3.], [0., 1.]];
        check(&comb);
        let spiral =
            [[0., 0.], [5., 0.], [5., 5.], [1., 5.], [1., 2.], [3., 2.], [3., 3.], [2., 3.], [2., 4.], [4., 4.]];
        check(&[&spiral[..], &[[4., 1.], [0., 1.]]].concat());
    }

    #[test]
    fn a_slit_to_a_hole_and_points_on_a_line_are_no_trouble() {
        let slit = [[0., 0.], [4., 0.], [4., 4.], [0., 4.], [0., 0.], [1., 1.], [1., 2.], [2., 2.], [2., 1.], [1., 1.]];
        check(&slit);
        check(&[[0., 0.], [1., 0.], [2., 0.], [2., 2.], [1., 1.], [0., 2.]]);
    }

    #[test]
    fn a_polygon_that_crosses_itself_still_ends() {
        assert_eq!(cut(&[[0., 0.], [1., 1.], [1., 0.], [0., 1.]]).len(), 2);
        assert_eq!(cut(&[[0.0; 2]; 7]).len(), 5);
    }
}
