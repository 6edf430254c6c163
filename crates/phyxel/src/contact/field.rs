//! A closed surface as a sparse distance field: exact distances on a fine grid near the surface, on a coarse one elsewhere.

use super::form::Probe;
use crate::math::Vec3;
use crate::shape::Solid;
use rayon::prelude::*;

/// Fine cells along the edge of a block.
const CELLS: usize = 4;
/// Samples along the edge of a block, both ends included, so that each block is read alone.
const SAMPLES: usize = CELLS + 1;
/// Fine cells along the longest side of a surface, unless asked otherwise.
const DEFAULT_RESOLUTION: f64 = 64.0;
/// A block that is coarse.
const COARSE: u32 = u32::MAX;

/// Distances to a surface, negative inside, on a grid of blocks; those that the surface passes are sampled finely.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceField {
    origin: Vec3<f64>,
    cell: f64,
    blocks: [usize; 3],
    /// Distances at the corners of blocks [m].
    corners: Vec<f64>,
    /// Where the samples of each block begin, in blocks.
    fine: Vec<u32>,
    samples: Vec<[f64; SAMPLES * SAMPLES * SAMPLES]>,
}

impl DistanceField {
    /// Samples a solid with cells of this size [m]; `None` for a 64th of its longest side.
    pub fn new(solid: &Solid, cell: Option<f64>) -> Self {
        let (min, max) = solid.bounds();
        let longest = (0..3).map(|a| max[a] - min[a]).fold(0.0, f64::max);
        let cell = cell.unwrap_or(longest / DEFAULT_RESOLUTION).max(longest / 1024.0);
        let block = cell * CELLS as f64;
        // A block of air all around, so that the gradient is known wherever the surface is touched.
        let origin = Vec3(min) - Vec3([block; 3]);
        let blocks = [0, 1, 2].map(|a| ((max[a] - min[a]) / block).ceil() as usize + 2);
        let [cx, cy, cz] = blocks.map(|b| b + 1);
        let corner = |i: usize| Vec3([i % cx, i / cx % cy, i / (cx * cy)].map(|k| k as f64 * block)) + origin;
        let corners: Vec<f64> = (0..cx * cy * cz).into_par_iter().map(|i| solid.signed_distance(corner(i).0)).collect();
        let mut field = DistanceField { origin, cell, blocks, corners, fine: Vec::new(), samples: Vec::new() };
        let near: Vec<usize> = (0..blocks.iter().product()).filter(|&b| field.is_near(b, block)).collect();
        field.fine = vec![COARSE; blocks.iter().product()];
        near.iter().enumerate().for_each(|(i, &b)| field.fine[b] = i as u32);
        field.samples = near.par_iter().map(|&b| field.sample(solid, b)).collect();
        field
    }

    /// The block at an index, as places along the axes.
    fn place(&self, block: usize) -> [usize; 3] {
        let [bx, by, _] = self.blocks;
        [block % bx, block / bx % by, block / (bx * by)]
    }

    /// Whether the surface, or a path that a step might look at closely, may pass a block.
    fn is_near(&self, block: usize, size: f64) -> bool {
        let place = self.place(block);
        let nearest = (0..8).map(|k| self.corner(place, k).abs()).fold(f64::INFINITY, f64::min);
        nearest < size * 3.0_f64.sqrt()
    }

    fn corner(&self, place: [usize; 3], k: usize) -> f64 {
        let [cx, cy, _] = self.blocks.map(|b| b + 1);
        self.corners[((place[2] + (k >> 2)) * cy + place[1] + (k >> 1 & 1)) * cx + place[0] + (k & 1)]
    }

    fn sample(&self, solid: &Solid, block: usize) -> [f64; SAMPLES * SAMPLES * SAMPLES] {
        let place = self.place(block);
        std::array::from_fn(|i| {
            let within = [i % SAMPLES, i / SAMPLES % SAMPLES, i / (SAMPLES * SAMPLES)];
            let at = [0, 1, 2].map(|a| self.origin[a] + (place[a] * CELLS + within[a]) as f64 * self.cell);
            solid.signed_distance(at)
        })
    }

    /// The length of a fine cell [m].
    pub fn detail(&self) -> f64 {
        self.cell
    }

    /// No point of the solid is farther from the origin than this [m].
    pub fn reach(&self) -> f64 {
        let size = self.blocks.map(|b| b as f64 * CELLS as f64 * self.cell);
        Vec3([0, 1, 2].map(|a| self.origin[a].abs().max((self.origin[a] + size[a]).abs()))).norm()
    }

