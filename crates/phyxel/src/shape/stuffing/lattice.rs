//! The body-centred cubic lattice.
//!
//! Its points have integer coordinates in units of half a cell's edge: all even for the corners of cells, all odd for their
//! centres. Its edges run along seven directions: three axes, two units long, and four diagonals of one unit each.

use crate::math::Vec3;
use crate::shape::ShapeError;

/// Bits of a coordinate in a key.
const BITS: u32 = 20;
const MASK: u64 = (1 << BITS) - 1;

/// The lattice lies in the middle third of its coordinates, so that no neighbour at any level leaves them.
const MAX_LEVELS: u32 = BITS - 2;

/// From the lower end of an edge to its upper one.
pub(super) const DIRECTIONS: [[i32; 3]; 7] =
    [[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];

/// Where the lattice is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: Vec3<f64>,
    /// Half the edge of a cell [m].
    pub half: f64,
    /// A cell of this level holds everything.
    pub levels: u32,
}

/// Three coordinates in one number, which grows with z first and x last.
#[inline]
pub(super) fn pack([x, y, z]: [i32; 3]) -> u64 {
    (z as u64) << (2 * BITS) | (y as u64) << BITS | x as u64
}

#[inline]
pub(super) fn unpack(key: u64) -> [i32; 3] {
    [key & MASK, key >> BITS & MASK, key >> (2 * BITS)].map(|c| c as i32)
}

/// The key of an edge: its lower end and its direction.
#[inline]
pub(super) fn edge_key(lower: [i32; 3], direction: usize) -> u64 {
    pack(lower) << 3 | direction as u64
}

/// The lower end and the direction of an edge.
#[inline]
pub(super) fn edge_of(key: u64) -> ([i32; 3], usize) {
    (unpack(key >> 3), (key & 7) as usize)
}

/// The key of the edge between two neighbouring points, and whether the first one is its lower end.
#[inline]
pub(super) fn edge_between(a: [i32; 3], b: [i32; 3]) -> (u64, bool) {
    let d = [0, 1, 2].map(|k| b[k] - a[k]);
    if d[0] < 0 || (d[0] == 0 && (d[1] < 0 || (d[1] == 0 && d[2] < 0))) {
        return (edge_between(b, a).0, false);
    }
    let direction = match d {
        [2, _, _] => 0,
        [0, 2, _] => 1,
        [0, 0, _] => 2,
        [_, y, z] => 3 + 2 * usize::from(y < 0) + usize::from(z < 0),
    };
    (edge_key(a, direction), true)
}

/// The cells, named by their place in the grid of cells, that a point at `fraction` of an edge lies in.
pub(super) fn cells_at(key: u64, fraction: f64, mut visit: impl FnMut([i32; 3])) {
    let (lower, direction) = edge_of(key);
    let d = DIRECTIONS[direction];
    let centred = lower[0] & 1 == 1;
    if direction >= 3 {
        // The end that is a centre names the cell.
        let centre = if centred { lower } else { add(lower, d) };
        visit(centre.map(|c| (c - 1) / 2));
    } else if centred {
        let mut cell = lower.map(|c| (c - 1) / 2);
        cell[direction] += i32::from(fraction >= 0.5);
        visit(cell);
    } else {
        let (u, v) = ((direction + 1) % 3, (direction + 2) % 3);
        for around in 0..4 {
            let mut cell = lower.map(|c| c / 2);
            cell[u] -= around & 1;
            cell[v] -= around >> 1;
            visit(cell);
        }
    }
}

