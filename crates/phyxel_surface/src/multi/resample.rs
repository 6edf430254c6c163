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
/// More than this: it may go. The evenly laid discs of the beginning have about nine.
const MOST: usize = 11;
/// Discs whose normals differ by more than this cosine are on another sheet.
const SAME_SHEET: f64 = 0.2;
/// How far a disc is pushed by its neighbours, as a part of that distance.
const PUSH: f64 = 0.25;

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

/// Pushes discs apart along the surface.
pub(super) fn repel(discs: &mut Vec<Shown>, size: f64) {
    let crowd = Crowd::new(discs, size);
    let mut moved = discs.clone();
    par::for_each(&mut moved, |i, disc| {
        let mut push = V::zero();
        crowd.each(i, |arm, square| {
            let distance = square.sqrt();
            if distance > 0.0 {
                push -= arm * ((1.0 - distance / crowd.look) / distance);
            }
        });
        push = push - disc.normal * push.dot(disc.normal);
        let length = push.norm();
        if length > 0.0 {
            disc.point += push * (size * PUSH * length.min(2.0) / length);
        }
    });
    *discs = moved;
}

/// Thins out and multiplies; `round` makes chance differ from call to call. Whether anything is new.
pub(super) fn recount(discs: &mut Vec<Shown>, size: f64, most: usize, round: u64) -> bool {
    let mut counts = vec![0_usize; discs.len()];
    let crowd = Crowd::new(discs, size);
    par::for_each(&mut counts, |i, count| crowd.each(i, |_, _| *count += 1));
    let mut out = Vec::with_capacity(discs.len());
    let chance = |i: usize, k: u64| mixed(mixed(round).wrapping_add(i as u64).wrapping_mul(31).wrapping_add(k));
    let share = |n: u64| n as f64 / u64::MAX as f64;
    let mut grew = false;
    for (i, disc) in discs.iter().enumerate() {
        let count = counts[i];
        if count > MOST && share(chance(i, 0)) < count as f64 / (2 * MOST) as f64 {
            continue;
        }
        out.push(*disc);
        // One at a time and only now and then: the neighbours are about to do the same.
        if count < FEWEST && out.len() < most && share(chance(i, 1)) < (FEWEST - count) as f64 / FEWEST as f64 {
            let turn = std::f64::consts::TAU * share(chance(i, 2));
            let (a, b) = frame(disc.normal);
            out.push(Shown { point: disc.point + (a * turn.cos() + b * turn.sin()) * size, ..*disc });
            grew = true;
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
