//! Matter in a mould.

use super::{Shown, Wall};
use crate::mesh::unit;
use phyxel::math::Vec3;
use phyxel::par;

type V = Vec3<f64>;

/// Discs that are asked about together. They lie side by side, as a rule.
const TOGETHER: usize = 16;

/// Where discs lie when those that have gone into the mould are put onto its surface (Müller et al. 2004, section 5.2.3).
/// Slopes are taken over `step` [m].
pub(super) fn pressed(discs: &[Shown], mould: &[Wall<'_>], step: f64) -> Vec<Shown> {
    let mut out = discs.to_vec();
    par::chunks(&mut out, par::GRAIN, |_, discs| {
        let mut near: Vec<Wall<'_>> = Vec::new();
        for discs in discs.chunks_mut(TOGETHER) {
            near.clear();
            near.extend(walls_near(discs, mould));
            if !near.is_empty() {
                discs.iter_mut().for_each(|s| press(s, &near, step));
            }
        }
    });
    out
}

/// The walls that a ball around discs may touch: distances change by hardly more than the way that is gone.
fn walls_near<'a>(discs: &[Shown], mould: &'a [Wall<'a>]) -> impl Iterator<Item = Wall<'a>> {
    let center = discs.iter().fold(V::zero(), |sum, s| sum + s.point) * (1.0 / discs.len() as f64);
    let radius = discs.iter().map(|s| (s.point - center).norm_squared()).fold(0.0, f64::max).sqrt();
    mould.iter().copied().filter(move |wall| wall(center) <= 1.5 * radius)
}

fn press(s: &mut Shown, walls: &[Wall<'_>], step: f64) {
    let distance = |x: V| walls.iter().map(|wall| wall(x)).fold(f64::INFINITY, f64::min);
    for _ in 0..3 {
        let depth = distance(s.point);
        // So little is not seen.
        if depth >= -step || !depth.is_finite() {
            return;
        }
        let slope = |a: usize| {
            let mut x = s.point;
            x[a] += step;
            distance(x) - depth
        };
        let away = unit(Vec3([slope(0), slope(1), slope(2)]));
        if away.norm() == 0.0 {
            return;
        }
        s.point += away * (-depth);
        s.normal = -away;
    }
}
