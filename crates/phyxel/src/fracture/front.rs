//! Where the cracks of phyxels end inside matter: points along the rims of their discs.
//!
//! A front follows from the discs alone, in their order, so a snapshot that plays them again finds the same one. Rims are
//! looked at about a spacing apart; where another disc goes on, or matter ends, there is no front.

use super::points::{Crack, Disc};
use crate::math::Vec3;

/// Rims nearer to another disc than this, in spacings, are covered by it.
const COVERED: f64 = 0.3;
/// Points of a front are no nearer to each other than this, in spacings.
const APART: f64 = 0.6;
/// A place is in matter where a phyxel is as near as this, in spacings,
const INSIDE: f64 = 0.6;
/// or where those within so many spacings lie on all sides of it: their mean is as near as this.
const AMONG: f64 = 1.2;
const ON_ALL_SIDES: f64 = 0.35;
/// Discs of less than so many spacings are looked at all around; of larger ones, only what is beside phyxels.
const SMALL: f64 = 3.0;
/// Looks around a small disc.
const AROUND: i32 = 8;

/// How large the disc of a crack is that runs on from its front, and how far it reaches back behind it, in spacings. That is where
/// sight fades, so that discs leave no gap; it is short, so that a crack that turns leaves no second one behind.
const RADIUS: f64 = 0.75;
const BACK: f64 = 0.25;

/// A place at which a crack ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontPoint {
    /// Where, in the rest shape [m].
    pub at: Vec3<f64>,
    /// Square to the crack, and back into it: unit vectors.
    pub normal: Vec3<f64>,
    pub back: Vec3<f64>,
    /// The phyxel of the unbroken body that is nearest, and how far apart they are there [m].
    pub near: u32,
    pub spacing: f64,
}

impl FrontPoint {
    /// The disc of a crack that runs on from here.
    pub fn disc(&self, normal: Vec3<f64>, ahead: Vec3<f64>, fade: f64) -> Disc {
        let ahead = (ahead - normal * ahead.dot(normal)).normalized();
        let center = self.at + ahead * ((RADIUS - BACK) * self.spacing);
        Disc { center, normal, radius: RADIUS * self.spacing, fade }
    }

    /// How far such a crack runs [m].
    pub fn advance(spacing: f64) -> f64 {
        (2.0 * RADIUS - BACK) * spacing
    }
}

/// All places at which the cracks of a body end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fronts {
    /// The latest last.
    pub points: Vec<FrontPoint>,
}

impl Fronts {
    /// Follows the last of all cracks among phyxels of the unbroken body, which are at `places`, so far apart.
    pub fn follow(&mut self, cracks: &[Crack], (places, spacings): (&[Vec3<f64>], &[f64])) {
        let Some((Crack { disc, at, .. }, others)) = cracks.split_last() else { return };
        let typical = spacings.get(*at as usize).or(spacings.first()).copied().unwrap_or(0.0);
        let (mut from, mut count) = (Vec3::zero(), 0.0);
        self.points.retain(|p| {
            let stays = disc.distance(p.at) > COVERED * p.spacing;
            if !stays {
                (from, count) = (from + p.at, count + 1.0);
            }
            stays
        });
        let reach = disc.radius + typical;
        let near = |x: &Vec3<f64>| (*x - disc.center).norm() < reach + AMONG * typical;
        let around: Vec<u32> = (0..).zip(places).filter(|(_, x)| near(x)).map(|(n, _)| n).collect();
        let mut add = |toward: Vec3<f64>| self.add(toward, disc, others, (&around, places, spacings));
        if disc.radius < SMALL * typical {
            // From where the crack runs to outwards.
            let first = if count > 0.0 { disc.center - from * (1.0 / count) } else { Vec3::zero() };
            let [first, second] = axes(disc.normal, first);
            for k in (0..=AROUND / 2).flat_map(|k| [k, -k]) {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
                add(first * cos + second * sin);
            }
        } else if disc.radius.is_finite() {
            for n in &around {
                let arm = places[*n as usize] - disc.center;
                let flat = arm - disc.normal * arm.dot(disc.normal);
                if (arm - flat.normalized() * disc.radius).norm() < spacings[*n as usize] {
                    add(flat.normalized());
                }
            }
        }
    }