#[inline]
pub(super) fn add(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Bits of three coordinates interleaved: neighbours in space become neighbours in memory.
pub(super) fn morton(cell: [i32; 3]) -> u64 {
    let spread = |c: i32| {
        let mut b = c as u64 & MASK;
        b = (b | b << 32) & 0x001F_0000_0000_FFFF;
        b = (b | b << 16) & 0x001F_0000_FF00_00FF;
        b = (b | b << 8) & 0x100F_00F0_0F00_F00F;
        b = (b | b << 4) & 0x10C3_0C30_C30C_30C3;
        (b | b << 2) & 0x1249_2492_4924_9249
    };
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

impl Lattice {
    /// Cells with edges of `size` around a box. The lattice is shifted by odd fractions of a cell, since surfaces made by hand
    /// like to lie on round coordinates, where inside and outside would be a matter of rounding.
    pub fn new((min, max): ([f64; 3], [f64; 3]), size: f64) -> Result<Self, ShapeError> {
        let half = 0.5 * size;
        let longest = (0..3).map(|a| (max[a] - min[a]) / size).fold(0.0, f64::max);
        // The surface alone has more nodes than cells along its longest side.
        ShapeError::check_nodes("solid", longest)?;
        let levels = ((longest.ceil() as u64 + 6).next_power_of_two()).trailing_zeros();
        if levels > MAX_LEVELS {
            return Err(ShapeError::TooFine { size, coarser: size * longest / f64::from((1 << MAX_LEVELS) - 8) });
        }
        let base = f64::from(2 << levels);
        let shift = [0.381_966_011, 0.553_574_359, 0.267_949_192];
        let origin = [0, 1, 2].map(|a| min[a] - half * (base + 4.0 + shift[a]));
        Ok(Lattice { origin: Vec3(origin), half, levels })
    }

    /// Coordinates of a point of space.
    #[inline]
    pub fn place(&self, p: [f64; 3]) -> [f64; 3] {
        let scale = 1.0 / self.half;
        ((Vec3(p) - self.origin) * scale).0
    }

    /// Where a lattice point is [m].
    #[inline]
    pub fn position(&self, point: [i32; 3]) -> Vec3<f64> {
        self.origin + Vec3(point.map(f64::from)) * self.half
    }

    /// Where a point on an edge is [m].
    pub fn on_edge(&self, key: u64, fraction: f64) -> Vec3<f64> {
        let (lower, direction) = edge_of(key);
        let d = DIRECTIONS[direction].map(f64::from);
        let place = [0, 1, 2].map(|a| f64::from(lower[a]) + fraction * d[a]);
        self.origin + Vec3(place) * self.half
    }

    /// Whether a cell lies where keys of its neighbours at every level exist.
    pub fn contains(&self, cell: [i32; 3]) -> bool {
        let base = 1 << self.levels;
        cell.iter().all(|c| *c >= base && *c < 2 * base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_their_points_and_edges() {
        let point = [1027, 2049, 999];
        assert_eq!(unpack(pack(point)), point);
        for (k, d) in DIRECTIONS.iter().enumerate() {
            let end = add(point, *d);
            assert_eq!(edge_between(point, end), (edge_key(point, k), true));
            assert_eq!(edge_between(end, point), (edge_key(point, k), false));
            assert_eq!(edge_of(edge_key(point, k)), (point, k));
        }
    }

    #[test]
    fn an_edge_lies_in_the_cells_that_touch_it() {
        for (lower, count) in [([16, 20, 24], [4, 4, 4, 1, 1, 1, 1]), ([17, 21, 25], [1; 7])] {
            for (k, d) in DIRECTIONS.iter().enumerate() {
                let mut cells = Vec::new();
                cells_at(edge_key(lower, k), 0.3, |cell| cells.push(cell));
                assert_eq!(cells.len(), count[k]);
                for cell in cells {
                    for a in 0..3 {
                        let at = f64::from(lower[a]) + 0.3 * f64::from(d[a]);
                        assert!(at >= f64::from(2 * cell[a]) && at <= f64::from(2 * cell[a] + 2));
                    }
                }
            }
        }
    }

    #[test]
    fn parents_in_morton_order_are_the_keys_shifted() {
        for cell in [[5, 9, 1000], [262_143, 7, 131_072]] {
            assert_eq!(morton(cell) >> 3, morton(cell.map(|c| c >> 1)));
        }
    }
}
