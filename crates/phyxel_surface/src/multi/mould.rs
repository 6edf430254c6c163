//! Matter in a mould.

use super::{Shown, Wall};
use crate::mesh::unit;
use phyxel::math::Vec3;
use phyxel::par;

type V = Vec3<f64>;

/// Discs that are asked about together. They lie side by side, as a rule.
const TOGETHER: usize = 16;
/// Discs that would be moved farther than this, in spacings, are deep in a wall, where nobody sees them: the way out might
/// lead to its other side.
const DEEP: f64 = 0.75;
/// Depths and steps that are not seen, in distances between discs.
const UNSEEN: f64 = 1e-3;

/// Where discs, `apart` [m] from each other, lie when those that have gone into the mould are put onto its surface (Müller
/// et al. 2004, section 5.2.3). Those that are deep in it are left out.
pub(super) fn pressed(discs: &[Shown], mould: &[Wall<'_>], apart: f64, spacing: f64) -> Vec<Shown> {
    if mould.is_empty() {
        return discs.to_vec();
    }
    let mut out: Vec<(Shown, bool)> = discs.iter().map(|s| (*s, true)).collect();
    par::chunks(&mut out, par::GRAIN, |_, discs| {
        let mut near: Vec<Wall<'_>> = Vec::new();
        for discs in discs.chunks_mut(TOGETHER) {
            near.clear();
            near.extend(walls_near(discs, mould));
            if !near.is_empty() {
                discs.iter_mut().for_each(|(s, seen)| *seen = press(s, &near, UNSEEN * apart, DEEP * spacing));
            }
        }
    });
    out.into_iter().filter_map(|(s, seen)| seen.then_some(s)).collect()
}

/// The walls that a ball around discs may touch: distances change by hardly more than the way that is gone.
fn walls_near<'a>(discs: &[(Shown, bool)], mould: &'a [Wall<'a>]) -> impl Iterator<Item = Wall<'a>> {
    let center = discs.iter().fold(V::zero(), |sum, (s, _)| sum + s.point) * (1.0 / discs.len() as f64);
    let radius = discs.iter().map(|(s, _)| (s.point - center).norm_squared()).fold(0.0, f64::max).sqrt();
    mould.iter().copied().filter(move |wall| wall(center) <= 1.5 * radius)
}

/// Puts a disc that is in a wall onto it, with slopes over `step` [m]; false if it would have to go farther than `most` [m].
fn press(s: &mut Shown, walls: &[Wall<'_>], step: f64, most: f64) -> bool {
    let mut gone = 0.0;
    for _ in 0..3 {
        let depths = walls.iter().map(|wall| (wall(s.point), wall));
        let Some((depth, wall)) = depths.min_by(|a, b| a.0.total_cmp(&b.0)) else { return true };
        // So little is not seen.
        if depth >= -step || !depth.is_finite() {
            return true;
        }
        gone -= depth;
        if gone > most {
            return false;
        }
        let slope = |a: usize| {
            let mut x = s.point;
            x[a] += step;
            wall(x) - depth
        };
        let away = unit(Vec3([slope(0), slope(1), slope(2)]));
        if away.norm() == 0.0 {
            return false;
        }
        s.point += away * (-depth);
        s.normal = -away;
    }
    true
}
