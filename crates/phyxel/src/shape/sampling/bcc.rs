//! Phyxels in the corners and centres of cubes.

use super::cubes::Cubes;
use super::draft::{Draft, hand_over, thicken};
use super::interior::Interior;
use super::report::joined;
use crate::shape::ShapeError;

/// Nearest neighbours are √3/2 cubes apart.
const SPACING_PER_CUBE: f64 = 0.866_025_403_784_438_6;

/// Distance of nearest neighbours over the cube root of a phyxel's volume: there are two per cube.
pub(super) const SPACING_PER_CUBE_ROOT: f64 = 1.091_123_635_971_721_4;

/// Parts of a cube's edge when it is shared out: four, because the middles of the parts are then nearer to one site than to
/// all others, and a cube's centre gets exactly half of it.
const PARTS: usize = 4;

/// The corners and centres of cubes; a site is named by its coordinates in half cubes, all even or all odd.
struct Sites {
    cubes: Cubes,
    corners: Cubes,
}

impl Sites {
    fn new(interior: &Interior, spacing: f64) -> Result<Self, ShapeError> {
        let cubes = Cubes::over(interior.solid, spacing / SPACING_PER_CUBE, 1)?;
        Ok(Sites { cubes, corners: cubes.of_corners() })
    }

    /// Corners come first.
    fn inside(&self, interior: &Interior) -> Vec<bool> {
        let mut inside = self.corners.centres_inside(interior);
        inside.extend(self.cubes.centres_inside(interior));
        inside
    }

    fn halves(&self, site: usize) -> [i64; 3] {
        match site.checked_sub(self.corners.len()) {
            None => self.corners.coordinates(site).map(|c| 2 * c as i64),
            Some(centre) => self.cubes.coordinates(centre).map(|c| 2 * c as i64 + 1),
        }
    }

    fn site(&self, halves: [i64; 3]) -> Option<usize> {
        let centre = halves[0] % 2 != 0;
        let grid = if centre { &self.cubes } else { &self.corners };
        let c = halves.map(|h| h.div_euclid(2));
        let known = (0..3).all(|a| c[a] >= 0 && c[a] < grid.counts[a] as i64);
        known.then(|| grid.index(c.map(|c| c as usize)) + if centre { self.corners.len() } else { 0 })
    }

    fn position(&self, site: usize) -> [f64; 3] {
        self.cubes.position(self.halves(site).map(|h| 0.5 * h as f64))
    }

    /// The eight nearest sites are ring 0, the six next ones ring 1.
    fn near(&self, site: usize, ring: usize) -> impl Iterator<Item = usize> + '_ {
        let h = self.halves(site);
        let step = move |k: i64| match ring {
            0 => [1 - 2 * (k % 2), 1 - 2 * (k / 2 % 2), 1 - 2 * (k / 4)],
            _ => [0, 1, 2].map(|a| if a == k / 2 { 2 - 4 * (k % 2) } else { 0 }),
        };
        let count = if ring == 0 { 8 } else { 6 };
        (0..count).map(step).filter_map(move |s| self.site([h[0] + s[0], h[1] + s[1], h[2] + s[2]]))
    }

    /// The site nearest to the middle of a part of a cube. The plane between a corner and the centre is where the
    /// distances to the corner along the axes sum to three quarters of a cube.
    fn nearest(&self, cube: usize, part: [usize; 3]) -> usize {
        let along = part.map(|p| (p as f64 + 0.5) / PARTS as f64);
        if along.iter().map(|u| u.min(1.0 - u)).sum::<f64>() > 0.75 {
            return self.corners.len() + cube;
        }
        let c = self.cubes.coordinates(cube);
        self.corners.index([0, 1, 2].map(|a| c[a] + (along[a] > 0.5) as usize))
    }
}

/// How many phyxels there would be.
pub(super) fn count(interior: &Interior, spacing: f64) -> Result<usize, ShapeError> {
    Ok(Sites::new(interior, spacing)?.inside(interior).iter().filter(|m| **m).count())
}

pub(super) fn draft(interior: &Interior, spacing: f64) -> Result<Draft, ShapeError> {
    let sites = Sites::new(interior, spacing)?;
    let inside = sites.inside(interior);
    let mut volumes = vec![0.0; inside.len()];
    let part_volume = (sites.cubes.size / PARTS as f64).powi(3);
    sites.cubes.parts_inside(interior, PARTS, |cube, part, share| {
        volumes[sites.nearest(cube, part)] += share * part_volume;
    });
    let measured = volumes.iter().sum();
    let missed = hand_over(&mut volumes, &inside, 2, |site, ring| sites.near(site, ring));
    let slivers = thicken(&mut volumes, &inside, 0.5 * sites.cubes.size.powi(3));
    let mut draft = Draft { measured, slivers, ..Draft::default() };
    let site = |s: &usize| (sites.halves(*s), sites.position(*s), volumes[*s]);
    draft.missed = joined(&missed.iter().map(site).collect::<Vec<_>>(), 2);
    // Corner and centre of a cube one after the other keep neighbours close in memory.
    for corner in 0..sites.corners.len() {
        let halves = sites.halves(corner);
        for site in [Some(corner), sites.site(halves.map(|h| h + 1))].into_iter().flatten().filter(|s| inside[*s]) {
            let whole = (0..2).all(|ring| {
                let near = sites.near(site, ring);
                near.filter(|n| inside[*n]).count() == if ring == 0 { 8 } else { 6 }
            });
            draft.push(sites.position(site), volumes[site], 0, !whole);
        }
    }
    Ok(draft)
}
