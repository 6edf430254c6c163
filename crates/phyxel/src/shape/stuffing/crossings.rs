//! Where the surface goes through the edges of the lattice.

use super::lattice::{Lattice, edge_key};
use crate::shape::TriMesh;
use crate::shape::solid::{Crossing, cross};
use rayon::prelude::*;

/// A triangle going through an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Record {
    /// The edge.
    pub key: u64,
    /// How far along it, from zero to one.
    pub fraction: f64,
    /// The triangle.
    pub triangle: u32,
    /// One where the edge goes in, minus one where it comes out.
    pub turn: i8,
}

/// The lines along one direction: `t` along them, and two coordinates `u`, `v` that are the same all along.
#[derive(Clone, Copy)]
struct View {
    direction: usize,
    /// Steps of y and z per step of x, along a diagonal.
    slope: [f64; 2],
}

/// All crossings, sorted by edge and along it. Each triangle visits only the lines through its own shadow, so that the work is that
/// of the triangles plus that of the crossings.
pub(super) fn crossings(mesh: &TriMesh, lattice: &Lattice) -> Vec<Record> {
    let places: Vec<[f64; 3]> = mesh.points.par_iter().map(|p| lattice.place(*p)).collect();
    let views: Vec<View> = (0..7).map(View::new).collect();
    let of_chunk = |(chunk, triangles): (usize, &[[u32; 3]])| {
        let mut records = Vec::new();
        for (i, t) in triangles.iter().enumerate() {
            let corners = t.map(|n| places[n as usize]);
            for view in &views {
                view.cut((chunk * CHUNK + i) as u32, corners, &mut records);
            }
        }
        records
    };
    let mut records: Vec<Record> = mesh.triangles.par_chunks(CHUNK).enumerate().flat_map_iter(of_chunk).collect();
    records.par_sort_unstable_by(|a, b| {
        a.key.cmp(&b.key).then(a.fraction.total_cmp(&b.fraction)).then(a.triangle.cmp(&b.triangle))
    });
    records
}

/// Triangles per task.
const CHUNK: usize = 512;

impl View {
    fn new(direction: usize) -> Self {
        let d = super::lattice::DIRECTIONS[direction];
        View { direction, slope: [f64::from(d[1]), f64::from(d[2])] }
    }

    /// Coordinates `t, u, v` of a place; keeps its handedness.
    #[inline]
    fn project(&self, p: [f64; 3]) -> [f64; 3] {
        match self.direction {
            0 => p,
            1 => [p[1], p[2], p[0]],
            2 => [p[2], p[0], p[1]],
            _ => [p[0], p[1] - self.slope[0] * p[0], p[2] - self.slope[1] * p[0]],
        }
    }

    /// The lattice point at `t` on the line `u, v`.
    fn point(&self, [t, u, v]: [i32; 3]) -> [i32; 3] {
        match self.direction {
            0 => [t, u, v],
            1 => [v, t, u],
            2 => [u, v, t],
            _ => [t, u + self.slope[0] as i32 * t, v + self.slope[1] as i32 * t],
        }
    }

    /// Lines along an axis have both coordinates even or both odd; those along a diagonal have them even.
    fn cut(&self, triangle: u32, corners: [[f64; 3]; 3], records: &mut Vec<Record>) {
        let flat = corners.map(|c| self.project(c));
        let diagonal = self.direction >= 3;
        let [low, high] = range(flat.map(|c| c[1]));
        let (mut u, step) = if diagonal { (even_from(low), 2.0) } else { (low.ceil(), 1.0) };
        while u <= high {
            let [first, last] = span(&flat, u);
            let odd = if diagonal { 0.0 } else { u.rem_euclid(2.0) };
            let mut v = even_from(first - odd) + odd;
            while v <= last {
                if let Some(crossing) = cross(flat, [u, v]) {
                    records.push(self.record(triangle, [u as i32, v as i32], crossing));
                }
                v += 2.0;
            }
            u += step;
        }
    }

    fn record(&self, triangle: u32, [u, v]: [i32; 2], crossing: Crossing) -> Record {
        let below = crossing.at.floor();
        // On a diagonal every integer is a lattice point, on an axis those as even or odd as the line.
        let skip = self.direction < 3 && (below as i32 ^ u) & 1 == 1;
        let t = below as i32 - i32::from(skip);
        let length = if self.direction < 3 { 2.0 } else { 1.0 };
        let fraction = ((crossing.at - f64::from(t)) / length).clamp(0.0, 1.0);
        let key = edge_key(self.point([t, u, v]), self.direction);
        Record { key, fraction, triangle, turn: crossing.turn as i8 }
    }
}

fn even_from(low: f64) -> f64 {
    2.0 * (0.5 * low).ceil()
}

fn range(values: [f64; 3]) -> [f64; 2] {
    [values[0].min(values[1]).min(values[2]), values[0].max(values[1]).max(values[2])]
}

/// Between which `v` the triangle lies at `u`, a little wider than it is; the exact test comes after.
fn span(flat: &[[f64; 3]; 3], u: f64) -> [f64; 2] {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..3 {
        let ([_, ua, va], [_, ub, vb]) = (flat[k], flat[(k + 1) % 3]);
        if (ua <= u) != (ub <= u) {
            let v = va + (vb - va) * ((u - ua) / (ub - ua));
            (low, high) = (low.min(v), high.max(v));
        } else if ua == u {
            (low, high) = (low.min(va), high.max(va));
        }
    }
    let slack = 1e-9 * (1.0 + low.abs());
    [low - slack, high + slack]
}
