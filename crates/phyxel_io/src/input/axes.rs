//! From the coordinates of a file to metres with y up.

use super::Problem;

/// The largest coordinate that is read [m]: beyond a million kilometres a mesh is broken or its unit is wrong.
pub const MAX_COORDINATE: f64 = 1e9;

/// Which axis of a file points up. Axes are rotated, never mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// x is up: `(x, y, z)` becomes `(−y, x, z)`.
    X,
    /// y is up, as here: nothing changes.
    #[default]
    Y,
    /// z is up, as CAD and most printers have it: `(x, y, z)` becomes `(x, z, −y)`.
    Z,
}

impl UpAxis {
    /// Turns a vector of the file so that y is up.
    pub fn turn<T: std::ops::Neg<Output = T>>(self, [x, y, z]: [T; 3]) -> [T; 3] {
        match self {
            UpAxis::X => [-y, x, z],
            UpAxis::Y => [x, y, z],
            UpAxis::Z => [x, z, -y],
        }
    }
}

/// Unit and axes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    /// Metres per unit of the file.
    pub(crate) unit: f64,
    pub(crate) up: UpAxis,
}

impl Axes {
    pub(crate) fn new(unit: f64, up: UpAxis) -> Result<Self, Problem> {
        if unit > 0.0 && unit.is_finite() { Ok(Axes { unit, up }) } else { Err(Problem::BadUnit { value: unit }) }
    }

    /// A point of the file [m], checked.
    pub(crate) fn point(&self, p: [f64; 3]) -> Result<[f64; 3], Problem> {
        if let Some(&value) = p.iter().find(|c| !c.is_finite()) {
            return Err(Problem::NotFinite { value });
        }
        let p = p.map(|c| c * self.unit);
        match p.iter().find(|c| c.abs() > MAX_COORDINATE) {
            Some(&value) => Err(Problem::TooFar { value, limit: MAX_COORDINATE }),
            None => Ok(self.up.turn(p)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_becomes_y_and_a_right_hand_stays_one() {
        for (up, axis) in [(UpAxis::X, [1.0, 0.0, 0.0]), (UpAxis::Y, [0.0, 1.0, 0.0]), (UpAxis::Z, [0.0, 0.0, 1.0])] {
            assert_eq!(up.turn(axis).map(f64::abs), [0.0, 1.0, 0.0]);
            assert_eq!(up.turn(axis)[1], 1.0);
            let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e: [f64; 3]| up.turn(e));
            let cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
            assert_eq!(cross, z.map(|c| c + 0.0), "{up:?}");
        }
    }

    #[test]
    fn coordinates_out_of_bounds_are_refused_in_metres() {
        let axes = Axes::new(0.001, UpAxis::Z).unwrap();
        assert_eq!(axes.point([1000.0, 2000.0, 3000.0]).unwrap(), [1.0, 3.0, -2.0]);
        assert!(matches!(axes.point([f64::NAN, 0.0, 0.0]), Err(Problem::NotFinite { .. })));
        assert!(matches!(axes.point([0.0, 1e30, 0.0]), Err(Problem::TooFar { value, .. }) if value == 1e27));
        assert!(Axes::new(0.0, UpAxis::Y).is_err() && Axes::new(f64::INFINITY, UpAxis::Y).is_err());
    }
}
