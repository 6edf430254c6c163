//! The discs that cracks among phyxels are made of, and what is seen past them: pure functions.

use crate::math::Vec3;

/// How deep under the rim of a disc sight ends, in spacings.
pub(super) const FADE: f64 = 0.25;

/// A disc through which phyxels do not see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its middle in the rest shape [m].
    pub center: Vec3<f64>,
    /// Square to it, a unit vector.
    pub normal: Vec3<f64>,
    /// [m]; infinite for a plane.
    pub radius: f64,
    /// Distance under the rim at which sight ends [m].
    pub fade: f64,
}

impl Disc {
    /// How much one point sees of another: one, or less where the disc is in between.
    pub(super) fn sight(&self, a: Vec3<f64>, b: Vec3<f64>) -> f64 {
        sight_left(self.hidden(a, b))
    }

    /// How deep under the rim the way from one point to another goes through the disc, in depths at which sight ends; zero where
    /// it passes by.
    fn hidden(&self, a: Vec3<f64>, b: Vec3<f64>) -> f64 {
        let (up, down) = ((a - self.center).dot(self.normal), (b - self.center).dot(self.normal));
        if up * down >= 0.0 {
            return 0.0;
        }
        let crossing = a + (b - a) * (up / (up - down));
        let depth = self.radius - (crossing - self.center).norm();
        if depth > 0.0 { depth / self.fade } else { 0.0 }
    }

    /// Whether it lengthens a crack: one that starts is a spacing wide, and a cut wider.
    fn lengthens(&self) -> bool {
        self.radius < 0.9 * self.fade / FADE
    }

    /// How deep under the rim the foot of a point is, likewise; below zero outside, nothing for a plane.
    pub(super) fn depth(&self, x: Vec3<f64>) -> Option<f64> {
        let arm = x - self.center;
        let depth = (self.radius - (arm - self.normal * arm.dot(self.normal)).norm()) / self.fade;
        depth.is_finite().then_some(depth)
    }

    /// Distance of a point from the disc [m].
    pub(super) fn distance(&self, x: Vec3<f64>) -> f64 {
        let arm = x - self.center;
        let height = arm.dot(self.normal);
        let beyond = ((arm - self.normal * height).norm() - self.radius).max(0.0);
        height.hypot(beyond)
    }
}

/// How much is seen of one point from another past some discs.
///
/// What discs hide that lengthen a crack adds up, with what the disc hides that they go on from: where rims overlap by the depth at
/// which sight ends nothing is seen, so that they leave no gap. Discs that started beside each other are cracks of their own, which
/// have their tilts: of them the one counts that hides most, or the halves of a phyxel would be lost between the faces of its neighbours.
pub(super) fn sight_past(discs: &[Disc], a: Vec3<f64>, b: Vec3<f64>) -> f64 {
    let (mut most, mut together) = (0.0f64, 0.0);
    for disc in discs {
        let hidden = disc.hidden(a, b);
        match disc.lengthens() {
            true => together += hidden,
            false => most = most.max(hidden),
        }
    }
    sight_left(most + together)
}

/// How much is seen past what hides so much.
fn sight_left(hidden: f64) -> f64 {
    let left = 1.0 - hidden;
    if left > 0.0 { left * left } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sight_fades_under_the_rim() {
        let disc = Disc { center: Vec3::zero(), normal: Vec3([0.0, 0.0, 1.0]), radius: 1.0, fade: 0.25 };
        let across = |x: f64| disc.sight(Vec3([x, 0.0, 1.0]), Vec3([x, 0.0, -1.0]));
        assert_eq!((across(0.0), across(0.7), across(1.1)), (0.0, 0.0, 1.0));
        assert!(across(0.9) > 0.0 && across(0.9) < across(0.99));
        assert_eq!(disc.sight(Vec3([0.0, 0.0, 1.0]), Vec3([1.0, 0.0, 2.0])), 1.0);
        assert!((disc.distance(Vec3([4.0, 0.0, 4.0])) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn discs_that_lengthen_a_crack_leave_no_gap_and_those_beside_each_other_hide_no_more_than_one() {
        let up = Vec3([0.0, 0.0, 1.0]);
        let disc = |x: f64, radius: f64| Disc { center: Vec3([x, 0.0, 0.0]), normal: up, radius, fade: 0.25 };
        let past = |discs: &[Disc]| sight_past(discs, Vec3([0.0, 0.0, 1.0]), Vec3([0.0, 0.0, -1.0]));
        // The way goes through both a little under their rims.
        let (first, second) = (disc(-0.85, 1.0), disc(0.85, 1.0));
        assert_eq!(past(&[first, second]), past(&[first]));
        assert!(past(&[first]) > 0.1);
        let longer = disc(0.6, 0.75);
        assert_eq!(past(&[first, longer]), 0.0);
        assert_eq!(past(&[longer, first]), 0.0);
        assert!(past(&[longer]) > 0.1);
        // A cut is a plane.
        assert_eq!(past(&[disc(0.0, f64::INFINITY)]), 0.0);
    }
}
