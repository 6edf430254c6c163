//! Phyxels in the centres of cubes, which may double away from the surface.

use super::cubes::Cubes;
use super::draft::{Draft, hand_over, thicken};
use super::interior::Interior;
use super::report::joined;
use crate::shape::ShapeError;
use rayon::prelude::*;

/// Which cubes have their centre inside, and which blocks of `2^l` cubes are far enough inside to be one.
struct Leaves {
    cubes: Cubes,
    /// Level by level; level 0 are the cubes themselves.
    clear: Vec<(Cubes, Vec<bool>)>,
}

impl Leaves {
    fn new(interior: &Interior, size: f64, levels: usize) -> Result<Self, ShapeError> {
        let cubes = Cubes::over(interior.solid, size, 1 << levels)?;
        let mut clear = vec![(cubes, cubes.centres_inside(interior))];
        for level in 0..levels {
            let next = coarser(&clear[level]);
            clear.push(next);
        }
        Ok(Leaves { cubes, clear })
    }

    fn inside(&self) -> &[bool] {
        &self.clear[0].1
    }

    /// The level of the leaf whose lowest cube is this one; `None` for other cubes.
    fn level(&self, cube: usize) -> Option<usize> {
        let c = self.cubes.coordinates(cube);
        let is_clear = |level: usize| {
            let (blocks, clear) = &self.clear[level];
            clear[blocks.index(c.map(|x| x >> level))]
        };
        let level = (0..self.clear.len()).take_while(|l| is_clear(*l)).last()?;
        c.iter().all(|x| x % (1 << level) == 0).then_some(level)
    }
}

/// Blocks of eight are clear when they and one more cube all around are: so neighbours differ by one level at most, and a
/// layer of each level separates the next coarser one from the next finer one.
fn coarser((fine, clear): &(Cubes, Vec<bool>)) -> (Cubes, Vec<bool>) {
    let coarse = Cubes { size: 2.0 * fine.size, counts: fine.counts.map(|c| c / 2), ..*fine };
    let alone = |i: usize| {
        let first = fine.index(coarse.coordinates(i).map(|c| 2 * c));
        let step = |k: i64| [k % 4 - 1, k / 4 % 4 - 1, k / 16 - 1];
        (0..64).all(|k| fine.neighbour(first, step(k)).is_some_and(|n| clear[n]))
    };
    (coarse, (0..coarse.len()).into_par_iter().map(alone).collect())
}

/// Steps to the 26 cubes around one, by number; 13 is no step at all.
fn around(numbers: std::ops::Range<i64>) -> impl Iterator<Item = [i64; 3]> {
    numbers.map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1])
}

/// How many phyxels there would be.
pub(super) fn count(interior: &Interior, size: f64, levels: usize) -> Result<usize, ShapeError> {
    let leaves = Leaves::new(interior, size, levels)?;
    if levels == 0 {
        return Ok(leaves.inside().iter().filter(|m| **m).count());
    }
    Ok((0..leaves.cubes.len()).filter(|i| leaves.inside()[*i] && leaves.level(*i).is_some()).count())
}

pub(super) fn draft(interior: &Interior, size: f64, levels: usize) -> Result<Draft, ShapeError> {
    let leaves = Leaves::new(interior, size, levels)?;
    let (cubes, inside) = (&leaves.cubes, leaves.inside());
    let mut volumes = cubes.shares(interior);
    volumes.iter_mut().for_each(|v| *v *= size.powi(3));
    let measured = volumes.iter().sum();
    // Faces are nearest, then edges, then corners.
    let near = |cube: usize, ring: usize| {
        let on_ring = move |s: &[i64; 3]| s.iter().filter(|c| **c != 0).count() == ring + 1;
        around(0..27).filter(on_ring).filter_map(move |s| cubes.neighbour(cube, s))
    };
    let missed = hand_over(&mut volumes, inside, 3, near);
    let slivers = thicken(&mut volumes, inside, size.powi(3));
    let mut draft = Draft { measured, slivers, ..Draft::default() };
    let site = |c: &usize| (cubes.coordinates(*c).map(|x| x as i64), cubes.centre(*c), volumes[*c]);
    draft.missed = joined(&missed.iter().map(site).collect::<Vec<_>>(), 1);
    for cube in (0..cubes.len()).filter(|c| inside[*c]) {
        let Some(level) = leaves.level(cube) else { continue };
        let outer = level == 0 && around(0..27).any(|s| cubes.neighbour(cube, s).is_none_or(|n| !inside[n]));
        let c = cubes.coordinates(cube).map(|x| x as f64 + 0.5 * (1 << level) as f64);
        let volume = if level == 0 { volumes[cube] } else { (size * (1 << level) as f64).powi(3) };
        draft.push(cubes.position(c), volume, level, outer);
    }
    Ok(draft)
}
