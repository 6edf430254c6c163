//! Cases with known answers, and how phyxel does on them.
//!
//! A case builds its own bodies, runs the engine and compares one or more quantities with a closed form or a
//! published value, method by method. `phyxel validate` prints the rows; tests run the quick ones.

mod contact;
mod elasticity;
mod fracture;
mod matter;
mod motion;
mod row;

pub use row::{Measured, Row};

/// How cases are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The size of numbers; references hold for `f64`, and `f32` must agree to 1 %.
    pub precision: phyxel::Precision,
}

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name that people type.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Runs it; one row per method, setting and quantity.
    pub run: fn(&Options) -> Vec<Row>,
}

/// All cases, in the order in which they are printed.
pub fn cases() -> Vec<Case> {
    [elasticity::CASES, motion::CASES, contact::CASES, matter::CASES, fracture::CASES].concat()
}
