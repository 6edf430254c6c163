//! The cells of a coarse grid over bodies, and fields between their corners.

use crate::math::{Real, Vec3};
use crate::par;
use crate::stencil::incidence::Incidence;
use std::collections::BTreeMap;
use std::ops::Range;

/// Says that a node lies in no cell.
pub const NONE: u32 = u32::MAX;

/// Cells that hold nodes, numbered over all bodies; every body has corners of its own.
#[derive(Clone, Debug, Default)]
pub struct Cells<R> {
    /// The corners of each cell; bit `k` of a corner's place in the list is its side along axis `k`.
    pub corners: Vec<[u32; 8]>,
    /// One over the edge of each cell [1/m].
    pub inverse_edges: Vec<R>,
    /// The nodes that lie in cells, and which of them each cell holds.
    inside: Vec<u32>,
    held: Incidence,
    /// Where each node is: its cell and its place in it, from zero to one.
    places: Vec<(u32, Vec3<R>)>,
    /// Where each corner stands in `corners`.
    around: Incidence,
}

/// A body and the edge of its cells [m].
pub struct Covered {
    /// Its nodes.
    pub nodes: Range<usize>,
    /// Edge of its cells [m].
    pub edge: f64,
}

impl<R: Real> Cells<R> {
    /// Covers bodies with cells; nodes of other bodies are in none.
    pub fn new(positions: &[Vec3<R>], bodies: &[Covered]) -> Self {
        let mut cells = Cells { places: vec![(NONE, Vec3::zero()); positions.len()], ..Cells::default() };
        let mut corners = 0u32;
        for body in bodies {
            cells.cover(positions, body, &mut corners);
        }
        cells.inside = (0..positions.len() as u32).filter(|n| cells.places[*n as usize].0 != NONE).collect();
        let cell_of: Vec<u32> = cells.inside.iter().map(|n| cells.places[*n as usize].0).collect();
        cells.held = Incidence::new(&cell_of, 0..cells.corners.len());
        cells.around = Incidence::new(cells.corners.as_flattened(), 0..corners as usize);
        cells
    }

    fn cover(&mut self, positions: &[Vec3<R>], body: &Covered, corners: &mut u32) {
        let nodes = &positions[body.nodes.clone()];
        let low: [f64; 3] = std::array::from_fn(|k| nodes.iter().map(|x| x.0[k].to_f64()).fold(f64::MAX, f64::min));
        let (mut cell_of, mut corner_of) = (BTreeMap::new(), BTreeMap::new());
        for n in body.nodes.clone() {
            // Half a cell of margin: the grid's planes are not where a lattice of nodes has its own.
            let at: [f64; 3] = std::array::from_fn(|k| (positions[n].0[k].to_f64() - low[k]) / body.edge + 0.5);
            let key = at.map(|a| a.floor() as i64);
            let cell = *cell_of.entry(key).or_insert_with(|| {
                self.corners.push(std::array::from_fn(|c| {
                    let corner: [i64; 3] = std::array::from_fn(|k| key[k] + (c >> k & 1) as i64);
                    *corner_of.entry(corner).or_insert_with(|| {
                        *corners += 1;
                        *corners - 1
                    })
                }));
                self.inverse_edges.push(R::of(1.0 / body.edge));
                self.corners.len() as u32 - 1
            });
            self.places[n] = (cell, Vec3::of(std::array::from_fn(|k| at[k] - key[k] as f64)));
        }
    }

    /// How many corners there are.
    pub fn corner_count(&self) -> usize {
        self.around.nodes().len()
    }

    /// The nodes of a cell.
    pub fn nodes(&self, cell: usize) -> impl Iterator<Item = usize> {
        let places = &self.held.entries()[self.held.run(cell)];
        places.iter().map(|k| self.inside[*k as usize] as usize)
    }

    /// The cells around a corner, and which corner of theirs it is.
    pub fn around(&self, corner: usize) -> impl Iterator<Item = (usize, usize)> {
        self.around.entries()[self.around.run(corner)].iter().map(|k| (*k as usize / 8, *k as usize % 8))
    }

    /// How much of each corner's value a node has.
    pub fn shares(&self, node: usize) -> [R; 8] {
        shares(self.places[node].1)
    }

    /// The gradients of the shares at a node [1/m].
    pub fn gradients(&self, node: usize) -> [Vec3<R>; 8] {
        let (cell, at) = self.places[node];
        let scale = self.inverse_edges[cell as usize];
        let side = |c: usize, k: usize| if c >> k & 1 == 1 { at.0[k] } else { R::one() - at.0[k] };
        let slope = |c: usize, k: usize| if c >> k & 1 == 1 { scale } else { -scale };
        std::array::from_fn(|c| {
            Vec3([
                slope(c, 0) * side(c, 1) * side(c, 2),
                side(c, 0) * slope(c, 1) * side(c, 2),
                side(c, 0) * side(c, 1) * slope(c, 2),
            ])
        })
    }

