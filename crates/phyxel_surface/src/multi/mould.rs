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
/// And how far a plane may be off, in such steps.
const FLAT: f64 = 1e-2;

/// Where discs, `apart` [m] from each other, lie when those that have gone into the mould are put onto its surface (Müller
/// et al. 2004, section 5.2.3). Those that are deep in it are left out.
pub(super) fn pressed(discs: &[Shown], mould: &[Wall<'_>], apart: f64, spacing: f64) -> Vec<Shown> {
    if mould.is_empty() {
        return discs.to_vec();
    }
    let mut out: Vec<(Shown, bool)> = discs.iter().map(|s| (*s, true)).collect();
    let (step, most) = (UNSEEN * apart, DEEP * spacing);
    par::chunks(&mut out, par::GRAIN, |_, discs| {
        let mut near: Vec<Side<'_>> = Vec::new();
        for discs in discs.chunks_mut(TOGETHER) {
            near.clear();
            sides_near(discs, mould, (step, most), &mut near);
            if !near.is_empty() {
                discs.iter_mut().for_each(|(s, seen)| *seen = press(s, &near, step, most));
            }
        }
    });
    out.into_iter().filter_map(|(s, seen)| seen.then_some(s)).collect()
}

/// A wall as discs that lie together see it.
enum Side<'a> {
    /// It is flat as far as they can go: the way out of it, and how far along that its face is [m].
    Flat(V, f64),
    Any(Wall<'a>),
}

impl Side<'_> {
    fn distance(&self, x: V) -> f64 {
        match self {
            Side::Flat(out, face) => out.dot(x) - face,
            Side::Any(wall) => wall(x),
        }
    }

    /// The way out at a place that is `depth` [m] from it, with slopes over `step` [m].
    fn out(&self, x: V, depth: f64, step: f64) -> V {
        match self {
            Side::Flat(out, _) => *out,
            Side::Any(wall) => slope(*wall, x, depth, step),
        }
    }
}

fn slope(wall: Wall<'_>, x: V, here: f64, step: f64) -> V {
    let along = |a: usize| {
        let mut y = x;
        y[a] += step;
        wall(y) - here
    };
    unit(Vec3([along(0), along(1), along(2)]))
}

/// The walls that a ball around discs may touch: distances change by hardly more than the way that is gone.
fn sides_near<'a>(discs: &[(Shown, bool)], mould: &'a [Wall<'a>], (step, most): (f64, f64), near: &mut Vec<Side<'a>>) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (s, _) in discs {
        low = [0, 1, 2].map(|a| low[a].min(s.point[a]));
        high = [0, 1, 2].map(|a| high[a].max(s.point[a]));
    }
    let (center, half) = ((Vec3(low) + Vec3(high)) * 0.5, (Vec3(high) - Vec3(low)) * 0.5);
    let reach = 1.5 * half.norm();
    let touched = || mould.iter().map(|wall| (*wall, wall(center))).filter(|(_, depth)| *depth <= reach);
    // As far as discs may be moved, too.
    let deepest = touched().map(|(_, depth)| reach - depth).fold(0.0, f64::max).min(most);
    let half = half + Vec3([deepest; 3]);
    near.extend(touched().map(|(wall, here)| {
        let out = slope(wall, center, here, step);
        let told = |x: V| here + out.dot(x - center);
        let is_flat = |x: V| (wall(x) - told(x)).abs() < FLAT * step;
        let corner = |k: usize| center + Vec3([0, 1, 2].map(|a| if k >> a & 1 == 1 { half[a] } else { -half[a] }));
        // Distances to what is convex are convex: if they are those of a plane in the corners of a box, they are so within.
        let flat = (0..8).all(|k| is_flat(corner(k))) && discs.iter().step_by(4).all(|(s, _)| is_flat(s.point));
        if flat { Side::Flat(out, out.dot(center) - here) } else { Side::Any(wall) }
    }));
}

/// Puts a disc that is in a wall onto it, with slopes over `step` [m]; false if it would have to go farther than `most` [m].
fn press(s: &mut Shown, walls: &[Side<'_>], step: f64, most: f64) -> bool {
    let mut gone = 0.0;
    for _ in 0..3 {
        let depths = walls.iter().map(|wall| (wall.distance(s.point), wall));
        let Some((depth, wall)) = depths.min_by(|a, b| a.0.total_cmp(&b.0)) else { return true };
        // So little is not seen.
        if depth >= -step || !depth.is_finite() {
            return true;
        }
        gone -= depth;
        if gone > most {
            return false;
        }
        let away = wall.out(s.point, depth, step);
        if away.norm() == 0.0 {
            return false;
        }
        s.point += away * (-depth);
        s.normal = -away;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Discs, a distance apart, on a square through a wall, and where each wall alone puts them.
    fn check(mould: &[Wall<'_>]) {
        let apart = 0.01;
        let disc = |i: i32| Shown {
            point: Vec3([apart * f64::from(i % 40), 0.003 * f64::from(i % 7) - 0.02, apart * f64::from(i / 40)]),
            normal: Vec3([0.0, -1.0, 0.0]),
            colour: [1.0; 3],
            area: 1.0,
        };
        let discs: Vec<Shown> = (0..1600).map(disc).collect();
        let found = pressed(&discs, mould, apart, 0.2);
        let plain: Vec<Side<'_>> = mould.iter().map(|wall| Side::Any(*wall)).collect();
        let (step, most) = (UNSEEN * apart, DEEP * 0.2);
        let one_by_one = discs.iter().filter_map(|s| {
            let mut s = *s;
            press(&mut s, &plain, step, most).then_some(s)
        });
        let one_by_one: Vec<Shown> = one_by_one.collect();
        assert_eq!(found.len(), one_by_one.len());
        for (a, b) in found.iter().zip(&one_by_one) {
            assert!((a.point - b.point).norm() < 1e-3 * apart && (a.normal - b.normal).norm() < 1e-6, "{a:?}: {b:?}");
        }
    }

    #[test]
    fn walls_that_are_flat_for_discs_together_press_as_each_alone() {
        let floor = |x: V| x[1];
        let side = |x: V| x[0] - 0.123;
        let ball = |x: V| (x - Vec3([0.2, -0.3, 0.2])).norm() - 0.3;
        let step = |x: V| f64::max(x[1] - 0.01, x[2] - 0.2);
        check(&[&floor]);
        check(&[&floor, &side]);
        check(&[&ball, &floor]);
        check(&[&step, &side]);
    }
}
