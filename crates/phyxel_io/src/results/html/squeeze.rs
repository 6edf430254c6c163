//! Lists of points and numbers in few bytes.
//!
//! Coordinates are whole numbers of a step that is a small part of the body's box. Each point is foretold from the one
//! before it in the list and from how the two lay in the first frame, turned and stretched as the whole body is now; only
//! the error is kept. It is mostly a small number, which deflate packs well. The page in the browser undoes the same
//! arithmetic, in the same order, so both sides find the same integers.

use phyxel::math::{Mat3, Vec3};

/// Steps along the longest side of a body's box: on a screen that the body fills, less than a quarter of a pixel each.
const STEPS: f64 = 16_383.0;

/// A point in steps from the corner of the box.
pub(super) type Cell = [i32; 3];

/// Where the integers of a list stand in space.
pub(super) struct Lattice {
    low: [f32; 3],
    step: f32,
}

impl Lattice {
    /// The lattice over the box around the finite ones of the points.
    pub(super) fn around(points: &[[f64; 3]]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in points.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
            for k in 0..3 {
                low[k] = low[k].min(point[k]);
                high[k] = high[k].max(point[k]);
            }
        }
        let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let step = (size / STEPS) as f32;
        let step = if step > 0.0 && step.is_finite() { step } else { 1.0 };
        Lattice { low: low.map(|c| if c.is_finite() { c as f32 } else { 0.0 }), step }
    }

    fn cell(&self, point: [f64; 3]) -> Cell {
        [0, 1, 2].map(|k| {
            // What is no number falls on the corner of the box: `as` gives zero for it.
            let steps = ((point[k] - f64::from(self.low[k])) / f64::from(self.step)).round();
            (steps as i32).clamp(0, STEPS as i32)
        })
    }
}

/// Appends the points, and gives them as integers. `first` has the same points in the first frame, if known.
pub(super) fn push_points(points: &[[f64; 3]], first: Option<&[Cell]>, out: &mut Vec<u8>) -> Vec<Cell> {
    let lattice = Lattice::around(points);
    let cells: Vec<Cell> = points.iter().map(|p| lattice.cell(*p)).collect();
    let first = first.filter(|f| f.len() == cells.len() && !f.is_empty());
    out.extend((cells.len() as u32).to_le_bytes());
    lattice.low.iter().chain([&lattice.step]).for_each(|x| out.extend(x.to_le_bytes()));
    out.push(u8::from(first.is_some()));
    let map = first.map(|first| {
        let map = best_map(first, &cells);
        map.iter().flatten().for_each(|x| out.extend(x.to_le_bytes()));
        map
    });
    let mut errors = Vec::with_capacity(cells.len());
    let mut before = [0; 3];
    for (i, cell) in cells.iter().enumerate() {
        let foretold = foretell(before, i, first.zip(map.as_ref()));
        errors.push([0, 1, 2].map(|k| zigzag(cell[k] - foretold[k])));
        before = *cell;
    }
    for shift in [0, 8] {
        for k in 0..3 {
            out.extend(errors.iter().map(|e| (e[k] >> shift) as u8));
        }
    }
    cells
}

/// The inverse of [`push_points`], in steps; nothing when the bytes end too soon.
pub(super) fn read_points(bytes: &mut &[u8], first: Option<&[Cell]>) -> Option<Vec<Cell>> {
    let count = u32::from_le_bytes(*bytes.split_first_chunk()?.0) as usize;
    *bytes = bytes.get(20..)?;
    let mapped = bytes.split_off_first()? == &1;
    let mut map = [[0.0; 3]; 3];
    if mapped {
        for value in map.iter_mut().flatten() {
            let (head, rest) = bytes.split_first_chunk()?;
            (*value, *bytes) = (f32::from_le_bytes(*head), rest);
        }
    }
    let planes = bytes.get(..count.checked_mul(6)?)?;
    *bytes = &bytes[planes.len()..];
    let first = if mapped { Some(first.filter(|f| f.len() == count)?) } else { None };
    let mut cells = Vec::with_capacity(count);
    let mut before = [0; 3];
    for i in 0..count {
        let foretold = foretell(before, i, first.zip(mapped.then_some(&map)));
        let error = |k: usize| u16::from(planes[k * count + i]) | u16::from(planes[(3 + k) * count + i]) << 8;
        before = [0, 1, 2].map(|k| foretold[k] + unzigzag(error(k)));
        cells.push(before);
    }
    Some(cells)
}

/// Where the point after `before` should be.
fn foretell(before: Cell, i: usize, first: Option<(&[Cell], &[[f32; 3]; 3])>) -> Cell {
    let Some((first, map)) = first.filter(|_| i > 0) else { return before };
    let [dx, dy, dz] = [0, 1, 2].map(|k| f64::from(first[i][k] - first[i - 1][k]));
    [0, 1, 2].map(|k| {
        let [a, b, c] = map[k].map(f64::from);
        let moved = (a * dx + b * dy + c * dz + 0.5).floor();
        (before[k] + moved as i32).clamp(0, STEPS as i32)
    })
}

