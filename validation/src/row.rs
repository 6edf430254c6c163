//! One line of the table.

use serde::Serialize;
use std::time::Instant;

/// A measured quantity beside its reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The case's name.
    pub case: String,
    /// How the body was cut into elements, or the integrator where that is what differs.
    pub method: String,
    /// What else distinguishes the row: mesh, material, time step.
    pub setting: String,
    /// What was measured, with its unit.
    pub quantity: String,
    /// What phyxel gives.
    pub value: f64,
    /// What it should give.
    pub reference: f64,
    /// `|value − reference|` over the scale of the reference.
    pub relative_error: f64,
    /// Largest error that passes; none where the row is shown for comparison only.
    pub tolerance: Option<f64>,
    /// Whether it passes; true for rows that are only shown.
    pub pass: bool,
    /// Time that the measurement took [s].
    pub seconds: f64,
}

/// A quantity on its way to becoming a [`Row`].
#[derive(Clone, Debug)]
pub struct Measured {
    row: Row,
    scale: f64,
}

impl Row {
    /// Begins a row; `started` is when the measurement began.
    pub fn of(case: &str, method: &str, setting: impl Into<String>, started: Instant) -> Measured {
        let row = Row {
            case: case.into(),
            method: method.into(),
            setting: setting.into(),
            quantity: String::new(),
            value: f64::NAN,
            reference: 0.0,
            relative_error: f64::NAN,
            tolerance: None,
            pass: false,
            seconds: started.elapsed().as_secs_f64(),
        };
        Measured { row, scale: 0.0 }
    }
}

impl Measured {
    /// What was measured and what it should be.
    pub fn quantity(mut self, name: impl Into<String>, value: f64, reference: f64) -> Self {
        self.row.quantity = name.into();
        self.row.value = value;
        self.row.reference = reference;
        self.scale = reference.abs();
        self
    }

    /// Measures the error against this size instead of the reference's own, which may be zero.
    pub fn scaled_by(mut self, scale: f64) -> Self {
        self.scale = scale.abs();
        self
    }

    /// Judges the row.
    pub fn within(mut self, tolerance: f64) -> Row {
        self.finish();
        self.row.tolerance = Some(tolerance);
        self.row.pass = self.row.relative_error <= tolerance;
        self.row
    }

    /// Shows the row without judging it.
    pub fn shown(mut self) -> Row {
        self.finish();
        self.row.pass = self.row.value.is_finite();
        self.row
    }

    fn finish(&mut self) {
        let difference = (self.row.value - self.row.reference).abs();
        self.row.relative_error = if difference == 0.0 { 0.0 } else { difference / self.scale };
    }
}
