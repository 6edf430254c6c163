//! Where a crack runs on to from its tip, and whether it does: pure functions.
//!
//! At a tip stress grows without bound, as `K/√(2π r)`, so strength cannot say whether a crack runs on: `K` does, when it
//! reaches what `G` says (Irwin 1957). The crack goes on in the direction in which the hoop stress, the one across the ray from the
//! tip, is largest (Erdogan and Sih 1963): straight on where it is pulled open, at 70.5° where it is sheared. Only planes that
//! contain the front of the crack count; others are of no concern to a tip, however much they bear.

use crate::math::{Mat3, Vec3};
use std::f64::consts::{PI, TAU};

/// What one place beside a tip shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// The way to it from the tip [m].
    pub arm: Vec3<f64>,
    /// How much it counts [m³].
    pub volume: f64,
    /// Cauchy stress [Pa].
    pub stress: Mat3<f64>,
}

/// How a crack ends at a tip: two directions that are square to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    /// Along its edge.
    pub along: Vec3<f64>,
    /// From the tip back into the crack.
    pub back: Vec3<f64>,
}

/// How a crack would run on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The intensity of the hoop stress, over that at which the crack runs.
    pub ratio: f64,
    /// Hoop stress [Pa].
    pub stress: f64,
    /// Where to, a unit vector.
    pub ahead: Vec3<f64>,
    /// Square to the crack, a unit vector.
    pub normal: Vec3<f64>,
}

/// Directions that are tried on each side of straight ahead, and how far they go: beyond it a crack would turn back.
const TRIED: i32 = 30;
const FARTHEST: f64 = 0.5 * PI;

/// Places count by the squared cosine of the angle between them and a direction. The mean of the field of a crack that is pulled
/// open is this many times what it is straight ahead; that of a sheared one is largest at 73° instead of 70.5°.
const MEAN_OF_OPENING: f64 = 1.1204;

/// Places nearer to the front than this share of the farthest one show nothing of a direction.
const NEAREST: f64 = 0.05;

/// The direction in which a crack runs on most easily; `toughness` [Pa √m] is what planes with a normal bear. Nothing if no
/// place could show as much as `least` of it.
pub(super) fn run_on(
    front: &Front,
    shown: &[Shown],
    (least, toughness): (f64, impl Fn(Vec3<f64>) -> f64),
) -> Option<Run> {
    let (x, y) = (-front.back, front.along.cross(-front.back));
    let flat = |s: &Shown| (s.arm.dot(x), s.arm.dot(y));
    let radius = |s: &Shown| flat(s).0.hypot(flat(s).1);
    let nearest = NEAREST * shown.iter().map(radius).fold(0.0, f64::max);
    let counts = |s: &&Shown| radius(s) > nearest;
    let worst = |s: &Shown| intensity(largest(flat_stress(s, x, y)), radius(s));
    if shown.iter().filter(counts).map(worst).fold(0.0, f64::max) < least * MEAN_OF_OPENING {
        return None;
    }
    let mut best: Option<Run> = None;
    // From straight ahead outwards, so that of equals the straighter one is taken.
    for k in (0..=TRIED).flat_map(|k| [k, -k]) {
        let (sin, cos) = (FARTHEST * f64::from(k) / f64::from(TRIED)).sin_cos();
        let (mut weight, mut intense, mut hoop) = (0.0, 0.0, 0.0);
        for s in shown.iter().filter(counts) {
            let ((a, b), r) = (flat(s), radius(s));
            let share = ((a * cos + b * sin) / r).max(0.0).powi(2) * s.volume;
            let [xx, xy, yy] = flat_stress(s, x, y);
            let across = sin * sin * xx - 2.0 * sin * cos * xy + cos * cos * yy;
            weight += share;
            hoop += share * across;
            intense += share * intensity(across, r);
        }
        if weight <= 0.0 {
            continue;
        }
        let (ahead, normal) = (x * cos + y * sin, y * cos - x * sin);
        let ratio = intense / (weight * MEAN_OF_OPENING * toughness(normal));
        if best.is_none_or(|b| ratio > b.ratio) {
            best = Some(Run { ratio, stress: hoop / weight, ahead, normal });
        }
    }
    best
}