    /// Distance, interpolated, and the gradient of that interpolation.
    pub fn probe(&self, p: Vec3<f64>) -> Probe {
        let size = self.blocks.map(|b| b as f64 * CELLS as f64 * self.cell);
        let local = p - self.origin;
        let outside = Vec3([0, 1, 2].map(|a| local[a] - local[a].clamp(0.0, size[a])));
        let distance = outside.norm();
        if distance > 0.0 || !distance.is_finite() {
            // The surface is at least a block of air away from here.
            let normal = if distance.is_finite() { outside * (1.0 / distance) } else { Vec3([0.0, 1.0, 0.0]) };
            return Probe { distance: distance + self.cell, normal };
        }
        let block = self.cell * CELLS as f64;
        let place: [usize; 3] = std::array::from_fn(|a| ((local[a] / block) as usize).min(self.blocks[a] - 1));
        let index = (place[2] * self.blocks[1] + place[1]) * self.blocks[0] + place[0];
        let within = Vec3([0, 1, 2].map(|a| local[a] - place[a] as f64 * block));
        if self.fine[index] == COARSE {
            return trilinear(std::array::from_fn(|k| self.corner(place, k)), within * (1.0 / block), block);
        }
        let samples = &self.samples[self.fine[index] as usize];
        let cell: [usize; 3] = std::array::from_fn(|a| ((within[a] / self.cell) as usize).min(CELLS - 1));
        let value = |k: usize| {
            let [x, y, z] = [cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2)];
            samples[(z * SAMPLES + y) * SAMPLES + x]
        };
        let part = Vec3([0, 1, 2].map(|a| within[a] / self.cell - cell[a] as f64));
        trilinear(std::array::from_fn(value), part, self.cell)
    }
}

/// Interpolates between the corners of a cube, `x` fastest, at a place given in parts of its edge `size`.
fn trilinear(c: [f64; 8], Vec3([x, y, z]): Vec3<f64>, size: f64) -> Probe {
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let along_x: [f64; 4] = std::array::from_fn(|k| mix(c[2 * k], c[2 * k + 1], x));
    let distance = mix(mix(along_x[0], along_x[1], y), mix(along_x[2], along_x[3], y), z);
    let slope_x: [f64; 4] = std::array::from_fn(|k| c[2 * k + 1] - c[2 * k]);
    let gradient = Vec3([
        mix(mix(slope_x[0], slope_x[1], y), mix(slope_x[2], slope_x[3], y), z),
        mix(along_x[1] - along_x[0], along_x[3] - along_x[2], z),
        mix(along_x[2], along_x[3], y) - mix(along_x[0], along_x[1], y),
    ]) * (1.0 / size);
    let steepness = gradient.norm();
    let normal = if steepness > 1e-9 { gradient * (1.0 / steepness) } else { Vec3([0.0, 1.0, 0.0]) };
    Probe { distance, normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::box_tets;
    use crate::shape::{TriMesh, quality::boundary_triangles};

    fn block() -> Solid {
        let mesh = box_tets([3, 2, 4], [-0.3, -0.2, -0.4], [0.3, 0.2, 0.4], crate::shape::structured::CubeSplit::Six)
            .expect("a block");
        let triangles = boundary_triangles(&mesh.tets);
        Solid::new(TriMesh { points: mesh.points, triangles }).expect("it is closed")
    }

    #[test]
    fn distances_to_a_block_are_those_of_the_formula() {
        let field = DistanceField::new(&block(), None);
        let exact = super::super::form::Form::Box { half: Vec3([0.3, 0.2, 0.4]) };
        let mut checked = 0;
        for i in 0..4000 {
            let at = |k: usize| ((i * k) % 4001) as f64 / 4001.0 - 0.5;
            let p = Vec3([at(1361), at(2203), at(3119)]);
            let (found, expected) = (field.probe(p), exact.probe(p));
            if expected.distance.abs() < 0.02 {
                // Corners are rounded over about a cell.
                assert!((found.distance - expected.distance).abs() < 0.5 * field.detail(), "{p:?}");
                checked += 1;
            }
        }
        assert!(checked > 100);
        let face = field.probe(Vec3([0.05, 0.21, 0.1]));
        assert!((face.distance - 0.01).abs() < 1e-12 && (face.normal - Vec3([0.0, 1.0, 0.0])).norm() < 1e-9);
    }
}
