//! Phyxels on lattices.

use super::super::{PointSampling, ShapeError};
use super::block::Block;
use super::box_skin;

/// Phyxels on the nodes of a block of cells, its faces included, so that a face can be held. They stand for a whole cell
/// inside, half a cell on faces, a quarter on edges and an eighth on corners.
pub fn box_points(cells: [usize; 3], min: [f64; 3], max: [f64; 3]) -> Result<PointSampling, ShapeError> {
    let block = Block::new(cells, min, max)?;
    let size = block.cell_size();
    let cell_volume: f64 = size.iter().product();
    let outer: Vec<usize> = (0..block.node_count()).map(|i| block.outer_axes(block.coordinates(i))).collect();
    Ok(PointSampling {
        points: block.node_positions(),
        volumes: outer.iter().map(|&axes| cell_volume * 0.5_f64.powi(axes as i32)).collect(),
        spacing: cell_volume.cbrt(),
        spacings: Vec::new(),
        boundary: outer.iter().map(|&axes| axes > 0).collect(),
        skin: box_skin(cells, min, max)?,
    })
}

/// One phyxel in the centre of every cell of a block; those of the outer layer are the boundary.
pub fn cell_centres(cells: [usize; 3], min: [f64; 3], max: [f64; 3]) -> Result<PointSampling, ShapeError> {
    let block = Block::new(cells, min, max)?;
    let cell_volume: f64 = block.cell_size().iter().product();
    let outer = |c: [usize; 3]| (0..3).any(|a| c[a] == 0 || c[a] + 1 == cells[a]);
    let points: Vec<[f64; 3]> = block.cell_corners().map(|c| block.position(c.map(|i| i as f64 + 0.5))).collect();
    Ok(PointSampling {
        volumes: vec![cell_volume; points.len()],
        points,
        spacing: cell_volume.cbrt(),
        spacings: Vec::new(),
        boundary: block.cell_corners().map(outer).collect(),
        skin: box_skin(cells, min, max)?,
    })
}

/// Which points may be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movable {
    /// Those not on the boundary.
    Interior,
    /// All.
    All,
}

/// Moves points by up to `amplitude` [m] along every axis, evenly distributed; the same seed moves them the same way.
pub fn jitter(points: &mut [[f64; 3]], boundary: &[bool], amplitude: f64, seed: u64, which: Movable) {
    for (i, p) in points.iter_mut().enumerate() {
        let fixed = boundary.get(i).copied().unwrap_or(false);
        if fixed && which == Movable::Interior {
            continue;
        }
        for (a, c) in p.iter_mut().enumerate() {
            *c += amplitude * (2.0 * unit_random(seed, 3 * i as u64 + a as u64) - 1.0);
        }
    }
}

/// Number `n` of a seeded sequence, in `[0, 1)` (splitmix64, which gives any member directly).
fn unit_random(seed: u64, n: u64) -> f64 {
    let mut z = seed.wrapping_add(n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}