    /// Adds the point of a rim in a direction, if the crack ends there inside matter.
    fn add(
        &mut self,
        toward: Vec3<f64>,
        disc: &Disc,
        others: &[Crack],
        (around, places, spacings): (&[u32], &[Vec3<f64>], &[f64]),
    ) {
        let at = disc.center + toward * disc.radius;
        let distance = |n: &u32| (places[*n as usize] - at).norm();
        let Some(near) = around.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)))
        else {
            return;
        };
        let spacing = spacings[near as usize];
        let is_known = |p: &FrontPoint| (p.at - at).norm() < APART * spacing;
        let is_covered = |c: &Crack| c.disc.distance(at) < COVERED * spacing;
        let is_among = || {
            let among = around.iter().filter(|n| distance(n) < AMONG * spacing);
            let (sum, count) = among.fold((Vec3::zero(), 0.0), |(s, c), n| (s + (places[*n as usize] - at), c + 1.0));
            sum.norm() < ON_ALL_SIDES * spacing * count
        };
        let is_inside = distance(&near) < INSIDE * spacing || is_among();
        if is_inside && !self.points.iter().any(is_known) && !others.iter().any(is_covered) {
            self.points.push(FrontPoint { at, normal: disc.normal, back: -toward, near, spacing });
        }
    }

    /// Whether a crack ends within a distance of a place.
    pub fn are_near(&self, x: Vec3<f64>, distance: f64) -> bool {
        self.points.iter().any(|p| (p.at - x).norm() < distance)
    }
}

/// Two directions in a plane that are square to each other, the first as near to a wish as can be.
pub(super) fn axes(normal: Vec3<f64>, wish: Vec3<f64>) -> [Vec3<f64>; 2] {
    let flat = wish - normal * wish.dot(normal);
    let first = match flat.norm() > 1e-9 * wish.norm().max(f64::MIN_POSITIVE) {
        true => flat.normalized(),
        false => {
            let axis = (0..3).min_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs())).unwrap_or(0);
            let mut along = Vec3::zero();
            along.0[axis] = 1.0;
            (along - normal * normal[axis]).normalized()
        }
    };
    [first, normal.cross(first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phyxels of a slab, one unit apart: x and y from 0 to 10, z from 0 to 1.
    fn slab() -> (Vec<Vec3<f64>>, Vec<f64>) {
        let place = |k: i32| Vec3([k % 11, k / 11 % 11, k / 121].map(f64::from));
        ((0..242).map(place).collect(), vec![1.0; 242])
    }

    fn crack(disc: Disc) -> Crack {
        Crack { disc, splits: Vec::new(), at: 0 }
    }

    #[test]
    fn a_front_runs_on_with_its_discs_and_leaves_none_behind() {
        let (places, spacings) = slab();
        let up = Vec3([0.0, 1.0, 0.0]);
        let notch = Disc { center: Vec3([-100.0, 5.5, 0.5]), normal: up, radius: 103.5, fade: 0.25 };
        let (mut cracks, mut fronts) = (vec![crack(notch)], Fronts::default());
        fronts.follow(&cracks, (&places, &spacings));
        assert_eq!(fronts.points.len(), 2, "one at each layer: {fronts:?}");
        assert!(fronts.points.iter().all(|p| (p.at[0] - 3.5).abs() < 0.01 && p.back[0] < -0.99));
        for turn in [70f64, 70.0, 60.0, 40.0] {
            let (sin, cos) = turn.to_radians().sin_cos();
            let (normal, ahead) = (Vec3([-sin, cos, 0.0]), Vec3([cos, sin, 0.0]));
            for p in fronts.points.clone() {
                cracks.push(crack(p.disc(normal, ahead, 0.25)));
                fronts.follow(&cracks, (&places, &spacings));
            }
            assert_eq!(fronts.points.len(), 2, "{turn}: {fronts:?}");
            assert!(fronts.points.iter().all(|p| p.back.dot(ahead) < -0.99), "{turn}: {fronts:?}");
        }
        // Four times as far as one runs, but for the turns.
        let tip = fronts.points[0].at - Vec3([3.5, 5.5, fronts.points[0].at[2]]);
        assert!((tip.norm() / (4.0 * FrontPoint::advance(1.0)) - 0.98).abs() < 0.02, "{tip:?}");
    }

    #[test]
    fn a_crack_through_all_matter_has_no_front() {
        let (places, spacings) = slab();
        let mut fronts = Fronts::default();
        for radius in [f64::INFINITY, 50.0] {
            let disc = Disc { center: Vec3([5.0, 5.5, 0.5]), normal: Vec3([0.0, 1.0, 0.0]), radius, fade: 0.25 };
            fronts.follow(&[crack(disc)], (&places, &spacings));
            assert!(fronts.points.is_empty(), "{radius}");
        }
        // One inside has it on all sides.
        let disc = Disc { center: Vec3([5.0, 5.0, 0.5]), normal: Vec3([0.0, 0.0, 1.0]), radius: 1.0, fade: 0.25 };
        fronts.follow(&[crack(disc)], (&places, &spacings));
        let sum = fronts.points.iter().fold(Vec3::zero(), |sum, p| sum + p.back);
        assert!(fronts.points.len() > 3 && sum.norm() < 0.1, "{fronts:?}");
    }
}
