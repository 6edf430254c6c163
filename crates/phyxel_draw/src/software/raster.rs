//! From triangles, balls, rods and discs to pixels.

use crate::picture::RIM;
use crate::view::{Projected, V, View};
use std::ops::Range;

/// What a body shows at a pixel.
#[derive(Clone, Copy)]
pub(crate) struct Surface {
    /// Outward unit normal.
    pub normal: V,
    /// Colour, linear.
    pub colour: [f32; 3],
}

/// Where fragments go; nearer ones win.
pub(crate) trait Sink {
    /// [pixels]
    fn width(&self) -> usize;
    /// The rows that it has.
    fn rows(&self) -> Range<usize>;
    /// Offers a fragment; `surface` is only called for one that is seen.
    fn put(&mut self, x: usize, y: usize, depth: f64, surface: impl FnOnce() -> Surface);
}

/// The pixels whose centres may lie between `low` and `high`, within `range`.
fn span(low: f64, high: f64, range: &Range<usize>) -> Range<usize> {
    let clamp = |c: f64| c.clamp(range.start as f64, range.end as f64) as usize;
    clamp((low - 0.5).ceil())..clamp((high + 0.5).ceil())
}

/// Fills a triangle; `surface` takes the weights of the corners, which are straight in space.
pub(super) fn triangle(sink: &mut impl Sink, corners: [Projected; 3], surface: impl Fn([f64; 3]) -> Surface) {
    let [a, b, c] = corners;
    let edge = |p: Projected, q: Projected, x: f64, y: f64| (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
    let area = edge(a, b, c.x, c.y);
    if area.abs() < 1e-12 {
        return;
    }
    let columns = span(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), &(0..sink.width()));
    for py in span(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), &sink.rows()) {
        for px in columns.clone() {
            let (x, y) = (px as f64 + 0.5, py as f64 + 0.5);
            let flat = [edge(b, c, x, y) / area, edge(c, a, x, y) / area, edge(a, b, x, y) / area];
            if flat.iter().any(|&weight| weight < 0.0) {
                continue;
            }
            let scaled = [0, 1, 2].map(|k| flat[k] * corners[k].weight);
            let total = scaled.iter().sum::<f64>();
            let weights = scaled.map(|weight| weight / total);
            let depth = (0..3).map(|k| weights[k] * corners[k].depth).sum();
            sink.put(px, py, depth, || surface(weights));
        }
    }
}

/// Draws a ball: a disc with the depth and normals of a sphere.
pub(super) fn ball(sink: &mut impl Sink, view: &View, centre: V, radius: f64, colour: [f32; 3]) {
    let Some(at) = view.project(centre) else { return };
    let pixels = radius * view.pixels_per_metre(&at);
    for py in span(at.y - pixels, at.y + pixels, &sink.rows()) {
        for px in span(at.x - pixels, at.x + pixels, &(0..sink.width())) {
            let (u, v) = ((px as f64 + 0.5 - at.x) / pixels, (at.y - py as f64 - 0.5) / pixels);
            let rest = 1.0 - u * u - v * v;
            if rest < 0.0 {
                continue;
            }
            let towards = rest.sqrt();
            sink.put(px, py, at.depth - radius * towards, || Surface { normal: view.direction(u, v, towards), colour });
        }
    }
}

/// Draws a rod with round ends: at each pixel, the ball around the nearest point of its axis.
pub(super) fn rod(sink: &mut impl Sink, view: &View, ends: [V; 2], radius: f64, colour: [f32; 3]) {
    let [Some(a), Some(b)] = ends.map(|p| view.project(p)) else { return };
    let [ra, rb] = [a, b].map(|p| radius * view.pixels_per_metre(&p));
    let reach = ra.max(rb);
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let length_squared = (dx * dx + dy * dy).max(1e-12);
    let columns = span(a.x.min(b.x) - reach, a.x.max(b.x) + reach, &(0..sink.width()));
    for py in span(a.y.min(b.y) - reach, a.y.max(b.y) + reach, &sink.rows()) {
        for px in columns.clone() {
            let (x, y) = (px as f64 + 0.5, py as f64 + 0.5);
            let t = (((x - a.x) * dx + (y - a.y) * dy) / length_squared).clamp(0.0, 1.0);
            let pixels = ra + t * (rb - ra);
            let (u, v) = ((x - a.x - t * dx) / pixels, (a.y + t * dy - y) / pixels);
            let rest = 1.0 - u * u - v * v;
            if rest < 0.0 {
                continue;
            }
            let depth = 1.0 / (1.0 / a.depth + t * (1.0 / b.depth - 1.0 / a.depth)) - radius * rest.sqrt();
            sink.put(px, py, depth, || Surface { normal: view.direction(u, v, rest.sqrt()), colour });
        }
    }
}

/// Draws an elliptic disc with the given half axes; its rim is a little deeper than its middle, so that overlapping discs
/// meet half way (see [`RIM`]).
pub(super) fn disc(sink: &mut impl Sink, view: &View, centre: V, axes: [V; 2], surface: Surface) {
    let Some(at) = view.project(centre) else { return };
    let squares = axes.map(|a| a.norm_squared());
    if squares.iter().any(|s| s.is_nan() || *s <= 0.0) {
        return;
    }
    let reach = squares[0].max(squares[1]).sqrt();
    // A disc that leans towards the eye is seen a little larger than one at its centre's depth.
    let pixels = 1.1 * reach * view.pixels_per_metre(&at) + 1.0;
    for py in span(at.y - pixels, at.y + pixels, &sink.rows()) {
        for px in span(at.x - pixels, at.x + pixels, &(0..sink.width())) {
            let (from, along) = view.ray(px as f64 + 0.5, py as f64 + 0.5);
            let depth = (centre - from).dot(surface.normal) / along.dot(surface.normal);
            let arm = from + along * depth - centre;
            let off = [0, 1].map(|k: usize| arm.dot(axes[k]) / squares[k]);
            let square = off[0] * off[0] + off[1] * off[1];
            if depth > 0.0 && square <= 1.0 {
                sink.put(px, py, depth + f64::from(RIM) * reach * square, || surface);
            }
        }
    }
}