/// What the field of a tip is made of, as far as the places around it show: how much it is opened and sheared [Pa √m].
///
/// The field of Williams (1957) with its first terms, `K₁`, `K₂` and the stress `T` along the crack, comes as near as it can to all
/// stresses. Waves that pass a running crack are as strong as its own field a few spacings away, and a mean over directions takes
/// them for part of it; most of what they bring is in `T` or in no term at all.
pub(super) fn fitted(front: &Front, shown: &[Shown]) -> Option<[f64; 2]> {
    let (x, y) = (-front.back, front.along.cross(-front.back));
    let (mut normal, mut right) = (Mat3::zero(), Vec3::zero());
    for s in shown {
        let (a, b) = (s.arm.dot(x), s.arm.dot(y));
        let r = a.hypot(b);
        if r <= 0.0 {
            continue;
        }
        let (opened, sheared) = williams(b.atan2(a));
        let scale = (TAU * r).sqrt().recip();
        let stress = flat_stress(s, x, y);
        for k in 0..3 {
            let row = Vec3([opened[k] * scale, sheared[k] * scale, if k == 0 { 1.0 } else { 0.0 }]);
            // Shear counts twice, as in the energy.
            let weight = s.volume * if k == 1 { 2.0 } else { 1.0 };
            normal += Mat3::outer(row, row) * weight;
            right += row * (stress[k] * weight);
        }
    }
    let [first, second, _] = (normal.inverse()? * right).0;
    (first.is_finite() && second.is_finite()).then_some([first, second])
}

/// Stresses xx, xy, yy of a tip that is opened, and of one that is sheared, at an angle to straight ahead, times `√(2π r)/K`.
fn williams(angle: f64) -> ([f64; 3], [f64; 3]) {
    let ((s, c), (s3, c3)) = ((0.5 * angle).sin_cos(), (1.5 * angle).sin_cos());
    ([c * (1.0 - s * s3), s * c * c3, c * (1.0 + s * s3)], [-s * (2.0 + c * c3), c * (1.0 - s * s3), s * c * c3])
}

/// The direction in which a crack runs on most easily that is opened and sheared by so much [Pa √m]; `radius` is where its stress
/// is told [m].
pub(super) fn run_by_intensity(
    front: &Front,
    [opened, sheared]: [f64; 2],
    radius: f64,
    toughness: impl Fn(Vec3<f64>) -> f64,
) -> Option<Run> {
    let (x, y) = (-front.back, front.along.cross(-front.back));
    let mut best: Option<Run> = None;
    for k in (0..=TRIED).flat_map(|k| [k, -k]) {
        let angle = FARTHEST * f64::from(k) / f64::from(TRIED);
        let (sin, cos) = angle.sin_cos();
        // The hoop stress times √(2π r) (Erdogan and Sih 1963, eq. 1).
        let half = (0.5 * angle).cos();
        let intense = half * (opened * half * half - 1.5 * sheared * sin);
        let (ahead, normal) = (x * cos + y * sin, y * cos - x * sin);
        let ratio = intense / toughness(normal);
        if best.is_none_or(|b| ratio > b.ratio) {
            best = Some(Run { ratio, stress: intense / (TAU * radius).sqrt(), ahead, normal });
        }
    }
    best
}

/// What a stress at a distance from a tip says about `K` [Pa √m].
fn intensity(stress: f64, distance: f64) -> f64 {
    stress * (TAU * distance).sqrt()
}

/// Stress in the plane of two directions: xx, xy, yy.
fn flat_stress(s: &Shown, x: Vec3<f64>, y: Vec3<f64>) -> [f64; 3] {
    let (of_x, of_y) = (s.stress * x, s.stress * y);
    [x.dot(of_x), x.dot(of_y), y.dot(of_y)]
}

