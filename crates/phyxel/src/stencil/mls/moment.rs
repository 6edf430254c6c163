//! The inverse of a moment matrix, in the directions where it has one.

use crate::math::{Mat3, Real, eigen_symmetric};

/// Directions whose moment is below this share of the largest are dropped: neighbours thinner than a thousandth of
/// their extent carry no information across, only rounding.
const CUTOFF: f64 = 1e-6;

/// What a moment matrix was inverted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inverse<R> {
    pub matrix: Mat3<R>,
    /// How many directions it leaves out.
    pub dropped: usize,
    /// Whether it is the inverse, and not only one in some directions or of a larger matrix.
    pub exact: bool,
}

/// Pseudo-inverse of a symmetric positive semi-definite matrix. Where moments are below the share `least` of the largest,
/// the matrix is taken to be as large as that.
pub(crate) fn inverse_of_moment<R: Real>(moment: Mat3<R>, least: R) -> Inverse<R> {
    if !moment.is_finite() {
        return Inverse { matrix: Mat3::zero(), dropped: 3, exact: false };
    }
    let (values, vectors) = eigen_symmetric(&moment);
    let largest = values[0].abs().max(values[2].abs());
    let cutoff = R::of(CUTOFF).max(R::EPSILON * R::of(16.0));
    let dropped = values.iter().filter(|v| v.abs() <= cutoff * largest).count();
    let inverse = values.map(|value| {
        let inverse = R::one() / value.max(least * largest);
        if (value.abs() > cutoff * largest || least > R::zero()) && inverse.is_finite() { inverse } else { R::zero() }
    });
    let inverse = vectors * Mat3::diagonal(inverse) * vectors.transpose();
    if dropped > 0 || values[2] < least * largest {
        return Inverse { matrix: inverse, dropped, exact: false };
    }
    // One Newton step removes the rounding of the rotations.
    let correction = Mat3::scaled_identity(R::of(2.0)) - moment * inverse;
    Inverse { matrix: (inverse * correction).symmetric_part(), dropped: 0, exact: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    fn spread(offsets: &[[f64; 3]]) -> Mat3<f64> {
        offsets.iter().fold(Mat3::zero(), |m, o| m + Mat3::outer(Vec3(*o), Vec3(*o)))
    }

    #[test]
    fn a_full_matrix_is_inverted() {
        let m = spread(&[[1.0, 0.2, -0.3], [0.1, 0.7, 0.4], [-0.5, 0.3, 0.9], [0.2, -0.8, 0.1]]);
        let Inverse { matrix: inverse, dropped, exact } = inverse_of_moment(m, 0.0);
        assert_eq!((dropped, exact), (0, true));
        assert!((m * inverse - Mat3::identity()).norm() < 1e-14);
        let single = Mat3::<f32>::of(m.0);
        let inverse = inverse_of_moment(single, 0.0).matrix;
        assert!((single * inverse - Mat3::identity()).norm() < 1e-5);
    }

    #[test]
    fn missing_directions_are_left_out_and_counted() {
        let plane = spread(&[[1.0, 2.0, 0.5], [0.3, -1.0, 0.2], [1.3, 1.0, 0.7]]);
        let Inverse { matrix: inverse, dropped, exact } = inverse_of_moment(plane, 0.0);
        assert_eq!((dropped, exact), (1, false));
        // The defining property of the pseudo-inverse.
        assert!((plane * inverse * plane - plane).norm() < 1e-13);
        assert_eq!(inverse_of_moment(spread(&[[1.0, 2.0, 3.0]]), 0.0).dropped, 2);
        let nothing = Inverse { matrix: Mat3::zero(), dropped: 3, exact: false };
        assert_eq!(inverse_of_moment(Mat3::<f64>::zero(), 0.0), nothing);
        assert_eq!(inverse_of_moment(Mat3::scaled_identity(f64::NAN), 0.1).dropped, 3);
    }

    #[test]
    fn weak_directions_count_as_less_weak() {
        // Neighbours in a sheet whose thickness is a twentieth of its extent.
        let sheet = Mat3::diagonal([1.0, 0.8, 0.0025]);
        let Inverse { matrix: inverse, dropped, exact } = inverse_of_moment(sheet, 0.1);
        assert_eq!((dropped, exact), (0, false));
        assert!((inverse - Mat3::diagonal([1.0, 1.25, 10.0])).norm() < 1e-12);
        let whole = inverse_of_moment(sheet, 0.0).matrix;
        assert!((whole.0[2][2] - 400.0).abs() < 1e-9);
    }
}
