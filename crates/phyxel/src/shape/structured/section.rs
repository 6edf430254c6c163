//! Flat sections in the unit disc, to be extruded.

use super::super::ShapeError;
use std::f64::consts::{PI, TAU};

/// How the round section of a torus is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TorusSection {
    /// This many triangles around a centre; three tetrahedra each per segment.
    Fan(usize),
    /// A grid of squares bent into the disc; five tetrahedra each per segment, of which there must be an even number.
    Grid(usize, usize),
    /// This many rings around a centre, ring `k` with `6 k` nodes: `6 m²` well-shaped triangles, three tetrahedra each.
    Rings(usize),
}

/// Triangles over points of the unit disc.
pub(super) struct Section {
    pub points: Vec<[f64; 2]>,
    pub triangles: Vec<[u32; 3]>,
}

/// A fan is a single ring with any number of nodes.
pub(super) fn fan(n: usize) -> Result<Section, ShapeError> {
    ShapeError::check_count("triangles of a fan section", n, 3)?;
    let mut points = vec![[0.0; 2]];
    points.extend((0..n).map(|i| on_circle(1.0, i, n)));
    let triangles = (0..n as u32).map(|i| [0, 1 + i, 1 + (i + 1) % n as u32]).collect();
    Ok(Section { points, triangles })
}

/// Concentric rings: six sectors, each a triangle divided evenly and bent to the circle.
pub(super) fn rings(m: usize) -> Result<Section, ShapeError> {
    ShapeError::check_count("rings of a section", m, 1)?;
    let mut points = vec![[0.0; 2]];
    for k in 1..=m {
        points.extend((0..6 * k).map(|i| on_circle(k as f64 / m as f64, i, 6 * k)));
    }
    let mut triangles = Vec::with_capacity(6 * m * m);
    for k in 1..=m {
        for sector in 0..6 {
            for i in 0..k {
                let (a, b) = (ring_node(k, sector * k + i), ring_node(k, sector * k + i + 1));
                let inner = ring_node(k - 1, sector * (k - 1) + i);
                triangles.push([inner, a, b]);
                if i + 1 < k {
                    triangles.push([inner, b, ring_node(k - 1, sector * (k - 1) + i + 1)]);
                }
            }
        }
    }
    Ok(Section { points, triangles })
}

/// Nodes of a section of `m` rings.
pub(crate) fn ring_node_count(m: f64) -> f64 {
    1.0 + 3.0 * m * (m + 1.0)
}

fn ring_node(k: usize, i: usize) -> u32 {
    if k == 0 { 0 } else { (1 + 3 * k * (k - 1) + i % (6 * k)) as u32 }
}

fn on_circle(radius: f64, i: usize, n: usize) -> [f64; 2] {
    let (sin, cos) = (TAU * i as f64 / n as f64).sin_cos();
    [radius * cos, radius * sin]
}

/// The area-friendly map of the square `[−1, 1]²` to the unit disc, `x √(1 − y²/2)`, `y √(1 − x²/2)`.
pub(super) fn square_to_disc(x: f64, y: f64) -> [f64; 2] {
    [x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt()]
}

/// Rings whose triangles have edges of about `size`, for a disc of the given radius.
pub(crate) fn rings_for(radius: f64, size: f64) -> f64 {
    // A ring of 6 m nodes on a circle: the edge is 2πr / 6m across and r / m along; both about r / m.
    (radius * (PI / 3.0).sqrt() / size).round().max(1.0)
}
