//! What the cases of this chapter share: bars, tolerances and rows.

use crate::Row;
use phyxel::math::Real;
use phyxel::scene::{Body, Integrator, Method, Pin, Region, SolverSettings};
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::shape::{Geometry, ShapeError, Spring, SpringNet};
use phyxel::{Material, Precision, Simulation};
use std::error::Error;
use std::time::Instant;

/// Why a measurement has no value.
pub type Failure = Box<dyn Error>;

/// Agreement that is asked of single precision where the tolerance for double precision is tighter.
const SINGLE: f64 = 0.01;

/// Measures for one case in one precision.
pub struct Bench {
    case: &'static str,
    precision: Precision,
}

/// What a row is about.
pub struct About<'a> {
    /// Method or integrator.
    pub method: &'a str,
    /// Mesh, step or material.
    pub setting: &'a str,
    /// Quantity with its unit.
    pub quantity: &'a str,
    /// When the measurement began.
    pub started: Instant,
}

/// What a value should be.
#[derive(Clone, Copy)]
pub struct Expected {
    /// The value.
    pub reference: f64,
    /// What errors are relative to; none for the reference itself.
    pub scale: Option<f64>,
    /// Largest relative error, in double precision.
    pub tolerance: f64,
    /// Largest relative error in single precision.
    pub single: f64,
}

impl Expected {
    /// Relative to the reference; single precision must agree to 1 %.
    pub fn relative(reference: f64, tolerance: f64) -> Self {
        Expected { reference, scale: None, tolerance, single: tolerance.max(SINGLE) }
    }

    /// Something that should be zero, shown without being judged.
    pub fn shown() -> Self {
        Expected { scale: Some(1.0), ..Self::relative(0.0, f64::INFINITY) }
    }

    /// An error with a unit, or of something that should be zero.
    pub fn absolute(reference: f64, tolerance: f64) -> Self {
        Expected { scale: Some(1.0), ..Self::relative(reference, tolerance) }
    }
}

impl Bench {
    /// For a case.
    pub fn new(case: &'static str, precision: Precision) -> Self {
        Bench { case, precision }
    }

    /// Makes a row; a measurement that failed becomes a row that does, with the reason.
    pub fn row(&self, about: &About<'_>, value: Result<f64, Failure>, expected: Expected) -> Row {
        let (value, setting) = match value {
            Ok(value) => (value, about.setting.to_string()),
            Err(failure) => (f64::NAN, format!("{}: {failure}", about.setting)),
        };
        let measured = Row::of(self.case, about.method, setting, about.started);
        let measured = measured.quantity(about.quantity, value, expected.reference);
        let measured = match expected.scale {
            Some(scale) => measured.scaled_by(scale),
            None => measured,
        };
        let tolerance = match self.precision {
            Precision::F32 => expected.single,
            Precision::F64 => expected.tolerance,
        };
        if tolerance.is_finite() { measured.within(tolerance) } else { measured.shown() }
    }

    /// Rows of several quantities that one run gives; all fail together.
    pub fn rows<const N: usize>(
        &self,
        about: &About<'_>,
        values: Result<[f64; N], Failure>,
        expected: [(&str, Expected); N],
    ) -> Vec<Row> {
        let why = values.as_ref().err().map(|e| e.to_string());
        let value = |i: usize| match (&values, &why) {
            (Ok(values), _) => Ok(values[i]),
            (Err(_), why) => Err(why.clone().unwrap_or_default().into()),
        };
        let one = |i: usize| {
            let (quantity, expected) = expected[i];
            self.row(&About { quantity, ..*about }, value(i), expected)
        };
        (0..N).map(one).collect()
    }
}

/// The methods that make a solid out of a block.
pub const SOLIDS: [Method; 3] = [Method::Tet, Method::Edge, Method::Mls];

/// A block of cubes, each of five tetrahedra, or of phyxels on the same nodes.
pub fn block(method: Method, cells: [usize; 3], min: [f64; 3], max: [f64; 3]) -> Result<Geometry, ShapeError> {
    Ok(match method {
        Method::Mls => Geometry::Points(box_points(cells, min, max)?),
        _ => Geometry::Tets(box_tets(cells, min, max, CubeSplit::Five)?),
    })
}

/// Steps of equal size with equations solved to rounding, so that what is measured is the integrator.
pub fn accurate(integrator: Integrator, step: f64) -> SolverSettings {
    SolverSettings {
        integrator,
        step,
        tolerance: 1e-12,
        newton_iterations: 20,
        newton_tolerance: 1e-11,
        ..SolverSettings::default()
    }
}

/// A mass on a spring that hangs from the origin along `direction`.
pub fn mass_on_spring(mass: f64, stiffness: f64, rest_length: f64, direction: [f64; 3]) -> Body {
    let net = SpringNet {
        points: vec![[0.0; 3], direction.map(|d| d * rest_length)],
        masses: vec![mass; 2],
        springs: vec![Spring { nodes: [0, 1], stiffness, rest_length }],
        triangles: Vec::new(),
    };
    let mut body = Body::new("mass", Geometry::Springs(net), Method::Spring, Material::default());
    body.pins.push(Pin::hold(Region::Nodes(vec![0])));
    body
}

/// Mean of a quantity over nodes.
pub fn mean_over<R: Real>(nodes: &[usize], value: impl Fn(usize) -> R) -> f64 {
    nodes.iter().map(|&n| value(n).to_f64()).sum::<f64>() / nodes.len() as f64
}

/// Nodes whose rest position has this coordinate.
pub fn nodes_at<R: Real>(simulation: &Simulation<R>, axis: usize, at: f64) -> Vec<usize> {
    let rest = &simulation.model().rest;
    (0..rest.len()).filter(|&n| (rest[n].0[axis].to_f64() - at).abs() < 1e-5).collect()
}

/// When a sampled curve first passes `level`, interpolated between samples `(time, value)`.
pub fn first_crossing(samples: &[(f64, f64)], level: f64) -> Result<f64, Failure> {
    let passes = |pair: &&[(f64, f64)]| (pair[0].1 - level) * (pair[1].1 - level) <= 0.0 && pair[0].1 != pair[1].1;
    let pair = samples.windows(2).find(passes).ok_or("the signal never arrives")?;
    let [(t0, x0), (t1, x1)] = [pair[0], pair[1]];
    Ok(t0 + (t1 - t0) * (level - x0) / (x1 - x0))
}
