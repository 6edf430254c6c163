//! Point masses and springs: lattices, cloth and ropes whose stiffness is that of a material.

use super::structured::Block;
use super::{ShapeError, Spring, SpringNet};
use crate::material::Material;
use std::f64::consts::PI;

/// A block of cubes with springs `k` on edges and face diagonals; each cube owns a quarter of its edges' springs and half
/// of its faces', so those on the outside are weaker. The continuum it approaches has `E = 2.5 k / a` for edge
/// length `a`, from which `k` is taken, and Poisson's ratio 0.25 whatever the material says: central forces between
/// lattice points allow no other. Cells should be cubes; otherwise `a` is the cube root of their volume.
pub fn lattice(cells: [usize; 3], min: [f64; 3], max: [f64; 3], material: &Material) -> Result<SpringNet, ShapeError> {
    check(material)?;
    let block = Block::new(cells, min, max)?;
    let cell_volume: f64 = block.cell_size().iter().product();
    let k = material.young_modulus * cell_volume.cbrt() / 2.5;
    let mut net = SpringNet { points: block.node_positions(), ..SpringNet::default() };
    net.masses = (0..net.points.len())
        .map(|i| material.density * cell_volume * 0.5_f64.powi(block.outer_axes(block.coordinates(i)) as i32))
        .collect();
    for i in 0..net.points.len() {
        let c = block.coordinates(i);
        for axis in 0..3 {
            add_edge(&mut net, &block, c, axis, k);
            add_diagonals(&mut net, &block, c, axis, k);
        }
    }
    net.triangles = outer_triangles(&block);
    Ok(net)
}

/// The share of an interior spring that one between these coordinates has: a half for each axis on whose outside it lies.
fn share(block: &Block, c: [usize; 3], across: impl Iterator<Item = usize>) -> f64 {
    across.filter(|&a| c[a] == 0 || c[a] == block.cells[a]).map(|_| 0.5).product()
}

fn add_edge(net: &mut SpringNet, block: &Block, c: [usize; 3], axis: usize, k: f64) {
    let mut end = c;
    end[axis] += 1;
    if end[axis] <= block.cells[axis] {
        let across = (0..3).filter(|a| *a != axis);
        net.join(block.node(c), block.node(end), k * share(block, c, across));
    }
}

/// Both diagonals of the face that leaves `c` across `normal`.
fn add_diagonals(net: &mut SpringNet, block: &Block, c: [usize; 3], normal: usize, k: f64) {
    let (u, v) = ((normal + 1) % 3, (normal + 2) % 3);
    if c[u] == block.cells[u] || c[v] == block.cells[v] {
        return;
    }
    let k = k * share(block, c, std::iter::once(normal));
    let at = |du: usize, dv: usize| {
        let mut p = c;
        p[u] += du;
        p[v] += dv;
        block.node(p)
    };
    net.join(at(0, 0), at(1, 1), k);
    net.join(at(1, 0), at(0, 1), k);
}

/// The outside of a block, two triangles per square, wound outward.
fn outer_triangles(block: &Block) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [0, block.cells[axis]] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let (u, v) = if side == 0 { (v, u) } else { (u, v) };
            let node = |i: usize, j: usize| {
                let mut c = [0; 3];
                (c[axis], c[u], c[v]) = (side, i, j);
                block.node(c)
            };
            for j in 0..block.cells[v] {
                for i in 0..block.cells[u] {
                    triangles.push([node(i, j), node(i + 1, j), node(i + 1, j + 1)]);
                    triangles.push([node(i, j), node(i + 1, j + 1), node(i, j + 1)]);
                }
            }
        }
    }
    triangles
}

