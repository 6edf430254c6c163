//! A faint chequered pattern that is fixed to the matter, so that twisting and stretching can be seen.

use crate::picture::DARKER;
use crate::view::V;

/// The pattern, over positions in the first frame.
#[derive(Clone, Debug)]
pub(super) struct Checker {
    axes: [V; 3],
    /// The middle, along the axes [m].
    origin: [f64; 3],
    /// Cells per metre along each axis.
    frequency: [f64; 3],
}

/// Cells along the longest side.
const CELLS: f64 = 6.0;
/// Triangles that are asked for the direction of flat sides.
const CANDIDATES: usize = 48;

impl Checker {
    /// A pattern for a body that begins with these points [m] and triangles.
    ///
    /// It lies along the flat sides of a body that has some, and otherwise along the axes of the world. Each axis has an
    /// even number of cells with one cell's middle at the centre, so that no flat side of the body lies where two cells
    /// meet, where rounding would decide the colour.
    pub(super) fn over(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let axes = sides(points, triangles);
        let along = |p: &[f64; 3]| axes.map(|axis| axis.dot(V::of(*p)));
        let placed: Vec<[f64; 3]> = points.iter().map(along).collect();
        let (low, high) = super::body::bounds(&placed);
        let side = [0, 1, 2].map(|k| (high[k] - low[k]).max(0.0));
        let cell = side.iter().copied().fold(1e-9, f64::max) / CELLS;
        let even = |s: f64| 2.0 * (s / (2.0 * cell)).round().max(1.0);
        Checker {
            axes,
            origin: [0, 1, 2].map(|k| (low[k] + high[k]) / 2.0),
            frequency: side.map(|s| if s > 1e-3 * cell { even(s) / s } else { 0.0 }),
        }
    }

    /// Coordinates in cells of the matter that began at `rest` [m].
    pub(super) fn coordinates(&self, rest: [f64; 3]) -> [f32; 3] {
        [0, 1, 2].map(|k| ((self.axes[k].dot(V::of(rest)) - self.origin[k]) * self.frequency[k] + 0.5) as f32)
    }

    /// The body's colour at the matter that began at `rest` [m].
    pub(super) fn colour(&self, base: [f32; 3], rest: [f64; 3]) -> [f32; 3] {
        let odd = self.coordinates(rest).iter().fold(0, |parity, c| parity ^ c.floor() as i64) & 1 == 1;
        if odd { base.map(|c| DARKER * c) } else { base }
    }
}

/// Three directions at right angles: those in which most flat area faces, or the axes of the world.
fn sides(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> [V; 3] {
    let world = [V::new(1.0, 0.0, 0.0), V::new(0.0, 1.0, 0.0), V::new(0.0, 0.0, 1.0)];
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| V::of(points[v as usize]));
        (b - a).cross(c - a)
    };
    let normals: Vec<V> = triangles.iter().map(area).filter(|n| n.is_finite()).collect();
    let total: f64 = normals.iter().map(|n| n.norm()).sum();
    let facing = |d: V| normals.iter().filter(|n| n.dot(d).abs() > 0.999 * n.norm()).map(|n| n.norm()).sum::<f64>();
    let stride = normals.len().div_ceil(CANDIDATES).max(1);
    let candidates: Vec<V> = normals.iter().step_by(stride).map(|n| n.normalized()).collect();
    let best = |fits: &dyn Fn(&V) -> bool| {
        let fitting = candidates.iter().filter(|d| d.norm_squared() > 0.5 && fits(d)).map(|d| (*d, facing(*d)));
        // Sixteenths of the whole count, so that nearly equal sides are not chosen by rounding.
        let share = |area: f64| (16.0 * area / total).round() as i64;
        fitting
            .filter(|(_, area)| *area > 0.1 * total)
            .max_by_key(|(d, area)| (share(*area), (d[1].abs() * 1e6) as i64))
    };
    let Some((first, _)) = best(&|_| true) else { return world };
    let Some((second, _)) = best(&|d| d.dot(first).abs() < 0.02) else { return world };
    let second = (second - first * second.dot(first)).normalized();
    [second, first, second.cross(first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners and the sides of a box, turned by `angle` about z.
    fn block(size: [f64; 3], angle: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let (s, c) = angle.sin_cos();
        let corner = |k: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { size[axis] } else { 0.0 });
            [c * x - s * y, s * x + c * y, z]
        };
        let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let halves = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        ((0..8).map(corner).collect(), halves)
    }

    #[test]
    fn flat_sides_are_stable_and_both_colours_occur() {
        let (points, triangles) = block([1.0, 0.25, 0.25], 0.0);
        let checker = Checker::over(&points, &triangles);
        let shade = |p: [f64; 3]| checker.colour([1.0; 3], p)[0];
        for (y, z) in [(0.02, 0.03), (0.13, 0.2)] {
            assert_eq!(shade([1.0 - 1e-7, y, z]), shade([1.0 + 1e-7, y, z]));
        }
        let row: Vec<f32> = (0..100).map(|i| shade([i as f64 / 100.0, 0.1, 0.25])).collect();
        assert!(row.contains(&1.0) && row.contains(&DARKER));
    }

    #[test]
    fn the_pattern_lies_along_the_sides_of_a_turned_box() {
        let (points, triangles) = block([1.0, 0.5, 0.25], 0.6);
        let axes = Checker::over(&points, &triangles).axes;
        for normal in [V::new(0.6_f64.cos(), 0.6_f64.sin(), 0.0), V::new(0.0, 0.0, 1.0)] {
            let nearest = axes.iter().map(|a| a.dot(normal).abs()).fold(0.0, f64::max);
            assert!(nearest > 1.0 - 1e-9, "{axes:?}");
        }
    }

    #[test]
    fn a_body_without_flat_sides_has_the_axes_of_the_world() {
        let points: Vec<[f64; 3]> =
            (0..60).map(|i| [(i as f64).sin(), (1.7 * i as f64).cos(), (0.3 * i as f64).sin()]).collect();
        let triangles: Vec<[u32; 3]> = (0..58).map(|i| [i, i + 1, i + 2]).collect();
        assert_eq!(sides(&points, &triangles)[1], V::new(0.0, 1.0, 0.0));
        assert_eq!(sides(&[], &[])[0], V::new(1.0, 0.0, 0.0));
    }
}