/// The larger principal stress in a plane.
fn largest([xx, xy, yy]: [f64; 3]) -> f64 {
    0.5 * (xx + yy) + (0.5 * (xx - yy)).hypot(xy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT: Front = Front { along: Vec3([0.0, 0.0, 1.0]), back: Vec3([-1.0, 0.0, 0.0]) };

    /// The field around a tip that is opened and sheared by so much [Pa √m] (Williams 1957, first terms), at many places.
    fn field(opened: f64, sheared: f64) -> Vec<Shown> {
        let places = (1..3).flat_map(|r| (-180..180).map(move |k| (0.1 * f64::from(r), PI * f64::from(k) / 180.0)));
        let stress = |r: f64, t: f64| {
            let ((s, c), (s3, c3)) = ((0.5 * t).sin_cos(), (1.5 * t).sin_cos());
            let of_opening = [c * (1.0 - s * s3), s * c * c3, c * (1.0 + s * s3)];
            let of_shear = [-s * (2.0 + c * c3), c * (1.0 - s * s3), s * c * c3];
            let [xx, xy, yy] = [0, 1, 2].map(|k| (opened * of_opening[k] + sheared * of_shear[k]) / (TAU * r).sqrt());
            Mat3([[xx, xy, 0.0], [xy, yy, 0.0], [0.0, 0.0, 0.3 * (xx + yy)]])
        };
        // Farther along the front: that must not matter.
        let at = |r: f64, t: f64| Vec3([r * t.cos(), r * t.sin(), 0.3 * r]);
        places.map(|(r, t)| Shown { arm: at(r, t), volume: r, stress: stress(r, t) }).collect()
    }

    fn angle(run: &Run) -> f64 {
        run.ahead[1].atan2(run.ahead[0]).to_degrees()
    }

    #[test]
    fn a_crack_that_is_pulled_open_goes_straight_on_at_its_toughness() {
        let run = run_on(&FRONT, &field(2e6, 0.0), (0.0, |_| 1e6)).expect("ahead");
        assert!((run.ratio - 2.0).abs() < 1e-3 && angle(&run).abs() < 1e-9, "{run:?}");
        assert!((run.normal - Vec3([0.0, 1.0, 0.0])).norm() < 1e-12);
        // Pressed together it does not run at all.
        assert!(run_on(&FRONT, &field(-2e6, 0.0), (0.0, |_| 1e6)).is_none_or(|run| run.ratio < 0.5));
    }

    #[test]
    fn a_crack_that_is_sheared_turns_by_seventy_degrees() {
        for shear in [1e6, -1e6] {
            let run = run_on(&FRONT, &field(0.0, shear), (0.0, |_| 1e6)).expect("ahead");
            // 70.5° and 2/√3 for a point; the mean is a little more.
            assert!((angle(&run) + 72.0 * shear.signum()).abs() < 3.1, "{run:?}");
            assert!((run.ratio * 3f64.sqrt() / 2.0 - 1.0).abs() < 0.1, "{run:?}");
            assert!(run.ahead.dot(run.normal).abs() < 1e-12 && run.normal.dot(FRONT.along) == 0.0);
        }
        // Half and half: 53.1° (Erdogan and Sih 1963).
        let run = run_on(&FRONT, &field(1e6, -1e6), (0.0, |_| 1e6)).expect("ahead");
        assert!((angle(&run) - 53.1).abs() < 5.0, "{run:?}");
    }

    #[test]
    fn the_field_is_taken_apart_whatever_acts_along_the_crack() {
        for (opened, sheared, along) in [(2e6, 0.0, 0.0), (1e6, -1e6, 3e6), (0.0, 1e6, -5e6)] {
            let mut shown = field(opened, sheared);
            shown.iter_mut().for_each(|s| s.stress.0[0][0] += along);
            let [first, second] = fitted(&FRONT, &shown).expect("places on all sides");
            assert!((first - opened).abs() < 1.0 && (second - sheared).abs() < 1.0, "{first} {second}");
        }
        assert!(fitted(&FRONT, &[]).is_none());
        let turned = |intensities| angle(&run_by_intensity(&FRONT, intensities, 1.0, |_| 1e6).expect("a direction"));
        // Opened, sheared, and half and half (Erdogan and Sih 1963).
        for (intensities, expected) in [([1e6, 0.0], 0.0), ([0.0, 1e6], -70.5), ([1e6, -1e6], 53.1)] {
            assert!((turned(intensities) - expected).abs() < 1.6, "{intensities:?}: {}", turned(intensities));
        }
    }

    #[test]
    fn a_crack_follows_the_plane_that_bears_less() {
        let weak = Vec3([0.6f64.sin(), 0.6f64.cos(), 0.0]);
        let toughness = |n: Vec3<f64>| 1e6 * (1.0 - 0.8 * n.dot(weak).powi(8));
        let run = run_on(&FRONT, &field(1e6, 0.0), (0.0, toughness)).expect("ahead");
        assert!(run.normal.dot(weak).abs() > 0.97, "{run:?}");
    }

    #[test]
    fn little_stress_is_not_looked_at_closely() {
        assert!(run_on(&FRONT, &field(1e5, 0.0), (1e6, |_| 1e6)).is_none());
        assert!(run_on(&FRONT, &field(1.1e6, 0.0), (1e6, |_| 1e6)).is_some_and(|run| run.ratio > 1.0));
        assert!(run_on(&FRONT, &[], (0.0, |_| 1e6)).is_none());
    }
}