    /// What nodes hand to corners: the transpose of [`Cells::spread`].
    pub fn collect(&self, field: &[Vec3<R>], sums: &mut Vec<[Vec3<R>; 8]>, out: &mut [Vec3<R>]) {
        sums.resize(self.corners.len(), [Vec3::zero(); 8]);
        par::chunks(sums, 8, |start, chunk| {
            for (i, sums) in chunk.iter_mut().enumerate() {
                *sums = [Vec3::zero(); 8];
                for n in self.nodes(start + i) {
                    let (shares, value) = (self.shares(n), field[n]);
                    sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += value * share);
                }
            }
        });
        par::for_each(out, |v, out| {
            let parts = self.around(v).map(|(c, k)| sums[c][k]);
            *out = parts.fold(Vec3::zero(), |a, b| a + b);
        });
    }

    /// Adds the field of corners to that of nodes.
    pub fn spread(&self, of_corners: &[Vec3<R>], out: &mut [Vec3<R>]) {
        par::for_each(out, |n, out| {
            let Some(&(cell, at)) = self.places.get(n).filter(|p| p.0 != NONE) else { return };
            let corners = &self.corners[cell as usize];
            for (share, &corner) in shares(at).into_iter().zip(corners) {
                *out += of_corners[corner as usize] * share;
            }
        });
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.corners[..])
            + size_of_val(&self.inverse_edges[..])
            + size_of_val(&self.inside[..])
            + size_of_val(&self.places[..])
            + self.held.memory_bytes()
            + self.around.memory_bytes()
    }
}

#[inline(always)]
fn shares<R: Real>(at: Vec3<R>) -> [R; 8] {
    let [x, y, z] = at.0.map(|a| [R::one() - a, a]);
    std::array::from_fn(|c| x[c & 1] * y[c >> 1 & 1] * z[c >> 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered() -> Vec<Vec3<f64>> {
        let part = |i: usize, k: f64| (i as f64 * k).fract();
        (0..400).map(|i| Vec3([part(i, 0.618), part(i, 0.754), part(i, 0.569)])).collect()
    }

    #[test]
    fn linear_fields_pass_through_the_grid_and_gradients_are_theirs() {
        let nodes = scattered();
        let cells = Cells::new(&nodes, &[Covered { nodes: 0..400, edge: 0.3 }]);
        // The places of the corners, from those of the nodes of one cell each.
        let mut corners = vec![Vec3::zero(); cells.corner_count()];
        for (c, list) in cells.corners.iter().enumerate() {
            let n = cells.nodes(c).next().expect("a cell holds a node");
            for (k, &v) in list.iter().enumerate() {
                let offset = Vec3(std::array::from_fn(|a| (k >> a & 1) as f64 - cells.places[n].1.0[a])) * 0.3;
                corners[v as usize] = nodes[n] + offset;
            }
        }
        let mut back = vec![Vec3::zero(); 400];
        cells.spread(&corners, &mut back);
        assert!(nodes.iter().zip(&back).all(|(a, b)| (*a - *b).norm() < 1e-12));
        for n in [0, 17, 399] {
            let list = &cells.corners[cells.places[n].0 as usize];
            let terms = cells.gradients(n).into_iter().zip(list).map(|(g, &v)| g * corners[v as usize].0[1]);
            let slope = terms.fold(Vec3::zero(), |a, b| a + b);
            assert!((slope - Vec3([0.0, 1.0, 0.0])).norm() < 1e-12, "{slope:?}");
        }
    }

    #[test]
    fn collecting_is_the_transpose_of_spreading() {
        let nodes = scattered();
        let bodies = [Covered { nodes: 0..150, edge: 0.4 }, Covered { nodes: 200..400, edge: 0.25 }];
        let cells = Cells::new(&nodes, &bodies);
        let of_corners: Vec<_> = (0..cells.corner_count()).map(|v| nodes[v % 400] * (1.0 + v as f64)).collect();
        let (mut sums, mut collected) = (Vec::new(), vec![Vec3::zero(); cells.corner_count()]);
        cells.collect(&nodes, &mut sums, &mut collected);
        let mut spread = vec![Vec3::zero(); 400];
        cells.spread(&of_corners, &mut spread);
        let dot = |a: &[Vec3<f64>], b: &[Vec3<f64>]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let (here, there) = (dot(&collected, &of_corners), dot(&nodes, &spread));
        assert!((here - there).abs() < 1e-12 * here.abs(), "{here} {there}");
        assert!(spread[150..200].iter().all(|v| *v == Vec3::zero()), "the nodes of no body");
    }
}
