//! Blocks of cubes, each cut into five or six tetrahedra.

use super::super::{ShapeError, TetMesh};
use super::oriented;

/// How a cube is cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CubeSplit {
    /// One tetrahedron in the middle and four on its faces, mirrored from cube to cube on the parity of `i + j + k`.
    Five,
    /// Six around the diagonal from the lowest to the highest corner; the same in every cube.
    Six,
}

/// The corners of a cube are numbered by bits: 1 for x, 2 for y, 4 for z. In even cubes the middle tetrahedron holds the
/// lowest corner; the numbers of published beams on such meshes depend on this.
const FIVE: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 3, 0, 6], [4, 5, 6, 0], [7, 6, 5, 3]];

/// The six orders in which three steps along the axes lead from corner to opposite corner.
const STEPS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The corners visited by the steps of path `p`, as bits (Kuhn's subdivision of the cube).
pub(crate) fn kuhn_path(p: usize) -> [usize; 4] {
    let s = STEPS[p];
    [0, 1 << s[0], 1 << s[0] | 1 << s[1], 7]
}

/// A block between two corners, divided into cells; its nodes are numbered x fastest, then y, then z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub cells: [usize; 3],
    pub min: [f64; 3],
    pub max: [f64; 3],
}

impl Block {
    pub fn new(cells: [usize; 3], min: [f64; 3], max: [f64; 3]) -> Result<Self, ShapeError> {
        for axis in 0..3 {
            ShapeError::check_count("cells along an axis", cells[axis], 1)?;
            let extent = max[axis] - min[axis];
            let good = extent > 0.0 && extent.is_finite();
            if !good {
                return Err(ShapeError::BadExtent { axis, min: min[axis], max: max[axis] });
            }
        }
        let nodes = cells.iter().map(|c| *c as f64 + 1.0).product();
        ShapeError::check_nodes("block", nodes)?;
        Ok(Block { cells, min, max })
    }

    pub fn node_count(&self) -> usize {
        self.cells.iter().map(|c| c + 1).product()
    }

    /// Edge lengths of a cell [m].
    pub fn cell_size(&self) -> [f64; 3] {
        [0, 1, 2].map(|a| (self.max[a] - self.min[a]) / self.cells[a] as f64)
    }

    pub fn node(&self, c: [usize; 3]) -> u32 {
        ((c[2] * (self.cells[1] + 1) + c[1]) * (self.cells[0] + 1) + c[0]) as u32
    }

    /// Lattice coordinates of node `i`.
    pub fn coordinates(&self, i: usize) -> [usize; 3] {
        let (nx, ny) = (self.cells[0] + 1, self.cells[1] + 1);
        [i % nx, i / nx % ny, i / (nx * ny)]
    }

    /// Position of a lattice coordinate; both ends are exact.
    pub fn position(&self, c: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|a| {
            let t = c[a] / self.cells[a] as f64;
            self.min[a] * (1.0 - t) + self.max[a] * t
        })
    }

    pub fn node_positions(&self) -> Vec<[f64; 3]> {
        (0..self.node_count()).map(|i| self.position(self.coordinates(i).map(|c| c as f64))).collect()
    }

    /// The lowest corners of all cells, x fastest.
    pub fn cell_corners(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
    }

    /// A corner of a cell, numbered by bits.
    pub fn corner(&self, cell: [usize; 3], bits: usize) -> u32 {
        self.node([cell[0] + (bits & 1), cell[1] + (bits >> 1 & 1), cell[2] + (bits >> 2)])
    }

    /// On how many axes a node lies on the outside.
    pub fn outer_axes(&self, c: [usize; 3]) -> usize {
        (0..3).filter(|&a| c[a] == 0 || c[a] == self.cells[a]).count()
    }
}

/// A block of `cells` cubes between the corners `min` and `max` [m], cut into tetrahedra.
pub fn box_tets(cells: [usize; 3], min: [f64; 3], max: [f64; 3], split: CubeSplit) -> Result<TetMesh, ShapeError> {
    let block = Block::new(cells, min, max)?;
    let mut tets = Vec::new();
    for cell in block.cell_corners() {
        match split {
            CubeSplit::Five => {
                let mirror = (cell[0] + cell[1] + cell[2]) & 1;
                tets.extend(FIVE.map(|t| t.map(|bits| block.corner(cell, bits ^ mirror))));
            }
            CubeSplit::Six => tets.extend((0..6).map(|p| kuhn_path(p).map(|bits| block.corner(cell, bits)))),
        }
    }
    Ok(oriented(block.node_positions(), tets))
}