/// The linear map that best carries differences within `from` to those within `to`: least squares, held back a little
/// where `from` is flat and says nothing of one direction.
fn best_map(from: &[Cell], to: &[Cell]) -> [[f32; 3]; 3] {
    let vector = |c: &Cell| Vec3::<f64>::of(c.map(f64::from));
    let count = from.len() as f64;
    let mean = |cells: &[Cell]| cells.iter().map(vector).fold(Vec3::zero(), |a, b| a + b) * (1.0 / count);
    let (middle, now) = (mean(from), mean(to));
    let (mut across, mut own) = (Mat3::<f64>::zero(), Mat3::<f64>::zero());
    for (a, b) in from.iter().zip(to) {
        let (a, b) = (vector(a) - middle, vector(b) - now);
        across += Mat3::outer(b, a);
        own += Mat3::outer(a, a);
    }
    let held = own + Mat3::scaled_identity(1e-9 * own.trace() + 1e-9);
    let map = held.inverse().map_or(Mat3::zero(), |inverse| across * inverse);
    map.to_f64().map(|row| row.map(|x| if x.is_finite() { x as f32 } else { 0.0 }))
}

/// Small magnitudes as small numbers: 0, -1, 1, -2, … become 0, 1, 2, 3, ….
fn zigzag(x: i32) -> u16 {
    ((x << 1) ^ (x >> 31)) as u16
}

fn unzigzag(x: u16) -> i32 {
    i32::from(x >> 1) ^ -i32::from(x & 1)
}

/// Appends bytes as differences to the byte `stride` before.
pub(super) fn push_bytes(values: &[u8], stride: usize, out: &mut Vec<u8>) {
    let before = |i: usize| if i < stride { 0 } else { values[i - stride] };
    out.extend(values.iter().enumerate().map(|(i, v)| v.wrapping_sub(before(i))));
}

/// Appends the corners of triangles as differences from corner to corner, in four planes of bytes.
pub(super) fn push_indices(indices: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    let mut before = 0;
    let coded: Vec<u32> = indices
        .map(|index| {
            let difference = index.wrapping_sub(before) as i32;
            before = index;
            ((difference << 1) ^ (difference >> 31)) as u32
        })
        .collect();
    out.extend((coded.len() as u32).to_le_bytes());
    for shift in [0, 8, 16, 24] {
        out.extend(coded.iter().map(|c| (c >> shift) as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave that runs through a grid; at time zero it lies flat.
    fn sheet(time: f64) -> Vec<[f64; 3]> {
        let grid = (0..900).map(|i| [f64::from(i % 30) / 29.0, f64::from(i / 30) / 29.0]);
        grid.map(|[x, y]| [x + 3.0 * time, 0.2 * time * (6.0 * (x + time)).sin(), y]).collect()
    }

    #[test]
    fn points_come_back_to_within_half_a_step() {
        let (start, now) = (sheet(0.0), sheet(0.7));
        let mut bytes = vec![];
        let first = push_points(&start, None, &mut bytes);
        let cells = push_points(&now, Some(&first), &mut bytes);
        let mut rest = &bytes[..];
        let first_again = read_points(&mut rest, None).unwrap();
        assert_eq!(first_again, first);
        assert_eq!(read_points(&mut rest, Some(&first_again)).unwrap(), cells);
        assert!(rest.is_empty());
        let lattice = Lattice::around(&now);
        for (cell, point) in cells.iter().zip(&now) {
            for k in 0..3 {
                let x = f64::from(lattice.low[k]) + f64::from(lattice.step) * f64::from(cell[k]);
                // Half a step, and the rounding of the corner of the box to single precision.
                assert!((x - point[k]).abs() < 0.51 * f64::from(lattice.step) + 1e-6, "{x} {}", point[k]);
            }
        }
    }

    #[test]
    fn a_body_that_only_turns_costs_almost_nothing() {
        let turn = |angle: f64| {
            let (s, c) = angle.sin_cos();
            let point = |i: usize| [i % 7, i / 7 % 7, i / 49].map(|x| x as f64 - 3.0);
            (0..343)
                .map(|i| {
                    let [x, y, z] = point(i);
                    [c * x - s * y, s * x + c * y, z]
                })
                .collect::<Vec<_>>()
        };
        let first = push_points(&turn(0.0), None, &mut vec![]);
        let mut bytes = vec![];
        push_points(&turn(0.6), Some(&first), &mut bytes);
        let errors = &bytes[bytes.len() - 6 * 343..];
        // The first point has nothing before it.
        let large = errors.iter().filter(|e| **e > 6).count();
        assert!(large <= 6, "{large} of {}", errors.len());
    }

    #[test]
    fn what_is_no_number_does_not_spoil_the_rest() {
        let points = [[0.0; 3], [f64::NAN, 1.0, f64::INFINITY], [1.0; 3]];
        let cells = push_points(&points, None, &mut vec![]);
        assert_eq!(cells, [[0; 3], [0, 16_383, 16_383], [16_383; 3]]);
        assert!(push_points(&[], None, &mut vec![]).is_empty());
        assert_eq!(push_points(&[[7.0; 3]; 2], None, &mut vec![]), [[0; 3]; 2]);
    }

    #[test]
    fn bytes_that_end_too_soon_are_noticed() {
        let mut bytes = vec![];
        push_points(&sheet(0.3), None, &mut bytes);
        for length in [0, 3, 20, 25, bytes.len() - 1] {
            assert!(read_points(&mut &bytes[..length], None).is_none(), "{length}");
        }
    }
}