/// A sheet in the xz plane around the origin. Structural springs of `¾ E t` (times the cell's aspect; half at the edge of
/// the sheet) and diagonals of `⅜ E t` make an isotropic membrane with the material's Young's modulus at thickness `t`
/// and Poisson's ratio ⅓. Springs over two cells resist folding with `(t/a)²` of the structural stiffness, the ratio
/// of bending to stretching in a plate.
pub fn cloth(cells: [usize; 2], size: [f64; 2], thickness: f64, material: &Material) -> Result<SpringNet, ShapeError> {
    check(material)?;
    ShapeError::check_length("cloth", "thickness", thickness)?;
    // A sheet is the bottom of a block one cell high.
    let half = [0.5 * size[0], 0.5, 0.5 * size[1]];
    let block = Block::new([cells[0], 1, cells[1]], half.map(|h| -h), half)?;
    let [ax, _, az] = block.cell_size();
    let node = |i: usize, j: usize| (j * (cells[0] + 1) + i) as u32;
    let at_edge = |i: usize, n: usize| if i == 0 || i == n { 0.5 } else { 1.0 };
    let stretch = material.young_modulus * thickness;
    let mut net = SpringNet::default();
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            let [x, _, z] = block.position([i as f64, 0.0, j as f64]);
            net.points.push([x, 0.0, z]);
            let owned = at_edge(i, cells[0]) * at_edge(j, cells[1]);
            net.masses.push(material.density * thickness * ax * az * owned);
        }
    }
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            let kx = 0.75 * stretch * az / ax * at_edge(j, cells[1]);
            let kz = 0.75 * stretch * ax / az * at_edge(i, cells[0]);
            let (right, down) = (i < cells[0], j < cells[1]);
            if right {
                net.join(node(i, j), node(i + 1, j), kx);
            }
            if down {
                net.join(node(i, j), node(i, j + 1), kz);
            }
            if right && down {
                net.join(node(i, j), node(i + 1, j + 1), 0.375 * stretch);
                net.join(node(i + 1, j), node(i, j + 1), 0.375 * stretch);
                net.triangles.extend([
                    [node(i, j), node(i, j + 1), node(i + 1, j + 1)],
                    [node(i, j), node(i + 1, j + 1), node(i + 1, j)],
                ]);
            }
            if i + 1 < cells[0] {
                net.join(node(i, j), node(i + 2, j), kx * (thickness / ax).powi(2));
            }
            if j + 1 < cells[1] {
                net.join(node(i, j), node(i, j + 2), kz * (thickness / az).powi(2));
            }
        }
    }
    Ok(net)
}

/// A chain along x around the origin; each link has the stiffness `E A / l` of its piece of the rope.
pub fn rope(links: usize, length: f64, radius: f64, material: &Material) -> Result<SpringNet, ShapeError> {
    check(material)?;
    ShapeError::check_length("rope", "length", length)?;
    ShapeError::check_length("rope", "radius", radius)?;
    ShapeError::check_count("links of a rope", links, 1)?;
    ShapeError::check_nodes("rope", links as f64 + 1.0)?;
    let (area, link) = (PI * radius * radius, length / links as f64);
    let mut net = SpringNet::default();
    for i in 0..=links {
        net.points.push([length * (i as f64 / links as f64 - 0.5), 0.0, 0.0]);
        let owned = if i == 0 || i == links { 0.5 } else { 1.0 };
        net.masses.push(material.density * area * link * owned);
    }
    for i in 0..links as u32 {
        net.join(i, i + 1, material.young_modulus * area / link);
    }
    Ok(net)
}

fn check(material: &Material) -> Result<(), ShapeError> {
    for (what, value) in [("Young's modulus", material.young_modulus), ("density", material.density)] {
        let good = value > 0.0 && value.is_finite();
        if !good {
            return Err(ShapeError::BadMaterial { what, value });
        }
    }
    Ok(())
}

impl SpringNet {
    /// Adds a spring without force at the present distance.
    fn join(&mut self, a: u32, b: u32, stiffness: f64) {
        let (p, q) = (self.points[a as usize], self.points[b as usize]);
        let rest_length = (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt();
        self.springs.push(Spring { nodes: [a, b], stiffness, rest_length });
    }
}

#[cfg(test)]
#[path = "springs_tests.rs"]
mod tests;
