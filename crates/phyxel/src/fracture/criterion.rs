//! From stress to cracks: pure functions.

use crate::math::{Mat3, Real, Scalar, Vec3, eigen_symmetric};

/// What matter bears at one place, now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Tensile strength [Pa]; across the grain where there is one.
    pub across: f64,
    /// The present direction of the grain, a unit vector, and the strength along it [Pa].
    pub along: Option<(Vec3<f64>, f64)>,
}

/// How near matter is to breaking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Danger {
    /// Stress over strength, on the plane where that is largest; it breaks at one.
    pub ratio: f64,
    /// Square to that plane, a unit vector.
    pub normal: Vec3<f64>,
}

/// The plane on which the normal stress comes nearest to the strength.
///
/// A plane with normal `n` bears `f(n) = across (1 − c²) + along c²`, with `c = n · grain`. In coordinates that are
/// stretched by the square root of the strength, `f` is one in all directions, so the plane is found by one
/// eigen-decomposition of `S σ S` with `S = across^(−½) (I − g gᵀ) + along^(−½) g gᵀ`.
pub fn danger(stress: &Mat3<f64>, strength: &Strength) -> Danger {
    let Some((grain, along)) = strength.along else {
        let (value, normal) = principal(stress);
        return Danger { ratio: value / strength.across, normal: pointed(normal) };
    };
    let (a, b) = (strength.across.sqrt().recip(), along.sqrt().recip());
    let scale = Mat3::scaled_identity(a) + Mat3::outer(grain, grain) * (b - a);
    let (ratio, direction) = principal(&(scale * *stress * scale).symmetric_part());
    Danger { ratio, normal: pointed((scale * direction).normalized()) }
}

/// Numbers that no direction of a lattice is square to.
const ASKEW: Vec3<f64> = Vec3([1.0, 0.754_877_666_2, 0.569_840_291]);

/// A direction or its opposite, whichever does not depend on how it was found: the sides of a crack have a first and a second,
/// on devices as here.
fn pointed(direction: Vec3<f64>) -> Vec3<f64> {
    if direction.dot(ASKEW) < 0.0 { -direction } else { direction }
}

/// The largest principal stress is told apart from the others without an eigen-decomposition where it differs from them by
/// about this share of them, and steps of Newton's method that suffice for that.
const TELLING: f64 = 1e-2;
const STEPS: usize = 12;

/// The largest principal value of a symmetric matrix and its direction, a unit vector.
///
/// A break asks for this once per node. The characteristic polynomial is convex above its largest root, so Newton's method
/// comes down to it from [`principal_bound`]; the direction is square to two rows of `σ − λ I` (Kopp 2008, section 3.2).
/// Where the two largest values are close to each other that is ill-conditioned, and all are found by rotations.
pub fn principal(stress: &Mat3<f64>) -> (f64, Vec3<f64>) {
    let all = || {
        let (values, vectors) = eigen_symmetric(stress);
        (values[0], vectors.column(0))
    };
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = stress.0;
    let mean = (xx + yy + zz) / 3.0;
    let (dx, dy, dz) = (xx - mean, yy - mean, zz - mean);
    let j2 = 0.5 * (dx * dx + dy * dy + dz * dz) + xy * xy + xz * xz + yz * yz;
    let j3 = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
    // Of the deviator: λ³ − J₂ λ − J₃ = 0.
    let start = (4.0 / 3.0 * j2).sqrt();
    let mut value = start;
    for _ in 0..STEPS {
        let slope = 3.0 * value * value - j2;
        let step = (value * (value * value - j2) - j3) / slope;
        value -= step;
        if step.abs() <= 1e-15 * start {
            break;
        }
    }
    let rows = [Vec3([dx - value, xy, xz]), Vec3([xy, dy - value, yz]), Vec3([xz, yz, dz - value])];
    let products = [rows[0].cross(rows[1]), rows[1].cross(rows[2]), rows[2].cross(rows[0])];
    let sizes = products.map(|p| p.norm_squared());
    let best = if sizes[0] >= sizes[1] && sizes[0] >= sizes[2] { 0 } else { 1 + (sizes[2] > sizes[1]) as usize };
    // The longest product is at least a third of (λ₁ − λ₂)(λ₁ − λ₃), and the second factor at least √J₂.
    if sizes[best].sqrt() > TELLING * j2 { (mean + value, products[best].normalized()) } else { all() }
}

/// An upper bound of the largest principal stress that costs no eigenvalues: `tr/3 + √(4 J₂/3)`.
#[inline(always)]
pub fn principal_bound(stress: &Mat3<f64>) -> f64 {
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = stress.0;
    let mean = (xx + yy + zz) / 3.0;
    let (dx, dy, dz) = (xx - mean, yy - mean, zz - mean);
    let shear = 0.25 * ((xy + yx).powi(2) + (xz + zx).powi(2) + (yz + zy).powi(2));
    let j2 = 0.5 * (dx * dx + dy * dy + dz * dz) + shear;
    mean + (4.0 / 3.0 * j2).sqrt()
}

/// Whether the largest principal stress reaches `least` [Pa], without eigenvalues: it does where `least · I − σ` is not
/// positive definite, which its leading minors tell (Sylvester's criterion).
#[inline(always)]
pub fn reaches(stress: &Mat3<f64>, least: f64) -> bool {
    !is_definite(minors(stress, least.min(STRONGEST)))
}

