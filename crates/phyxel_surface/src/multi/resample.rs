//! Discs spread evenly over a surface: those too close to another go, gaps are filled, all push each other apart
//! (Müller et al. 2004, section 5.2.4).

use super::Shown;
use super::crowd::{Crowd, LOOK, SAME_SHEET};
use crate::grid::PointGrid;
use crate::mesh::unit;
use crate::surfels::frame;
use phyxel::math::Vec3;
use phyxel::par;

type V = Vec3<f64>;

/// Of two discs closer than this, in distances between discs, one goes.
const CLOSE: f32 = 0.8;
/// A gap is filled with a disc this far from the one at its rim,
const STEP: f64 = 1.0;
/// if no other is closer to it than this.
const ROOM: f32 = 0.9;
/// Directions that are told apart around a disc, and how many of them are empty at a gap. Around a place that no disc covers,
/// the nearest one has nobody within 104 degrees as far as it looks.
const SECTORS: u32 = 16;
const EMPTY: u32 = 4;
/// Rounds in which gaps grow closed: one distance from every side in each.
const ROUNDS: usize = 40;
/// How far a disc is pushed by its neighbours, as a part of the distance between discs.
const PUSH: f64 = 0.25;
/// Discs that one is too close to, at most.
const RIVALS: usize = 4;
const NOBODY: u32 = u32::MAX;

/// How discs are spread.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Least distance between two that are spread evenly [m].
    pub apart: f64,
    /// No more than this many.
    pub most: usize,
    /// Frames so far: which of the calm discs are looked at.
    pub round: u64,
}

/// What a disc sees around itself.
#[derive(Clone, Copy)]
struct Ring {
    /// Where its neighbours push it.
    push: V,
    /// Discs that were there before it and are too close.
    rivals: [u32; RIVALS],
    /// Where nobody is.
    gap: Option<V>,
}

impl Ring {
    const NONE: Ring = Ring { push: Vec3([0.0; 3]), rivals: [NOBODY; RIVALS], gap: None };

    fn around(i: usize, disc: &Shown, crowd: &Crowd) -> Self {
        let (a, b) = frame(disc.normal);
        let [right, up] = [a, b].map(|axis| axis.0.map(|c| c as f32));
        let (mut push, mut rivals, mut rival_count) = ([0.0_f32; 3], [NOBODY; RIVALS], 0);
        let mut taken = 0_u32;
        crowd.each_around(i, LOOK, |j, arm, square| {
            let distance = square.sqrt();
            let away = if distance > 0.0 { (1.0 - distance / LOOK) / distance } else { 0.0 };
            (0..3).for_each(|k| push[k] -= arm[k] * away);
            if distance < CLOSE && j < i && rival_count < RIVALS {
                rivals[rival_count] = j as u32;
                rival_count += 1;
            }
            let along = |axis: [f32; 3]| arm[0] * axis[0] + arm[1] * axis[1] + arm[2] * axis[2];
            taken |= 1 << sector(along(right), along(up));
        });
        let push = Vec3(push.map(f64::from));
        let gap = middle_of_gap(taken).map(|turn| a * turn.cos() + b * turn.sin());
        Ring { push: push - disc.normal * push.dot(disc.normal), rivals, gap }
    }

    /// Along the surface [m].
    fn moves(&self, apart: f64) -> V {
        let length = self.push.norm();
        if length > 0.0 { self.push * (apart * PUSH * length.min(1.0) / length) } else { V::zero() }
    }
}

/// In which of the directions around a disc a place lies.
fn sector(x: f32, y: f32) -> u32 {
    let size = x.abs() + y.abs();
    // From zero to four all around, nearly as the angle does.
    let turn = match (size > 0.0, x >= 0.0) {
        (false, _) => 0.0,
        (true, true) => 1.0 + y / size,
        (true, false) => 3.0 - y / size,
    };
    ((turn * (SECTORS / 4) as f32) as u32).min(SECTORS - 1)
}

/// The angle in the middle of the widest gap among directions that are taken, if it is wide enough.
fn middle_of_gap(taken: u32) -> Option<f64> {
    let around = u64::from(taken) | u64::from(taken) << SECTORS;
    let (mut widest, mut middle, mut run) = (0, 0.0, 0);
    for k in 0..2 * SECTORS {
        run = if around >> k & 1 == 1 { 0 } else { run + 1 };
        if run > widest && run <= SECTORS {
            (widest, middle) = (run, f64::from(k + 1) - 0.5 * f64::from(run));
        }
    }
    // Sectors begin at the lower end of the second axis.
    let turn = middle / f64::from(SECTORS) * std::f64::consts::TAU - 0.5 * std::f64::consts::PI;
    (widest >= EMPTY).then_some(turn)
}

/// Thins out, fills gaps and pushes apart. `settle` puts a disc onto the surface and says whether that is possible; `seeds`
/// are places of the surface, in case that no disc is anywhere near.
pub(super) fn spread(
    discs: &mut Vec<Shown>,
    Limits { apart, most, round }: Limits,
    seeds: &[Shown],
    settle: &(impl Fn(&mut Shown) -> bool + Sync),
) {
    let mut crowd = Crowd::new(discs, apart);
    let mut rings = vec![Ring::NONE; discs.len()];
    par::for_each(&mut rings, |i, ring| {
        // Gaps do not open, nor do crowds gather, around a disc that has hardly changed since the last frame.
        if (i as u64 ^ round) & 1 == 0 || !discs[i].is_calm() {
            *ring = Ring::around(i, &discs[i], &crowd);
        }
    });
    let mut kept = vec![true; discs.len()];
    for (i, ring) in rings.iter().enumerate() {
        if ring.rivals.iter().take_while(|j| **j != NOBODY).any(|j| kept[*j as usize]) {
            kept[i] = false;
            crowd.remove(i);
        }
    }
    let early = discs.len();
    fill((discs, &kept), &mut crowd, &rings, seeds, most, settle);
    let moved = |(i, disc): (usize, &Shown)| {
        let by = rings.get(i).map_or(V::zero(), |ring| ring.moves(apart));
        (i >= early || kept[i]).then(|| Shown { point: disc.point + by, ..*disc })
    };
    *discs = discs.iter().enumerate().filter_map(moved).collect();
}

