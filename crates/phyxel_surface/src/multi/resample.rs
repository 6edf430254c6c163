//! Discs spread evenly over a surface: too many are thinned out, too few are multiplied, all push each other apart
//! (Müller et al. 2004, section 5.2.4).

use super::Shown;
use crate::grid::PointGrid;
use crate::mesh::unit;
use crate::surfels::{frame, mixed};
use phyxel::math::Vec3;
use phyxel::par;

type V = Vec3<f64>;

/// Neighbours are counted within this many distances between discs.
const LOOK: f64 = 2.0;
/// Fewer neighbours than this: the disc is multiplied.
const FEWEST: usize = 5;
/// With this many more, it may have too few after the next round.
const SOON: usize = 4;
/// More than this: it may go. The evenly laid discs of the beginning have about nine.
const MOST: usize = 11;
/// Discs whose normals differ by more than this cosine are on another sheet.
const SAME_SHEET: f64 = 0.2;
/// How far a disc is pushed by its neighbours, as a part of that distance.
const PUSH: f64 = 0.25;

/// Pushed by more than this, a disc has all its neighbours on one side: its twin goes to the other.
const ONE_SIDED: f64 = 0.5;

/// Discs by place, for counting neighbours on the same sheet.
struct Crowd<'a> {
    discs: &'a [Shown],
    grid: PointGrid,
    look: f64,
}

impl<'a> Crowd<'a> {
    fn new(discs: &'a [Shown], size: f64) -> Self {
        let points: Vec<[f64; 3]> = discs.iter().map(|d| d.point.0).collect();
        let look = LOOK * size;
        Crowd { discs, grid: PointGrid::new(&points, look), look }
    }

    fn each(&self, i: usize, mut visit: impl FnMut(V, f64)) {
        let own = &self.discs[i];
        self.grid.each_within(own.point, self.look, |j, arm, square| {
            if j as usize != i && own.normal.dot(self.discs[j as usize].normal) > SAME_SHEET {
                visit(arm, square);
            }
        });
    }
}

/// How discs are spread.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Least distance between two that are spread evenly [m].
    pub apart: f64,
    /// No more than this many.
    pub most: usize,
}

/// How many discs are around one, and where they push it.
#[derive(Clone, Copy)]
struct Press {
    count: usize,
    push: V,
}

impl Press {
    fn on(i: usize, crowd: &Crowd<'_>) -> Self {
        let mut press = Press { count: 0, push: V::zero() };
        crowd.each(i, |arm, square| {
            press.count += 1;
            let distance = square.sqrt();
            if distance > 0.0 {
                press.push -= arm * ((1.0 - distance / crowd.look) / distance);
            }
        });
        press
    }

    fn along(&self, disc: &Shown) -> V {
        self.push - disc.normal * self.push.dot(disc.normal)
    }

    /// Where there is room, if it is on one side.
    fn aside(&self, disc: &Shown) -> Option<V> {
        let push = self.along(disc);
        (push.norm() > ONE_SIDED).then(|| unit(push))
    }

    /// Along the surface.
    fn moves(&self, disc: &Shown, apart: f64) -> V {
        let push = self.along(disc);
        let length = push.norm();
        if length > 0.0 { push * (apart * PUSH * length.min(2.0) / length) } else { V::zero() }
    }
}

/// Thins out, multiplies and pushes apart; `round` makes chance differ from call to call. How many are new.
/// Discs that are not loose are only stood beside; the others are loose afterwards if too few are around them.
pub(super) fn spread(discs: &mut Vec<Shown>, Limits { apart, most }: Limits, round: u64) -> usize {
    let mut presses = vec![Press { count: 0, push: V::zero() }; discs.len()];
    let crowd = Crowd::new(discs, apart);
    par::for_each(&mut presses, |i, press| {
        if discs[i].loose {
            *press = Press::on(i, &crowd);
        }
    });
    let mut out = Vec::with_capacity(discs.len() + discs.len() / 8);
    let chance = |i: usize, k: u64| mixed(mixed(round).wrapping_add(i as u64).wrapping_mul(31).wrapping_add(k));
    let share = |n: u64| n as f64 / u64::MAX as f64;
    let mut grew = 0;
    for (i, disc) in discs.iter().enumerate() {
        if !disc.loose {
            out.push(*disc);
            continue;
        }
        let count = presses[i].count;
        if count > MOST && share(chance(i, 0)) < count as f64 / (2 * MOST) as f64 {
            continue;
        }
        let point = disc.point + presses[i].moves(disc, apart);
        out.push(Shown { point, loose: count < FEWEST + SOON, ..*disc });
        // One at a time and only now and then: the neighbours are about to do the same.
        if count < FEWEST && out.len() < most && share(chance(i, 1)) < (FEWEST - count) as f64 / FEWEST as f64 {
            let aside = presses[i].aside(disc).unwrap_or_else(|| {
                let turn = std::f64::consts::TAU * share(chance(i, 2));
                let (a, b) = frame(disc.normal);
                a * turn.cos() + b * turn.sin()
            });
            out.push(Shown { point: disc.point + aside * apart, ..*disc });
            grew += 1;
        }
    }
    *discs = out;
    grew
}

/// The mean plane of discs around a place, seen from one of them: its centre and normal. `None` where there are none.
pub(super) fn plane(grid: &PointGrid, normals: &[V], x: V, normal: V, size: f64) -> Option<(V, V)> {
    let (mut center, mut mean, mut total) = (V::zero(), V::zero(), 0.0);
    grid.each_within(x, LOOK * size, |j, arm, square| {
        let other = normals[j as usize];
        if normal.dot(other) > SAME_SHEET {
            let weight = (-2.0 * square / (size * size)).exp();
            center += arm * weight;
            mean += other * weight;
            total += weight;
        }
    });
    (total > 1e-12).then(|| (x + center * (1.0 / total), unit(mean)))
}