/// Nothing bears more [Pa]; its third power is still a number in any precision.
pub const STRONGEST: f64 = 1e12;

/// The leading minors of `bar · I − σ`.
#[inline(always)]
pub(super) fn minors<S: Scalar>(stress: &Mat3<S>, bar: S) -> [S; 3] {
    let [a, b, c] = [0, 1, 2].map(|k| bar - stress.0[k][k]);
    let half = S::of(0.5);
    let [d, e, f] = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (stress.0[i][j] + stress.0[j][i]) * half);
    let second = a * b - d * d;
    let third = second * c - (a * f + d * e) * f - (b * e + d * f) * e;
    [a, second, third]
}

/// Whether these are the minors of a positive definite matrix.
#[inline(always)]
pub(super) fn is_definite<R: Real>([first, second, third]: [R; 3]) -> bool {
    first > R::zero() && second > R::zero() && third > R::zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRESS: Mat3<f64> = Mat3([[3.0, 1.0, -0.5], [1.0, -2.0, 0.7], [-0.5, 0.7, 1.0]]);

    /// The largest ratio over many directions: shares no code with the decomposition.
    fn searched(strength: &Strength) -> f64 {
        let mut best: f64 = f64::NEG_INFINITY;
        for i in 0..400 {
            for j in 0..200 {
                let (a, b) = (i as f64 * std::f64::consts::TAU / 400.0, j as f64 * std::f64::consts::PI / 200.0);
                let n = Vec3([a.cos() * b.sin(), a.sin() * b.sin(), b.cos()]);
                let c2 = strength.along.map_or(0.0, |(g, _)| n.dot(g).powi(2));
                let bears = strength.across * (1.0 - c2) + strength.along.map_or(0.0, |(_, s)| s * c2);
                best = best.max(n.dot(STRESS * n) / bears);
            }
        }
        best
    }

    #[test]
    fn the_most_endangered_plane_is_found() {
        let grain = Vec3([0.6, 0.0, 0.8]);
        for strength in [Strength { across: 2.0, along: None }, Strength { across: 2.0, along: Some((grain, 20.0)) }] {
            let found = danger(&STRESS, &strength);
            assert!((found.ratio / searched(&strength) - 1.0).abs() < 1e-3, "{found:?}");
            let c2 = strength.along.map_or(0.0, |(g, _)| found.normal.dot(g).powi(2));
            let bears = strength.across * (1.0 - c2) + strength.along.map_or(0.0, |(_, s)| s * c2);
            assert!((found.normal.dot(STRESS * found.normal) / bears - found.ratio).abs() < 1e-12);
        }
    }

    #[test]
    fn the_bound_is_never_below_and_exact_in_tension() {
        let largest = danger(&STRESS, &Strength { across: 1.0, along: None }).ratio;
        assert!(principal_bound(&STRESS) >= largest);
        let tension = Mat3::diagonal([5.0, 0.0, 0.0]);
        assert!((principal_bound(&tension) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn minors_tell_what_eigenvalues_do() {
        let mut numbers = crate::math::test_input::Numbers::new(7);
        for _ in 0..500 {
            let stress = numbers.matrix(1.0).symmetric_part();
            let largest = eigen_symmetric(&stress).0[0];
            for share in [0.5, 0.9999, 1.0001, 2.0] {
                let least = largest * share;
                assert_eq!(reaches(&stress, least), least <= largest, "{share} of {largest}");
            }
        }
        assert!(!reaches(&Mat3::scaled_identity(1e9), f64::INFINITY));
    }

    #[test]
    fn the_principal_direction_is_that_of_the_eigenvalues() {
        let mut numbers = crate::math::test_input::Numbers::new(3);
        let turn = numbers.matrix(1.0);
        let (_, axes) = eigen_symmetric(&turn.symmetric_part());
        let with = |values: [f64; 3]| (axes * Mat3::diagonal(values) * axes.transpose()).symmetric_part();
        let mut all: Vec<Mat3<f64>> = (0..500).map(|_| numbers.matrix(1e6).symmetric_part()).collect();
        all.extend([[2.0, 2.0, 1.0], [2.0, 2.0 - 1e-9, 1.0], [2.0, 2.0 - 1e-3, -5.0], [1.0; 3], [0.0; 3]].map(with));
        all.extend([[1.0, 0.0, 0.0], [1.0, -1e9, -2e9], [-1.0, -1.0, -1.0 - 1e-6], [1e12, 1.0, 0.0]].map(with));
        all.push(Mat3::diagonal([1.0, 3.0, 2.0]));
        for m in all {
            let (value, direction) = principal(&m);
            let size = m.norm().max(f64::MIN_POSITIVE);
            assert!((value - eigen_symmetric(&m).0[0]).abs() < 1e-12 * size, "{m:?}");
            assert!((m * direction - direction * value).norm() < 1e-11 * size, "{m:?}");
            assert!((direction.norm() - 1.0).abs() < 1e-12, "{m:?}");
        }
    }

    #[test]
    fn pressure_breaks_nothing() {
        let found = danger(&Mat3::scaled_identity(-1e9), &Strength { across: 1.0, along: None });
        assert!(found.ratio < 0.0);
    }
}