/// Adds discs where there are gaps, beside those at their rims, until they are closed.
fn fill(
    (discs, kept): (&mut Vec<Shown>, &[bool]),
    crowd: &mut Crowd,
    rings: &[Ring],
    seeds: &[Shown],
    most: usize,
    settle: &(impl Fn(&mut Shown) -> bool + Sync),
) {
    let apart = crowd.length([1.0, 0.0, 0.0]).norm();
    let mut front: Vec<(usize, Option<V>)> =
        (0..rings.len()).filter(|i| kept[*i]).filter_map(|i| Some((i, Some(rings[i].gap?)))).collect();
    let mut count = kept.iter().filter(|k| **k).count();
    for seed in seeds {
        if count < most && crowd.has_room(seed, LOOK) {
            front.push((discs.len(), None));
            crowd.add(seed);
            discs.push(*seed);
            count += 1;
        }
    }
    for _ in 0..ROUNDS {
        let mut proposals: Vec<Option<Shown>> = vec![None; front.len()];
        par::for_each(&mut proposals, |k, out| {
            let (i, gap) = front[k];
            let gap = gap.or_else(|| Ring::around(i, &discs[i], crowd).gap);
            *out = gap.and_then(|gap| propose(&discs[i], gap * (STEP * apart), crowd, settle));
        });
        let mut next = Vec::new();
        for (k, proposal) in proposals.iter().enumerate() {
            let Some(new) = proposal else { continue };
            if count < most && crowd.has_room(new, ROOM) {
                // Its parent may have more than one gap.
                next.push((front[k].0, None));
                next.push((discs.len(), None));
                crowd.add(new);
                discs.push(*new);
                count += 1;
            }
        }
        if next.is_empty() {
            return;
        }
        front = next;
    }
}

/// A disc beside one at a gap, if there is room.
fn propose(disc: &Shown, arm: V, crowd: &Crowd, settle: &impl Fn(&mut Shown) -> bool) -> Option<Shown> {
    let mut new = Shown { point: disc.point + arm, ..*disc };
    if !crowd.has_room(&new, ROOM) {
        return None;
    }
    settle(&mut new).then_some(new)
}

/// The mean plane of discs around a place, seen from one of them: its centre and normal. `None` where there are none.
pub(super) fn plane(grid: &PointGrid, normals: &[V], x: V, normal: V, size: f64) -> Option<(V, V)> {
    let (mut center, mut mean, mut total) = (V::zero(), V::zero(), 0.0);
    grid.each_within(x, 2.0 * size, |j, arm, square| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_found_where_nobody_is() {
        assert_eq!(middle_of_gap(u32::MAX >> 16), None);
        assert!(middle_of_gap(0).is_some(), "alone");
        for k in 0..64 {
            let turn = std::f64::consts::TAU * f64::from(k) / 64.0;
            let (s, c) = turn.sin_cos();
            // Only one neighbour: the gap is opposite.
            let found = middle_of_gap(1 << sector(c as f32, s as f32)).expect("a gap");
            let along = (found - turn).cos();
            assert!(along < -0.9, "{turn}: {found}");
        }
        // Three neighbours all around leave gaps of 120 degrees, six leave none.
        let ring = |n: u32| {
            (0..n).fold(0, |bits, k| {
                let (s, c) = (0.1 + std::f32::consts::TAU * k as f32 / n as f32).sin_cos();
                bits | 1 << sector(c, s)
            })
        };
        assert!(middle_of_gap(ring(3)).is_some());
        assert_eq!(middle_of_gap(ring(6)), None);
    }

    #[test]
    fn a_large_hole_in_a_plane_grows_closed_and_crowds_are_thinned() {
        let disc = |x: f64, y: f64| Shown {
            point: Vec3([x, y, 0.0]),
            normal: Vec3([0.0, 0.0, 1.0]),
            colour: [1.0; 3],
            area: 1.0,
        };
        let mut discs: Vec<Shown> = (0..1600).map(|i| disc(f64::from(i % 40), f64::from(i / 40))).collect();
        discs.retain(|d| (d.point - Vec3([20.0, 20.0, 0.0])).norm() > 9.0);
        // A crowd in one corner.
        discs.extend((0..300).map(|i| disc(3.0 + 0.1 * f64::from(i % 20), 3.0 + 0.1 * f64::from(i / 20))));
        let inside = |s: &mut Shown| (0..2).all(|a| s.point[a] > -0.5 && s.point[a] < 39.5);
        for round in 0..6 {
            spread(&mut discs, Limits { apart: 1.0, most: 5000, round }, &[], &inside);
        }
        let points: Vec<[f64; 3]> = discs.iter().map(|d| d.point.0).collect();
        let grid = PointGrid::new(&points, 1.0);
        let farthest = (0..90_000)
            .map(|i| Vec3([2.0 + 0.12 * f64::from(i % 300), 2.0 + 0.12 * f64::from(i / 300), 0.0]))
            .filter_map(|x| grid.nearest(x))
            .fold(0.0, |most, n| n.1.max(most));
        assert!(farthest < 1.3, "{farthest}");
        assert!(discs.len() < 2200, "{}", discs.len());
    }
}
